//! An impact at an instant, phase by phase of the laws.
//!
//! ```text
//! v⁺ = v⁻ + M⁻¹ Jᵀ p,      begins: impact form of the law;      lasts or is only closed: contact form;      joints: u⁺ = 0
//! ```
//!
//! W has M at the instant; forces do nothing. A law with several phases poses several problems with the same W; one that has no further
//! phase takes part in those of others by its contact form. Laws that act along the path have files of their own: `impact_path.rs`.

use super::factorize::{Mass, factorize};
use super::impact_path::impact_path;
use super::linearize::linearize;
use super::solve::{SolverSettings, judge};
use super::solve_part::{PartBuffers, solve_part};
use crate::error::StepResult;
use crate::instants::Instants;
use crate::laws::LawRows;
use crate::log::{StepLog, Works};
use crate::model::constraints::Column;
use crate::model::instant::Instant;
use crate::model::{ActiveConstraints, Coeffs, ConstraintMemory, Free, Model, State, Theta};
use crate::part::Part;
use nonsmooth_solvers::{Incidence, Problem};

/// A contact takes part when its gap is below this, relative to its size.
const TOUCHING: f64 = 1e-11;

/// Which constraints begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begins {
    /// Those that are closed, approach and carried nothing: at an instant that was located.
    InContact,
    /// Those whose gap is at most this share of their size, approach and carried nothing: at a state that was given by hand.
    Within(f64),
    /// All active ones that close: at the start of a step that does not resolve impacts. Islands in which every law has a step form
    /// are left alone.
    Closing,
}

/// What an impact did.
#[derive(Default)]
pub struct Impact {
    /// v⁺ in working axes.
    pub v: Vec<f64>,
    /// Impulses by row of the active constraints [N·s].
    pub p: Vec<f64>,
    /// u⁻ by row [m/s].
    pub u_minus: Vec<f64>,
    /// u⁺ by row [m/s].
    pub u_plus: Vec<f64>,
    /// Which constraints began.
    pub begins: Vec<bool>,
}

/// The impact of the active constraints at an instant, whose J and M have been written.
pub fn impact(
    model: &Model,
    memory: &ConstraintMemory,
    (at, active): (&Instant<'_>, &mut ActiveConstraints),
    rule: Begins,
    mass: &Mass,
    (settings, problem): (&mut SolverSettings, &mut Problem),
    log: &mut StepLog,
) -> StepResult<Impact> {
    let mut made = Impact {
        v: at.v.to_vec(),
        p: vec![0.0; active.n_rows()],
        u_minus: active.u_minus.clone(),
        u_plus: active.u_minus.clone(),
        begins: vec![false; active.len()],
    };
    let list = match rule {
        Begins::InContact => in_contact(model, memory, (active, TOUCHING), &mut made.begins),
        Begins::Within(reach) => in_contact(model, memory, (active, reach), &mut made.begins),
        Begins::Closing => closing(model, active, mass, &mut made.begins),
    };
    if !made.begins.contains(&true) {
        return Ok(made);
    }
    set_offsets(at, &list, active);
    if impact_path(model, (active, &list), at, mass, problem, &mut made)? {
        add(active, mass, &made.p, &mut made.v);
        made.finish(at, active);
        return Ok(made);
    }
    let mut free = Free::default();
    let mut before = vec![0.0; active.n_rows()];
    let (mut goes_on, mut buffers) = (made.begins.clone(), PartBuffers::default());
    for phase in 0.. {
        let mut given = vec![0.0; active.n_rows()];
        set_laws(model, memory, active, &list, (phase, &mut goes_on), &before, &mut given);
        free.v.clone_from(&made.v);
        add(active, mass, &given, &mut free.v);
        let mut p = vec![0.0; active.n_rows()];
        solve_part((active, &list), mass, &free, settings, problem, (&mut p, &mut buffers), log)?;
        judge(model, active, settings.tolerance, settings.policy, log)?;
        made.v.clone_from(&free.v);
        add(active, mass, &p, &mut made.v);
        for (row, p) in p.iter().enumerate() {
            before[row] = *p;
            made.p[row] += p + given[row];
        }
        if !goes_on.contains(&true) {
            break;
        }
    }
    made.finish(at, active);
    Ok(made)
}

impl Impact {
    /// u⁺ from the change of v.
    fn finish(&mut self, at: &Instant<'_>, active: &ActiveConstraints) {
        let change: Vec<f64> = self.v.iter().zip(at.v).map(|(w, v)| w - v).collect();
        let mut u = [0.0; 6];
        for c in 0..active.len() {
            let rows = active.rows(c);
            active.jacobian.dot(c, &change, &mut u[..rows.len()]);
            for (k, row) in rows.enumerate() {
                self.u_plus[row] = self.u_minus[row] + u[k];
            }
        }
    }

    /// Books p·½(u⁻ + u⁺) of every row, and what holds prescribed coordinates; writes an event for each constraint that began.
    pub fn book(
        &self,
        model: &Model,
        active: &ActiveConstraints,
        at: &Instant<'_>,
        works: &mut Works,
        log: &mut StepLog,
    ) -> StepResult {
        let mut along = [0.0; 6];
        let (first, mut whole) = (log.events.len(), 0.0);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            for c in own.clone() {
                let rows = active.rows(c);
                if self.p[rows.clone()].iter().all(|p| *p == 0.0) {
                    continue;
                }
                active.jacobian.dot(c, at.v, &mut along[..rows.len()]);
                let (mut done, rubbed) = (0.0, works.friction);
                for (k, row) in rows.clone().enumerate() {
                    let p = self.p[row];
                    let work = 0.5 * p * (self.u_minus[row] + self.u_plus[row]);
                    done += work;
                    let column = family.column(model, active.laws[c], k);
                    works.add_driven(column == Column::Drive, -p * (self.u_minus[row] - along[k]));
                    match column {
                        Column::Contact if self.begins[c] => works.impact += work,
                        Column::Contact => works.contact += work,
                        Column::Friction => works.friction += work,
                        Column::Joint | Column::Own => works.joint += work,
                        Column::Drive => works.drive += work,
                    }
                }
                works.name_gain(rubbed);
                whole += done;
                if self.begins[c] && self.p[rows.start] > 0.0 {
                    let u = (&self.u_minus[rows.clone()], &self.u_plus[rows.clone()]);
                    log.event(active, c, at.t, u, &self.p[rows], done);
                }
            }
        }
        log.set_whole(first, whole);
        if model.has_prescribed() { self.book_supports(model, active, at, works) } else { Ok(()) }
    }

    /// The work of R = M (v⁺ − v⁻) − Jᵀ p, which holds prescribed coordinates that M couples to those that are hit.
    fn book_supports(
        &self,
        model: &Model,
        active: &ActiveConstraints,
        at: &Instant<'_>,
        works: &mut Works,
    ) -> StepResult {
        let change: Vec<f64> = self.v.iter().zip(at.v).map(|(w, v)| w - v).collect();
        let mut reaction = vec![0.0; change.len()];
        model.times(at, [1.0, 0.0, 0.0], &change, &mut reaction)?;
        for c in 0..active.len() {
            let minus: Vec<f64> = self.p[active.rows(c)].iter().map(|p| -p).collect();
            active.jacobian.add_transposed(c, &minus, &mut reaction);
        }
        for i in model.prescribed() {
            works.prescribed += 0.5 * reaction[i] * (at.v[i] + self.v[i]);
        }
        Ok(())
    }
}

