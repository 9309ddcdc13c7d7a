//! The trust summary: what was done and how far it can be believed.

use nonsmooth::{EnergyLedger, Noted};
use nonsmooth_scene::Finished;
use std::fmt::Write as _;

/// The table at the end of a run.
pub(crate) fn table(
    finished: &Finished,
    methods: &(String, String),
    tolerance: f64,
    seconds: f64,
) -> String {
    let s = &finished.summary;
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<24}{value}");
    };
    let made = s.steps - finished.resumed_from.unwrap_or(0);
    line("scheme, solver", format!("{}, {}", methods.0, methods.1));
    line("steps", format!("{}, to t = {} s", s.steps, short(finished.t)));
    if let Some(from) = finished.resumed_from {
        line("resumed from step", from.to_string());
    }
    let (n_bodies, present) = finished.bodies;
    if n_bodies > 0 {
        line("bodies", format!("{n_bodies}, at the end {present} are present"));
        line("most contacts at once", s.most_contacts.to_string());
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
        line("largest overlap", format!("{:.3e} m{place}", s.overlap));
    }
    line("largest residual", format!("{:.2e}  (tolerance {tolerance:.0e})", s.residual));
    line("unconverged steps", s.unconverged.to_string());
    if s.counts.steps > s.steps || s.counts.rejected > 0 {
        let (kept, rejected) = (s.counts.steps, s.counts.rejected);
        line("inner steps", format!("{kept} accepted, {rejected} rejected"));
    }
    if s.newton_iterations > s.steps {
        line("Newton iterations", s.newton_iterations.to_string());
    }
    if s.separating_impulses > 0 {
        let note = "impulse on a contact that was separating: the scheme may gain energy there";
        line("steps to look at", format!("{}  ({note})", s.separating_impulses));
    }
    for Noted { what, count, largest, sum } in &s.notes {
        let much = if *count == 1 {
            format!("{largest:.3e}")
        } else {
            format!("{count} times, largest {largest:.3e}, sum {sum:.3e}")
        };
        let _ = writeln!(out, "  note: {what}: {much}");
    }
    out += &ledger(&finished.ledger);
    let rate = made as f64 / seconds.max(1e-9);
    let _ = writeln!(out, "  {:<24}{seconds:.4} s, {rate:.3e} steps/s, output included", "time");
    out
}

/// The energy ledger, a line for each column.
fn ledger(l: &EnergyLedger) -> String {
    let mut out = String::new();
    let energy = |name: &str, x: f64| format!("  {name:<22}{:>22} J\n", aligned(x));
    let start = l.initial.kinetic + l.initial.potential;
    let end = l.energies.kinetic + l.energies.potential;
    let _ = writeln!(out, "  energy ledger");
    out += &energy("  at the start", start);
    let t = &l.total;
    let works = [
        ("  external work", t.external),
        ("  viscous work", t.viscous),
        ("  contact work", t.contact),
        ("  friction work", t.friction),
        ("  moving obstacles", t.obstacle),
        ("  prescribed motion", t.prescribed),
        ("  scheme", t.scheme),
        ("  projection", t.projection),
        ("  bodies in and out", t.exchange),
    ];
    // Only bodies that come and go bring or take energy.
    let n_works = if t.exchange == 0.0 { works.len() - 1 } else { works.len() };
    for (name, x) in works.into_iter().take(n_works) {
        out += &energy(name, x);
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

/// A time without the digits that are rounding.
pub(crate) fn short(t: f64) -> String {
    let text = format!("{t:.12}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
