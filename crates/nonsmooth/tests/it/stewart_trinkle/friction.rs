//! Friction: every case of both formulations of the notes, in single steps, by both LCPs and by the cone.

use crate::kit::{
    Coulomb, Linear, ModelBuilder, Options, Simulation, SolverSettings, Sparse, find_integrator,
};

const MU: f64 = 0.5;

/// What one step of size 1 makes of a unit mass at (0, y) with horizontal velocity v under the force (f_x, f_y), on the
/// floor y ≥ 0. The tangent points left, as in the notes.
struct Step {
    mu: f64,
    y: f64,
    v: f64,
    force: [f64; 2],
}

/// p_N, p_T and the velocity (ẋ, ẏ) after the step.
#[derive(Debug)]
struct Outcome {
    p: [f64; 2],
    v: [f64; 2],
}

impl Step {
    fn take(&self, solver: &str, formulation: Option<&str>) -> Outcome {
        let mut builder = ModelBuilder::new();
        let particle = Linear::new("particle", Sparse::diagonal(&[1.0; 2]));
        let particle = particle.load(&self.force).initial(&[0.0, self.y], &[self.v, 0.0]);
        let p = builder.linear(particle);
        let law = builder.law("floor", Coulomb { friction: self.mu, ..Coulomb::default() });
        builder.linear_contact("floor", law, &[(p, 1, 1.0)], 0.0, &[&[(p, 0, -1.0)]]);
        let (model, state) = builder.build(0.0).expect("a right model");
        let options = formulation
            .map_or(Options::default(), |word| Options::default().with_word("formulation", word));
        let solver =
            nonsmooth_solvers::find(solver).expect("listed").build(&options).expect("right options");
        let solving = SolverSettings { solver, ..SolverSettings::default() };
        let entry = find_integrator("stewart-trinkle").expect("listed");
        let scheme = entry.build(&Options::default(), solving).expect("right options");
        let mut simulation = Simulation::new(model, state, scheme, 1.0).expect("accepted");
        let frame = simulation.step().expect("a good step");
        let (p, v) = (&frame.log.constraints.impulse, &frame.after.v);
        Outcome { p: [p[0], p[1]], v: [v[0], v[1]] }
    }
}

/// The two LCPs of the notes, the exact cone by enumeration, and the default.
const WAYS: [(&str, Option<&str>); 4] = [
    ("lemke-faceted", Some("parts")),
    ("lemke-faceted", Some("alternative")),
    ("enumerate", None),
    ("auto", None),
];

fn check(case: &str, step: &Step, expected: &Outcome) {
    for (solver, formulation) in WAYS {
        let found = step.take(solver, formulation);
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        // Rounding of numbers of size 10, and the solvers' 1e-10 where they iterate.
        let difference = far(found.p, expected.p).max(far(found.v, expected.v));
        assert!(difference < 1e-9, "{case}, {solver} {formulation:?}: {found:?} not {expected:?}");
    }
}

/// Signs of (λ_f1, λ_f2, s) of the second formulation that an outcome stands for, with the least λ_f.
fn signs(outcome: &Outcome) -> [bool; 3] {
    let small = 1e-9;
    [outcome.p[1] > small, outcome.p[1] < -small, outcome.v[0].abs() > small]
}

#[test]
fn the_four_cases_of_the_first_formulation() {
    // Pressed with 4, so that μ p_N = 2. Pushed right by 1 it sticks, and the friction of 1 points left, along t.
    let stick = Step { mu: MU, y: 0.0, v: 0.0, force: [1.0, -4.0] };
    check("stick", &stick, &Outcome { p: [4.0, 1.0], v: [0.0, 0.0] });
    let right = Step { v: 3.0, ..stick };
    check("slide right", &right, &Outcome { p: [4.0, 2.0], v: [2.0, 0.0] });
    let left = Step { v: -6.0, ..stick };
    check("slide left", &left, &Outcome { p: [4.0, -2.0], v: [-3.0, 0.0] });
    // Degenerate sliding needs μ λ_n = 0: a smooth floor, or none within reach.
    let smooth = Step { mu: 0.0, v: 3.0, ..stick };
    check("degenerate, μ = 0", &smooth, &Outcome { p: [4.0, 0.0], v: [4.0, 0.0] });
    let open = Step { y: 5.0, v: 3.0, ..stick };
    check("degenerate, λ_n = 0", &open, &Outcome { p: [0.0, 0.0], v: [4.0, -4.0] });
}

/// The gap at the end counts: a particle one metre up that would fall four is stopped on the floor, and friction acts on
/// the three that were taken from it.
#[test]
fn friction_acts_in_the_step_that_arrives() {
    let arriving = Step { mu: MU, y: 1.0, v: 4.0, force: [0.0, -4.0] };
    check("arriving", &arriving, &Outcome { p: [3.0, 1.5], v: [2.5, -1.0] });
    let landing = Step { y: 4.0, ..arriving };
    check("landing on ψ = 0", &landing, &Outcome { p: [0.0, 0.0], v: [4.0, -4.0] });
}

