//! What observers and results both read from a model and the log of a step.

use nonsmooth::model::constraints::Column;
use nonsmooth::model::rigid::PosedShape;
use nonsmooth::{ConstraintLog, Model};
use nonsmooth_geometry::spatial::{self, Pose};

/// Whether a constraint is a contact, a gap or a stop: neither a joint nor a spring.
pub(crate) fn is_contact(model: &Model, log: &ConstraintLog, c: usize) -> bool {
    let (id, joints) = (log.ids[c], "joints");
    let family = model.family(id);
    family.name() != joints && family.column(model, family.law(model, id), 0) != Column::Own
}

/// Number of contacts of a step, of bodies and of constraints.
pub(crate) fn n_contacts(model: &Model, log: &ConstraintLog) -> usize {
    (0..log.len()).filter(|&c| is_contact(model, log, c)).count()
}

/// Normal and tangents of a contact from its normal, as the components of impulses are meant; in the plane the last is zero.
pub(crate) fn contact_axes(normal: [f64; 3], is_plane: bool) -> [[f64; 3]; 3] {
    if is_plane { [normal, [-normal[1], normal[0], 0.0], [0.0; 3]] } else { spatial::frame(normal) }
}

/// What tells shapes apart, and the place of this one on its body.
pub(crate) fn identity(posed: &PosedShape) -> ([u64; 4], Pose) {
    match posed {
        PosedShape::Space(shape, pose) => (shape.identity(), *pose),
        PosedShape::Plane(shape, pose) => (shape.identity(), pose.in_space()),
    }
}
