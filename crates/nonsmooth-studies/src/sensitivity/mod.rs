//! `nonsmooth sensitivity`: derivatives of what comes out of a scene with respect to its parameters and initial values.

mod args;
mod outputs;

pub use args::SensitivityArgs;

use crate::command::{Failure, say};
use crate::derivatives::{Subject, Target, failed, input};
use nonsmooth::integrators::flow::{
    Dual, Flow, FlowEventKind, FlowSettings, Quantity, Varied, flow_with_derivative,
};
use nonsmooth::{Model, State};
use outputs::{Output, Outputs};

/// Difference to runs beside that `--check` allows, relative to the derivative, or to the output over what was varied.
const AGREES: f64 = 1e-6;
/// Steps of the differences of `--check`, relative to those of the derivatives.
const NARROW: f64 = 0.1;
/// Places and weights of these differences.
const STENCIL: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];

/// What is asked, of what.
struct Question<'a> {
    subject: &'a Subject,
    targets: &'a [Target],
    outputs: &'a Outputs,
    until: f64,
    settings: FlowSettings,
}

/// Computes and prints.
pub fn run(args: &SensitivityArgs) -> Result<(), Failure> {
    let mut subject = Subject::read(&args.scene, &args.set)?;
    subject.take_steps(&args.step)?;
    let targets = targets(&subject, &args.to)?;
    let outputs = Outputs::parse(&args.of, subject.model()).map_err(input)?;
    let until = args.until.unwrap_or(subject.end());
    if !(until > subject.loaded.start && until.is_finite()) {
        let start = subject.loaded.start;
        return Err(input(format!("--until {until}: the scene begins at {start} s")));
    }
    let settings = FlowSettings { extremes: outputs.has_extremes(), ..subject.settings() };
    let (subject, targets, outputs) = (&subject, &targets[..], &outputs);
    let question = Question { subject, targets, outputs, until, settings };
    let varied = subject.varied(&[], &targets.iter().collect::<Vec<_>>(), |_| {})?;
    let flow = question.flow(&varied)?;
    let mut found: Vec<(&Output, Dual)> = Vec::new();
    for output in &outputs.list {
        let dual = output.of(&flow);
        let dual =
            dual.ok_or_else(|| failed(format!("{}: the motion has no such impact", output.name)))?;
        found.push((output, dual));
    }
    let checked = if args.check { Some(question.check(&found)?) } else { None };
    if args.json {
        say(&question.json(&flow, &found, checked.as_deref()).to_string());
    } else {
        question.tell(&flow, &found, checked.as_deref());
    }
    judge(&found, targets, checked.as_deref())
}

fn targets(subject: &Subject, names: &[String]) -> Result<Vec<Target>, Failure> {
    let mut targets: Vec<Target> = Vec::new();
    let mut mistakes = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        match subject.target(name) {
            Ok(target) if targets.contains(&target) => {
                mistakes.push(format!("--to {name}: given twice"))
            }
            Ok(target) => targets.push(target),
            Err(mistake) => mistakes.push(format!("--to {name}: {mistake}")),
        }
    }
    if mistakes.is_empty() { Ok(targets) } else { Err(input(mistakes.join("\n"))) }
}

/// A row of `--check`: differences of runs, and how far they are from the derivatives.
type Checked = Vec<(f64, f64)>;

