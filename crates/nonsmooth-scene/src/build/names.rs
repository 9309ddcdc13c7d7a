//! What names mean in the formulas of a scene.

use crate::formula::{Meaning, Scope};
use crate::formulas::{TIME, coordinate, velocity};
use nonsmooth::BodyId;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Every coordinate of the scene by name, qualified and, where unique, plain; those of bodies only qualified.
#[derive(Default)]
pub(super) struct Directory {
    /// Name → coordinate (system, place); `None` where a plain name is ambiguous.
    known: BTreeMap<String, Option<(usize, usize)>>,
    /// Bodies by the name of their table.
    families: BTreeMap<String, Family>,
    /// Names of the coordinates of a body that formulas may use.
    axes: &'static [&'static str],
}

/// All bodies of one table.
#[derive(Clone, Copy)]
pub(super) struct Family {
    /// Number of the first among the moving bodies or among the obstacles.
    pub(super) first: usize,
    /// How many there are, if the table is repeated.
    pub(super) count: Option<usize>,
    /// Whether they are fixed or prescribed.
    pub(super) is_obstacle: bool,
}

impl Directory {
    /// Registers coordinate `place` of system number `system`, known as `owner.name` and `name`.
    pub(super) fn add(&mut self, owner: &str, name: &str, system: usize, place: usize) {
        self.known.insert(format!("{owner}.{name}"), Some((system, place)));
        let plain = self.known.entry(name.to_owned()).or_insert(Some((system, place)));
        if *plain != Some((system, place)) {
            *plain = None;
        }
    }

    /// Registers the bodies of a table.
    pub(super) fn add_family(&mut self, name: &str, family: Family, axes: &'static [&'static str]) {
        self.families.insert(name.to_owned(), family);
        self.axes = axes;
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
        self.known.get(name).copied().flatten().or_else(|| self.find_of_body(name))
    }

    /// `ball.x`, `ball[3].x`.
    fn find_of_body(&self, name: &str) -> Option<(usize, usize)> {
        let (owner, axis) = name.rsplit_once('.')?;
        let place = self.axes.iter().position(|known| *known == axis)?;
        let (base, index) = match owner.split_once('[') {
            Some((base, rest)) => (base, Some(rest.strip_suffix(']')?.parse::<usize>().ok()?)),
            None => (owner, None),
        };
        let family = self.families.get(base).filter(|family| !family.is_obstacle)?;
        let number = match (index, family.count) {
            (None, None) => family.first,
            (Some(k), Some(n)) if k < n => family.first + k,
            _ => return None,
        };
        Some((BodyId(number).system().0, place))
    }

    /// Names that can be used; of the bodies of a table, those of the first.
    pub(super) fn names(&self) -> Vec<String> {
        let plain = self.known.iter().filter(|(_, place)| place.is_some()).map(|(name, _)| name.clone());
        let moving = self.families.iter().filter(|(_, family)| !family.is_obstacle);
        let of_bodies = moving.flat_map(|(name, family)| {
            let owner = if family.count.is_some() { format!("{name}[0]") } else { name.clone() };
            self.axes.iter().map(move |axis| format!("{owner}.{axis}"))
        });
        plain.chain(of_bodies).collect()
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
        let place = self.directory.find(&without_velocity_mark(name)?)?;
        self.velocities.then(|| self.slot(place, velocity))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.directory.names();
        if self.velocities {
            let fast = names.iter().map(|name| match name.rsplit_once('.') {
                Some((owner, rest)) => format!("{owner}.v_{rest}"),
                None => format!("v_{name}"),
            });
            let fast: Vec<String> = fast.collect();
            names.extend(fast);
        }
        names.push("t".to_owned());
        names.extend(self.constants.list());
        names
    }
}
