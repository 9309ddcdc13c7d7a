//! Every listed integrator on every scene: it runs, with finite numbers and a certificate, or it says why not.

use crate::scene_files;
use nonsmooth::{INTEGRATORS, RunError, StepError};
use nonsmooth_scene::{LoadError, load_text};
use std::path::Path;

/// Most steps of each run: past the first impacts of most scenes.
const STEPS: usize = 150;
/// Velocities times inner steps after which a run ends: large models are shown a few steps only, for sixteen schemes run them.
const MOST: u64 = 20_000;

/// The scene with its `[integrator]` table replaced.
fn with_integrator(path: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(path).expect("a readable scene");
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[integrator]";
        }
        if !inside {
            kept += line;
            kept.push('\n');
        }
    }
    kept + &format!("\n[integrator]\ntype = \"{name}\"\n")
}

/// Schemes that find accelerations.
const SMOOTH: [&str; 4] = ["high-order", "event-driven", "splitting", "d1-minus"];
/// Most velocities of a model of edged bodies in these schemes, whose problems are dense: the work of a step grows with the cube of its contacts, of
/// which a box on a box has four or more.
const MOST_EDGED: u64 = 40;

/// Whether a scene has bodies with edges.
fn is_edged(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).expect("a readable scene");
    ["box", "polygon", "hull", "cylinder", "rectangle"]
        .iter()
        .any(|shape| text.contains(&format!("\"{shape}\"")))
}

/// How a pair ended.
enum Ended {
    Ran,
    /// Too large for these schemes here.
    LeftOut,
    /// Refused before the first step, or stopped by an error that the scheme is honest about.
    Refused(String),
}

fn try_pair(path: &Path, integrator: &str) -> Ended {
    let name = path.display().to_string();
    let folder = path.parent().expect("a folder").to_owned();
    let mut loaded = match load_text(&name, with_integrator(path, integrator), folder, &[]) {
        Ok(loaded) => loaded,
        Err(error @ LoadError::Scene(_)) => return Ended::Refused(error.to_string()),
        Err(error) => panic!("{name}, {integrator}: {error}"),
    };
    let n = loaded.simulation.model.n_velocities() as u64;
    if SMOOTH.contains(&integrator) && n > MOST_EDGED && is_edged(path) {
        return Ended::LeftOut;
    }
    let mut work = 0;
    for step in 1..=STEPS {
        if work > MOST {
            break;
        }
        let frame = match loaded.simulation.step() {
            Ok(frame) => frame,
            // A scheme may refuse to go on, in words; numbers must never be the reason.
            Err(RunError::Step { source: StepError::NotFinite { .. }, .. }) => {
                panic!("{name}, {integrator}, step {step}: not finite")
            }
            Err(error) => return Ended::Refused(error.to_string()),
        };
        let (after, log) = (frame.after, frame.log);
        work += n * (log.counts.steps + log.counts.rejected).max(1);
        assert!(after.q.iter().chain(&after.v).all(|x| x.is_finite()), "{name}, {integrator}, {step}");
        assert!(log.energies.kinetic.is_finite() && log.works.sum().is_finite(), "{name}, {integrator}");
        assert!(
            log.solves.iter().all(|solve| solve.residual.is_finite()),
            "{name}, {integrator}, {step}"
        );
        let carries = log.constraints.impulse.iter().any(|p| *p != 0.0);
        let smooth = ["high-order", "event-driven", "splitting"].contains(&integrator);
        // Lasting contact of schemes that track events is solved stage by stage, at acceleration level.
        assert!(
            !carries || smooth || !log.solves.is_empty(),
            "{name}, {integrator}, {step}: no certificate"
        );
    }
    Ended::Ran
}

#[test]
fn every_integrator_runs_every_scene_or_says_why_not() {
    for entry in INTEGRATORS {
        let mut ran = 0;
        for path in scene_files() {
            match try_pair(&path, entry.name) {
                Ended::Ran => ran += 1,
                Ended::LeftOut => println!("{} leaves out {}", entry.name, path.display()),
                Ended::Refused(why) => {
                    assert!(why.len() > 20 && !why.contains("panicked"), "{}: {why}", entry.name);
                    println!("{} refuses {}: {why}", entry.name, path.display());
                }
            }
        }
        println!("{}: {ran} scenes", entry.name);
        let free_only = entry.name.starts_with("euler");
        assert!(free_only || ran >= 2, "{} runs only {ran} of the scenes", entry.name);
    }
}
