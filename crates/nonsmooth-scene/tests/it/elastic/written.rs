//! What results hold of elastic bodies: stress, pressure and slip against closed forms, in HDF5, in files for ParaView and in pictures.

use crate::from_text;
use nonsmooth_scene::store::Reader;
use nonsmooth_scene::{Playback, PlaybackError, RESULT_FILE, RunOptions, Shot, Start, run};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Runs a scene into an empty folder.
fn written(name: &str, text: &str) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elastic").join(name);
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(&out).expect("the folder can be made");
    let flag = AtomicBool::new(false);
    let options = RunOptions {
        out: &out,
        start: Start::New,
        stop: &flag,
        save: &flag,
        progress: &mut |_| {},
        clock: &|| [0.0; 2],
    };
    run(from_text(text).unwrap_or_else(|error| panic!("{error}")), options)
        .unwrap_or_else(|error| panic!("{error}"));
    out
}

/// A block that slides on a floor under its weight and a pressure, at the velocity of its top; ν = 0, so that nothing bulges.
const BLOCK: &str = r#"
[world]
gravity = [0, -10]
[[mesh]]
name = "block"
shape = "rectangle"
size = [0.2, 0.1]
cells = [5, 4]
cell = "CELL"
[[system.elastic]]
name = "block"
mesh = "block"
material = { type = "plane-strain", young = 1e9, poisson = 0, density = 1000 }
damping = [0, 1e-3]
load = [{ group = "top", pressure = 3000 }]
velocity = [0.4, 0]
contact = [{ group = "bottom", with = "floor", law = "smooth" }]
[[body]]
name = "floor"
shape = { type = "half-plane", normal = [0, 1] }
fixed = true
[law.smooth]
type = "coulomb"
friction = 0
[integrator]
type = "moreau-jean"
theta = 1
[solver]
type = "auto"
tolerance = 1e-12
[run]
end = 0.04
step_size = 1e-3
[output]
every = 10
plots = false
vtk = true
"#;

#[test]
fn stress_and_pressure_of_a_block_are_those_of_its_weight() {
    for cell in ["quad4", "quad8", "triangle6"] {
        let out = written(cell, &BLOCK.replace("CELL", cell));
        let reader = Reader::open(out.join(RESULT_FILE)).expect("readable");
        let (nodes, values) = (
            reader.floats("elastic_nodes").expect("there"),
            reader.floats("elastic_values").expect("there"),
        );
        let n = nodes.values.len() / 4;
        assert_eq!(values.values.len() / 15, 5 * n, "five frames");
        assert_eq!(reader.texts()["elastic_bodies"], "block");
        assert_eq!(reader.texts()["elastic_stresses"], "s_xx,s_yy,s_zz,s_xy,s_yz,s_xz");
        let quadratic = cell != "quad4";
        let last = &values.values[4 * n * 15..];
        for (node, row) in nodes.values.chunks(4).zip(last.chunks(15)) {
            let y = node[2];
            let pressure = 3000.0 + 1000.0 * 10.0 * (0.1 - y);
            // Linear cells have the stress of their middle, by half a cell too much or too little.
            // What a solve leaves of a velocity is a gap: at 1e-12 of the first, 1e-4 Pa.
            let step = if quadratic { 1e-3 } else { 0.5 * 1e4 * 0.025 + 1.0 };
            assert!(
                (row[7] + pressure).abs() < step,
                "{cell}: s_yy {} for {} at {y}",
                row[7],
                -pressure
            );
            assert!((row[12] - row[7].abs()).abs() < step, "{cell}: mises {}", row[12]);
            let carries = if y == 0.0 { 4000.0 } else { 0.0 };
            assert!((row[13] - carries).abs() < 1e-2, "{cell}: pressure {} for {carries}", row[13]);
            let slides = if y == 0.0 { 0.4 } else { 0.0 };
            assert!((row[14] - slides).abs() < 1e-9, "{cell}: slip {}", row[14]);
            assert!((row[3] - 0.4 * 0.04).abs() < 1e-9, "{cell}: u_x {}", row[3]);
        }
        // The first frame has no step behind it.
        assert!(values.values[..n * 15].chunks(15).all(|row| row[13] == 0.0 && row[14] == 0.0));
        assert_paraview(&out, n);
        assert_pictures(&out);
    }
}

fn assert_paraview(out: &Path, n: usize) {
    let listed = std::fs::read_to_string(out.join("vtk/run_elastic.pvd")).expect("there");
    assert_eq!(listed.matches("<DataSet").count(), 5);
    let bytes = std::fs::read(out.join("vtk/run_elastic_000004.vtp")).expect("there");
    let begin = bytes.windows(2).position(|w| w == b"\n_").expect("appended data") + 2;
    let head = String::from_utf8_lossy(&bytes[..begin]).into_owned();
    assert!(head.contains(&format!("NumberOfPoints=\"{n}\"")), "{head}");
    let array = |name: &str| -> Vec<f64> {
        let line = head
            .lines()
            .find(|line| line.contains(&format!("Name=\"{name}\"")))
            .expect("the array is there");
        let offset: usize = line
            .split("offset=\"")
            .nth(1)
            .and_then(|r| r.split('"').next())
            .and_then(|x| x.parse().ok())
            .expect("a number");
        let at = begin + offset;
        let size = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight")) as usize;
        bytes[at + 8..at + 8 + size]
            .chunks(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("eight")))
            .collect()
    };
    let pressure = array("pressure");
    assert_eq!(pressure.len(), n);
    assert!(pressure.iter().all(|p| p.abs() < 0.01 || (p - 4000.0).abs() < 0.01), "{pressure:?}");
    assert_eq!(array("stress").len(), 6 * n);
    assert_eq!(array("Points").len(), 3 * n);
}

fn assert_pictures(out: &Path) {
    let playback = Playback::open(out).expect("readable");
    let shot = |colour: Option<&str>| Shot {
        size: (160, 120),
        direction: None,
        forces: false,
        colour: colour.map(str::to_owned),
        exaggerated: 100.0,
    };
    let pictures = [None, Some("s_yy"), Some("pressure"), Some("displacement")]
        .map(|c| playback.draw(4, &shot(c)).expect("drawn"));
    assert!(pictures.iter().all(|picture| picture.n_left_out == 0));
    assert_ne!(pictures[1], pictures[2]);
    let error = playback.draw(4, &shot(Some("temperature"))).expect_err("nothing of that name");
    assert!(
        matches!(&error, PlaybackError::NoQuantity { known, .. } if known.contains("s_xy")),
        "{error}"
    );
}
