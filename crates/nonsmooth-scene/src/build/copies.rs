//! Quantities of tables that may be repeated 10⁵ times: each formula is compiled once, with i as a variable, and its
//! place is written out only for a mistake.

use super::names::Constants;
use super::{Build, Dimension};
use crate::formula::{Expr, Meaning, Program, Scope, parse};
use crate::formulas::TIME;
use crate::scene::{Orientation, Quantity, Turn, Vector};
use crate::source::Path;
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use std::sync::Arc;

/// Slot of i.
pub(super) const INDEX: u32 = 1;

/// A place in the scene, as steps from a path.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// The path itself.
    Path(&'a Path),
    /// A key of the table at a place.
    Key(&'a At<'a>, &'a str),
    /// An entry of the list at a place.
    Entry(&'a At<'a>, usize),
}

impl At<'_> {
    pub(super) fn key<'b>(&'b self, key: &'b str) -> At<'b> {
        At::Key(self, key)
    }

    pub(super) fn entry(&self, entry: usize) -> At<'_> {
        At::Entry(self, entry)
    }

    pub(super) fn path(&self) -> Path {
        match self {
            At::Path(path) => (*path).clone(),
            At::Key(at, key) => at.path().key(key),
            At::Entry(at, entry) => at.path().index(*entry),
        }
    }
}

/// Constants; i as a variable where there are copies; t where it is allowed.
pub(super) struct OfCopy<'a> {
    pub(super) constants: Constants<'a>,
    pub(super) is_repeated: bool,
    pub(super) has_time: bool,
}

impl Scope for OfCopy<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        match name {
            "i" if self.is_repeated => Some(Meaning::Slot(INDEX)),
            "t" if self.has_time => Some(Meaning::Slot(TIME)),
            _ => self.constants.look_up(name),
        }
    }
    fn names(&self) -> Vec<String> {
        let variables = [("i", self.is_repeated), ("t", self.has_time)];
        let allowed =
            variables.iter().filter(|(_, allowed)| *allowed).map(|(name, _)| (*name).to_owned());
        allowed.chain(self.constants.names()).collect()
    }
}

/// Formulas of one table that do not depend on t.
#[derive(Default)]
pub(super) struct Compiled {
    programs: HashMap<String, Program>,
    /// Whether a formula that was evaluated depends on i.
    pub(super) used_index: bool,
}

impl Compiled {
    /// Makes ready for another table.
    pub(super) fn clear(&mut self) {
        self.programs.clear();
    }
}

/// Formulas of t and i, compiled, shared by all copies.
pub(super) type Programs = Arc<[Program]>;

/// The values of formulas of t for copy `i`.
pub(super) fn values_at<const N: usize>(programs: &[Program], t: f64, i: f64) -> [f64; N] {
    std::array::from_fn(|k| programs.get(k).map_or(0.0, |program| program.eval(&[t, i])))
}

