//! `nonsmooth bvp`: values of parameters and initial values with which a motion ends as it should.

mod args;
mod shooting;
mod solve;

pub use args::BvpArgs;

use crate::command::{Failure, say, short};
use crate::derivatives::{Subject, failed, input};
use nonsmooth::integrators::EventDriven;
use nonsmooth::integrators::flow::{FlowEventKind, FlowSettings, Varied, flow_with_derivative};
use nonsmooth::{Simulation, n_steps};
use nonsmooth_draw::plot::{Figure, Item, draw};
use nonsmooth_scene::Bvp;
use shooting::{Iterate, Shooting, Unknown};
use solve::{Outcome, solve};
use std::path::{Path, PathBuf};

/// Points of a figure.
const DRAWN: f64 = 1000.0;

/// Solves and prints.
pub fn run(args: &BvpArgs) -> Result<(), Failure> {
    let subject = Subject::read(&args.scene, &args.set)?;
    let hint = "write its unknowns and conditions into the table [bvp]";
    let bvp = subject.loaded.bvp.as_ref();
    let bvp = bvp.ok_or_else(|| {
        input(format!("{}: the scene poses no boundary value problem; {hint}", subject.name))
    })?;
    let (problem, start) = pose(&subject, bvp, args)?;
    let outcome = solve(&problem, start, args.iterations)?;
    let impacts = outcome.residual.as_ref().map(|residual| impacts(&problem, residual));
    let wrong = impacts.as_deref().and_then(|impacts| other_impacts(bvp, impacts));
    let failure = outcome.failure.clone().or(wrong);
    let figures = match (&failure, &outcome.residual) {
        (None, Some(_)) => draw_solution(args, &problem, &outcome)?,
        _ => Vec::new(),
    };
    let told =
        Told { problem: &problem, outcome: &outcome, impacts: impacts.as_deref().unwrap_or_default() };
    if args.json {
        say(&told.json(failure.as_deref(), &figures).to_string());
    } else {
        told.lines(&figures);
    }
    match failure {
        None => Ok(()),
        Some(why) => Err(failed(format!("not solved: {why}"))),
    }
}

/// The problem, and where its iteration begins.
fn pose<'a>(
    subject: &'a Subject,
    bvp: &'a Bvp,
    args: &BvpArgs,
) -> Result<(Shooting<'a>, Iterate), Failure> {
    let (mut unknowns, mut values, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
    for unknown in &bvp.unknowns {
        let is_end = unknown.name == "end" && !subject.loaded.parameters.contains_key("end");
        let found = if is_end { Ok(None) } else { subject.target(&unknown.name).map(Some) };
        match found {
            Ok(target) => {
                let own = target.as_ref().map_or(subject.end(), |target| subject.value(target));
                let [lowest, highest] = unknown.bounds;
                values.push(unknown.guess.unwrap_or(own.clamp(lowest, highest)));
                unknowns.push(target.map_or(Unknown::End, Unknown::Target));
            }
            Err(mistake) => mistakes.push(format!("bvp.unknown `{}`: {mistake}", unknown.name)),
        }
    }
    if !mistakes.is_empty() {
        return Err(input(mistakes.join("\n")));
    }
    let segments = args.segments.unwrap_or(bvp.segments);
    if segments == 0 {
        return Err(input("--segments must be at least 1"));
    }
    let settings = FlowSettings { extremes: false, ..subject.settings() };
    let mut problem = Shooting { subject, bvp, unknowns, times: Vec::new(), settings };
    let (begin, end) = (subject.loaded.start, problem.end(&values));
    if !(end > begin) {
        return Err(input(format!("bvp.unknown `end`: {end} s is not after the start, {begin} s")));
    }
    let node = |k: usize| begin + (end - begin) * k as f64 / segments as f64;
    problem.times = (1..segments).map(node).collect();
    let nodes = first_nodes(&problem, &values)?;
    Ok((problem, Iterate { values, nodes }))
}

/// The states at the nodes of the motion from the guess.
fn first_nodes(problem: &Shooting<'_>, values: &[f64]) -> Result<Vec<nonsmooth::State>, Failure> {
    let (loaded, mut state) = problem.subject.at(&problem.point(values))?;
    let mut nodes = Vec::new();
    for &t in &problem.times {
        let model = loaded.simulation.model.clone();
        let varied = Varied { model, state, directions: Vec::new() };
        let flow = flow_with_derivative(&varied, t, &problem.settings, &[]);
        let flow = flow.map_err(|error| failed(format!("the motion from the guess fails: {error}")))?;
        state = flow.state;
        nodes.push(state.clone());
    }
    Ok(nodes)
}

/// Impacts by what took part in them.
fn impacts(problem: &Shooting<'_>, residual: &shooting::Residual) -> Vec<(String, u64)> {
    let model = problem.subject.model();
    let mut out: Vec<(String, u64)> = Vec::new();
    let events = residual.flows.iter().flat_map(|flow| &flow.events);
    for event in events.filter(|event| event.kind == FlowEventKind::Impact) {
        for id in &event.constraints {
            let name = model.describe(*id);
            match out.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => out.push((name, 1)),
            }
        }
    }
    out
}

/// Says where a solution has other impacts than it must have.
fn other_impacts(bvp: &Bvp, impacts: &[(String, u64)]) -> Option<String> {
    let count = |name: &str| -> u64 {
        let quoted = format!("`{name}`");
        impacts.iter().filter(|(known, _)| known.contains(&quoted)).map(|(_, count)| count).sum()
    };
    let wrong = bvp.impacts.iter().find(|(name, wanted)| count(name) != *wanted);
    wrong.map(|(name, wanted)| {
        let found = count(name);
        format!("the conditions are met, but with {found} impacts of `{name}`, not {wanted}; begin with another guess")
    })
}

