//! Kinetic angles: how the closed constraints of a state stand to each other.
//!
//! ```text
//! cos(a, b) = (∇g_a, M⁻¹∇g_b) / (‖∇g_a‖ ‖∇g_b‖),      ‖∇g‖² = (∇g, M⁻¹∇g)
//! ```
//!
//! The motion depends continuously on its data, and velocity-based schemes converge, where the gradients are
//! independent (H'4) and cos ≤ 0 for e = 0, cos = 0 for e > 0, for all pairs (H'5). [Paoli08]
//!
//! The rank is that of the matrix of cosines, from its factors L D Lᵀ: D_k is the squared distance of gradient k from
//! the span of those before it. Rows are stored from their first entry on, since constraints are coupled to few others.

use super::detect::detect;
use super::factorize::{Mass, factorize};
use super::linearize::linearize;
use crate::error::StepResult;
use crate::model::instant::Pass;
use crate::model::{Activation, ActiveConstraints, Coeffs, ConstraintId, Model, State};
use crate::part::Part;
use nonsmooth_solvers::Problem;

/// Squared distance of a unit gradient from a span below which it counts as inside: the rounding of some hundred
/// products.
const DEPENDENT: f64 = 1e-13;

/// The closed unilateral constraints of a state and the angles between their gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct KineticAngles {
    /// The closed constraints, ascending.
    pub closed: Vec<ConstraintId>,
    /// Number of independent gradients among them.
    pub rank: usize,
    /// Cosine of the angle of each pair in the kinetic metric [–]; pairs not listed are orthogonal.
    pub cosines: Vec<(ConstraintId, ConstraintId, f64)>,
}

/// Scratch and results. Written by `kinetic_angles`.
#[derive(Default)]
pub struct Angles {
    /// Unilateral constraints among the active ones.
    pub closed: Vec<u32>,
    /// Number of independent gradients among them.
    pub rank: usize,
    /// Places in `closed`, twice, and cosine, for the pairs that share a coordinate.
    pub cosines: Vec<(usize, usize, f64)>,
    mass: Mass,
    problem: Problem,
    /// Stamps of M and J to which the results belong.
    known: Option<(u64, u64)>,
    /// First column of each row of L, and where the row begins in `lower`.
    first: Vec<(usize, usize)>,
    lower: Vec<f64>,
    pivots: Vec<f64>,
}

/// Fills `angles` for the unilateral constraints among the active ones, whose J has been written.
pub fn kinetic_angles(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    active: &ActiveConstraints,
    angles: &mut Angles,
) -> StepResult {
    angles.find_closed(model, active);
    factorize(model, part, at, Coeffs::MASS, &mut angles.problem, &mut angles.mass)?;
    let stamps = Some((angles.mass.groups().stamp(), active.jacobian.stamp()));
    if angles.known != stamps {
        angles.measure(active);
        angles.known = stamps;
    }
    Ok(())
}

impl Angles {
    /// Lists the unilateral constraints.
    pub fn find_closed(&mut self, model: &Model, active: &ActiveConstraints) {
        let is_unilateral = |c: &usize| {
            let forms = model.law(active.laws[*c]).forms();
            !forms.bilateral && !forms.relay
        };
        self.closed.clear();
        self.closed.extend((0..active.len()).filter(is_unilateral).map(|c| c as u32));
    }

    /// The cosine that is farthest from what continuity asks for, 0 if all are as they should be: none positive, and
    /// with a rebound none other than 0.
    pub fn farthest(&self, rebounds: bool) -> f64 {
        let wrong = |cosine: &f64| *cosine > 0.0 || rebounds;
        let cosines = self.cosines.iter().map(|(_, _, cosine)| *cosine).filter(wrong);
        cosines.fold(0.0, |m: f64, cosine| if cosine.abs() > m.abs() { cosine } else { m })
    }

    #[inline(never)]
    fn measure(&mut self, active: &ActiveConstraints) {
        let Angles { closed, cosines, problem, mass, pivots, .. } = self;
        problem.delassus.renew(mass.groups(), &active.jacobian, Some(closed), &[]);
        let gram = problem.delassus.assembled();
        // The normal of each is its first row.
        let mut normals = Vec::with_capacity(closed.len());
        let mut row = 0;
        for &c in &*closed {
            normals.push(row);
            row += active.rows(c as usize).len();
        }
        cosines.clear();
        for (a, &i) in normals.iter().enumerate() {
            let (columns, values) = gram.row(i);
            for (&j, &product) in columns.iter().zip(values) {
                let Ok(b) = normals.binary_search(&(j as usize)) else { continue };
                let size = (gram.get(i, i) * gram.get(j as usize, j as usize)).sqrt();
                // A gradient without length (on prescribed coordinates only) has no angle.
                if b < a && size > 0.0 {
                    cosines.push((b, a, product / size));
                }
            }
        }
        let lengths = normals.iter().map(|&i| gram.get(i, i));
        pivots.clear();
        pivots.extend(lengths.map(|length| if length > 0.0 { 1.0 } else { 0.0 }));
        problem.delassus.release();
        self.factor();
    }

    /// L D Lᵀ of the matrix of cosines, with D in `pivots`; columns with D = 0 are left out.
    fn factor(&mut self) {
        let Angles { cosines, first, lower, pivots, rank, .. } = self;
        first.clear();
        lower.clear();
        *rank = 0;
        let mut entries = cosines.iter().peekable();
        for k in 0..pivots.len() {
            let begin = lower.len();
            let start = entries.peek().filter(|entry| entry.1 == k).map_or(k, |entry| entry.0);
            first.push((start, begin));
            lower.resize(begin + k - start, 0.0);
            while let Some(&&(j, _, cosine)) = entries.peek().filter(|entry| entry.1 == k) {
                lower[begin + j - start] = cosine;
                entries.next();
            }
            for j in start..k {
                let (start_j, begin_j) = first[j];
                let common = start.max(start_j);
                let sum: f64 = (common..j)
                    .map(|m| lower[begin + m - start] * pivots[m] * lower[begin_j + m - start_j])
                    .sum();
                let x = lower[begin + j - start] - sum;
                lower[begin + j - start] = if pivots[j] > 0.0 { x / pivots[j] } else { 0.0 };
            }
            let taken: f64 = (start..k).map(|j| lower[begin + j - start].powi(2) * pivots[j]).sum();
            let left = pivots[k] - taken;
            pivots[k] = if left > DEPENDENT { left } else { 0.0 };
            *rank += usize::from(pivots[k] > 0.0);
        }
    }
}

impl Model {
    /// The angles between the unilateral constraints whose gap at `state` is at most `distance` [m].
    pub fn kinetic_angles(&self, state: &State, distance: f64) -> StepResult<KineticAngles> {
        let (mut active, mut angles) = (ActiveConstraints::default(), Angles::default());
        let part = Part::whole(state.t, 0.0);
        self.at_state(state, |at| {
            let pass = Pass::at(at);
            detect(self, &part, at, Activation::Ahead { ahead: 0.0, distance }, &mut active)?;
            linearize(self, &part, &pass, &mut active)?;
            kinetic_angles(self, &part, &pass, &active, &mut angles)
        })?;
        let id = |place: usize| active.ids[angles.closed[place] as usize];
        let closed = (0..angles.closed.len()).map(id).collect();
        let cosines = angles.cosines.iter().map(|(a, b, cosine)| (id(*a), id(*b), *cosine)).collect();
        Ok(KineticAngles { closed, rank: angles.rank, cosines })
    }
}
