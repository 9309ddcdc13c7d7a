//! Stacked blocks that stand under their weight: W is singular, and Gauss–Seidel is slow.
//!
//! They overlap by a micrometre, so that every contact counts from the first step on in every engine.

use super::scene::{Scene, Shape, UPRIGHT};
use std::f64::consts::PI;

/// Overlap of neighbours [m].
const OVERLAP: f64 = 1e-6;

/// Height of the centre of a block [m] of half the height `half`, in this layer.
fn height(half: f64, layer: usize) -> f64 {
    half * (2 * layer + 1) as f64 - OVERLAP * (layer + 1) as f64
}

/// n layers of n × n cubes. Every layer is moved by a quarter of the pitch, in x and y by turns, so that a cube rests
/// on two and the whole is one island.
pub fn stack(n: usize, steps: u64) -> Scene {
    let mut scene = Scene::new(&format!("stack-{n}"), 0, steps);
    let (half, pitch) = (0.1, 0.22);
    let middle = 0.5 * (n - 1) as f64;
    for layer in 0..n {
        let [x, y] = [[0.0, 0.0], [0.25, 0.0], [0.25, 0.25], [0.0, 0.25]][layer % 4];
        for k in 0..n * n {
            let at = [(k % n) as f64 + x - middle, (k / n) as f64 + y - middle];
            let z = height(half, layer);
            scene.body(Shape::Box([half; 3]), [pitch * at[0], pitch * at[1], z], UPRIGHT);
        }
    }
    scene.floor(pitch * n as f64);
    scene
}

/// A wall of running bond, with half bricks at the ends of every second course; head joints are 2 mm open.
pub fn wall(courses: usize, bricks: usize, steps: u64) -> Scene {
    let mut scene = Scene::new("wall", 0, steps);
    let (half, joint) = ([0.2, 0.1, 0.1], 0.002);
    let pitch = 2.0 * half[0] + joint;
    for course in 0..courses {
        let z = height(half[2], course);
        let mut brick = |left: f64, right: f64| {
            let size = [0.5 * (right - left - joint), half[1], half[2]];
            scene.body(Shape::Box(size), [0.5 * (left + right), 0.0, z], UPRIGHT);
        };
        if course % 2 == 0 {
            (0..bricks).for_each(|k| brick(pitch * k as f64, pitch * (k + 1) as f64));
        } else {
            brick(0.0, 0.5 * pitch);
            (1..bricks).for_each(|k| brick(pitch * (k as f64 - 0.5), pitch * (k as f64 + 0.5)));
            brick(pitch * (bricks as f64 - 0.5), pitch * bricks as f64);
        }
    }
    scene.floor(pitch * (bricks + 1) as f64);
    scene
}

/// A half circle of voussoirs on the floor: thickness over mean radius 0.22, twice what stands.
pub fn arch(voussoirs: usize, steps: u64) -> Scene {
    let mut scene = Scene::new("arch", 0, steps);
    scene.friction = 0.7;
    let (inner, outer, depth) = (1.0, 1.25, 0.2);
    let half = 0.5 * PI / voussoirs as f64;
    // Outline of one, in its own axes: z outwards, x along the arch, origin in the centre of mass.
    let (low, high, sine) = (inner * half.cos(), outer * half.cos(), half.sin());
    let [narrow, wide] = [inner * sine, outer * sine];
    let centre = low + (high - low) / 3.0 * (narrow + 2.0 * wide) / (narrow + wide);
    let [narrow, wide] = [narrow + 0.5 * OVERLAP, wide + 0.5 * OVERLAP];
    let outline = [[-narrow, low], [narrow, low], [wide, high], [-wide, high]];
    let corners = [-depth, depth].map(|y| outline.map(|[x, z]| [x, y, z - centre]));
    for k in 0..voussoirs {
        // From the left springing to the right, turned about y.
        let angle = half * (2 * k + 1) as f64 - 0.5 * PI;
        let quaternion = [(0.5 * angle).cos(), 0.0, (0.5 * angle).sin(), 0.0];
        let position = [centre * angle.sin(), 0.0, centre * angle.cos()];
        scene.body(Shape::Hull(corners.concat()), position, quaternion);
    }
    scene.floor(3.0);
    scene
}

/// Layers of three planks, crosswise by turns.
pub fn tower(layers: usize, steps: u64) -> Scene {
    let mut scene = Scene::new("tower", 0, steps);
    let half = [0.375, 0.12, 0.075];
    for layer in 0..layers {
        for k in [-1.0, 0.0, 1.0] {
            let (aside, z) = (0.25 * k, height(half[2], layer));
            let is_across = layer % 2 == 1;
            let size = if is_across { [half[1], half[0], half[2]] } else { half };
            let position = if is_across { [aside, 0.0, z] } else { [0.0, aside, z] };
            scene.body(Shape::Box(size), position, UPRIGHT);
        }
    }
    scene.floor(3.0);
    scene
}
