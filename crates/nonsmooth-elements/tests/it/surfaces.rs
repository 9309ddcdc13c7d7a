//! What of a surface belongs to a node, by how much cells turn, and cells that grow.

use glam::DVec3;
use nonsmooth_elements::Body;
use nonsmooth_elements::elements::formulation;
use nonsmooth_elements::mesh::{Mesh, generate};
use nonsmooth_solvers::Options;
use std::f64::consts::PI;

/// A body of a formulation with numbers that matter to nothing here.
fn body(name: &str, mesh: Mesh) -> Body {
    let entry = formulation(name).expect("it is in the list");
    let mut options = Options::default();
    for option in entry.options.iter().filter(|o| o.default.is_empty()) {
        options = options.with(option.name, if option.name == "poisson" { 0.3 } else { 2.0 });
    }
    Body::new(mesh, entry.build(&options).expect("they are valid"), entry.cells).expect("it is valid")
}

fn blocks(cell: &str) -> generate::Blocks {
    generate::Blocks::of(cell).expect("it is a cell").0
}

/// Areas of the nodes add up to that of the surface; the hat of a ring about the axis has the closed form of its integral.
#[test]
fn areas_of_nodes_are_the_integrals_of_their_shape_functions() {
    for cell in ["quad4", "quad8", "triangle3", "triangle6"] {
        let mesh = generate::rectangle(DVec3::ZERO, [2.0, 1.0], [4, 3], blocks(cell));
        let areas = body("plane-strain", mesh).areas("top").expect("the group is there");
        let whole: f64 = areas.iter().map(|(_, area)| area).sum();
        assert!((whole - 2.0).abs() < 1e-14, "{cell}: {whole}");
        assert_eq!(areas.len(), if cell.ends_with(['4', '3']) { 5 } else { 9 });
    }
    let mut mesh = generate::rectangle(DVec3::ZERO, [2.0, 1.0], [4, 3], blocks("quad4"));
    generate::grade(&mut mesh, DVec3::ZERO, &[2.0, 1.0], &[4, 3], &[27.0, 1.0]);
    let places: Vec<f64> = [0.0, 1.0, 4.0, 13.0, 40.0].map(|x| x / 20.0).to_vec();
    let round = body("axisymmetric", mesh);
    let areas = round.areas("top").expect("the group is there");
    for (k, &(node, area)) in areas.iter().enumerate() {
        let r = places[k];
        assert!((round.mesh.nodes[node as usize].x - r).abs() < 1e-14, "{k}");
        // ∫ N 2πr dr from a neighbour at s: π |r − s| (2r + s)/3.
        let part = |s: &f64| PI * (r - s).abs() * (2.0 * r + s) / 3.0;
        let exact: f64 = [k.checked_sub(1), Some(k + 1)]
            .iter()
            .flatten()
            .filter_map(|&j| places.get(j))
            .map(part)
            .sum();
        assert!((area - exact).abs() < 1e-13, "{k}: {area} for {exact}");
    }
    let line = generate::line(DVec3::ZERO, DVec3::new(3.0, 4.0, 0.0), 5);
    let beam = body("beam-plane", line);
    let lengths: Vec<f64> = beam.areas("line").expect("there").iter().map(|(_, x)| *x).collect();
    assert!(
        lengths.iter().zip([0.5, 1.0, 1.0, 1.0, 1.0, 0.5]).all(|(x, exact)| (x - exact).abs() < 1e-14)
    );
    assert_eq!(beam.areas("end").expect("there"), [(5, 0.0)]);
    assert!(beam.areas("nothing").is_none());
}

