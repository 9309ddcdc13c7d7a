//! What the passes of Newton's iteration work on: the whole once, then the nonlinear islands, which leave as they converge, then the whole again.
//!
//! An island is constraints and members that feel each other and nobody else. It is nonlinear where one of its constraints or systems
//! depends on the end of the step. The others stand after the first pass: nothing of theirs changes, so they are solved once. A nonlinear
//! island is judged by its own velocities and solved to the tolerance in its own scale.
//!
//! The last pass is of the whole: it sees everything, also what reaches from one island to another without a row, and only there the step
//! is judged. Its guess is the impulses of all islands. Where the certificate accepts them nothing is solved again.

use super::{Iteration, Newton, Solved};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{ActiveConstraints, Free, Model};
use crate::part::{Part, Selection};
use crate::phases::{
    Impulses, Mass, PartBuffers, SolverSettings, apply, assemble, is_solved, solve, solve_part,
};
use nonsmooth_solvers::{Incidence, Problem};
use std::collections::BTreeMap;

/// What the passes of a step work on.
#[derive(Default)]
pub struct Parts {
    /// Islands that still move; none: a pass is of the whole.
    open: Vec<Island>,
    /// Members and constraints of them, ascending.
    members: Vec<u32>,
    constraints: Vec<u32>,
    /// Whether there were some in this step: what they left is a good guess.
    were_open: bool,
    incidence: Incidence,
    problem: Problem,
    buffers: PartBuffers,
}

/// Members and constraints that feel each other and nobody else.
#[derive(Default)]
struct Island {
    members: Vec<u32>,
    constraints: Vec<u32>,
    velocities: Vec<u32>,
    /// Change of v⁺ in the pass before, once there was one [m/s, rad/s].
    last_change: Option<f64>,
}

impl Parts {
    /// Begins a step with the whole.
    #[inline]
    pub fn start(&mut self) {
        if self.were_open {
            self.open.clear();
            self.were_open = false;
        }
    }

