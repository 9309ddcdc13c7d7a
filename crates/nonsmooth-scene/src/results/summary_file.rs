//! `summary.json`: how far a run can be trusted, for other programs.

use super::gap_names;
use super::segments::Segment;
use crate::build::Loaded;
use nonsmooth::Model;
use nonsmooth::observers::{EnergyLedger, ErrorEstimate, Summary};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the file in the output folder.
pub const SUMMARY_FILE: &str = "summary.json";

/// How a run ended.
pub(crate) struct Ending {
    /// `finished`, `interrupted` or `failed`.
    pub(crate) status: &'static str,
    /// What failed.
    pub(crate) error: Option<String>,
    /// Step from which it was resumed.
    pub(crate) resumed_from: Option<u64>,
    /// Wall and processor time of this call [s].
    pub(crate) times: [f64; 2],
    /// Parts of the run with one set of settings each.
    pub(crate) segments: Vec<Segment>,
}

/// The whole summary. Times in s, lengths in m, energies in J. What the observers that the scene left out would know is null.
#[derive(Serialize)]
pub(crate) struct SummaryFile<'a> {
    /// Steps above the tolerance.
    unconverged: Option<u64>,
    largest_residual: Option<f64>,
    largest_residual_time: Option<f64>,
    tolerance: f64,
    version: &'static str,
    title: &'a str,
    status: &'static str,
    error: Option<String>,
    steps: u64,
    end_time: f64,
    step_size: f64,
    scheme: &'a str,
    solver: &'a str,
    largest_overlap: Option<f64>,
    /// Of the smaller bounding radius of the moving bodies of a pair, the largest of all pairs; of a constraint there is no size.
    largest_overlap_of_size: Option<f64>,
    largest_overlap_time: Option<f64>,
    largest_overlap_names: Vec<String>,
    impacts: Option<u64>,
    most_constraints: Option<usize>,
    newton_iterations: Option<u64>,
    energy: Option<BTreeMap<&'static str, f64>>,
    /// Error of velocities and angles over about a period of the motion, relative to their size.
    error_estimate: Option<f64>,
    step_size_for_one_percent: Option<f64>,
    /// Why there is no estimate.
    no_error_estimate: Option<String>,
    warnings: Option<Vec<Warning<'a>>>,
    resumed_from: Option<u64>,
    segments: Vec<Segment>,
    wall_time: f64,
    cpu_time: f64,
}

/// Something to look at.
#[derive(Serialize)]
struct Warning<'a> {
    what: &'a str,
    count: u64,
    worst: Option<f64>,
    worst_time: Option<f64>,
    names: &'a [String],
}

impl<'a> SummaryFile<'a> {
    /// Gathers everything.
    pub(crate) fn new(
        loaded: &'a Loaded,
        (summary, ledger): (Option<&'a Summary>, Option<&EnergyLedger>),
        estimate: &Result<ErrorEstimate, String>,
        ending: Ending,
    ) -> Self {
        let Loaded { simulation, methods, .. } = loaded;
        let overlap = summary.map(|summary| Overlap::of(&simulation.model, summary));
        let (largest_overlap, largest_overlap_of_size, largest_overlap_time, names) = match overlap {
            Some(Overlap { depth, of_size, t, names }) => (Some(depth), of_size, t, names),
            None => (None, None, None, Vec::new()),
        };
        let Ending { status, error, resumed_from, times: [wall_time, cpu_time], segments } = ending;
        Self {
            unconverged: summary.map(|s| s.unconverged),
            largest_residual: summary.map(|s| s.residual),
            largest_residual_time: summary.map(|s| s.residual_at),
            tolerance: loaded.tolerance,
            version: env!("CARGO_PKG_VERSION"),
            title: &loaded.title,
            status,
            error,
            steps: simulation.state.step,
            end_time: simulation.state.t,
            step_size: loaded.step_size,
            scheme: &methods.0,
            solver: &methods.1,
            largest_overlap,
            largest_overlap_of_size,
            largest_overlap_time,
            largest_overlap_names: names,
            impacts: summary.map(|s| s.impacts),
            most_constraints: summary.map(|s| s.most_constraints),
            newton_iterations: summary.map(|s| s.newton_iterations),
            energy: ledger.map(energy),
            error_estimate: estimate.as_ref().ok().map(|e| e.relative),
            step_size_for_one_percent: estimate.as_ref().ok().map(|e| e.step_size_for_one_percent),
            no_error_estimate: estimate.as_ref().err().cloned(),
            warnings: summary.map(warnings),
            resumed_from,
            segments,
            wall_time,
            cpu_time,
        }
    }

    /// Writes the file into `folder`.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(folder.join(SUMMARY_FILE), text + "\n")
    }
}

/// The largest overlap of two bodies or of a constraint.
struct Overlap {
    depth: f64,
    of_size: Option<f64>,
    t: Option<f64>,
    names: Vec<String>,
}

impl Overlap {
    fn of(model: &Model, summary: &Summary) -> Self {
        let of_size = summary.overlap_at.map(|_| summary.relative_overlap);
        match (overlap_at(model, summary), penetration_at(model, summary)) {
            (Some((names, t)), _) if summary.overlap >= summary.penetration => {
                Self { depth: summary.overlap, of_size, t: Some(t), names: names.to_vec() }
            }
            (_, Some((name, t))) => {
                Self { depth: summary.penetration, of_size, t: Some(t), names: vec![name] }
            }
            _ => Self { depth: 0.0, of_size, t: None, names: Vec::new() },
        }
    }
}

/// Names of the two bodies with the largest overlap, and when [s].
pub(crate) fn overlap_at(model: &Model, summary: &Summary) -> Option<([String; 2], f64)> {
    let (id, t) = summary.overlap_at?;
    let on = |k: u32| model.rigid.colliders.get(k as usize).map(|row| row.on);
    let name = |k: u32| on(k).map_or(String::new(), |on| model.rigid.name(on).to_owned());
    Some((id.colliders().map(name), t))
}

/// Name of the constraint with the largest penetration, and when [s].
pub(crate) fn penetration_at(model: &Model, summary: &Summary) -> Option<(String, f64)> {
    let (place, t) = summary.penetration_at?;
    gap_names(model).get(place).map(|name| (name.clone(), t))
}

fn energy(ledger: &EnergyLedger) -> BTreeMap<&'static str, f64> {
    let mut numbers = BTreeMap::from([
        ("kinetic_at_start", ledger.initial.kinetic),
        ("potential_at_start", ledger.initial.potential),
        ("kinetic", ledger.energies.kinetic),
        ("potential", ledger.energies.potential),
        ("remainder", ledger.remainder),
        ("worst_remainder", ledger.worst_remainder),
        ("scale", ledger.scale),
    ]);
    numbers.extend(ledger.total.columns());
    numbers
}

fn warnings(summary: &Summary) -> Vec<Warning<'_>> {
    let mut found = Vec::new();
    if summary.unconverged > 0 {
        found.push(Warning {
            what: "steps above the tolerance of the solver",
            count: summary.unconverged,
            worst: Some(summary.residual),
            worst_time: Some(summary.residual_at),
            names: &[],
        });
    }
    if summary.separating_impulses > 0 {
        found.push(Warning {
            what: "steps with impulses on separating contacts",
            count: summary.separating_impulses,
            worst: None,
            worst_time: None,
            names: &[],
        });
    }
    found.extend(summary.notes.iter().map(|note| Warning {
        what: &note.what,
        count: note.count,
        worst: Some(note.largest),
        worst_time: Some(note.largest_at),
        names: &note.names,
    }));
    found
}
