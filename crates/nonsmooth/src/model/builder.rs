//! Building a model: register systems, laws and constraints, then have everything checked at once.

use super::blocks::Blocks;
use super::builder_bodies::GivenBodies;
use super::check::{check_contacts, check_matrices, check_start, check_start_velocities};
use super::{
    BodyIssue, Constraints, Coordinate, Dimension, Gap, Issue, Lagrangian, Lift, Linear, LinearContact,
    LinearFamily, Model, ModelError, Place, Prescribed, State, System, SystemId, UserSystem,
    VelocityConstraint, check_overlaps,
};
use crate::laws::{Law, StepForm};
use nonsmooth_solvers::{Set, Sparse};
use std::sync::atomic::{AtomicU64, Ordering};

/// Models built so far by this process; gives each its number.
static N_MODELS: AtomicU64 = AtomicU64::new(1);

/// Names a law of a model under construction.
#[derive(Clone, Copy, Debug)]
pub struct LawId(pub(super) usize);

enum Given {
    Linear(Box<Linear>),
    User {
        name: String,
        coordinates: Vec<String>,
        dynamics: Box<dyn Lagrangian>,
        q: Vec<f64>,
        v: Vec<f64>,
    },
}

impl Given {
    fn len(&self) -> usize {
        match self {
            Given::Linear(linear) => linear.coordinates.len(),
            Given::User { coordinates, .. } => coordinates.len(),
        }
    }
}

enum Kind {
    Linear { coefficients: Vec<f64>, offset: f64 },
    Gap(Box<dyn Gap>),
    Velocity(Box<dyn VelocityConstraint>),
}

impl Kind {
    fn n_tangents(&self) -> usize {
        match self {
            Kind::Gap(gap) => gap.n_tangents(),
            Kind::Linear { .. } | Kind::Velocity(_) => 0,
        }
    }
}

struct Tie {
    name: String,
    law: LawId,
    on: Vec<(SystemId, Coordinate)>,
    kind: Kind,
}

/// Collects the parts of a model.
#[derive(Default)]
pub struct ModelBuilder {
    systems: Vec<Given>,
    laws: Vec<(String, StepForm)>,
    ties: Vec<Tie>,
    prescribed: Vec<(SystemId, Coordinate, super::Velocity)>,
    allow_initial_violation: bool,
    pub(super) given: GivenBodies,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a linear system.
    pub fn linear(&mut self, system: Linear) -> SystemId {
        self.systems.push(Given::Linear(Box::new(system)));
        SystemId(self.systems.len() - 1)
    }

    /// Adds a Lagrangian system with the coordinates `coordinates`, starting at (q, v).
    pub fn lagrangian(
        &mut self,
        name: &str,
        coordinates: &[&str],
        dynamics: impl Lagrangian + 'static,
        q: &[f64],
        v: &[f64],
    ) -> SystemId {
        self.systems.push(Given::User {
            name: name.to_owned(),
            coordinates: coordinates.iter().map(|&c| c.to_owned()).collect(),
            dynamics: Box::new(dynamics),
            q: q.to_vec(),
            v: v.to_vec(),
        });
        SystemId(self.systems.len() - 1)
    }

    /// Adds a law.
    pub fn law(&mut self, name: &str, law: impl Law) -> LawId {
        self.laws.push((name.to_owned(), law.step_form()));
        LawId(self.laws.len() - 1)
    }

    /// Adds the constraint y = Σ coefficient·coordinate + offset.
    pub fn linear_gap(
        &mut self,
        name: &str,
        law: LawId,
        terms: &[(SystemId, Coordinate, f64)],
        offset: f64,
    ) {
        if terms.iter().any(|(system, ..)| system.body().is_some()) {
            return self.linear_contact(name, law, terms, offset, &[]);
        }
        let on = terms.iter().map(|&(system, coordinate, _)| (system, coordinate)).collect();
        let coefficients = terms.iter().map(|&(_, _, coefficient)| coefficient).collect();
        let kind = Kind::Linear { coefficients, offset };
        self.ties.push(Tie { name: name.to_owned(), law, on, kind });
    }

