//! Frames of a run for ParaView, written as the run goes: one for each frame of the result file.

use crate::vtk::{Body, Contact, VtkError, VtkWriter};
use nonsmooth::{Bodies, Model, Placed, Placement, State, Touched, UserError};
use nonsmooth_geometry::spatial::Pose;
use nonsmooth_geometry::{Detail, Skin};
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// Folder of the files, in that of the results.
pub(crate) const FOLDER: &str = "vtk";
/// Name of the collections.
const NAME: &str = "run";
/// Segments of a circle: a ball has some 200 triangles, so that 10⁴ of them fit into 100 MB a frame.
const SEGMENTS: u32 = 16;
/// Half the thickness of bodies in the plane, of the reach of the smallest.
const THICKNESS: f64 = 0.5;

/// Why a frame could not be written.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The files refused.
    #[error("{0}")]
    Vtk(#[from] VtkError),
    /// The motion of an obstacle failed.
    #[error("{0}")]
    Motion(#[from] UserError),
}

/// Writes the frames.
pub(crate) struct VtkFrames {
    writer: VtkWriter,
    skins: Vec<Skin>,
    /// The skin of each body, obstacles last; none for half-spaces and bodies without shape.
    skin_of: Vec<Option<usize>>,
}

impl VtkFrames {
    /// Begins in `out`, or goes on after `n_frames` frames.
    pub(crate) fn open(out: &Path, model: &Model, n_frames: Option<usize>) -> Result<Self, VtkError> {
        let folder = out.join(FOLDER);
        let writer = match n_frames {
            None => VtkWriter::create(&folder, NAME)?,
            Some(n) => VtkWriter::resume(&folder, NAME, n)?,
        };
        let (skins, skin_of) = skins(&model.bodies);
        Ok(Self { writer, skins, skin_of })
    }

    /// Writes the bodies of `state` and the contact points of the step that led to it.
    pub(crate) fn frame(
        &mut self,
        model: &Model,
        state: &State,
        touches: &Touched,
    ) -> Result<(), FrameError> {
        let bodies = &model.bodies;
        let Self { writer, skins, skin_of } = self;
        let skin = |i: usize| skin_of[i].map(|k| &skins[k]);
        let mut drawn = Vec::new();
        for i in (0..bodies.n).filter(|&i| bodies.is_present(state, i)) {
            let (kinetic, _) = bodies.energies(state, i);
            drawn.push(body(skin(i), &bodies.placement(state, i), kinetic));
        }
        for k in 0..bodies.obstacles.len() {
            if let Some(skin) = skin(bodies.n + k) {
                drawn.push(body(Some(skin), &bodies.obstacle(k, state.t)?, 0.0));
            }
        }
        let contacts: Vec<Contact> = (0..touches.len())
            .map(|i| {
                let impulse = touches.world_impulse(i);
                Contact {
                    bodies: touches.bodies[i].map(|b| b as i32),
                    point: touches.points[i],
                    normal: touches.normals[i],
                    gap: touches.gaps[i],
                    impulse,
                    force: impulse.map(|p| p / state.step_size),
                }
            })
            .collect();
        Ok(writer.frame(state.t, &drawn, &contacts)?)
    }
}

fn body<'a>(skin: Option<&'a Skin>, at: &Placement, kinetic_energy: f64) -> Body<'a> {
    let q = at.rotation;
    Body {
        skin,
        pose: Pose { position: at.position.to_array(), rotation: [q.w, q.x, q.y, q.z] },
        velocity: at.velocity.to_array(),
        angular_velocity: at.spin.to_array(),
        kinetic_energy,
    }
}

/// The surfaces of all bodies; bodies of one shape share theirs.
fn skins(bodies: &Bodies) -> (Vec<Skin>, Vec<Option<usize>>) {
    let detail = Detail::of(SEGMENTS);
    let thin = bodies.parts.iter().map(|part| part.reach).filter(|reach| reach.is_finite());
    let depth = THICKNESS * thin.fold(f64::INFINITY, f64::min);
    let depth = if depth.is_finite() { depth } else { 1.0 };
    let mut pieces: Vec<Vec<usize>> = vec![Vec::new(); bodies.names.len()];
    for (k, part) in bodies.parts.iter().enumerate().filter(|(_, part)| part.reach.is_finite()) {
        pieces[part.body as usize].push(k);
    }
    let (mut skins, mut skin_of, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
    for parts in pieces {
        if parts.is_empty() {
            skin_of.push(None);
            continue;
        }
        let name: Vec<([u64; 4], [u64; 7])> =
            parts.iter().map(|&k| identity(&bodies.parts[k].part.placed)).collect();
        let number = *known.entry(name).or_insert_with(|| {
            let mut skin = Skin::default();
            for &k in &parts {
                match &bodies.parts[k].part.placed {
                    Placed::Space(shape, pose) => skin.append(&shape.skin(&detail), pose),
                    Placed::Plane(shape, pose) => {
                        skin.append(&shape.skin(&detail, depth), &pose.in_space());
                    }
                }
            }
            skins.push(skin);
            skins.len() - 1
        });
        skin_of.push(Some(number));
    }
    (skins, skin_of)
}

/// What tells two placed shapes apart.
fn identity(placed: &Placed) -> ([u64; 4], [u64; 7]) {
    let (shape, pose) = match placed {
        Placed::Space(shape, pose) => (shape.identity(), *pose),
        Placed::Plane(shape, pose) => (shape.identity(), pose.in_space()),
    };
    let Pose { position: [x, y, z], rotation: [a, b, c, d] } = pose;
    (shape, [x, y, z, a, b, c, d].map(f64::to_bits))
}
