//! `vtk`: frames of a run for ParaView, in the folder `vtk`, one for each frame of the result file.

use super::{Due, ObserverEntry, RunObserver, Setup};
use crate::meshed::{MeshedBody, NodeValues};
use crate::views::{contact_axes, identity};
use crate::vtk::{Body, Contact, Meshed, VtkWriter};
use glam::DVec3;
use nonsmooth::model::rigid::{PosedShape, is_present};
use nonsmooth::model::{Model, RigidState, State, UserError};
use nonsmooth::{ConstraintLog, Observation, Observer};
use nonsmooth_geometry::spatial::Pose;
use nonsmooth_geometry::{Detail, SurfaceMesh};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const ENTRY: ObserverEntry = ObserverEntry {
    name: "vtk",
    about: "bodies, contact points and elastic bodies of every frame for ParaView, in the folder vtk",
    is_default: false,
    make,
};

/// Folder of the files, in that of the results.
const FOLDER: &str = "vtk";
/// Name of the collections.
const NAME: &str = "run";
/// Segments of a circle: a ball has some 200 triangles, so that 10⁴ of them fit into 100 MB a frame.
const SEGMENTS: u32 = 16;
/// Half the thickness of bodies in the plane, of the reach of the smallest.
const THICKNESS: f64 = 0.5;

/// Writes the frames.
struct VtkFrames {
    writer: VtkWriter,
    due: Due,
    surfaces: Vec<SurfaceMesh>,
    /// The surface of each body, kinematic ones last; none for half-spaces and bodies without shape.
    surface_of: Vec<Option<usize>>,
    rigid: Vec<RigidState>,
    elastic: Arc<Vec<MeshedBody>>,
    /// Triangles of each.
    triangles: Vec<Vec<[u32; 3]>>,
}

fn make(setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
    let folder = setup.out.join(FOLDER);
    let writer = match setup.resumed {
        None => VtkWriter::create(&folder, NAME)?,
        Some(from) => VtkWriter::resume_at(&folder, NAME, from.t)?,
    };
    let (surfaces, surface_of) = surfaces(&setup.loaded.simulation.model);
    let (due, rigid, elastic) = (setup.due, Vec::new(), setup.loaded.elastic.clone());
    let triangles = elastic.iter().map(MeshedBody::triangles).collect();
    Ok(Box::new(VtkFrames { writer, due, surfaces, surface_of, rigid, elastic, triangles }))
}

impl Observer for VtkFrames {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        self.frame(model, state, &ConstraintLog::default())
    }

    fn step(&mut self, step: &Observation<'_>) -> Result<(), UserError> {
        if self.due.is(step.shown.step) {
            self.frame(step.model, step.shown, &step.log.constraints)?;
        }
        Ok(())
    }
}

impl RunObserver for VtkFrames {}

impl VtkFrames {
    /// Writes the bodies of `state` and the contact points of the step that led to it.
    fn frame(&mut self, model: &Model, state: &State, log: &ConstraintLog) -> Result<(), UserError> {
        let Self { writer, surfaces, surface_of, rigid, .. } = self;
        model.rigid_states(state.t, &state.q, &state.v, rigid)?;
        let surface = |i: usize| surface_of[i].map(|k| &surfaces[k]);
        let (bodies, mut drawn) = (&model.rigid.bodies, Vec::new());
        for (i, row) in bodies.iter().enumerate().filter(|(i, _)| is_present(&state.presence, *i)) {
            let at = &rigid[i];
            let turning = at.spin.dot(row.world_inertia_times(at.rotation, at.spin));
            let kinetic = 0.5 * (row.mass * at.velocity.length_squared() + turning);
            drawn.push(body(surface(i), at, kinetic));
        }
        for i in bodies.len()..bodies.len() + model.rigid.kinematic.len() {
            if let Some(surface) = surface(i) {
                drawn.push(body(Some(surface), &rigid[i], 0.0));
            }
        }
        writer.frame(state.t, &drawn, &contacts(model, log))?;
        let elastic = self.elastic.iter().zip(&self.triangles);
        let meshed: Vec<Meshed> =
            elastic.map(|(body, own)| meshed(body, own, (model, state, log))).collect();
        if meshed.is_empty() { Ok(()) } else { Ok(self.writer.elastic_frame(state.t, &meshed)?) }
    }
}

