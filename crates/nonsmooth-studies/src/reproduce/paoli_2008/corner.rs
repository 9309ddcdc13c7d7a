//! Several constraints: a point thrown into a corner, inside and outside (H'5).
//!
//! ```text
//! (∇g_a, M⁻¹∇g_b) ≤ 0 if e = 0,   = 0 if e > 0                                                        (H'5)
//! ```
//!
//! The point flies along u = −(M⁻¹n_a/‖n_a‖ + M⁻¹n_b/‖n_b‖), which loads both walls n·q ≥ 0 alike; into the tip itself
//! proj(V, u) = 0, so that u⁺ = −e u. A little to either side it meets one wall before the other.

use super::pendulum::{dot, solve};
use crate::reproduce::paper::{Section, number};
use crate::reproduce::plan::plan;
use crate::reproduce::schemes::Schemes;
use nonsmooth::Model;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder, ModelError};
use nonsmooth::observers::{Summary, Trajectory};
use nonsmooth::solvers::Options;
use nonsmooth::solvers::Sparse;
use nonsmooth::{Simulation, State};
use nonsmooth_draw::plot::Item;
use std::sync::Arc;

type Vec2 = [f64; 2];

const UNIT: [Vec2; 2] = [[1.0, 0.0], [0.0, 1.0]];
/// M⁻¹ = [1, −0.7; −0.7, 2]/1.51.
const COUPLED: [Vec2; 2] = [[2.0, 0.7], [0.7, 1.0]];

/// A handful of projections of numbers of size 1.
const ROUNDING: f64 = 1e-14;

/// Small beside the way from one wall to the other [s].
const STEP: f64 = 1.3e-3;

/// Two walls through the origin.
struct Corner {
    name: &'static str,
    mass: [Vec2; 2],
    normals: [Vec2; 2],
    e: f64,
    /// Cosine of the kinetic angle of the gradients.
    cosine: f64,
}

/// Walls along the x-axis and along the direction `degrees`, the point between them; M = 1.
fn opening(name: &'static str, degrees: f64, e: f64) -> Corner {
    let (s, c) = degrees.to_radians().sin_cos();
    Corner { name, mass: UNIT, normals: [[0.0, 1.0], [s, -c]], e, cosine: -c }
}

/// How a throw ended.
struct Thrown {
    v: Vec2,
    run: Trajectory,
    summary: Summary,
}

impl Corner {
    fn model(&self, q: Vec2, v: Vec2) -> Result<(Arc<Model>, State), ModelError> {
        let mut builder = ModelBuilder::new();
        let mass = Sparse::from_rows(&self.mass.map(|row| row.to_vec()));
        let point = builder.linear(Linear::new("point", mass).initial(&q, &v));
        let law = builder.law("rebound", NewtonImpact { restitution: self.e });
        for (name, n) in ["first wall", "second wall"].iter().zip(self.normals) {
            builder.linear_gap(name, law, &[(point, 0, n[0]), (point, 1, n[1])], 0.0);
        }
        builder.build(0.0)
    }

    /// The unit velocity towards the tip.
    fn dart(&self) -> Vec2 {
        let unit = |n: Vec2| {
            let x = solve(self.mass, n);
            x.map(|x| x / dot(n, solve(self.mass, n)).sqrt())
        };
        let [a, b] = self.normals.map(unit);
        let sum = [a[0] + b[0], a[1] + b[1]];
        sum.map(|x| -x / dot(sum, sum).sqrt())
    }

    /// Where a throw begins, 1 m from the tip and `offset` beside the line through it.
    fn start(&self, offset: f64) -> Vec2 {
        let [x, y] = self.dart();
        [-x - offset * y, -y + offset * x]
    }

    /// The offset of this size with which wall `first` is met first.
    fn aside(&self, size: f64, first: usize) -> f64 {
        let (q, v) = (self.start(size), self.dart());
        let [a, b] = self.normals.map(|n| -dot(n, q) / dot(n, v));
        if (a < b) == (first == 0) { size } else { -size }
    }

