//! trinkle-2008: Euler's methods, the four tables, curved obstacles, corners, friction case by case. [Trinkle08]

mod corner;
mod curved;
mod friction;
mod order;
mod tables;

use super::paper::Paper;

pub(super) const PAPER: Paper = Paper {
    key: "trinkle-2008",
    title: "J. C. Trinkle, discrete dynamics (lecture notes)",
    about: "A particle, a wall, and the question what a time step should do when the two are about to meet. In the tables \
        h = m = F = 1, so that the force λ and the impulse h λ are the same number. Read with l = 4 in the worked line that \
        says l = 5, with the wall at 11 + v_w t, with −λ in the model of the moving wall, and with the tangent of the \
        friction frame pointing left.",
    sections: &[
        order::one_step,
        tables::explicit,
        tables::semi_implicit,
        tables::fixed_wall,
        tables::moving_wall,
        curved::outside,
        curved::inside,
        curved::large_steps,
        corner::convex,
        corner::imminent,
        friction::four_cases,
        friction::eight_cases,
        friction::impossible,
    ],
};
