//! Nonsmooth surfaces: why a half-space is not a good model of a corner, and the layer that selects imminent contacts.

use crate::reproduce::paper::Section;
use crate::reproduce::plan::plan;
use crate::reproduce::schemes::Schemes;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{ConvexRegion, Gap, Linear, LinearContact, ModelBuilder, UserError};
use nonsmooth::observers::{Summary, Trajectory};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{Model, Simulation, State};
use nonsmooth_draw::plot::{Figure, Item};
use std::sync::Arc;

const SQUARE: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

struct Boxed(Box<dyn Gap>);

impl Gap for Boxed {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        self.0.gap(t, q)
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.jacobian(t, q, out)
    }
    fn is_linear(&self) -> bool {
        self.0.is_linear()
    }
}

/// A unit mass in the plane, from (q, v).
fn particle(
    gaps: Vec<Box<dyn Gap>>,
    load: [f64; 2],
    q: [f64; 2],
    v: [f64; 2],
) -> anyhow::Result<(Arc<Model>, State)> {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::diagonal(&[1.0; 2]);
    let particle = builder.linear(Linear::new("particle", mass).load(&load).initial(&q, &v));
    let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
    for (i, gap) in gaps.into_iter().enumerate() {
        builder.gap(&format!("gap {i}"), law, &[(particle, 0), (particle, 1)], Boxed(gap));
    }
    Ok(builder.build(0.0)?)
}

fn path(run: &Trajectory) -> Vec<(f64, f64)> {
    run.q.iter().map(|q| (q[0], q[1])).collect()
}

/// Off the corner of a square.
pub(in crate::reproduce) fn convex(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "nonsmooth surface";
    let mut section = Section::new(
        "A corner: a half-space is not a good model",
        "A particle slides over the top of a square at 0.7 m/s and off its corner, under unit gravity. With the half-space of \
         the top face in place of the square it never falls; with the distance to the square as ψ it does.",
    );
    let (h, n, speed) = (0.02, 150, 0.7);
    let slide = |gap: Box<dyn Gap>| -> anyhow::Result<Trajectory> {
        let made = particle(vec![gap], [0.0, -1.0], [0.0, 1.0], [speed, 0.0])?;
        schemes.run(("stewart-trinkle", &Options::default()), made, h, n)
    };
    let top = LinearContact { normal: vec![0.0, 1.0], offset: -1.0, tangents: Vec::new() };
    let square = ConvexRegion::polygon(&SQUARE)?;
    let (half_space, distance) = (slide(Box::new(top))?, slide(Box::new(square))?);
    let end = |run: &Trajectory| run.q.last().map_or([f64::NAN; 2], |q| [q[0], q[1]]);
    section.all_close(
        PLACE,
        "height at t = 3, half-space [m]",
        &[end(&half_space)[1]],
        &[1.0],
        (0.0, "the top is at 1 exactly, and the solve has one unknown"),
    );
    let [x, y] = end(&distance);
    let fall = 3.0 - 1.0 / speed;
    // It leaves up to a step late, and semi-implicit Euler adds ½ h to the velocity.
    let late = 1.5 * h * fall;
    section.close(
        PLACE,
        "height at t = 3, distance: 1 − (3 − 1/0.7)²/2 [m]",
        y,
        1.0 - 0.5 * fall * fall,
        (late, "it leaves up to a step late, and semi-implicit Euler adds ½ h to the velocity: 1.5 h times the velocity of the fall"),
    );
    section.close(
        PLACE,
        "way at t = 3, distance: 0.7 · 3 [m]",
        x,
        2.1,
        (h * fall, "the rounded corner of ψ turns a little of the fall into way, within one step"),
    );
    let deepest = distance.gaps.iter().fold(0.0f64, |m, gap| m.max(-gap[0]));
    section.at_most(
        PLACE,
        "largest penetration, distance [m]",
        deepest,
        (1e-13, "rounding of distances of size 3"),
    );
    let outline = vec![(0.0, 1.0), (1.0, 1.0), (1.0, end(&distance)[1])];
    let items = vec![
        Item::Dashed { label: "square".into(), points: outline },
        Item::Line { label: "half-space".into(), points: path(&half_space) },
        Item::Line { label: "distance to the square".into(), points: path(&distance) },
    ];
    section.figure("trinkle-2008-corner", plan(items), "Off the corner of a square");
    Ok(section)
}

