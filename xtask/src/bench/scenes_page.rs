//! The page of `cargo xtask bench scenes`: one table per engine, and the ratios.

use super::csv::{Csv, Row};
use std::fmt::Write as _;

/// What one engine did on a scene. Empty where it says nothing.
#[derive(Default)]
pub(super) struct Engine {
    /// Processor time of every step [s].
    seconds: Vec<f64>,
    /// Time of every step on the clock [s].
    walls: Vec<f64>,
    /// Contacts times sweeps, over all steps.
    visits: f64,
    /// Means over the steps.
    contacts: f64,
    sweeps: Option<f64>,
    /// Of every step that has one.
    certificates: Vec<f64>,
    /// Largest at any frame [m].
    overlap: f64,
    /// Most memory of the process [MiB].
    memory: f64,
}

/// A scene and every engine that was measured on it.
pub(super) struct Measured {
    pub name: String,
    /// Certificate that is asked for.
    pub tolerance: f64,
    pub engines: Vec<(&'static str, Engine)>,
}

const NONE: &str = "–";

const INTRODUCTION: &str = "\
# Rigid bodies, ours and the peers

`cargo xtask bench scenes [NAME]...` measures every engine on the same scenes in one run and writes this page. A scene is written once as
JSON (bodies, fixed shapes, friction ½ (arch 0.7), no rebound, step 2 ms) and read by all. Spheres and capsules fall from a
shaken lattice and are settled by our engine first, so that contacts are dense, with `moreau-projected`: no engine begins with
overlaps beyond a micrometre (10 000 and more spheres with `moreau-jean`, for the sake of time). Blocks stand, and overlap by a micrometre from the start so that every contact counts. `stack-n` is
n³ cubes, every layer shifted by a quarter.

- Times are processor time of whole steps (collision detection, assembly, solve, update) on one thread; ours and Rapier's are the
  least of three runs, step by step.
- Ours: `moreau-jean`, solver `auto`, certificate 1e-4 at every step, no limit of sweeps. 10 000 spheres and more are asked for 1e-2 only,
  by all engines alike: heaps that large are not brought to 1e-4 by us in less than minutes per step.
- Siconos 4.4 is Debian's (`python3-siconos`): Bullet, Moreau–Jean with θ = ½, NSGS warm-started, iterations not limited. After every step
  our certificate of its impulses is computed and its own tolerance moved, so that it hovers about half of what is asked for. Bullet finds other
  contacts than we do, seldom more than four per pair, often fewer. It is given a limit of processor time per scene; a ratio is over the
  steps that both made, which are the first ones. In those Bullet is still finding the points where blocks touch, and Siconos makes more
  sweeps than later: where it finished few steps the ratio flatters ours; of a single step it is not counted in the mean. Where it finished none there is a dash.
- **Debian's build of Siconos has asserts live.** Most costly are checks of its graphs at every change of a contact, quadratic in
  their number. `benches/siconos_mute.c` replaces those alone by empty functions; times are given with and without. The other asserts
  stay, so both are upper bounds.
- Rapier (`rapier3d-f64` 0.36.1) runs with its defaults, its bodies never sleep. It makes a fixed number of sweeps and reports no
  residual; our certificate is computed from its contacts and impulses, with friction solved per contact point (`FrictionModel::Coulomb`). The
  time with its default, friction per group of four points, stands beside.
- Overlap is the largest of any two shapes at ten moments of the run, measured from the poses by the same program for all.
- Ours and Siconos hold velocities, not gaps. A contact that arrives with v overlaps by up to v h, 2 mm per m/s, and keeps that: the
  law asks only that it goes no deeper. Bodies that roll on each other go deeper by up to h² r ω² in every step. Both are of first order
  in h. `moreau-projected` has no overlap; it is not what is measured here.
";

impl Engine {
    /// From the tables of several runs of the same steps, and the overlaps of the frames.
    pub(super) fn new(runs: &[Csv], overlaps: &Csv) -> Self {
        let column =
            |run: &Csv, name: &str| run.rows().filter_map(|row| row.number(name)).collect::<Vec<f64>>();
        let mut engine = Self::default();
        for run in runs {
            keep_least(&mut engine.seconds, column(run, "cpu_s"));
            keep_least(&mut engine.walls, column(run, "wall_s"));
        }
        if let Some(run) = runs.first() {
            engine.contacts = mean(&column(run, "contacts")).unwrap_or(0.0);
            engine.sweeps = mean(&column(run, "iterations"));
            let visits =
                run.rows().filter_map(|row| Some(row.number("contacts")? * row.number("iterations")?));
            engine.visits = visits.sum();
            let has_contacts = |row: &Row<'_>| row.number("contacts") != Some(0.0);
            let certificates =
                run.rows().filter(has_contacts).filter_map(|row| row.number("certificate"));
            engine.certificates = certificates.collect();
            engine.memory = largest(&column(run, "memory_mib"));
        }
        engine.overlap = largest(&column(overlaps, "overlap_m"));
        engine
    }

    /// Takes the certificates that another program gave.
    pub(super) fn judged(&mut self, table: &Csv) {
        self.certificates = table.rows().filter_map(|row| row.number("certificate")).collect();
    }