impl Build<'_> {
    pub(super) fn wrong(&mut self, at: &At<'_>, message: String) {
        self.mistake(&at.path(), message);
    }

    /// Numbers of a vector: two in the plane, three in space.
    pub(super) fn n_axes(&self) -> usize {
        if self.dimension == Dimension::Plane { 2 } else { 3 }
    }

    /// Where all bodies of the scene live, in words.
    pub(super) fn dimension_text(&self) -> &'static str {
        match self.dimension {
            Dimension::Plane => "the scene is in the plane, since `world.gravity` has two numbers",
            Dimension::Space => "the scene is in space, unless `world.gravity` has two numbers",
        }
    }

    /// A number, or the value of a formula of parameters and i.
    pub(super) fn value(
        &mut self,
        at: &At<'_>,
        quantity: &Quantity,
        copy: Option<usize>,
    ) -> Option<f64> {
        let text = match quantity {
            Quantity::Number(x) if x.is_finite() => return Some(*x),
            Quantity::Number(x) => {
                self.wrong(at, format!("must be finite, got {x}"));
                return None;
            }
            Quantity::Formula(text) => text,
        };
        if !self.compiled.programs.contains_key(text) {
            let expression = self.expression_of(at, quantity, copy.is_some(), false)?;
            self.compiled.programs.insert(text.clone(), Program::compile(&expression));
        }
        let program = &self.compiled.programs[text];
        let x = program.eval(&[0.0, copy.unwrap_or(0) as f64]);
        self.compiled.used_index |= program.n_slots() > INDEX as usize;
        if !x.is_finite() {
            let of_copy = copy.map_or(String::new(), |i| format!(" for i = {i}"));
            self.wrong(at, format!("must be finite, but it is {x}{of_copy}"));
            return None;
        }
        Some(x)
    }

    /// The value of a quantity, if there is one; `Err` after a mistake.
    pub(super) fn optional(
        &mut self,
        at: &At<'_>,
        quantity: Option<&Quantity>,
        copy: Option<usize>,
    ) -> Result<Option<f64>, ()> {
        quantity.map(|quantity| self.value(at, quantity, copy).ok_or(())).transpose()
    }

    fn expression_of(
        &mut self,
        at: &At<'_>,
        quantity: &Quantity,
        is_repeated: bool,
        has_time: bool,
    ) -> Option<Expr> {
        let scope = OfCopy { constants: self.constants(None), is_repeated, has_time };
        let text = match quantity {
            Quantity::Number(x) if x.is_finite() => return Some(Expr::number(*x)),
            Quantity::Number(x) => {
                self.wrong(at, format!("must be finite, got {x}"));
                return None;
            }
            Quantity::Formula(text) => text,
        };
        match parse(text, &scope) {
            Ok(expression) => Some(expression),
            Err(errors) => {
                let path = at.path();
                let mut mistakes = self.formula_mistakes(&path, errors);
                self.mistakes.append(&mut mistakes);
                None
            }
        }
    }

    /// Says that a list has the wrong length.
    fn wrong_length(&mut self, at: &At<'_>, want: usize, got: usize) {
        let why = self.dimension_text();
        self.wrong(at, format!("must have {want} numbers, has {got}; {why}"));
    }

    /// Two or three numbers as a vector of space; `default` if not given.
    pub(super) fn point(
        &mut self,
        at: &At<'_>,
        list: Option<&Vec<Quantity>>,
        copy: Option<usize>,
        default: DVec3,
    ) -> Option<DVec3> {
        let Some(list) = list else { return Some(default) };
        let n = self.n_axes();
        if list.len() != n {
            self.wrong_length(at, n, list.len());
            return None;
        }
        let mut x = [0.0; 3];
        let mut good = true;
        for (k, quantity) in list.iter().enumerate() {
            match self.value(&at.entry(k), quantity, copy) {
                Some(value) => x[k] = value,
                None => good = false,
            }
        }
        good.then(|| DVec3::from_array(x))
    }

    /// A list of `n` numbers.
    pub(super) fn numbers(
        &mut self,
        at: &At<'_>,
        list: &[Quantity],
        copy: Option<usize>,
    ) -> Option<Vec<f64>> {
        let values: Vec<Option<f64>> =
            list.iter().enumerate().map(|(k, q)| self.value(&at.entry(k), q, copy)).collect();
        values.into_iter().collect()
    }

    /// The entries of a vector: two in the plane, three in space.
    pub(super) fn axis_entries<'q>(
        &mut self,
        at: &At<'_>,
        list: &'q [Quantity],
    ) -> Option<&'q [Quantity]> {
        let n = self.n_axes();
        if list.len() != n {
            self.wrong_length(at, n, list.len());
            return None;
        }
        Some(list)
    }

    /// Entries of a turning quantity: three in space, one in the plane.
    pub(super) fn turning<'q>(&mut self, at: &At<'_>, vector: &'q Vector) -> Option<&'q [Quantity]> {
        let list = match vector {
            Vector::All(quantity) => std::slice::from_ref(quantity),
            Vector::Each(list) => list,
        };
        let want = if self.dimension == Dimension::Plane { 1 } else { 3 };
        if list.len() != want {
            self.wrong_length(at, want, list.len());
            return None;
        }
        Some(list)
    }

    /// An angular velocity: three numbers in space, one in the plane.
    pub(super) fn spin(
        &mut self,
        at: &At<'_>,
        vector: Option<&Vector>,
        copy: Option<usize>,
    ) -> Option<DVec3> {
        let Some(vector) = vector else { return Some(DVec3::ZERO) };
        let list = self.turning(at, vector)?;
        let x = self.numbers(at, list, copy)?;
        Some(match x[..] {
            [x, y, z] => DVec3::new(x, y, z),
            _ => DVec3::new(0.0, 0.0, x[0]),
        })
    }

    /// Formulas of t, compiled, and their derivatives; `None` after a mistake.
    pub(super) fn programs(
        &mut self,
        at: &At<'_>,
        list: &[Quantity],
        is_repeated: bool,
    ) -> Option<(Programs, Programs)> {
        let found: Vec<Option<Expr>> = list
            .iter()
            .enumerate()
            .map(|(k, quantity)| self.expression_of(&at.entry(k), quantity, is_repeated, true))
            .collect();
        let all = found.into_iter().collect::<Option<Vec<Expr>>>()?;
        let rates: Vec<Expr> = all.iter().map(|expression| expression.derivative(TIME)).collect();
        let compile = |list: &[Expr]| list.iter().map(Program::compile).collect();
        Some((compile(&all), compile(&rates)))
    }

    /// A vector of formulas of t: two in the plane, three in space.
    pub(super) fn point_programs(
        &mut self,
        at: &At<'_>,
        list: &[Quantity],
        is_repeated: bool,
    ) -> Option<(Programs, Programs)> {
        let list = self.axis_entries(at, list)?;
        self.programs(at, list, is_repeated)
    }

    /// The unit vector along an axis; z in the plane.
    pub(super) fn axis(
        &mut self,
        at: &At<'_>,
        axis: Option<&Vec<Quantity>>,
        copy: Option<usize>,
    ) -> Option<DVec3> {
        match (self.dimension, axis) {
            (Dimension::Plane, None) => Some(DVec3::Z),
            (Dimension::Plane, Some(_)) => {
                self.wrong(&at.key("axis"), "in the plane there is no `axis`, only an `angle`".into());
                None
            }
            (Dimension::Space, None) => {
                self.wrong(at, "an `angle` in space needs an `axis`, such as [0, 0, 1]".into());
                None
            }
            (Dimension::Space, Some(list)) => {
                let x = self.point(&at.key("axis"), Some(list), copy, DVec3::Z)?;
                let unit = x.try_normalize();
                if unit.is_none() {
                    self.wrong(&at.key("axis"), "the axis must not be zero".into());
                }
                unit
            }
        }
    }

    /// How something is turned; not at all if not given.
    pub(super) fn orientation(
        &mut self,
        at: &At<'_>,
        orientation: Option<&Orientation>,
        copy: Option<usize>,
    ) -> Option<DQuat> {
        match orientation {
            None => Some(DQuat::IDENTITY),
            Some(Orientation::Angle(angle)) => {
                if self.dimension == Dimension::Space {
                    let message = "an angle alone turns in the plane; in space give { axis = […], angle = … } or a quaternion [w, x, y, z]";
                    self.wrong(at, message.into());
                    return None;
                }
                self.value(at, angle, copy).map(DQuat::from_rotation_z)
            }
            Some(Orientation::Turn(Turn { axis, angle })) => {
                let axis = self.axis(at, axis.as_ref(), copy);
                let angle = self.value(&at.key("angle"), angle, copy);
                Some(DQuat::from_axis_angle(axis?, angle?))
            }
            Some(Orientation::Quaternion(list)) => self.quaternion(at, list, copy),
        }
    }

    fn quaternion(&mut self, at: &At<'_>, list: &[Quantity], copy: Option<usize>) -> Option<DQuat> {
        if self.dimension == Dimension::Plane {
            self.wrong(at, format!("a quaternion turns in space, but {}", self.dimension_text()));
            return None;
        }
        let &[w, x, y, z] = &self.numbers(at, list, copy)?[..] else {
            self.wrong(at, format!("a quaternion has four numbers [w, x, y, z], got {}", list.len()));
            return None;
        };
        let largest = [w, x, y, z].iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            self.wrong(at, "the quaternion must not be zero".into());
            return None;
        }
        // Scaled first, so that neither tiny nor huge ones lose their direction.
        Some(DQuat::from_xyzw(x / largest, y / largest, z / largest, w / largest).normalize())
    }
}
