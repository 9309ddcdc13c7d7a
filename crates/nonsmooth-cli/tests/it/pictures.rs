//! `nonsmooth snapshot` and `run --vtk`: pictures and files for ParaView.

use crate::{Folder, nonsmooth, scene};

/// A ball in space beside the floor, for 50 steps.
const BALL: &str = r#"
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
shape = { type = "ball", radius = 0.1 }
material = "rubber"
density = 1000
position = [0, 0, 0.1]
[[body]]
name = "floor"
fixed = true
shape = { type = "half-space", normal = [0, 0, 1] }
material = "rubber"
[material.rubber]
friction = 0.5
restitution = 0.5
[run]
end = 0.05
step_size = 0.001
[output]
every = 10
plots = false
"#;

#[test]
fn a_frame_becomes_a_picture_that_shows_the_body() {
    let folder = Folder::new("snapshot");
    let (path, out) = (folder.write("ball.toml", BALL), folder.text("out"));
    nonsmooth(&["run", &path, "-q", "--out", &out]).expect(0, &[]);
    let picture = folder.text("ball.png");
    let small = ["--size", "160x120", "--out", &picture];
    let ended = nonsmooth(&[&["snapshot", &out, "--forces", "--frame", "2"][..], &small].concat());
    ended.expect(0, &["frame 2 of 6", "t = 0.02 s"]);
    let bytes = std::fs::read(folder.path("ball.png")).expect("the picture is there");
    assert_eq!(&bytes[1..4], b"PNG");
    assert_eq!(bytes[16..24], [0, 0, 0, 160, 0, 0, 0, 120], "width and height");
    // From below the ground hides nothing and the picture differs.
    let below = [&["snapshot", &out, "--view", "0,1,0.2"][..], &small].concat();
    nonsmooth(&below).expect(0, &["frame 5 of 6"]);
    assert_ne!(bytes, std::fs::read(folder.path("ball.png")).expect("there"), "another view");
}

#[test]
fn what_cannot_be_drawn_is_wrong_input() {
    let folder = Folder::new("snapshot-wrong");
    let (path, out) = (folder.write("ball.toml", BALL), folder.text("out"));
    nonsmooth(&["run", &path, "-q", "--out", &out]).expect(0, &[]);
    nonsmooth(&["snapshot", &out, "--frame", "6"]).expect(2, &["no frame 6", "6 frames, 0 to 5"]);
    nonsmooth(&["snapshot", &out, "--size", "8x8"]).expect(2, &["8 × 8 px"]);
    nonsmooth(&["snapshot", &out, "--view", "0,0,0"]).expect(2, &["write x,y,z"]);
    nonsmooth(&["snapshot", &folder.text("nothing")]).expect(2, &["run a scene first"]);
    nonsmooth(&["run", &scene("bouncing-ball.toml"), "-q", "--out", &out, "--overwrite"]).expect(0, &[]);
    nonsmooth(&["snapshot", &out]).expect(2, &["has neither rigid nor elastic bodies"]);
    nonsmooth(&["run", &scene("bouncing-ball.toml"), "-q", "--vtk", "--out", &out])
        .expect(2, &["--vtk: files for ParaView show rigid and elastic bodies"]);
}

#[test]
fn frames_for_paraview_are_those_of_the_results() {
    let folder = Folder::new("vtk");
    let (path, out) = (folder.write("ball.toml", BALL), folder.text("out"));
    nonsmooth(&["run", &path, "-q", "--vtk", "--out", &out]).expect(0, &[]);
    for name in ["run_bodies", "run_contacts"] {
        let listed =
            std::fs::read_to_string(folder.path(&format!("out/vtk/{name}.pvd"))).expect("there");
        assert_eq!(listed.matches("<DataSet").count(), 6, "{listed}");
        assert!(folder.path(&format!("out/vtk/{name}_000005.vtp")).exists());
    }
    let asked = BALL.replace("plots = false", "plots = false\nvtk = true");
    let system = "[[system.linear]]\nname = \"s\"\ncoordinates = [\"x\"]\nmass = [1]\nq = [0]\n";
    let alone = asked[asked.find("[run]").expect("there")..].to_owned();
    let wrong = folder.write("wrong.toml", &format!("{system}{alone}"));
    nonsmooth(&["check", &wrong]).expect(2, &["vtk", "the scene has none"]);
}
