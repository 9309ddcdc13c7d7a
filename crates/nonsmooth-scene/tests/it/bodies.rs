//! Rigid bodies in scenes: what is built from them, and what is wrong with bad ones.

mod built;
mod wrong;

/// A scene in space: a floor, bricks and a ball on a spring, and materials.
const GOOD: &str = r#"title = "Bodies"

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
