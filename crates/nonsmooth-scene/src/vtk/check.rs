//! Whether the numbers of a frame can be written.

use super::{Body, Contact, VtkError};

/// Largest size of a number of a body: squares of velocities and sums of coordinates stay below single precision's most.
const MOST: f64 = 1e18;

pub(super) fn bodies(bodies: &[Body<'_>]) -> Result<(), VtkError> {
    for (index, body) in bodies.iter().enumerate() {
        let [w, x, y, z] = body.pose.rotation;
        let length = w * w + x * x + y * y + z * z;
        let is_fine = |v: &[f64]| v.iter().all(|x| x.abs() <= MOST);
        let quantities: [(&'static str, bool); 5] = [
            ("its position", is_fine(&body.pose.position)),
            ("its rotation", length.is_finite() && length > 0.0),
            ("its velocity", is_fine(&body.velocity)),
            ("its angular velocity", is_fine(&body.angular_velocity)),
            ("its kinetic energy", is_fine(&[body.kinetic_energy])),
        ];
        first_bad("body", index, &quantities)?;
        if let Some(surface) = body.surface {
            first_bad("body", index, &[("its surface", surface.vertices.iter().all(|p| is_fine(p)))])?;
            if !surface.has_valid_numbers() {
                return Err(VtkError::BadSurfaceMesh { index });
            }
        }
    }
    let points =
        bodies.iter().map(|body| body.surface.map_or(1, |surface| surface.vertices.len() as u64)).sum();
    let corners = bodies
        .iter()
        .map(|body| body.surface.map_or(0, |surface| 3 * surface.triangles.len() as u64))
        .sum();
    countable("points", points)?;
    countable("corners of triangles", corners)
}

pub(super) fn contacts(contacts: &[Contact]) -> Result<(), VtkError> {
    for (index, contact) in contacts.iter().enumerate() {
        let is_fine = |v: &[f64]| v.iter().all(|x| x.is_finite());
        let quantities: [(&'static str, bool); 5] = [
            ("its point", is_fine(&contact.point)),
            ("its normal", is_fine(&contact.normal)),
            ("its gap", contact.gap.is_finite()),
            ("its impulse", is_fine(&contact.impulse)),
            ("its force", is_fine(&contact.force)),
        ];
        first_bad("contact", index, &quantities)?;
    }
    countable("contacts", contacts.len() as u64)
}

pub(super) fn first_bad(
    what: &'static str,
    index: usize,
    quantities: &[(&'static str, bool)],
) -> Result<(), VtkError> {
    match quantities.iter().find(|(_, is_fine)| !is_fine) {
        Some((quantity, _)) => Err(VtkError::NotFinite { what, index, quantity }),
        None => Ok(()),
    }
}

pub(super) fn countable(what: &'static str, got: u64) -> Result<(), VtkError> {
    if got > i32::MAX as u64 { Err(VtkError::TooMany { what, got }) } else { Ok(()) }
}
