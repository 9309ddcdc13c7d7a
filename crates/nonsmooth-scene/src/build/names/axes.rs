//! What free axes of joints are called in formulas: `hinge.angle`, `leg[3].v_travel`.

use super::{Directory, Reading};
use nonsmooth::joints::{AxisKind, AxisReading};

impl Directory {
    /// Registers the joints of a table.
    pub(in crate::build) fn add_joints(
        &mut self,
        name: &str,
        count: Option<usize>,
        kinds: &'static [AxisKind],
    ) {
        self.joints.insert(name.to_owned(), (count, kinds));
    }

    /// `hinge.angle`, `leg[3].v_travel`: a free axis of a joint or its rate. Where a joint has several of a kind, they are numbered.
    pub(super) fn axis(&self, name: &str) -> Option<Reading> {
        let (owner, quantity) = name.rsplit_once('.')?;
        let (base, index) = match owner.split_once('[') {
            Some((base, rest)) => (base, Some(rest.strip_suffix(']')?.parse::<usize>().ok()?)),
            None => (owner, None),
        };
        let (count, kinds) = self.joints.get(base)?;
        let is_there = match (index, count) {
            (None, None) => true,
            (Some(k), Some(n)) => k < *n,
            _ => false,
        };
        let (rate, quantity) = match quantity.strip_prefix("v_") {
            Some(quantity) => (true, quantity),
            None => (false, quantity),
        };
        let axis = axis_names(kinds).iter().position(|known| known == quantity)?;
        let wanted = AxisReading::new(owner, axis);
        let mut asked = self.axes_asked.borrow_mut();
        if is_there && !asked.contains(&wanted) {
            asked.push(wanted.clone());
        }
        asked.iter().find(|known| **known == wanted).map(|known| Reading::Axis(known.clone(), rate))
    }

    /// Free axes that formulas read.
    pub(in crate::build) fn axes_asked(&self) -> Vec<AxisReading> {
        self.axes_asked.borrow().clone()
    }

    /// Names of free axes and their rates; of a table of joints, those of the first.
    pub(in crate::build) fn axes_of_joints(&self) -> Vec<String> {
        let of_table = |(name, (count, kinds)): (&String, &(Option<usize>, &[AxisKind]))| {
            let owner = if count.is_some() { format!("{name}[0]") } else { name.clone() };
            let each = |axis: String| [format!("{owner}.{axis}"), format!("{owner}.v_{axis}")];
            axis_names(kinds).into_iter().flat_map(each).collect::<Vec<_>>()
        };
        self.joints.iter().flat_map(of_table).collect()
    }
}

/// What the free axes of a joint are called: `angle`, `travel`; `angle_1`, `angle_2` where there are several.
fn axis_names(kinds: &[AxisKind]) -> Vec<String> {
    let name = |k: usize| {
        let word = if kinds[k] == AxisKind::Angle { "angle" } else { "travel" };
        let of_kind = |list: &[AxisKind]| list.iter().filter(|kind| **kind == kinds[k]).count();
        if of_kind(kinds) > 1 { format!("{word}_{}", of_kind(&kinds[..=k])) } else { word.to_owned() }
    };
    (0..kinds.len()).map(name).collect()
}
