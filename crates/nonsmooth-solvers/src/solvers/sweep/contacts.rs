//! The segment of a sweep that visits contacts of rigid bodies, without W and without rows of J.
//!
//! ```text
//! u_c = u_free,c + F (v_b + ω_b × r_b − v_a − ω_a × r_a),    v = M⁻¹ Jᵀ p kept by every change of p
//! ```
//!
//! A contact keeps its frame F, its arms and its block (`contact.rs`).
//! With friction in space that is 256 bytes, four lines of a cache; an open contact reads three of them. A body whose
//! inertia is the same about all axes is one line. Fixed bodies are read, since reading is cheaper than testing, but never
//! written and not coloured. `load` and every `REFRESH`-th sweep compute v anew from p.

use super::colours::Colours;
use super::contact::{Node, rotate};
use super::general::{General, Slots};
use super::rows::{Atom, REFRESH};
use super::{CHUNK, Order, Rule, SHARED, Sweeps, reset};
use crate::delassus::Form;
use crate::mass_groups::Inertia;
use crate::posed::{Place, Posed};
use crate::problem::Problem;
use crate::set::Set;
use crate::vector::{Vector, cross, dot};
use rayon::prelude::*;

/// I⁻¹ of a body: a number where it is the same about all axes.
pub(super) trait Turn: Copy + Send + Sync + 'static {
    fn of(inertia: &Inertia) -> Self;
    fn rotate(&self, x: Vector) -> Vector;
}

impl Turn for f64 {
    fn of(inertia: &Inertia) -> Self {
        inertia.inv_inertia[0]
    }

    #[inline(always)]
    fn rotate(&self, x: Vector) -> Vector {
        x.map(|x| self * x)
    }
}

impl Turn for [f64; 6] {
    fn of(inertia: &Inertia) -> Self {
        inertia.inv_inertia
    }

    #[inline(always)]
    fn rotate(&self, x: Vector) -> Vector {
        Inertia { inv_mass: 0.0, inv_inertia: *self }.rotate(x)
    }
}

/// Velocity and inverse inertia of a body.
#[repr(align(64))]
struct Mover<T> {
    velocity: [Atom; 6],
    inv_mass: f64,
    inv_inertia: T,
}

impl<T: Turn> Mover<T> {
    fn new(inertia: &Inertia) -> Self {
        let inv_inertia = T::of(inertia);
        Self { velocity: Default::default(), inv_mass: inertia.inv_mass, inv_inertia }
    }

    fn get(&self) -> [f64; 6] {
        std::array::from_fn(|k| self.velocity[k].get())
    }

    /// v + ω × r.
    #[inline(always)]
    fn at(&self, arm: Vector) -> Vector {
        let [x, y, z, a, b, c] = &self.velocity;
        let turned = cross([a.get(), b.get(), c.get()], arm);
        [x.get() + turned[0], y.get() + turned[1], z.get() + turned[2]]
    }

    /// Applies the impulse `p` with the moment `moment`.
    #[inline(always)]
    fn push(&self, p: Vector, moment: Vector) {
        let turned = self.inv_inertia.rotate(moment);
        for k in 0..3 {
            let (v, omega) = (&self.velocity[k], &self.velocity[3 + k]);
            v.set(v.get() + self.inv_mass * p[k]);
            omega.set(omega.get() + turned[k]);
        }
    }
}

/// Velocities by slots: six for each body, then one for each of the other groups.
#[derive(Clone, Copy)]
pub(super) struct Velocities<'a, T> {
    movers: &'a [Mover<T>],
    others: &'a [Atom],
}

impl<T> Velocities<'_, T> {
    #[inline(always)]
    fn slot(&self, slot: u32) -> &Atom {
        let (body, component) = (slot as usize / 6, slot as usize % 6);
        // The last mover stands for all that does not move.
        if body + 1 < self.movers.len() {
            return &self.movers[body].velocity[component];
        }
        &self.others[slot as usize - 6 * (self.movers.len() - 1)]
    }
}

