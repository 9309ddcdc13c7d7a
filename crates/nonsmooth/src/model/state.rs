//! The state: everything the next step reads. A checkpoint is the state, whole.

use super::bodies::{Life, TouchKey};
use super::constraint::Key;

/// Where the model is, and what a scheme or a contact must remember.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time [s].
    pub t: f64,
    /// Number of steps made since the start.
    pub step: u64,
    /// Size of the step that led here [s]; 0 at the start.
    pub step_size: f64,
    /// Coordinates [m, rad].
    pub q: Vec<f64>,
    /// Velocities, right limits [m/s, rad/s].
    pub v: Vec<f64>,
    /// What a scheme with memory keeps (earlier coordinates, accelerations); empty for one-step schemes.
    pub memory: Vec<f64>,
    /// Impulses of the last step, by contact.
    pub contacts: ContactMemory,
    /// Impulses of the last step, by contact point of bodies.
    pub touches: TouchMemory,
    /// Which bodies take part; empty where all do from start to end.
    pub lives: Vec<Life>,
}

/// What is remembered of each contact point of bodies of the last step, sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TouchMemory {
    /// Which points.
    pub keys: Vec<TouchKey>,
    /// Their impulses in the last step, along normal and tangents [N·s].
    pub impulses: Vec<[f64; 3]>,
}

impl TouchMemory {
    /// To look up points in the order of their keys.
    pub(crate) fn walk(&self) -> Walk<'_> {
        Walk { memory: self, at: 0 }
    }
}

/// A place in the memory of contact points, from which one goes on.
pub(crate) struct Walk<'a> {
    memory: &'a TouchMemory,
    at: usize,
}

impl Walk<'_> {
    /// What the point carried, if it is known; keys must come in ascending order.
    #[inline]
    pub(crate) fn find(&mut self, key: &TouchKey) -> Option<[f64; 3]> {
        let TouchMemory { keys, impulses } = self.memory;
        while keys.get(self.at).is_some_and(|known| known < key) {
            self.at += 1;
        }
        (keys.get(self.at) == Some(key)).then(|| impulses[self.at])
    }
}

/// What is remembered of each contact of the last step, sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Which constraint.
    pub keys: Vec<Key>,
    /// Its impulse in the last step [N·s].
    pub impulses: Vec<f64>,
}

impl State {
    /// Overwrites every number with NaN, where a state serves as scratch.
    pub(crate) fn poison(&mut self) {
        (self.t, self.step, self.step_size) = (f64::NAN, u64::MAX, f64::NAN);
        for x in [&mut self.q, &mut self.v, &mut self.memory, &mut self.contacts.impulses] {
            x.fill(f64::NAN);
        }
        self.touches.impulses.fill([f64::NAN; 3]);
    }

    /// Gives memory back that a step is to write anew.
    pub(crate) fn give_back(&mut self) {
        (self.q, self.v, self.touches) = Default::default();
    }

    /// Makes `self` equal to `other` without giving up memory.
    pub fn copy_from(&mut self, other: &State) {
        (self.t, self.step, self.step_size) = (other.t, other.step, other.step_size);
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.memory.clone_from(&other.memory);
        self.contacts.keys.clone_from(&other.contacts.keys);
        self.contacts.impulses.clone_from(&other.contacts.impulses);
        self.touches.keys.clone_from(&other.touches.keys);
        self.touches.impulses.clone_from(&other.touches.impulses);
        self.lives.clone_from(&other.lives);
    }
}