/// What is printed.
struct Told<'a> {
    problem: &'a Shooting<'a>,
    outcome: &'a Outcome,
    impacts: &'a [(String, u64)],
}

impl Told<'_> {
    fn lines(&self, figures: &[PathBuf]) {
        let Self { problem, outcome, impacts } = self;
        let n = outcome.iterations;
        say(&format!(
            "{} by {}, {n} iterations",
            if outcome.failure.is_none() { "solved" } else { "ended" },
            outcome.method
        ));
        for (unknown, value) in problem.bvp.unknowns.iter().zip(&outcome.at.values) {
            say(&format!("unknown    {} = {value:?}", unknown.name));
        }
        for (k, condition) in problem.bvp.conditions.iter().enumerate() {
            match &outcome.residual {
                Some(residual) => {
                    let (gamma, most) = (residual.conditions[k], condition.tolerance);
                    say(&format!(
                        "condition  {}: residual {gamma:.3e}, tolerance {most:.1e}",
                        condition.text
                    ));
                }
                None => say(&format!("condition  {}: no residual, the motion fails", condition.text)),
            }
        }
        for (name, count) in *impacts {
            say(&format!("impacts    {count} of {name}"));
        }
        figures.iter().for_each(|file| say(&format!("figure     {}", file.display())));
    }

    fn json(&self, failure: Option<&str>, figures: &[PathBuf]) -> serde_json::Value {
        let Self { problem, outcome, impacts } = self;
        let unknowns = problem.bvp.unknowns.iter().zip(&outcome.at.values);
        let unknowns = unknowns.map(|(unknown, value)| (unknown.name.clone(), (*value).into()));
        let conditions: Vec<_> = problem
            .bvp
            .conditions
            .iter()
            .enumerate()
            .map(|(k, condition)| {
                let residual = outcome.residual.as_ref().map(|residual| residual.conditions[k]);
                serde_json::json!({
                    "condition": condition.text, "residual": residual, "tolerance": condition.tolerance,
                })
            })
            .collect();
        let impacts: Vec<_> = impacts
            .iter()
            .map(|(name, count)| serde_json::json!({ "of": name, "count": count }))
            .collect();
        let figures: Vec<String> = figures.iter().map(|file| file.display().to_string()).collect();
        serde_json::json!({
            "scene": problem.subject.name, "solved": failure.is_none(), "failure": failure, "method": outcome.method,
            "iterations": outcome.iterations, "unknowns": serde_json::Value::Object(unknowns.collect()),
            "end": problem.end(&outcome.at.values), "segments": problem.times.len() + 1, "conditions": conditions,
            "impacts": impacts, "figures": figures,
        })
    }
}

/// The motion that was found: plotted coordinates over time; where there are two, one over the other.
fn draw_solution(
    args: &BvpArgs,
    problem: &Shooting<'_>,
    outcome: &Outcome,
) -> Result<Vec<PathBuf>, Failure> {
    let (loaded, state) = problem.subject.at(&problem.point(&outcome.at.values))?;
    let (begin, end) = (state.t, problem.end(&outcome.at.values));
    let h = problem.settings.step.min((end - begin) / DRAWN);
    let model = loaded.simulation.model.clone();
    let names: Vec<String> = loaded
        .plot
        .iter()
        .map(|&place| {
            let (owner, coordinate) = model.coordinate_name(place);
            format!("{owner}.{coordinate}")
        })
        .collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let steps = n_steps(begin, end, h);
    let h = (end - begin) / steps as f64;
    let mut simulation = Simulation::new(model, state, EventDriven::default(), h).map_err(failed)?;
    let mut rows: Vec<(f64, Vec<f64>)> = Vec::new();
    for k in 0..=steps {
        if k > 0 {
            simulation.step().map_err(failed)?;
        }
        let state = &simulation.state;
        rows.push((state.t, loaded.plot.iter().map(|&place| state.q[place]).collect()));
    }
    let out = folder(args)?;
    let line = |k: usize| {
        let points = rows.iter().map(|(t, q)| (*t, q[k])).collect();
        Item::Line { label: names[k].clone(), points }
    };
    let title = loaded.title.clone();
    let items = (0..names.len()).map(line).collect();
    let (x_label, y_label) = ("time t [s]".to_owned(), "coordinates [m, rad]".to_owned());
    let mut figures =
        vec![("motion", Figure { title: title.clone(), x_label, y_label, items, ..Figure::default() })];
    if let [x, y] = &names[..] {
        let points = rows.iter().map(|(_, q)| (q[0], q[1])).collect();
        let items = vec![Item::Line { label: format!("until {} s", short(end)), points }];
        let (x_label, y_label) = (x.clone(), y.clone());
        figures.push(("path", Figure { title, x_label, y_label, items, ..Figure::default() }));
    }
    let mut files = Vec::new();
    for (stem, figure) in figures {
        let drawing = draw(&figure).map_err(failed)?;
        for (ending, bytes) in [("png", &drawing.png[..]), ("svg", drawing.svg.as_bytes())] {
            let path = out.join(format!("{stem}.{ending}"));
            std::fs::write(&path, bytes)
                .map_err(|error| failed(format!("{}: {error}", path.display())))?;
            files.push(path);
        }
    }
    Ok(files)
}

fn folder(args: &BvpArgs) -> Result<PathBuf, Failure> {
    let stem = args.scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(format!("{stem}-bvp")));
    std::fs::create_dir_all(&out).map_err(|error| failed(format!("{}: {error}", out.display())))?;
    Ok(out)
}
