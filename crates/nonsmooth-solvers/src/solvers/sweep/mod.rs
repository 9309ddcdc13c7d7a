//! One sweep of Gauss–Seidel: every constraint in turn, the others held.
//!
//! ```text
//! for c in order:   q_c = u_free,c + Σ_{j≠c} W_cj p_j,   p_c ← update(W_cc, q_c, p_c)
//! ```
//!
//! The update is the exact solution of the one constraint (`Rule::Exact`, `local.rs`) or one projected step
//! p_c ← P_C(p_c − ω ρ (u_c + shift_c)), ρ = 1/λ_max(W_cc) (`Rule::Projected`). W is stored as d × d blocks (`explicit.rs`), or not
//! at all, with velocities in its place: by rows of J and M⁻¹ Jᵀ (`rows.rs`), or segment by segment, general and pair rows
//! first (`general.rs`), then contacts by frames and arms (`contacts.rs`), those of balls and disks four at once (`wide/`); d is the
//! largest dimension among the sets, and smaller sets are padded with zeros. In the natural order constraints follow each other as the problem lists them. In the
//! coloured order (`colours.rs`) those of one colour have nothing in common, so that threads may share them; the
//! result is the same for any number of threads, since nothing in a colour depends on the order within it.

mod colours;
mod contact;
mod contacts;
mod explicit;
mod general;
mod rows;
pub(super) mod wide;

use crate::delassus::Form;
use crate::local::Local;
use crate::problem::Problem;
use crate::set::{MAX_DIM, Set};
use contacts::{Segments, Turn};
use explicit::Blocks;
use rows::Rows;
use wide::{Balls, Wide};

/// Constraints that one task of a thread takes. Fixed, so that sums do not depend on the threads.
const CHUNK: usize = 256;
/// Constraints of one colour from which threads share them. On a pile of 10 000 contacts, about 1000 of each colour, two
/// threads take 13 % more processor time than one.
const SHARED: usize = 2 * CHUNK;

/// Constraints by segments from which sweeps go by colours, where there is a choice.
const COLOURED: usize = 4 * SHARED;

/// How one constraint is renewed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// By the exact solution of the constraint by itself.
    Exact,
    /// By the exact solution for ω u in place of u: a step longer by this factor ω.
    Relaxed(f64),
    /// By one projected step, longer by this factor than 1/λ_max.
    Projected(f64),
}

/// In which order the constraints follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As the problem lists them.
    Natural,
    /// Colour by colour, each by any number of threads.
    Coloured,
    /// Coloured for segments at `COLOURED` constraints or more, else natural: whatever the threads.
    BySize,
    /// The same, with the constraints shuffled first.
    Shuffled,
}

/// An order that is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    coloured: bool,
    shuffled: bool,
}

impl Plan {
    /// The numbers below n in the order in which constraints are taken up, before colouring. The seed is fixed: a result never
    /// depends on chance.
    fn numbers(self, n: usize) -> Vec<u32> {
        let mut list: Vec<u32> = (0..n as u32).collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for i in (1..if self.shuffled { n } else { 0 }).rev() {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            list.swap(i, (state % (i as u64 + 1)) as usize);
        }
        list
    }
}

/// A problem prepared for sweeps, whatever the storage.
trait Sweeps: Send {
    fn prepare(&mut self, problem: &Problem, plan: Plan);
    fn load(&mut self, p: &[f64]);
    fn store(&mut self, p: &mut [f64]);
    fn sweep(&mut self, rule: Rule) -> f64;

    /// Begins to remember the way of p, for `extrapolate`.
    fn remember(&mut self);

    /// d ← θ d + δ, p ← p + β d, with δ the change of p since the last call and θ the β of that.
    fn extrapolate(&mut self, theta: f64, beta: f64);
}

/// Sweeps over one problem after the other, keeping its memory.
#[derive(Default)]
pub(super) struct Sweeper {
    form: Option<Box<dyn Sweeps>>,
    /// Largest dimension, and how W is given: what decides on the storage.
    shape: (usize, Storage),
}

/// How a problem is stored for sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Storage {
    /// W.
    #[default]
    Blocks,
    /// J and M⁻¹ Jᵀ by rows.
    Rows,
    /// Balls in space, four contacts at once.
    Balls,
    /// Disks in the plane, four contacts at once.
    Disks,
    /// By segments, all bodies the same about all axes.
    Round,
    /// By segments.
    Segments,
}

