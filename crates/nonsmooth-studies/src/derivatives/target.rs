//! What varies: parameters of a scene, and initial values by the names that outputs have.

use nonsmooth::integrators::flow::Tangent;
use nonsmooth::{Model, State};

/// A parameter or an initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// By its name.
    Parameter(String),
    /// Of the initial state.
    Initial(Initial),
}

/// An initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Initial {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A coordinate: its place in q, and that of its velocity.
    Coordinate(usize, usize),
    /// A velocity in world axes, by its place.
    Velocity(usize),
    /// A turn of a body in space about a world axis, from its rotation in the scene; by the place of its spin.
    Turn(usize),
}

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// All initial values of a model.
pub(crate) fn initial_values(model: &Model) -> Vec<(String, Target)> {
    let mut out = Vec::new();
    let mut add = |name: String, kind: Kind| {
        out.push((name.clone(), Target::Initial(Initial { name, kind })));
    };
    let bodies: Vec<&str> = model.rigid.bodies.iter().map(|body| body.name.as_str()).collect();
    for family in &model.systems {
        let layout = family.layout();
        if layout.q.is_empty() {
            // First-order systems have no positions; the flow refuses them by name.
            continue;
        }
        let mut q = layout.q.start;
        let mut v = layout.v.start;
        while v < layout.v.end {
            let (owner, rate) = model.velocity_name(v);
            if !bodies.contains(&owner.as_str()) {
                add(format!("{owner}.{rate}"), Kind::Coordinate(q, v));
                add(format!("{owner}.v_{rate}"), Kind::Velocity(v));
                (q, v) = (q + 1, v + 1);
                continue;
            }
            let is_planar = layout.q.len() == layout.v.len();
            let names: &[&str] = if is_planar { &["x", "y", "phi"] } else { &AXES };
            for (k, axis) in names.iter().enumerate() {
                add(format!("{owner}.{axis}"), Kind::Coordinate(q + k, v + k));
                add(format!("{owner}.v_{axis}"), Kind::Velocity(v + k));
            }
            if !is_planar {
                for (k, axis) in AXES.iter().enumerate() {
                    add(format!("{owner}.turn_{axis}"), Kind::Turn(v + 3 + k));
                    add(format!("{owner}.omega_{axis}"), Kind::Velocity(v + 3 + k));
                }
            }
            (q, v) = if is_planar { (q + 3, v + 3) } else { (q + 7, v + 6) };
        }
    }
    out
}

impl Target {
    pub(crate) fn name(&self) -> &str {
        match self {
            Target::Parameter(name) => name,
            Target::Initial(initial) => &initial.name,
        }
    }

    pub(crate) fn is_parameter(&self, name: &str) -> bool {
        matches!(self, Target::Parameter(known) if known == name)
    }
}

impl Initial {
    /// Its value in a state; of a turn 0.
    pub(crate) fn value(&self, model: &Model, state: &State) -> f64 {
        match self.kind {
            Kind::Coordinate(q, _) => state.q[q],
            Kind::Velocity(v) => {
                let mut working = vec![0.0; state.v.len()];
                model.to_working(&state.q, &state.v, &mut working);
                working[v]
            }
            Kind::Turn(_) => 0.0,
        }
    }

    /// How the state changes with it.
    pub(crate) fn tangent(&self, model: &Model, state: &State) -> Tangent {
        let n = model.n_velocities();
        let (mut position, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        match self.kind {
            Kind::Coordinate(_, v) => position[v] = 1.0,
            Kind::Velocity(v) => {
                velocity[v] = 1.0;
                model.to_state(&state.q, &mut velocity);
            }
            Kind::Turn(v) => {
                position[v] = 1.0;
                model.to_state(&state.q, &mut position);
            }
        }
        Tangent { name: format!("the initial value of {}", self.name), position, velocity }
    }

    /// Gives it a value.
    pub(crate) fn set(&self, model: &Model, value: f64, state: &mut State) {
        let by = value - self.value(model, state);
        let Tangent { mut position, velocity, .. } = self.tangent(model, state);
        position.iter_mut().for_each(|x| *x *= by);
        let q = state.q.clone();
        model.retract(&q, &position, &mut state.q);
        state.v.iter_mut().zip(&velocity).for_each(|(v, x)| *v += by * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nonsmooth_scene::load_text;

    const SCENE: &str = r#"
[world]
gravity = [0, 0, 0]
[[system.linear]]
name = "slider"
coordinates = ["s"]
mass = [1]
q = [0.5]
v = [2]
[shape.cube]
type = "box"
size = [1, 1, 1]
[[body]]
name = "cube"
shape = "cube"
mass = 1
position = [1, 2, 3]
orientation = { axis = [0, 0, 1], angle = 1.5707963267948966 }
angular_velocity = [0.1, 0.2, 0.3]
[run]
end = 1
step_size = 0.1
"#;

    #[test]
    fn initial_values_are_read_and_set_in_world_axes() {
        let loaded = load_text("s.toml", SCENE.into(), "".into(), &[]).unwrap_or_else(|e| panic!("{e}"));
        let (model, state) = (&loaded.simulation.model, &*loaded.simulation.state);
        let all = initial_values(model);
        let find = |name: &str| match &all.iter().find(|(known, _)| known == name).expect(name).1 {
            Target::Initial(initial) => initial.clone(),
            Target::Parameter(_) => panic!("{name} is an initial value"),
        };
        let expected = [
            ("slider.s", 0.5),
            ("slider.v_s", 2.0),
            ("cube.z", 3.0),
            // (0.1, 0.2, 0.3) in the axes of the body, a quarter turn about z before the world's.
            ("cube.omega_x", -0.2),
            ("cube.turn_y", 0.0),
        ];
        for (name, value) in expected {
            let found = find(name).value(model, state);
            assert!((found - value).abs() < 1e-15, "{name}: {found}");
        }
        let mut moved = state.clone();
        for (name, value) in [("slider.s", -1.0), ("cube.x", 7.0), ("cube.omega_y", 5.0)] {
            find(name).set(model, value, &mut moved);
            assert!((find(name).value(model, &moved) - value).abs() < 1e-14, "{name}");
        }
        assert!((find("cube.omega_x").value(model, &moved) + 0.2).abs() < 1e-14);
        // A quarter turn about the world's x takes the body's x, which is the world's y, to z.
        find("cube.turn_x").set(model, std::f64::consts::FRAC_PI_2, &mut moved);
        let turned = model.at_state(&moved, |at| Ok(at.rigid[0].rotation * nonsmooth::glam::DVec3::X));
        let turned = turned.expect("finite");
        assert!((turned - nonsmooth::glam::DVec3::Z).length() < 1e-12);
    }
}
