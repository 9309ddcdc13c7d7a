//! Results of a run: one HDF5 file that grows, a checkpoint beside it, figures and CSV made from it, a summary.

pub(crate) mod bodies;
mod checkpoint;
mod checkpoint_state;
mod csv;
pub(crate) mod elastic;
mod figures;
mod figures_bodies;
mod figures_states;
mod folder_lock;
mod frames;
mod playback;
mod playback_elastic;
mod segments;
mod step_rows;
mod summary_file;
mod tables;

pub use checkpoint::CheckpointError;
pub(crate) use checkpoint::{CHECKPOINT_FILE, Checkpoint, Memory, file_list};
pub use csv::{CsvError, write_csv};
pub use figures::{FigureError, draw_figures, figure_names};
pub(crate) use folder_lock::FolderLock;
pub use folder_lock::LockError;
pub use playback::{Playback, PlaybackError, Shot};
pub(crate) use segments::set_values;
pub use segments::{Change, Segment};
pub(crate) use step_rows::{body_rows, contact_rows, event_row, joints, n_present};
pub use summary_file::SUMMARY_FILE;
pub(crate) use summary_file::{Ending, SummaryFile, overlap_at, penetration_at};
pub use tables::system_names;
pub(crate) use tables::{STATES, append, gap_names, n_system_coordinates, specs, state_row};

/// Name of the result file in the output folder.
pub const RESULT_FILE: &str = "results.h5";
