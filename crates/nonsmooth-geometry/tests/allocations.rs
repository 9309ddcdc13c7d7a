//! After warm-up neither contacts nor the broad phase allocate: every buffer is reused.
//!
//! A binary of its own, because the allocator is the one of the whole process.

// A global allocator is an unsafe trait; this one only counts and passes on to the system's.
#![allow(unsafe_code)]

use nonsmooth_geometry::broad::BroadPhase;
use nonsmooth_geometry::spatial::{BallContacts, Balls, Pose, Shape, contacts};
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

/// Allocations made by a call.
fn allocations(call: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    call();
    COUNT.with(Cell::get) - before
}

#[test]
fn contacts_of_simple_shapes_allocate_nothing() {
    let rock = [[0.5, 0.0, 0.0], [-0.4, 0.3, 0.1], [-0.3, -0.4, 0.0], [0.1, 0.0, 0.6], [0.0, 0.1, -0.5]];
    let heights = (0..100).map(|k| 0.1 * f64::from(k % 7)).collect();
    let shapes = [
        Shape::ball(0.5),
        Shape::cuboid([0.5, 0.4, 0.3]),
        Shape::capsule(0.4, 0.3),
        Shape::cylinder(0.4, 0.4),
        Shape::cone(0.4, 0.4),
        Shape::hull(&rock),
        Shape::half_space([0.0, 0.0, 1.0]),
        Shape::height_field(heights, 10, 10, [0.5; 2]),
    ]
    .map(|shape| shape.expect("a sound shape"));
    let mut out = Vec::with_capacity(1000);
    for a in &shapes {
        for b in &shapes[..6] {
            for k in 0..50 {
                let turn =
                    Pose::turned([0.3, 0.2, 0.015 * f64::from(k)], [0.3, 0.5, 0.1], 0.2 * f64::from(k));
                out.clear();
                let n = allocations(|| contacts(a, &Pose::IDENTITY, b, &turn, 0.05, &mut out));
                assert_eq!(n, 0, "{a:?} {b:?} {k}");
            }
        }
    }
}

#[test]
fn the_broad_phase_and_the_contacts_of_balls_allocate_nothing() {
    let n = 2000;
    let centre = |k: usize| [0.17, 0.31, 0.53].map(|by| 12.0 * (by * k as f64).fract());
    let mut centres: Vec<[f64; 3]> = (0..n).map(centre).collect();
    let (radii, margins) = (vec![0.5; n], vec![0.01; n]);
    let (mut bounds, mut pairs, mut found) = (Vec::new(), Vec::new(), BallContacts::default());
    let mut broad = BroadPhase::default();
    let mut step = |centres: &[[f64; 3]]| {
        let balls = Balls { centres, radii: &radii, margins: &margins };
        balls.bounds(&mut bounds);
        broad.pairs(&bounds, &margins, |_, _| true, &mut pairs);
        found.clear();
        balls.contacts(&pairs, &mut found);
        found.bodies.len()
    };
    let warm_up = step(&centres);
    assert!(warm_up > 500, "{warm_up}");
    for _ in 0..10 {
        // A common motion: other cells, the same pairs.
        centres.iter_mut().for_each(|p| p[0] += 0.37);
        assert_eq!(allocations(|| assert_eq!(step(&centres), warm_up)), 0);
    }
}
