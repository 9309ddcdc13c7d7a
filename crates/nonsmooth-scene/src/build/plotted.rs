//! Coordinates to plot.

use super::Build;
use crate::source::Path;
use nonsmooth::{BodyId, Model};

impl Build<'_> {
    /// The coordinates that the scene names: systems, or bodies as systems, with places there.
    pub(super) fn plotted(&mut self) -> Vec<(usize, usize)> {
        let path = Path::of("output.plot");
        let mut places = Vec::new();
        for (i, name) in self.scene.output.plot.iter().enumerate() {
            match self.directory.find(name) {
                Some(place) => places.push(place),
                None => {
                    let mut names = self.directory.names();
                    names.truncate(12);
                    let list = names.join(", ");
                    self.mistake(&path.index(i), format!("no coordinate `{name}`; there are {list}"));
                }
            }
        }
        places
    }
}

/// Places in q of the coordinates to plot: those that are named, else a few that are worth seeing.
pub(super) fn places(model: &Model, named: &[(usize, usize)]) -> Vec<usize> {
    let first_body = BodyId(0).system().0;
    let place = |&(system, k): &(usize, usize)| match system.checked_sub(first_body) {
        Some(body) => model.bodies.q_range(body).start + k,
        None => model.systems[system].range.start + k,
    };
    if named.is_empty() { default_plot(model) } else { named.iter().map(place).collect() }
}

/// The first four coordinates of systems that constraints touch, or simply the first four of systems.
fn default_plot(model: &Model) -> Vec<usize> {
    let constraints = &model.constraints;
    let mut touched: Vec<usize> = constraints.jacobian.column.iter().map(|&j| j as usize).collect();
    touched.extend(constraints.gaps.iter().flat_map(|(columns, _)| columns).map(|&j| j as usize));
    touched.extend(constraints.velocity.iter().flat_map(|(columns, _)| columns).map(|&j| j as usize));
    touched.retain(|place| *place < model.bodies.first_q);
    touched.sort_unstable();
    touched.dedup();
    if touched.is_empty() {
        touched = (0..model.bodies.first_q).collect();
    }
    touched.truncate(4);
    touched
}
