//! Texts of scenes that many tests use. Each ends with the table `[run]`, so that a test may append keys to it.

/// A floor, and bodies above it with friction 0.5.
fn on_floor(title: &str, body: &str, step_size: f64, end: f64) -> String {
    format!(
        r#"title = "{title}"
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "floor"
shape = {{ type = "half-space", normal = [0, 0, 1] }}
fixed = true
{body}
[contact]
default = {{ friction = 0.5 }}
[run]
end = {end}
step_size = {step_size}
"#
    )
}

/// n balls of radius 0.05 m in layers of 4 × 4, shaken a little: they fall 5 mm and form a pile.
pub fn pile_of_balls(n: usize) -> String {
    let body = format!(
        r#"[[body]]
name = "ball"
repeat = {n}
shape = {{ type = "ball", radius = 0.05 }}
density = 2000
position = ["0.11*mod(i, 4) + 0.004*sin(1e4*sin(i + 1))", "0.11*mod(floor(i/4), 4) + 0.004*sin(1e4*sin(i + 7))", "0.055 + 0.11*floor(i/16)"]"#
    );
    on_floor("Pile of balls", &body, 0.002, 0.2)
}

/// n boxes of 0.2 × 0.2 × 0.1 m on top of each other, each turned by 0.3 rad against the one below: they rest.
pub fn box_stack(n: usize) -> String {
    let body = format!(
        r#"[[body]]
name = "box"
repeat = {n}
shape = {{ type = "box", size = [0.2, 0.2, 0.1] }}
density = 1000
position = [0, 0, "0.05 + 0.1*i"]
orientation = {{ axis = [0, 0, 1], angle = "0.3*i" }}"#
    );
    on_floor("Stack of boxes", &body, 0.005, 0.1)
}

/// n links of 0.2 m in the plane, tied end to end by equations and hung at the origin: they fall as a chain.
pub fn chain(n: usize) -> String {
    assert!(n >= 2, "a chain has two links");
    let rest = n - 1;
    format!(
        r#"title = "Chain of links"
[world]
gravity = [0, -9.81]
[[body]]
name = "link"
repeat = {n}
shape = {{ type = "capsule", length = 0.2, radius = 0.02 }}
density = 1000
position = ["0.1 + 0.2*i", 0]
groups = {{ member_of = [1], meets = [2] }}
[[constraint]]
name = "hook_x"
gap = "link[0].x - 0.1*cos(link[0].phi)"
law = "tied"
[[constraint]]
name = "hook_y"
gap = "link[0].y - 0.1*sin(link[0].phi)"
law = "tied"
[[constraint]]
name = "joint_x"
repeat = {rest}
gap = "link[i+1].x - 0.1*cos(link[i+1].phi) - link[i].x - 0.1*cos(link[i].phi)"
law = "tied"
[[constraint]]
name = "joint_y"
repeat = {rest}
gap = "link[i+1].y - 0.1*sin(link[i+1].phi) - link[i].y - 0.1*sin(link[i].phi)"
law = "tied"
[law.tied]
type = "bilateral"
[run]
end = 0.1
step_size = 0.001
"#
    )
}
