//! Resuming at every step of ten scenes with joints, springs, motors, histories of laws, moving bodies and bodies that appear and leave gives the
//! same bits: by a new integrator, and by one whose scratch is that of another step. How many threads there are does not matter
//! either (`scenes_of_bodies_do_not_depend_on_threads` of the command).

use crate::bodies::{JOINTS_IN_PLANE, JOINTS_IN_SPACE, LAWS};
use crate::{from_text, scene};
use nonsmooth::{Integrator, Simulation, State};
use nonsmooth_scene::Loaded;

/// Steps before the first that is saved, and the number of saved ones.
struct Case {
    name: &'static str,
    loaded: Loaded,
    skip: u64,
}

fn cases() -> Vec<Case> {
    let text = |name, text: &str| {
        let loaded = from_text(text).unwrap_or_else(|error| panic!("{name}:\n{error}"));
        Case { name, loaded, skip: 0 }
    };
    // Rapid enough, and where something happens: an impact, a body that appears or leaves, sliding that ends.
    let file = |name, skip| Case { name, loaded: scene(name, &[]), skip };
    vec![
        text("joints in space", JOINTS_IN_SPACE),
        text("joints in the plane", JOINTS_IN_PLANE),
        text("laws", LAWS),
        file("double-pendulum.toml", 10),
        file("knife-edge.toml", 5),
        file("hopper.toml", 40),
        file("newtons-cradle.toml", 300),
        file("conveyor-belt.toml", 20),
        file("masonry-wall.toml", 115),
        file("ball-on-turntable.toml", 5),
    ]
}

const SAVED: usize = 20;

fn made(loaded: &Loaded) -> Box<dyn Integrator> {
    let (entry, options) = loaded.recipe.scheme();
    entry.build(options, loaded.recipe.solving()).expect("checked with the scene")
}

/// Every bit of two states.
fn same(a: &State, b: &State) -> bool {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    a == b && bits(&a.q) == bits(&b.q) && bits(&a.v) == bits(&b.v)
}

#[test]
fn ten_scenes_resume_at_every_step_to_the_bit() {
    let cases = cases();
    assert_eq!(cases.len(), 10);
    let (mut joints, mut histories, mut lags, mut presences) = (0, 0, 0, 0);
    for Case { name, mut loaded, skip } in cases {
        let kept = made(&loaded);
        let fresh: Vec<_> = (0..SAVED).map(|_| made(&loaded)).collect();
        let simulation = &mut loaded.simulation;
        let n = loaded.n_steps.min(skip + SAVED as u64);
        simulation.run(skip, &mut []).expect("it runs");
        let mut states = vec![(*simulation.state).clone()];
        while simulation.state.step < n {
            simulation.step().expect("a good step");
            states.push((*simulation.state).clone());
        }
        let (model, h) = (simulation.model.clone(), loaded.step_size);
        let mut other = Simulation::new(model.clone(), states[0].clone(), kept, h).expect("accepted");
        for (k, fresh) in (1..states.len()).rev().zip(fresh) {
            let (from, to) = (&states[k - 1], &states[k]);
            let mut alone = Simulation::new(model.clone(), from.clone(), fresh, h).expect("accepted");
            alone.set_state(from.clone()).expect("a right state");
            alone.step().expect("a good step");
            assert!(same(&alone.state, to), "{name}, step {}: new integrator", to.step);
            other.set_state(from.clone()).expect("a right state");
            other.step().expect("a good step");
            assert!(same(&other.state, to), "{name}, step {}: scratch of a later step", to.step);
        }
        joints += states[0].angles.len();
        histories += usize::from(states.iter().any(|s| !s.memory.histories.is_empty()));
        lags += usize::from(states.iter().any(|s| s.lag.iter().any(|lag| *lag > 0.0)));
        presences += usize::from(states.windows(2).any(|s| s[0].presence != s[1].presence));
    }
    assert!(
        joints > 0 && histories > 0 && lags > 0 && presences > 0,
        "the scenes have what they claim: {joints} {histories} {lags} {presences}"
    );
}
