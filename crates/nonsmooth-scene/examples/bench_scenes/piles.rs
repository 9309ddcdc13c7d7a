//! Loose things in a box: a lattice, shaken a little, that falls and settles.

use super::random::Random;
use super::scene::{Scene, Shape, UPRIGHT};

/// Radius of the spheres, and of the capsules [m].
const RADIUS: f64 = 0.05;

/// Spheres from which certificates of `LOOSE` are asked for: to 1e-4 a step of such a heap takes minutes.
const MANY: usize = 10_000;
const LOOSE: f64 = 1e-2;

/// `n` spheres in a box about as high as wide.
pub fn spheres(n: usize, settle: u64, steps: u64) -> Scene {
    let mut scene = Scene::new(&format!("spheres-{n}"), settle, steps);
    if n >= MANY {
        scene.tolerance = LOOSE;
    }
    fill(&mut scene, n, 2.2 * RADIUS, |_| (Shape::Ball(RADIUS), UPRIGHT));
    scene
}

/// `n` capsules, every one turned at random.
pub fn capsules(n: usize, settle: u64, steps: u64) -> Scene {
    let mut scene = Scene::new(&format!("capsules-{n}"), settle, steps);
    let half = 0.1;
    let pitch = 2.2 * (half + RADIUS);
    fill(&mut scene, n, pitch, |random| (Shape::Capsule([half, RADIUS]), random.rotation()));
    scene
}

/// A cubic lattice of `n` bodies in a box that it just fits, each moved by up to 4 % of the pitch, so that none touch.
fn fill(
    scene: &mut Scene,
    n: usize,
    pitch: f64,
    mut body: impl FnMut(&mut Random) -> (Shape, [f64; 4]),
) {
    let side = (1..=n).find(|side| side.pow(3) >= n).unwrap_or(1);
    let half = 0.5 * pitch * side as f64;
    let mut random = Random::new(n as u64);
    for k in 0..n {
        let cell = [k % side, k / side % side, k / (side * side)];
        let shift = random.vector(0.04 * pitch);
        let [x, y, z] = [0, 1, 2].map(|axis| (cell[axis] as f64 + 0.5) * pitch + shift[axis]);
        let (shape, quaternion) = body(&mut random);
        scene.body(shape, [x - half, y - half, z], quaternion);
        if let Some(last) = scene.bodies.last_mut() {
            last.velocity = random.vector(0.5);
        }
    }
    scene.floor(half + 1.0);
    scene.walls(half, pitch * (side as f64 + 2.0));
}
