//! Patch tests: on meshes whose inner nodes stand anywhere a linear displacement is a solution of every formulation of continua, with its
//! stresses. Rigid motions have no forces, masses are whole, and a turned mesh has turned matrices.

use crate::statics::{hold, solve};
use glam::{DMat3, DVec3};
use nonsmooth_elements::elements::formulation;
use nonsmooth_elements::mesh::{Mesh, generate};
use nonsmooth_elements::{Body, MassKind};
use nonsmooth_solvers::Options;
use nonsmooth_testkit::Random;

const NU: f64 = 0.3;
const YOUNG: f64 = 2.0e9;

/// A mesh of these cells whose corners inside are moved at random; x > 0, so that it may be a body of revolution.
fn distorted(cell: &str, seed: u64) -> Mesh {
    let (blocks, dim) = generate::Blocks::of(cell).expect("it is valid");
    let corner = DVec3::new(0.5, 0.0, 0.0);
    let linear = if dim == 2 {
        generate::rectangle(corner, [2.0, 1.0], [4, 3], blocks)
    } else {
        generate::block(corner, [1.0, 1.2, 0.8], [3, 2, 2], blocks)
    };
    let mut random = Random::new(seed);
    let mut mesh = linear;
    let boundary = mesh.nodes_of("boundary").expect("it is valid");
    let mut moved = mesh.nodes.clone();
    let mut is_corner = vec![false; moved.len()];
    for element in mesh.body() {
        element.nodes[..element.kind().n_corners].iter().for_each(|&a| is_corner[a as usize] = true);
    }
    for (a, x) in moved.iter_mut().enumerate() {
        if is_corner[a] && !boundary.contains(&(a as u32)) {
            let by = DVec3::from(random.vector(0.06));
            *x += if dim == 2 { DVec3::new(by.x, by.y, 0.0) } else { by };
        }
    }
    // Middles follow their corners: sides stay straight, as the test asks.
    for element in &mesh.elements {
        let kind = element.kind();
        for (k, &a) in element.nodes.iter().enumerate().skip(kind.n_corners) {
            let ends: Vec<usize> = (0..kind.n_corners)
                .filter(|&c| {
                    let to = |x: [f64; 3]| DVec3::from(x);
                    let (c, m) = (to(kind.nodes[c]), to(kind.nodes[k]));
                    let length =
                        if kind.nodes.iter().flatten().all(|x| *x >= 0.0) { 0.71 } else { 1.01 };
                    (c - m).length() < length
                        && (kind.nodes.iter().flatten().any(|x| *x < 0.0) || is_end(c, m))
                })
                .collect();
            assert_eq!(ends.len(), 2, "{} node {k}", kind.name);
            moved[a as usize] =
                moved[element.nodes[ends[0]] as usize].midpoint(moved[element.nodes[ends[1]] as usize]);
        }
    }
    mesh.nodes = moved;
    mesh
}

/// Whether a corner of a simplex is an end of the edge with this middle.
fn is_end(corner: DVec3, middle: DVec3) -> bool {
    let bary = |x: DVec3| [1.0 - x.x - x.y - x.z, x.x, x.y, x.z];
    let (c, m) = (bary(corner), bary(middle));
    (0..4).any(|i| c[i] == 1.0 && m[i] == 0.5)
}

fn body(name: &str, mesh: Mesh) -> Body {
    let entry = formulation(name).expect("it is valid");
    let mut options =
        Options::default().with("young", YOUNG).with("density", 3000.0).with("poisson", NU);
    if entry.options.iter().any(|option| option.name == "thickness") {
        options = options.with("thickness", 0.25);
    }
    Body::new(mesh, entry.build(&options).expect("it is valid"), entry.cells).expect("it is valid")
}

