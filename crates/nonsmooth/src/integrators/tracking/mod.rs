//! What the schemes that resolve events share: Runge–Kutta methods, the smooth motion with closed contacts, the
//! search for events, impacts, and the path through a grid step. Other schemes that work with accelerations use a part.

mod bracket;
mod butcher;
mod closed;
mod contact;
mod control;
mod course;
mod dense;
mod form;
mod grip;
mod hold;
mod impact;
mod mode;
mod motion;
mod options;
mod path;
mod point;
mod record;
mod refuse;
mod rows;
mod runge_kutta;
mod sample;
mod semidefinite;
mod stages;
mod tracker;
mod watched;

use bracket::LOCATE;
pub(super) use bracket::Locate;
pub(super) use butcher::{METHODS, find};
pub(super) use contact::{Block, Contact, fill_blocks};
pub(super) use control::Control;
pub(super) use form::{MOST_ROWS, RowForm, lasting_set};
pub(super) use grip::{Grip, sliding_ratio};
pub(super) use mode::Lasting;
pub(super) use motion::{Motion, add_works, book, instant};
pub(super) use options::{LOCATION, MAX_EVENTS, METHOD, ORDER};
pub(super) use path::{NextFlight, Path};
pub(super) use point::Point;
pub(super) use record::{Hit, Record, worst_last};
pub(super) use refuse::refuse_untracked;
pub(super) use rows::ConstraintStatus;
pub(super) use runge_kutta::Flow;
pub(super) use sample::{Sample, Watch, slip};
pub(super) use tracker::{Accumulation, NOTHING_LEFT, Rules, Tracker, Width};
pub(super) use watched::Watched;