    fn throw(&self, schemes: &Schemes, offset: f64) -> anyhow::Result<Thrown> {
        let (model, state) = self.model(self.start(offset), self.dart())?;
        let integrator = schemes.make("moreau-paoli", &Options::default())?;
        let mut simulation = Simulation::new(model, state, integrator, STEP)?;
        let (mut run, mut summary) = (Trajectory::default(), Summary::default());
        simulation.run((2.0 / STEP) as u64, &mut [&mut run, &mut summary])?;
        Ok(Thrown { v: [simulation.state.v[0], simulation.state.v[1]], run, summary })
    }

    /// The velocity after Newton's law at one wall after the other, for as long as one is approached.
    fn one_after_the_other(&self, first: usize) -> Vec2 {
        let mut v = self.dart();
        for k in first.. {
            let n = self.normals[k % 2];
            let out = solve(self.mass, n);
            let size = (1.0 + self.e) * dot(n, v) / dot(n, out);
            v = [0, 1].map(|i| v[i] - size * out[i]);
            let left = self.normals.iter().fold(0.0f64, |m, n| m.min(dot(*n, v)));
            // With e = 0 in an acute corner the sequence goes on, to 0.
            if left > -1e-16 {
                break;
            }
        }
        v
    }
}

fn breaches(summary: &Summary) -> u64 {
    summary.notes.iter().filter(|note| note.what.contains("H'5")).map(|note| note.count).sum()
}

fn shown(x: f64) -> String {
    number(if x.abs() < ROUNDING { 0.0 } else { x })
}

/// Throws a point to either side of the tip and into it; judges angles, velocities and notes.
fn judge(
    schemes: &Schemes,
    corner: &Corner,
    is_inside: bool,
    section: &mut Section,
) -> anyhow::Result<()> {
    let Corner { name, e, .. } = corner;
    let (model, state) = corner.model([0.0; 2], [0.0; 2])?;
    let angles = model.kinetic_angles(&state, 0.0)?;
    let cosine = angles.cosines.first().map_or(0.0, |(_, _, cosine)| *cosine);
    let found = [angles.rank as f64, cosine];
    let what = format!("independent gradients, kinetic cosine: {name}");
    section
        .all_close(
            "(H'4), (H'5)",
            &what,
            &found,
            &[2.0, corner.cosine],
            (ROUNDING, "rounding of a handful of projections of numbers of size 1"),
        )
        .arithmetic();
    let tip = corner.dart().map(|u| -e * u);
    let (mut velocities, mut expected, mut noted) = (Vec::new(), Vec::new(), 0);
    for (offset, limit) in [
        (corner.aside(0.02, 0), if is_inside { tip } else { corner.one_after_the_other(0) }),
        (corner.aside(0.02, 1), if is_inside { tip } else { corner.one_after_the_other(1) }),
        (0.0, tip),
    ] {
        let thrown = corner.throw(schemes, offset)?;
        velocities.push(thrown.v);
        expected.push(limit);
        noted += breaches(&thrown.summary);
    }
    let what = format!("velocities after, in the order of the table, e = {e}, {name} [m/s]");
    section.all_close(
        "continuity on data",
        &what,
        &velocities.concat(),
        &expected.concat(),
        (ROUNDING, "rounding of a handful of projections of numbers of size 1"),
    );
    let cells = vec![(*name).to_owned(), number(*e)];
    let vectors = velocities.iter().map(|v| format!("({})", v.map(shown).join(", ")));
    section.table.push(cells.into_iter().chain([shown(cosine)]).chain(vectors).collect());
    let what = format!("steps noted as against (H'5), e = {e}, {name}");
    if is_inside {
        section.all_close("(H'5)", &what, &[noted as f64], &[0.0], (0.0, "a count"));
    } else {
        section.at_least("(H'5)", &what, noted as f64, (1.0, "a count"));
    }
    Ok(())
}

fn head(section: &mut Section) {
    let head = [
        "corner",
        "e",
        "kinetic cosine",
        "u⁺, first wall first",
        "u⁺, second wall first",
        "u⁺, into the tip",
    ];
    section.table.push(head.map(str::to_owned).to_vec());
}

