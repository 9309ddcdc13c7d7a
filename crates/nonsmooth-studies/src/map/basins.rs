//! Basins of attraction: the motion that is left after the periods left out, by its period and its states.
//!
//! ```text
//! k           the smallest number of periods after which the state returns to within the tolerance
//! attractor   a set of k states; a run belongs to the first known one of which a state is near its own
//! ```
//!
//! Attractors are numbered in the order of the points, after all runs: no number of threads changes them.

use super::args::BasinsArgs;
use super::periods::Periods;
use super::{CSV_FILE, TABLE_FILE, texts_of};
use crate::command::Failure;
use crate::sweep::{
    Design, Points, Read, RunsArgs, Stopped, Subject, TRUST, columns, failed, input, outcome, parse,
    produce, quoted, save, text_of,
};
use nonsmooth::{Model, State};
use nonsmooth_draw::plot::{Figure, Item, draw};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file of the motions that were found.
const ATTRACTORS_FILE: &str = "attractors.csv";
/// The longest period that can be looked for.
const LONGEST: u64 = 10_000;
/// Most attractors: each needs a run of its own, and more cannot be told apart in a picture.
const MOST: usize = 1000;

/// A periodic motion: its states once in each period, and how many points lead to it.
struct Attractor {
    states: Vec<Vec<f64>>,
    points: usize,
}

/// Whether two states are the same up to `tolerance`.
fn is_near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0))
}

fn coordinates(state: &State) -> Vec<f64> {
    [&state.q[..], &state.v].concat()
}

/// Names of the coordinates and velocities.
fn names_of(model: &Model) -> Vec<String> {
    let q =
        (0..model.n_coordinates()).map(|i| model.coordinate_name(i)).map(|(s, c)| format!("{s}.{c}"));
    let v = (0..model.n_velocities()).map(|i| model.velocity_name(i)).map(|(s, c)| format!("{s}.v_{c}"));
    q.chain(v).collect()
}

/// The motion of a point: its states from one return to the next, none where it did not return.
fn cycle(
    periods: &Periods<'_>,
    point: usize,
    (longest, tolerance): (u64, f64),
) -> Result<(Vec<Vec<f64>>, [f64; TRUST.len()]), Stopped> {
    let (mut states, mut returns) = (Vec::<Vec<f64>>::new(), false);
    let trust = periods.run(point, |_, state| {
        let now = coordinates(state);
        returns = states.first().is_some_and(|first| is_near(first, &now, tolerance));
        if !returns {
            states.push(now);
        }
        !returns && states.len() as u64 <= longest
    })?;
    if !returns {
        states.clear();
    }
    Ok((states, trust))
}

fn check(args: &BasinsArgs) -> Result<(), Failure> {
    if args.vary.len() != 2 {
        let n = args.vary.len();
        return Err(input(format!("--vary: basins need two parameters, one for each axis; got {n}")));
    }
    if !(1..=LONGEST).contains(&args.longest) {
        return Err(input(format!("--longest {}: must be from 1 to {LONGEST}", args.longest)));
    }
    for (name, x) in [("tolerance", args.tolerance), ("apart", args.apart)] {
        if !(x > 0.0 && x.is_finite()) {
            return Err(input(format!("--{name} {x}: must be > 0")));
        }
    }
    if args.apart < args.tolerance {
        return Err(input("--apart: must not be smaller than --tolerance"));
    }
    Ok(())
}