    /// Adds the constraint y = g(q, t) on the given coordinates.
    pub fn gap(
        &mut self,
        name: &str,
        law: LawId,
        on: &[(SystemId, Coordinate)],
        gap: impl Gap + 'static,
    ) {
        let kind = Kind::Gap(Box::new(gap));
        self.ties.push(Tie { name: name.to_owned(), law, on: on.to_vec(), kind });
    }

    /// Adds a contact with the gap y = Σ coefficient·coordinate + offset and the sliding velocity
    /// u_T = Σ coefficient·velocity of each tangent.
    pub fn linear_contact(
        &mut self,
        name: &str,
        law: LawId,
        normal: &[(SystemId, Coordinate, f64)],
        offset: f64,
        tangents: &[&[(SystemId, Coordinate, f64)]],
    ) {
        let mut on: Vec<(SystemId, Coordinate)> = Vec::new();
        for &(system, coordinate, _) in normal.iter().chain(tangents.iter().copied().flatten()) {
            if !on.contains(&(system, coordinate)) {
                on.push((system, coordinate));
            }
        }
        let dense = |terms: &[(SystemId, Coordinate, f64)]| -> Vec<f64> {
            let sum = |place: &(SystemId, Coordinate)| {
                terms.iter().filter(|(s, c, _)| (*s, *c) == *place).map(|(_, _, x)| x).sum()
            };
            on.iter().map(sum).collect()
        };
        let tangents = tangents.iter().map(|terms| dense(terms)).collect();
        let contact = LinearContact { normal: dense(normal), offset, tangents };
        self.gap(name, law, &on, contact);
    }

    /// Adds the constraint h(q, v, t) at velocity level on the given coordinates.
    pub fn velocity_constraint(
        &mut self,
        name: &str,
        law: LawId,
        on: &[(SystemId, Coordinate)],
        constraint: impl VelocityConstraint + 'static,
    ) {
        let kind = Kind::Velocity(Box::new(constraint));
        self.ties.push(Tie { name: name.to_owned(), law, on: on.to_vec(), kind });
    }

    /// Prescribes the velocity of a coordinate.
    pub fn prescribe(
        &mut self,
        system: SystemId,
        coordinate: Coordinate,
        velocity: impl Fn(f64) -> Result<f64, super::UserError> + Send + Sync + 'static,
    ) {
        self.prescribed.push((system, coordinate, Box::new(velocity)));
    }

    /// Accepts an initial state that violates constraints, and bodies that appear inside of others.
    pub fn allow_initial_violation(&mut self) {
        self.allow_initial_violation = true;
    }

    /// The model and its initial state at time `t`, or everything that is wrong.
    pub fn build(self, t: f64) -> Result<(Model, State), ModelError> {
        let mut issues = Vec::new();
        for (i, system) in self.systems.iter().enumerate() {
            check_system(i, system, &mut issues);
        }
        self.given.check(&mut issues);
        self.check_references(&mut issues);
        if !issues.is_empty() {
            return Err(ModelError { issues });
        }
        let allow = self.allow_initial_violation;
        let (mut model, state, order) = self.assemble(t, &mut issues);
        model.bodies.may_overlap = allow;
        check_contacts(&model, &order, &mut issues);
        check_start(&model, &state, allow, &order, &mut issues);
        if !allow {
            check_start_velocities(&model, &state, &order, &mut issues);
        }
        if !allow && issues.is_empty() {
            match check_overlaps(&model, &state) {
                Err(error) => issues.push((Place::Bodies, BodyIssue::Motion(error.to_string()).into())),
                Ok(found) => issues.extend(found.map(|found| (Place::Bodies, found.into()))),
            }
        }
        if issues.is_empty() { Ok((model, state)) } else { Err(ModelError { issues }) }
    }

