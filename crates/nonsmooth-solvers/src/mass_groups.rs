//! M̂⁻¹ by groups that do not feel each other: numbers, small blocks, rigid bodies, sparse factors.
//!
//! ```text
//! M̂ = diag(M̂_1, M̂_2, …),     x ← M̂⁻¹ x group by group
//! ```
//!
//! A body has six velocities, v and ω in world axes, or three in the plane (v_x, v_y, ω_z); its group is 1/m and I⁻¹. The
//! bodies of the layout are the groups 0, 1, …; the others follow in the order in which they were pushed. A group is named
//! once per model; its numbers change as often as they must, and `mark_changed` tells those who keep something of them.

use crate::factor::Factor;
use crate::stamp::next_stamp;
use crate::vector::{Vector, add6, dot, six};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Stands for a body where nothing moves.
pub const IMMOVABLE: u32 = u32::MAX;

/// Where the velocities of rigid bodies stand in the vector v of all velocities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityLayout {
    /// Number of all velocities.
    pub n: usize,
    /// Every rigid body.
    pub bodies: Vec<BodyVelocities>,
}

/// The velocities of one body: v and ω in world axes, or v_x, v_y, ω_z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyVelocities {
    /// The first of them.
    pub first: u32,
    /// Three velocities in place of six.
    pub planar: bool,
}

impl BodyVelocities {
    /// Which of (v, ω) each of its velocities is.
    #[inline]
    pub(crate) fn components(self) -> &'static [usize] {
        if self.planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] }
    }

    /// v and ω out of all velocities.
    #[inline]
    pub(crate) fn read(self, v: &[f64]) -> [f64; 6] {
        let at = self.first as usize;
        if self.planar {
            return [v[at], v[at + 1], 0.0, 0.0, 0.0, v[at + 2]];
        }
        *six(v, at)
    }

    /// Adds v and ω to all velocities.
    #[inline]
    pub(crate) fn add(self, x: &[f64; 6], v: &mut [f64]) {
        let own = &mut v[self.first as usize..];
        match own.first_chunk_mut() {
            Some(own) if !self.planar => add6(own, 1.0, x),
            _ => own.iter_mut().zip(self.components()).for_each(|(v, &k)| *v += x[k]),
        }
    }
}

/// A body's inverse inertia in world axes; zeros: nothing moves it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Inverse mass [1/kg].
    pub inv_mass: f64,
    /// Inverse inertia about the centre of mass: xx, yy, zz, xy, xz, yz [1/(kg m²)].
    pub inv_inertia: [f64; 6],
}

impl Inertia {
    /// I⁻¹ x.
    #[inline(always)]
    pub(crate) fn rotate(&self, x: Vector) -> Vector {
        let [xx, yy, zz, xy, xz, yz] = self.inv_inertia;
        [dot([xx, xy, xz], x), dot([xy, yy, yz], x), dot([xz, yz, zz], x)]
    }

    /// M⁻¹ of a force and a moment.
    #[inline(always)]
    pub(crate) fn respond(&self, x: &[f64; 6]) -> [f64; 6] {
        let [a, b, c] = self.rotate([x[3], x[4], x[5]]);
        [self.inv_mass * x[0], self.inv_mass * x[1], self.inv_mass * x[2], a, b, c]
    }

    /// Whether no impulse moves it.
    pub(crate) fn is_fixed(&self) -> bool {
        self.inv_mass == 0.0 && self.inv_inertia == [0.0; 6]
    }
}

/// A group of velocities that is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Scalar(u32),
    Dense(u32),
    Factored(u32),
}

/// An inverse, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub(crate) velocities: Vec<u32>,
    pub(crate) inverse: Vec<f64>,
}

/// A group with a sparse factor.
#[derive(Clone)]
pub(crate) struct FactoredGroup {
    velocities: Vec<u32>,
    /// Velocities that rows may name.
    pub(crate) interface: Vec<u32>,
    /// Their places in the group.
    at: Arc<[u32]>,
    inverse: Arc<FactoredInverse>,
}

/// A factor and what follows from it.
#[derive(Default)]
struct FactoredInverse {
    factor: Option<Factor>,
    fixed: Vec<bool>,
    /// By place: the column of M̂⁻¹ at the interface velocities, derived on first use.
    columns: Vec<OnceLock<Vec<f64>>>,
    scratch: Mutex<Vec<f64>>,
}

