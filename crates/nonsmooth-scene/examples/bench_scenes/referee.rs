//! The referee problems in our engine, each printed as `problem,setting,parameter,value`: see `benches/referee.py`.

use super::engine::simulation_with;
use super::scene::{Scene, Shape, UPRIGHT};
use nonsmooth::solvers::Options;

const STEP: f64 = 1e-3;
const HALF: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// Prints every number. The solver's tolerance is the default of a run, not that of the bench of scenes.
pub fn print() -> Result<(), String> {
    println!("problem,setting,parameter,value");
    for scheme in ["moreau-jean", "moreau-projected"] {
        let row = |problem: &str, parameter: f64, value: f64| {
            println!("{problem},{scheme} 1 ms,{parameter},{value:e}");
        };
        for e in [0.0, 0.3, 0.6, 0.9, 1.0] {
            row("rebound", e, rebound(scheme, e)?);
        }
        row("creep", 0.4, creep(scheme, 0.4)?);
        let (distance, rise) = slide(scheme)?;
        row("slide", 6.0, distance);
        row("rise", 6.0, rise);
    }
    Ok(())
}

/// A floor, and one body with its lowest point at a height, of a mass.
fn scene(shape: Shape, height: f64, mass: f64) -> Scene {
    let mut scene = Scene::new("referee", 0, 0);
    (scene.step_size, scene.tolerance) = (STEP, nonsmooth::DEFAULT_TOLERANCE);
    scene.floor(50.0);
    scene.body(shape, [0.0, 0.0, height + HALF], UPRIGHT);
    for body in &mut scene.bodies {
        let scale = mass / body.mass;
        (body.mass, body.inertia) = (mass, body.inertia.map(|moment| scale * moment));
    }
    scene
}

/// Height of the lowest point of the ball at the top of the first rebound.
fn rebound(scheme: &str, e: f64) -> Result<f64, String> {
    let mut scene = scene(Shape::Ball(HALF), 1.0, 1.0);
    scene.restitution = e;
    let mut run = simulation_with(&scene, (scheme, &Options::default()), "auto")?;
    let (mut has_bounced, mut top) = (false, f64::NEG_INFINITY);
    for _ in 0..3000 {
        let frame = run.step().map_err(|error| error.to_string())?;
        let (before, after) = (frame.before.v[2], frame.after.v[2]);
        has_bounced |= after > before;
        if has_bounced {
            top = top.max(frame.after.q[2] - HALF);
            // Falling again: the top is behind.
            if after < before && before < 0.0 {
                break;
            }
        }
    }
    Ok(top)
}

/// Way down a slope of this tangent in 60 s, after one second.
fn creep(scheme: &str, slope: f64) -> Result<f64, String> {
    let mut scene = scene(Shape::Box([HALF; 3]), 0.0, 1.0);
    let angle = slope.atan();
    scene.gravity = [GRAVITY * angle.sin(), 0.0, -GRAVITY * angle.cos()];
    let mut run = simulation_with(&scene, (scheme, &Options::default()), "auto")?;
    run.run(1000, &mut []).map_err(|error| error.to_string())?;
    let start = run.state.q[0];
    run.run(60_000, &mut []).map_err(|error| error.to_string())?;
    Ok(run.state.q[0] - start)
}

/// Distance slid in 3 s, and the largest height of any lower corner.
fn slide(scheme: &str) -> Result<(f64, f64), String> {
    let mut scene = scene(Shape::Box([HALF; 3]), 0.0, 1.0);
    scene.bodies.iter_mut().for_each(|body| body.velocity = [6.0, 0.0, 0.0]);
    let mut run = simulation_with(&scene, (scheme, &Options::default()), "auto")?;
    let mut rise = f64::NEG_INFINITY;
    for _ in 0..3000 {
        let frame = run.step().map_err(|error| error.to_string())?;
        let q = &frame.after.q;
        let [w, x, y, z] = [q[3], q[4], q[5], q[6]];
        // Third row of the rotation.
        let up = [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z];
        for (a, b) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            rise = f64::max(rise, q[2] + HALF * (a * up[0] + b * up[1] - up[2]));
        }
    }
    Ok((run.state.q[0], rise))
}
