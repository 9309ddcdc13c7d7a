//! What names mean in the formulas of a scene.

mod axes;
mod relations;

pub(super) use relations::OfRelation;

use crate::formula::{Expr, Meaning, Scope, parse};
use crate::formulas::{TIME, coordinate, velocity};
use crate::scene::Quantity;
use nonsmooth::Instant;
use nonsmooth::joints::{AxisKind, AxisReading};
use nonsmooth::model::SystemId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Every coordinate of the scene by name, qualified and, where unique, plain; those of bodies only qualified.
#[derive(Default)]
pub(super) struct Directory {
    /// Name → coordinate (system, place); `None` where a plain name is ambiguous.
    known: BTreeMap<String, Option<(usize, usize)>>,
    /// States of first-order systems by name, as coordinates are known.
    states: BTreeMap<String, Option<(usize, usize)>>,
    /// First state of each first-order system among all states, by number of the system; its number of states.
    state_blocks: BTreeMap<usize, (usize, usize)>,
    /// Number of all states.
    n_states: usize,
    /// Place in q of the first coordinate of each system.
    first: Vec<usize>,
    /// Number of coordinates of all systems; those of bodies follow.
    n_of_systems: usize,
    /// Bodies by the name of their table.
    families: BTreeMap<String, Family>,
    /// Number of moving bodies.
    n_moving: usize,
    /// Whether bodies are in the plane.
    pub(super) in_plane: bool,
    /// Outputs of controllers, the first signals.
    inputs: Vec<String>,
    /// Named expressions: number and formula.
    expressions: BTreeMap<String, (usize, Quantity)>,
    /// Expressions that some formula asked for.
    asked: RefCell<BTreeSet<String>>,
    /// Joints by the name of their table: how many, if it is repeated, and their free axes.
    joints: BTreeMap<String, (Option<usize>, &'static [AxisKind])>,
    /// Free axes that some formula asked for.
    axes_asked: RefCell<Vec<AxisReading>>,
}

/// All bodies of one table.
#[derive(Clone, Copy)]
pub(super) struct Family {
    /// Number of the first among the moving or among the kinematic bodies.
    pub(super) first: usize,
    /// How many there are, if the table is repeated.
    pub(super) count: Option<usize>,
    /// Whether they are fixed or prescribed.
    pub(super) is_kinematic: bool,
}

/// A number that an instant shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// A coordinate, by its place in q.
    Coordinate(usize),
    /// A velocity of a system, by its place in v.
    Velocity(usize),
    /// A quantity of a rigid body, by its number among rigid things.
    Body(usize, BodyReading),
    /// A named expression, by its number.
    Expression(usize),
    /// A free axis of a joint, or its rate.
    Axis(AxisReading, bool),
}

/// A quantity of a rigid body in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BodyReading {
    Position(usize),
    Velocity(usize),
    Spin(usize),
    /// A component of the quaternion w, x, y, z.
    Rotation(usize),
    /// The angle about z, in (−π, π].
    Angle,
}

impl Reading {
    /// Its value.
    pub(super) fn at(&self, at: &Instant<'_>) -> f64 {
        match *self {
            Reading::Coordinate(place) => at.q[place],
            Reading::Velocity(place) => at.v[place],
            Reading::Expression(number) => at.signals[number],
            Reading::Axis(ref axis, false) => axis.value(at),
            Reading::Axis(ref axis, true) => axis.rate(at),
            Reading::Body(number, quantity) => {
                let body = &at.rigid[number];
                let rotation = || {
                    let q = body.rotation;
                    [q.w, q.x, q.y, q.z]
                };
                match quantity {
                    BodyReading::Position(k) => body.position[k],
                    BodyReading::Velocity(k) => body.velocity[k],
                    BodyReading::Spin(k) => body.spin[k],
                    BodyReading::Rotation(k) => rotation()[k],
                    BodyReading::Angle => 2.0 * body.rotation.z.atan2(body.rotation.w),
                }
            }
        }
    }
}

/// Coordinates of a body in the plane and in space, in the order of their places.
const AXES: [&[&str]; 2] = [&["x", "y", "phi"], &["x", "y", "z", "q_w", "q_x", "q_y", "q_z"]];