impl FactoredInverse {
    /// x ← M̂⁻¹ x, x by place in the group; what is fixed stays at rest.
    fn solve(&self, x: &mut [f64]) {
        let Some(factor) = &self.factor else { return x.fill(0.0) };
        self.hold(x);
        factor.solve(x);
        self.hold(x);
    }

    fn hold(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.fixed).filter(|(_, fixed)| **fixed).for_each(|(x, _)| *x = 0.0);
    }
}

impl FactoredGroup {
    /// Whether the velocity at this place is held.
    fn is_fixed(&self, place: usize) -> bool {
        self.inverse.factor.is_none() || self.inverse.fixed.get(place).is_some_and(|fixed| *fixed)
    }

    /// The velocities of the interface that an impulse at this place gives.
    pub(crate) fn column(&self, place: usize) -> &[f64] {
        let Some(column) = self.inverse.columns.get(place) else { return &[] };
        column.get_or_init(|| {
            let mut x = vec![0.0; self.velocities.len()];
            x[place] = 1.0;
            self.inverse.solve(&mut x);
            self.at.iter().map(|&place| x[place as usize]).collect()
        })
    }
}

/// M̂⁻¹ by independent groups.
pub struct MassGroups {
    layout: Arc<VelocityLayout>,
    bodies: Vec<Inertia>,
    groups: Vec<Group>,
    scalars: Vec<f64>,
    scalar_at: Vec<u32>,
    dense: Vec<Dense>,
    factored: Vec<FactoredGroup>,
    /// Group of each velocity, and its place there; `u32::MAX` where it has none.
    owner: Vec<(u32, u32)>,
    symmetric: bool,
    stamp: u64,
}

impl Default for MassGroups {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl std::fmt::Debug for MassGroups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { bodies, scalars, dense, factored, stamp, .. } = self;
        let (n_dense, n_factored) = (dense.len(), factored.len());
        write!(f, "MassGroups {{ bodies: {bodies:?}, scalars: {scalars:?}, ")?;
        write!(f, "dense: {n_dense}, factored: {n_factored}, stamp: {stamp} }}")
    }
}

impl MassGroups {
    /// The bodies of the layout, which nothing moves until their inertia is set.
    pub fn new(layout: Arc<VelocityLayout>) -> Self {
        let mut owner = vec![(u32::MAX, 0); layout.n];
        for (body, velocities) in layout.bodies.iter().enumerate() {
            for place in 0..velocities.components().len() {
                owner[velocities.first as usize + place] = (body as u32, place as u32);
            }
        }
        Self {
            bodies: vec![Inertia::default(); layout.bodies.len()],
            layout,
            groups: Vec::new(),
            scalars: Vec::new(),
            scalar_at: Vec::new(),
            dense: Vec::new(),
            factored: Vec::new(),
            owner,
            symmetric: true,
            stamp: next_stamp(),
        }
    }

    /// Appends a velocity that is a group by itself, at rest until its number is set.
    pub fn push_scalar(&mut self, velocity: u32) {
        self.own(&[velocity]);
        self.groups.push(Group::Scalar(self.scalars.len() as u32));
        self.scalars.push(0.0);
        self.scalar_at.push(velocity);
    }

    /// Appends a group with a dense inverse, zero until it is set.
    pub fn push_dense(&mut self, velocities: &[u32]) {
        self.own(velocities);
        self.groups.push(Group::Dense(self.dense.len() as u32));
        let inverse = vec![0.0; velocities.len() * velocities.len()];
        self.dense.push(Dense { velocities: velocities.to_vec(), inverse });
    }

    /// Appends a group with a sparse factor, at rest until it is set; rows name none of its velocities but `interface`.
    pub fn push_factored(&mut self, velocities: &[u32], interface: &[u32]) {
        self.own(velocities);
        self.groups.push(Group::Factored(self.factored.len() as u32));
        let at = interface.iter().map(|&j| self.owner[j as usize].1).collect();
        let (velocities, interface) = (velocities.to_vec(), interface.to_vec());
        self.factored.push(FactoredGroup { velocities, interface, at, inverse: Arc::default() });
    }

