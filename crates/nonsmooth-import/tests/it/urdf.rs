//! URDF: trees, fixed joints, masses, limits, drives, followers.

use crate::{dropped, loaded, model, text};
use nonsmooth_import::Options;

#[test]
fn fixed_joints_make_one_body_with_the_masses_of_all() {
    let imported = model("pendulum.urdf", &Options::default());
    let scene = loaded(&imported.scene);
    let bodies = &scene.simulation.model.rigid.bodies;
    assert_eq!((bodies.len(), imported.n_joints), (1, 1));
    assert_eq!(bodies[0].name, "rod");
    assert!((bodies[0].mass - 3.2).abs() < 1e-12);
    assert!(dropped(&imported, "visual", "", "rod"), "{:?}", imported.dropped);
    assert!(
        imported.scene.contains("# - <visual> looks are not part of a scene: rod (line 17)"),
        "{}",
        imported.scene
    );
}

#[test]
fn a_cart_falls_freely_with_its_wheels() {
    let imported = model("cart.urdf", &Options { free_base: true, ..Options::default() });
    assert_eq!((imported.n_bodies, imported.n_joints), (5, 5));
    let mut scene = loaded(&imported.scene);
    let before = scene.simulation.state.q.clone();
    scene.simulation.run(100, &mut []).expect("it runs");
    // All fall by g t²/2: joints and the belt pull at nobody.
    let fall = 0.5 * 9.81 * 0.1f64.powi(2);
    for body in &scene.simulation.model.rigid.bodies {
        let z = body.q as usize + 2;
        let error = scene.simulation.state.q[z] - before[z] + fall;
        assert!(error.abs() < 1e-12, "{} is off by {error:e} m", body.name);
    }
    assert!(dropped(&imported, "limit", "velocity", "front_left_axle"));
}

#[test]
fn a_drive_turns_its_wheel_and_the_belt_the_other() {
    let imported = model("cart.urdf", &Options::default());
    // A torque beyond the effort of 2 N·m, less 0.02 N·m of dry friction on one axle; both wheels turn by it.
    let scene = imported.scene.replace("control_front_left_axle = 0.0", "control_front_left_axle = 5.0");
    let mut scene = loaded(&scene.replace("damping = 0.01", "damping = 0.0"));
    scene.simulation.run(100, &mut []).expect("it runs");
    let angles = &scene.simulation.state.angles;
    let exact = 0.5 * (2.0 - 0.02) / (2.0 * 0.004) * 0.1f64.powi(2);
    let names: Vec<&str> = imported
        .scene
        .lines()
        .filter(|line| {
            line.starts_with("name") && line.ends_with("_axle\"") && !line.contains("follows")
        })
        .collect();
    assert!(names[0].contains("front_left_axle") && names.len() == 4, "{names:?}");
    let of = |name: &str| angles[names.iter().position(|line| line.contains(name)).expect("a wheel")];
    assert!(
        (of("front_left_axle") - exact).abs() < 2e-3 * exact,
        "{} rad, should be {exact}",
        of("front_left_axle")
    );
    assert!((of("rear_left_axle") - of("front_left_axle")).abs() < 1e-9);
    assert!(of("rear_right_axle").abs() < 1e-12);
}

const CHAIN: &str = r#"<robot name="chain">
  <link name="base"/>
  <link name="cross"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="cross"/><axis xyz="1 0 0"/>
    <limit lower="0.2" upper="1" effort="0" velocity="1"/></joint>
  <joint name="b" type="continuous"><parent link="cross"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#;

#[test]
fn joints_through_a_link_without_mass_are_one_joint() {
    let imported = text("chain.urdf", CHAIN).expect("it imports");
    assert!(imported.scene.contains("type = \"universal\""), "{}", imported.scene);
    loaded(&imported.scene);
}

#[test]
fn a_joint_starts_inside_of_its_range() {
    let imported = text("chain.urdf", CHAIN).expect("it imports");
    // It starts at 0.2, so the scene counts from there, and the arm hangs turned by so much.
    assert!(imported.scene.contains("stop = [0.0, 0.8]"), "{}", imported.scene);
    let half = 0.1f64;
    assert!(
        imported.scene.contains(&format!(
            "orientation = [{:?}, {:?}, 0.0, 0.0]",
            half.cos(),
            half.sin()
        )),
        "{}",
        imported.scene
    );
    assert!(
        imported.notes.iter().any(|note| note.contains("`a` starts at 0.2")),
        "{:?}",
        imported.notes
    );
}