impl<T> Slots for Velocities<'_, T> {
    #[inline(always)]
    fn get(&mut self, slot: u32) -> f64 {
        self.slot(slot).get()
    }

    #[inline(always)]
    fn set(&mut self, slot: u32, x: f64) {
        self.slot(slot).set(x);
    }
}

/// Contacts, other rows and bodies prepared for sweeps.
#[derive(Default)]
pub(super) struct Segments<const D: usize, T> {
    nodes: Vec<Node<D>>,
    /// First row of each set.
    begin: Vec<u32>,
    /// Cosine and sine by which the tangents were rotated, of those contacts whose are.
    axes: Vec<[f64; 2]>,
    /// The bodies, and one more for all that does not move.
    movers: Vec<Mover<T>>,
    /// Velocities of groups that are no bodies.
    others: Vec<Atom>,
    general: General,
    /// Where colours begin; empty in the natural order.
    colours: Vec<usize>,
    sums: Vec<f64>,
    /// Sweeps since v was computed.
    age: usize,
    way: Way<D>,
}

/// Where p and v stood after the last extrapolation, and its direction; empty if not asked for.
#[derive(Default)]
struct Way<const D: usize> {
    p: Vec<Trace<D>>,
    v: Vec<Trace<6>>,
    others: Vec<Trace<1>>,
}

/// A point and a direction.
#[derive(Clone, Copy)]
pub(super) struct Trace<const N: usize> {
    at: [f64; N],
    along: [f64; N],
}

impl<const N: usize> Trace<N> {
    pub(super) fn from(at: [f64; N]) -> Self {
        Self { at, along: [0.0; N] }
    }

    /// d ← θ d + (x − where x was), x ← x + β d.
    #[inline(always)]
    pub(super) fn extrapolate(&mut self, theta: f64, beta: f64, x: &mut [f64; N]) {
        for k in 0..N {
            self.along[k] = theta * self.along[k] + (x[k] - self.at[k]);
            x[k] += beta * self.along[k];
            self.at[k] = x[k];
        }
    }
}

/// Whether these sweeps know the set of every contact.
pub(super) fn takes(problem: &Problem, posed: &Posed) -> bool {
    let known =
        |set: &Set| set.is_scalar() || matches!(set, Set::Coulomb2 { .. } | Set::Coulomb3 { .. });
    let is_row = |c: usize| !matches!(posed.place(&problem.sets, c), Place::Contact(_));
    problem.sets.iter().enumerate().all(|(c, set)| known(set) || is_row(c))
}

/// Whether every body's inertia is the same about all axes.
pub(super) fn is_round(posed: &Posed) -> bool {
    posed.bodies().iter().all(|body| {
        let [xx, yy, zz, xy, xz, yz] = body.inv_inertia;
        xx == yy && yy == zz && (xy, xz, yz) == (0.0, 0.0, 0.0)
    })
}

