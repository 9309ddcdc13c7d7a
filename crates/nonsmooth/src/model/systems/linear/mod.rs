//! All linear systems of a model as one sparse operator.
//!
//! ```text
//! M v̇ + C v + K q = load + F_ext(t) + r,     q̇ = v           V = ½ qᵀKq − load·q
//! ```
//!
//! `load` is the conservative part of the forces, kept apart so that its energy is counted as potential energy. C may be unsymmetric.
//! The family is the first of a model: its places in q and v begin at 0 and are the same. [Acary06, eq. (1)]

mod angles;
mod factors;
mod form;
mod given;
mod groups;
mod motion;
mod works;

pub use angles::Angles;
pub use given::{Linear, TimeForce};
pub use groups::DENSE_LIMIT;

use super::prescribed::{Prescribed, dot};
use super::{Coeffs, KickDriftMotion, Layout, SmoothMotion, SystemFamily, ThetaMotion};
use crate::energy::Energies;
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::{Model, SparseRow};
use crate::part::{Part, Selection};
use form::form;
use groups::Groups;
use nonsmooth_solvers::{MassGroups, Sparse};
use std::ops::Range;

/// Name and coordinates of one system, and its places in q and v.
struct Named {
    name: String,
    coordinates: Vec<String>,
    range: Range<usize>,
    angles: Option<Angles>,
}

/// The linear systems of a model.
pub struct LinearSystems {
    layout: Layout,
    systems: Vec<Named>,
    mass: Sparse,
    /// The diagonal of M if M is diagonal, else empty.
    mass_diagonal: Vec<f64>,
    damping: Option<Sparse>,
    stiffness: Option<Sparse>,
    load: Vec<f64>,
    forces: Vec<(Range<usize>, TimeForce)>,
    prescribed: Vec<Prescribed>,
    fixed: Vec<bool>,
    groups: Groups,
    is_symmetric: bool,
}

impl LinearSystems {
    /// Puts the matrices of all systems on one diagonal. `named` are the velocities that constraints name.
    pub(crate) fn new(
        systems: Vec<(Range<usize>, Linear)>,
        prescribed: Vec<Prescribed>,
        named: &[u32],
        first_member: usize,
    ) -> Self {
        let n = systems.last().map_or(0, |(range, _)| range.end);
        let mut family = Self {
            layout: Layout { q: 0..n, v: 0..n, is_linear: true, ..Layout::default() },
            systems: Vec::new(),
            mass: Sparse::empty(n),
            mass_diagonal: Vec::new(),
            damping: systems.iter().any(|(_, l)| l.damping.is_some()).then(|| Sparse::empty(n)),
            stiffness: systems.iter().any(|(_, l)| l.stiffness.is_some()).then(|| Sparse::empty(n)),
            load: Vec::with_capacity(n),
            forces: Vec::new(),
            fixed: vec![false; n],
            groups: Groups::default(),
            is_symmetric: true,
            prescribed,
        };
        for (range, linear) in systems {
            append(&mut family.mass, Some(&linear.mass), &range);
            if let Some(damping) = &mut family.damping {
                append(damping, linear.damping.as_ref(), &range);
            }
            if let Some(stiffness) = &mut family.stiffness {
                append(stiffness, linear.stiffness.as_ref(), &range);
            }
            family.load.extend_from_slice(&linear.load);
            family.forces.extend(linear.force.map(|force| (range.clone(), force)));
            let Linear { name, coordinates, angles, .. } = linear;
            family.systems.push(Named { name, coordinates, range, angles });
        }
        if family.mass.is_diagonal() {
            family.mass_diagonal = (0..n).map(|i| family.mass.get(i, i)).collect();
        }
        family.prescribed.iter().for_each(|p| family.fixed[p.index] = true);
        let matrices = [Some(&family.mass), family.damping.as_ref(), family.stiffness.as_ref()];
        family.groups = Groups::find(n, matrices, named);
        family.is_symmetric = family.damping.as_ref().is_none_or(|c| c.is_symmetric(0.0));
        family.layout.members = first_member..first_member + family.groups.len();
        family.layout.keeps_energy = family.prescribed.is_empty() && family.damping.is_none();
        family.layout.sees_velocities = family.damping.is_some();
        family.layout.is_meshed = family.stiffness.is_some() && !family.groups.sparse.is_empty();
        family.layout.is_ballistic = family.layout.keeps_energy
            && family.forces.is_empty()
            && family.stiffness.is_none()
            && family.mass_diagonal.len() == n
            && family.groups.single.len() == n;
        family
    }

    /// Number of mass groups.
    pub(crate) fn n_groups(&self) -> usize {
        self.groups.len()
    }

    /// Number of dense mass groups.
    pub(crate) fn n_dense(&self) -> usize {
        self.groups.dense.len()
    }

    /// Number of velocities.
    #[inline]
    fn n(&self) -> usize {
        self.load.len()
    }

    /// xᵀ M x.
    #[inline]
    fn mass_form(&self, x: &[f64]) -> f64 {
        if self.mass_diagonal.len() == x.len() {
            return self.mass_diagonal.iter().zip(x).map(|(m, x)| m * x * x).sum();
        }
        self.mass.form(x, x)
    }

    /// The velocities of the chosen members.
    fn chosen<'a>(&'a self, part: &Part<'a>) -> impl Iterator<Item = usize> + 'a {
        let first = self.layout.members.start;
        let members = part.members.within(self.layout.members.clone());
        members.flat_map(move |k| self.groups.velocities(k - first)).map(|&i| i as usize)
    }