#[test]
fn the_eight_cases_of_the_second_formulation() {
    let (mu, y) = (MU, 0.0);
    let pressed = |v: f64, push: f64| Step { mu, y, v, force: [push, -4.0] };
    // Case 1, all three positive, needs ẋ = s and ẋ = −s > 0: no step can land there. Cases 2, 4, 6, 8 are sticking with
    // s = 0: λ_f1 and λ_f2 are not unique, only their difference p_T is, so that case 2 is any of the other three.
    let cases = [
        (
            "3: slide right",
            pressed(3.0, 0.0),
            Outcome { p: [4.0, 2.0], v: [1.0, 0.0] },
            [true, false, true],
        ),
        (
            "4: stick, pushed right",
            pressed(0.0, 1.5),
            Outcome { p: [4.0, 1.5], v: [0.0, 0.0] },
            [true, false, false],
        ),
        (
            "5: slide left",
            pressed(-3.0, 0.0),
            Outcome { p: [4.0, -2.0], v: [-1.0, 0.0] },
            [false, true, true],
        ),
        (
            "6: stick, pushed left",
            pressed(0.0, -1.5),
            Outcome { p: [4.0, -1.5], v: [0.0, 0.0] },
            [false, true, false],
        ),
        (
            "7: slide without friction",
            Step { mu: 0.0, y, v: 3.0, force: [0.0, -4.0] },
            Outcome { p: [4.0, 0.0], v: [3.0, 0.0] },
            [false, false, true],
        ),
        (
            "8: stick, not pushed",
            pressed(0.0, 0.0),
            Outcome { p: [4.0, 0.0], v: [0.0, 0.0] },
            [false, false, false],
        ),
        // The border between stick and slide: μ λ_n − λ_f = 0 and s = 0.
        (
            "4, at its edge",
            pressed(2.0, 0.0),
            Outcome { p: [4.0, 2.0], v: [0.0, 0.0] },
            [true, false, false],
        ),
    ];
    for (name, step, expected, left) in &cases {
        check(name, step, expected);
        assert_eq!(signs(expected), *left, "{name}");
        assert_eq!(signs(&step.take("lemke-faceted", Some("alternative"))), *left, "{name}");
    }
}

/// In space: along a corner of the facets all agree; between two the faceted law is another one, by cos(π/k).
#[test]
fn in_space_facets_and_cone_agree_along_the_corners() {
    let slide = |direction: f64, facets: usize, solver: &str| -> [f64; 3] {
        let (s, c) = direction.sin_cos();
        let mut builder = ModelBuilder::new();
        let particle = Linear::new("particle", Sparse::diagonal(&[1.0; 3]));
        let particle = particle.load(&[0.0, 0.0, -4.0]).initial(&[0.0; 3], &[5.0 * c, 5.0 * s, 0.0]);
        let p = builder.linear(particle);
        let law = builder.law("floor", Coulomb { friction: MU, facets, ..Coulomb::default() });
        let tangents: [&[_]; 2] = [&[(p, 0, 1.0)], &[(p, 1, 1.0)]];
        builder.linear_contact("floor", law, &[(p, 2, 1.0)], 0.0, &tangents);
        let (model, state) = builder.build(0.0).expect("a right model");
        let solver =
            nonsmooth_solvers::find(solver).expect("listed").build(&Options::default()).expect("built");
        let solving = SolverSettings { solver, ..SolverSettings::default() };
        let entry = find_integrator("stewart-trinkle").expect("listed");
        let scheme = entry.build(&Options::default(), solving).expect("built");
        let mut simulation = Simulation::new(model, state, scheme, 1.0).expect("accepted");
        let frame = simulation.step().expect("a good step");
        [frame.after.v[0], frame.after.v[1], frame.log.constraints.impulse[0]]
    };
    for facets in [4, 8] {
        let corner = std::f64::consts::TAU / facets as f64;
        let speed = 5.0 - MU * 4.0;
        for direction in [0.0, corner, 2.0 * corner] {
            let (s, c) = direction.sin_cos();
            for (facets, solver) in [(facets, "lemke-faceted"), (facets, "auto"), (0, "auto")] {
                let [x, y, p] = slide(direction, facets, solver);
                let far = (x - speed * c).abs().max((y - speed * s).abs()).max((p - 4.0).abs());
                assert!(far < 1e-8, "{direction} {facets} {solver}: ({x}, {y}), {p}");
            }
        }
        // Between two corners the larger push goes to one of them, or is shared: the loss along the motion is μ p cos(π/k).
        let (s, c) = (0.5 * corner).sin_cos();
        let [x, y, _] = slide(0.5 * corner, facets, "lemke-faceted");
        let along = x * c + y * s;
        let expected = 5.0 - MU * 4.0 * (0.5 * corner).cos();
        assert!((along - expected).abs() < 1e-8, "{facets}: {along} {expected}");
    }
}
