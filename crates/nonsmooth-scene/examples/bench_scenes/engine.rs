//! Our engine on a scene: `moreau-projected` until it has settled, then `moreau-jean`, both with `auto`.

use super::scene::{Scene, Shape};
use nonsmooth::laws::Coulomb;
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::solvers::Options;
use nonsmooth::{Observation, Policy, Simulation, SolverSettings};
use nonsmooth_solvers::Status;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// Overlap that the projection leaves while a scene settles [m]: as much as blocks begin with.
const CLOSED: f64 = 1e-6;
/// Bodies from which a scene settles without projection: it would take hours otherwise.
const MANY: usize = 5000;

/// A run with this scheme and this solver. Steps that miss the tolerance are counted.
pub fn simulation_with(
    scene: &Scene,
    (scheme, options): (&str, &Options),
    solver: &str,
) -> Result<Simulation, String> {
    let mut builder = ModelBuilder::new();
    builder.gravity(scene.gravity);
    // Blocks begin with an overlap, and what has settled has one.
    builder.allow_initial_violation();
    let material = builder.material("all");
    let (friction, restitution) = (scene.friction, scene.restitution);
    let law = builder.law("all", Coulomb { friction, restitution, ..Coulomb::default() });
    builder.default_pair(law);
    let part = |shape: &Shape| {
        shape
            .solid()
            .map(|solid| vec![Collider::space(solid, material)])
            .map_err(|error| error.to_string())
    };
    for (k, body) in scene.bodies.iter().enumerate() {
        let [x, y, z] = body.inertia;
        let inertia = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
        builder.body(Body {
            position: body.position,
            rotation: body.quaternion,
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
            colliders: part(&body.shape)?,
            ..Body::new(&format!("body {k}"), body.mass, inertia)
        });
    }
    for (k, fixed) in scene.fixed.iter().enumerate() {
        let ground = KinematicBody::new(&format!("fixed {k}"), part(&fixed.shape)?);
        builder.kinematic(KinematicBody {
            position: fixed.position,
            rotation: fixed.quaternion,
            ..ground
        });
    }
    let (model, state) = builder.build(0.0).map_err(|error| error.to_string())?;
    let solver = nonsmooth_solvers::find(solver).ok_or_else(|| format!("no solver `{solver}`"))?;
    let solver = solver.build(&Options::default()).expect("defaults are valid");
    let solving = SolverSettings { solver, tolerance: scene.tolerance, policy: Policy::Count };
    let entry = nonsmooth::integrators::find(scheme).ok_or_else(|| format!("{scheme} is not listed"))?;
    let integrator = entry.build(options, solving).expect("the options are valid");
    Simulation::new(model, state, integrator, scene.step_size).map_err(|error| error.to_string())
}

/// Makes the steps before the measurement, and leaves their end in the scene. With projection where there are not too
/// many bodies, so that no engine begins with overlaps of another: those of impacts, v h, would stay.
pub fn settle(scene: &mut Scene) -> Result<(), String> {
    let mut simulation = if scene.bodies.len() < MANY {
        let options = Options::default().with("projection_tolerance", CLOSED);
        simulation_with(scene, ("moreau-projected", &options), "auto")?
    } else {
        simulation_with(scene, ("moreau-jean", &Options::default()), "auto")?
    };
    simulation.run(scene.settle, &mut []).map_err(|error| error.to_string())?;
    let state = &simulation.state;
    for (k, body) in scene.bodies.iter_mut().enumerate() {
        let (q, v) = (&state.q[7 * k..7 * k + 7], &state.v[6 * k..6 * k + 6]);
        body.position = [q[0], q[1], q[2]];
        body.quaternion = [q[3], q[4], q[5], q[6]];
        body.velocity = [v[0], v[1], v[2]];
        body.angular_velocity = [v[3], v[4], v[5]];
    }
    Ok(())
}

/// Measures every step, and writes a table of them and the poses of some.
pub fn run(scene: &Path, table: &Path, frames: &Path, solver: &str) -> Result<(), String> {
    let scene = Scene::read(scene)?;
    let mut simulation = simulation_with(&scene, ("moreau-jean", &Options::default()), solver)?;
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let create = |path: &Path| std::fs::File::create(path).map_err(|error| named(path, error));
    let (mut rows, mut poses) = (create(table)?, create(frames)?);
    let head =
        "step,cpu_s,wall_s,contacts,iterations,certificate,method,is_converged,energy_j,memory_mib";
    writeln!(rows, "{head}").map_err(|error| named(table, error))?;
    for step in 1..=scene.steps {
        let (begun, clock) = (cpu(), Instant::now());
        let frame = simulation.step().map_err(|error| error.to_string())?;
        let (seconds, wall) = (cpu() - begun, clock.elapsed().as_secs_f64());
        writeln!(rows, "{step},{seconds:e},{wall:e},{},{}", row(&frame), memory())
            .map_err(|error| named(table, error))?;
        if scene.frames.contains(&step) {
            let numbers: Vec<String> = frame.after.q.iter().map(f64::to_string).collect();
            writeln!(poses, "{step} {}", numbers.join(" ")).map_err(|error| named(frames, error))?;
        }
    }
    Ok(())
}

/// contacts, iterations, certificate, method, whether it converged, energy.
fn row(frame: &Observation<'_>) -> String {
    let energy = frame.log.energies.kinetic + frame.log.energies.potential;
    let contacts = frame.log.constraints.len();
    let Some(solve) = frame.log.solves.first() else { return format!("{contacts},0,0,,true,{energy}") };
    let is_converged = solve.status == Status::Converged;
    format!(
        "{contacts},{},{:e},{},{is_converged},{energy}",
        solve.iterations, solve.residual, solve.method
    )
}

/// Processor time of this process [s]; without such a clock, time.
fn cpu() -> f64 {
    #[cfg(unix)]
    {
        let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID);
        now.map_or(f64::NAN, |now| now.tv_sec() as f64 + 1e-9 * now.tv_nsec() as f64)
    }
    #[cfg(not(unix))]
    {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(f64::NAN, |now| now.as_secs_f64())
    }
}

/// Most memory held so far [MiB].
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}