pub(super) fn run(args: &BasinsArgs, stop: &AtomicBool) -> Result<(), Failure> {
    check(args)?;
    let points = Points::new(&args.vary, Design::Grid).map_err(input)?;
    let text = text_of(&args.map.scene)?;
    let RunsArgs { set, integrator, .. } = &args.map.runs;
    let subject = Subject::new((&args.map.scene, &text), set, integrator.as_deref(), &points)?;
    let sample = subject.sample()?;
    let outputs = parse(&["end-time".to_owned()], &sample.simulation.model).map_err(input)?;
    let periods = Periods::new(&args.map, (&subject, &sample), &outputs, stop)?;
    let own = [vec!["period".to_owned()], names_of(&sample.simulation.model)].concat();
    let rule = (args.longest, args.tolerance);
    let mut texts = subject.texts(&args.vary);
    texts.extend(texts_of(&args.map, "basins"));
    texts.push(("rule".to_owned(), format!("{rule:?}")));
    let out = args.map.runs.folder(&args.map.scene, "basins")?;
    let (path, csv) = (out.join(TABLE_FILE), out.join(CSV_FILE));
    let job = |point| {
        let made = cycle(&periods, point, rule).map(|(states, trust)| {
            let last = states.last().cloned();
            let last = last.unwrap_or_else(|| vec![f64::NAN; own.len() - 1]);
            [&[states.len() as f64][..], &last, &trust].concat()
        });
        outcome(point, own.len() + TRUST.len(), made)
    };
    let produced = produce(&args.map.runs, &points, (&path, &texts), (&own, 1), &job, stop)?;
    let read = &produced.read;
    let (attractors, belongs) = sort(read, args.apart, own.len(), |point| {
        cycle(&periods, point, rule).map(|(states, _)| states)
    })?;
    std::fs::write(&csv, csv_of(&points, &own, read, &belongs)).map_err(|error| failed(&csv)(&error))?;
    let list = out.join(ATTRACTORS_FILE);
    let text = list_of(&own[1..], &attractors);
    std::fs::write(&list, text).map_err(|error| failed(&list)(&error))?;
    let figures = picture(&sample.title, &points, (&attractors, &belongs), read, &out)?;
    let found: Vec<serde_json::Value> = attractors
        .iter()
        .map(|a| serde_json::json!({ "period": a.states.len(), "points": a.points, "states": a.states }))
        .collect();
    let more = serde_json::json!({ "attractors": found });
    produced.tell(&args.map.runs, more, &[path, csv, list], &figures);
    produced.judge()
}

/// The attractors in the order of the points, and to which each row belongs; `None` where its motion does not return.
fn sort(
    read: &Read,
    apart: f64,
    n_own: usize,
    cycle: impl Fn(usize) -> Result<Vec<Vec<f64>>, Stopped>,
) -> Result<(Vec<Attractor>, Vec<Option<usize>>), Failure> {
    let (mut attractors, mut belongs) = (Vec::<Attractor>::new(), Vec::new());
    for (numbers, _) in &read.rows {
        let own = numbers.len() - TRUST.len() - n_own;
        let (period, state) = (numbers[own], &numbers[own + 1..own + n_own]);
        if !(period > 0.0) {
            belongs.push(None);
            continue;
        }
        let known = attractors.iter().position(|attractor| {
            attractor.states.len() == period as usize
                && attractor.states.iter().any(|known| is_near(known, state, apart))
        });
        let place = match known {
            Some(place) => place,
            None if attractors.len() == MOST => {
                return Err(Failure::Run(anyhow::anyhow!(
                    "more than {MOST} motions: raise --skip, so that they settle, or --apart"
                )));
            }
            None => {
                let states = match cycle(numbers[0] as usize) {
                    Ok(states) => states,
                    Err(Stopped::Failed(why)) => return Err(Failure::Run(anyhow::anyhow!("{why}"))),
                    Err(Stopped::Interrupted) => {
                        let why = "interrupted while the motions were sorted; continue with --resume";
                        return Err(Failure::Run(anyhow::anyhow!("{why}")));
                    }
                };
                attractors.push(Attractor { states, points: 0 });
                attractors.len() - 1
            }
        };
        attractors[place].points += 1;
        belongs.push(Some(place));
    }
    Ok((attractors, belongs))
}