    fn check_references(&self, issues: &mut Vec<(Place, Issue)>) {
        for (i, tie) in self.ties.iter().enumerate() {
            let mut touched: Vec<usize> = tie.on.iter().map(|(system, _)| system.0).collect();
            touched.sort_unstable();
            touched.dedup();
            if touched.len() > 2 {
                issues
                    .push((Place::Constraint(i, "gap"), Issue::TooManySystems { count: touched.len() }));
            }
            for &(system, coordinate) in &tie.on {
                issues
                    .extend(self.missing(system, coordinate).map(|m| (Place::Constraint(i, "gap"), m)));
            }
            if let Kind::Linear { coefficients, offset } = &tie.kind {
                let numbers: Vec<f64> = coefficients.iter().copied().chain([*offset]).collect();
                if let Some(index) = numbers.iter().position(|x| !x.is_finite()) {
                    let issue = Issue::NotFinite { index, value: numbers[index] };
                    issues.push((Place::Constraint(i, "gap"), issue));
                }
            }
            let moved = match &tie.kind {
                Kind::Linear { coefficients, .. } => coefficients.iter().any(|c| *c != 0.0),
                _ => !tie.on.is_empty(),
            };
            if !moved {
                issues.push((Place::Constraint(i, "gap"), Issue::NoCoordinate));
            }
            let form = self.laws[tie.law.0].1;
            let e = form.restitution;
            for restitution in [e, form.tangential_restitution] {
                if !(0.0..=1.0).contains(&restitution) {
                    issues.push((Place::Constraint(i, "law"), Issue::Restitution { restitution }));
                }
            }
            if let Some(fault) = form.set.fault() {
                issues.push((Place::Constraint(i, "law"), Issue::Law(fault)));
            }
            let tangents = tie.kind.n_tangents();
            if form.with_tangents(tangents).is_none() {
                let (law, want) = (self.laws[tie.law.0].0.clone(), form.set.dim() - 1);
                issues.push((Place::Constraint(i, "law"), Issue::Tangents { law, want, tangents }));
            }
            if matches!(tie.kind, Kind::Velocity(_)) && tie.on.iter().any(|(s, _)| s.body().is_some()) {
                issues.push((Place::Constraint(i, "velocity"), Issue::VelocityOfBody));
            }
            if matches!(tie.kind, Kind::Velocity(_)) && e != 0.0 {
                let issue = Issue::RestitutionAtVelocityLevel { restitution: e };
                issues.push((Place::Constraint(i, "law"), issue));
            }
        }
        for (i, (system, coordinate, _)) in self.prescribed.iter().enumerate() {
            issues.extend(self.missing(*system, *coordinate).map(|m| (Place::Prescribed(i), m)));
            if system.body().is_some() {
                issues.push((Place::Prescribed(i), Issue::PrescribedBody));
            }
            if self.prescribed[..i].iter().any(|(s, c, _)| s == system && c == coordinate) {
                issues.push((Place::Prescribed(i), Issue::PrescribedTwice));
            }
        }
    }

    fn missing(&self, system: SystemId, coordinate: Coordinate) -> Option<Issue> {
        let n = match system.body() {
            None => self.systems[system.0].len(),
            Some(body) if body >= self.given.bodies.len() => 0,
            Some(_) if self.given.dimension == Dimension::Plane => 3,
            Some(_) => 7,
        };
        (coordinate >= n).then_some(Issue::NoSuchCoordinate { system: system.0, coordinate, n })
    }

