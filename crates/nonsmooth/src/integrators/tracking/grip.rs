//! The mode: which rows are held closed, and which contacts stick or slide.
//!
//! ```text
//! held     ÿ = 0 on joints and normals, u̇_T = 0 on the tangents of contacts that stick
//! slides   λ_T = −μ λ_N d,   d = u_T/‖u_T‖
//! ```
//!
//! In the plane d is the sign with which the sliding began; in space it is ±u_T/‖u_T‖, with the sign for which it has not turned back. So
//! the friction of a sliding contact goes on smoothly where the slip passes through zero, and a Runge–Kutta step that goes beyond such a
//! point to find it keeps its order.

use super::closed::Closed;
use super::form::friction;
use super::rows::ConstraintStatus;
use super::watched::Watched;
use crate::laws::Law;

/// What a closed contact does along its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hold {
    /// It has no friction.
    Smooth,
    Sticks,
    /// In this direction.
    Slides([f64; 2]),
}

/// A contact with friction in a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    /// Place of its normal and of its first tangent among the rows of the mode.
    pub(crate) normal: usize,
    pub(crate) tangent: usize,
    /// Number of tangents.
    pub(crate) n: usize,
    /// The direction in which it slides, if it does: that of the slip where the step began.
    pub(crate) slides: Option<[f64; 2]>,
}

/// The rows of the closed constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mode {
    /// Keys of joints, of normals in the order in which they bear, of tangents that are held; then of tangents that slide.
    pub(crate) rows: Vec<usize>,
    /// Number of joints and normals, which have a position to be held at.
    pub(crate) n_placed: usize,
    /// Number of rows that are held.
    pub(crate) n_held: usize,
    /// Contacts with friction.
    pub(crate) grips: Vec<Grip>,
}

impl Mode {
    /// The mode of all joints and of these contacts.
    pub(crate) fn assemble(&mut self, watched: &Watched, contacts: &[(usize, Hold)]) {
        let Mode { rows, n_placed, n_held, grips } = self;
        rows.clear();
        rows.extend(watched.joints());
        let n_joints = rows.len();
        rows.extend(contacts.iter().map(|contact| contact.0));
        *n_placed = rows.len();
        grips.clear();
        for slides in [false, true] {
            for (k, &(key, hold)) in contacts.iter().enumerate() {
                let direction = match hold {
                    Hold::Sticks if !slides => None,
                    Hold::Slides(direction) if slides => Some(direction),
                    _ => continue,
                };
                let (n, tangent) = (watched.n_tangents(key), rows.len());
                rows.extend(key + 1..=key + n);
                grips.push(Grip { normal: n_joints + k, tangent, n, slides: direction });
            }
            if !slides {
                *n_held = rows.len();
            }
        }
    }

    /// Contacts of the mode, in order.
    pub(crate) fn contacts<'a>(
        &'a self,
        watched: &'a Watched,
    ) -> impl Iterator<Item = (usize, Hold)> + 'a {
        let placed = self.rows[..self.n_placed].iter().enumerate();
        placed.filter(|(_, key)| !watched.always[**key]).map(|(place, &key)| {
            let grip = self.grips.iter().find(|grip| grip.normal == place);
            (key, grip.map_or(Hold::Smooth, |g| g.slides.map_or(Hold::Sticks, Hold::Slides)))
        })
    }

    /// Whether a row is in the mode.
    pub(crate) fn contains(&self, key: usize) -> bool {
        self.rows.contains(&key)
    }

    /// The grips that slide.
    pub(crate) fn sliding(&self) -> impl Iterator<Item = &Grip> {
        self.grips.iter().filter(|grip| grip.slides.is_some())
    }

    /// Whether something slides in space, where the friction turns with the slip: singular at no slip.
    pub(crate) fn turns(&self) -> bool {
        self.sliding().any(|grip| grip.n > 1)
    }

    /// Follows slips that turn, with the rows as they stand, by key.
    pub(crate) fn turn(&mut self, status: &[ConstraintStatus]) {
        for grip in self.grips.iter_mut().filter(|grip| grip.n > 1) {
            if let Some(direction) = &mut grip.slides {
                let key = self.rows[grip.tangent];
                *direction = oriented(*direction, &status[key..key + grip.n]);
            }
        }
    }
}

impl Grip {
    /// u_T·d of a contact that slides, and what counts as none, with its tangents as they stand.
    pub(crate) fn slip(&self, tangents: &[ConstraintStatus]) -> (f64, f64) {
        let direction = self.slides.unwrap_or_default();
        let along = tangents.iter().zip(direction).map(|(s, d)| s.u * d).sum();
        (along, tangents.iter().map(|s| s.still).sum())
    }

    /// λ_T/λ_N of a contact that slides, with the rows gathered as in the mode.
    pub(crate) fn ratio(&self, law: &dyn Law, closed: &Closed) -> [f64; 2] {
        let tangents = &closed.status[self.tangent..self.tangent + self.n];
        sliding_ratio(law, self.slides.unwrap_or_default(), tangents)
    }
}

/// λ_T/λ_N = −μ d of a contact that slides about in a direction.
pub(crate) fn sliding_ratio(
    law: &dyn Law,
    direction: [f64; 2],
    tangents: &[ConstraintStatus],
) -> [f64; 2] {
    let d = if tangents.len() > 1 { oriented(direction, tangents) } else { direction };
    let speed = tangents.iter().map(|s| s.u * s.u).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let mu = friction(law, &d.map(|d| d * speed)[..tangents.len()]);
    d.map(|d| -mu * d)
}

/// The direction of the slip, or its opposite, whichever is nearer to `direction`; `direction` itself where there is no slip.
fn oriented(direction: [f64; 2], tangents: &[ConstraintStatus]) -> [f64; 2] {
    let u = [tangents[0].u, tangents[1].u];
    let (speed, still) = (u[0].hypot(u[1]), tangents[0].still + tangents[1].still);
    if !(speed > still) {
        return direction;
    }
    let sign = (u[0] * direction[0] + u[1] * direction[1]).signum();
    u.map(|u| sign * u / speed)
}
