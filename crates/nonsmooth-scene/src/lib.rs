//! Scene files, formulas, results and figures.
//!
//! A scene is a TOML file. [`load`] reads it, checks it and builds the model, or lists every mistake
//! with its place. [`run`] simulates it, writing results as it goes.

mod build;
pub mod formula;
mod formulas;
pub mod matrix_market;
mod observers;
pub mod problems;
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

pub use build::{LoadError, Loaded, NO_BODIES, Recipe, load, load_text};
pub use observers::{OBSERVERS, ObserverEntry};
pub use results::{
    Change, CheckpointError, LockError, Playback, PlaybackError, RESULT_FILE, SUMMARY_FILE, Segment,
    Shot, draw_figures, system_names, write_csv,
};
pub use run::{Clock, Finished, Progress, RunFailure, RunOptions, Start, run};
pub use scene::{Output, TOLERANCE, schema};
pub use source::{Mistake, SceneError, line_column};