    /// Lays the parts out: linear systems first, constraints by family. `order[key]` is the place in
    /// which a constraint was registered.
    fn assemble(self, t: f64, issues: &mut Vec<(Place, Issue)>) -> (Model, State, Vec<usize>) {
        let mut first = vec![0; self.systems.len()];
        let mut n = 0;
        for linear in [true, false] {
            for (i, given) in self.systems.iter().enumerate() {
                if matches!(given, Given::Linear(_)) == linear {
                    first[i] = n;
                    n += given.len();
                }
            }
        }
        let mut state = State { t, q: vec![0.0; n], v: vec![0.0; n], ..State::default() };
        let mut systems = Vec::new();
        let mut linears = Vec::new();
        let mut user = Vec::new();
        for (i, given) in self.systems.into_iter().enumerate() {
            let range = first[i]..first[i] + given.len();
            let (name, coordinates) = match given {
                Given::Linear(linear) => {
                    state.q[range.clone()].copy_from_slice(&linear.q);
                    state.v[range.clone()].copy_from_slice(&linear.v);
                    let names = (linear.name.clone(), linear.coordinates.clone());
                    linears.push((range.clone(), *linear));
                    names
                }
                Given::User { name, coordinates, dynamics, q, v } => {
                    state.q[range.clone()].copy_from_slice(&q);
                    state.v[range.clone()].copy_from_slice(&v);
                    user.push(UserSystem { range: range.clone(), dynamics });
                    (name, coordinates)
                }
            };
            systems.push(System { name, coordinates, range });
        }
        let linear = merge(linears);
        let mut laws = self.laws;
        let bodies = self.given.assemble(&mut laws, &mut state, issues);
        // For a body: the place of its first coordinate in q.
        let first = |system: SystemId| match system.body() {
            None => first[system.0],
            Some(i) => bodies.q_range(i).start,
        };
        let (mut constraints, order) = lay_out(self.ties, &first, n, &mut laws);
        constraints.always = constraints.laws.iter().map(|&law| laws[law].1.set == Set::Free).collect();
        if !bodies.is_empty() {
            let lift = |(columns, _): &(Vec<u32>, Box<dyn Gap>)| Lift::new(&bodies, columns);
            constraints.lifts = constraints.gaps.iter().map(lift).collect();
        }
        let mut prescribed: Vec<Prescribed> = self
            .prescribed
            .into_iter()
            .map(|(system, i, velocity)| Prescribed { index: first(system) + i, velocity })
            .collect();
        prescribed.sort_by_key(|p| p.index);
        let blocks = Blocks::find(&linear, &user, &constraints);
        let is_linear = user.is_empty()
            && constraints.velocity.is_empty()
            && constraints.gaps.iter().all(|(_, gap)| gap.is_linear())
            && !constraints.lifts.iter().flatten().any(Lift::turns);
        let is_ballistic = user.is_empty()
            && bodies.is_empty()
            && prescribed.is_empty()
            && linear.forces.is_empty()
            && linear.damping.is_none()
            && linear.stiffness.is_none()
            && blocks.single.len() == linear.n;
        let model = Model {
            id: N_MODELS.fetch_add(1, Ordering::Relaxed),
            systems,
            linear,
            user,
            bodies,
            prescribed,
            constraints,
            laws,
            blocks,
            is_linear,
            is_ballistic,
        };
        (model, state, order)
    }
}

/// Puts the matrices of all linear systems on one diagonal.
fn merge(linears: Vec<(std::ops::Range<usize>, Linear)>) -> LinearFamily {
    let n = linears.last().map_or(0, |(range, _)| range.end);
    let mut family = LinearFamily {
        n,
        mass: Sparse::empty(n),
        mass_diagonal: Vec::new(),
        damping: linears.iter().any(|(_, l)| l.damping.is_some()).then(|| Sparse::empty(n)),
        stiffness: linears.iter().any(|(_, l)| l.stiffness.is_some()).then(|| Sparse::empty(n)),
        load: Vec::with_capacity(n),
        forces: Vec::new(),
    };
    for (range, linear) in linears {
        append(&mut family.mass, Some(&linear.mass), &range);
        if let Some(damping) = &mut family.damping {
            append(damping, linear.damping.as_ref(), &range);
        }
        if let Some(stiffness) = &mut family.stiffness {
            append(stiffness, linear.stiffness.as_ref(), &range);
        }
        family.load.extend_from_slice(&linear.load);
        family.forces.extend(linear.force.map(|force| (range, force)));
    }
    if family.mass.is_diagonal() {
        family.mass_diagonal = (0..n).map(|i| family.mass.get(i, i)).collect();
    }
    family
}

