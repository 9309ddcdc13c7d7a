//! The trust summary: what was done and how far it can be believed.

use nonsmooth::Works;
use nonsmooth::observers::{EnergyLedger, Noted, Summary};
use nonsmooth_scene::Finished;
use nonsmooth_studies::command::short;
use std::fmt::Write as _;

/// The table at the end of a run.
pub(crate) fn table(
    finished: &Finished,
    methods: &(String, String),
    tolerance: f64,
    seconds: f64,
) -> String {
    let mut out = match &finished.report.summary {
        Some(summary) => solved(finished, summary, tolerance),
        None => row("steps above tolerance", LEFT_OUT),
    };
    let mut line = |name: &str, value: String| out += &row(name, &value);
    line("scheme, solver", format!("{}, {}", methods.0, methods.1));
    line("steps", format!("{}, to t = {} s", finished.steps, short(finished.t)));
    if let Some(from) = finished.resumed_from {
        line("resumed from step", from.to_string());
    }
    if let (n_bodies @ 1.., present) = finished.bodies {
        line("bodies", format!("{n_bodies}, at the end {present} are present"));
    }
    out += &finished.report.summary.as_ref().map_or(String::new(), |summary| watched(finished, summary));
    out += &finished.report.ledger.as_ref().map_or_else(|| row("energy ledger", LEFT_OUT), ledger);
    out += &row("error of the step size", &error_of_step_size(finished));
    let rate = (finished.steps - finished.resumed_from.unwrap_or(0)) as f64 / seconds.max(1e-9);
    out + &row("time", &format!("{seconds:.4} s, {rate:.3e} steps/s, output included"))
}

/// What stands where the scene left out who would know.
const LEFT_OUT: &str = "not known: left out by output.without";

/// A line of the table.
fn row(name: &str, value: &str) -> String {
    format!("  {name:<24}{value}\n")
}

/// First of all: how far the steps are solved.
fn solved(finished: &Finished, s: &Summary, tolerance: f64) -> String {
    let mut out = row("steps above tolerance", &format!("{} of {}", s.unconverged, s.steps));
    let at =
        if s.residual > 0.0 { format!("  at t = {} s", short(s.residual_at)) } else { String::new() };
    out += &row("largest residual", &format!("{:.2e}{at}  (tolerance {tolerance:.0e})", s.residual));
    if let Some(first) = finished.unsolved.first() {
        let n = finished.unsolved.len();
        out += &row("their problems", &format!("{n} saved, as {}", first.display()));
    }
    out
}

/// What happened in the steps.
fn watched(finished: &Finished, s: &Summary) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| out += &row(name, &value);
    let (n_bodies, _) = finished.bodies;
    if n_bodies > 0 {
        line("most constraints", s.most_constraints.to_string());
    }
    line("impacts", s.impacts.to_string());
    if n_bodies == 0 || finished.penetration_at.is_some() {
        let place = finished.penetration_at.as_ref();
        let place =
            place.map_or(String::new(), |(name, t)| format!("  at `{name}`, t = {} s", short(*t)));
        line("largest penetration", format!("{:.3e} m{place}", s.penetration));
    }
    if n_bodies > 0 {
        let place = finished
            .overlap_at
            .as_ref()
            .map_or(String::new(), |([a, b], t)| format!("  of `{a}` and `{b}`, t = {} s", short(*t)));
        let of_size = format!("{:.1e} of the size", s.relative_overlap);
        line("largest overlap", format!("{:.3e} m, {of_size}{place}", s.overlap));
    }
    if s.counts.steps > s.steps || s.counts.rejected > 0 {
        let (kept, rejected) = (s.counts.steps, s.counts.rejected);
        line("inner steps", format!("{kept} accepted, {rejected} rejected"));
    }
    if s.newton_iterations > s.steps {
        line("Newton iterations", s.newton_iterations.to_string());
    }
    if s.separating_impulses > 0 {
        let note =
            "steps with an impulse on a contact that was separating: the scheme may gain energy there";
        line("separating impulses", format!("{}  ({note})", s.separating_impulses));
    }
    for note in &s.notes {
        let _ = writeln!(out, "  note: {}", told(note));
    }
    out
}

/// A note in words: what, how often, the worst of it, when and where.
fn told(note: &Noted) -> String {
    let Noted { what, count, largest, sum, largest_at, names } = note;
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let of = if names.is_empty() { String::new() } else { format!(", {}", names.join(" and ")) };
    let when = format!("at t = {} s{of}", short(*largest_at));
    if *count == 1 {
        format!("{what}: {largest:.3e} {when}")
    } else {
        format!("{what}: {count} times, largest {largest:.3e} {when}; sum {sum:.3e}")
    }
}

/// What the step size does to the energy, or why that is not known.
fn error_of_step_size(finished: &Finished) -> String {
    match &finished.estimate {
        Ok(estimate) => format!(
            "about {:.1e} of the motion over a period of it; 1 % at h = {:.1e} s",
            estimate.relative, estimate.step_size_for_one_percent
        ),
        Err(reason) => format!("not known: {reason}"),
    }
}

/// The energy ledger, a line for each column.
fn ledger(l: &EnergyLedger) -> String {
    let mut out = String::new();
    let energy = |name: &str, x: f64| format!("  {name:<22}{:>22} J\n", aligned(x));
    let start = l.initial.kinetic + l.initial.potential;
    let end = l.energies.kinetic + l.energies.potential;
    let _ = writeln!(out, "  energy ledger");
    out += &energy("  at the start", start);
    // Columns through which nothing flowed are left out.
    for (name, x) in l.total.columns().into_iter().filter(|(_, x)| *x != 0.0) {
        out += &energy(&format!("  {}", Works::in_words(name)), x);
    }
    out += &energy("  remainder", l.remainder);
    out += &energy("  at the end", end);
    let _ = writeln!(
        out,
        "    (kinetic {:.6e} J, potential {:.6e} J)",
        l.energies.kinetic, l.energies.potential
    );
    out
}

/// A number with an exponent of fixed width, so that columns of them line up.
fn aligned(x: f64) -> String {
    let text = format!("{x:.12e}");
    match text.split_once('e') {
        Some((digits, power)) => format!("{digits}e{:+03}", power.parse::<i32>().unwrap_or(0)),
        None => text,
    }
}
