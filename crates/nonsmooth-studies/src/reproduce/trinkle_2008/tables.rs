//! The four tables: a unit mass under a unit force, from rest at 0, with steps of 1.
//!
//! ```text
//! v⁺ = v + 1 − λ⁺,   x⁺ = x + v⁺,   0 ≤ λ⁺ ⟂ ψ⁺ ≥ 0,   ψ = 11 + w t − x
//! ```
//!
//! Every number is a small whole one, so that nothing is rounded.

use crate::reproduce::paper::{Section, number};
use crate::reproduce::schemes::Schemes;
use nonsmooth::Model;
use nonsmooth::State;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Gap, Linear, ModelBuilder, ModelError, UserError};
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth_draw::plot::{Figure, Item};
use std::sync::Arc;

/// ψ = at + w t − x.
struct Wall {
    at: f64,
    w: f64,
}

impl Gap for Wall {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.at + self.w * t - q[0])
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = -1.0;
        Ok(())
    }
    fn rate(&self, _t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(self.w)
    }
    fn is_linear(&self) -> bool {
        true
    }
}

fn cart(wall: Option<Wall>) -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    let cart = builder.linear(Linear::new("cart", Sparse::diagonal(&[1.0])).load(&[1.0]));
    let law = builder.law("wall", NewtonImpact { restitution: 0.0 });
    if let Some(wall) = wall {
        builder.gap("wall", law, &[(cart, 0)], wall);
    }
    builder.build(0.0)
}

/// A column of a table of the notes and ours, from row `first` on.
struct Column {
    name: &'static str,
    first: usize,
    notes: &'static [f64],
    here: Vec<f64>,
}

/// Puts the columns beside each other, and judges every number.
fn compare(place: &'static str, columns: &[Column], section: &mut Section) {
    let head = columns.iter().flat_map(|c| [format!("{}, notes", c.name), format!("{}, here", c.name)]);
    section.table.push(std::iter::once("l".to_owned()).chain(head).collect());
    let rows = columns.iter().map(|c| c.first + c.notes.len()).max().unwrap_or(0);
    let cell = |x: Option<&f64>| x.map_or("not computed".to_owned(), |x| number(*x));
    for l in 0..rows {
        let pair = |c: &Column| {
            let at = |x: &[f64]| cell(l.checked_sub(c.first).and_then(|l| x.get(l)));
            [at(c.notes), at(&c.here)]
        };
        section
            .table
            .push(std::iter::once(l.to_string()).chain(columns.iter().flat_map(pair)).collect());
    }
    for Column { name, first, notes, here } in columns {
        let what = format!("{name}, l = {first} … {}", first + notes.len() - 1);
        section.all_close(place, &what, here, notes, (0.0, "small whole numbers: nothing is rounded"));
    }
}

fn positions(run: &Trajectory) -> Vec<f64> {
    run.q.iter().map(|q| q[0]).collect()
}

fn velocities(run: &Trajectory) -> Vec<f64> {
    run.v.iter().map(|v| v[0]).collect()
}

fn free(schemes: &Schemes, name: &str, n: u64) -> anyhow::Result<Trajectory> {
    schemes.run((name, &Options::default()), cart(None)?, 1.0, n)
}

fn against(schemes: &Schemes, wall: Wall, h: f64, n: u64) -> anyhow::Result<Trajectory> {
    schemes.run(("stewart-trinkle", &Options::default()), cart(Some(wall))?, h, n)
}

/// Explicit Euler.
pub(in crate::reproduce) fn explicit(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Table of explicit Euler",
        "x⁺ = x + v, v⁺ = v + 1: the first step does not move the particle, since it begins at rest.",
    );
    let run = free(schemes, "euler-explicit", 5)?;
    let columns = [
        Column { name: "x", first: 0, notes: &[0.0, 0.0, 1.0, 3.0, 6.0, 10.0], here: positions(&run) },
        Column { name: "v", first: 0, notes: &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], here: velocities(&run) },
    ];
    compare("table 1", &columns, &mut section);
    Ok(section)
}

/// Semi-implicit Euler.
pub(in crate::reproduce) fn semi_implicit(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Table of semi-implicit Euler",
        "v⁺ = v + 1 first, then x⁺ = x + v⁺. The exact motion t²/2 lies in the middle between the two methods.",
    );
    let run = free(schemes, "euler-semi-implicit", 5)?;
    let columns = [
        Column {
            name: "x",
            first: 0,
            notes: &[0.0, 1.0, 3.0, 6.0, 10.0],
            here: positions(&run)[..5].into(),
        },
        Column {
            name: "v",
            first: 0,
            notes: &[0.0, 1.0, 2.0, 3.0, 4.0],
            here: velocities(&run)[..5].into(),
        },
    ];
    compare("table 2", &columns, &mut section);
    section.all_close(
        "before table 3",
        "x at the next step “with no wall”",
        &[run.q[5][0]],
        &[15.0],
        (0.0, "small whole numbers: nothing is rounded"),
    );
    let other = free(schemes, "euler-explicit", 5)?;
    let marked = |label: &str, run: &Trajectory| Item::Marked {
        label: label.into(),
        points: run.t.iter().copied().zip(positions(run)).collect(),
    };
    let parabola = (0..=100).map(|k| 0.05 * f64::from(k)).map(|t| (t, 0.5 * t * t)).collect();
    let items = vec![
        Item::Dashed { label: "exact, t²/2".into(), points: parabola },
        marked("explicit", &other),
        marked("semi-implicit", &run),
    ];
    let figure = Figure {
        x_label: "time t [s]".into(),
        y_label: "position x [m]".into(),
        items,
        ..Figure::default()
    };
    section.figure(
        "trinkle-2008-euler",
        figure,
        "Explicit and semi-implicit Euler on either side of the exact motion",
    );
    Ok(section)
}