    /// Kinetic energy and that of loads where M is diagonal.
    #[inline(always)]
    fn energies_of_diagonal(&self, q: &[f64], v: &[f64]) -> Energies {
        let n = q.len();
        let (v, mass, load) = (&v[..n], &self.mass_diagonal[..n], &self.load[..n]);
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for i in 0..n {
            kinetic += mass[i] * v[i] * v[i];
            potential -= load[i] * q[i];
        }
        Energies { kinetic: 0.5 * kinetic, potential }
    }

    /// Kinetic and potential energy where M is no diagonal matrix or there is K.
    #[inline(never)]
    fn add_energies_of_matrices(&self, q: &[f64], v: &[f64], total: &mut Energies) -> StepResult {
        let mut energies = if self.mass_diagonal.len() == q.len() {
            self.energies_of_diagonal(q, v)
        } else {
            Energies { kinetic: 0.5 * form(&self.mass, v), potential: -dot(q, &self.load) }
        };
        if let Some(stiffness) = &self.stiffness {
            energies.potential += 0.5 * form(stiffness, q);
        }
        *total += energies;
        Ok(())
    }
}

fn append(whole: &mut Sparse, part: Option<&Sparse>, range: &Range<usize>) {
    for i in 0..range.len() {
        if let Some(part) = part {
            let (columns, values) = part.row(i);
            whole.column.extend(columns.iter().map(|&j| j + range.start as u32));
            whole.value.extend_from_slice(values);
        }
        whole.finish_row();
    }
}

impl SystemFamily for LinearSystems {
    fn name(&self) -> &'static str {
        "linear systems"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn velocity_name(&self, _model: &Model, i: usize) -> (String, String) {
        let system = self.systems.iter().find(|system| system.range.contains(&i));
        let system = system.expect("every coordinate belongs to a system");
        (system.name.clone(), system.coordinates[i - system.range.start].clone())
    }

    fn has_angles(&self) -> bool {
        self.systems.iter().any(|system| system.angles.is_some())
    }

    fn largest_angle(&self, q: &[f64]) -> Option<(f64, &str)> {
        let of = |system: &Named| Some(system.angles.as_ref()?.largest(&q[system.range.clone()]));
        let angles = self.systems.iter().filter_map(|system| Some((of(system)?, system.name.as_str())));
        angles.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn member_of(&self, i: usize) -> usize {
        self.layout.members.start + self.groups.owner(i)
    }

    fn push_groups(&self, _model: &Model, mass: &mut MassGroups) {
        self.groups.push(mass);
    }

    #[inline]
    fn retract(&self, part: &Part<'_>, q: &[f64], step: &[f64], q_next: &mut [f64]) {
        if let Selection::List(_) = part.members {
            self.chosen(part).for_each(|i| q_next[i] = q[i] + step[i]);
            return;
        }
        let n = self.n();
        let (q, step, q_next) = (&q[..n], &step[..n], &mut q_next[..n]);
        for i in 0..n {
            q_next[i] = q[i] + step[i];
        }
    }

    fn pull_back(&self, coordinate: usize, _q: &[f64], slope: f64, row: &mut SparseRow) {
        row.add(coordinate, slope);
    }

    #[inline]
    fn factorize(
        &self,
        model: &Model,
        _part: &Part<'_>,
        _at: &Pass<'_>,
        coeffs: Coeffs,
        mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        if mass_known {
            return Ok(());
        }
        if !self.is_symmetric && coeffs.damping != 0.0 {
            mass.set_symmetric(false);
        }
        self.factor(model, coeffs, mass)
    }

    fn times(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        [m, c, k]: [f64; 3],
        x: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        let n = self.n();
        let parts = [(m, Some(&self.mass)), (c, self.damping.as_ref()), (k, self.stiffness.as_ref())];
        for (weight, matrix) in parts {
            if let Some(matrix) = matrix.filter(|_| weight != 0.0) {
                matrix.multiply_add(weight, x, &mut out[..n]);
            }
        }
        Ok(())
    }

    #[inline]
    fn energies(&self, _model: &Model, at: &Instant<'_>, total: &mut Energies) -> StepResult {
        let n = self.n();
        let (q, v) = (&at.q[..n], &at.v[..n]);
        if self.mass_diagonal.len() != n || self.stiffness.is_some() {
            return self.add_energies_of_matrices(q, v, total);
        }
        *total += self.energies_of_diagonal(q, v);
        Ok(())
    }

    fn loads(&self) -> &[f64] {
        &self.load
    }

    fn masses(&self) -> &[f64] {
        &self.mass_diagonal
    }

    fn prescribed(&self) -> &[Prescribed] {
        &self.prescribed
    }

    fn spoils_energy(&self, model: &Model) -> Option<(&'static str, String)> {
        let name = |i: usize| self.velocity_name(model, i).0;
        if let Some(damping) = &self.damping {
            let is_damped = |i: &usize| damping.row(*i).1.iter().any(|c| *c != 0.0);
            if let Some(i) = (0..self.n()).find(is_damped) {
                return Some(("damping of system", name(i)));
            }
        }
        if let Some((range, _)) = self.forces.first() {
            return Some(("force in time on system", name(range.start)));
        }
        self.first_prescribed().map(|i| ("prescribed motion of system", name(i)))
    }

    fn is_damped(&self) -> bool {
        self.damping.is_some()
    }

    fn theta(&self) -> Option<&dyn ThetaMotion> {
        Some(self)
    }

    fn kick_drift(&self) -> Option<&dyn KickDriftMotion> {
        Some(self)
    }

    fn smooth(&self) -> Option<&dyn SmoothMotion> {
        Some(self)
    }
}