impl<const D: usize, T: Turn> Sweeps for Segments<D, T> {
    fn prepare(&mut self, problem: &Problem, kind: Order) {
        let Form::Posed(posed) = &problem.delassus.form else {
            unreachable!("the storage is chosen by the form")
        };
        let Way { p, v, others } = &mut self.way;
        p.clear();
        v.clear();
        others.clear();
        self.movers.clear();
        let still = Inertia::default();
        self.movers.reserve_exact(posed.bodies().len() + 1);
        self.movers.extend(posed.bodies().iter().chain([&still]).map(Mover::new));
        let pure = posed.is_contacts() && !posed.is_compliant();
        // Sets of the contacts visited here; all of them where nothing else is there.
        let mut sets = Vec::new();
        self.others.clear();
        self.general = General::default();
        if !pure {
            let n = posed.responses().n_slots.max(6 * posed.bodies().len());
            self.others.resize_with(n - 6 * posed.bodies().len(), Atom::default);
            sets = self.general.prepare(problem, posed);
        }
        self.begin.clear();
        self.begin.extend(problem.blocks().map(|(begin, _)| begin as u32));
        let begin = &self.begin;
        let set_of = |k: usize| if pure { k } else { sets[k] as usize };
        let number_of = |set: usize| match posed.place(&problem.sets, set) {
            Place::Contact(number) => number as usize,
            Place::Row(_) | Place::Pair(..) => unreachable!("rows stand in the general segment"),
        };
        let n = if pure { begin.len() } else { sets.len() };
        let mut order = Vec::new();
        self.colours.clear();
        if kind == Order::Coloured {
            let moves = |body: &&u32| {
                posed.bodies().get(**body as usize).is_some_and(|inertia| !inertia.is_fixed())
            };
            let of = |k: usize| posed.contacts()[number_of(set_of(k))].bodies.iter().filter(moves);
            let colours = Colours::greedy(n, posed.bodies().len(), of);
            (order, self.colours) = (colours.order, colours.start);
        }
        posed.weights(&problem.sets);
        let node = |k: usize| {
            let c = set_of(order.get(k).map_or(k, |c| *c as usize));
            Node::new(problem, posed, (c, number_of(c)), begin[c])
        };
        let nodes = (0..n).into_par_iter().with_min_len(CHUNK).map(node);
        nodes.unzip_into_vecs(&mut self.nodes, &mut self.axes);
        let nodes = &self.nodes;
        let mut turned = nodes.iter().map(|node| node.is_rotated);
        self.axes.retain(|_| turned.next() == Some(true));
        // Of heaps of balls memory counts; a few bodies keep theirs.
        if self.axes.capacity() > self.axes.len() + CHUNK {
            self.axes.shrink_to_fit();
        }
    }

    fn load(&mut self, p: &[f64]) {
        let mut axes = self.axes.iter();
        for node in &mut self.nodes {
            let (begin, dim) = (node.begin as usize, node.dim());
            node.p = [0.0; D];
            node.p[..dim].copy_from_slice(&p[begin..begin + dim]);
            if node.is_rotated {
                rotate(*axes.next().expect("axes of each that is rotated"), &mut node.p);
            }
        }
        self.general.load(p);
        self.refresh();
    }

    fn store(&mut self, p: &mut [f64]) {
        let mut axes = self.axes.iter();
        for node in &self.nodes {
            let (begin, dim) = (node.begin as usize, node.dim());
            let mut own = node.p;
            if node.is_rotated {
                let [cos, sin] = axes.next().expect("axes of each that is rotated");
                rotate([*cos, -sin], &mut own);
            }
            p[begin..begin + dim].copy_from_slice(&own[..dim]);
        }
        self.general.store(p);
    }

    fn remember(&mut self) {
        let nodes = self.nodes.par_iter().with_min_len(16 * CHUNK);
        nodes.map(|node| Trace::from(node.p)).collect_into_vec(&mut self.way.p);
        let movers = self.movers.par_iter().with_min_len(16 * CHUNK);
        movers.map(|mover| Trace::from(mover.get())).collect_into_vec(&mut self.way.v);
        self.way.others.clear();
        self.way.others.extend(self.others.iter().map(|v| Trace::from([v.get()])));
        self.general.remember();
    }

    fn extrapolate(&mut self, theta: f64, beta: f64) {
        let nodes = self.nodes.par_iter_mut().with_min_len(16 * CHUNK);
        nodes.zip(&mut self.way.p).for_each(|(node, way)| way.extrapolate(theta, beta, &mut node.p));
        let movers = self.movers.par_iter().with_min_len(16 * CHUNK);
        movers.zip(&mut self.way.v).for_each(|(mover, way)| {
            let mut v = mover.get();
            way.extrapolate(theta, beta, &mut v);
            mover.velocity.iter().zip(v).for_each(|(atom, v)| atom.set(v));
        });
        for (atom, way) in self.others.iter().zip(&mut self.way.others) {
            let mut v = [atom.get()];
            way.extrapolate(theta, beta, &mut v);
            atom.set(v[0]);
        }
        self.general.extrapolate(theta, beta);
    }

