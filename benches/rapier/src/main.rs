//! Rapier as a peer of `cargo xtask bench scenes` and `cargo xtask bench referee`.
//!
//!     rapier-peer scene SCENE.json STEPS.csv FRAMES.txt CONTACTS.txt coulomb|default
//!     rapier-peer referee
//!
//! Rapier's defaults, with the step of the scene. `coulomb` solves friction at every contact point, the law that the other
//! engines solve; `default` is Rapier's simplified friction, one per four points.

mod contacts;
mod referee;
mod scene;

use contacts::Before;
use rapier3d_f64::prelude::*;
use scene::Scene;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["scene", scene, steps, frames, contacts, friction] => {
            let friction = match friction {
                "coulomb" => FrictionModel::Coulomb,
                "default" => FrictionModel::default(),
                other => return Err(format!("no friction `{other}`").into()),
            };
            let made = run(&Scene::read(Path::new(scene))?, friction);
            std::fs::write(steps, made.steps)?;
            std::fs::write(frames, made.frames)?;
            std::fs::write(contacts, made.contacts)?;
        }
        ["referee"] => referee::print(),
        _ => return Err("usage: rapier-peer scene … | referee, see src/main.rs".into()),
    }
    Ok(())
}

/// What a run leaves behind, as text.
struct Made {
    steps: String,
    frames: String,
    contacts: String,
}

fn run(scene: &Scene, friction: FrictionModel) -> Made {
    let (mut world, bodies) = scene.world(friction);
    let mut made = Made {
        steps: "step,cpu_s,contacts,energy_j,memory_mib\n".into(),
        frames: String::new(),
        contacts: String::new(),
    };
    for step in 1..=scene.steps {
        let is_frame = scene.frames.contains(&step);
        let before = is_frame.then(|| Before::new(&world, &bodies));
        let begun = cpu();
        world.step();
        let seconds = cpu() - begun;
        let (points, energy) = (contacts::count(&world), energy(&world, &bodies));
        let _ = writeln!(made.steps, "{step},{seconds:e},{points},{energy},{}", memory());
        if let Some(before) = before {
            made.contacts += &before.after(&world, step);
            let poses: Vec<String> =
                bodies.iter().map(|body| contacts::line(world.bodies[*body].position())).collect();
            let _ = writeln!(made.frames, "{step} {}", poses.join(" "));
        }
    }
    made
}

/// Kinetic and potential energy [J].
fn energy(world: &PhysicsWorld, bodies: &[RigidBodyHandle]) -> f64 {
    let one = |handle: &RigidBodyHandle| {
        let body = &world.bodies[*handle];
        body.kinetic_energy() - body.mass() * world.gravity.dot(body.translation())
    };
    bodies.iter().map(one).sum()
}

/// Processor time of this thread [s].
fn cpu() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Most memory held so far [MiB].
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |kib| kib / 1024.0)
}