/// What else formulas of an instant may read of a body.
const RATES: [&[(&str, BodyReading)]; 2] = [
    &[
        ("v_x", BodyReading::Velocity(0)),
        ("v_y", BodyReading::Velocity(1)),
        ("v_phi", BodyReading::Spin(2)),
        ("omega_z", BodyReading::Spin(2)),
    ],
    &[
        ("v_x", BodyReading::Velocity(0)),
        ("v_y", BodyReading::Velocity(1)),
        ("v_z", BodyReading::Velocity(2)),
        ("omega_x", BodyReading::Spin(0)),
        ("omega_y", BodyReading::Spin(1)),
        ("omega_z", BodyReading::Spin(2)),
    ],
];

impl Directory {
    /// Registers coordinate `place` of system number `system`, known as `owner.name` and `name`.
    pub(super) fn add(&mut self, owner: &str, name: &str, system: usize, place: usize) {
        self.known.insert(format!("{owner}.{name}"), Some((system, place)));
        let plain = self.known.entry(name.to_owned()).or_insert(Some((system, place)));
        if *plain != Some((system, place)) {
            *plain = None;
        }
    }

    /// Registers the next system, of `n` coordinates; the linear ones come first.
    pub(super) fn add_system(&mut self, n: usize) {
        self.first.push(self.n_of_systems);
        self.n_of_systems += n;
    }

    /// Registers the bodies of a table.
    pub(super) fn add_family(&mut self, name: &str, family: Family) {
        self.families.insert(name.to_owned(), family);
        if !family.is_kinematic {
            self.n_moving = self.n_moving.max(family.first + family.count.unwrap_or(1));
        }
    }

    /// Registers an expression; its number is how many signals there were before.
    pub(super) fn add_expression(&mut self, name: &str, quantity: &Quantity) {
        let number = self.inputs.len() + self.expressions.len();
        self.expressions.insert(name.to_owned(), (number, quantity.clone()));
    }

    /// The bodies of the table called `name`.
    pub(super) fn family(&self, name: &str) -> Option<Family> {
        self.families.get(name).copied()
    }

    /// Names of the tables of bodies.
    pub(super) fn families(&self) -> impl Iterator<Item = &String> {
        self.families.keys()
    }

    /// The coordinate called `name`: number of its system, or of its body as a system, and its place there.
    pub(super) fn find(&self, name: &str) -> Option<(usize, usize)> {
        self.known.get(name).copied().flatten().or_else(|| {
            let (family, number, axis) = self.body(name)?;
            let place = self.axes().iter().position(|known| *known == axis)?;
            (!family.is_kinematic).then(|| (SystemId::of_body(number).0, place))
        })
    }

    /// Number of coordinates of all systems; those of bodies follow.
    pub(super) fn n_of_systems(&self) -> usize {
        self.n_of_systems
    }

    /// Place in q of a coordinate that `find` gave.
    pub(super) fn place(&self, (system, k): (usize, usize)) -> usize {
        match system.checked_sub(SystemId::of_body(0).0) {
            Some(body) => self.n_of_systems + body * self.axes().len() + k,
            None => self.first[system] + k,
        }
    }

    /// What formulas of an instant read under `name`.
    pub(super) fn reading(&self, name: &str) -> Option<Reading> {
        if let Some((number, _)) = self.expressions.get(name) {
            self.asked.borrow_mut().insert(name.to_owned());
            return Some(Reading::Expression(*number));
        }
        if let Some(number) = self.input(name) {
            return Some(Reading::Expression(number));
        }
        if let Some(place) = self.known.get(name).copied().flatten() {
            return Some(Reading::Coordinate(self.place(place)));
        }
        if let Some(state) = self.states.get(name).copied().flatten() {
            return Some(Reading::Velocity(self.state_place(state)));
        }
        if let Some(reading) = self.axis(name) {
            return Some(reading);
        }
        if let Some((family, number, quantity)) = self.body(name) {
            return self.body_reading(family, number, quantity);
        }
        let place = self.known.get(&without_velocity_mark(name)?).copied().flatten()?;
        Some(Reading::Velocity(self.place(place)))
    }