/// A small rigid rotation has its angle in every cell of every formulation, and a translation or a stretch none.
#[test]
fn cells_turn_by_the_angle_of_a_rigid_rotation() {
    let flat = |cell| generate::rectangle(DVec3::new(0.5, 0.0, 0.0), [2.0, 1.0], [4, 3], blocks(cell));
    let solid = |cell| generate::block(DVec3::ZERO, [2.0, 1.0, 0.5], [2, 3, 2], blocks(cell));
    let line = |to| generate::line(DVec3::ZERO, to, 3);
    let cases = [
        ("plane-strain", flat("quad4")),
        ("plane-stress", flat("triangle6")),
        ("axisymmetric", flat("quad8")),
        ("solid", solid("hex8")),
        ("solid", solid("tet10")),
        ("bar-plane", line(DVec3::new(1.0, 2.0, 0.0))),
        ("beam-plane", line(DVec3::new(1.0, 2.0, 0.0))),
        ("bar", line(DVec3::new(1.0, 2.0, 3.0))),
        ("beam", line(DVec3::new(1.0, 2.0, 3.0))),
    ];
    for (name, mesh) in cases {
        let body = body(name, mesh);
        let (rows, n) = body.angles().expect("it can turn");
        let (components, n_displacements) = (body.formulation().components(), body.n_displacements());
        // A bar does not know how it turns about itself.
        let along = (body.mesh.nodes[1] - body.mesh.nodes[0]).normalize();
        let omega = if n_displacements == 2 {
            DVec3::new(0.0, 0.0, 0.01)
        } else {
            DVec3::new(0.003, -0.01, 0.005)
        };
        let seen = if name == "bar" { omega - omega.dot(along) * along } else { omega };
        let displaced = |u: &dyn Fn(DVec3) -> DVec3, turn: DVec3| -> Vec<f64> {
            let of = |x: &DVec3| {
                let (u, x) = (u(*x), turn);
                let value = |c: &&str| match *c {
                    "x" => u.x,
                    "y" => u.y,
                    "z" => u.z,
                    "r" | "r_z" => x.z,
                    "r_x" => x.x,
                    _ => x.y,
                };
                components.iter().map(value).collect::<Vec<f64>>()
            };
            body.mesh.nodes.iter().flat_map(of).collect()
        };
        let of = |u: &[f64]| -> Vec<f64> { (0..rows.n_rows()).map(|i| rows.row_dot(i, u)).collect() };
        let exact = if n == 3 { seen.to_array().to_vec() } else { vec![seen.z] };
        let found = of(&displaced(&|x| omega.cross(x), omega));
        assert!(
            found.chunks(n).all(|part| part.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-15)),
            "{name}"
        );
        let still = of(&displaced(&|_| DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO));
        assert!(still.iter().all(|x| x.abs() < 1e-13), "{name}");
        if name != "axisymmetric" {
            let stretched = of(&displaced(&|x| 0.1 * x, DVec3::ZERO));
            assert!(stretched.iter().all(|x| x.abs() < 1e-14), "{name}");
        }
    }
    assert!(body("bar-line", line(DVec3::X)).angles().is_none());
}

/// Cells grow by the same factor, their sides stay groups, middles stay in the middle.
#[test]
fn cells_grow_towards_the_last() {
    let corner = DVec3::new(-1.0, 2.0, 0.5);
    let (size, cells) = ([2.0, 1.0, 3.0], [4, 3, 2]);
    let mut mesh = generate::block(corner, size, cells, blocks("hex20"));
    let before = mesh.groups.clone();
    generate::grade(&mut mesh, corner, &size, &cells, &[8.0, 0.25, 1.0]);
    assert_eq!(mesh.groups, before);
    assert_eq!(mesh.faults(), []);
    let mut places: Vec<f64> = mesh.nodes.iter().map(|x| x.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    let steps: Vec<f64> = places.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(steps.len(), 8, "corners and middles");
    for pair in steps.chunks(2) {
        assert!((pair[0] - pair[1]).abs() < 1e-14);
    }
    assert!((steps[6] / steps[0] - 8.0).abs() < 1e-12 && (steps[2] / steps[0] - 2.0).abs() < 1e-12);
    for (group, axis, at) in [("right", 0, 1.0), ("front", 1, 3.0), ("top", 2, 3.5)] {
        let nodes = mesh.nodes_of(group).expect("it is there");
        assert!(nodes.iter().all(|&a| (mesh.nodes[a as usize][axis] - at).abs() < 1e-14), "{group}");
    }
}