impl Storage {
    fn of(problem: &Problem, order: Order, rule: Rule) -> Self {
        let wide = order != Order::Natural && !matches!(rule, Rule::Projected(_));
        match &problem.delassus.form {
            Form::Posed(posed) if wide && wide::takes(problem, posed, false) => Storage::Balls,
            Form::Posed(posed) if wide && wide::takes(problem, posed, true) => Storage::Disks,
            Form::Posed(posed) if contacts::takes(problem, posed) => {
                if contacts::is_round(posed) {
                    Storage::Round
                } else {
                    Storage::Segments
                }
            }
            Form::Explicit(_) => Storage::Blocks,
            _ if problem.primal().is_some_and(|primal| primal.response().is_some()) => Storage::Rows,
            _ => Storage::Blocks,
        }
    }
}

impl Sweeper {
    /// Prepares blocks and constraints of `problem`.
    pub(super) fn prepare(&mut self, problem: &Problem, order: Order, rule: Rule) {
        let dim = problem.sets.iter().map(|set| set.dim()).max().unwrap_or(1);
        let storage = Storage::of(problem, order, rule);
        let segments = matches!(storage, Storage::Round | Storage::Segments);
        let coloured = match order {
            Order::Natural => false,
            Order::Coloured => true,
            Order::BySize | Order::Shuffled => segments && problem.sets.len() >= COLOURED,
        };
        let plan = Plan { coloured, shuffled: order == Order::Shuffled };
        if self.form.is_none() || self.shape != (dim, storage) {
            self.shape = (dim, storage);
            self.form = Some(match (storage, dim) {
                (Storage::Balls, _) => Box::<Wide<Balls<false>>>::default(),
                (Storage::Disks, _) => Box::<Wide<Balls<true>>>::default(),
                (Storage::Round, _) => new_segments::<f64>(dim),
                (Storage::Segments, _) => new_segments::<[f64; 6]>(dim),
                (_, 1) => new_form::<1>(storage),
                (_, 2) => new_form::<2>(storage),
                (_, 3) => new_form::<3>(storage),
                (_, 4 | 5) => new_form::<5>(storage),
                _ => new_form::<MAX_DIM>(storage),
            });
        }
        self.form().prepare(problem, plan);
    }

    /// Takes over impulses.
    pub(super) fn load(&mut self, p: &[f64]) {
        self.form().load(p);
    }

    /// Hands out the impulses.
    pub(super) fn store(&mut self, p: &mut [f64]) {
        self.form().store(p);
    }

    /// Renews every constraint once; returns Σ (λ_max ‖δp_c‖)², the change in units of velocity.
    pub(super) fn sweep(&mut self, rule: Rule) -> f64 {
        self.form().sweep(rule)
    }

    /// Begins to remember the way of p.
    pub(super) fn remember(&mut self) {
        self.form().remember();
    }

    /// Goes on along the way of p by `beta`.
    pub(super) fn extrapolate(&mut self, theta: f64, beta: f64) {
        self.form().extrapolate(theta, beta);
    }

    fn form(&mut self) -> &mut dyn Sweeps {
        &mut **self.form.as_mut().expect("`prepare` comes first")
    }
}

fn new_form<const D: usize>(storage: Storage) -> Box<dyn Sweeps> {
    match storage {
        Storage::Blocks => Box::<Blocks<D>>::default(),
        _ => Box::<Rows<D>>::default(),
    }
}

fn new_segments<T: Turn + Default>(dim: usize) -> Box<dyn Sweeps> {
    match dim {
        1 => Box::<Segments<1, T>>::default(),
        2 => Box::<Segments<2, T>>::default(),
        _ => Box::<Segments<3, T>>::default(),
    }
}

/// One constraint, padded to D components.
#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    local: Local,
    set: Set,
    /// λ_max(W_cc), 0 where that is not positive.
    weight: f64,
    u_free: [f64; D],
    /// W_cc.
    block: [[f64; D]; D],
    /// First row in the problem.
    begin: u32,
    dim: u32,
}

impl<const D: usize> Node<D> {
    fn new(problem: &Problem, begin: usize, set: Set, block: [[f64; D]; D]) -> Self {
        let dim = set.dim();
        let mut u_free = [0.0; D];
        u_free[..dim].copy_from_slice(&problem.u_free[begin..begin + dim]);
        let (packed, n) = pack(&block, dim);
        let local = Local::new(set, &packed[..n]);
        let weight = local.weight().max(0.0);
        Self { local, set, weight, u_free, block, begin: begin as u32, dim: dim as u32 }
    }

