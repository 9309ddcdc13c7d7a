//! Studies: references by a run, threads, costs and mistakes.

use crate::kit::{
    ConstraintId, Counts, Event, Integrator, Model, Options, Refusal, State, StepLog, StepResult,
};
use crate::moreau_jean;
use nonsmooth::analysis::exact::{Exact, find};
use nonsmooth::analysis::{Ladder, Reference, Runs, Study, StudyError};
use std::sync::atomic::{AtomicUsize, Ordering};

fn exact(name: &str) -> Box<dyn Exact> {
    find(name).expect("listed").build(&Options::default()).expect("valid")
}

fn ladder(exact: &dyn Exact, finest: f64) -> Ladder {
    Ladder::new((0.0, exact.horizon()), (1e-2, finest), 3, 4).expect("a ladder")
}

/// moreau-jean on an exact solution's model against `reference`.
fn against(reference: Reference<'_>, exact: &dyn Exact, ladder: &Ladder, threads: usize) -> Runs {
    let study = Study {
        ladder,
        model: &|| exact.model(),
        integrator: &|| moreau_jean(&Options::default()),
        reference,
        coordinates: &[],
        threads,
        progress: &|| (),
    };
    study.run().expect("all runs end well")
}

#[test]
fn a_fine_run_stands_in_for_the_exact_solution() {
    for name in ["ball", "oscillator", "pressed-oscillator", "free-ball", "take-off"] {
        let exact = exact(name);
        let ladder = ladder(&*exact, 2.5e-3);
        let fine = || moreau_jean(&Options::default());
        // A prime number of steps of at most 1e-4, 25 times finer than the finest run.
        let reference = Reference::Run { integrator: &fine, steps: 100_003 };
        let by_run = against(reference, &*exact, &ladder, 2);
        let by_exact = against(Reference::Exact(&*exact), &*exact, &ladder, 2);
        for (a, b) in by_run.0.concat().iter().zip(by_exact.0.concat()) {
            let pairs = [
                ("q l1", a.q.l1, b.q.l1),
                ("q maximum", a.q.maximum, b.q.maximum),
                ("q hausdorff", a.q.hausdorff, b.q.hausdorff),
                ("v hausdorff", a.v.hausdorff, b.v.hausdorff),
            ];
            for (norm, a, b) in pairs {
                // The fine run is wrong by some steps of 1e-4, times a speed or an acceleration of some units.
                assert!((a - b).abs() < 4e-4, "{name}, {norm}: {a:.3e} by a run, {b:.3e}");
            }
            // A node between an impact and that of the fine run, less than 4e-4 apart, sees a jump ≤ 3 that
            // the other does not.
            let from_node = |t: &f64| (t / a.step_size - (t / a.step_size).round()).abs() * a.step_size;
            let n_unsure = exact.jumps(exact.horizon()).iter().filter(|t| from_node(t) < 4e-4).count();
            let tolerance = 4e-4 + 3.0 * a.step_size * n_unsure as f64;
            assert!((a.v.l1 - b.v.l1).abs() < tolerance, "{name}, v l1: {:.3e}, {:.3e}", a.v.l1, b.v.l1);
        }
    }
}

/// An integrator that knows the answer, and tells the times of impacts inside its steps.
struct Oracle(Box<dyn Exact>);

impl Integrator for Oracle {
    fn accepts(&self, _model: &Model) -> Result<(), Refusal> {
        Ok(())
    }

    fn step(
        &mut self,
        _model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
        let motion = self.0.at(next.t);
        (next.q, next.v) = (motion.q, motion.v);
        let event = |t: f64| {
            let (u_minus, u_plus) = (self.0.before(t).v[0], self.0.at(t).v[0]);
            let row = |x: f64| [x, 0.0, 0.0, 0.0, 0.0, 0.0];
            let (id, impulse) = (ConstraintId::member(0, 0), row(u_plus - u_minus));
            Event {
                t,
                id,
                gap: 0.0,
                u_minus: row(u_minus),
                u_plus: row(u_plus),
                impulse,
                work: 0.0,
                whole: 0.0,
            }
        };
        log.events.extend(self.0.jumps(next.t).into_iter().filter(|&t| t > now.t).map(event));
        Ok(())
    }

    fn reset(&mut self) {}
}

