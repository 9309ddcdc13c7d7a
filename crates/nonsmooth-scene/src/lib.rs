//! Scene files, formulas, results and figures.
//!
//! A scene is a TOML file. [`load`] reads it, checks it and builds the model, or lists every mistake
//! with its place. [`run`] simulates it, writing results as it goes.
//!
//! A scene without files, stepped by hand:
//!
//! ```
//! let text = r#"
//! [[system.linear]]
//! name = "ball"
//! coordinates = ["z"]
//! mass = [1]
//! load = [-9.81]
//! q = [1]
//!
//! [run]
//! end = 1
//! step_size = 0.01
//! "#;
//! let mut loaded = nonsmooth_scene::load_text("ball.toml", text.to_owned(), "".into(), &[])?;
//! loaded.simulation.run(loaded.n_steps, &mut [])?;
//! assert!((loaded.simulation.state.q[0] - (1.0 - 0.5 * 9.81)).abs() < 1e-12); // θ = ½ is exact for a constant force
//!
//! let wrong = text.replace("mass = [1]", "mass = [-1]\ncolour = 3");
//! let Err(mistakes) = nonsmooth_scene::load_text("ball.toml", wrong, "".into(), &[]) else { panic!() };
//! assert!(mistakes.to_string().contains("ball.toml:6:1: unknown key `colour`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
pub mod formula;
mod formulas;
mod load;
pub mod matrix_market;
mod meshed;
mod observers;
pub mod problems;
mod relations;
mod results;
mod run;
mod scene;
mod source;
pub mod store;
pub mod tidy;
mod unsolved;
mod validate;
mod views;
pub mod vtk;

pub use build::{Bvp, Condition, Loaded, Recipe, Unknown};
pub use load::{LoadError, Reading, load, load_text};
pub use meshed::{MeshedBody, NodeValues};
pub use nonsmooth_elements::elements::FORMULATIONS;
pub use observers::{NO_BODIES, NO_RECORDER, OBSERVERS, ObserverEntry, Report};
pub use results::{
    Change, CheckpointError, LockError, Playback, PlaybackError, RESULT_FILE, SUMMARY_FILE, Segment,
    Shot, draw_figures, system_names, write_csv,
};
pub use run::{Clock, Finished, Progress, RunFailure, RunOptions, Start, run};
pub use scene::{Output, TOLERANCE, schema};
pub use source::{Mistake, SceneError, line_column};
