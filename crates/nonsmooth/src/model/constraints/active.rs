//! The active constraints of a step, sorted by name, with everything that laws, assembly and ledger need of them.
//!
//! `detect` appends them family by family; `close` compares the list with that of the step before: while it is the same, J keeps its
//! structure and what is constant in it, and its stamp tells the solver that W is known.

mod row_writer;

pub use row_writer::RowWriter;

use crate::model::collision::Search;
use crate::model::id::ConstraintId;
use crate::model::{LawId, Model};
use nonsmooth_geometry::FrozenContact;
use nonsmooth_solvers::{Jacobian, Set};
use std::ops::Range;
use std::sync::Arc;

/// Why J can be written.
const RELEASED: &str = "the problem has released J before it is written";

/// How a constraint takes part in a kick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Carried force before, or always acts (joints).
    #[default]
    Lasting,
    /// New, closes slowly: lands within the step.
    Soft,
    /// Closes within the step and takes its rebound at the start of it.
    Early,
    /// Closes within the step; the step is cut there. No row of the kick.
    Cut,
    /// Open, watched only. No row of the kick.
    Open,
}

/// A run of neighbouring constraints with the same law and number of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct LawRun {
    /// Their law.
    pub law: LawId,
    /// The constraints.
    pub constraints: Range<usize>,
    /// Rows of each.
    pub dim: usize,
    /// Whether the law has a form for a step.
    pub has_step: bool,
    /// Whether it is that of an elastic bond.
    pub is_elastic: bool,
    /// Numbers of history that the law keeps of each.
    pub n_history: usize,
}

/// A contact point that takes the place of others.
pub(crate) struct NewContact {
    pub id: ConstraintId,
    pub law: LawId,
    pub gap: f64,
    /// Point and normal.
    pub place: [[f64; 3]; 2],
    pub u: [f64; 6],
    pub dim: usize,
    pub feature: FrozenContact,
}

/// The active constraints, sorted by name. Written by `detect`, `linearize` and the laws.
#[derive(Default)]
pub struct ActiveConstraints {
    /// Which constraints, ascending.
    pub ids: Vec<ConstraintId>,
    /// Their laws.
    pub laws: Vec<LawId>,
    /// The constraints of each family of the model.
    pub own: Vec<Range<usize>>,
    /// Where the rows of each begin; one more than ids.
    pub row_start: Vec<u32>,
    /// Gap at detection, once per constraint [m]; 0 for joints and constraints of velocities.
    pub gap: Vec<f64>,
    /// u at detection by row [m/s].
    pub u_minus: Vec<f64>,
    /// ∂g/∂t by row at the start and at the end [m/s]; empty where nothing moves by itself.
    pub rates: Vec<[f64; 2]>,
    /// u⁺ = J v⁺ + offset by row [m/s].
    pub offset: Vec<f64>,
    /// Sets of impulses: one per constraint, or one per row where rows stand alone (joints). Written by the laws.
    pub sets: Vec<Set>,
    /// First set of each constraint; one more than ids.
    pub set_start: Vec<u32>,
    /// What the law adds to u⁺ by row [m/s].
    pub shift: Vec<f64>,
    /// D by row [1/kg]: of springs by their family, of others by the laws; empty where no row has any.
    pub compliance: Vec<f64>,
    /// Whether each carried force before. Written by the warm start.
    pub carried: Vec<bool>,
    /// The first constraint of the family of contacts.
    pub first_contact: usize,
    /// Point and normal of contacts at detection, one per constraint of the family of contacts, in order, in world axes.
    pub places: Vec<[[f64; 3]; 2]>,
    /// Features of contacts, as many as `places`; empty where gaps at other instants are not asked for.
    pub features: Vec<FrozenContact>,
    /// J.
    pub jacobian: Arc<Jacobian>,
    /// Runs of one law.
    pub runs: Vec<LawRun>,
    /// The constraints for which J was written; empty where it was not finished.
    written: Vec<ConstraintId>,
    /// Where the rows of each of them begin.
    written_rows: Vec<u32>,
    /// Whether the runs are those of that list: another list may have been closed since, for which J was not written.
    runs_are_written: bool,
    is_new: bool,
    /// Whether J was not yet written since detection.
    is_first: bool,
    search: Search,
    margins: Vec<f64>,
    kept: Vec<usize>,
    model: Option<u64>,
}

impl ActiveConstraints {
    /// Begins a list.
    #[inline]
    pub fn open(&mut self, model: &Model) {
        if self.model != Some(model.id()) {
            self.open_model(model);
        }
        self.own.clear();
        self.is_first = true;
        if !self.ids.is_empty() {
            self.clear();
        }
    }

