//! Coulomb friction in the plane: the four cases of the first formulation and the eight of the second, in single steps.
//!
//! ```text
//! 0 ≤ μλ_n + λ_t ⟂ v_f1 ≥ 0,    0 ≤ μλ_n − λ_t ⟂ v_f2 ≥ 0,    v_t = v_f1 − v_f2 = −ẋ                  (first)
//! 0 ≤ λ_f1 ⟂ −ẋ + s ≥ 0,    0 ≤ λ_f2 ⟂ ẋ + s ≥ 0,    0 ≤ s ⟂ μλ_n − λ_f1 − λ_f2 ≥ 0                   (second)
//! ```
//!
//! with λ_t = λ_f1 − λ_f2 along the tangent, which points left. h = m = 1.

use crate::reproduce::paper::{Section, number};
use crate::reproduce::schemes::Schemes;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{Simulation, SolverSettings};
use nonsmooth_draw::plot::{Figure, Item};

const MU: f64 = 0.5;

/// A sign below which a number of size 1 is zero: the solver's tolerance, with room.
const ZERO: f64 = 1e-9;

/// A unit mass at height `y` over the floor with horizontal velocity `v` under the force (push, −4).
#[derive(Clone, Copy)]
struct Step {
    mu: f64,
    y: f64,
    v: f64,
    push: f64,
}

/// Forces of the step and ẋ after it.
#[derive(Clone, Copy)]
struct Outcome {
    normal: f64,
    tangential: f64,
    v: f64,
}

impl Step {
    /// One step of size 1 by one of the two formulations.
    fn take(&self, schemes: &Schemes, formulation: &str) -> anyhow::Result<Outcome> {
        let mut builder = ModelBuilder::new();
        let particle = Linear::new("particle", Sparse::diagonal(&[1.0; 2]));
        let particle = particle.load(&[self.push, -4.0]).initial(&[0.0, self.y], &[self.v, 0.0]);
        let p = builder.linear(particle);
        let law = builder.law("floor", Coulomb { friction: self.mu, ..Coulomb::default() });
        builder.linear_contact("floor", law, &[(p, 1, 1.0)], 0.0, &[&[(p, 0, -1.0)]]);
        let (model, state) = builder.build(0.0)?;
        let lemke =
            nonsmooth::solvers::find("lemke-faceted").ok_or_else(|| anyhow::anyhow!("no Lemke"))?;
        let solver = lemke.build(&Options::default().with_word("formulation", formulation));
        let solver = solver.map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
        let solving = SolverSettings { solver, ..SolverSettings::default() };
        let integrator = schemes.make_with("stewart-trinkle", &Options::default(), solving)?;
        let mut simulation = Simulation::new(model, state, integrator, 1.0)?;
        let frame = simulation.step()?;
        let p = &frame.log.constraints.impulse;
        let at = |i: usize| p.get(i).copied().unwrap_or(0.0);
        Ok(Outcome { normal: at(0), tangential: at(1), v: frame.after.v[0] })
    }
}

impl Outcome {
    fn list(&self) -> [f64; 3] {
        [self.normal, self.tangential, self.v]
    }

    /// Case of the first formulation: which distances to the edges of the cone are positive.
    fn first_case(&self, mu: f64) -> f64 {
        let edge = mu * self.normal;
        match (edge + self.tangential > ZERO, edge - self.tangential > ZERO) {
            (true, true) => 1.0,
            (true, false) => 2.0,
            (false, true) => 3.0,
            (false, false) => 4.0,
        }
    }

    /// λ_f1, λ_f2, s of the second formulation, as small as they can be.
    fn unknowns(&self) -> [f64; 3] {
        [self.tangential.max(0.0), (-self.tangential).max(0.0), self.v.abs()]
    }
}

/// Case of the second formulation, 1 to 8: which unknowns are positive.
fn second_case(unknowns: &[f64; 3]) -> usize {
    let zero = |i: usize| usize::from(unknowns[i] <= ZERO);
    1 + 4 * zero(0) + 2 * zero(1) + zero(2)
}