/// Whether each constraint carried a normal force in the last kick.
pub fn carried(model: &Model, memory: &ConstraintMemory, active: &ActiveConstraints) -> Vec<bool> {
    let mut rows = [0.0; 6];
    let mut out = vec![false; active.len()];
    for (family, own) in model.constraints.iter().zip(&active.own) {
        for c in own.clone() {
            let dim = active.rows(c).len();
            if let Some(known) = memory.find(active.ids[c]) {
                rows[..dim].fill(0.0);
                family.recall_force(active, c, known.force, &mut rows[..dim]);
                out[c] = rows[0] > 0.0;
            }
        }
    }
    out
}

/// Constraints that are closed or carried, ascending; marks those that begin.
fn in_contact(
    model: &Model,
    memory: &ConstraintMemory,
    (active, band): (&ActiveConstraints, f64),
    begins: &mut [bool],
) -> Vec<u32> {
    let mut list = Vec::new();
    let carried = carried(model, memory, active);
    for own in &active.own {
        for c in own.clone() {
            let forms = model.law(active.laws[c]).forms();
            if !forms.impact {
                continue;
            }
            if forms.bilateral {
                list.push(c as u32);
                continue;
            }
            let lasts = carried[c];
            let is_closed = active.gap[c] <= band * model.size_of(active.ids[c]);
            if lasts || is_closed {
                list.push(c as u32);
                begins[c] = !lasts && active.u_minus[active.rows(c).start] < 0.0;
            }
        }
    }
    list
}

/// Constraints of the islands in which a law without a step form begins, ascending; marks all there that close.
fn closing(model: &Model, active: &ActiveConstraints, mass: &Mass, begins: &mut [bool]) -> Vec<u32> {
    let mut islands = Incidence::default();
    islands.build(mass.groups(), &active.jacobian);
    let closes = |c: usize| active.u_minus[active.rows(c).start] < 0.0;
    let forms = |c: usize| model.law(active.laws[c]).forms();
    let mut is_hit = vec![false; islands.n_islands()];
    for c in (0..active.len()).filter(|&c| forms(c).impact && !forms(c).step && closes(c)) {
        if let Some(hit) = is_hit.get_mut(islands.island_of(c) as usize) {
            *hit = true;
        }
    }
    let in_hit = |c: &usize| is_hit.get(islands.island_of(*c) as usize).is_some_and(|hit| *hit);
    let list: Vec<usize> = (0..active.len()).filter(|&c| forms(c).impact).filter(in_hit).collect();
    for &c in &list {
        begins[c] = !forms(c).bilateral && closes(c);
    }
    list.into_iter().map(|c| c as u32).collect()
}

