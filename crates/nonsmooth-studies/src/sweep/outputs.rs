//! What is kept of a run: a number for each output, by watching every step.

use nonsmooth::model::{Instant, Model, RigidState, State, UserError};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::{Observation, Observer};
use nonsmooth_scene::tidy::{BodyRow, EnergyRow, Row};
use nonsmooth_solvers::nearest;

/// What is made of the values of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statistic {
    Final,
    Max,
    Min,
    Mean,
    TimeOfMax,
    TimeOfMin,
}

const STATISTICS: [(&str, Statistic); 6] = [
    ("final", Statistic::Final),
    ("max", Statistic::Max),
    ("min", Statistic::Min),
    ("mean", Statistic::Mean),
    ("time-of-max", Statistic::TimeOfMax),
    ("time-of-min", Statistic::TimeOfMin),
];

/// A number that a state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Coordinate of a system, by its place in q.
    Q(usize),
    /// Its velocity, by its place in v.
    V(usize),
    /// A column of the table of bodies, after `t` and `body`.
    Body(usize, usize),
    /// A signal, by its place.
    Signal(usize),
    /// A column of the ledger, after `t`.
    Energy(usize),
    /// T + V.
    Total,
}

/// A number that a run has as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Impacts,
    FirstImpact,
    LastImpact,
    LargestImpulse,
    EndTime,
}

const COUNTS: [(&str, Count); 5] = [
    ("impacts", Count::Impacts),
    ("first-impact", Count::FirstImpact),
    ("last-impact", Count::LastImpact),
    ("largest-impulse", Count::LargestImpulse),
    ("end-time", Count::EndTime),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Of(Statistic, Quantity),
    Count(Count),
}

/// An output, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) name: String,
    what: What,
}

/// The outputs that were asked for, or every mistake; without any, the end of every coordinate and the impacts.
pub(crate) fn parse(texts: &[String], model: &Model) -> Result<Vec<Output>, String> {
    let known = known(model);
    let mut asked: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
    if asked.is_empty() {
        let ends = known.iter().filter(|(_, quantity)| is_coordinate(*quantity));
        asked.extend(ends.map(|(name, _)| name.clone()).chain(["impacts".to_owned()]));
    }
    let (mut outputs, mut mistakes) = (Vec::<Output>::new(), Vec::new());
    for name in asked {
        match find(&name, &known) {
            _ if outputs.iter().any(|output| output.name == name) => {
                mistakes.push(format!("--of {name}: given twice"));
            }
            Ok(what) => outputs.push(Output { name, what }),
            Err(mistake) => mistakes.push(format!("--of {name}: {mistake}")),
        }
    }
    if mistakes.is_empty() { Ok(outputs) } else { Err(mistakes.join("\n")) }
}

/// Coordinates of systems and places of bodies.
pub(crate) fn is_coordinate(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::Q(_) | Quantity::Body(_, 0..3))
}

fn find(text: &str, known: &[(String, Quantity)]) -> Result<What, String> {
    if let Some((_, count)) = COUNTS.iter().find(|(name, _)| *name == text) {
        return Ok(What::Count(*count));
    }
    let (statistic, name) = match text.split_once(':') {
        None => (Statistic::Final, text),
        Some((word, name)) => {
            let found = STATISTICS.iter().find(|(name, _)| *name == word);
            let words = || STATISTICS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            (found.ok_or_else(|| format!("no `{word}`; there are: {}", words()))?.1, name)
        }
    };
    if let Some((_, quantity)) = known.iter().find(|(known, _)| known == name) {
        return Ok(What::Of(statistic, *quantity));
    }
    let names = known.iter().map(|(name, _)| name.as_str()).chain(COUNTS.iter().map(|(name, _)| *name));
    let near = nearest(name, names).map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    Err(format!("the scene has no `{name}`{near}"))
}