#[test]
fn a_run_with_events_is_interpolated_on_both_sides_of_them() {
    for name in ["ball", "oscillator", "pressed-oscillator"] {
        let exact = exact(name);
        let ladder = ladder(&*exact, 1e-3);
        let oracle = || -> Box<dyn Integrator> { Box::new(Oracle(self::exact(name))) };
        let steps = 1009;
        let h = ladder.step_size(steps);
        let reference = Reference::Run { integrator: &oracle, steps };
        let by_run = against(reference, &*exact, &ladder, 2);
        let by_exact = against(Reference::Exact(&*exact), &*exact, &ladder, 2);
        for (a, b) in by_run.0.concat().iter().zip(by_exact.0.concat()) {
            // Between impacts cubics, wrong by h⁴; in the few steps with impacts constant velocities, wrong by
            // h²a/2 in q and by h a in v, |a| ≤ 3. Before the accumulation several impacts share a step: there
            // both are of the size of h too.
            let pairs = [
                ("q maximum", a.q.maximum, b.q.maximum, 3.0 * h * h),
                ("v maximum", a.v.maximum, b.v.maximum, 3.0 * h),
                ("q l1", a.q.l1, b.q.l1, 10.0 * h * h * h),
                ("v l1", a.v.l1, b.v.l1, 30.0 * h * h),
                // In the graphs lines take the place of the cubics, h²a/8 apart.
                ("q hausdorff", a.q.hausdorff, b.q.hausdorff, 3.0 * h * h),
                ("v hausdorff", a.v.hausdorff, b.v.hausdorff, 3.0 * h),
            ];
            for (norm, a, b, tolerance) in pairs {
                assert!((a - b).abs() < tolerance, "{name}, {norm}: {a:.6e} by a run, {b:.6e}");
            }
        }
    }
}

#[test]
fn a_run_is_its_own_reference() {
    // Same number of steps: every node is a node of the reference, so nothing is interpolated.
    let exact = exact("ball");
    let ladder = Ladder::new((0.0, exact.horizon()), (1e-2, 1e-2), 1, 1).expect("a ladder");
    let same = || moreau_jean(&Options::default());
    let reference = Reference::Run { integrator: &same, steps: ladder.rungs[0][0] };
    let run = against(reference, &*exact, &ladder, 1).0[0][0];
    assert!(
        run.q.l1 == 0.0 && run.q.maximum == 0.0 && run.v.l2 == 0.0 && run.v.maximum == 0.0,
        "{run:?}"
    );
    // v are steps in the run and lines in the reference, h times an acceleration of 2 apart.
    assert!(run.q.hausdorff < 2.0 * run.step_size && run.v.hausdorff < 2.5 * run.step_size, "{run:?}");
}

#[test]
fn results_do_not_depend_on_threads() {
    let exact = exact("ball");
    let ladder = ladder(&*exact, 1e-3);
    let alone = against(Reference::Exact(&*exact), &*exact, &ladder, 1);
    for threads in [0, 2, 5, 64] {
        assert_eq!(against(Reference::Exact(&*exact), &*exact, &ladder, threads), alone);
    }
}

#[test]
fn work_is_counted_and_progress_told() {
    let exact = exact("oscillator");
    let ladder = ladder(&*exact, 1e-3);
    let n_told = AtomicUsize::new(0);
    let same = || moreau_jean(&Options::default());
    let study = Study {
        ladder: &ladder,
        model: &|| exact.model(),
        integrator: &same,
        reference: Reference::Run { integrator: &same, steps: 30_011 },
        coordinates: &[],
        threads: 2,
        progress: &|| {
            n_told.fetch_add(1, Ordering::Relaxed);
        },
    };
    assert_eq!(study.n_runs(), 13);
    let runs = study.run().expect("all runs end well");
    assert_eq!(n_told.into_inner(), 13);
    for (rung, numbers) in runs.0.iter().zip(&ladder.rungs) {
        for (run, &steps) in rung.iter().zip(numbers) {
            assert_eq!(run.step_size, ladder.step_size(steps));
            assert_eq!(run.work.steps, steps);
            // A linear model: one step and one evaluation each, and a problem for each of three impacts.
            assert_eq!(run.work.counts, Counts { steps, rejected: 0, evaluations: steps });
            assert!((3..6).contains(&run.work.problems), "{}", run.work.problems);
        }
    }
}

#[test]
fn mistakes_are_refused_in_words() {
    let exact = exact("ball");
    let good = ladder(&*exact, 1e-3);
    let make = |ladder: &Ladder, scheme: &Options, coordinates: &[usize]| {
        let study = Study {
            ladder,
            model: &|| exact.model(),
            integrator: &|| moreau_jean(scheme),
            reference: Reference::Exact(&*exact),
            coordinates,
            threads: 2,
            progress: &|| (),
        };
        study.run().expect_err("it is refused")
    };
    let plain = Options::default();
    let late = Ladder { start: 1.0, ..good.clone() };
    assert!(matches!(make(&late, &plain, &[]), StudyError::Start { model: 0.0, ladder: 1.0 }));
    let error = make(&good, &plain, &[0, 3]);
    assert!(matches!(error, StudyError::Coordinate { index: 3, .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "there is no coordinate 3 to compare: the model has 1 in q and 1 in v, the reference 1 and 1"
    );
    let position = Options::default().with_word("level", "position");
    let error = make(&good, &position, &[]);
    assert!(matches!(error, StudyError::Refused(Refusal::Rebound { .. })), "{error}");
    // The reference has other coordinates than the model.
    let block = self::exact("sliding-block");
    let study = Study {
        ladder: &good,
        model: &|| exact.model(),
        integrator: &|| moreau_jean(&Options::default()),
        reference: Reference::Exact(&*block),
        coordinates: &[],
        threads: 1,
        progress: &|| (),
    };
    assert!(matches!(study.run(), Err(StudyError::Coordinate { index: 1, .. })));
}
