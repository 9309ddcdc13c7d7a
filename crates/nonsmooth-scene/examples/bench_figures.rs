//! The figures of `cargo xtask bench solvers`: `bench_figures PROFILE.csv SWEEPS.csv FOLDER`.
//!
//! PROFILE has one line per solver: its name, then the time on each problem [s], empty where it was not solved.
//! SWEEPS is what the example `bench_sweeps` of nonsmooth-solvers writes. Each figure is drawn as PNG and SVG.

use nonsmooth_draw::plot::{self, Figure, Item, Scale};
use nonsmooth_scene::problems::profile;
use std::path::Path;

/// Largest ratio of the profile that is drawn.
const WIDEST: f64 = 1e3;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [times, sweeps, folder] = &arguments[..] else {
        return Err("usage: bench_figures PROFILE.csv SWEEPS.csv FOLDER".into());
    };
    let read = |path: &String| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    draw(Path::new(folder), "solvers-profile-1e-8", &performance(&read(times)?))?;
    draw(Path::new(folder), "sweeps", &scaling(&read(sweeps)?))
}

/// The performance profile.
fn performance(text: &str) -> Figure {
    let (mut names, mut times) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut cells = line.split(',');
        names.push(cells.next().unwrap_or_default().to_owned());
        times.push(cells.map(|cell| cell.parse::<f64>().ok()).collect::<Vec<Option<f64>>>());
    }
    let n_problems = times.first().map_or(0, Vec::len);
    let title =
        format!("{n_problems} problems with friction to a residual of 1e-8; Siconos with asserts live");
    let mut figure = profile::figure(&title, &names, &times);
    figure.items.iter_mut().for_each(cut);
    Figure { size: (1200, 760), ..figure }
}

/// Ends a curve at [`WIDEST`]; the legend tells how many problems it solves beyond.
fn cut(item: &mut Item) {
    if let Item::Line { points, .. } | Item::Dashed { points, .. } = item {
        let last = points.iter().rev().find(|point| point.0 <= WIDEST).copied();
        if let (Some((_, y)), true) = (last, points.iter().any(|point| point.0 > WIDEST)) {
            points.retain(|point| point.0 <= WIDEST);
            points.push((WIDEST, y));
        }
    }
}

/// Cost of a sweep per contact over the number of contacts, one curve per family and form of W.
fn scaling(text: &str) -> Figure {
    let mut items: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for line in text.lines().skip(1) {
        let [family, form, contacts, microseconds, ..] = &line.split(',').collect::<Vec<&str>>()[..]
        else {
            continue;
        };
        let (Ok(x), Ok(y)) = (contacts.parse(), microseconds.parse()) else { continue };
        let label = format!("{family}, {form}");
        match items.iter_mut().find(|item| item.0 == label) {
            Some(item) => item.1.push((x, y)),
            None => items.push((label, vec![(x, y)])),
        }
    }
    // A linear sweep is a level line; the axis begins at zero so that the eye judges it.
    let ends = items.iter().flat_map(|item| &item.1).map(|point| point.0);
    let (first, last) = ends.fold((f64::INFINITY, 1.0), |(a, b): (f64, f64), x| (a.min(x), b.max(x)));
    let mut drawn =
        vec![Item::Dashed { label: String::new(), points: vec![(first.min(last), 0.0), (last, 0.0)] }];
    drawn.extend(items.into_iter().map(|(label, points)| Item::Marked { label, points }));
    Figure {
        title: "a sweep of nsgs, W formed and by bodies".into(),
        x_label: "contacts [–]".into(),
        y_label: "processor time per contact and sweep [µs]".into(),
        x_scale: Scale::Log,
        items: drawn,
        ..Figure::default()
    }
}

fn draw(folder: &Path, name: &str, figure: &Figure) -> Result<(), String> {
    let drawing = plot::draw(figure).map_err(|error| format!("{name}: {error}"))?;
    for (end, bytes) in [("svg", drawing.svg.as_bytes()), ("png", &drawing.png)] {
        let path = folder.join(format!("{name}.{end}"));
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("drawn: {}", path.display());
    }
    Ok(())
}
