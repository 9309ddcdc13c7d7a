//! Results of a run: one HDF5 file that grows, a checkpoint beside it, figures and CSV made from it, a summary.

mod bodies;
mod checkpoint;
mod checkpoint_state;
mod checkpoint_trust;
mod csv;
mod figures;
mod figures_bodies;
mod folder_lock;
mod frames;
mod playback;
mod recorder;
mod segments;
mod step_rows;
mod summary_file;
mod tables;

pub(crate) use checkpoint::CHECKPOINT_FILE;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use csv::{CsvError, write_csv};
pub use figures::{FigureError, draw_figures, figure_names};
pub(crate) use folder_lock::FolderLock;
pub use folder_lock::LockError;
pub use playback::{Playback, PlaybackError, Shot};
pub use recorder::{RESULT_FILE, Recorder};
pub use segments::{Change, Segment};
pub(crate) use step_rows::n_present;
pub use summary_file::SUMMARY_FILE;
pub(crate) use summary_file::{Ending, SummaryFile, overlap_at, penetration_at};
pub(crate) use tables::gap_names;
pub use tables::system_names;
