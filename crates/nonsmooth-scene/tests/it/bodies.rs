//! Rigid bodies in scenes: what is built from them, and what is wrong with bad ones.

mod built;
mod joint_types;
mod told_once;
mod wrong;
mod wrong_joints;
mod wrong_laws;

pub use wrong_joints::{PLANE as JOINTS_IN_PLANE, SPACE as JOINTS_IN_SPACE};
pub use wrong_laws::LAWS;

/// A scene in space: a floor, bricks and a ball on a spring, and materials.
pub const GOOD: &str = r#"title = "Bodies"

[parameters]
n = 3
a = 0.2

[world]
gravity = [0, 0, -9.81]
region = { low = [-10, -10, -1], high = [10, 10, 10] }

[shape.brick]
type = "box"
size = ["a", "a", 0.1]

[[body]]
name = "floor"
shape = { type = "half-space", normal = [0, 0, 1] }
material = "ground"
fixed = true

[[body]]
name = "brick"
repeat = "n"
shape = "brick"
material = "stone"
density = 2000
position = ["0.01*i", 0, "0.05 + 0.1*i"]

[[body]]
name = "ball"
shape = { type = "ball", radius = 0.05 }
material = "steel"
mass = 2
position = [1, 0, 1]
velocity = [0, 0.5, 0]

[[spring]]
between = [{ body = "ball", point = [0, 0, 0.05] }, { body = "floor", point = [1, 0, 2] }]
stiffness = 100

[material.stone]
friction = 0.5

[material.steel]
friction = 0.2
restitution = 0.4

[[contact.pair]]
between = ["stone", "ground"]
friction = 0.6
restitution = 0.1

[[contact.pair]]
between = ["steel", "ground"]
friction = 0.3

[run]
end = 0.1
step_size = 0.005
"#;

/// A scene in the plane, beside a system: parts, motion, appearances, groups, a constraint on a body.
pub const FLAT: &str = r#"title = "In the plane"

[world]
gravity = [0, -9.81]

[[system.linear]]
name = "slider"
coordinates = ["s"]
mass = 2
stiffness = 10
q = 0.5

[[body]]
name = "valley"
shape = { type = "chain", points = [[5, 3], [0, 0], [-5, 3]] }
fixed = true

[[body]]
name = "paddle"
shape = { type = "rectangle", half = [0.5, 0.05] }
motion = { position = ["3 + 0.1*sin(t)", 4], angle = "0.2*cos(5*t)" }

[[body]]
name = "dumbbell"
mass = 1
position = [0, 3]
orientation = "pi/3"
angular_velocity = -1
parts = [{ shape = "disc", position = [-0.3, 0] }, { shape = "disc", position = [0.3, 0], groups = { meets = [0] } }]

[[body]]
name = "stone"
repeat = 3
shape = { type = "polygon", points = [[0, 0], ["0.3 + 0.01*i", 0], [0.1, 0.2]] }
density = "100 + i"
position = ["-1.5 - 0.4*i", 2.5]
torque = "0.1*i*t"
appears_at = "0.01*i"

[shape.disc]
type = "ball"
radius = 0.1

[[spring]]
repeat = 2
between = [{ body = "stone[i]" }, { body = "stone[i+1]", point = [0.1, 0] }]
stiffness = 5
damping = 0.1

[[constraint]]
name = "rail"
gap = "dumbbell.y - 0.5*s"
law = "hit"

[law.hit]
type = "newton-impact"

[contact]
default = { friction = 0.3 }

[run]
end = 0.05
step_size = 0.001
"#;
