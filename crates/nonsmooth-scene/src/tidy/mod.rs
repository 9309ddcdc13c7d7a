//! Tidy tables: one row per observation, a leading time, a name, columns with names. The result file holds them, and CSV files are
//! copies of them.
//!
//! | table | a row is |
//! |---|---|
//! | `bodies` | a body at an instant: centre of mass, rotation from body axes to the world, velocities in world axes |
//! | `coordinates` | all coordinates of the systems at an instant, each with its velocity |
//! | `states` | all states of first-order systems at an instant, y and λ of all relations |
//! | `energy` | energies at an instant, works since the start |
//! | `contacts` | a contact in the step that led to an instant |
//! | `events` | an impact |
//! | `joints` | a joint at an instant: coordinates, rates, reaction |
//!
//! Rows are plain data (`rows.rs`). Who has a run fills them; nothing here knows a model.

mod rows;
mod writer;

pub use rows::{BodyRow, Cells, ContactRow, EnergyRow, EventRow, JointRow, Row};
pub use writer::TidyTable;

/// Names of all tables, and so of the CSV files, without ending.
pub const TABLES: [&str; 7] =
    ["bodies", "coordinates", "states", "energy", "contacts", "events", "joints"];
