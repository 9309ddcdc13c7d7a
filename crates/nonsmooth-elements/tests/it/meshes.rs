//! Meshes from files of Gmsh 4.15 (made by its own program) and by formula, and what no body can be made of.

use glam::DVec3;
use nonsmooth_elements::mesh::generate::{self, Blocks};
use nonsmooth_elements::mesh::{Element, Fault, Group, Mesh, gmsh};
use nonsmooth_testkit::Random;

const FILES: [(&str, &[u8]); 4] = [
    ("plate, text", include_bytes!("../meshes/plate-text.msh")),
    ("plate, binary", include_bytes!("../meshes/plate-binary.msh")),
    ("block, text", include_bytes!("../meshes/block-text.msh")),
    ("block, binary", include_bytes!("../meshes/block-binary.msh")),
];

/// Area or volume of the body.
fn measure(mesh: &Mesh) -> f64 {
    let of = |element: &Element| {
        let (kind, places) = (element.kind(), mesh.places(element));
        (kind.points)().iter().map(|p| p.weight * kind.map(p.at, &places).measure).sum::<f64>()
    };
    mesh.body().map(of).sum()
}

/// Area or length of a group of sides.
fn size_of(mesh: &Mesh, group: &str) -> f64 {
    let of = |side: &Element| {
        let (kind, places) = (side.kind(), mesh.places(side));
        (kind.points)().iter().map(|p| p.weight * kind.map_side(p.at, &places).2.length()).sum::<f64>()
    };
    mesh.sides_of(group).expect("it is valid").iter().map(of).sum()
}

#[test]
fn files_of_gmsh_are_read() {
    for (name, bytes) in FILES {
        let mesh = gmsh::read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(mesh.faults(), [], "{name}");
        if name.starts_with("plate") {
            assert_eq!(mesh.dim(), 2);
            assert!(mesh.body().all(|e| e.cell == "triangle6"), "{name}");
            assert!((measure(&mesh) - 2.0).abs() < 1e-12, "{name}: {}", measure(&mesh));
            for (group, length) in [("bottom", 2.0), ("top", 2.0), ("left", 1.0), ("right", 1.0)] {
                assert!((size_of(&mesh, group) - length).abs() < 1e-12, "{name}: {group}");
            }
            let corner = mesh.nodes_of("corner").expect("it is valid");
            assert_eq!(corner.len(), 1, "{name}");
            assert_eq!(mesh.nodes[corner[0] as usize], DVec3::ZERO, "{name}");
            assert_eq!(mesh.groups["steel plate"].elements.len(), mesh.body().count(), "{name}");
        } else {
            let cell = if name.ends_with("text") { "tet4" } else { "tet10" };
            assert!(mesh.body().all(|e| e.cell == cell), "{name}");
            assert!((measure(&mesh) - 1.0).abs() < 1e-12, "{name}: {}", measure(&mesh));
            assert!((size_of(&mesh, "bottom") - 1.0).abs() < 1e-12, "{name}");
        }
    }
    let [text, binary] = [FILES[0].1, FILES[1].1].map(|bytes| gmsh::read(bytes).expect("it is valid"));
    assert_eq!(text.elements, binary.elements);
    assert_eq!(text.groups, binary.groups);
}

/// The text file with one change, and the error it gives.
fn edited(from: &str, to: &str) -> String {
    let text = String::from_utf8(FILES[0].1.to_vec()).expect("it is valid");
    assert!(text.contains(from), "{from}");
    gmsh::read(text.replacen(from, to, 1).as_bytes()).expect_err("it is wrong").to_string()
}

