//! What the schemes that resolve events share: Runge–Kutta methods, the smooth motion with closed contacts, the
//! search for events, impacts, and the path through a grid step. Other schemes that work with accelerations use a part.

mod bracket;
mod butcher;
mod closed;
mod contact;
mod control;
mod course;
mod dense;
mod forces;
mod impact;
mod motion;
mod options;
mod path;
mod record;
mod refuse;
mod runge_kutta;
mod sample;
mod semidefinite;
mod settle;
mod stages;
mod tracker;

use bracket::LOCATE;
pub(super) use bracket::Locate;
pub(super) use butcher::{METHODS, find};
pub(super) use closed::{Row, Standing};
pub(super) use contact::Contact;
pub(super) use control::Control;
pub(super) use forces::{Forces, Point, Power};
pub(super) use motion::{Motion, Rate};
pub(super) use options::{LOCATION, MAX_EVENTS, METHOD, ORDER};
pub(super) use path::{Flight, Path};
pub(super) use record::{Hit, Record};
pub(super) use refuse::refuse_untracked;
pub(super) use runge_kutta::Flow;
pub(super) use sample::Sample;
pub(super) use settle::Lasting;
pub(super) use tracker::{Accumulation, NOTHING_LEFT, Rules, Tracker, Width};
