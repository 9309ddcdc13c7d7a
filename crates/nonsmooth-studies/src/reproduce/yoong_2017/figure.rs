//! Figure 2: displacements, velocities, energy and contact impulses of both schemes.
//!
//! ```text
//! E^{i+1} − E^i = u̇₂^{i+½} R^{i+1}                                                                      (4)
//! ```

use super::{energy, masses, modified, standard};
use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::Options;
use nonsmooth_draw::plot::{Figure, Item, with_jumps};

const STEP: f64 = 1.0 / 500.0;
/// How long the schemes are watched, and how much of it is drawn [s].
const END: f64 = 100.0;
const DRAWN: f64 = 32.0;

fn run(schemes: &Schemes, (name, options): (&'static str, Options)) -> anyhow::Result<Trajectory> {
    schemes.run((name, &options), masses()?, STEP, (END / STEP).round() as u64)
}

fn energies(run: &Trajectory) -> Vec<f64> {
    run.q.iter().zip(&run.v).map(|(q, v)| energy(q, v)).collect()
}

/// Steps that end with an impulse after one without.
fn closings(run: &Trajectory) -> Vec<usize> {
    (1..run.t.len()).filter(|&k| run.impulses[k][0] > 0.0 && run.impulses[k - 1][0] == 0.0).collect()
}

/// Displacements, velocities, energy, impulses.
pub(in crate::reproduce) fn figure_2(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Figure 2: standard and modified scheme",
        "The first impact takes half of the energy. The standard scheme goes on losing some at every closing, until the second mass \
         hardly touches the wall. The modified scheme keeps all of it, and soon repeats itself.",
    );
    let runs = [run(schemes, modified())?, run(schemes, standard())?];
    let large = run(schemes, ("moreau-energy", Options::default().with_word("root", "large")))?;
    let drift =
        |run: &Trajectory| energies(run).iter().fold(0.0f64, |m, e| m.max((e / 100.0 - 1.0).abs()));
    section.at_most(
        "fig. 2, energy",
        "largest change of the energy, modified, relative",
        drift(&runs[0]),
        (1e-12, "rounding of 50 000 steps"),
    );
    section.at_most(
        "eq. (7)",
        "largest change of the energy with the larger root, relative",
        drift(&large),
        (1e-12, "rounding of 50 000 steps"),
    );
    judge_standard(&runs[1], &mut section);
    let stick = closings(&runs[0]).first().map_or(f64::NAN, |k| runs[0].q[k + 100][1]);
    section.close("eq. (3c)", "u₂ during the first stick, modified [m]", stick, 1.02999, (1e-5, "six digits, from an independent program: contact is found at the start of a step only, and what has entered stays"));
    draw(&runs, &mut section);
    Ok(section)
}

/// Energy goes at closings, at every one, and nowhere else.
fn judge_standard(run: &Trajectory, section: &mut Section) {
    let (energies, closings) = (energies(run), closings(run));
    let balance = |k: usize| {
        let mean = 0.5 * (run.v[k - 1][1] + run.v[k][1]);
        // R = −p.
        (energies[k] - energies[k - 1] + mean * run.impulses[k][0]).abs()
    };
    // Rounding of energies of size 100.
    let worst = (1..run.t.len()).map(balance).fold(0.0, f64::max);
    section.at_most(
        "eq. (4)",
        "largest |ΔE − u̇₂^{i+½} R|, standard [J]",
        worst,
        (1e-12, "rounding of energies of size 100"),
    );
    let first = closings.first().copied().unwrap_or(1);
    section.close(
        "fig. 2, energy",
        "energy lost in the first closing, ½ m u̇₂² [J]",
        energies[first - 1] - energies[first],
        50.0,
        (0.01, "the springs are nearly relaxed: u̇₂ is 10 m/s up to the 0.1 s of the way to the wall"),
    );
    let lossy = closings.iter().filter(|&&k| energies[k] < energies[k - 1]).count();
    let what = format!("closings that lose energy, standard, of {}", closings.len());
    section.all_close(
        "fig. 2, energy",
        &what,
        &[lossy as f64],
        &[closings.len() as f64],
        (0.0, "a count"),
    );
    let elsewhere = (1..run.t.len()).filter(|k| !closings.contains(k));
    let worst = elsewhere.map(|k| (energies[k] - energies[k - 1]).abs()).fold(0.0, f64::max);
    section.at_most(
        "fig. 2, energy",
        "largest change of the energy in any other step, standard [J]",
        worst,
        (1e-12, "rounding of energies of size 100"),
    );
}

/// Both schemes in the same colours throughout.
fn draw(runs: &[Trajectory; 2], section: &mut Section) {
    let n = (DRAWN / STEP) as usize;
    let labels = ["modified", "standard"];
    let figure = |y_label: &str, items| Figure {
        x_label: "time t [s]".into(),
        y_label: y_label.into(),
        items,
        size: (1000, 420),
        ..Figure::default()
    };
    let lines = |points: &dyn Fn(&Trajectory) -> Vec<(f64, f64)>| -> Vec<Item> {
        let line =
            |(run, label): (&Trajectory, &str)| Item::Line { label: label.into(), points: points(run) };
        runs.iter().zip(labels).map(line).collect()
    };
    for mass in [0, 1] {
        let displacement =
            |run: &Trajectory| run.t.iter().zip(&run.q).map(|(t, u)| (*t, u[mass])).take(n).collect();
        let name = format!("yoong-2017-displacement-{}", mass + 1);
        let y_label = format!("displacement of mass {} [m]", mass + 1);
        section.figure(
            &name,
            figure(&y_label, lines(&displacement)),
            &format!("Figure 2: displacement of mass {}", mass + 1),
        );
    }
    for mass in [0, 1] {
        let velocity = |run: &Trajectory| {
            let v: Vec<f64> = run.v.iter().map(|v| v[mass]).take(n).collect();
            let hits: Vec<f64> = closings(run).iter().filter(|k| **k < n).map(|k| run.t[*k]).collect();
            with_jumps(&run.t[..n], &v, &hits)
        };
        let name = format!("yoong-2017-velocity-{}", mass + 1);
        let y_label = format!("velocity of mass {} [m/s]", mass + 1);
        section.figure(
            &name,
            figure(&y_label, lines(&velocity)),
            &format!("Figure 2: velocity of mass {}", mass + 1),
        );
    }
    let total = |run: &Trajectory| run.t.iter().copied().zip(energies(run)).take(n).collect();
    section.figure("yoong-2017-energy", figure("energy [J]", lines(&total)), "Figure 2: energy");
    let hits = |(run, label): (&Trajectory, &str)| {
        let closings = closings(run).into_iter().take_while(|k| *k < n);
        Item::Stems {
            label: label.into(),
            points: closings.map(|k| (run.t[k], -run.impulses[k][0])).collect(),
        }
    };
    let items = runs.iter().zip(labels).map(hits).collect();
    let caption = "Figure 2: contact impulses R of the steps that close the contact";
    section.figure("yoong-2017-impulse", figure("impulse R [N·s]", items), caption);
    let force = |run: &Trajectory| {
        let closings = closings(run);
        let stays = |k: usize| if closings.contains(&k) { 0.0 } else { -run.impulses[k][0] / STEP };
        (0..n).map(|k| (run.t[k], stays(k))).collect()
    };
    let caption = "Figure 2: contact force R/h while the contact stays closed";
    section.figure("yoong-2017-force", figure("force R/h [N]", lines(&force)), caption);
}
