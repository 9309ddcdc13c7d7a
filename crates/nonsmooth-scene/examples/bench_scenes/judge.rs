//! Our certificate of another engine's impulses.
//!
//! The step's problem is rebuilt from what the engine wrote down: poses and velocities before the step, contact points with
//! normals, arms and gaps, impulses over the step. With M = diag(m, m, m, I₁, I₂, I₃) in body axes,
//!
//! ```text
//! u_free = J (v + h g) + g_N⁺/h n,   certificate of p for  K ∋ p ⟂ W p + u_free + μ‖u_T‖ n ∈ K*
//! ```
//!
//! The term g_N⁺/h lets a contact that is still open close within the step, as engines that detect contacts ahead allow.
//! Friction needs impulses per contact point. Restitution is 0 in all scenes; gyroscopic terms are left out.

use super::scene::Scene;
use nonsmooth_geometry::spatial::frame;
use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse, certify};
use std::path::Path;

type Vector = [f64; 3];

/// A step as an engine wrote it down.
#[derive(Default)]
struct Step {
    number: u64,
    /// Pose (x y z, w x y z), velocity, angular velocity.
    bodies: Vec<[f64; 13]>,
    /// Bodies a and b (negative: fixed), normal, arms of a and b, impulse on b, gap.
    contacts: Vec<[f64; 15]>,
}

/// Prints `step,certificate` for every step in the file.
pub fn judge(scene: &Path, steps: &Path) -> Result<(), String> {
    let scene = Scene::read(scene)?;
    let text =
        std::fs::read_to_string(steps).map_err(|error| format!("{}: {error}", steps.display()))?;
    println!("step,certificate");
    for step in parse(&text)? {
        println!("{},{:e}", step.number, certificate(&scene, &step)?);
    }
    Ok(())
}

fn parse(text: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').ok_or("a line holds one word only")?;
        let numbers: Result<Vec<f64>, _> = rest.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|error| format!("`{line}`: {error}"))?;
        let wrong = |_| format!("`{line}`: wrong number of numbers");
        match (kind, steps.last_mut()) {
            ("step", _) => steps.push(Step { number: numbers[0] as u64, ..Step::default() }),
            ("body", Some(step)) => step.bodies.push(numbers.try_into().map_err(wrong)?),
            ("contact", Some(step)) => step.contacts.push(numbers.try_into().map_err(wrong)?),
            _ => return Err(format!("`{line}` is not understood")),
        }
    }
    Ok(steps)
}

fn certificate(scene: &Scene, step: &Step) -> Result<f64, String> {
    let n = step.bodies.len();
    let mut mass = Vec::new();
    for (k, body) in scene.bodies.iter().enumerate() {
        let diagonal = [[body.mass; 3], body.inertia].concat();
        mass.extend(diagonal.iter().enumerate().map(|(i, m)| (6 * k + i, 6 * k + i, *m)));
    }
    let mut v_free = Vec::with_capacity(6 * n);
    for body in &step.bodies {
        v_free.extend((0..3).map(|i| body[7 + i] + scene.step_size * scene.gravity[i]));
        v_free.extend(to_body(body, [body[10], body[11], body[12]]));
    }
    let (mut jacobian, mut offset, mut p) = (Vec::new(), Vec::new(), Vec::new());
    for (c, contact) in step.contacts.iter().enumerate() {
        let three = |at: usize| [contact[at], contact[at + 1], contact[at + 2]];
        for (i, axis) in frame(three(2)).into_iter().enumerate() {
            for (sign, body, arm) in [(-1.0, contact[0], three(5)), (1.0, contact[1], three(8))] {
                if body >= 0.0 {
                    let (k, turn) =
                        (body as usize, to_body(&step.bodies[body as usize], cross(arm, axis)));
                    let row = axis.into_iter().chain(turn).enumerate();
                    jacobian.extend(row.map(|(j, x)| (3 * c + i, 6 * k + j, sign * x)));
                }
            }
            p.push(dot(axis, three(11)));
            offset.push(if i == 0 { contact[14].max(0.0) / scene.step_size } else { 0.0 });
        }
    }
    let sparse = |rows: usize, entries: &[(usize, usize, f64)]| {
        Sparse::from_triplets(rows, 6 * n, entries).map_err(|error| error.to_string())
    };
    let (mass, jacobian) = (sparse(6 * n, &mass)?, sparse(p.len(), &jacobian)?);
    let u_free: Vec<f64> = (0..p.len()).map(|i| jacobian.row_dot(i, &v_free) + offset[i]).collect();
    let sets = vec![Set::Coulomb3 { mu: scene.friction }; step.contacts.len()];
    let factored = Primal::new(mass, jacobian).map_err(|error| error.to_string())?;
    let problem = Problem::posed(Delassus::from_primal(factored, true), u_free, sets)
        .map_err(|error| error.to_string())?;
    Ok(certify(&problem, &p, &mut Vec::new()).residual)
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A vector of the world in the body's axes: x − 2w (r × x) + 2 r × (r × x) for the quaternion (w, r).
fn to_body(body: &[f64; 13], x: Vector) -> Vector {
    let (w, r) = (body[3], [body[4], body[5], body[6]]);
    let once = cross(r, x);
    let twice = cross(r, once);
    [0, 1, 2].map(|i| x[i] - 2.0 * w * once[i] + 2.0 * twice[i])
}