/// u⁺ = J v⁺ + what kinematic bodies add at the instant.
fn set_offsets(at: &Instant<'_>, list: &[u32], active: &mut ActiveConstraints) {
    let mut along = [0.0; 6];
    for &c in list {
        let rows = active.rows(c as usize);
        active.jacobian.dot(c as usize, at.v, &mut along[..rows.len()]);
        for (k, row) in rows.enumerate() {
            active.offset[row] = active.u_minus[row] - along[k];
        }
    }
}

/// Sets and shifts of the constraints that take part; `goes_on` says whose law has its impact form in this phase, then in the next.
fn set_laws(
    model: &Model,
    memory: &ConstraintMemory,
    active: &mut ActiveConstraints,
    list: &[u32],
    (phase, goes_on): (usize, &mut [bool]),
    before: &[f64],
    given: &mut [f64],
) {
    let n = active.n_rows();
    active.shift.fill(0.0);
    active.compliance.clear();
    active.compliance.resize(n, 0.0);
    for &c in list {
        let c = c as usize;
        let (law, rows) = (model.law(active.laws[c]), active.rows(c));
        let sets = active.set_start[c] as usize..active.set_start[c + 1] as usize;
        let mut history = vec![0.0; law.n_history()];
        if let Some(known) =
            memory.find(active.ids[c]).filter(|known| known.history.len() == history.len())
        {
            history.copy_from_slice(known.history);
        }
        let mut own = LawRows {
            dim: rows.len(),
            h: 0.0,
            ahead: 0.0,
            gap: &active.gap[c..c + 1],
            u_minus: &active.u_minus[rows.clone()],
            p_before: &before[rows.clone()],
            history: &history,
            coupled: &[],
            sets: &mut active.sets[sets],
            shift: &mut active.shift[rows.clone()],
            compliance: &mut active.compliance[rows.clone()],
            given: &mut given[rows],
        };
        if goes_on[c] {
            goes_on[c] = law.impact(phase, &mut own);
        } else {
            law.supports(&mut own);
        }
    }
}

/// v += M⁻¹ Jᵀ p.
fn add(active: &ActiveConstraints, mass: &Mass, p: &[f64], v: &mut [f64]) {
    if p.iter().all(|p| *p == 0.0) {
        return;
    }
    let mut change = vec![0.0; v.len()];
    for c in 0..active.len() {
        active.jacobian.add_transposed(c, &p[active.rows(c)], &mut change);
    }
    mass.groups().solve(&mut change, &mut Vec::new());
    v.iter_mut().zip(&change).for_each(|(v, dv)| *v += dv);
}

/// Scratch of impacts at the start of a step.
#[derive(Default)]
pub struct Struck {
    mass: Mass,
    state: State,
}

impl Struck {
    /// The state from which the step went on: that after the impact, if there was one.
    pub fn start<'a>(&'a self, now: &'a State, log: &StepLog) -> &'a State {
        if log.struck.is_some() { &self.state } else { now }
    }
}

/// Lets laws without a step form have their impact at the start of a step: the state from which the step goes on, `now` itself where
/// nothing is hit. u⁻ of the active constraints and the instants are then those after the impact.
#[inline(never)]
pub fn strike<'a>(
    model: &Model,
    (now, rule): (&'a State, Theta),
    at: &mut Instants,
    active: &mut ActiveConstraints,
    struck: &'a mut Struck,
    (settings, problem): (&mut SolverSettings, &mut Problem),
    log: &mut StepLog,
) -> StepResult<&'a State> {
    let is_hit =
        |c: usize| !model.law(active.laws[c]).forms().step && active.u_minus[active.rows(c).start] < 0.0;
    if !(0..active.len()).any(is_hit) {
        return Ok(now);
    }
    let part = Part::whole(now.t, 0.0);
    let Struck { mass, state } = struck;
    let pass = at.pass(now);
    factorize(model, &part, &pass, Coeffs::MASS, problem, mass)?;
    linearize(model, &part, &pass, active)?;
    let start = pass.now;
    let made =
        impact(model, &now.memory, (&start, active), Begins::Closing, mass, (settings, problem), log)?;
    // The problem holds J, which the step is about to write.
    problem.delassus.release();
    let mut works = Works::default();
    made.book(model, active, &start, &mut works, log)?;
    log.struck = Some((works, made.p));
    active.u_minus.clone_from(&made.u_plus);
    state.copy_from(now);
    state.v.clone_from(&made.v);
    model.to_state(&now.q, &mut state.v);
    at.configure(model, state, rule)?;
    Ok(state)
}