    /// Mean time of the first steps [s].
    fn per_step(&self, steps: usize) -> Option<f64> {
        mean(&self.seconds[..steps.min(self.seconds.len())])
    }

    /// Share of steps with this certificate.
    fn converged(&self, tolerance: f64) -> Option<f64> {
        mean(&self.certificates.iter().map(|c| f64::from(*c <= tolerance)).collect::<Vec<_>>())
    }

    fn median(&self) -> Option<f64> {
        let mut sorted = self.certificates.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }
}

impl Measured {
    fn engine(&self, name: &str) -> Option<&Engine> {
        self.engines.iter().find(|(known, _)| *known == name).map(|(_, engine)| engine)
    }

    /// Time of a peer over ours, over the steps that both made, and their number.
    fn ratio(&self, peer: &str) -> Option<(f64, usize)> {
        let (ours, peer) = (self.engine("ours")?, self.engine(peer)?);
        let steps = ours.seconds.len().min(peer.seconds.len());
        Some((peer.per_step(steps)? / ours.per_step(steps)?, steps))
    }
}

/// Step by step the lesser of two runs.
fn keep_least(least: &mut Vec<f64>, run: Vec<f64>) {
    if least.len() == run.len() {
        least.iter_mut().zip(&run).for_each(|(least, new)| *least = least.min(*new));
    } else {
        *least = run;
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Three digits at least.
fn number(value: Option<f64>) -> String {
    match value {
        None => NONE.into(),
        Some(x) if x >= 100.0 => format!("{x:.0}"),
        Some(x) if x >= 10.0 => format!("{x:.1}"),
        Some(x) => format!("{x:.2}"),
    }
}

fn power(value: Option<f64>) -> String {
    value.map_or(NONE.into(), |x| format!("{x:.0e}"))
}

/// Rounded down, so that 100 % means all.
fn percent(value: Option<f64>) -> String {
    value.map_or(NONE.into(), |x| format!("{:.0} %", (100.0 * x).floor()))
}

/// Time per step [ms].
fn time(engine: Option<&Engine>) -> String {
    number(engine.and_then(|engine| engine.per_step(usize::MAX)).map(|seconds| 1e3 * seconds))
}

/// The whole page.
pub(super) fn page(measured: &[Measured], is_joined: bool) -> String {
    let joined = "- This page was joined from the tables of several runs, each with all engines on its scenes, on a busy machine; there the last run of every engine counts, not the least of three.\n";
    let joined = if is_joined { joined } else { "" };
    let missing: Vec<&str> =
        measured.iter().filter(|scene| scene.engines.is_empty()).map(|scene| &scene.name[..]).collect();
    let missing = match &missing[..] {
        [] => String::new(),
        names => format!("- Not measured: {}.\n", names.join(", ")),
    };
    let mut text =
        format!("{INTRODUCTION}{joined}{missing}\n{}\n{}", ratios(measured), growth(measured));
    for (engine, title) in [
        ("ours", "Ours"),
        ("siconos-muted", "Siconos, checks of its graphs silenced"),
        ("siconos", "Siconos as Debian ships it"),
        ("rapier", "Rapier, friction per contact point"),
    ] {
        let _ = write!(text, "\n## {title}\n\n{}", table(measured, engine));
    }
    text
}

fn ratios(measured: &[Measured]) -> String {
    let mut text = String::from(
        "## Ratios\n\nTime of the peer over ours: above 1 ours is faster. Rapier is not asked for a residual.\n\n\
         | scene | ours, all steps [ms/step] | Siconos, silenced | over steps | there ours [ms/step] | Siconos as shipped | over steps | Rapier, per point | Rapier, default |\n\
         | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let peers = ["siconos-muted", "siconos", "rapier", "rapier-default"];
    for scene in measured.iter().filter(|scene| !scene.engines.is_empty()) {
        let [silenced, shipped, rapier, default] =
            peers.map(|peer| number(scene.ratio(peer).map(|(ratio, _)| ratio)));
        let steps = |peer: &str| scene.engine(peer).map_or(0, |engine| engine.seconds.len());
        let ours = scene.engine("ours");
        let there = ours.and_then(|ours| ours.per_step(steps("siconos-muted"))).map(|s| 1e3 * s);
        let _ = writeln!(
            text,
            "| {} | {} | {silenced} | {} | {} | {shipped} | {} | {rapier} | {default} |",
            scene.name,
            time(ours),
            steps("siconos-muted"),
            number(there),
            steps("siconos"),
        );
    }
    let summary = |peer: &str, of: fn(&[f64]) -> f64| {
        let ratios = measured.iter().filter_map(|scene| scene.ratio(peer));
        // The first step of a heap has half of its contacts and tells little.
        let known: Vec<f64> = ratios.filter(|(_, steps)| *steps > 1).map(|(ratio, _)| ratio).collect();
        number((!known.is_empty()).then(|| of(&known)))
    };
    let geometric: fn(&[f64]) -> f64 =
        |x| (x.iter().map(|x| x.ln()).sum::<f64>() / x.len() as f64).exp();
    let least: fn(&[f64]) -> f64 = |x| x.iter().copied().fold(f64::INFINITY, f64::min);
    for (name, of) in [("geometric mean", geometric), ("least", least)] {
        let [silenced, shipped, rapier, default] = peers.map(|peer| summary(peer, of));
        let _ = writeln!(text, "| **{name}** | | {silenced} | | | {shipped} | | {rapier} | {default} |");
    }
    text
}

/// How our time grows with the contacts, and what a second thread gives.
fn growth(measured: &[Measured]) -> String {
    let mut text = String::from(
        "## Growth and threads\n\nOurs. The time per contact and sweep is that of whole steps, with collision detection and whatever \
         other methods were needed. Times of one and of two threads are on the clock.\n\n\
         | scene | contacts | sweeps | per contact and sweep [ns] | one thread [ms/step] | two threads [ms/step] | ratio |\n\
         | :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for scene in measured {
        let Some(one) = scene.engine("ours") else { continue };
        let seconds: f64 = one.seconds.iter().sum();
        let walls = [Some(one), scene.engine("ours-two")].map(|engine| mean(&engine?.walls));
        let ratio = walls[0].zip(walls[1]).map(|(one, two)| one / two);
        let _ = writeln!(
            text,
            "| {} | {:.0} | {} | {} | {} | {} | {} |",
            scene.name,
            one.contacts,
            one.sweeps.map_or(NONE.into(), |sweeps| format!("{sweeps:.0}")),
            number((one.visits > 0.0).then(|| 1e9 * seconds / one.visits)),
            number(walls[0].map(|wall| 1e3 * wall)),
            number(walls[1].map(|wall| 1e3 * wall)),
            number(ratio),
        );
    }
    text
}

fn table(measured: &[Measured], engine: &str) -> String {
    let mut text = String::from(
        "| scene | steps | time [ms/step] | contacts | sweeps | certificate, median | largest | as asked for | overlap [mm] | memory [MiB] |\n\
         | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for scene in measured {
        let Some(found) = scene.engine(engine).filter(|found| !found.seconds.is_empty()) else {
            continue;
        };
        let most = (!found.certificates.is_empty()).then(|| largest(&found.certificates));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {} | {} | {} | {} | {:.2} | {:.0} |",
            scene.name,
            found.seconds.len(),
            time(Some(found)),
            found.contacts,
            found.sweeps.map_or(NONE.into(), |sweeps| format!("{sweeps:.0}")),
            power(found.median()),
            power(most),
            percent(found.converged(scene.tolerance)),
            1e3 * found.overlap,
            found.memory,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(steps: &[&str], overlaps: &str) -> Engine {
        let tables: Vec<Csv> = steps.iter().map(|text| Csv::parse(text).unwrap()).collect();
        Engine::new(&tables, &Csv::parse(overlaps).unwrap())
    }

    #[test]
    fn ratios_are_over_the_steps_that_both_made() {
        let head = "step,cpu_s,wall_s,contacts,iterations,certificate,memory_mib\n";
        let ours = [
            format!("{head}1,1e-3,2e-3,0,0,,5\n2,4e-3,6e-3,8,10,5e-5,6\n"),
            format!("{head}1,2e-3,2e-3,0,0,,5\n2,3e-3,4e-3,8,10,5e-5,6\n"),
        ];
        let two = engine(&[&format!("{head}1,1e-3,1e-3,0,0,,5\n2,4e-3,2e-3,8,10,5e-5,6\n")], "step\n");
        let ours = engine(&[&ours[0], &ours[1]], "step,overlap_m\n2,1e-4\n");
        let theirs = engine(&[&format!("{head}1,2e-2,2e-2,7,20,3e-4,90\n")], "step,overlap_m\n");
        let rapier = format!("{head}1,1e-3,1e-3,0,0,,5\n2,2e-3,2e-3,8,10,5e-5,6\n");
        let rapier = engine(&[&rapier], "step\n");
        let engines = vec![("ours", ours), ("ours-two", two), ("siconos", theirs), ("rapier", rapier)];
        let none = Measured { name: "b".into(), tolerance: 1e-4, engines: Vec::new() };
        let page = page(&[Measured { name: "a".into(), tolerance: 1e-4, engines }, none], true);
        for part in [
            "- Not measured: b.",
            "| a | 2.00 | – | 0 | – | 20.0 | 1 | 0.75 | – |",
            // One step alone is not in the mean.
            "| **geometric mean** | | – | | | – | | 0.75 | – |",
            // 4 ms over 8 contacts and 10 sweeps; 3 ms per step on the clock with one thread, 1.5 ms with two.
            "| a | 4 | 5 | 50000 | 3.00 | 1.50 | 2.00 |",
            "| a | 2 | 2.00 | 4 | 5 | 5e-5 | 5e-5 | 100 % | 0.10 | 6 |",
            "| a | 1 | 20.0 | 7 | 20 | 3e-4 | 3e-4 | 0 % | 0.00 | 90 |",
        ] {
            assert!(page.contains(part), "`{part}` is not in\n{page}");
        }
    }
}
