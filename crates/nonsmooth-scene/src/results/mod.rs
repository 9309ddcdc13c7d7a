//! Results of a run: one HDF5 file that grows, a checkpoint beside it, figures and CSV made from it.

mod bodies;
mod checkpoint;
mod csv;
mod figures;
mod figures_bodies;
mod film;
mod framing;
mod recorder;
mod vtk_frames;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use csv::{CsvError, table_names, write_csv};
pub use figures::{FigureError, draw_figures, figure_names};
pub use film::{Film, FilmError, Shot};
pub use recorder::{RESULT_FILE, RecordError, Recorder};
pub use vtk_frames::FrameError;
pub(crate) use vtk_frames::VtkFrames;