impl Question<'_> {
    fn flow(&self, varied: &Varied) -> Result<Flow, Failure> {
        let closures: Vec<_> = self
            .outputs
            .quantities
            .iter()
            .map(|quantity| {
                let quantity = *quantity;
                move |model: &Model, state: &State| quantity.of(model, state)
            })
            .collect();
        let quantities: Vec<Quantity<'_>> = closures.iter().map(|c| c as Quantity<'_>).collect();
        flow_with_derivative(varied, self.until, &self.settings, &quantities).map_err(failed)
    }

    /// Differences of whole runs, for each output and target.
    fn check(&self, found: &[(&Output, Dual)]) -> Result<Vec<Checked>, Failure> {
        let mut out: Vec<Checked> = vec![Vec::new(); found.len()];
        for (k, target) in self.targets.iter().enumerate() {
            let value = self.subject.value(target);
            let step = NARROW * self.subject.step(target.name(), value);
            let mut differences = vec![0.0; found.len()];
            for (place, weight) in STENCIL {
                let point = [(target.clone(), value + place * step)];
                let flow = self.flow(&self.subject.varied(&point, &[], |_| {})?)?;
                for (difference, (output, _)) in differences.iter_mut().zip(found) {
                    *difference += output.of(&flow).map_or(f64::NAN, |dual| weight / step * dual.value);
                }
            }
            for ((out, difference), (_, dual)) in out.iter_mut().zip(differences).zip(found) {
                let size = dual.d[k].abs().max(dual.value.abs() / value.abs().max(1.0));
                let apart = (difference - dual.d[k]).abs() / size.max(f64::MIN_POSITIVE);
                out.push((difference, apart));
            }
        }
        Ok(out)
    }

    fn tell(&self, flow: &Flow, found: &[(&Output, Dual)], checked: Option<&[Checked]>) {
        let width = found.iter().map(|(output, _)| output.name.len()).max().unwrap_or(0).max(6);
        let mut head = format!("{:width$}  {:>16}", "output", "value");
        self.targets
            .iter()
            .for_each(|target| head += &format!("  {:>16}", format!("d/d {}", target.name())));
        say(&head);
        for (row, (output, dual)) in found.iter().enumerate() {
            let mut line = format!("{:width$}  {:>16}", output.name, number(dual.value));
            dual.d.iter().for_each(|d| line += &format!("  {:>16}", number(*d)));
            say(&line);
            if let Some(checked) = checked {
                let mut line = format!("{:width$}  {:>16}", "", "by runs");
                checked[row].iter().for_each(|(d, _)| line += &format!("  {:>16}", number(*d)));
                say(&line);
            }
        }
        let impacts = flow.events.iter().filter(|event| event.kind == FlowEventKind::Impact).count();
        let others = flow.events.len() - impacts;
        let until = crate::command::short(self.until);
        say(&format!(
            "until t = {until} s: {impacts} impacts, {others} changes of contact between them"
        ));
    }

    fn json(
        &self,
        flow: &Flow,
        found: &[(&Output, Dual)],
        checked: Option<&[Checked]>,
    ) -> serde_json::Value {
        let named = |d: &[f64]| -> serde_json::Value {
            let pairs = self.targets.iter().zip(d).map(|(t, d)| (t.name().to_owned(), (*d).into()));
            serde_json::Value::Object(pairs.collect())
        };
        let outputs: Vec<_> = found
            .iter()
            .enumerate()
            .map(|(row, (output, dual))| {
                let mut told = serde_json::json!({
                    "of": output.name, "value": dual.value, "derivatives": named(&dual.d),
                });
                if let Some(checked) = checked {
                    let runs: Vec<f64> = checked[row].iter().map(|(d, _)| *d).collect();
                    told["by_runs"] = named(&runs);
                }
                told
            })
            .collect();
        let model = self.subject.model();
        let events: Vec<_> = flow
            .events
            .iter()
            .map(|event| {
                let constraints: Vec<_> =
                    event.constraints.iter().map(|id| model.describe(*id)).collect();
                serde_json::json!({
                    "t": event.t.value, "kind": format!("{:?}", event.kind).to_lowercase(),
                    "constraints": constraints, "derivatives": named(&event.t.d),
                })
            })
            .collect();
        let scene = &self.subject.name;
        serde_json::json!({ "scene": scene, "until": self.until, "outputs": outputs, "events": events })
    }
}

/// Fails where runs beside say something else.
fn judge(
    found: &[(&Output, Dual)],
    targets: &[Target],
    checked: Option<&[Checked]>,
) -> Result<(), Failure> {
    for ((output, _), row) in found.iter().zip(checked.unwrap_or_default()) {
        if let Some((k, (_, apart))) = row.iter().enumerate().find(|(_, (_, apart))| !(*apart <= AGREES))
        {
            let (of, to) = (&output.name, targets[k].name());
            return Err(failed(format!(
                "--check: the derivative of {of} with respect to {to} and the difference of runs are {apart:.1e} apart, relatively; \
                 near a kink, or of a parameter whose step suits it badly (--step {to}=…), neither need be right"
            )));
        }
    }
    Ok(())
}

/// Ten digits.
fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-3..1e6).contains(&size) {
        let text = format!("{x:.10}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{x:.9e}")
    }
}