#[test]
fn wrong_files_are_refused_with_their_place() {
    assert_eq!(
        edited("4.1 0 8", "2.2 0 8"),
        "line 2: this is version 2.2 of the format; version 4.1 is read: save it with `gmsh -format msh41`"
    );
    assert!(edited("0 6 \"corner\"", "0 six \"corner\"").starts_with("line 6: a physical name needs"));
    assert!(edited("4 4 1 0", "4 4 1 99999999999").contains("99999999999 entities are declared"));
    assert!(edited("$EndNodes", "$EndNods").contains("`$EndNods` where `$EndNodes` was due"));
    assert!(edited("$Nodes", "Nodes").contains("where a section like `$Nodes` begins"));
    let text = String::from_utf8(FILES[0].1.to_vec()).expect("it is valid");
    let nodes =
        text.lines().skip_while(|line| *line != "$Nodes").nth(1).expect("it is valid").to_owned();
    assert!(
        edited(&nodes, "9 18446744073709551615 1 9")
            .contains("nodes are declared, and the file has no room")
    );
    // The type of the first block of lines.
    assert!(
        edited("\n1 1 8 ", "\n1 1 36 ").contains("of type 36, which is not known; there are: 1 (line2)")
    );
    assert!(gmsh::read(b"").expect_err("it is wrong").to_string().contains("no `$MeshFormat`"));
    assert!(
        gmsh::read(b"solid cube\n")
            .expect_err("it is wrong")
            .to_string()
            .contains("`solid cube` where a section")
    );
}

#[test]
fn broken_bytes_never_panic() {
    let mut random = Random::new(4);
    for (_, bytes) in FILES {
        for _ in 0..400 {
            let mut broken = bytes.to_vec();
            for _ in 0..random.count(1, 8) {
                let place = random.below(broken.len());
                broken[place] = random.bits() as u8;
            }
            broken.truncate(random.below(broken.len()) + 1);
            if let Ok(mesh) = gmsh::read(&broken) {
                mesh.faults();
            }
        }
    }
}

#[test]
fn meshes_by_formula_fill_their_shape() {
    let corner = DVec3::new(1.0, -2.0, 0.5);
    for (cell, size) in [("quad4", 6.0), ("quad8", 6.0), ("triangle3", 6.0), ("triangle6", 6.0)] {
        let (blocks, _) = Blocks::of(cell).expect("it is valid");
        let mesh = generate::rectangle(corner.with_z(0.0), [3.0, 2.0], [4, 3], blocks);
        assert_eq!(mesh.faults(), [], "{cell}");
        assert!(mesh.body().all(|e| e.cell == cell));
        assert!((measure(&mesh) - size).abs() < 1e-12, "{cell}");
        assert!(
            (size_of(&mesh, "boundary") - 10.0).abs() < 1e-12
                && (size_of(&mesh, "left") - 2.0).abs() < 1e-12
        );
    }
    for cell in ["hex8", "hex20", "tet4", "tet10"] {
        let (blocks, _) = Blocks::of(cell).expect("it is valid");
        let mesh = generate::block(corner, [3.0, 2.0, 1.0], [3, 2, 2], blocks);
        assert_eq!(mesh.faults(), [], "{cell}");
        assert!((measure(&mesh) - 6.0).abs() < 1e-12, "{cell}: {}", measure(&mesh));
        assert!((size_of(&mesh, "boundary") - 22.0).abs() < 1e-12, "{cell}");
        for (group, area) in [("left", 2.0), ("back", 3.0), ("top", 6.0)] {
            assert!((size_of(&mesh, group) - area).abs() < 1e-12, "{cell} {group}");
        }
    }
    let turn = std::f64::consts::TAU;
    let disc = generate::disc(DVec3::X, [0.0, 2.0], [0.0, turn], [4, 40], Blocks::Split);
    assert_eq!(disc.faults(), []);
    // Polygons of 40 corners.
    let area = |r: f64, n: f64| 0.5 * n * r * r * (turn / n).sin();
    assert!((measure(&disc) - area(2.0, 40.0)).abs() < 1e-12);
    assert_eq!(disc.sides_of("rim").expect("it is valid").len(), 40);
    let ring =
        generate::disc(DVec3::ZERO, [1.0, 2.0], [0.0, 0.5 * turn], [3, 30], Blocks::WholeQuadratic);
    assert_eq!(ring.faults(), []);
    assert!((measure(&ring) - 0.5 * (area(2.0, 60.0) - area(1.0, 60.0))).abs() < 1e-12);
    assert!(
        (size_of(&ring, "first") - 1.0).abs() < 1e-12 && (size_of(&ring, "last") - 1.0).abs() < 1e-12
    );
    assert_eq!(ring.sides_of("rim").expect("it is valid").len(), 30);
}

