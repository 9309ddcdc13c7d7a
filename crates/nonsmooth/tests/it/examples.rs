//! The programs of `examples/`, each with its own assertions.

#[path = "../../examples/ball.rs"]
mod ball;
#[path = "../../examples/four_bar.rs"]
mod four_bar;
#[path = "../../examples/own_joint.rs"]
mod own_joint;
#[path = "../../examples/own_law.rs"]
mod own_law;
#[path = "../../examples/own_solver.rs"]
mod own_solver;
#[path = "../../examples/slope.rs"]
mod slope;

#[test]
fn a_ball_bounces_and_comes_to_rest() {
    ball::main().unwrap();
}

#[test]
fn a_box_slides_down_a_slope() {
    slope::main().unwrap();
}

#[test]
fn a_four_bar_linkage_meets_its_stop() {
    four_bar::main().unwrap();
}

#[test]
fn a_law_of_ones_own_acts() {
    own_law::main().unwrap();
}

#[test]
fn a_joint_of_ones_own_holds() {
    own_joint::main().unwrap();
}

#[test]
fn a_solver_of_ones_own_solves() {
    own_solver::main().unwrap();
}

#[test]
fn examples_are_short() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !name.starts_with("bench_") {
            let lines = std::fs::read_to_string(entry.path()).unwrap().lines().count();
            assert!(lines <= 60, "{name} has {lines} lines");
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}
