//! Contact points and the place where they are collected.

use crate::feature::{Feature, Key};
use crate::pose::Isometry;
use glam::DVec3;

/// A point where two shapes touch or may soon touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Midway between the two surfaces, in the world [m].
    pub point: [f64; 3],
    /// Unit vector from a to b, in the world [–].
    pub normal: [f64; 3],
    /// Signed distance along the normal [m]; negative means overlap.
    pub distance: f64,
    /// Which features meet.
    pub key: Key,
}

impl Contact {
    /// The point of the surface of a [m].
    pub fn on_a(&self) -> [f64; 3] {
        self.along_normal(-0.5 * self.distance)
    }

    /// The point of the surface of b [m].
    pub fn on_b(&self) -> [f64; 3] {
        self.along_normal(0.5 * self.distance)
    }

    fn along_normal(&self, way: f64) -> [f64; 3] {
        std::array::from_fn(|k| self.point[k] + way * self.normal[k])
    }

    /// The same point when the shapes change places.
    pub fn swapped(&self) -> Self {
        Self { normal: self.normal.map(|x| -x), key: self.key.swapped(), ..*self }
    }
}

/// Takes points found on cores, in the frame in which they were found, and appends contacts in the world.
pub(crate) struct Sink<'o> {
    pub out: &'o mut Vec<Contact>,
    /// Frame in which points are found.
    pub world_from_work: Isometry,
    /// Whether a and b were exchanged to be found.
    pub is_swapped: bool,
    /// Largest distance of interest [m].
    pub prediction: f64,
    /// Radii by which the cores are rounded [m].
    pub radii: (f64, f64),
    /// Parts of the compounds.
    pub parts: (u32, u32),
}

/// A pair of points of two cores.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// Midway between the two points of the cores.
    pub middle: DVec3,
    /// From a to b.
    pub normal: DVec3,
    /// Of the cores.
    pub distance: f64,
    pub features: (Feature, Feature),
}

impl Sink<'_> {
    /// Largest distance of cores that is of interest.
    pub fn limit(&self) -> f64 {
        self.prediction + self.radii.0 + self.radii.1
    }

    /// Adds what was found.
    pub fn push(&mut self, found: Found) {
        let distance = found.distance - (self.radii.0 + self.radii.1);
        if !(distance <= self.prediction) {
            return;
        }
        // The middle of the surfaces, not of the cores, if the radii differ.
        let middle = found.middle + 0.5 * (self.radii.0 - self.radii.1) * found.normal;
        let key =
            Key { a: found.features.0.on_part(self.parts.0), b: found.features.1.on_part(self.parts.1) };
        let contact = Contact {
            point: self.world_from_work.point(middle).to_array(),
            normal: self.world_from_work.vector(found.normal).to_array(),
            distance,
            key,
        };
        self.out.push(if self.is_swapped { contact.swapped() } else { contact });
    }
}