/// A displacement that is linear in x and its stresses.
fn linear(name: &str) -> (impl Fn(DVec3) -> DVec3, [f64; 6]) {
    let (lambda, mu) = (YOUNG * NU / ((1.0 + NU) * (1.0 - 2.0 * NU)), YOUNG / (2.0 * (1.0 + NU)));
    let slope = match name {
        // Of a body of revolution only u_r = a r and u_z = b z + c r is in balance without forces; c gives shear that grows with 1/r.
        "axisymmetric" => DMat3::from_diagonal(DVec3::new(1e-3, -5e-4, 0.0)),
        "solid" => DMat3::from_cols_array(&[1e-3, 2e-4, -3e-4, 5e-4, -4e-4, 6e-4, 1e-4, 7e-4, 8e-4]),
        _ => DMat3::from_cols_array(&[1e-3, 2e-4, 0.0, 5e-4, -4e-4, 0.0, 0.0, 0.0, 0.0]),
    };
    let strain = 0.5 * (slope + slope.transpose());
    let (xx, yy) = (strain.x_axis.x, strain.y_axis.y);
    let zz = match name {
        "axisymmetric" => 1e-3,
        "plane-stress" => -NU / (1.0 - NU) * (xx + yy),
        _ => strain.z_axis.z,
    };
    let shear = |g: f64| 2.0 * mu * g;
    let normal = |e: f64| lambda * (xx + yy + zz) + 2.0 * mu * e;
    let z = if name == "plane-stress" { 0.0 } else { normal(zz) };
    let stress = [
        normal(xx),
        normal(yy),
        z,
        shear(strain.y_axis.x),
        shear(strain.z_axis.y),
        shear(strain.z_axis.x),
    ];
    (move |x: DVec3| slope * x, stress)
}