    /// Begins the first list of a model.
    #[cold]
    fn open_model(&mut self, model: &Model) {
        self.jacobian = Arc::new(Jacobian::new(model.velocity_layout().clone()));
        self.model = Some(model.id());
        self.written.clear();
        self.runs.clear();
        self.sets.clear();
        self.offset.clear();
        self.shift.clear();
        self.row_start = vec![0];
        self.set_start = vec![0];
    }

    /// Forgets the constraints of the last list, but for J and the list for which it was written.
    fn clear(&mut self) {
        self.ids.clear();
        self.laws.clear();
        self.row_start.truncate(1);
        self.gap.clear();
        self.u_minus.clear();
        self.rates.clear();
        self.places.clear();
        self.features.clear();
        self.carried.clear();
        self.compliance.clear();
    }

    /// The constraints that are contact points of bodies.
    #[inline]
    pub fn contacts(&self) -> Range<usize> {
        self.first_contact..self.first_contact + self.places.len()
    }

    /// Room for `n` contact points more.
    pub(crate) fn reserve_contacts(&mut self, n: usize) {
        self.ids.reserve_exact(n);
        self.laws.reserve_exact(n);
        self.gap.reserve_exact(n);
        self.places.reserve_exact(n);
        self.row_start.reserve_exact(n);
    }

    /// Lends the buffers of the search for contacts.
    pub(crate) fn take_search(&mut self) -> (Search, Vec<f64>) {
        (std::mem::take(&mut self.search), std::mem::take(&mut self.margins))
    }

    /// Takes them back.
    pub(crate) fn give_search(&mut self, search: Search, margins: Vec<f64>) {
        (self.search, self.margins) = (search, margins);
    }

    /// Makes room for the rate of every row, zero where it was not written yet.
    pub fn open_rates(&mut self) {
        self.rates.resize(self.u_minus.len(), [0.0; 2]);
    }

    /// Appends a constraint with u⁻ of each of its rows.
    #[inline(always)]
    pub fn push(&mut self, id: ConstraintId, law: LawId, gap: f64, u_minus: &[f64]) {
        self.ids.push(id);
        self.laws.push(law);
        self.gap.push(gap);
        self.u_minus.extend_from_slice(u_minus);
        self.row_start.push(self.u_minus.len() as u32);
    }

    /// Ends the constraints of one family.
    #[inline]
    pub fn close_family(&mut self) {
        let begin = self.own.last().map_or(0, |own| own.end);
        self.own.push(begin..self.ids.len());
    }