    fn body_reading(&self, family: Family, number: usize, quantity: &str) -> Option<Reading> {
        let rigid = if family.is_kinematic { self.n_moving + number } else { number };
        let rate = RATES[usize::from(!self.in_plane)].iter().find(|(known, _)| *known == quantity);
        if let Some((_, rate)) = rate {
            return Some(Reading::Body(rigid, *rate));
        }
        let place = self.axes().iter().position(|known| *known == quantity)?;
        let reading = match place {
            2 if self.in_plane && !family.is_kinematic => {
                return Some(Reading::Coordinate(self.place((SystemId::of_body(number).0, place))));
            }
            2 if self.in_plane => BodyReading::Angle,
            0..=2 => BodyReading::Position(place),
            _ => BodyReading::Rotation(place - 3),
        };
        Some(Reading::Body(rigid, reading))
    }

    fn axes(&self) -> &'static [&'static str] {
        AXES[usize::from(!self.in_plane)]
    }

    /// `ball.x`, `ball[3].x`: the bodies of the table, the number among them all, and what follows the point.
    fn body<'n>(&self, name: &'n str) -> Option<(Family, usize, &'n str)> {
        let (owner, quantity) = name.rsplit_once('.')?;
        let (base, index) = match owner.split_once('[') {
            Some((base, rest)) => (base, Some(rest.strip_suffix(']')?.parse::<usize>().ok()?)),
            None => (owner, None),
        };
        let family = self.families.get(base)?;
        let number = match (index, family.count) {
            (None, None) => family.first,
            (Some(k), Some(n)) if k < n => family.first + k,
            _ => return None,
        };
        Some((*family, number, quantity))
    }

    /// Names of coordinates that can be used; of the bodies of a table, those of the first.
    pub(super) fn names(&self) -> Vec<String> {
        let plain = self.known.iter().filter(|(_, place)| place.is_some()).map(|(name, _)| name.clone());
        plain.chain(self.of_bodies(self.axes().iter().copied())).collect()
    }

    fn of_bodies<'n>(&self, quantities: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
        let moving = self.families.iter().filter(|(_, family)| !family.is_kinematic);
        let names = moving.flat_map(|(name, family)| {
            let owner = if family.count.is_some() { format!("{name}[0]") } else { name.clone() };
            quantities.clone().map(move |quantity| format!("{owner}.{quantity}"))
        });
        names.collect()
    }

    /// Names that formulas of an instant can use; of the bodies of a table, those of the first.
    pub(super) fn readings(&self) -> Vec<String> {
        let mut names: Vec<String> = self.expressions.keys().chain(&self.inputs).cloned().collect();
        let plain = self.known.iter().filter(|(_, place)| place.is_some());
        for (name, _) in plain {
            names.extend([name.clone(), with_velocity_mark(name)]);
        }
        names.extend(
            self.states.iter().filter(|(_, place)| place.is_some()).map(|(name, _)| name.clone()),
        );
        let rates = RATES[usize::from(!self.in_plane)].iter().map(|(name, _)| *name);
        names.extend(self.of_bodies(self.axes().iter().copied().chain(rates)));
        names
    }

    /// Expressions that no formula asked for.
    pub(super) fn unused_expressions(&self) -> Vec<String> {
        let asked = self.asked.borrow();
        self.expressions.keys().filter(|name| !asked.contains(*name)).cloned().collect()
    }

    /// The formula of an expression, read in another scope: for gaps, which have no instant.
    fn inlined(&self, name: &str, scope: &dyn Scope) -> Option<Expr> {
        let (_, quantity) = self.expressions.get(name)?;
        self.asked.borrow_mut().insert(name.to_owned());
        match quantity {
            Quantity::Number(x) => Some(Expr::number(*x)),
            Quantity::Formula(text) => parse(text, scope).ok(),
        }
    }
}

/// Parameters, and the index of a copy.
#[derive(Clone, Copy)]
pub(super) struct Constants<'a> {
    pub(super) parameters: &'a BTreeMap<String, f64>,
    pub(super) index: Option<usize>,
}