/// The rows with the number of the attractor, from 1; 0 where the motion does not return.
fn csv_of(points: &Points, own: &[String], read: &Read, belongs: &[Option<usize>]) -> String {
    let names = columns(points, &[&["attractor".to_owned()][..], own].concat());
    let mut out = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    out.push('\n');
    for ((numbers, failure), place) in read.rows.iter().zip(belongs) {
        let _ = write!(out, "{}", numbers[0] as usize);
        let (varied, rest) = numbers[1..].split_at(points.names().len());
        let number = if failure.is_empty() { place.map_or(0.0, |k| k as f64 + 1.0) } else { f64::NAN };
        for x in varied.iter().chain([&number]).chain(rest) {
            let _ = if x.is_finite() { write!(out, ",{x:?}") } else { write!(out, ",") };
        }
        let _ = writeln!(out, ",{}", quoted(failure));
    }
    out
}

/// The attractors, a row for each of their states.
fn list_of(names: &[String], attractors: &[Attractor]) -> String {
    let head: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let mut out = format!("attractor,period,points,k,{}\n", head.join(","));
    for (i, Attractor { states, points }) in attractors.iter().enumerate() {
        for (k, state) in states.iter().enumerate() {
            let cells: Vec<String> = state.iter().map(|x| format!("{x:?}")).collect();
            let _ = writeln!(out, "{},{},{points},{k},{}", i + 1, states.len(), cells.join(","));
        }
    }
    out
}

/// Half of the distance between neighbouring values, at each value.
fn halves(values: &[f64]) -> impl Fn(f64) -> [f64; 2] + '_ {
    move |x| {
        let place = values.iter().position(|known| *known == x).unwrap_or(0);
        let gap = |a: usize, b: usize| match (values.get(a), values.get(b)) {
            (Some(a), Some(b)) => Some(0.5 * (b - a)),
            _ => None,
        };
        let before = place.checked_sub(1).and_then(|k| gap(k, place));
        let after = gap(place, place + 1);
        let one = before.or(after).unwrap_or(0.5);
        [x - before.unwrap_or(one), x + after.unwrap_or(one)]
    }
}

/// A cell for each point, in the colour of its attractor.
fn picture(
    title: &str,
    points: &Points,
    (attractors, belongs): (&[Attractor], &[Option<usize>]),
    read: &Read,
    out: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let axis = |k: usize| {
        let mut values: Vec<f64> = read.rows.iter().map(|(numbers, _)| numbers[1 + k]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (xs, ys) = (axis(0), axis(1));
    let (x_ends, y_ends) = (halves(&xs), halves(&ys));
    let mut cells = vec![Vec::new(); attractors.len() + 1];
    for ((numbers, failure), place) in read.rows.iter().zip(belongs) {
        let ([left, right], [low, high]) = (x_ends(numbers[1]), y_ends(numbers[2]));
        if failure.is_empty() {
            cells[place.map_or(attractors.len(), |k| k)].extend([(left, low), (right, high)]);
        }
    }
    let name = |k: usize| match attractors.get(k) {
        Some(attractor) => format!("{}: period {}", k + 1, attractor.states.len()),
        None => "no period found".to_owned(),
    };
    let full = cells.into_iter().enumerate().filter(|(_, cells)| !cells.is_empty());
    let items: Vec<Item> =
        full.map(|(k, points)| Item::Cells { label: name(k), points: merged(points) }).collect();
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let (x_label, y_label) = (points.names()[0].clone(), points.names()[1].clone());
    let figure = Figure { title: title.to_owned(), x_label, y_label, items, ..Figure::default() };
    let drawing = draw(&figure).map_err(|error| failed(out)(&error))?;
    Ok(save(&drawing, out, "basins")?.to_vec())
}

/// Cells that meet above each other become one.
fn merged(cells: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for cell in cells.chunks_exact(2) {
        let n = out.len();
        let meets = n >= 2 && out[n - 2].0 == cell[0].0 && out[n - 1] == (cell[1].0, cell[0].1);
        if meets { out[n - 1] = cell[1] } else { out.extend_from_slice(cell) }
    }
    out
}
