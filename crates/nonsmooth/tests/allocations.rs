//! After a few steps of warm-up a step allocates nothing: every buffer is reused.
//!
//! A binary of its own, because the allocator is the one of the whole process. It counts by thread, so
//! tests do not disturb each other.

// A global allocator is an unsafe trait; this one only counts and passes on to the system's.
#![allow(unsafe_code)]

use nonsmooth::{
    At, Coulomb, Gap, Integrator, Lagrangian, Linear, Model, ModelBuilder, NewtonImpact, Options,
    Simulation, Solving, Sparse, State, UserError, find_integrator,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    COUNT.with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A ball at height `q`, thrown up at `v`.
fn ball(q: f64, v: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[q], &[v]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// A column of `n` beads that rest on each other and overlap by `overlap`. Without overlap rounding
/// decides which contacts take part; each change of the set is a new sparsity pattern for more than 32
/// contacts, whose analysis allocates, so 1000 beads are tested with overlap only.
fn column(n: usize, overlap: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.allow_initial_violation();
    let law = builder.law("rebound", NewtonImpact { restitution: 0.0 });
    let mut below = None;
    for i in 0..n {
        let bead = Linear::new(&format!("bead{i}"), Sparse::diagonal(&[1.0])).load(&[-9.81]);
        let bead = builder.linear(bead);
        match below {
            None => builder.linear_gap("floor", law, &[(bead, 0, 1.0)], -overlap),
            Some(last) => builder.linear_gap("pair", law, &[(last, 0, -1.0), (bead, 0, 1.0)], -overlap),
        }
        below = Some(bead);
    }
    builder.build(0.0).expect("a right model")
}

/// Blocks that slide and stick on a floor, in the plane and in space, and a ball that hits it with spin.
fn rubbing() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let law = builder.law("rough", Coulomb { friction: 0.3, restitution: 0.5, ..Coulomb::default() });
    let falling = |name: &str, v: f64, z: f64| {
        let masses = Sparse::diagonal(&[1.0; 3]);
        Linear::new(name, masses).load(&[0.0, 0.0, -9.81]).initial(&[0.0, 0.0, z], &[v, 0.5, 0.0])
    };
    for (name, v, z) in [("slides", 4.0, 0.0), ("sticks", 0.0, 0.0), ("bounces", 1.0, 0.4)] {
        let body = builder.linear(falling(name, v, z));
        let tangents: [&[_]; 2] = [&[(body, 0, 1.0)], &[(body, 1, 1.0)]];
        builder.linear_contact(name, law, &[(body, 2, 1.0)], 0.0, &tangents);
    }
    let disk = Linear::new("disk", Sparse::diagonal(&[1.0, 1.0, 0.1])).load(&[-9.81, 0.0, 0.0]);
    let disk = builder.linear(disk.initial(&[0.3, 0.0, 0.0], &[0.0, 0.0, 5.0]));
    let tangent = [(disk, 1, 1.0), (disk, 2, -0.5)];
    builder.linear_contact("disk", law, &[(disk, 0, 1.0)], 0.0, &[&tangent]);
    builder.build(0.0).expect("a right model")
}

/// A chain of `n` masses, the last of which bounces on a floor; C is unsymmetric by `skew`.
fn chain(n: usize, skew: f64) -> (Model, State) {
    let (mut stiffness, mut damping) = (Vec::new(), Vec::new());
    for i in 0..n {
        stiffness.push((i, i, 2000.0));
        damping.push((i, i, 0.1));
        if i + 1 < n {
            stiffness.extend([(i, i + 1, -1000.0), (i + 1, i, -1000.0)]);
            damping.extend([(i, i + 1, skew), (i + 1, i, -skew)]);
        }
    }
    let matrix = |triplets: &[_]| Sparse::from_triplets(n, n, triplets).expect("inside");
    let mut builder = ModelBuilder::new();
    let chain = Linear::new("chain", Sparse::diagonal(&vec![1.0; n]))
        .stiffness(matrix(&stiffness))
        .damping(matrix(&damping))
        .force(|t, out| {
            out.iter_mut().for_each(|f| *f = -50.0 * (20.0 * t).sin());
            Ok(())
        });
    let chain = builder.linear(chain);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("floor", law, &[(chain, n - 1, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// A double pendulum of unit masses and lengths, angles from the vertical.
struct Pendulum;

impl Lagrangian for Pendulum {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let c = (q[0] - q[1]).cos();
        out.copy_from_slice(&[2.0, c, c, 1.0]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let s = (q[0] - q[1]).sin();
        out.copy_from_slice(&[s * v[1] * v[1], -s * v[0] * v[0]]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(-9.81 * (2.0 * q[0].cos() + q[1].cos()))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[2.0 * 9.81 * q[0].sin(), 9.81 * q[1].sin()]);
        Ok(())
    }
    fn jacobians(&self, at: At<'_>, c: &mut [f64], k: &mut [f64]) -> Result<(), UserError> {
        let (q, v) = (at.q, at.v);
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        c.copy_from_slice(&[0.0, 2.0 * sin * v[1], -2.0 * sin * v[0], 0.0]);
        let (a, b) = (cos * v[1] * v[1], cos * v[0] * v[0]);
        k.copy_from_slice(&[a + 2.0 * 9.81 * q[0].cos(), -a, -b, b + 9.81 * q[1].cos()]);
        Ok(())
    }
}

/// The tip of the pendulum beside a wall that swings.
struct Wall;

impl Gap for Wall {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0].sin() + q[1].sin() + 0.1 + 0.05 * (5.0 * t).sin())
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[q[0].cos(), q[1].cos()]);
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(0.25 * (5.0 * t).cos())
    }
    fn curvature(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(-q[0].sin() * v[0] * v[0] - q[1].sin() * v[1] * v[1] - 1.25 * (5.0 * t).sin())
    }
}

fn pendulum() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let pendulum = builder.lagrangian("pendulum", &["alpha", "beta"], Pendulum, &[0.8, 0.6], &[0.0; 2]);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.6 });
    builder.gap("wall", law, &[(pendulum, 0), (pendulum, 1)], Wall);
    builder.linear_gap("stop", law, &[(pendulum, 0, 1.0)], 0.05);
    builder.build(0.0).expect("a right model")
}

