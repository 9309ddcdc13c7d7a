//! The text of the scene.

use crate::bodies::{Link, Rigid, World};
use crate::joints::Axis;
use crate::log::Log;
use crate::motor::motor;
use crate::names::Names;
use crate::pairs::Meetings;
use crate::report;
use crate::robot::{Collider, Form, Freedom, Joint};
use glam::{DMat3, DQuat, DVec3};
use std::fmt::Write as _;

/// Widest line of a comment.
const WIDTH: usize = 140;

/// The text, and the numbers of bodies and joints.
pub(crate) fn write(
    file: &str,
    world: &World,
    meetings: &Meetings,
    log: &mut Log,
) -> (String, usize, usize) {
    let mut names = Names::default();
    let ground = names.give("ground");
    let bodies: Vec<String> = world.bodies.iter().map(|body| names.give(&body.name)).collect();
    let links: Vec<String> = world.links.iter().map(|link| names.give(&link.name)).collect();
    let mut controls = Names::default();
    let mut parameters = Vec::new();
    let mut joints = String::new();
    for (link, name) in world.links.iter().zip(&links) {
        let parameter = |actuator: &str| {
            let name = controls.give(&format!("control_{actuator}"));
            parameters.push(name.clone());
            name
        };
        joint(&mut joints, link, (name, &bodies, world.meets_parent), parameter);
    }
    for (old, new) in names.changed.iter().filter(|(old, _)| *old != "ground") {
        log.note(format!("`{old}` is called `{new}`"));
    }
    let mut text = head(file, &world.name, log);
    if !parameters.is_empty() {
        text += "\n[parameters]\n";
        for name in &parameters {
            let _ = writeln!(text, "{name} = 0.0");
        }
    }
    let _ = write!(text, "\n[world]\ngravity = {}\n", vector(world.gravity));
    let mut k = 0;
    for (body, name) in world.bodies.iter().zip(&bodies) {
        self::body(&mut text, body, name);
        for collider in &body.colliders {
            part(&mut text, collider, meetings, k);
            k += 1;
        }
    }
    if !world.ground.is_empty() {
        let _ = write!(text, "\n[[body]]\nname = \"{ground}\"\nfixed = true\n");
        for collider in &world.ground {
            part(&mut text, collider, meetings, k);
            k += 1;
        }
    }
    contact(&mut text, meetings);
    text += &joints;
    let _ = write!(text, "\n[run]\nend = 1.0\nstep_size = {}\n", number(world.step));
    if meetings.overlaps {
        text += "allow_initial_violation = true\n";
    }
    (text, world.bodies.len(), world.links.len())
}

/// Title and comments.
fn head(file: &str, name: &str, log: &Log) -> String {
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let mut text = format!("title = {}\n", quoted(&format!("{name}, imported from {file}")));
    if !log.notes.is_empty() {
        text += "#\n# Decided on the way:\n";
        log.notes.iter().for_each(|note| comment(&mut text, note));
    }
    if !log.dropped.is_empty() {
        text += "#\n# Not carried over:\n";
        report::lines(&log.dropped, usize::MAX).iter().for_each(|line| comment(&mut text, line));
    }
    text
}

/// A point of a list in comments, cut at blanks into lines.
fn comment(text: &mut String, line: &str) {
    let mut width = 0;
    for word in line.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control()).collect();
        let length = word.chars().count() + 1;
        if width == 0 {
            text.push_str("# -");
            width = 3;
        } else if width + length > WIDTH {
            text.push_str("\n#  ");
            width = 4;
        }
        let _ = write!(text, " {word}");
        width += length;
    }
    text.push('\n');
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A number that TOML reads back to the same bits.
fn number(x: f64) -> String {
    format!("{:?}", if x == 0.0 { 0.0 } else { x })
}

fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
    format!("[{}]", numbers.join(", "))
}

fn vector(v: DVec3) -> String {
    list(&v.to_array())
}

fn turn(text: &mut String, q: DQuat) {
    if q != DQuat::IDENTITY {
        let _ = writeln!(text, "orientation = {}", list(&[q.w, q.x, q.y, q.z]));
    }
}

fn place(text: &mut String, v: DVec3) {
    if v != DVec3::ZERO {
        let _ = writeln!(text, "position = {}", vector(v));
    }
}

fn body(text: &mut String, body: &Rigid, name: &str) {
    let _ = write!(text, "\n[[body]]\nname = \"{name}\"\nmass = {}\n", number(body.mass.mass));
    let _ = writeln!(text, "inertia = {}", rows(body.mass.inertia));
    if body.mass.centre != DVec3::ZERO {
        let _ = writeln!(text, "centre = {}", vector(body.mass.centre));
    }
    place(text, body.frame.position);
    turn(text, body.frame.rotation);
}

