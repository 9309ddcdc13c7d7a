//! Results of a run: one HDF5 file that grows, a checkpoint beside it, figures and CSV made from it.

mod bodies;
mod checkpoint;
mod csv;
mod figures;
mod figures_bodies;
mod recorder;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use csv::{CsvError, table_names, write_csv};
pub use figures::{FigureError, draw_figures, figure_names};
pub use recorder::{RESULT_FILE, RecordError, Recorder};