/// Lists a step and its outcome, and judges case, λ_n, λ_t and ẋ.
fn judge(
    section: &mut Section,
    (place, name): (&'static str, &str),
    step: &Step,
    (case, found): (f64, Outcome),
    expected: [f64; 4],
) {
    let mut row = vec![name.to_owned()];
    row.extend([step.mu, step.y, step.v, step.push].map(number));
    row.extend(found.list().map(number));
    row.push(number(case));
    section.table.push(row);
    let [normal, tangential, v] = found.list();
    let what = format!("case, λ_n, λ_t, ẋ: {name}");
    section.all_close(
        place,
        &what,
        &[case, normal, tangential, v],
        &expected,
        (1e-14, "rounding of numbers of size 4 in a few pivots"),
    );
}

fn head(section: &mut Section) {
    let head = ["", "μ", "height", "ẋ before", "push F_x", "λ_n", "λ_t", "ẋ after", "case"];
    section.table.push(head.map(str::to_owned).to_vec());
}

/// The first formulation.
pub(in crate::reproduce) fn four_cases(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Friction, first formulation: four cases",
        "A unit mass on a rough floor, pressed down with 4 N, so that μλ_n = 2 N; single steps of 1 s, solved as the first LCP of \
         the notes. The last two are case 4: a cone without width, because the floor is smooth or out of reach.",
    );
    head(&mut section);
    let stick = Step { mu: MU, y: 0.0, v: 0.0, push: 1.0 };
    let cases = [
        ("sticking", stick, [1.0, 4.0, 1.0, 0.0]),
        ("slide right", Step { v: 3.0, ..stick }, [2.0, 4.0, 2.0, 2.0]),
        ("slide left", Step { v: -6.0, ..stick }, [3.0, 4.0, -2.0, -3.0]),
        ("degenerate sliding, μ = 0", Step { mu: 0.0, v: 3.0, ..stick }, [4.0, 4.0, 0.0, 4.0]),
        ("degenerate sliding, λ_n = 0", Step { y: 5.0, v: 3.0, ..stick }, [4.0, 0.0, 0.0, 4.0]),
    ];
    for (name, step, expected) in cases {
        let found = step.take(schemes, "parts")?;
        let case = found.first_case(step.mu);
        judge(&mut section, ("four cases", name), &step, (case, found), expected);
    }
    Ok(section)
}

/// The second formulation.
pub(in crate::reproduce) fn eight_cases(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Friction, second formulation: eight cases",
        "The same particle by the LCP that extends to space. Cases 4 to 8, left to the student, are here; case 2 is sticking with \
         λ_f1 and λ_f2 both positive, of which only the difference λ_t is determined, so that a step lands in case 4, 6 or 8 \
         instead; cases 1 and 7 are the next section's.",
    );
    head(&mut section);
    let stick = Step { mu: MU, y: 0.0, v: 0.0, push: 0.0 };
    let cases = [
        ("3: slide right", Step { v: 3.0, ..stick }, [3.0, 4.0, 2.0, 1.0]),
        ("4: stick, pushed right", Step { push: 1.5, ..stick }, [4.0, 4.0, 1.5, 0.0]),
        ("4, at its edge", Step { v: 2.0, ..stick }, [4.0, 4.0, 2.0, 0.0]),
        ("5: slide left", Step { v: -3.0, ..stick }, [5.0, 4.0, -2.0, -1.0]),
        ("6: stick, pushed left", Step { push: -1.5, ..stick }, [6.0, 4.0, -1.5, 0.0]),
        ("7: slide on a smooth floor", Step { mu: 0.0, v: 3.0, ..stick }, [7.0, 4.0, 0.0, 3.0]),
        ("8: stick, not pushed", stick, [8.0, 4.0, 0.0, 0.0]),
    ];
    for (name, step, expected) in cases {
        let found = step.take(schemes, "alternative")?;
        let case = second_case(&found.unknowns()) as f64;
        judge(&mut section, ("eight cases", name), &step, (case, found), expected);
    }
    Ok(section)
}

/// Numbers 0, ¼, … 4: sums and differences of them are exact.
fn quarters() -> impl Iterator<Item = f64> + Clone {
    (0..=16).map(|k| 0.25 * f64::from(k))
}

/// All λ_f1, λ_f2, s among the quarters that solve the second formulation, for the velocity `free` that the step would
/// have without friction and the width `cone` = μλ_n of the cone.
fn by_trying(free: f64, cone: f64) -> Vec<[f64; 3]> {
    let solves = |[f1, f2, s]: &[f64; 3]| {
        // Friction along the tangent slows a motion to the right.
        let v = free - (f1 - f2);
        let w = [s - v, s + v, cone - f1 - f2];
        [*f1, *f2, *s].iter().zip(w).all(|(z, w)| w >= 0.0 && z * w == 0.0)
    };
    let all = quarters().flat_map(|f1| quarters().map(move |f2| (f1, f2)));
    let all = all.flat_map(|(f1, f2)| quarters().map(move |s| [f1, f2, s]));
    all.filter(solves).collect()
}