/// The rows of a symmetric matrix; the diagonal where that is all.
fn rows(m: DMat3) -> String {
    let [xy, xz, yz] =
        [m.y_axis.x + m.x_axis.y, m.z_axis.x + m.x_axis.z, m.z_axis.y + m.y_axis.z].map(|x| 0.5 * x);
    let [xx, yy, zz] = [m.x_axis.x, m.y_axis.y, m.z_axis.z];
    if [xy, xz, yz] == [0.0; 3] {
        return list(&[xx, yy, zz]);
    }
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| list(&row));
    format!("[{}]", rows.join(", "))
}

fn part(text: &mut String, collider: &Collider, meetings: &Meetings, k: usize) {
    let _ = write!(text, "\n[[body.parts]] # {}\n", collider.name.replace(char::is_control, " "));
    let _ = writeln!(text, "shape = {}", shape(&collider.form));
    place(text, collider.frame.position);
    turn(text, collider.frame.rotation);
    let _ = writeln!(text, "material = \"surface_{}\"", meetings.materials[k]);
    let (group, meets) = &meetings.groups[k];
    let _ = writeln!(text, "groups = {{ member_of = [{group}], meets = {meets:?} }}");
}

fn shape(form: &Form) -> String {
    let n = number;
    match form {
        Form::Ball { radius } => format!("{{ type = \"ball\", radius = {} }}", n(*radius)),
        Form::Box { half } => format!("{{ type = \"box\", half = {} }}", vector(*half)),
        Form::Capsule { half, radius } => {
            format!("{{ type = \"capsule\", length = {}, radius = {} }}", n(2.0 * half), n(*radius))
        }
        Form::Cylinder { half, radius } => {
            format!("{{ type = \"cylinder\", length = {}, radius = {} }}", n(2.0 * half), n(*radius))
        }
        Form::HalfSpace => "{ type = \"half-space\", normal = [0, 0, 1] }".to_owned(),
        Form::Hull { points } => {
            let points: Vec<String> = points.iter().map(|p| list(p)).collect();
            format!("{{ type = \"hull\", points = [{}] }}", points.join(", "))
        }
    }
}

fn contact(text: &mut String, meetings: &Meetings) {
    if meetings.frictions.is_empty() {
        return;
    }
    text.push_str("\n[contact]\n");
    for ([a, b], friction) in &meetings.frictions {
        let between = format!("between = [\"surface_{a}\", \"surface_{b}\"]");
        let _ = write!(text, "\n[[contact.pair]]\n{between}\nfriction = {}\n", number(*friction));
    }
}

fn joint(
    text: &mut String,
    link: &Link,
    (name, bodies, collide): (&str, &[String], bool),
    mut parameter: impl FnMut(&str) -> String,
) {
    let combined = &link.combined;
    let side = |side: Option<usize>| {
        side.map_or("{}".to_owned(), |b| format!("{{ body = \"{}\" }}", bodies[b]))
    };
    let between = link.sides.map(side).join(", ");
    let _ = write!(
        text,
        "\n[[joint]]\nname = \"{name}\"\ntype = \"{}\"\nbetween = [{between}]\n",
        combined.kind
    );
    let _ = writeln!(text, "at = {}", vector(combined.at));
    for (key, axis) in [("axis", combined.axis), ("second_axis", combined.second_axis)] {
        if let Some(axis) = axis {
            let _ = writeln!(text, "{key} = {}", vector(axis));
        }
    }
    if let Some((to, [a, b])) = link.belt {
        let _ = writeln!(text, "to = {}\nteeth_a = {a}\nteeth_b = {b}", vector(to));
    }
    if collide {
        text.push_str("collide = true\n");
    }
    let acts = |axis: &Axis| axis.joint.as_ref().is_some_and(|joint| !joint.is_bare());
    if !combined.axes.iter().any(acts) {
        return;
    }
    for axis in &combined.axes {
        text.push_str("\n[[joint.axes]]\n");
        if let Some(joint) = &axis.joint {
            loads(text, axis, (joint, name), &mut parameter);
        }
    }
}

/// Stops, spring, damper, friction and drive of an axis.
fn loads(
    text: &mut String,
    axis: &Axis,
    (joint, name): (&Joint, &str),
    parameter: &mut impl FnMut(&str) -> String,
) {
    // The scene counts from the start.
    let here = |q: f64| axis.sign * (q - joint.start);
    if let Some([lower, upper]) = joint.range {
        let (a, b) = (here(lower), here(upper));
        let _ = writeln!(text, "stop = {}", list(&[a.min(b), a.max(b)]));
    }
    for (key, value) in
        [("stiffness", joint.stiffness), ("damping", joint.damping), ("friction", joint.friction)]
    {
        if value != 0.0 {
            let _ = writeln!(text, "{key} = {}", number(value));
        }
    }
    if joint.stiffness != 0.0 && here(joint.slack) != 0.0 {
        let _ = writeln!(text, "rest = {}", number(here(joint.slack)));
    }
    if let Some(formula) = motor(axis, name, joint, parameter) {
        let key = if joint.freedom == Freedom::Slide { "force" } else { "torque" };
        let _ = writeln!(text, "motor = {{ {key} = \"{formula}\" }}");
    }
}
