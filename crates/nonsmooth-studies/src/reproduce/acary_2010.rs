//! acary-2010: the academic examples, orders of the schemes, local errors.

mod adaptive;
mod background;
mod comparison;
mod higher_order;
mod local;

use super::paper::Paper;

pub(super) const PAPER: Paper = Paper {
    key: "acary-2010",
    title: "V. Acary, numerical time integration methods for nonsmooth systems, part II: mechanical systems with impacts (slides)",
    about: "The slides show curves without numbers, and the definitions of the academic examples are not in their text. Here: \
        the ball m = 1, f = −2, e = ½ from height 1; the oscillator q̈ + q = r, e = ½; the same pressed down by 1; the take-off \
        q̈ = t − 1 + r from rest in contact. Read with x_{k+θ} = θ x_{k+1} + (1−θ) x_k. Orders are slopes over ladders of \
        incommensurate steps, several phases of the impact in its step on each rung.",
    sections: &[
        background::solutions,
        background::moreau,
        background::schatzman_paoli,
        local::quadrature,
        local::impact,
        local::smooth_multiplier,
        local::other_events,
        adaptive::precision_work,
        higher_order::any_order,
        higher_order::splitting,
        comparison::contact_measure,
        comparison::capturing_and_tracking,
        comparison::moreau_and_schatzman,
    ],
};
