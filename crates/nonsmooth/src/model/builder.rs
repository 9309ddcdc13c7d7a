//! Building a model: register systems, laws and constraints, then have everything checked at once.

use super::blocks::{Blocks, CONTACT_LIMIT};
use super::{
    Block, Constraints, Coordinate, Gap, Issue, Lagrangian, Linear, LinearFamily, Model, ModelError,
    Place, Prescribed, State, System, SystemId, UserSystem, VelocityConstraint, gather,
};
use crate::laws::{Law, StepForm};
use nonsmooth_solvers::{Set, Sparse, is_positive_definite};
use std::sync::atomic::{AtomicU64, Ordering};

/// Models built so far by this process; gives each its number.
static N_MODELS: AtomicU64 = AtomicU64::new(1);

/// Names a law of a model under construction.
#[derive(Clone, Copy, Debug)]
pub struct LawId(usize);

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

    /// Accepts an initial state that violates constraints.
    pub fn allow_initial_violation(&mut self) {
        self.allow_initial_violation = true;
    }

    /// The model and its initial state at time `t`, or everything that is wrong.
    pub fn build(self, t: f64) -> Result<(Model, State), ModelError> {
        let mut issues = Vec::new();
        for (i, system) in self.systems.iter().enumerate() {
            check_system(i, system, &mut issues);
        }
        self.check_references(&mut issues);
        if !issues.is_empty() {
            return Err(ModelError { issues });
        }
        let allow = self.allow_initial_violation;
        let (model, state, order) = self.assemble(t);
        check_contacts(&model, &order, &mut issues);
        check_start(&model, &state, allow, &order, &mut issues);
        if !allow {
            check_start_velocities(&model, &state, &order, &mut issues);
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
            let e = self.laws[tie.law.0].1.restitution;
            if !(0.0..=1.0).contains(&e) {
                issues.push((Place::Constraint(i, "law"), Issue::Restitution { restitution: e }));
            }
            if matches!(tie.kind, Kind::Velocity(_)) && e != 0.0 {
                let issue = Issue::RestitutionAtVelocityLevel { restitution: e };
                issues.push((Place::Constraint(i, "law"), issue));
            }
        }
        for (i, (system, coordinate, _)) in self.prescribed.iter().enumerate() {
            issues.extend(self.missing(*system, *coordinate).map(|m| (Place::Prescribed(i), m)));
            if self.prescribed[..i].iter().any(|(s, c, _)| s == system && c == coordinate) {
                issues.push((Place::Prescribed(i), Issue::PrescribedTwice));
            }
        }
    }

    fn missing(&self, system: SystemId, coordinate: Coordinate) -> Option<Issue> {
        let n = self.systems[system.0].len();
        (coordinate >= n).then_some(Issue::NoSuchCoordinate { system: system.0, coordinate, n })
    }

    /// Lays the parts out: linear systems first, constraints by family. `order[key]` is the place in
    /// which a constraint was registered.
    fn assemble(self, t: f64) -> (Model, State, Vec<usize>) {
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
        let (mut constraints, order) = lay_out(self.ties, &first, n);
        constraints.always =
            constraints.laws.iter().map(|&law| self.laws[law].1.set == Set::Free).collect();
        let mut prescribed: Vec<Prescribed> = self
            .prescribed
            .into_iter()
            .map(|(system, i, velocity)| Prescribed { index: first[system.0] + i, velocity })
            .collect();
        prescribed.sort_by_key(|p| p.index);
        let blocks = Blocks::find(&linear, &user, &constraints);
        let is_linear = user.is_empty()
            && constraints.velocity.is_empty()
            && constraints.gaps.iter().all(|(_, gap)| gap.is_linear());
        let is_ballistic = user.is_empty()
            && prescribed.is_empty()
            && linear.forces.is_empty()
            && linear.damping.is_none()
            && linear.stiffness.is_none()
            && blocks.single.len() == linear.n;
        let laws = self.laws;
        let model = Model {
            id: N_MODELS.fetch_add(1, Ordering::Relaxed),
            systems,
            linear,
            user,
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
fn lay_out(ties: Vec<Tie>, first: &[usize], n: usize) -> (Constraints, Vec<usize>) {
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
        constraints.laws.push(law.0);
        let columns: Vec<u32> = on.iter().map(|(system, c)| (first[system.0] + c) as u32).collect();
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

fn check_matrices(i: usize, linear: &Linear, n: usize, issues: &mut Vec<(Place, Issue)>) {
    let matrices = [
        ("mass", Some(&linear.mass)),
        ("damping", linear.damping.as_ref()),
        ("stiffness", linear.stiffness.as_ref()),
    ];
    for (field, matrix) in matrices {
        let Some(matrix) = matrix else { continue };
        let place = Place::System(i, field);
        if matrix.n_rows() != n || matrix.n_columns != n {
            let got = format!("{} × {}", matrix.n_rows(), matrix.n_columns);
            issues.push((place, Issue::Size { want: format!("{n} × {n} entries"), got }));
        } else if let Some(index) = matrix.value.iter().position(|x| !x.is_finite()) {
            issues.push((place, Issue::NotFinite { index, value: matrix.value[index] }));
        } else if field == "mass" && !matrix.is_symmetric(1e-12) {
            issues.push((place, Issue::NotSymmetric { remedy: "a mass matrix always is" }));
        } else if field == "stiffness" && !matrix.is_symmetric(1e-12) {
            let remedy = "for forces without potential use a Lagrangian system";
            issues.push((place, Issue::NotSymmetric { remedy }));
        } else if field == "mass" && !is_positive_definite(matrix) {
            let bad = (0..n).find(|&k| matrix.get(k, k) <= 0.0);
            let reason = bad.map_or("a combination of coordinates has no mass".to_owned(), |k| {
                format!("entry ({k}, {k}) is {}", matrix.get(k, k))
            });
            issues.push((place, Issue::NotPositive { reason }));
        }
    }
}

fn check_contacts(model: &Model, order: &[usize], issues: &mut Vec<(Place, Issue)>) {
    for (block, places) in model.blocks.contacts.iter().enumerate() {
        if places.len() <= CONTACT_LIMIT {
            continue;
        }
        let touches =
            |j: &u32| matches!(model.blocks.of[*j as usize], Block::Sparse(b, _) if b as usize == block);
        let first = (0..model.constraints.n_linear())
            .find(|&i| model.constraints.jacobian.row(i).0.iter().any(touches))
            .unwrap_or(model.constraints.n_linear());
        let issue = Issue::TooManyContacts { count: places.len(), limit: CONTACT_LIMIT };
        issues.push((Place::Constraint(order[first.min(order.len() - 1)], "gap"), issue));
    }
}

/// Mass matrices and gaps at the start.
fn check_start(
    model: &Model,
    state: &State,
    allow_violation: bool,
    order: &[usize],
    issues: &mut Vec<(Place, Issue)>,
) {
    for user in &model.user {
        let number = model.systems.iter().position(|s| s.range == user.range).expect("listed");
        let n = user.range.len();
        let mut mass = vec![0.0; n * n];
        let place = Place::System(number, "mass");
        match user.dynamics.mass(&state.q[user.range.clone()], &mut mass) {
            Err(error) => issues.push((place, Issue::User(error.to_string()))),
            Ok(()) => {
                let rows: Vec<Vec<f64>> = mass.chunks(n).map(<[f64]>::to_vec).collect();
                let matrix = Sparse::from_rows(&rows);
                if mass.iter().any(|x| !x.is_finite()) || !is_positive_definite(&matrix) {
                    let reason = format!("at the initial state it is {rows:?}");
                    issues.push((place, Issue::NotPositive { reason }));
                } else if !matrix.is_symmetric(1e-12) {
                    issues.push((place, Issue::NotSymmetric { remedy: "a mass matrix always is" }));
                }
            }
        }
    }
    for key in 0..model.constraints.n_gaps() {
        let (gap, rounding) = match gap_at_start(model, state, key) {
            Ok(found) => found,
            Err(error) => {
                issues.push((Place::Constraint(order[key], "gap"), Issue::User(error.to_string())));
                continue;
            }
        };
        let set = model.laws[model.constraints.laws[key]].1.set;
        let violated = match set {
            Set::Nonnegative => !(gap >= -rounding),
            Set::Free => !(gap.abs() <= rounding),
        };
        if violated && !allow_violation {
            let name = model.constraints.names[key].clone();
            issues.push((Place::Constraint(order[key], "gap"), Issue::InitialGap { name, gap }));
        }
    }
}

/// Velocity-level constraints at the start; 1e-9 of the speeds involved may be rounding.
fn check_start_velocities(
    model: &Model,
    state: &State,
    order: &[usize],
    issues: &mut Vec<(Place, Issue)>,
) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (i, (columns, constraint)) in model.constraints.velocity.iter().enumerate() {
        let key = model.constraints.n_gaps() + i;
        gather(columns, &state.q, &mut q);
        gather(columns, &state.v, &mut v);
        let place = Place::Constraint(order[key], "velocity");
        match constraint.value(state.t, &q, &v) {
            Err(error) => issues.push((place, Issue::User(error.to_string()))),
            Ok(u) => {
                let rounding = 1e-9 * v.iter().map(|v| v.abs()).sum::<f64>();
                let is_joint = model.constraints.always[key];
                if !(if is_joint { u.abs() } else { -u } <= rounding) {
                    let name = model.constraints.names[key].clone();
                    issues.push((place, Issue::InitialVelocity { name, u }));
                }
            }
        }
    }
}

/// The gap of a constraint at the start, and how much of it may be rounding: 1e-12 of the size of
/// its terms.
fn gap_at_start(model: &Model, state: &State, key: usize) -> Result<(f64, f64), super::UserError> {
    let constraints = &model.constraints;
    if key < constraints.n_linear() {
        let (columns, values) = constraints.jacobian.row(key);
        let terms = columns.iter().zip(values).map(|(&j, h)| h * state.q[j as usize]);
        let offset = constraints.offset[key];
        let size = terms.clone().map(f64::abs).sum::<f64>() + offset.abs();
        return Ok((terms.sum::<f64>() + offset, 1e-12 * size));
    }
    let (columns, gap) = &constraints.gaps[key - constraints.n_linear()];
    let mut q = Vec::new();
    gather(columns, &state.q, &mut q);
    let mut slope = vec![0.0; q.len()];
    gap.jacobian(state.t, &q, &mut slope)?;
    let size: f64 = slope.iter().zip(&q).map(|(s, q)| (s * q).abs()).sum();
    Ok((gap.gap(state.t, &q)?, 1e-12 * (1.0 + size)))
}
