//! How far from their surfaces rigid things look for contacts.
//!
//! ```text
//! ahead   γ h (‖v‖ + ‖ω‖ R) + d                 R: radius about the origin that holds the body
//! swept   h (‖v‖ + ‖ω‖ R) + 2 h² ‖g‖ + d        for a pair h (‖v_b − v_a‖ + ‖ω_a‖ R_a + ‖ω_b‖ R_b) + 2 h² ‖g‖ + d
//! ```

use crate::model::instant::Instant;
use crate::model::rigid::{ColliderRow, RigidState, RigidTable};
use crate::part::Part;

/// Fills `margins` by rigid thing [m]: `ahead` [s] times the speed of its surface, and `more`; NaN for bodies that are not there or
/// not in the part.
pub fn set_margins(
    table: &RigidTable,
    part: &Part<'_>,
    at: &Instant<'_>,
    (ahead, more): (f64, f64),
    margins: &mut Vec<f64>,
) {
    let n = table.bodies.len();
    margins.clear();
    // Nothing is swept; the surface of a turning half-space may be infinitely fast.
    let swept = |state: &RigidState, radius: f64| {
        if ahead > 0.0 { ahead * surface_speed(state, radius) } else { 0.0 }
    };
    for (i, body) in table.bodies.iter().enumerate() {
        let takes_part = at.is_present(i) && part.members.contains(i);
        let margin = swept(&at.rigid[i], body.bounding_radius)
            + more
            + table.activation_distance * body.bounding_radius;
        margins.push(if takes_part { margin } else { f64::NAN });
    }
    for (k, body) in table.kinematic.iter().enumerate() {
        margins.push(swept(&at.rigid[n + k], body.bounding_radius));
    }
    // A turning half-space reaches as far as there are bodies.
    for k in n..margins.len() {
        if margins[k].is_infinite() {
            let far = farthest(table, at, margins, &at.rigid[k]);
            margins[k] = ahead * surface_speed(&at.rigid[k], far);
        }
    }
}

/// Bound of the speed of a surface that is within `radius` of its origin [m/s].
#[inline]
fn surface_speed(at: &RigidState, radius: f64) -> f64 {
    let turning = at.spin.length();
    at.velocity.length() + if turning > 0.0 { turning * radius } else { 0.0 }
}

/// Distance from the origin of a rigid thing to the farthest body that takes part [m].
fn farthest(table: &RigidTable, at: &Instant<'_>, margins: &[f64], from: &RigidState) -> f64 {
    let bodies = table.bodies.iter().enumerate().filter(|(i, _)| !margins[*i].is_nan());
    let far = bodies.map(|(i, b)| (at.rigid[i].position - from.position).length() + b.bounding_radius);
    far.fold(0.0, f64::max)
}

/// Distance up to which points of a pair may close within the part [m].
pub fn swept_reach(
    table: &RigidTable,
    part: &Part<'_>,
    at: &Instant<'_>,
    rows: [&ColliderRow; 2],
) -> f64 {
    let [a, b] = rows.map(|row| &at.rigid[row.on.0 as usize]);
    let apart = (b.position - a.position).length();
    let turning = |state: &RigidState, own: &ColliderRow, other: &ColliderRow| {
        let spin = state.spin.length();
        // A turning half-space counts where the other body is.
        let radius = if own.bounding_radius.is_finite() {
            own.bounding_radius
        } else {
            apart + other.bounding_radius
        };
        if spin > 0.0 { spin * radius } else { 0.0 }
    };
    let speed =
        (b.velocity - a.velocity).length() + turning(a, rows[0], rows[1]) + turning(b, rows[1], rows[0]);
    part.h * speed + fall(table, part.h) + table.activation_of(rows.map(|row| row.on))
}

/// Bound of how far gravity takes a body in a kick and a drift of length `h` [m].
pub fn fall(table: &RigidTable, h: f64) -> f64 {
    2.0 * h * h * table.gravity.length()
}