fn append(whole: &mut Sparse, part: Option<&Sparse>, range: &std::ops::Range<usize>) {
    for i in 0..range.len() {
        if let Some(part) = part {
            let (columns, values) = part.row(i);
            whole.column.extend(columns.iter().map(|&j| j + range.start as u32));
            whole.value.extend_from_slice(values);
        }
        whole.finish_row();
    }
}

/// Sorts the constraints into families.
fn lay_out(
    ties: Vec<Tie>,
    first: &dyn Fn(SystemId) -> usize,
    n: usize,
    laws: &mut Vec<(String, StepForm)>,
) -> (Constraints, Vec<usize>) {
    let mut constraints = Constraints { jacobian: Sparse::empty(n), ..Constraints::default() };
    let mut order: Vec<usize> = (0..ties.len()).collect();
    let family = |kind: &Kind| match kind {
        Kind::Linear { .. } => 0,
        Kind::Gap(_) => 1,
        Kind::Velocity(_) => 2,
    };
    order.sort_by_key(|&i| family(&ties[i].kind));
    let mut ties: Vec<Option<Tie>> = ties.into_iter().map(Some).collect();
    for &i in &order {
        let Tie { name, law, on, kind } = ties[i].take().expect("each constraint is laid out once");
        constraints.names.push(name);
        constraints.laws.push(fitted(law.0, kind.n_tangents(), laws));
        let columns: Vec<u32> = on.iter().map(|(system, c)| (first(*system) + c) as u32).collect();
        match kind {
            Kind::Linear { coefficients, offset } => {
                let mut entries: Vec<(u32, f64)> = columns.into_iter().zip(coefficients).collect();
                entries.sort_by_key(|&(j, _)| j);
                for (j, c) in entries {
                    constraints.jacobian.column.push(j);
                    constraints.jacobian.value.push(c);
                }
                constraints.jacobian.finish_row();
                constraints.offset.push(offset);
            }
            Kind::Gap(gap) => constraints.gaps.push((columns, gap)),
            Kind::Velocity(constraint) => constraints.velocity.push((columns, constraint)),
        }
    }
    (constraints, order)
}

/// The law for a constraint with this many tangents: the law itself, or its planar form, appended once.
pub(super) fn fitted(law: usize, n_tangents: usize, laws: &mut Vec<(String, StepForm)>) -> usize {
    let (name, form) = laws[law].clone();
    let form = form.with_tangents(n_tangents).expect("checked with the references");
    if form == laws[law].1 {
        return law;
    }
    let known = laws.iter().position(|(other, known)| *other == name && *known == form);
    known.unwrap_or_else(|| {
        laws.push((name, form));
        laws.len() - 1
    })
}

fn check_system(i: usize, given: &Given, issues: &mut Vec<(Place, Issue)>) {
    let n = given.len();
    if n == 0 {
        let (want, got) = ("at least one coordinate".to_owned(), "none".to_owned());
        issues.push((Place::System(i, "coordinates"), Issue::Size { want, got }));
        return;
    }
    let mut vector = |field: &'static str, x: &[f64]| {
        if x.len() != n {
            let (want, got) = (format!("{n} entries"), x.len().to_string());
            issues.push((Place::System(i, field), Issue::Size { want, got }));
        } else if let Some(index) = x.iter().position(|x| !x.is_finite()) {
            issues.push((Place::System(i, field), Issue::NotFinite { index, value: x[index] }));
        }
    };
    match given {
        Given::User { q, v, .. } => {
            vector("q", q);
            vector("v", v);
        }
        Given::Linear(linear) => {
            vector("q", &linear.q);
            vector("v", &linear.v);
            vector("load", &linear.load);
            check_matrices(i, linear, n, issues);
        }
    }
}
