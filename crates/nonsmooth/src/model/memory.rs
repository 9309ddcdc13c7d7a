//! What is remembered of the active constraints of the last step, sorted by name: lasting forces, mean slip, histories of laws.
//!
//! Forces, never impulses: a part of a step may have any length. What a family stores per constraint it decides itself
//! (`ConstraintFamily::store_force`): rows, or a vector of the world.

use super::id::ConstraintId;

/// What is remembered of each constraint, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintMemory {
    /// Which constraints, ascending.
    pub ids: Vec<ConstraintId>,
    /// Where the forces of each begin; one more than ids.
    pub force_start: Vec<u32>,
    /// Lasting forces λ [N, N·m].
    pub forces: Vec<f64>,
    /// Mean slip of contacts in world axes [m/s]; empty where the scheme does not use it, else one per constraint.
    pub slips: Vec<[f64; 3]>,
    /// Where the history of each begins; one more than ids, or empty where no law has a history.
    pub history_start: Vec<u32>,
    /// Histories of laws.
    pub histories: Vec<f64>,
}

/// What was stored for one constraint.
#[derive(Clone, Copy, Debug)]
pub struct Remembered<'a> {
    /// Lasting force as the family stored it [N, N·m].
    pub force: &'a [f64],
    /// Mean slip in world axes [m/s].
    pub slip: [f64; 3],
    /// History of its law.
    pub history: &'a [f64],
}

impl ConstraintMemory {
    /// Forgets everything and keeps the buffers.
    #[inline]
    pub fn clear(&mut self) {
        if self.ids.is_empty() && self.force_start.is_empty() && self.history_start.is_empty() {
            return;
        }
        self.ids.clear();
        self.force_start.clear();
        self.forces.clear();
        self.slips.clear();
        self.history_start.clear();
        self.histories.clear();
    }

    /// Makes `self` equal to `other` and keeps the buffers.
    pub fn copy_from(&mut self, other: &Self) {
        self.ids.clone_from(&other.ids);
        self.force_start.clone_from(&other.force_start);
        self.forces.clone_from(&other.forces);
        self.slips.clone_from(&other.slips);
        self.history_start.clone_from(&other.history_start);
        self.histories.clone_from(&other.histories);
    }

    /// Appends what is known of a constraint; names come in ascending order.
    pub fn push(&mut self, id: ConstraintId, known: &Remembered<'_>) {
        if self.force_start.is_empty() {
            self.force_start.push(0);
        }
        self.ids.push(id);
        self.forces.extend_from_slice(known.force);
        self.force_start.push(self.forces.len() as u32);
        self.slips.push(known.slip);
        if !known.history.is_empty() || !self.history_start.is_empty() {
            // Those before had none.
            self.history_start.resize(self.ids.len(), 0);
            self.histories.extend_from_slice(known.history);
            self.history_start.push(self.histories.len() as u32);
        }
    }

    /// Takes what several memories know, none of which know the same constraint; each constraint under the name that stands with it.
    pub(crate) fn merge(&mut self, memories: &[(&Self, Vec<ConstraintId>)]) {
        let mut order: Vec<(ConstraintId, usize, usize)> = Vec::new();
        for (k, (_, ids)) in memories.iter().enumerate() {
            order.extend(ids.iter().enumerate().map(|(c, id)| (*id, k, c)));
        }
        order.sort_unstable_by_key(|entry| entry.0);
        self.clear();
        order.into_iter().for_each(|(id, k, c)| self.push(id, &memories[k].0.at(c)));
    }

    /// What is known of place `k`.
    #[inline(always)]
    pub fn at(&self, k: usize) -> Remembered<'_> {
        let range = |start: &[u32]| start[k] as usize..start[k + 1] as usize;
        let history = if self.history_start.is_empty() { 0..0 } else { range(&self.history_start) };
        Remembered {
            force: &self.forces[range(&self.force_start)],
            slip: self.slips.get(k).copied().unwrap_or_default(),
            history: &self.histories[history],
        }
    }

    /// What is known of a constraint.
    pub fn find(&self, id: ConstraintId) -> Option<Remembered<'_>> {
        self.ids.binary_search(&id).ok().map(|k| self.at(k))
    }

    /// To look constraints up in ascending order of their names.
    pub fn walk(&self) -> Walk<'_> {
        Walk { memory: self, at: 0 }
    }
}

/// A place in the memory from which a search goes on.
pub struct Walk<'a> {
    memory: &'a ConstraintMemory,
    at: usize,
}

impl<'a> Walk<'a> {
    /// What is known of a constraint; names must come in ascending order.
    #[inline(always)]
    pub fn find(&mut self, id: ConstraintId) -> Option<Remembered<'a>> {
        let ids = &self.memory.ids;
        while ids.get(self.at).is_some_and(|known| *known < id) {
            self.at += 1;
        }
        (ids.get(self.at) == Some(&id)).then(|| self.memory.at(self.at))
    }
}
