//! Coordinates to plot.

use super::Build;
use crate::source::Path;

impl Build<'_> {
    /// Places in q of the coordinates that the scene names, else of a few that are worth seeing.
    pub(super) fn plotted(&mut self) -> Vec<usize> {
        let path = Path::of("output.plot");
        if self.scene.output.plot.is_empty() {
            return self.default_plot();
        }
        let mut places = Vec::new();
        for (i, name) in self.scene.output.plot.iter().enumerate() {
            match self.directory.find(name) {
                Some(place) => places.push(self.directory.place(place)),
                None if self.is_unbuilt(name) => {}
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

    /// The first four coordinates of systems that constraints act on, or simply the first four of systems.
    fn default_plot(&self) -> Vec<usize> {
        let n = self.directory.n_of_systems();
        let constrained = self.constrained.iter().copied().filter(|place| *place < n);
        let some: Vec<usize> = constrained.take(4).collect();
        if some.is_empty() { (0..n.min(4)).collect() } else { some }
    }
}
