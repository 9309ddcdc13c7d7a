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
//! the span of those before it. Rows are stored from their first entry on, since constraints touch few others.

use super::assemble::Assembly;
use super::detect::{Activation, Rows, detect};
use super::factorize::{Coeffs, Factors, factorize};
use super::iterate::Iterate;
use crate::error::StepResult;
use crate::model::{Key, Model, State};
use nonsmooth_solvers::Set;

/// Squared distance of a unit gradient from a span below which it counts as inside: the rounding of some hundred
/// products.
const DEPENDENT: f64 = 1e-13;

/// The closed unilateral constraints of a state and the angles between their gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct KineticAngles {
    /// The closed constraints, ascending.
    pub closed: Vec<Key>,
    /// Number of independent gradients among them.
    pub rank: usize,
    /// Cosine of the angle of each pair in the kinetic metric [–]; pairs not listed are orthogonal.
    pub cosines: Vec<(Key, Key, f64)>,
}

/// Scratch and results. Written by `kinetic_angles`.
#[derive(Default)]
pub struct Angles {
    /// Rows that are normals of unilateral constraints.
    pub closed: Vec<usize>,
    /// Number of independent gradients among them.
    pub rank: usize,
    /// Row, row, cosine for the pairs that share a coordinate.
    pub cosines: Vec<(usize, usize, f64)>,
    at: Iterate,
    factors: Factors,
    assembly: Assembly,
    /// Stamps of M and of the rows to which the results belong.
    known: Option<(u64, u64)>,
    /// First column of each row of L, and where the row begins in `lower`.
    first: Vec<(usize, usize)>,
    lower: Vec<f64>,
    pivots: Vec<f64>,
}

/// Fills `angles` for the unilateral constraints among `rows`, at t and q of `state`.
pub fn kinetic_angles(model: &Model, state: &State, rows: &Rows, angles: &mut Angles) -> StepResult {
    angles.at.hold(model, state)?;
    factorize(model, &angles.at, Coeffs::EXPLICIT, &mut angles.factors)?;
    let stamps = Some((angles.factors.stamp, rows.stamp));
    if angles.known != stamps {
        angles.measure(model, rows);
        angles.known = stamps;
    }
    Ok(())
}

impl Angles {
    /// The cosine that is farthest from what continuity asks for, 0 if all are as they should be: none positive, and
    /// with restitution none other than 0.
    pub fn farthest(&self, restitution: f64) -> f64 {
        let wrong = |cosine: &f64| *cosine > 0.0 || restitution > 0.0;
        let cosines = self.cosines.iter().map(|(_, _, cosine)| *cosine).filter(wrong);
        cosines.fold(0.0, |m: f64, cosine| if cosine.abs() > m.abs() { cosine } else { m })
    }

    #[inline(never)]
    fn measure(&mut self, model: &Model, rows: &Rows) {
        self.closed.clear();
        let is_closed = |&i: &usize| rows.components[i] == 0 && rows.forms[i].set != Set::Free;
        self.closed.extend((0..rows.keys.len()).filter(is_closed));
        self.assembly.build(model, rows, &mut self.factors);
        let (gram, closed) = (self.assembly.problem.delassus_mut(), &self.closed);
        self.cosines.clear();
        for (a, &i) in closed.iter().enumerate() {
            let (columns, values) = gram.row(i);
            for (&j, &product) in columns.iter().zip(values) {
                let Ok(b) = closed.binary_search(&(j as usize)) else { continue };
                let size = (gram.get(i, i) * gram.get(j as usize, j as usize)).sqrt();
                // A gradient without length (on prescribed coordinates only) has no angle.
                if b < a && size > 0.0 {
                    self.cosines.push((b, a, product / size));
                }
            }
        }
        let lengths = closed.iter().map(|&i| gram.get(i, i));
        self.pivots.clear();
        self.pivots.extend(lengths.map(|length| if length > 0.0 { 1.0 } else { 0.0 }));
        self.factor();
        let Angles { cosines, closed, .. } = self;
        cosines.iter_mut().for_each(|(a, b, _)| (*a, *b) = (closed[*a], closed[*b]));
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

    /// Forgets everything.
    pub(crate) fn poison(&mut self) {
        self.at.poison();
        self.factors.poison();
        self.assembly.poison();
        self.known = None;
        self.lower.fill(f64::NAN);
        self.pivots.fill(f64::NAN);
    }
}

impl Model {
    /// The angles between the unilateral constraints whose gap at `state` is at most `layer` [m].
    pub fn kinetic_angles(&self, state: &State, layer: f64) -> StepResult<KineticAngles> {
        let (mut rows, mut angles) = (Rows::default(), Angles::default());
        detect(self, state, Activation { look_ahead: 0.0, layer }, &mut rows)?;
        kinetic_angles(self, state, &rows, &mut angles)?;
        let key = |&i: &usize| rows.keys[i];
        let closed = angles.closed.iter().map(key).collect();
        let cosines = angles.cosines.iter().map(|(a, b, cosine)| (key(a), key(b), *cosine)).collect();
        Ok(KineticAngles { closed, rank: angles.rank, cosines })
    }
}