    fn own(&mut self, velocities: &[u32]) {
        let group = self.n_groups() as u32;
        for (place, &velocity) in velocities.iter().enumerate() {
            let owner = &mut self.owner[velocity as usize];
            assert_eq!(owner.0, u32::MAX, "velocity {velocity} belongs to one group");
            *owner = (group, place as u32);
        }
    }

    /// The numbers of the scalar groups, in the order of their pushes: inverse masses, 0 for a prescribed velocity.
    pub fn scalars_mut(&mut self) -> &mut [f64] {
        &mut self.scalars
    }

    /// The numbers of the scalar groups, in the order of their pushes.
    #[inline]
    pub fn scalars(&self) -> &[f64] {
        &self.scalars
    }

    /// The inverse inertia of each body of the layout.
    pub fn bodies_mut(&mut self) -> &mut [Inertia] {
        &mut self.bodies
    }

    /// The inverse of a dense group, by rows; zero rows and columns for prescribed velocities.
    pub fn dense_mut(&mut self, number: usize) -> &mut [f64] {
        &mut self.dense[number].inverse
    }

    /// The factor of a factored group; `fixed` tells, by place in the group, which velocities are prescribed.
    pub fn set_factor(&mut self, number: usize, factor: Factor, fixed: Vec<bool>) {
        let columns = self.factored[number].velocities.iter().map(|_| OnceLock::new()).collect();
        let inverse =
            FactoredInverse { factor: Some(factor), fixed, columns, scratch: Mutex::default() };
        self.factored[number].inverse = Arc::new(inverse);
    }

    /// Takes a factor out, to be filled anew; none where there is none yet.
    pub fn take_factor(&mut self, number: usize) -> Option<Factor> {
        let inverse = std::mem::take(&mut self.factored[number].inverse);
        Arc::into_inner(inverse).and_then(|inverse| inverse.factor)
    }

    /// Says whether M̂⁻¹ is symmetric.
    pub fn set_symmetric(&mut self, symmetric: bool) {
        self.symmetric = symmetric;
    }

    /// Whether M̂⁻¹ is symmetric.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Must follow every change of numbers: gives a new stamp.
    pub fn mark_changed(&mut self) {
        self.stamp = next_stamp();
    }

    /// Names the numbers: unique in the process.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Where the velocities of bodies stand.
    pub fn layout(&self) -> &Arc<VelocityLayout> {
        &self.layout
    }

    /// Bodies and all other groups.
    pub fn n_groups(&self) -> usize {
        self.bodies.len() + self.groups.len()
    }

    /// The group of a velocity, and its place there.
    #[inline]
    pub(crate) fn owner(&self, velocity: u32) -> Option<(usize, usize)> {
        let (group, place) = self.owner[velocity as usize];
        (group != u32::MAX).then_some((group as usize, place as usize))
    }

    #[inline]
    pub(crate) fn bodies(&self) -> &[Inertia] {
        &self.bodies
    }