/// A room of side 2 whose walls take part within `distance`.
fn room(schemes: &Schemes, distance: f64, (h, n): (f64, u64)) -> anyhow::Result<(Trajectory, Summary)> {
    let walls = ConvexRegion::polygon(&SQUARE)?.inside();
    let walls = walls.into_iter().map(|wall| Box::new(wall) as Box<dyn Gap>).collect();
    let (model, state) = particle(walls, [0.5, -1.0], [0.0; 2], [0.37, 0.23])?;
    let integrator =
        schemes.make("stewart-trinkle", &Options::default().with("activation_distance", distance))?;
    let mut simulation = Simulation::new(model, state, integrator, h)?;
    let (mut run, mut summary) = (Trajectory::default(), Summary::default());
    simulation.run(n, &mut [&mut run, &mut summary])?;
    Ok((run, summary))
}

/// The layer of imminent contacts.
pub(in crate::reproduce) fn imminent(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "boundary layer";
    let mut section = Section::new(
        "The layer of imminent contacts",
        "A particle is thrown into the corner of a room and comes to rest there. Only walls within a layer take part in a step. A \
         layer as thick as the longest step of the particle changes nothing but the size of the problem. Without a layer a wall \
         is seen only once it is behind the particle: it enters by d < h v, and the next step throws it out at d/h, a bounce \
         although nothing is elastic.",
    );
    let (h, n) = (0.05, 160);
    let ((all, everything), (thick, selected)) =
        (room(schemes, f64::INFINITY, (h, n))?, room(schemes, 0.1, (h, n))?);
    let far = all.q.iter().zip(&thick.q).map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs()));
    section.at_most(
        PLACE,
        "difference of the paths with all walls and with a layer of 0.1 m [m]",
        far.fold(0.0, f64::max),
        (1e-14, "problems of another size are solved with other rounding"),
    );
    let most = |summary: &Summary| summary.most_constraints as f64;
    section.all_close(
        PLACE,
        "most contacts in a step, all walls and layer",
        &[most(&everything), most(&selected)],
        &[4.0, 2.0],
        (0.0, "counts"),
    );
    let last = thick.q.last().map_or([f64::NAN; 2], |q| [q[0], q[1]]);
    section.all_close(
        PLACE,
        "where the particle comes to rest [m]",
        &last,
        &[1.0, -1.0],
        (1e-13, "rounding of coordinates of size 1, over 160 steps"),
    );
    let (thin, _) = room(schemes, 0.0, (h, n))?;
    let enters = thin.gaps.iter().position(|gaps| gaps[0] < 0.0).unwrap_or(0);
    let (depth, out) = (-thin.gaps[enters][0], thin.v.get(enters + 1).map_or(f64::NAN, |v| v[1]));
    section.close(
        PLACE,
        "velocity d/h with which the floor throws it out, no layer [m/s]",
        out,
        depth / h,
        (1e-13, "rounding of velocities of size 1, over h"),
    );
    section.at_most(
        PLACE,
        "depth d of the first step inside, < h v [m]",
        depth,
        (h * thin.v[enters][1].abs(), "the way of one step"),
    );
    // From just before the first contact until it rests in both runs.
    let height = |run: &Trajectory| -> Vec<(f64, f64)> {
        run.t.iter().copied().zip(run.q.iter().map(|q| q[1])).skip(29).take(42).collect()
    };
    let items = vec![
        Item::Line { label: "layer of 0.1 m".into(), points: height(&thick) },
        Item::Marked { label: "no layer".into(), points: height(&thin) },
    ];
    let (x_label, y_label) = ("time t [s]".into(), "height y [m]".into());
    let figure = Figure { x_label, y_label, items, ..Figure::default() };
    section.figure(
        "trinkle-2008-layer",
        figure,
        "Without a layer the floor throws the particle out again and again",
    );
    Ok(section)
}
