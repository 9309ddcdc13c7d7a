//! After a few steps of warm-up a step allocates nothing: every buffer is reused.
//!
//! A binary of its own, because the allocator is the one of the whole process. It counts by thread, so
//! tests do not disturb each other.

// A global allocator is an unsafe trait; this one only counts and passes on to the system's.
#![allow(unsafe_code)]

use nonsmooth::geometry::spatial::Shape;
use nonsmooth::integrators::find as find_integrator;
use nonsmooth::joints::{Revolute, Spherical};
use nonsmooth::laws::{Coulomb, NewtonImpact};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Linear, ModelBuilder, Rigid};
use nonsmooth::{Integrator, Model, Simulation, SolverSettings, State};
use nonsmooth_solvers::{Options, Sparse};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

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
fn ball(q: f64, v: f64) -> (Arc<Model>, State) {
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
fn column(n: usize, overlap: f64) -> (Arc<Model>, State) {
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
fn rubbing() -> (Arc<Model>, State) {
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

/// A mass that nothing holds.
fn free() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    builder.linear(Linear::new("mass", Sparse::diagonal(&[1.0])).load(&[-9.81]));
    builder.build(0.0).expect("a right model")
}

/// A bead that falls into a corner and lies there, on both walls.
fn corner() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let bead = Linear::new("bead", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -9.81]);
    let bead = builder.linear(bead.initial(&[0.0, 0.1], &[0.0; 2]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("left", law, &[(bead, 0, 0.8), (bead, 1, 0.6)], 0.0);
    builder.linear_gap("right", law, &[(bead, 0, -0.6), (bead, 1, 0.8)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// Solids of one shape that lie on a floor, one on the other, at these heights of their centres.
fn lying(shape: &Shape, heights: &[f64]) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let material = builder.material("stuff");
    let law = builder.law("all", Coulomb { friction: 0.5, restitution: 0.0, ..Coulomb::default() });
    builder.default_pair(law);
    let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("a plane");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
    for z in heights {
        let body = Body::solid("solid", shape.clone(), 1000.0, material).expect("a solid");
        builder.body(Body { name: format!("solid at {z}"), position: [0.0, 0.0, *z], ..body });
    }
    builder.build(0.0).expect("a right model")
}

/// A body on a revolute joint that swings.
fn pendulum() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let arm = Body::new("arm", 1.0, [[0.01, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, 0.0, 0.08]]);
    let arm = builder.body(Body { position: [0.5, 0.0, 0.0], ..arm });
    builder.joint("hinge", Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]), Rigid::World, arm);
    builder.build(0.0).expect("a right model")
}

/// Ten links of a chain that hangs and swings a little.
fn chain() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let mut last = Rigid::World;
    let along = |r: f64| [r * 0.02f64.sin(), 0.0, -r * 0.02f64.cos()];
    for i in 0..10 {
        let (r, inertia) = (0.1 * f64::from(i), [[1e-5, 0.0, 0.0], [0.0, 1e-5, 0.0], [0.0, 0.0, 1e-5]]);
        let link = Body::new(&format!("link {i}"), 0.1, inertia);
        let link = builder.body(Body { position: along(r), ..link });
        builder.joint(&format!("joint {i}"), Spherical::at(along(r - 0.05)), last, link);
        last = link;
    }
    builder.build(0.0).expect("a right model")
}

/// Makes `warm_up` steps, then 500 more; returns the steps that allocated, with how often each did, and
/// in how many of the 500 an impulse acted.
fn observe(
    (model, state): (Arc<Model>, State),
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
        touching += usize::from(frame.log.constraints.impulse.iter().any(|p| *p > 0.0));
        if made > 0 {
            found.push((frame.after.step, made));
        }
    }
    (found, touching)
}

/// Name, model, steps of warm-up, how many of the 500 steps after it have impulses. The warm-up of the
/// bouncing models contains impacts, so that the contact buffers have been filled once.
type Case = (&'static str, fn() -> (Arc<Model>, State), usize, std::ops::RangeInclusive<usize>);

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
        let integrator = entry.build(options, SolverSettings::default()).expect("the options are valid");
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

// Where the list of active constraints changes, or where there are 1000 of them, W is set up anew, which allocates; so do
// factors of sparse systems and inverses of Lagrangian ones, in every scheme.
#[test]
fn no_step_of_balls_and_beads_allocates() {
    none_allocates(&[
        ("ball in flight", || ball(1.0, 20.0), 3, 0..=0),
        ("ball at rest", || ball(0.0, 0.0), 3, 500..=500),
        ("10 beads at rest", || column(10, 1e-6), 3, 500..=500),
        ("10 beads that just touch", || column(10, 0.0), 300, 500..=500),
    ]);
}

#[test]
fn no_step_of_other_schemes_allocates() {
    let cases: [Case; 2] = [
        ("ball coming to rest", || ball(0.3, 0.0), 400, 1..=500),
        ("bead in a corner", corner, 400, 500..=500),
    ];
    none_allocates_by("moreau-adaptive", &cases);
    none_allocates_by("moreau-projected", &cases[1..]);
    none_allocates_by("stewart-trinkle", &cases[1..]);
    let flight: Case = ("a mass in flight", free, 3, 0..=0);
    for scheme in ["euler-explicit", "euler-semi-implicit", "euler-implicit"] {
        none_allocates_by(scheme, std::slice::from_ref(&flight));
    }
}

#[test]
fn no_step_of_kick_drift_with_bodies_that_lie_or_hang_allocates() {
    let ball = || lying(&Shape::ball(0.1).expect("a ball"), &[0.1]);
    let stack = || lying(&Shape::cuboid([0.1, 0.1, 0.05]).expect("a box"), &[0.05, 0.15, 0.25]);
    none_allocates_by(
        "kick-drift",
        &[
            ("a ball on a floor", ball, 100, 500..=500),
            ("a stack of boxes", stack, 100, 500..=500),
            ("a pendulum", pendulum, 100, 0..=500),
            ("a chain", chain, 300, 0..=500),
        ],
    );
}

#[test]
fn no_step_of_kick_drift_without_bodies_allocates() {
    none_allocates_by(
        "kick-drift",
        &[("a mass in flight", free, 3, 0..=0), ("beads at rest", || column(3, 0.0), 300, 500..=500)],
    );
}

#[test]
fn no_bouncing_step_allocates() {
    let cases: [Case; 2] = [
        ("ball bouncing", || ball(0.3, 0.0), 400, 1..=500),
        ("bead in a corner", corner, 400, 500..=500),
    ];
    for scheme in ["moreau-jean", "moreau-paoli", "schatzman-paoli"] {
        none_allocates_by(scheme, &cases);
    }
}