impl Constants<'_> {
    fn get(&self, name: &str) -> Option<Meaning> {
        match (name, self.index) {
            ("i", Some(index)) => Some(Meaning::Constant(index as f64)),
            _ => self.parameters.get(name).copied().map(Meaning::Constant),
        }
    }

    fn list(&self) -> Vec<String> {
        let index = self.index.map(|_| "i".to_owned());
        self.parameters.keys().cloned().chain(index).collect()
    }
}

impl Scope for Constants<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        self.get(name)
    }
    fn names(&self) -> Vec<String> {
        self.list()
    }
}

/// Constants and t.
pub(super) struct OfTime<'a>(pub(super) Constants<'a>);

impl Scope for OfTime<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        if name == "t" { Some(Meaning::Slot(TIME)) } else { self.0.get(name) }
    }
    fn names(&self) -> Vec<String> {
        [vec!["t".to_owned()], self.0.list()].concat()
    }
}

/// What a formula of one system may use beside constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Uses {
    /// Coordinates.
    Position,
    /// Coordinates, velocities and t.
    All,
}

/// Constants, and the coordinates of one system.
pub(super) struct OfSystem<'a> {
    pub(super) constants: Constants<'a>,
    pub(super) owner: &'a str,
    pub(super) coordinates: &'a [String],
    pub(super) uses: Uses,
}

impl Scope for OfSystem<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        let local =
            name.strip_prefix(self.owner).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        if let Some(k) = self.coordinates.iter().position(|c| c == local) {
            return Some(Meaning::Slot(coordinate(k)));
        }
        if self.uses == Uses::All {
            if name == "t" {
                return Some(Meaning::Slot(TIME));
            }
            let speed =
                local.strip_prefix("v_").and_then(|c| self.coordinates.iter().position(|k| k == c));
            if let Some(k) = speed {
                return Some(Meaning::Slot(velocity(k)));
            }
        }
        self.constants.get(name)
    }
    fn names(&self) -> Vec<String> {
        let mut names = self.coordinates.to_vec();
        if self.uses == Uses::All {
            names.extend(self.coordinates.iter().map(|c| format!("v_{c}")));
            names.push("t".to_owned());
        }
        names.extend(self.constants.list());
        names
    }
}

/// Constants, t, and any coordinate of the scene; notes which were used, in order.
pub(super) struct OfScene<'a> {
    pub(super) constants: Constants<'a>,
    pub(super) directory: &'a Directory,
    pub(super) velocities: bool,
    pub(super) used: RefCell<Vec<(usize, usize)>>,
}

impl OfScene<'_> {
    fn slot(&self, place: (usize, usize), of: fn(usize) -> u32) -> Meaning {
        let mut used = self.used.borrow_mut();
        let k = used.iter().position(|known| *known == place).unwrap_or_else(|| {
            used.push(place);
            used.len() - 1
        });
        Meaning::Slot(of(k))
    }
}

/// `a.z` → `a.v_z`, `z` → `v_z`.
fn with_velocity_mark(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((owner, rest)) => format!("{owner}.v_{rest}"),
        None => format!("v_{name}"),
    }
}

/// `a.v_z` → `a.z`, `v_z` → `z`.
fn without_velocity_mark(name: &str) -> Option<String> {
    match name.rsplit_once('.') {
        Some((owner, rest)) => rest.strip_prefix("v_").map(|rest| format!("{owner}.{rest}")),
        None => name.strip_prefix("v_").map(str::to_owned),
    }
}

impl Scope for OfScene<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        if name == "t" {
            return Some(Meaning::Slot(TIME));
        }
        if let Some(place) = self.directory.find(name) {
            return Some(self.slot(place, coordinate));
        }
        if let Some(known) = self.constants.get(name) {
            return Some(known);
        }
        if let Some(formula) = self.directory.inlined(name, self) {
            return Some(Meaning::Formula(formula));
        }
        let place = self.directory.find(&without_velocity_mark(name)?)?;
        self.velocities.then(|| self.slot(place, velocity))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.directory.names();
        if self.velocities {
            let fast: Vec<String> = names.iter().map(|name| with_velocity_mark(name)).collect();
            names.extend(fast);
        }
        names.push("t".to_owned());
        names.extend(self.constants.list());
        names
    }
}
