//! Overlap of poses, measured alike for every engine: the largest −distance of any two shapes, by our own geometry.
//!
//! Poses come as text: one line per frame, the step, then x y z and w x y z of every body.

use super::scene::{Scene, Shape};
use nonsmooth_geometry::ShapeError;
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use nonsmooth_geometry::spatial::{self, Pose, distance};
use std::path::Path;

/// Prints `step,overlap_m` for every frame in the file.
pub fn overlaps(scene: &Path, frames: &Path) -> Result<(), String> {
    let scene = Scene::read(scene)?;
    let shapes = scene.bodies.iter().map(|body| &body.shape).chain(scene.fixed.iter().map(|f| &f.shape));
    let shapes: Vec<spatial::Shape> =
        shapes.map(Shape::solid).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let text =
        std::fs::read_to_string(frames).map_err(|error| format!("{}: {error}", frames.display()))?;
    println!("step,overlap_m");
    for line in text.lines() {
        let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|error| format!("{}: {error}", frames.display()))?;
        let [step, poses @ ..] = &numbers[..] else { continue };
        println!("{step},{:e}", deepest(&scene, &shapes, poses));
    }
    Ok(())
}

/// The deepest overlap [m]; 0 where nothing overlaps.
fn deepest(scene: &Scene, shapes: &[spatial::Shape], poses: &[f64]) -> f64 {
    let pose = |p: [f64; 3], r: [f64; 4]| Pose { position: p, rotation: r };
    let moving = poses.chunks_exact(7).map(|n| pose([n[0], n[1], n[2]], [n[3], n[4], n[5], n[6]]));
    let fixed = scene.fixed.iter().map(|fixed| pose(fixed.position, fixed.quaternion));
    let poses: Vec<Pose> = moving.chain(fixed).collect();
    let bounds: Vec<Bounds> =
        shapes.iter().zip(&poses).map(|(shape, pose)| shape.bounds(pose)).collect();
    let (n, margins) = (scene.bodies.len() as u32, vec![0.0; shapes.len()]);
    let mut pairs = Vec::new();
    BroadPhase::default().pairs(&bounds, &margins, |a, _| a < n, &mut pairs);
    let overlap = |&(a, b): &(u32, u32)| {
        let (a, b) = (a as usize, b as usize);
        -distance(&shapes[a], &poses[a], &shapes[b], &poses[b])
    };
    pairs.iter().map(overlap).fold(0.0, f64::max)
}

impl Shape {
    /// The same shape for our geometry.
    pub fn solid(&self) -> Result<spatial::Shape, ShapeError> {
        match self {
            Self::Ball(radius) => spatial::Shape::ball(*radius),
            Self::Box(half) => spatial::Shape::cuboid(*half),
            Self::Capsule([half, radius]) => spatial::Shape::capsule(*half, *radius),
            Self::Hull(corners) => spatial::Shape::hull(corners),
        }
    }
}
