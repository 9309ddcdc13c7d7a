//! Numbers, directions and poses for tests, the same on every run.

use nonsmooth_geometry::spatial::Pose;
use std::ops::{Deref, DerefMut};

/// The numbers of the test kit, and poses.
pub struct Random(nonsmooth_testkit::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(nonsmooth_testkit::Random::new(seed))
    }

    pub fn pose(&mut self, size: f64) -> Pose {
        Pose { position: self.vector(size), rotation: self.rotation() }
    }
}

impl Deref for Random {
    type Target = nonsmooth_testkit::Random;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
