//! MJCF: compiler, defaults, geoms, joints of one body, pairs, drives, equalities.

use crate::{dropped, loaded, models, text};
use nonsmooth_import::{Options, import_text};

/// A model around the content of its world.
fn mujoco(inside: &str) -> String {
    format!("<mujoco model=\"test\"><worldbody>{inside}</worldbody></mujoco>")
}

#[test]
fn several_hinges_of_a_body_want_a_type_or_a_split() {
    let legs = mujoco(
        r#"<body name="leg"><joint name="x" axis="1 0 0" range="-30 30" pos="0 0 0.1"/>
        <joint name="y" axis="0 1 0" pos="0 0 0.2"/><geom type="box" size="0.1 0.1 0.2"/></body>"#,
    );
    let refused = text("leg.xml", &legs).expect_err("skew hinges are no joint");
    assert!(
        refused.contains("leg.xml:1: joints `x`, `y` of body `leg`: two hinges whose axes do not cross"),
        "{refused}"
    );
    assert!(refused.contains("--split 0.01"), "{refused}");
    let split = Options { split: Some(0.01), ..Options::default() };
    let imported = import_text("leg.xml", &legs, &models(), &split).expect("it splits");
    assert_eq!((imported.n_bodies, imported.n_joints), (2, 2));
    // Nothing of the mass is lost: 1000 kg/m³ in 0.2 × 0.2 × 0.4 m.
    let scene = loaded(&imported.scene);
    let sum: f64 = scene.simulation.model.rigid.bodies.iter().map(|b| b.mass).sum();
    assert!((sum - 16.0).abs() < 1e-12, "{sum}");
}

#[test]
fn what_a_spherical_joint_cannot_have_is_told() {
    let hip = mujoco(
        r#"<body name="leg"><joint name="x" axis="1 0 0" range="-30 30"/><joint name="y" axis="0 1 0" damping="1"/>
        <joint name="z" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.2"/></body>"#,
    );
    let imported = text("hip.xml", &hip).expect("it imports");
    assert!(imported.scene.contains("type = \"spherical\""));
    let told = |name: &str| dropped(&imported, "joint", "", name);
    assert!(told("x") && told("y") && !told("z"), "{:?}", imported.dropped);
}

