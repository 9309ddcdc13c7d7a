//! STL and OBJ: right files are read, wrong ones are refused with their place, none brings a panic.

use crate::random::Random;
use crate::samples::box_mesh;
use nonsmooth_geometry::files::{MeshFileError, Triangles, read_obj, read_stl};
use nonsmooth_geometry::spatial::Shape;

fn corners() -> Vec<[[f64; 3]; 3]> {
    let (points, triangles) = box_mesh([1.0, 2.0, 0.5]);
    triangles.iter().map(|t| t.map(|i| points[i as usize])).collect()
}

fn text_stl() -> String {
    let mut text = String::from("solid a box, exported\n");
    for [p, q, r] in corners() {
        text += "  facet normal 0 0 nan\n    outer loop\n";
        for [x, y, z] in [p, q, r] {
            text += &format!("      vertex {x} {y:e} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid a box\n"
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = b"solid in name only".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((corners().len() as u32).to_le_bytes());
    for triangle in corners() {
        bytes.extend([0; 12]);
        for x in triangle.iter().flatten() {
            bytes.extend((*x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj() -> String {
    let mut text = String::from("# a box\nmtllib none.mtl\no box\n");
    for [x, y, z] in box_mesh([1.0, 2.0, 0.5]).0 {
        text += &format!("v {x} {y} {z} 1.0\n");
    }
    // Quads, in every way a corner can be written.
    text += "s off\nf 1/1/1 3/2/1 4/3/1 2/4/1\nf 5//2 6//2 8//2 7//2\nf 1/1 2/2 6/3 5/4\n";
    text + "f -6 -2 -1 -5 # backwards\nf 1 5 7 \\\n  3\nf 2 4 8 6\n"
}

fn volume(mesh: &Triangles) -> f64 {
    let shape = Shape::mesh(&mesh.vertices, &mesh.triangles).expect("a sound surface");
    shape.mass_properties(1.0).expect("a closed surface").mass
}

#[test]
fn a_box_is_read_from_every_format() {
    let all = [read_stl(text_stl().as_bytes()), read_stl(&binary_stl()), read_obj(&obj())];
    for mesh in all {
        let mesh = mesh.unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12), "{mesh:?}");
        assert!((volume(&mesh) - 8.0).abs() < 1e-14);
    }
}

#[test]
fn two_solids_in_one_file_are_read() {
    let twice = text_stl() + "\n" + &text_stl() + "\n\n";
    assert_eq!(read_stl(twice.as_bytes()).unwrap().triangles.len(), 24);
}

#[test]
fn wrong_stl_files_are_refused_with_their_place() {
    let message = |bytes: &[u8]| read_stl(bytes).unwrap_err().to_string();
    assert_eq!(read_stl(b""), Err(MeshFileError::NotStl));
    assert_eq!(read_stl(b"solid\nendsolid\n"), Err(MeshFileError::Empty));
    let text = text_stl();
    assert!(
        message(&text.as_bytes()[..300]).starts_with("line "),
        "{}",
        message(&text.as_bytes()[..300])
    );
    let broken = text.replacen("vertex -1", "vertex x", 1);
    assert_eq!(message(broken.as_bytes()), "line 4: expected a number, found `x`");
    let broken = text.replacen("vertex -1", "vertex inf", 1);
    assert_eq!(message(broken.as_bytes()), "line 4: a coordinate is not finite");
    let broken = text.replacen("endloop", "vertex 0 0 0", 1);
    assert_eq!(message(broken.as_bytes()), "line 7: expected endloop, found `vertex`");
    let mut bytes = binary_stl();
    bytes[..5].copy_from_slice(b"-----");
    bytes.truncate(500);
    assert_eq!(read_stl(&bytes), Err(MeshFileError::Length { declared: 12, expected: 684, got: 500 }));
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(read_stl(&bytes), Err(MeshFileError::Length { declared: u32::MAX, .. })));
    let mut bytes = binary_stl();
    bytes[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(message(&bytes), "triangle 1, counted from 0: a coordinate is not finite");
}

#[test]
fn wrong_obj_files_are_refused_with_their_place() {
    let message = |text: &str| read_obj(text).unwrap_err().to_string();
    let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_eq!(message(""), "the file holds no triangles");
    assert_eq!(message("v 0 0\n"), "line 1: the file ends where three coordinates was expected");
    assert_eq!(message("v 0 0 abc\n"), "line 1: expected a number, found `abc`");
    assert!(
        message(&format!("{three}f 1 2 4\n"))
            .starts_with("line 4: vertex 4 does not exist; there are 3")
    );
    assert!(message(&format!("{three}f 0 1 2\n")).starts_with("line 4: vertex 0 does not exist"));
    assert!(message(&format!("{three}f -4 1 2\n")).starts_with("line 4: vertex -4 does not exist"));
    assert_eq!(
        message(&format!("{three}f 1 2\n")),
        "line 4: a face needs at least 3 corners, this one has 2"
    );
    assert!(message(&format!("{three}curv2 1 2\n")).starts_with("line 4: `curv2` is not supported"));
    assert!(
        message(&format!("{three}f 1 2 9999999999999999999999\n")).contains("expected a vertex number")
    );
    // Numbers may come before the vertices they name.
    assert!(read_obj(&format!("f 1 2 3\n{three}")).is_ok());
}

/// Files with bytes changed, cut out, doubled: an answer or an error, and a mesh or a refusal after it.
#[test]
fn damaged_files_bring_no_panic() {
    let mut random = Random::new(90);
    let originals = [text_stl().into_bytes(), binary_stl(), obj().into_bytes()];
    let mut n_read = 0;
    for round in 0..20_000 {
        let mut bytes = originals[round % 3].clone();
        for _ in 0..=random.below(4) {
            let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
            match random.below(5) {
                0 => bytes[at] = random.bits() as u8,
                1 => bytes[at] = b"0123456789 .-+eE/\n\\#fv"[random.below(22)],
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.drain(at.min(other)..at.max(other).min(at.min(other) + 40))),
                _ => {
                    let copy = bytes[at.min(other)..at.max(other).min(at.min(other) + 200)].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'v');
            }
        }
        let read = match round % 3 {
            2 => read_obj(&String::from_utf8_lossy(&bytes)),
            _ => read_stl(&bytes),
        };
        if let Ok(mesh) = read {
            n_read += 1;
            if let Ok(shape) = Shape::mesh(&mesh.vertices, &mesh.triangles) {
                let _ = shape.mass_properties(1.0);
            }
        }
    }
    assert!(n_read > 500, "{n_read}");
}