    /// The exact solution for `q`.
    #[inline(always)]
    fn exact(&self, q: &[f64; D], p: &mut [f64; D], slip: &mut f64) {
        let dim = self.dim as usize;
        if let Local::Other(..) = self.local {
            let (packed, n) = pack(&self.block, dim);
            self.local.solve(&packed[..n], &q[..dim], &mut p[..dim], slip);
        } else {
            self.local.solve(&[], &q[..dim], &mut p[..dim], slip);
        }
    }

    /// The exact solution for ω u, u = q + W_cc p.
    #[inline(always)]
    fn relaxed(&self, omega: f64, q: &[f64; D], p: &mut [f64; D], slip: &mut f64) {
        let mut longer = *q;
        for r in 0..D {
            longer[r] = omega * q[r];
            for c in 0..D {
                longer[r] += (omega - 1.0) * self.block[r][c] * p[c];
            }
        }
        self.exact(&longer, p, slip);
    }

    /// One projected step from `p`; the rows of a block of zeros as `exact` has them.
    #[inline(always)]
    fn project(&self, relaxation: f64, q: &[f64; D], p: &mut [f64; D]) {
        let dim = self.dim as usize;
        if self.weight == 0.0 {
            return self.exact(q, p, &mut 0.0);
        }
        let mut u = *q;
        for r in 0..D {
            for c in 0..D {
                u[r] += self.block[r][c] * p[c];
            }
        }
        let rho = relaxation / self.weight;
        u[0] += self.set.shift(&u[..dim]);
        (0..D).for_each(|r| p[r] -= rho * u[r]);
        self.set.project_block(&mut p[..dim]);
    }

    /// Whether p = 0 and nothing but u_N < 0 changes that.
    #[inline(always)]
    fn is_open(&self, p: &[f64; D]) -> bool {
        D > 1 && p[0] == 0.0 && self.dim > 1 && p.iter().all(|p| *p == 0.0)
    }

    /// (λ_max ‖after − before‖)².
    #[inline(always)]
    fn change(&self, before: &[f64; D], after: &[f64; D]) -> f64 {
        let square: f64 = (0..D).map(|k| (after[k] - before[k]) * (after[k] - before[k])).sum();
        self.weight * self.weight * square
    }
}

/// The part of a padded block that is there, by rows.
#[inline]
fn pack<const D: usize>(block: &[[f64; D]; D], dim: usize) -> ([f64; MAX_DIM * MAX_DIM], usize) {
    let mut packed = [0.0; MAX_DIM * MAX_DIM];
    for r in 0..dim {
        packed[r * dim..(r + 1) * dim].copy_from_slice(&block[r][..dim]);
    }
    (packed, dim * dim)
}

/// Copies impulses by rows into padded ones.
fn load_nodes<const D: usize>(nodes: &[Node<D>], rows: &[f64], p: &mut [[f64; D]]) {
    for (node, p) in nodes.iter().zip(p) {
        let (begin, dim) = (node.begin as usize, node.dim as usize);
        *p = [0.0; D];
        p[..dim].copy_from_slice(&rows[begin..begin + dim]);
    }
}

/// Copies padded impulses into rows.
fn store_nodes<const D: usize>(nodes: &[Node<D>], p: &[[f64; D]], rows: &mut [f64]) {
    for (node, p) in nodes.iter().zip(p) {
        let (begin, dim) = (node.begin as usize, node.dim as usize);
        rows[begin..begin + dim].copy_from_slice(&p[..dim]);
    }
}

/// Where constraints lie in the rows of the problem, and the order of a sweep; memory that is kept.
#[derive(Default)]
struct Places {
    /// First row of each constraint.
    begin: Vec<usize>,
    /// Constraint of each row.
    owner: Vec<u32>,
    /// Constraints in the order of a sweep.
    order: Vec<u32>,
}

impl Places {
    /// Takes over `problem`, in the order of the plan before colouring.
    fn fill(&mut self, problem: &Problem, plan: Plan) {
        self.begin.clear();
        self.begin.extend(problem.blocks().map(|(begin, _)| begin));
        self.owner.clear();
        for (c, set) in problem.sets.iter().enumerate() {
            self.owner.extend(std::iter::repeat_n(c as u32, set.dim()));
        }
        self.order = plan.numbers(problem.sets.len());
    }
}

/// `n` times `x`, in the same memory.
fn reset<T: Clone>(list: &mut Vec<T>, n: usize, x: T) {
    list.clear();
    list.resize(n, x);
}

/// A chunk of a colour: its number and sum, its impulses and slips.
type Task<'a, const D: usize> = ((usize, &'a mut f64), (&'a mut [[f64; D]], &'a mut [f64]));