    /// Whether the next pass is of some islands alone.
    pub(super) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What the next pass works on.
    #[inline]
    pub fn part(&self, t: f64, h: f64) -> Part<'_> {
        if self.open.is_empty() {
            return Part::whole(t, h);
        }
        let [members, constraints] =
            [&self.members, &self.constraints].map(|list| Selection::List(list));
        Part { t, h, members, constraints }
    }

    /// After a pass of the whole: the nonlinear islands go on alone. Rows imposed `by_position` make contacts of bodies nonlinear. Where
    /// forces or relations see the state, or there is one island, the whole goes on. Without constraints J is that of an earlier step, and
    /// each member is an island.
    pub(super) fn open(
        &mut self,
        model: &Model,
        by_position: bool,
        active: &ActiveConstraints,
        mass: &Mass,
    ) {
        let sees = model.forces.iter().any(|force| force.depends_on_state());
        if sees || !model.relations.is_empty() || self.were_open {
            return;
        }
        let has_rows = !active.is_empty();
        if has_rows {
            self.incidence.build(mass.groups(), &active.jacobian);
        }
        let n = if has_rows { self.incidence.n_islands() } else { 0 };
        let mut is_open = vec![false; n];
        for (family, own) in model.constraints.iter().zip(&active.own) {
            if !family.is_linear(model) || by_position && family.is_of_bodies() {
                own.clone().for_each(|c| is_open[self.incidence.island_of(c) as usize] = true);
            }
        }
        let mut alone = Vec::new();
        let nonlinear = model.systems.iter().map(|family| family.layout()).filter(|own| !own.is_linear);
        for member in nonlinear.flat_map(|layout| layout.members.clone()) {
            let felt = if has_rows { self.incidence.constraints_at(member) } else { &[] };
            match felt.first() {
                Some(&c) => is_open[self.incidence.island_of(c as usize) as usize] = true,
                None => alone.push(member as u32),
            }
        }
        if n + alone.len() < 2 {
            return;
        }
        for k in (0..n).filter(|&k| is_open[k]) {
            let [members, constraints] =
                [self.incidence.members_of(k), self.incidence.constraints_of(k)].map(<[u32]>::to_vec);
            self.open.push(Island { members, constraints, ..Island::default() });
        }
        let single = |member| Island { members: vec![member], ..Island::default() };
        self.open.extend(alone.into_iter().map(single));
        self.were_open = !self.open.is_empty();
        self.find_velocities(model);
        self.gather();
    }

    /// Lists the velocities of each open island.
    fn find_velocities(&mut self, model: &Model) {
        let mut island_of: BTreeMap<u32, usize> = BTreeMap::new();
        for (k, island) in self.open.iter().enumerate() {
            island_of.extend(island.members.iter().map(|&member| (member, k)));
        }
        for i in 0..model.n_velocities() {
            if let Some(&k) = island_of.get(&(model.member_of(i) as u32)) {
                self.open[k].velocities.push(i as u32);
            }
        }
    }

    /// Lists what the open islands have.
    fn gather(&mut self) {
        for (list, of) in [
            (&mut self.members, (|island| &island.members) as fn(&Island) -> &[u32]),
            (&mut self.constraints, |island| &island.constraints),
        ] {
            list.clear();
            self.open.iter().for_each(|island| list.extend_from_slice(of(island)));
            list.sort_unstable();
        }
    }

    /// The laws act on v_free, of the whole or of the open islands: impulses and v⁺. What is not open keeps those of the guess.
    pub fn impose(
        &mut self,
        (active, mass, free): (&ActiveConstraints, &Mass, &Free),
        settings: &mut SolverSettings,
        (problem, impulses): (&mut Problem, &mut Impulses),
        (v_guess, v): (&[f64], &mut Vec<f64>),
        log: &mut StepLog,
    ) -> StepResult {
        if self.open.is_empty() {
            assemble(active, mass, free, problem);
            let SolverSettings { solver, tolerance, .. } = settings;
            let Impulses { p, u, .. } = &mut *impulses;
            if !(self.were_open && is_solved(*tolerance, problem, (p, u), log)) {
                solve(&mut **solver, *tolerance, problem, impulses, log)?;
            }
            apply(problem, free, impulses, v);
            return Ok(());
        }
        v.clear();
        v.extend_from_slice(v_guess);
        for &i in self.open.iter().flat_map(|island| &island.velocities) {
            v[i as usize] = free.v[i as usize];
        }
        if !self.constraints.is_empty() {
            let found = (&mut impulses.p[..], &mut self.buffers);
            let own = (active, &self.constraints[..]);
            solve_part(own, mass, free, settings, &mut self.problem, found, log)?;
            self.problem.delassus.push(&self.buffers.p, v);
            self.problem.delassus.release();
        }
        Ok(())
    }
}

impl Island {
    /// Change of v⁺, and the size of what changes [m/s, rad/s].
    fn change(&self, v_free: &[f64], v_guess: &[f64], v: &[f64]) -> (f64, f64) {
        let largest = |of: &dyn Fn(usize) -> f64| {
            self.velocities.iter().fold(0.0f64, |most, &i| most.max(of(i as usize).abs()))
        };
        let size = largest(&|i| v[i].abs().max(v_guess[i].abs()).max(v_free[i].abs()));
        (largest(&|i| v[i] - v_guess[i]), size)
    }
}

impl Iteration {
    /// Takes v⁺ of a pass of open islands as the new guess; those that stand leave. Where one converges slowly, or after too many passes, all
    /// leave: the whole goes on, and tells.
    pub(super) fn close(
        &mut self,
        parts: &mut Parts,
        solved: &Solved<'_>,
        v_guess: &mut [f64],
        v: &[f64],
    ) {
        self.iterations += 1;
        let Newton { tolerance, most_iterations } = self.settings;
        let mut is_slow = self.iterations >= most_iterations;
        let count = parts.open.len();
        parts.open.retain_mut(|island| {
            let (change, size) = island.change(&solved.free.v, v_guess, v);
            island.velocities.iter().for_each(|&i| v_guess[i as usize] = v[i as usize]);
            let last = island.last_change.unwrap_or(f64::INFINITY);
            let stagnates = change >= last;
            if change <= tolerance * size
                || stagnates && self.is_rounding(change, solved.rule, solved.q_end, size)
            {
                return false;
            }
            is_slow |= change > 0.5 * last;
            island.last_change = Some(change);
            true
        });
        if is_slow {
            parts.open.clear();
        }
        if parts.open.len() < count {
            parts.gather();
        }
    }
}
