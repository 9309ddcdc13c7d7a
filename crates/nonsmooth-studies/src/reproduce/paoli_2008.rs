//! paoli-2008: the discrete ball, the scheme step by step, convergence with M(q), corners and kinetic angles. [Paoli08]

mod ball;
mod convergence;
mod corner;
mod pendulum;

use super::paper::Paper;

pub(super) const PAPER: Paper = Paper {
    key: "paoli-2008",
    title: "L. Paoli, a velocity-based time-stepping scheme for vibro-impact problems (slides)",
    about: "A scheme for M(q) q̈ = f with perfect constraints, u⁺ = −e u + (1+e) proj(V(q⁺), u + h/(1+e) M⁻¹f), q⁺ = q + h u, and the \
        proof that it converges: with one constraint, and with several where the corners have the right kinetic angles. The \
        slides give one closed form and theorems; the theorems are measured here. The ball is run with steps for which doubles \
        find the same step of impact as exact arithmetic; with h = 0.1 they do not.",
    sections: &[
        ball::closed_form,
        ball::uniform,
        convergence::properties,
        convergence::errors,
        convergence::estimates,
        corner::inside,
        corner::outside,
    ],
};
