//! Files for ParaView and everything else that reads VTK.
//!
//! A run called `name` becomes two collections in a folder, `name_bodies.pvd` and `name_contacts.pvd`,
//! which list one file each for every frame, `name_bodies_000000.vtp` and so on; elastic bodies, where there are any, a third one, `name_elastic.pvd`. A frame is first
//! written under another name and then renamed, and so is the collection after it: whenever the run is
//! killed, what the collections list is whole. Numbers are raw and little endian, offsets of 64 bits.
//!
//! Bodies are in single precision, as for pictures; contacts in double. What is not finite is refused.

mod bodies;
mod check;
mod collection;
mod contacts;
mod elastic;
mod error;
mod piece;

pub use elastic::Meshed;
pub use error::VtkError;

use collection::Collection;
use nonsmooth_geometry::SurfaceMesh;
use nonsmooth_geometry::spatial::Pose;
use std::path::Path;

/// A body of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its surface in its own frame; without one the body is a single point, for glyphs.
    pub surface: Option<&'a SurfaceMesh>,
    /// Where it is.
    pub pose: Pose,
    /// Of its origin [m/s].
    pub velocity: [f64; 3],
    /// In the axes of the world [rad/s].
    pub angular_velocity: [f64; 3],
    /// Of translation and rotation [J].
    pub kinetic_energy: f64,
}

/// A contact of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Numbers of the two bodies; −1 for the fixed world.
    pub bodies: [i32; 2],
    /// Where it is [m].
    pub point: [f64; 3],
    /// From the first body to the second [–].
    pub normal: [f64; 3],
    /// Signed distance [m].
    pub gap: f64,
    /// On the second body, in the axes of the world [N·s].
    pub impulse: [f64; 3],
    /// On the second body, in the axes of the world [N].
    pub force: [f64; 3],
}

/// Writes a run, frame by frame.
#[derive(Debug)]
pub struct VtkWriter {
    bodies: Collection,
    contacts: Collection,
    elastic: Collection,
}

impl VtkWriter {
    /// Begins a run in a folder, which is made if need be. An earlier run of that name is forgotten.
    pub fn create(folder: &Path, name: &str) -> Result<Self, VtkError> {
        let mut writer = Self::named(folder, name)?;
        std::fs::create_dir_all(folder).map_err(error::io(folder))?;
        writer.bodies.keep(0)?;
        writer.contacts.keep(0)?;
        Ok(writer)
    }

    /// Goes on with a run after its first `n_frames` frames; later ones are removed.
    pub fn resume(folder: &Path, name: &str, n_frames: usize) -> Result<Self, VtkError> {
        let mut writer = Self::named(folder, name)?;
        // Both are read before either is cut.
        writer.bodies.read()?;
        writer.contacts.read()?;
        writer.bodies.has(n_frames)?;
        writer.contacts.has(n_frames)?;
        writer.bodies.keep(n_frames)?;
        writer.contacts.keep(n_frames)?;
        if writer.elastic.exists() {
            writer.elastic.read()?;
            writer.elastic.has(n_frames)?;
            writer.elastic.keep(n_frames)?;
        }
        Ok(writer)
    }

    /// Goes on with a run after its frames up to time t [s], or begins one if there is none.
    pub fn resume_at(folder: &Path, name: &str, t: f64) -> Result<Self, VtkError> {
        let mut writer = Self::named(folder, name)?;
        if !writer.bodies.exists() {
            return Self::create(folder, name);
        }
        writer.bodies.read()?;
        let n_frames = writer.bodies.n_frames_up_to(t);
        Self::resume(folder, name, n_frames)
    }

    fn named(folder: &Path, name: &str) -> Result<Self, VtkError> {
        let is_plain = |c: char| !(c.is_control() || "/\\:".contains(c));
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(VtkError::BadName { name: name.to_owned() });
        }
        Ok(Self {
            bodies: Collection::new(folder, &format!("{name}_bodies")),
            contacts: Collection::new(folder, &format!("{name}_contacts")),
            elastic: Collection::new(folder, &format!("{name}_elastic")),
        })
    }

    /// How many frames there are.
    pub fn n_frames(&self) -> usize {
        self.bodies.n_frames()
    }

    /// Adds a frame at time t [s], which must be later than the last one.
    ///
    /// If it is refused nothing is written. If the system fails, the frame is not listed in both
    /// collections: resume the run, keeping the frames before it.
    pub fn frame(&mut self, t: f64, bodies: &[Body<'_>], contacts: &[Contact]) -> Result<(), VtkError> {
        self.bodies.accepts(t)?;
        self.contacts.accepts(t)?;
        check::bodies(bodies)?;
        check::contacts(contacts)?;
        self.bodies.add(t, |to| bodies::write(t, bodies, to))?;
        self.contacts.add(t, |to| contacts::write(t, contacts, to))
    }

    /// Adds the elastic bodies of the frame at time t [s]: in every frame of a run, or in none.
    pub fn elastic_frame(&mut self, t: f64, bodies: &[Meshed]) -> Result<(), VtkError> {
        self.elastic.accepts(t)?;
        elastic::check(bodies)?;
        self.elastic.add(t, |to| elastic::write(t, bodies, to))
    }
}