/// Names of all quantities of a model.
pub(crate) fn known(model: &Model) -> Vec<(String, Quantity)> {
    let mut out = Vec::new();
    let n = nonsmooth_scene::system_names(model).len();
    let is_system = |name: &str| n > 0 && !model.rigid.bodies.iter().any(|body| body.name == name);
    for i in 0..model.n_coordinates() {
        let (system, coordinate) = model.coordinate_name(i);
        if is_system(&system) {
            out.push((format!("{system}.{coordinate}"), Quantity::Q(i)));
        }
    }
    for i in 0..model.n_velocities() {
        let (system, coordinate) = model.velocity_name(i);
        if is_system(&system) {
            out.push((format!("{system}.v_{coordinate}"), Quantity::V(i)));
        }
    }
    for (b, body) in model.rigid.bodies.iter().enumerate() {
        for (k, column) in BodyRow::COLUMNS[2..].iter().enumerate() {
            out.push((format!("{}.{column}", body.name), Quantity::Body(b, k)));
        }
    }
    let first = model.signals.inputs.len();
    for (k, (name, _)) in model.signals.expressions.iter().enumerate() {
        out.push((name.clone(), Quantity::Signal(first + k)));
    }
    out.extend(
        EnergyRow::COLUMNS[1..]
            .iter()
            .enumerate()
            .map(|(k, name)| ((*name).to_owned(), Quantity::Energy(k))),
    );
    out.push(("energy".to_owned(), Quantity::Total));
    out
}

impl Quantity {
    /// Whether a state alone has it; works have a history.
    pub(crate) fn is_of_a_state(self) -> bool {
        !matches!(self, Quantity::Energy(2..))
    }

    /// Its value in a state.
    pub(crate) fn of(self, model: &Model, state: &State) -> Result<f64, UserError> {
        Ok(match self {
            Quantity::Q(i) => state.q[i],
            Quantity::V(i) => state.v[i],
            Quantity::Signal(i) => model.at_state(state, |at| Ok(at.signals[i]))?,
            Quantity::Body(b, column) => {
                model.at_state(state, |at| Ok(of_body(&at.rigid[b], column)))?
            }
            Quantity::Energy(0) => model.energies_of(state)?.kinetic,
            Quantity::Energy(1) => model.energies_of(state)?.potential,
            Quantity::Energy(_) => return Err("works have a history".into()),
            Quantity::Total => {
                let energies = model.energies_of(state)?;
                energies.kinetic + energies.potential
            }
        })
    }
}

/// A column of the table of bodies.
fn of_body(body: &RigidState, column: usize) -> f64 {
    let RigidState { position, rotation, velocity, spin } = *body;
    match column {
        0..3 => position[column],
        3 => rotation.w,
        4..7 => [rotation.x, rotation.y, rotation.z][column - 4],
        7..10 => velocity[column - 7],
        _ => spin[column - 10],
    }
}

/// What is known of a quantity so far.
#[derive(Clone, Copy, Debug)]
struct Course {
    last: f64,
    max: (f64, f64),
    min: (f64, f64),
    sum: f64,
    n: u64,
}