/// Two masses between springs, the second of which hits a wall; they lose nothing between the hits.
fn masses() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![2e3, -1e3], vec![-1e3, 1e3]]);
    let masses = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let masses = builder.linear(masses.initial(&[0.0; 2], &[10.0, 10.0]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(masses, 1, -1.0)], 0.1);
    builder.build(0.0).expect("a right model")
}

/// A bead that falls into a corner and lies there, on both walls.
fn corner() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let bead = Linear::new("bead", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -9.81]);
    let bead = builder.linear(bead.initial(&[0.0, 0.1], &[0.0; 2]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("left", law, &[(bead, 0, 0.8), (bead, 1, 0.6)], 0.0);
    builder.linear_gap("right", law, &[(bead, 0, -0.6), (bead, 1, 0.8)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// Makes `warm_up` steps, then 500 more; returns the steps that allocated, with how often each did, and
/// in how many of the 500 an impulse acted.
fn observe(
    (model, state): (Model, State),
    warm_up: usize,
    integrator: Box<dyn Integrator>,
) -> (Vec<(u64, u64)>, usize) {
    let mut simulation = Simulation::new(model, state, integrator, 0.002).expect("accepted");
    for _ in 0..warm_up {
        simulation.step().expect("a good step");
    }
    let (mut found, mut touching) = (Vec::with_capacity(500), 0);
    for _ in 0..500 {
        let before = COUNT.with(Cell::get);
        let frame = simulation.step().expect("a good step");
        let made = COUNT.with(Cell::get) - before;
        touching += usize::from(frame.log.contacts.impulse.iter().any(|p| *p > 0.0));
        if made > 0 {
            found.push((frame.after.step, made));
        }
    }
    (found, touching)
}

/// Name, model, steps of warm-up, how many of the 500 steps after it have impulses. The warm-up of the
/// bouncing models contains impacts, so that the contact buffers have been filled once.
type Case = (&'static str, fn() -> (Model, State), usize, std::ops::RangeInclusive<usize>);

fn none_allocates(cases: &[Case]) {
    none_allocates_by("moreau-jean", cases);
}

fn none_allocates_by(scheme: &str, cases: &[Case]) {
    none_allocates_with(scheme, &Options::default(), cases);
}

fn none_allocates_with(scheme: &str, options: &Options, cases: &[Case]) {
    let entry = find_integrator(scheme).expect("listed");
    let mut wrong = Vec::new();
    for (name, make, warm_up, expected) in cases {
        let integrator = entry.build(options, Solving::default()).expect("the options are valid");
        let (found, touching) = observe(make(), *warm_up, integrator);
        println!("{scheme}, {name}: {} of 500 steps allocate, {touching} with impulses", found.len());
        assert!(expected.contains(&touching), "{name}: impulses in {touching} of 500 steps");
        if !found.is_empty() {
            let first = &found[..found.len().min(5)];
            wrong.push(format!(
                "{scheme}, {name}: {} steps allocate, first (step, times) {first:?}",
                found.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_step_with_friction_allocates() {
    none_allocates(&[("blocks and a disk on a rough floor", rubbing, 1000, 500..=500)]);
}

#[test]
fn no_step_of_balls_and_beads_allocates() {
    none_allocates(&[
        ("ball in flight", || ball(1.0, 20.0), 3, 0..=0),
        ("ball bouncing", || ball(0.3, 0.0), 300, 1..=500),
        ("ball at rest", || ball(0.0, 0.0), 3, 500..=500),
        ("10 beads at rest", || column(10, 1e-6), 3, 500..=500),
        ("10 beads that just touch", || column(10, 0.0), 300, 500..=500),
        ("1000 beads at rest", || column(1000, 1e-6), 3, 500..=500),
    ]);
}

#[test]
fn no_step_of_a_sparse_system_allocates() {
    none_allocates(&[("200 coupled coordinates", || chain(200, 0.0), 500, 1..=499)]);
}

#[test]
fn no_step_of_an_unsymmetric_sparse_system_allocates() {
    none_allocates(&[("200 coupled coordinates, gyroscopic", || chain(200, 0.05), 500, 1..=499)]);
}

#[test]
fn no_step_of_a_nonlinear_system_allocates() {
    none_allocates(&[("double pendulum at a wall that swings", pendulum, 1000, 1..=499)]);
}

#[test]
fn no_step_of_other_schemes_allocates() {
    let cases: [Case; 4] = [
        ("ball bouncing", || ball(0.3, 0.0), 400, 1..=500),
        ("bead in a corner", corner, 400, 500..=500),
        ("double pendulum at a wall that swings", pendulum, 1500, 1..=499),
        ("200 coupled coordinates", || chain(200, 0.0), 500, 1..=499),
    ];
    for scheme in ["moreau-paoli", "schatzman-paoli"] {
        none_allocates_by(scheme, &cases);
    }
    // For every new inner step size a sparse system is factored anew, which allocates.
    none_allocates_by("moreau-adaptive", &cases[..3]);
    none_allocates_by("moreau-energy", &[("two masses", masses, 500, 1..=499)]);
}

#[test]
fn no_step_that_resolves_events_allocates() {
    for (scheme, method) in [
        ("high-order", "dormand-prince"),
        ("high-order", "gauss6"),
        ("event-driven", "rk4"),
        ("splitting", "rkf45"),
    ] {
        let options = Options::default().with_word("method", method);
        let cases: &[Case] = &[
            ("ball in flight", || ball(1.0, 20.0), 3, 0..=0),
            ("ball at rest", || ball(0.0, 0.0), 3, 500..=500),
            ("10 beads that just touch", || column(10, 0.0), 300, 500..=500),
            ("double pendulum at a wall that swings", pendulum, 2000, 1..=499),
            ("20 coupled coordinates", || chain(20, 0.0), 500, 1..=499),
        ];
        // The impacts of the last one accumulate.
        let n = cases.len() - usize::from(scheme == "event-driven");
        none_allocates_with(scheme, &options, &cases[..n]);
    }
}

#[test]
fn no_step_with_several_problems_allocates() {
    let cases: [Case; 4] = [
        ("ball bouncing", || ball(0.3, 0.0), 400, 1..=500),
        ("bead in a corner", corner, 400, 1..=500),
        ("200 coupled coordinates", || chain(200, 0.0), 500, 1..=499),
        ("double pendulum at a wall that swings", pendulum, 1500, 1..=499),
    ];
    none_allocates_by("moreau-projected", &cases);
    none_allocates_by("generalized-alpha", &cases);
    none_allocates_by("stewart-trinkle", &cases[1..2]);
    // The curvature of a gap that does not tell it is found with memory of its own.
    none_allocates_by("d1-minus", &cases[..3]);
}