#[test]
fn linear_displacements_are_found_on_distorted_meshes() {
    let mut seed = 10;
    for name in ["plane-stress", "plane-strain", "axisymmetric", "solid"] {
        for &cell in formulation(name).expect("it is valid").cells {
            seed += 1;
            let body = body(name, distorted(cell, seed));
            let (exact, stress) = linear(name);
            let c = body.n_components();
            let boundary = body.mesh.nodes_of("boundary").expect("it is valid");
            let held: Vec<(usize, f64)> = boundary
                .iter()
                .flat_map(|&a| (0..c).map(move |i| (a, i)))
                .map(|(a, i)| (body.coordinate(a, i), exact(body.mesh.nodes[a as usize])[i]))
                .collect();
            assert!(held.len() < body.n(), "{name} {cell}: nodes inside");
            let u = solve(&body.stiffness(), &vec![0.0; body.n()], &held);
            for (a, &x) in body.mesh.nodes.iter().enumerate() {
                for i in 0..c {
                    let error = (u[a * c + i] - exact(x)[i]).abs();
                    assert!(error < 1e-14, "{name} {cell}: node {a} off by {error:e} of 1e-3");
                }
            }
            for (a, found) in body.stresses(&u).iter().enumerate() {
                for k in 0..6 {
                    let error = (found[k] - stress[k]).abs();
                    // E times rounding of the slopes.
                    assert!(
                        error < 1e-11 * YOUNG * 1e-3,
                        "{name} {cell}: stress {k} at node {a}: {found:?}, {stress:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn rigid_motions_have_no_forces_and_the_mass_is_whole() {
    for name in ["plane-stress", "plane-strain", "axisymmetric", "solid"] {
        for &cell in formulation(name).expect("it is valid").cells {
            let body = body(name, distorted(cell, 3));
            let c = body.n_components();
            let stiffness = body.stiffness();
            let rotation: &[DVec3] = match name {
                "axisymmetric" => &[],
                "solid" => &[DVec3::X, DVec3::Y, DVec3::Z],
                _ => &[DVec3::Z],
            };
            let ways = if name == "axisymmetric" { vec![DVec3::Y] } else { DVec3::AXES[..c].to_vec() };
            let motions = ways.iter().map(|&way| (way, DVec3::ZERO));
            for (way, turn) in motions.chain(rotation.iter().map(|&turn| (DVec3::ZERO, turn))) {
                let at = |x: DVec3| way + turn.cross(x);
                let u: Vec<f64> =
                    body.mesh.nodes.iter().flat_map(|&x| at(x).to_array()[..c].to_vec()).collect();
                let mut force = vec![0.0; body.n()];
                stiffness.multiply(&u, &mut force);
                let worst = force.iter().fold(0.0, |worst: f64, f| worst.max(f.abs()));
                // Rounding of sums of some twenty entries.
                let size = stiffness.value.iter().fold(0.0, |size: f64, k| size.max(k.abs()));
                assert!(worst < 1e-14 * size, "{name} {cell}: {worst} N for {way}, {turn}");
            }
            let volume = match name {
                "axisymmetric" => std::f64::consts::PI * (2.5f64.powi(2) - 0.25),
                "solid" => 0.96,
                _ => 2.0 * 0.25,
            };
            for kind in [MassKind::Consistent, MassKind::Lumped] {
                let mass = body.mass(kind);
                for i in 0..c {
                    let way: Vec<f64> = (0..body.n()).map(|j| f64::from(u8::from(j % c == i))).collect();
                    let total = mass.form(&way, &way);
                    assert!(
                        (total / (3000.0 * volume) - 1.0).abs() < 1e-12,
                        "{name} {cell} {kind:?}: {total}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_turned_mesh_has_turned_matrices() {
    let turn = DMat3::from_quat(glam::DQuat::from_xyzw(0.2, -0.5, 0.4, 0.7).normalize());
    let mesh = distorted("tet10", 5);
    let mut turned = mesh.clone();
    turned.nodes.iter_mut().for_each(|x| *x = turn * *x);
    let (straight, turned) = (body("solid", mesh).stiffness(), body("solid", turned).stiffness());
    let mut random = Random::new(6);
    let u = random.signed_vector(straight.n_rows());
    let rotate = |u: &[f64]| -> Vec<f64> {
        u.chunks(3).flat_map(|u| (turn * DVec3::from_slice(u)).to_array()).collect()
    };
    let (mut force, mut other) = (vec![0.0; u.len()], vec![0.0; u.len()]);
    straight.multiply(&u, &mut force);
    turned.multiply(&rotate(&u), &mut other);
    let scale = force.iter().fold(0.0, |s: f64, f| s.max(f.abs()));
    for (a, b) in rotate(&force).iter().zip(&other) {
        assert!((a - b).abs() < 1e-12 * scale, "{a} and {b}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let body = body("solid", distorted("hex20", 8));
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("it is valid");
        pool.install(|| body.stiffness())
    };
    assert_eq!(by(1), by(3));
}

#[test]
fn tractions_add_up_to_force_and_moment() {
    let body = body("solid", distorted("tet10", 9));
    let load = body
        .traction("top", nonsmooth_elements::Traction::Force(DVec3::new(1.0, 2.0, -3.0)))
        .expect("it is valid");
    let total = load.chunks(3).map(DVec3::from_slice).sum::<DVec3>();
    // The top is 1 m × 1.2 m.
    assert!((total - 1.2 * DVec3::new(1.0, 2.0, -3.0)).length() < 1e-13, "{total}");
    let pressure =
        body.traction("boundary", nonsmooth_elements::Traction::Pressure(7.0)).expect("it is valid");
    let total = pressure.chunks(3).map(DVec3::from_slice).sum::<DVec3>();
    assert!(total.length() < 1e-13, "a pressure all around has no resultant: {total}");
    assert!(body.traction("nowhere", nonsmooth_elements::Traction::Pressure(1.0)).is_none());
}

#[test]
fn a_body_that_is_held_by_one_face_hangs_by_its_weight() {
    // σ_xx = ρ g (L − x) along a column with ν = 0: the end goes down by ρ g L²/2E.
    let mesh =
        generate::block(DVec3::ZERO, [2.0, 0.3, 0.3], [5, 1, 1], generate::Blocks::WholeQuadratic);
    let entry = formulation("solid").expect("it is valid");
    let options = Options::default().with("young", 1e7).with("density", 1000.0).with("poisson", 0.0);
    let body =
        Body::new(mesh, entry.build(&options).expect("it is valid"), entry.cells).expect("it is valid");
    let load = body.weight(&body.mass(MassKind::Consistent), DVec3::new(9.81, 0.0, 0.0));
    let held = hold(&body, "left", &[0, 1, 2]);
    let u = solve(&body.stiffness(), &load, &held);
    let end = body.mesh.nodes_of("right").expect("it is valid")[0];
    let exact = 1000.0 * 9.81 * 4.0 / 2.0 / 1e7;
    assert!((u[body.coordinate(end, 0)] / exact - 1.0).abs() < 1e-10);
}