/// Watches a run.
pub(crate) struct Watch<'a> {
    outputs: &'a [Output],
    /// Time from which extremes count [s].
    from: f64,
    course: Vec<Course>,
    pub(crate) ledger: EnergyLedger,
    pub(crate) summary: Summary,
    impacts: Vec<f64>,
    n_impacts: u64,
    largest_impulse: f64,
    t: f64,
    /// Time from which those of outputs are counted [s].
    origin: f64,
    rigid: Vec<RigidState>,
    working: Vec<f64>,
    signals: Vec<f64>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(outputs: &'a [Output], from: f64) -> Self {
        Self {
            outputs,
            from,
            course: vec![Course::NEW; outputs.len()],
            ledger: EnergyLedger::default(),
            summary: Summary::default(),
            impacts: Vec::new(),
            n_impacts: 0,
            largest_impulse: 0.0,
            t: 0.0,
            origin: 0.0,
            rigid: Vec::new(),
            working: Vec::new(),
            signals: Vec::new(),
        }
    }

    /// The outputs; not a number where there is none, such as the first impact of a run without impacts.
    pub(crate) fn values(&self) -> Vec<f64> {
        let time = |t: Option<&f64>| t.map_or(f64::NAN, |t| t - self.origin);
        let value = |(output, course): (&Output, &Course)| match output.what {
            What::Of(Statistic::Final, _) => course.last,
            What::Of(Statistic::Max, _) => course.max.0,
            What::Of(Statistic::Min, _) => course.min.0,
            What::Of(Statistic::TimeOfMax, _) => course.max.1 - self.origin,
            What::Of(Statistic::TimeOfMin, _) => course.min.1 - self.origin,
            What::Of(Statistic::Mean, _) => course.sum / course.n as f64,
            What::Count(Count::Impacts) => (self.summary.impacts - self.n_impacts) as f64,
            What::Count(Count::FirstImpact) => time(self.impacts.first()),
            What::Count(Count::LastImpact) => time(self.impacts.last()),
            What::Count(Count::LargestImpulse) => self.largest_impulse,
            What::Count(Count::EndTime) => self.t,
        };
        self.outputs.iter().zip(&self.course).map(value).collect()
    }

    /// Forgets what was, but for the trust: outputs are then those from here on, and their times are counted from here.
    pub(crate) fn restart(&mut self) {
        self.course.fill(Course::NEW);
        self.impacts.clear();
        self.n_impacts = self.summary.impacts;
        self.largest_impulse = 0.0;
        self.origin = self.t;
    }

    fn look(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        self.t = state.t;
        let needs = |wanted: fn(Quantity) -> bool| {
            self.outputs.iter().any(|output| matches!(output.what, What::Of(_, q) if wanted(q)))
        };
        let sees_signals = needs(|q| matches!(q, Quantity::Signal(_)));
        if sees_signals || needs(|q| matches!(q, Quantity::Body(..))) {
            model.rigid_states(state.t, &state.q, &state.v, &mut self.rigid)?;
        }
        if sees_signals {
            self.working.resize(state.v.len(), 0.0);
            model.to_working(&state.q, &state.v, &mut self.working);
            let State { t, q, presence, angles, .. } = state;
            let (v, rigid) = (&self.working, &self.rigid);
            let at = Instant { t: *t, q, v, rigid, presence, angles, signals: &[] };
            model.signals.evaluate(&state.inputs, &at, &mut self.signals)?;
        }
        for (k, output) in self.outputs.iter().enumerate() {
            if let What::Of(_, quantity) = output.what {
                let x = self.value(quantity, state);
                self.course[k].take(state.t, x, state.t >= self.from);
            }
        }
        Ok(())
    }

    fn value(&self, quantity: Quantity, state: &State) -> f64 {
        match quantity {
            Quantity::Q(i) => state.q[i],
            Quantity::V(i) => state.v[i],
            Quantity::Signal(i) => self.signals[i],
            Quantity::Body(b, column) => of_body(&self.rigid[b], column),
            Quantity::Energy(0) => self.ledger.energies.kinetic,
            Quantity::Energy(1) => self.ledger.energies.potential,
            Quantity::Energy(column) => {
                let works = self.ledger.total.columns();
                let name = EnergyRow::COLUMNS[column + 1];
                let found = works.iter().find(|(known, _)| *known == name).map(|(_, work)| *work);
                found.unwrap_or(self.ledger.remainder)
            }
            Quantity::Total => self.ledger.energies.kinetic + self.ledger.energies.potential,
        }
    }
}

impl Course {
    /// Nothing yet.
    const NEW: Self =
        Self { last: f64::NAN, max: (f64::NAN, f64::NAN), min: (f64::NAN, f64::NAN), sum: 0.0, n: 0 };

    fn take(&mut self, t: f64, x: f64, counts: bool) {
        self.last = x;
        if !counts {
            return;
        }
        if !(x <= self.max.0) {
            self.max = (x, t);
        }
        if !(x >= self.min.0) {
            self.min = (x, t);
        }
        self.sum += x;
        self.n += 1;
    }
}

impl Observer for Watch<'_> {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        self.ledger.start(model, state)?;
        self.summary.start(model, state)?;
        self.look(model, state)
    }

    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        self.ledger.step(frame)?;
        self.summary.step(frame)?;
        for event in &frame.log.events {
            self.impacts.truncate(1);
            self.impacts.push(event.t);
            self.largest_impulse = self.largest_impulse.max(event.impulse[0]);
        }
        self.look(frame.model, frame.shown)
    }
}
