//! Independent coordinates under constant loads: what nothing touches moves by one formula.
//!
//! ```text
//! v⁺ = v + h M⁻¹ load,     q⁺ = q + h (θ v⁺ + (1−θ) v),     T = ½ v·M v,  V = −load·q
//! ```

use super::{Model, State, Theta};
use crate::energy::Energies;

/// A coordinate with a mass of its own.
struct Coordinate {
    /// Constant force [N, N·m].
    load: f64,
    /// M [kg, kg·m²], and 1/M.
    mass: f64,
    inverse: f64,
}

/// All coordinates of a model, in their order.
pub(crate) struct Ballistic {
    coordinates: Vec<Coordinate>,
}

impl Ballistic {
    /// Coordinates with these loads and masses; `None` where a mass has no inverse.
    pub(super) fn new(loads: &[f64], masses: &[f64]) -> Option<Self> {
        let coordinate = |(&load, &mass): (&f64, &f64)| Coordinate { load, mass, inverse: 1.0 / mass };
        let coordinates: Vec<_> = loads.iter().zip(masses).map(coordinate).collect();
        let is_good = coordinates.len() == loads.len()
            && coordinates.iter().all(|own| own.mass > 0.0 && own.inverse.is_finite());
        is_good.then_some(Self { coordinates })
    }

    /// v_free after a step of h.
    #[inline(always)]
    fn fall(&self, v: &[f64], h: f64, v_free: &mut Vec<f64>) {
        let n = self.coordinates.len();
        v_free.resize(n, 0.0);
        let (v, v_free) = (&v[..n], &mut v_free[..n]);
        for (i, own) in self.coordinates.iter().enumerate() {
            v_free[i] = v[i] + h * own.load * own.inverse;
        }
    }

    /// v⁺ and q⁺ of a step, its energies at the end, and the sum of q⁺, which is not finite where one of them is not.
    #[inline(always)]
    fn fly(&self, now: &State, Theta { h, theta }: Theta, next: &mut State) -> (Energies, f64) {
        let n = self.coordinates.len();
        next.q.resize(n, 0.0);
        next.v.resize(n, 0.0);
        let (q, v, q_next, v_next) = (&now.q[..n], &now.v[..n], &mut next.q[..n], &mut next.v[..n]);
        let (mut kinetic, mut potential, mut sum) = (0.0, 0.0, 0.0);
        let coordinates = &self.coordinates[..n];
        for i in 0..n {
            let own = &coordinates[i];
            let w = v[i] + h * own.load * own.inverse;
            let x = q[i] + h * (theta * w + (1.0 - theta) * v[i]);
            (v_next[i], q_next[i]) = (w, x);
            kinetic += own.mass * w * w;
            potential -= own.load * x;
            sum += x;
        }
        (Energies { kinetic: 0.5 * kinetic, potential }, sum)
    }

    /// Energies at q with v.
    #[inline(always)]
    pub(super) fn energies(&self, q: &[f64], v: &[f64]) -> Energies {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for ((own, q), v) in self.coordinates.iter().zip(q).zip(v) {
            kinetic += own.mass * v * v;
            potential -= own.load * q;
        }
        Energies { kinetic: 0.5 * kinetic, potential }
    }
}

impl Model {
    /// Whether a θ-step without active constraints has nothing to evaluate but its end, and nothing does work in it.
    #[inline]
    pub(crate) fn flies(&self, rule: Theta) -> bool {
        self.flies && rule.theta == 0.5
    }

    /// The coordinates of a model whose energies depend on q and v alone and which is ballistic.
    #[inline]
    pub(super) fn flying(&self) -> Option<&Ballistic> {
        if self.flies { self.ballistic.as_ref() } else { None }
    }

    /// v_free of a model that is ballistic.
    #[inline(always)]
    pub(crate) fn fall(&self, now: &State, h: f64, v_free: &mut Vec<f64>) {
        self.ballistic.as_ref().expect(BALLISTIC).fall(&now.v, h, v_free);
    }

    /// v⁺ and q⁺ of a model that flies, its energies at the end, and the sum of q⁺.
    #[inline(always)]
    pub(crate) fn fly(&self, now: &State, rule: Theta, next: &mut State) -> (Energies, f64) {
        self.ballistic.as_ref().expect(BALLISTIC).fly(now, rule, next)
    }
}

/// Who asks for a ballistic motion has asked `is_ballistic` or `flies`.
const BALLISTIC: &str = "the model is ballistic";