/// What the steps of one sweep over the velocity without friction come to.
struct Sweep {
    /// Solutions found by trying, by case.
    tried: [usize; 8],
    /// Steps that land in each case.
    landed: [usize; 8],
    /// Steps whose outcome is one of the solutions found by trying.
    agree: usize,
    /// ẋ without friction, λ_t, ẋ after the step.
    outcomes: Vec<[f64; 3]>,
}

fn sweep(schemes: &Schemes, mu: f64) -> anyhow::Result<Sweep> {
    let mut sweep = Sweep { tried: [0; 8], landed: [0; 8], agree: 0, outcomes: Vec::new() };
    for free in (-8..=8).map(|k| 0.5 * f64::from(k)) {
        let found = Step { mu, y: 0.0, v: free, push: 0.0 }.take(schemes, "alternative")?;
        let solutions = by_trying(free, mu * 4.0);
        solutions.iter().for_each(|z| sweep.tried[second_case(z) - 1] += 1);
        let ours = found.unknowns();
        sweep.landed[second_case(&ours) - 1] += 1;
        let same = |z: &[f64; 3]| z.iter().zip(ours).all(|(z, x)| (z - x).abs() < ZERO);
        sweep.agree += usize::from(solutions.iter().any(same));
        sweep.outcomes.push([free, found.tangential, found.v]);
    }
    Ok(sweep)
}

/// Cases 1 and 7 by trying everything.
pub(in crate::reproduce) fn impossible(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "eight cases";
    let mut section = Section::new(
        "Friction: the cases that cannot be",
        "Case 1 asks for s > 0 and for ẋ = s = −s at once: impossible. Case 7 asks for μλ_n = 0. To see it, every (λ_f1, λ_f2, s) \
         among the quarters from 0 to 4 is tried as a solution, for 17 velocities from −4 to 4 m/s; beside it the cases in which our \
         steps land.",
    );
    let (rough, smooth) = (sweep(schemes, MU)?, sweep(schemes, 0.0)?);
    let head = ["case", "solutions, μλ_n = 2", "steps", "solutions, μλ_n = 0", "steps"];
    section.table.push(head.map(str::to_owned).to_vec());
    for case in 0..8 {
        let counts =
            [&rough.tried, &rough.landed, &smooth.tried, &smooth.landed].map(|n| n[case].to_string());
        section.table.push(std::iter::once((case + 1).to_string()).chain(counts).collect());
    }
    let floats = |counts: &[usize]| counts.iter().map(|n| *n as f64).collect::<Vec<f64>>();
    let solvable = |tried: &[usize; 8]| -> Vec<f64> {
        (0..8).filter(|case| tried[*case] > 0).map(|case| case as f64 + 1.0).collect()
    };
    let cases = [2.0, 3.0, 4.0, 5.0, 6.0, 8.0];
    section
        .all_close(
            PLACE,
            "cases with a solution, μλ_n = 2",
            &solvable(&rough.tried),
            &cases,
            (0.0, "whole numbers"),
        )
        .arithmetic();
    section
        .all_close(
            PLACE,
            "cases with a solution, μλ_n = 0",
            &solvable(&smooth.tried),
            &[7.0, 8.0],
            (0.0, "whole numbers"),
        )
        .arithmetic();
    let landed = [0.0, 0.0, 4.0, 4.0, 4.0, 4.0, 0.0, 1.0];
    section.all_close(
        PLACE,
        "steps that land in case 1 … 8, μλ_n = 2",
        &floats(&rough.landed),
        &landed,
        (0.0, "counts"),
    );
    let landed = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 16.0, 1.0];
    section.all_close(
        PLACE,
        "steps that land in case 1 … 8, μλ_n = 0",
        &floats(&smooth.landed),
        &landed,
        (0.0, "counts"),
    );
    let agree = floats(&[rough.agree, smooth.agree]);
    section.all_close(
        PLACE,
        "steps of 17 found among the solutions",
        &agree,
        &[17.0, 17.0],
        (0.0, "counts"),
    );
    let marked = |label: &str, i: usize| Item::Marked {
        label: label.into(),
        points: rough.outcomes.iter().map(|outcome| (outcome[0], outcome[i])).collect(),
    };
    let items =
        vec![marked("friction λ_t [N], to the left", 1), marked("velocity ẋ after the step [m/s]", 2)];
    let (x_label, y_label) =
        ("velocity before the step, to the right [m/s]".into(), "friction [N], velocity [m/s]".into());
    let figure = Figure { x_label, y_label, items, ..Figure::default() };
    section.figure(
        "trinkle-2008-friction",
        figure,
        "What a step makes of a velocity, μλ_n = 2: from left to right cases 5, 6, 8, 4, 3",
    );
    Ok(section)
}