fn squares() -> Mesh {
    generate::rectangle(DVec3::ZERO, [2.0, 1.0], [2, 1], Blocks::Whole)
}

#[test]
fn meshes_without_a_body_are_refused() {
    let faults = |change: fn(&mut Mesh)| {
        let mut mesh = squares();
        change(&mut mesh);
        mesh.faults()
    };
    assert_eq!(Mesh::default().faults(), [Fault::Empty]);
    assert!(matches!(
        faults(|m| m.elements[0].nodes.swap(1, 3))[..],
        [Fault::Inverted { element: 1, .. }]
    ));
    assert!(matches!(
        faults(|m| m.elements[0].nodes.swap(1, 2))[..],
        [Fault::Inverted { element: 1, .. }]
    ));
    assert_eq!(
        faults(|m| m.elements[1].nodes[2] = m.elements[1].nodes[1]),
        [Fault::Loose { node: 6, count: 1 }]
    );
    assert!(
        faults(|m| m.elements[0].nodes[2] = m.elements[0].nodes[1])
            .contains(&Fault::SameNode { element: 1, node: 2 })
    );
    assert_eq!(faults(|m| m.nodes[2].y = f64::NAN), [Fault::NotFinite { node: 3 }]);
    assert_eq!(faults(|m| m.nodes[2].z = 0.1), [Fault::OutOfPlane { node: 3, z: 0.1 }]);
    assert_eq!(faults(|m| m.nodes.push(DVec3::X)), [Fault::Loose { node: 7, count: 1 }]);
    let repeated = faults(|m| m.elements.push(m.elements[1].clone()));
    assert!(repeated.contains(&Fault::Repeated { first: 2, second: m_len() }), "{repeated:?}");
    let flat = faults(|m| m.nodes.iter_mut().for_each(|x| x.y = 0.0));
    assert!(matches!(flat[0], Fault::Flat { element: 1, .. }), "{flat:?}");
    for fault in repeated.iter().chain(&flat) {
        assert!(fault.to_string().contains("element"), "{fault}");
    }
}

/// Elements of the mesh of squares with its sides, and one more.
fn m_len() -> usize {
    squares().elements.len() + 1
}

#[test]
fn sides_look_outwards_however_the_file_has_them() {
    let mut mesh = gmsh::read(FILES[0].1).expect("it is valid");
    // The other way round, as a file may have them.
    for element in &mut mesh.elements {
        if element.cell == "line3" {
            element.nodes.swap(0, 1);
        }
    }
    for (group, outside) in [("top", DVec3::Y), ("bottom", DVec3::NEG_Y), ("left", DVec3::NEG_X)] {
        for side in mesh.sides_of(group).expect("it is valid") {
            let normal = side.kind().map_side([0.0; 3], &mesh.places(&side)).2;
            assert!(normal.dot(outside) > 0.999 * normal.length(), "{group}: {normal}");
        }
    }
}

#[test]
fn groups_name_nodes_and_sides() {
    let mut mesh = squares();
    assert_eq!(mesh.nodes_of("left"), Some(vec![0, 3]));
    assert_eq!(mesh.nodes_of("nowhere"), None);
    mesh.groups.insert("one".to_owned(), Group { elements: vec![], nodes: vec![4] });
    assert_eq!(
        (mesh.nodes_of("one"), mesh.sides_of("one").expect("it is valid").len()),
        (Some(vec![4]), 0)
    );
}