/// x with the wall and without it, and the contact force.
fn draw(
    name: &str,
    run: &Trajectory,
    free: &Trajectory,
    wall: &dyn Fn(f64) -> f64,
    section: &mut Section,
) {
    let figure = |y_label: &str, items| Figure {
        x_label: "time t [s]".into(),
        y_label: y_label.into(),
        items,
        ..Figure::default()
    };
    let end = run.t.last().copied().unwrap_or(0.0);
    let points = |run: &Trajectory| run.t.iter().copied().zip(positions(run)).collect::<Vec<_>>();
    let items = vec![
        Item::Dashed { label: "wall".into(), points: vec![(0.0, wall(0.0)), (end, wall(end))] },
        Item::Marked {
            label: "with no wall".into(),
            points: points(free).split_off(free.t.len().saturating_sub(2)),
        },
        Item::Marked { label: "particle".into(), points: points(run) },
    ];
    section.figure(name, figure("position x [m]", items), "Position, step by step");
    let force =
        run.t.iter().zip(&run.impulses).map(|(t, p)| (*t, p[0])).filter(|(_, p)| *p > 0.0).collect();
    let items = vec![
        Item::Stems { label: "force λ [N]".into(), points: force },
        Item::Marked {
            label: "velocity v [m/s]".into(),
            points: run.t.iter().copied().zip(velocities(run)).collect(),
        },
    ];
    section.figure(
        &format!("{name}-force"),
        figure("force, velocity", items),
        "Velocity, and the force that changes it",
    );
}

/// Steps whose force is larger than in the steady state: those of the impact.
fn impact_steps(run: &Trajectory) -> f64 {
    run.impulses.iter().filter(|p| p[0] > 1.0).count() as f64
}

fn columns(run: &Trajectory, notes: [&'static [f64]; 4]) -> [Column; 4] {
    let [x, v, gap, force] = notes;
    let gaps = run.gaps.iter().map(|gap| gap[0]).collect();
    let forces = run.impulses.iter().skip(1).map(|p| p[0]).collect();
    [
        Column { name: "x", first: 0, notes: x, here: positions(run) },
        Column { name: "v", first: 0, notes: v, here: velocities(run) },
        Column { name: "ψ", first: 0, notes: gap, here: gaps },
        Column { name: "λ", first: 1, notes: force, here: forces },
    ]
}

/// Stewart–Trinkle, wall at 11.
pub(in crate::reproduce) fn fixed_wall(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Table of Stewart–Trinkle, wall at 11",
        "The impact takes two steps, one to arrive at ψ = 0 and one to lose the velocity that is left; then λ = F for all time. \
         It takes one step only where a step happens to end at the wall.",
    );
    let run = against(schemes, Wall { at: 11.0, w: 0.0 }, 1.0, 7)?;
    let notes: [&[f64]; 4] = [
        &[0.0, 1.0, 3.0, 6.0, 10.0, 11.0, 11.0, 11.0],
        &[0.0, 1.0, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0],
        &[11.0, 10.0, 8.0, 5.0, 1.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 4.0, 2.0, 1.0],
    ];
    compare("table 3", &columns(&run, notes), &mut section);
    section.all_close(
        "after table 3",
        "steps to complete the impact",
        &[impact_steps(&run)],
        &[2.0],
        (0.0, "a count"),
    );
    let landing = against(schemes, Wall { at: 10.0, w: 0.0 }, 1.0, 7)?;
    let what = "steps to complete the impact, wall at 10";
    section.all_close("after table 3", what, &[impact_steps(&landing)], &[1.0], (0.0, "a count"));
    let long = against(schemes, Wall { at: 11.0, w: 0.0 }, 0.25, 100)?;
    let force = long.impulses.last().map_or(f64::NAN, |p| p[0]) / 0.25;
    section.all_close(
        "steady state",
        "force λ = F after 100 steps of ¼ [N]",
        &[force],
        &[1.0],
        (0.0, "quarters: nothing is rounded"),
    );
    draw("trinkle-2008-wall", &run, &free(schemes, "euler-semi-implicit", 5)?, &|_| 11.0, &mut section);
    Ok(section)
}

/// Stewart–Trinkle, wall at 11 − t.
pub(in crate::reproduce) fn moving_wall(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Table of Stewart–Trinkle, wall at 11 − t",
        "The linearised gap is exact here. The wall meets the particle, takes it along, and ends with λ = F and v = v_w.",
    );
    let run = against(schemes, Wall { at: 11.0, w: -1.0 }, 1.0, 6)?;
    let notes: [&[f64]; 4] = [
        &[0.0, 1.0, 3.0, 6.0, 7.0, 6.0, 5.0],
        &[0.0, 1.0, 2.0, 3.0, 1.0, -1.0, -1.0],
        &[11.0, 9.0, 6.0, 2.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 3.0, 3.0, 1.0],
    ];
    compare("table 4", &columns(&run, notes), &mut section);
    let what = "steps: anticipate impact, complete impact";
    section.all_close("table 4", what, &[impact_steps(&run)], &[2.0], (0.0, "a count"));
    let free = free(schemes, "euler-semi-implicit", 4)?;
    draw("trinkle-2008-moving-wall", &run, &free, &|t| 11.0 - t, &mut section);
    Ok(section)
}