    /// Keeps the first rows of each constraint, as many as `keep` says; those without rows leave the list. Between detection and `close`.
    pub(crate) fn retain_rows(&mut self, keep: impl Fn(&Self, usize) -> usize) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.extend((0..self.len()).map(|c| keep(self, c)));
        if (0..self.len()).any(|c| kept[c] < self.rows(c).len()) {
            if !self.rates.is_empty() {
                self.open_rates();
            }
            self.move_up(&kept);
        }
        self.kept = kept;
    }

    /// Moves what is kept to the front of all arrays.
    fn move_up(&mut self, kept: &[usize]) {
        let points = self.contacts();
        let (mut to, mut row_to, mut point_to) = (0, 0, 0);
        let mut row = 0;
        for (c, &n) in kept.iter().enumerate() {
            let next_row = self.row_start[c + 1] as usize;
            if n > 0 {
                self.u_minus.copy_within(row..row + n, row_to);
                if !self.rates.is_empty() {
                    self.rates.copy_within(row..row + n, row_to);
                }
                (self.ids[to], self.laws[to], self.gap[to]) = (self.ids[c], self.laws[c], self.gap[c]);
                if points.contains(&c) {
                    self.places[point_to] = self.places[c - points.start];
                    if !self.features.is_empty() {
                        self.features.swap(point_to, c - points.start);
                    }
                    point_to += 1;
                }
                (to, row_to) = (to + 1, row_to + n);
                self.row_start[to] = row_to as u32;
            }
            row = next_row;
        }
        let left = |c: usize| kept[..c].iter().filter(|n| **n > 0).count();
        self.first_contact = left(points.start.min(kept.len()));
        self.own.iter_mut().for_each(|own| *own = left(own.start)..left(own.end));
        self.ids.truncate(to);
        self.laws.truncate(to);
        self.gap.truncate(to);
        self.row_start.truncate(to + 1);
        self.u_minus.truncate(row_to);
        self.rates.truncate(row_to);
        self.places.truncate(point_to);
        if !self.features.is_empty() {
            self.features.truncate(point_to);
        }
    }

    /// Puts other contact points in the place of ranges of them, in the order of the list, and ends the list again.
    pub(crate) fn replace_contacts(
        &mut self,
        model: &Model,
        family: usize,
        changes: &[(Range<usize>, Vec<NewContact>)],
    ) {
        let mut old = std::mem::take(self);
        let points = old.contacts();
        (self.jacobian, self.model) = (std::mem::take(&mut old.jacobian), old.model);
        (self.written, self.written_rows) = (old.written, old.written_rows);
        (self.runs, self.sets, self.set_start) = (old.runs, old.sets, old.set_start);
        (self.search, self.margins, self.kept) = (old.search, old.margins, old.kept);
        (self.runs_are_written, self.first_contact) = (old.runs_are_written, old.first_contact);
        (self.is_first, self.row_start) = (true, vec![0]);
        let mut changes = changes.iter().peekable();
        for (own, k) in old.own.iter().zip(0..) {
            for c in own.clone() {
                let is_gone = k == family && changes.peek().is_some_and(|(range, _)| range.contains(&c));
                if !is_gone {
                    let rows = old.row_start[c] as usize..old.row_start[c + 1] as usize;
                    self.push(old.ids[c], old.laws[c], old.gap[c], &old.u_minus[rows]);
                    if points.contains(&c) {
                        self.places.push(old.places[c - points.start]);
                        self.features.push(old.features[c - points.start]);
                    }
                } else if let Some((_, new)) = changes.next_if(|(range, _)| range.end == c + 1) {
                    for new in new {
                        self.push(new.id, new.law, new.gap, &new.u[..new.dim]);
                        self.places.push(new.place);
                        self.features.push(new.feature);
                    }
                }
            }
            self.close_family();
        }
        self.close(model);
    }

    /// Ends the list: finds out whether it is the one for which J was written, and the runs of one law. Without constraints J stays
    /// that of the last list: a ball that bounces comes back to it.
    #[inline]
    pub fn close(&mut self, model: &Model) {
        self.is_new = false;
        if !self.ids.is_empty() {
            self.complete(model);
        } else if !self.runs.is_empty() {
            self.runs.clear();
            self.sets.clear();
            self.set_start.truncate(1);
            self.offset.clear();
            self.shift.clear();
        }
    }

    #[inline(never)]
    fn complete(&mut self, model: &Model) {
        self.is_new = self.ids != self.written || self.row_start != self.written_rows;
        let n = self.u_minus.len();
        zero(&mut self.offset, n);
        zero(&mut self.shift, n);
        self.carried.resize(self.ids.len(), false);
        if self.is_new || !self.runs_are_written || self.runs.is_empty() {
            self.find_runs(model);
        }
        self.runs_are_written = !self.is_new;
    }

    fn find_runs(&mut self, model: &Model) {
        self.runs.clear();
        self.set_start.truncate(1);
        for c in 0..self.ids.len() {
            let (law, dim) = (self.laws[c], self.rows(c).len());
            let n_sets = model.law(law).sets_of(dim) as u32;
            let first = self.set_start[c];
            self.set_start.push(first + n_sets);
            match self.runs.last_mut() {
                Some(run) if run.law == law && run.dim == dim => run.constraints.end = c + 1,
                _ => {
                    let (forms, n_history) = (model.law(law).forms(), model.law(law).n_history());
                    let (has_step, is_elastic) = (forms.step, forms.elastic);
                    let constraints = c..c + 1;
                    self.runs.push(LawRun { law, constraints, dim, has_step, is_elastic, n_history });
                }
            }
        }
        let n = *self.set_start.last().unwrap_or(&0) as usize;
        self.sets.clear();
        self.sets.resize(n, Set::Free);
    }

    /// Number of constraints.
    #[inline]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        self.u_minus.len()
    }

    /// The rows of a constraint.
    #[inline]
    pub fn rows(&self, c: usize) -> Range<usize> {
        self.row_start[c] as usize..self.row_start[c + 1] as usize
    }

    /// The rows of several neighbouring constraints.
    #[inline]
    pub fn rows_of(&self, constraints: &Range<usize>) -> Range<usize> {
        self.row_start[constraints.start] as usize..self.row_start[constraints.end] as usize
    }

    /// Whether the list differs from the one for which J was written last.
    #[inline]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// J to be written. No problem may hold it at that time.
    pub fn jacobian_mut(&mut self) -> &mut Jacobian {
        Arc::get_mut(&mut self.jacobian).expect(RELEASED)
    }

    /// Forgets everything that another model or a failed step may have left.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Makes `x` n zeros.
#[inline]
fn zero(x: &mut Vec<f64>, n: usize) {
    if x.len() == n {
        x.fill(0.0);
    } else {
        x.clear();
        x.resize(n, 0.0);
    }
}