    /// The groups that are no bodies.
    pub(crate) fn others(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn scalar(&self, number: u32) -> f64 {
        self.scalars[number as usize]
    }

    pub(crate) fn scalar_velocity(&self, number: u32) -> u32 {
        self.scalar_at[number as usize]
    }

    /// Whether a velocity belongs to a group with a sparse factor.
    pub(crate) fn is_factored(&self, velocity: u32) -> bool {
        let group = self.owner(velocity).and_then(|(group, _)| group.checked_sub(self.bodies.len()));
        group.is_some_and(|group| matches!(self.groups[group], Group::Factored(_)))
    }

    pub(crate) fn dense(&self, number: u32) -> &Dense {
        &self.dense[number as usize]
    }

    pub(crate) fn factored(&self, number: u32) -> &FactoredGroup {
        &self.factored[number as usize]
    }

    /// Whether an impulse on this velocity moves anything.
    pub(crate) fn moves(&self, velocity: u32) -> bool {
        let Some((group, place)) = self.owner(velocity) else { return false };
        if let Some(inertia) = self.bodies.get(group) {
            return !inertia.is_fixed();
        }
        match self.groups[group - self.bodies.len()] {
            Group::Scalar(number) => self.scalars[number as usize] != 0.0,
            Group::Dense(number) => {
                let Dense { velocities, inverse } = self.dense(number);
                let n = velocities.len();
                (0..n).any(|i| inverse[i * n + place] != 0.0)
            }
            Group::Factored(number) => !self.factored(number).is_fixed(place),
        }
    }

    /// x ← M̂⁻¹ x over all velocities.
    pub fn solve(&self, x: &mut [f64], scratch: &mut Vec<f64>) {
        for (velocities, inertia) in self.layout.bodies.iter().zip(&self.bodies) {
            let responded = inertia.respond(&velocities.read(x));
            let own = &mut x[velocities.first as usize..];
            own.iter_mut().zip(velocities.components()).for_each(|(x, &k)| *x = responded[k]);
        }
        self.scalar_at.iter().zip(&self.scalars).for_each(|(&j, inverse)| x[j as usize] *= inverse);
        for Dense { velocities, inverse } in &self.dense {
            gather(velocities, x, scratch);
            for (&j, row) in velocities.iter().zip(inverse.chunks_exact(velocities.len())) {
                x[j as usize] = row.iter().zip(&*scratch).map(|(a, x)| a * x).sum();
            }
        }
        for group in &self.factored {
            gather(&group.velocities, x, scratch);
            group.inverse.solve(scratch);
            group.velocities.iter().zip(&*scratch).for_each(|(&j, y)| x[j as usize] = *y);
        }
    }

    /// v ← v + h M̂⁻¹ e_j, but for velocities of factored groups.
    #[inline(always)]
    pub(crate) fn push_unit(&self, velocity: u32, h: f64, v: &mut [f64]) {
        let Some((group, place)) = self.owner(velocity) else { return };
        let number = group.wrapping_sub(self.bodies.len());
        match self.groups.get(number) {
            Some(Group::Scalar(number)) => v[velocity as usize] += self.scalars[*number as usize] * h,
            Some(Group::Dense(number)) => self.push_unit_dense(*number, place, h, v),
            Some(Group::Factored(_)) => {}
            None => self.push_unit_body(group, place, h, v),
        }
    }

    #[inline(never)]
    fn push_unit_dense(&self, number: u32, place: usize, h: f64, v: &mut [f64]) {
        let Dense { velocities, inverse } = self.dense(number);
        let n = velocities.len();
        for (i, &j) in velocities.iter().enumerate() {
            v[j as usize] += inverse[i * n + place] * h;
        }
    }

    #[inline(never)]
    fn push_unit_body(&self, group: usize, place: usize, h: f64, v: &mut [f64]) {
        let velocities = self.layout.bodies[group];
        let mut wrench = [0.0; 6];
        wrench[velocities.components()[place]] = h;
        velocities.add(&self.bodies[group].respond(&wrench), v);
    }

    /// v ← v + M̂⁻¹ f of every factored group; `add_force` adds f by place in the group to its first argument.
    /// Whether a group has a sparse factor.
    #[inline]
    pub(crate) fn has_factored(&self) -> bool {
        !self.factored.is_empty()
    }

    pub(crate) fn push_factored_groups(&self, v: &mut [f64], add_force: impl Fn(&mut [f64], usize)) {
        for (number, group) in self.groups.iter().enumerate() {
            let Group::Factored(factored) = group else { continue };
            let FactoredGroup { velocities, inverse, .. } = self.factored(*factored);
            let mut x = inverse.scratch.lock().unwrap_or_else(PoisonError::into_inner);
            x.clear();
            x.resize(velocities.len(), 0.0);
            add_force(&mut x, self.bodies.len() + number);
            if x.iter().any(|x| *x != 0.0) {
                inverse.solve(&mut x);
                velocities.iter().zip(&*x).for_each(|(&j, x)| v[j as usize] += x);
            }
        }
    }

    /// Spatial bodies alone, their inertias to be filled in; the layout follows their number.
    pub(crate) fn fill_spatial(&mut self, fill: impl FnOnce(&mut Vec<Inertia>)) {
        fill(&mut self.bodies);
        let n = self.bodies.len();
        if self.layout.bodies.len() != n || self.layout.n != 6 * n {
            let body = |b: u32| BodyVelocities { first: 6 * b, planar: false };
            let bodies = (0..n as u32).map(body).collect();
            let inertias = std::mem::take(&mut self.bodies);
            *self = Self::new(Arc::new(VelocityLayout { n: 6 * n, bodies }));
            self.bodies = inertias;
        }
        self.mark_changed();
    }

    /// These groups alone (ascending), with the new number of each of their velocities and of each body, `u32::MAX` for others.
    pub(crate) fn part(&self, groups: &[u32], number: &mut Vec<u32>) -> Self {
        number.clear();
        number.resize(self.layout.n, u32::MAX);
        let n_bodies = groups.partition_point(|&group| (group as usize) < self.bodies.len());
        let mut layout = VelocityLayout::default();
        let mut next = 0;
        for &body in &groups[..n_bodies] {
            let BodyVelocities { first, planar } = self.layout.bodies[body as usize];
            layout.bodies.push(BodyVelocities { first: next, planar });
            for j in first..first + if planar { 3 } else { 6 } {
                number[j as usize] = next;
                next += 1;
            }
        }
        let others =
            || groups[n_bodies..].iter().map(|&group| self.groups[group as usize - self.bodies.len()]);
        for &j in others().flat_map(|group| self.velocities_of(group)) {
            number[j as usize] = next;
            next += 1;
        }
        layout.n = next as usize;
        let mut part = Self::new(Arc::new(layout));
        part.symmetric = self.symmetric;
        for (to, &body) in part.bodies.iter_mut().zip(groups) {
            *to = self.bodies[body as usize];
        }
        let renumber = |velocities: &[u32]| -> Vec<u32> {
            velocities.iter().map(|&j| number[j as usize]).collect()
        };
        for group in others() {
            match group {
                Group::Scalar(k) => {
                    part.push_scalar(number[self.scalar_at[k as usize] as usize]);
                    part.scalars.pop();
                    part.scalars.push(self.scalars[k as usize]);
                }
                Group::Dense(k) => {
                    part.push_dense(&renumber(&self.dense(k).velocities));
                    let last = part.dense.len() - 1;
                    part.dense[last].inverse.clone_from(&self.dense(k).inverse);
                }
                Group::Factored(k) => {
                    let whole = self.factored(k);
                    part.push_factored(&renumber(&whole.velocities), &renumber(&whole.interface));
                    let last = part.factored.len() - 1;
                    part.factored[last].inverse = whole.inverse.clone();
                }
            }
        }
        part
    }

    fn velocities_of(&self, group: Group) -> &[u32] {
        match group {
            Group::Scalar(k) => std::slice::from_ref(&self.scalar_at[k as usize]),
            Group::Dense(k) => &self.dense(k).velocities,
            Group::Factored(k) => &self.factored(k).velocities,
        }
    }
}

impl MassGroups {
    /// x ← M̂⁻¹ x over the velocities of one group; bodies are the first groups.
    pub fn solve_group(&self, group: usize, x: &mut [f64], scratch: &mut Vec<f64>) {
        let Some(other) = group.checked_sub(self.bodies.len()) else {
            let velocities = self.layout.bodies[group];
            let responded = self.bodies[group].respond(&velocities.read(x));
            let own = &mut x[velocities.first as usize..];
            own.iter_mut().zip(velocities.components()).for_each(|(x, &k)| *x = responded[k]);
            return;
        };
        match self.groups[other] {
            Group::Scalar(number) => {
                x[self.scalar_at[number as usize] as usize] *= self.scalars[number as usize]
            }
            Group::Dense(number) => {
                let Dense { velocities, inverse } = self.dense(number);
                gather(velocities, x, scratch);
                for (&j, row) in velocities.iter().zip(inverse.chunks_exact(velocities.len())) {
                    x[j as usize] = row.iter().zip(&*scratch).map(|(a, x)| a * x).sum();
                }
            }
            Group::Factored(number) => {
                let group = self.factored(number);
                gather(&group.velocities, x, scratch);
                group.inverse.solve(scratch);
                group.velocities.iter().zip(&*scratch).for_each(|(&j, y)| x[j as usize] = *y);
            }
        }
    }
}

fn gather(velocities: &[u32], x: &[f64], scratch: &mut Vec<f64>) {
    scratch.clear();
    scratch.extend(velocities.iter().map(|&j| x[j as usize]));
}