#[test]
fn types_and_affinities_become_groups_that_say_the_same() {
    let balls = mujoco(
        r#"<geom name="floor" type="plane" size="1 1 1" conaffinity="1" contype="0"/>
        <body name="a" pos="0 0 1"><freejoint/><geom name="a" size="0.1" contype="1" conaffinity="0"/></body>
        <body name="b" pos="0 0 2"><freejoint/><geom name="b" size="0.2" contype="2" conaffinity="1"/></body>
        <body name="c" pos="0 0 3"><freejoint/><geom name="c" size="0.3" contype="4" conaffinity="4"/></body>"#,
    );
    let balls = balls.replace("</mujoco>", r#"<contact><pair geom1="c" geom2="a"/></contact></mujoco>"#);
    let imported = text("balls.xml", &balls).expect("it imports");
    // a meets the floor and b; b meets a; c meets a by the pair alone.
    let scene = loaded(&imported.scene);
    let colliders = &scene.simulation.model.rigid.colliders;
    let names = ["a", "b", "c", "ground"];
    let mut colliders: Vec<_> = colliders.iter().collect();
    // By their radii; that of the ground is infinite.
    colliders.sort_by(|a, b| a.bounding_radius.total_cmp(&b.bounding_radius));
    assert_eq!(colliders.len(), names.len());
    let meets = |i: usize, j: usize| colliders[i].collider.groups.meet(colliders[j].collider.groups);
    for (i, j, expected) in
        [(0, 1, true), (0, 2, true), (0, 3, true), (1, 2, false), (1, 3, false), (2, 3, false)]
    {
        assert_eq!(meets(i, j), expected, "{} and {}", names[i], names[j]);
    }
}

#[test]
fn classes_reach_through_bodies_and_other_classes() {
    let arm = r#"<mujoco><default><joint damping="1"/><default class="soft"><joint stiffness="3"/>
        <default class="softer"><joint stiffness="2"/></default></default></default>
        <worldbody><body name="a" childclass="soft"><joint name="j"/><geom size="0.1"/>
        <body name="b" pos="1 0 0"><joint name="k" class="softer"/><geom size="0.1"/>
        <body name="c" pos="1 0 0" childclass="main"><joint name="l"/><geom size="0.1"/></body></body></body></worldbody></mujoco>"#;
    let imported = text("arm.xml", arm).expect("it imports");
    let axes: Vec<&str> = imported.scene.split("[[joint]]").skip(1).collect();
    let expected = ["stiffness = 3.0\ndamping = 1.0", "stiffness = 2.0\ndamping = 1.0", "damping = 1.0"];
    for (axis, expected) in axes.iter().zip(expected) {
        assert!(axis.contains(expected), "{axis}");
    }
    assert!(!axes[2].contains("stiffness"));
}

#[test]
fn drives_are_formulas_with_their_bounds() {
    let servo = mujoco(
        r#"<body name="a"><joint name="j" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/></body>"#,
    );
    let servo = servo.replace(
        "</mujoco>",
        r#"<actuator><position name="p" joint="j" kp="50" kv="3" gear="2" ctrlrange="-1 1" forcerange="-40 40"/>
        <muscle name="m" joint="j"/></actuator></mujoco>"#,
    );
    let imported = text("servo.xml", &servo).expect("it imports");
    assert!(dropped(&imported, "muscle", "", "m"));
    // At the start: 2 · clamp(50 · clamp(9)) = 2 · 40 N on 2 kg, less the weight.
    let scene = imported.scene.replace("control_p = 0.0", "control_p = 9.0");
    let mut scene = loaded(&scene);
    scene.simulation.run(1, &mut []).expect("it runs");
    let v = scene.simulation.state.v[2] / 2e-3;
    assert!((v - 0.5 * (40.0 - 9.81)).abs() < 0.1 || (v - (40.0 - 9.81)).abs() < 0.1, "{v} m/s²");
}

#[test]
fn an_equality_pins_a_loop() {
    let bar = |name: &str, x: f64, r: &str| {
        format!(
            r#"<body name="{name}" pos="{x} 0 0"><joint name="{name}_j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 {r} 0 -0.5" size="0.02" contype="0" conaffinity="0"/></body>"#
        )
    };
    let frame = mujoco(&(bar("left", 0.0, "0.5") + &bar("right", 1.0, "-0.5")));
    let frame = frame.replace("</mujoco>", r#"<equality><connect body1="left" body2="right" anchor="0.5 0 -0.5" solref="0.1 1"/></equality></mujoco>"#);
    let imported = text("frame.xml", &frame).expect("it imports");
    assert_eq!(imported.n_joints, 3);
    assert!(dropped(&imported, "connect", "solref", "connect_0"), "{:?}", imported.dropped);
    // A frame of two bars does not move.
    let mut scene = loaded(&imported.scene);
    let before = scene.simulation.state.q.clone();
    scene.simulation.run(100, &mut []).expect("it runs");
    let most =
        scene.simulation.state.q.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(most < 1e-9, "it moved by {most:e} m");
}

#[test]
fn what_nobody_reads_is_told_with_its_line() {
    let odd = "<mujoco>\n<worldbody>\n<body name=\"a\">\n<freejoint/>\n<geom size=\"0.1\" colour=\"red\"/>\n<site name=\"s\"/>\n</body>\n</worldbody>\n<sensor><touch name=\"t\" site=\"s\"/></sensor>\n</mujoco>";
    let imported = text("odd.xml", odd).expect("it imports");
    let lines: Vec<(&str, &str, usize)> =
        imported.dropped.iter().map(|d| (d.element.as_str(), d.attribute.as_str(), d.line)).collect();
    for expected in [("geom", "colour", 5), ("site", "", 6), ("touch", "", 9)] {
        assert!(lines.contains(&expected), "{expected:?} is not in {lines:?}");
    }
    for word in ["colour", "<site>", "<touch>"] {
        assert!(imported.scene.contains(word), "{word}");
    }
}
