//! Scene files, formulas, results and figures.
//!
//! A scene is a TOML file. [`load`] reads it, checks it and builds the model, or lists every mistake
//! with its place. [`run`] simulates it, writing results as it goes.

mod build;
pub mod formula;
mod formulas;
pub mod matrix_market;
pub mod plot;
pub mod problems;
pub mod render;
mod results;
mod run;
mod scene;
mod source;
pub mod store;
mod unsolved;
mod validate;
pub mod vtk;

pub use build::{LoadError, Loaded, NO_BODIES, Recipe, load, load_text};
pub use results::{CheckpointError, Film, FilmError, RESULT_FILE, Shot, draw_figures, write_csv};
pub use run::{Finished, Progress, RunFailure, RunOptions, run};
pub use scene::{Output, TOLERANCE, schema};
pub use source::{Mistake, SceneError, line_column};