    fn sweep(&mut self, rule: Rule) -> f64 {
        self.age += 1;
        if self.age >= REFRESH {
            self.refresh();
        }
        let mut change = 0.0;
        if !self.general.is_empty() {
            let mut v = Velocities { movers: &self.movers, others: &self.others };
            change += self.general.sweep(rule, &mut v);
        }
        change += match rule {
            Rule::Exact => self.pass(|movers, node| renew(movers, node, Node::exact)),
            Rule::Projected(by) => {
                self.pass(|movers, node| renew(movers, node, |node, u| node.project(by, u)))
            }
        };
        change
    }
}

impl<const D: usize, T: Turn> Segments<D, T> {
    /// v ← M⁻¹ Jᵀ p.
    fn refresh(&mut self) {
        self.age = 0;
        self.movers.iter().flat_map(|mover| &mover.velocity).for_each(|v| v.set(0.0));
        if !self.general.is_empty() {
            self.others.iter().for_each(|v| v.set(0.0));
            self.general.push_all(&mut Velocities { movers: &self.movers, others: &self.others });
        }
        self.pass(|movers, node| {
            if node.p.iter().any(|p| *p != 0.0) {
                push(movers, node, &node.p);
            }
            0.0
        });
    }

    /// Visits every contact in the order of a sweep; returns the sum of what the visits return.
    #[inline(always)]
    fn pass(&mut self, visit: impl Fn(&[Mover<T>], &mut Node<D>) -> f64 + Sync) -> f64 {
        let movers = &self.movers[..];
        if self.colours.is_empty() {
            return self.nodes.iter_mut().map(|node| visit(movers, node)).sum();
        }
        let mut total = 0.0;
        for k in 1..self.colours.len() {
            let nodes = &mut self.nodes[self.colours[k - 1]..self.colours[k]];
            reset(&mut self.sums, nodes.len().div_ceil(CHUNK), 0.0);
            let chunk = |(sum, nodes): (&mut f64, &mut [Node<D>])| {
                *sum = nodes.iter_mut().map(|node| visit(movers, node)).sum();
            };
            if nodes.len() >= SHARED && rayon::current_num_threads() > 1 {
                self.sums.par_iter_mut().zip(nodes.par_chunks_mut(CHUNK)).for_each(chunk);
            } else {
                self.sums.iter_mut().zip(nodes.chunks_mut(CHUNK)).for_each(chunk);
            }
            total += self.sums.iter().sum::<f64>();
        }
        total
    }
}

/// v ← v + (M⁻¹ Jᵀ)_c δp.
#[inline(always)]
fn push<const D: usize, T: Turn>(movers: &[Mover<T>], node: &Node<D>, step: &[f64; D]) {
    let mut p = [0.0; 3];
    for (row, step) in node.frame.iter().zip(step) {
        (0..3).for_each(|k| p[k] += row[k] * step);
    }
    let still = movers.len() - 1;
    let [a, b] = node.bodies.map(|body| body as usize);
    if b != still {
        movers[b].push(p, cross(node.arms[1], p));
    }
    if a != still {
        let p = p.map(|x| -x);
        movers[a].push(p, cross(node.arms[0], p));
    }
}

/// Renews p_c and what it moves; returns (λ_max ‖δp‖)².
#[inline(always)]
fn renew<const D: usize, T: Turn>(
    movers: &[Mover<T>],
    node: &mut Node<D>,
    update: impl Fn(&mut Node<D>, &[f64; D]),
) -> f64 {
    let [a, b] = node.bodies.map(|body| body as usize);
    let (from, to) = (movers[a].at(node.arms[0]), movers[b].at(node.arms[1]));
    let relative = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let mut u = node.u_free;
    u[0] += dot(node.frame[0], relative);
    if u[0] >= 0.0 && node.is_open() {
        return 0.0;
    }
    (1..D).for_each(|k| u[k] += dot(node.frame[k], relative));
    let before = node.p;
    update(node, &u);
    let mut step = [0.0; D];
    (0..D).for_each(|k| step[k] = node.p[k] - before[k]);
    if step.iter().all(|x| *x == 0.0) {
        return 0.0;
    }
    push(movers, node, &step);
    node.weight * node.weight * step.iter().map(|x| x * x).sum::<f64>()
}