/// An elastic body where it is, with what is known of its nodes.
fn meshed(
    body: &MeshedBody,
    triangles: &[[u32; 3]],
    (model, state, log): (&Model, &State, &ConstraintLog),
) -> Meshed {
    let values = body.values(model, state, Some(log));
    let place =
        |(x, value): (&DVec3, &NodeValues)| (*x + DVec3::from_array(value.displacement)).to_array();
    Meshed {
        nodes: body.body.mesh.nodes.iter().zip(&values).map(place).collect(),
        triangles: triangles.to_vec(),
        displacement: values.iter().map(|value| value.displacement).collect(),
        stress: values.iter().map(|value| value.stress).collect(),
        scalars: values.iter().map(|value| [value.mises, value.pressure, value.slip_rate]).collect(),
    }
}

/// The contact points of bodies in a step.
fn contacts(model: &Model, log: &ConstraintLog) -> Vec<Contact> {
    let is_contact = |c: &usize| log.places.get(*c).is_some_and(|place| place[0][0].is_finite());
    let contact = |c: usize| {
        let ([point, normal], rows) = (log.places[c], log.rows(c));
        let colliders = log.ids[c].colliders().map(|k| &model.rigid.colliders[k as usize]);
        let axes = contact_axes(normal, colliders[0].is_planar());
        // Rows beyond the three of the force are moments.
        let along = axes.iter().zip(&log.impulse[rows]);
        let impulse: DVec3 = along.map(|(axis, p)| *p * DVec3::from_array(*axis)).sum();
        Contact {
            bodies: colliders.map(|collider| collider.on.0 as i32),
            point,
            normal,
            gap: log.gap[c],
            impulse: impulse.to_array(),
            force: (impulse / log.length_of(c)).to_array(),
        }
    };
    (0..log.len()).filter(is_contact).map(contact).collect()
}

fn body<'a>(surface: Option<&'a SurfaceMesh>, at: &RigidState, kinetic_energy: f64) -> Body<'a> {
    let q = at.rotation;
    Body {
        surface,
        pose: Pose { position: at.position.to_array(), rotation: [q.w, q.x, q.y, q.z] },
        velocity: at.velocity.to_array(),
        angular_velocity: at.spin.to_array(),
        kinetic_energy,
    }
}

/// The surfaces of all bodies; bodies of one shape share theirs.
fn surfaces(model: &Model) -> (Vec<SurfaceMesh>, Vec<Option<usize>>) {
    let colliders = &model.rigid.colliders;
    let detail = Detail::of(SEGMENTS);
    let radii = colliders.iter().map(|row| row.bounding_radius).filter(|radius| radius.is_finite());
    let depth = THICKNESS * radii.fold(f64::INFINITY, f64::min);
    let depth = if depth.is_finite() { depth } else { 1.0 };
    let n_bodies = model.rigid.bodies.len() + model.rigid.kinematic.len();
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); n_bodies];
    for (k, row) in colliders.iter().enumerate().filter(|(_, row)| row.bounding_radius.is_finite()) {
        own[row.on.0 as usize].push(k);
    }
    let (mut surfaces, mut surface_of, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
    for own in own {
        if own.is_empty() {
            surface_of.push(None);
            continue;
        }
        let name: Vec<_> = own.iter().map(|&k| bits(&colliders[k].collider.posed)).collect();
        let number = *known.entry(name).or_insert_with(|| {
            let mut surface = SurfaceMesh::default();
            for &k in &own {
                match &colliders[k].collider.posed {
                    PosedShape::Space(shape, pose) => surface.append(&shape.surface_mesh(&detail), pose),
                    PosedShape::Plane(shape, pose) => {
                        surface.append(&shape.surface_mesh(&detail, depth), &pose.in_space());
                    }
                }
            }
            surfaces.push(surface);
            surfaces.len() - 1
        });
        surface_of.push(Some(number));
    }
    (surfaces, surface_of)
}

/// What tells two shapes with their places apart.
fn bits(posed: &PosedShape) -> (bool, [u64; 4], [u64; 7]) {
    let (shape, Pose { position: [x, y, z], rotation: [a, b, c, d] }) = identity(posed);
    let is_planar = matches!(posed, PosedShape::Plane(..));
    (is_planar, shape, [x, y, z, a, b, c, d].map(f64::to_bits))
}