/// Three throws as paths in the plane.
fn draw(
    schemes: &Schemes,
    corner: &Corner,
    name: &str,
    caption: &str,
    section: &mut Section,
) -> anyhow::Result<()> {
    // The walls, each away from the side that the other forbids.
    let wall = |k: usize| {
        let along = [corner.normals[k][1], -corner.normals[k][0]];
        let sign = dot(along, corner.normals[1 - k]).signum();
        along.map(|x| sign * x)
    };
    let [a, b] = [0, 1].map(wall);
    let walls = vec![(a[0], a[1]), (0.0, 0.0), (b[0], b[1])];
    let mut items = vec![Item::Dashed { label: "walls".into(), points: walls }];
    let throws = [
        ("first wall first", corner.aside(0.1, 0)),
        ("second wall first", corner.aside(0.1, 1)),
        ("into the tip", 0.0),
    ];
    for (label, offset) in throws {
        let run = corner.throw(schemes, offset)?.run;
        let points = run.q.iter().map(|q| (q[0], q[1])).take_while(|q| q.0.hypot(q.1) < 1.01).collect();
        items.push(Item::Line { label: label.into(), points });
    }
    section.figure(name, plan(items), caption);
    Ok(())
}

/// M = [2, 0.7; 0.7, 1] and the wall that is orthogonal to y ≥ 0 in its metric.
fn kinetic_right_angle() -> Corner {
    let length = 2.0f64.hypot(0.7);
    let normals = [[0.0, 1.0], [2.0 / length, 0.7 / length]];
    Corner { name: "109°, right in the metric of M", mass: COUPLED, normals, e: 0.5, cosine: 0.0 }
}

/// Corners in which the limit does not depend on the wall that is hit first.
pub(in crate::reproduce) fn inside(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Corners inside (H'5)",
        "A point is thrown into a corner at 1 m/s, 2 cm to either side of its tip and into it. Whichever wall is met first, the \
         velocity afterwards is the same, −e u: continuity on data. What counts is the kinetic angle: with \
         M = [2, 0.7; 0.7, 1] a corner of 109° is a right one.",
    );
    head(&mut section);
    let corners = [
        opening("90°", 90.0, 0.0),
        opening("90°", 90.0, 0.5),
        opening("90°", 90.0, 1.0),
        opening("60°", 60.0, 0.0),
        opening("40°", 40.0, 0.0),
        kinetic_right_angle(),
    ];
    for corner in &corners {
        judge(schemes, corner, true, &mut section)?;
    }
    let caption = "90°, e = ½: three throws 10 cm apart come back side by side";
    draw(schemes, &corners[1], "paoli-2008-inside", caption, &mut section)?;
    Ok(section)
}

/// Corners in which it does: an example, no convergence is claimed.
pub(in crate::reproduce) fn outside(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Corners outside (H'5)",
        "The same throws where (H'5) fails. The scheme still follows Newton's law at one wall after the other, but the limit \
         depends on which is met first, and a third one waits at the tip: “the motion is not continuous with respect to initial \
         data”. Nothing is said about convergence here. The last line shows (H'4) failing: three walls through one point of the \
         plane.",
    );
    head(&mut section);
    let slanted = -0.7 / 2f64.sqrt();
    let corners = [
        opening("120°", 120.0, 0.0),
        opening("60°", 60.0, 0.5),
        Corner {
            name: "90°, not right in the metric of M",
            mass: COUPLED,
            normals: [[0.0, 1.0], [1.0, 0.0]],
            e: 0.5,
            cosine: slanted,
        },
    ];
    for corner in &corners {
        judge(schemes, corner, false, &mut section)?;
    }
    let caption =
        "120°, e = 0: three throws 10 cm apart leave along one wall, along the other, and not at all";
    draw(schemes, &corners[0], "paoli-2008-outside", caption, &mut section)?;
    let mut builder = ModelBuilder::new();
    let point = builder.linear(Linear::new("point", Sparse::diagonal(&[1.0; 2])));
    let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
    for n in [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]] {
        builder.linear_gap("wall", law, &[(point, 0, n[0]), (point, 1, n[1])], 0.0);
    }
    let (model, state) = builder.build(0.0)?;
    let angles = model.kinetic_angles(&state, 0.0)?;
    let found = [angles.closed.len() as f64, angles.rank as f64];
    section
        .all_close(
            "(H'4)",
            "closed walls and independent gradients, three walls",
            &found,
            &[3.0, 2.0],
            (0.0, "counts"),
        )
        .arithmetic();
    Ok(section)
}
