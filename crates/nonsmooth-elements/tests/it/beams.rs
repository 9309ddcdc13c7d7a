//! Bars and beams against closed forms: deflections, shear, torsion, frequencies, inner forces.

use crate::statics::{frequencies, hold, solve};
use glam::{DMat3, DVec3};
use nonsmooth_elements::elements::formulation;
use nonsmooth_elements::mesh::generate;
use nonsmooth_elements::{Body, MassKind};
use nonsmooth_solvers::Options;
use nonsmooth_testkit::order::fitted_order;

const E: f64 = 210e9;
const RHO: f64 = 7800.0;
const L: f64 = 1.5;
/// A cross section of 40 mm (y) × 60 mm (z).
const B: f64 = 0.04;
const H: f64 = 0.06;

fn numbers(name: &str) -> Options {
    let (area, i_y, i_z) = (B * H, B * H.powi(3) / 12.0, H * B.powi(3) / 12.0);
    let all = [
        ("young", E),
        ("density", RHO),
        ("area", area),
        ("inertia", i_z),
        ("inertia_y", i_y),
        ("inertia_z", i_z),
        ("torsion", 1.2e5),
        ("shear", 5.0 / 6.0 * 80e9 * area),
    ];
    let entry = formulation(name).expect("it is valid");
    let own = all.iter().filter(|(key, _)| entry.options.iter().any(|option| option.name == *key));
    own.fold(Options::default(), |options, (key, value)| options.with(key, *value))
}

fn along(name: &str, way: DVec3, cells: usize) -> Body {
    let entry = formulation(name).expect("it is valid");
    let mesh = generate::line(DVec3::ZERO, L * way, cells);
    Body::new(mesh, entry.build(&numbers(name)).expect("it is valid"), entry.cells).expect("it is valid")
}

/// Displacement of the end of a cantilever under a force or moment there.
fn tip(body: &Body, component: usize, force: f64) -> Vec<f64> {
    let c = body.n_components();
    let mut load = vec![0.0; body.n()];
    load[body.n() - c + component] = force;
    let held = hold(body, "start", &(0..c).collect::<Vec<_>>());
    let u = solve(&body.stiffness(), &load, &held);
    u[body.n() - c..].to_vec()
}

#[test]
fn a_cantilever_bends_as_it_must_with_one_element() {
    let inertia = H * B.powi(3) / 12.0;
    let slender = 1e3 * L.powi(3) / (3.0 * E * inertia);
    let shear = 1e3 * L / (5.0 / 6.0 * 80e9 * B * H);
    for (name, exact) in [("beam-plane", slender), ("timoshenko-plane", slender + shear)] {
        for cells in [1, 3] {
            let end = tip(&along(name, DVec3::X, cells), 1, 1e3);
            assert!((end[1] / exact - 1.0).abs() < 1e-10, "{name}: {} for {exact}", end[1]);
            let slope = 1e3 * L * L / (2.0 * E * inertia);
            assert!((end[2] / slope - 1.0).abs() < 1e-10, "{name}: slope {} for {slope}", end[2]);
        }
    }
}

#[test]
fn a_beam_in_space_bends_about_both_axes_twists_and_stretches() {
    let (i_y, i_z) = (B * H.powi(3) / 12.0, H * B.powi(3) / 12.0);
    let bend = |i: f64| L.powi(3) / (3.0 * E * i);
    let exact = [
        (0, L / (E * B * H)),
        // The beam runs along x, its third axis is z: y bends with ∫ y² dA.
        (1, bend(i_z)),
        (2, bend(i_y)),
        (3, L / 1.2e5),
        (4, L / (E * i_y)),
        (5, L / (E * i_z)),
    ];
    let body = along("beam", DVec3::X, 2);
    for (component, exact) in exact {
        let end = tip(&body, component, 1.0);
        assert!(
            (end[component] / exact - 1.0).abs() < 1e-9,
            "{component}: {} for {exact}",
            end[component]
        );
    }
    // A moment about y lowers the end of a beam along x.
    assert!(tip(&body, 4, 1.0)[2] < 0.0 && tip(&body, 5, 1.0)[1] > 0.0);
}

#[test]
fn a_beam_that_is_turned_bends_the_same_way() {
    let straight = tip(&along("timoshenko", DVec3::X, 2), 2, 1.0);
    // About z: the third axis stays z.
    let turn = DMat3::from_rotation_z(0.7);
    let body = along("timoshenko", turn * DVec3::X, 2);
    let turned = tip(&body, 2, 1.0);
    let way = turn.transpose() * DVec3::from_slice(&turned[..3]);
    let rotation = turn.transpose() * DVec3::from_slice(&turned[3..]);
    for (k, (a, b)) in straight.iter().zip(way.to_array().iter().chain(&rotation.to_array())).enumerate()
    {
        assert!((a - b).abs() < 1e-9 * straight[2].abs(), "{k}: {a} and {b}");
    }
}

#[test]
fn frequencies_come_to_those_of_the_beam_with_the_order_of_the_element() {
    // Clamped and free: cos β cosh β = −1.
    let beta: [f64; 2] = [1.875_104_068_711_961, 4.694_091_132_974_175];
    let root = (E * H * B.powi(3) / 12.0 / (RHO * B * H)).sqrt();
    for (k, beta) in beta.into_iter().enumerate() {
        let exact = (beta / L).powi(2) * root;
        let error = |cells: usize| {
            let body = along("beam-plane", DVec3::X, cells);
            let (stiffness, mass) = (body.stiffness(), body.mass(MassKind::Consistent));
            // The frequencies of stretching are higher than these.
            let found = frequencies((&stiffness, &mass), &hold(&body, "start", &[0, 1, 2]), k + 1);
            (1.0 / cells as f64, found[k] / exact - 1.0)
        };
        // Of the second mode two elements see too little.
        let errors = [error(4), error(8), error(16)];
        // Cubic functions: 2 (3 + 1) − 2 · 2 = 4. The consistent mass is never below.
        assert!(errors.iter().all(|(_, e)| *e > 0.0), "{errors:?}");
        let order = fitted_order(&errors);
        assert!((3.7..4.3).contains(&order), "order {order} of {errors:?}");
    }
}

#[test]
fn a_thick_beam_is_slower() {
    // Timoshenko's beam, simply supported: ω of the first mode by its characteristic equation, k = π/L,
    // (ρI ρ/κG) ω⁴ − (ρA + (ρI + EI ρ/κG) k²) ω² + EI k⁴ = 0        [Timoshenko21]
    let inertia = H * B.powi(3) / 12.0;
    let (area, kappa_g) = (B * H, 5.0 / 6.0 * 80e9);
    let k = std::f64::consts::PI / L;
    let a = RHO * inertia * RHO / kappa_g;
    let b = RHO * area + (RHO * inertia + E * inertia * RHO / kappa_g) * k * k;
    let c = E * inertia * k.powi(4);
    let exact = ((b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)).sqrt();
    let slender = k * k * (E * inertia / (RHO * area)).sqrt();
    assert!(exact < slender * (1.0 - 1e-3), "the case must tell the two apart");
    let body = along("timoshenko-plane", DVec3::X, 16);
    let mut held = hold(&body, "start", &[0, 1]);
    held.extend(hold(&body, "end", &[1]));
    let (stiffness, mass) = (body.stiffness(), body.mass(MassKind::Consistent));
    let found = frequencies((&stiffness, &mass), &held, 1)[0];
    // Fourth order: 16 elements leave 1e-6.
    assert!((found / exact - 1.0).abs() < 1e-5, "{found} for {exact}");
}

#[test]
fn a_bar_has_its_frequencies_and_stretch() {
    let exact = 0.5 * std::f64::consts::PI / L * (E / RHO).sqrt();
    let errors: Vec<(f64, f64)> = [4, 8, 16]
        .map(|cells| {
            let body = along("bar-line", DVec3::X, cells);
            let (stiffness, mass) = (body.stiffness(), body.mass(MassKind::Consistent));
            let found = frequencies((&stiffness, &mass), &hold(&body, "start", &[0]), 1)[0];
            (1.0 / cells as f64, found / exact - 1.0)
        })
        .to_vec();
    let order = fitted_order(&errors);
    assert!((1.9..2.1).contains(&order), "order {order} of {errors:?}");
    let end = tip(&along("bar-line", DVec3::X, 3), 0, 1e4);
    assert!((end[0] / (1e4 * L / (E * B * H)) - 1.0).abs() < 1e-12);
}

#[test]
fn inner_forces_are_those_of_the_cantilever() {
    let body = along("beam-plane", DVec3::X, 4);
    let c = body.n_components();
    let mut load = vec![0.0; body.n()];
    load[body.n() - c + 1] = 1e3;
    let u = solve(&body.stiffness(), &load, &hold(&body, "start", &[0, 1, 2]));
    let forces = body.stresses(&u);
    // What the part behind exerts on the part before: the force at the end, and its moment.
    for (a, x) in body.mesh.nodes.iter().enumerate() {
        let moment = 1e3 * (L - x.x);
        assert!((forces[a][1] / 1e3 - 1.0).abs() < 1e-9, "force {} at {}", forces[a][1], x.x);
        assert!((forces[a][2] - moment).abs() < 1e-8 * 1e3 * L, "moment {} for {moment}", forces[a][2]);
    }
}

#[test]
fn lumped_frequencies_are_lower_and_of_second_order() {
    let exact = 0.5 * std::f64::consts::PI / L * (E / RHO).sqrt();
    let mut errors = Vec::new();
    for cells in [4, 8, 16] {
        let body = along("bar-line", DVec3::X, cells);
        let (stiffness, mass) = (body.stiffness(), body.mass(MassKind::Lumped));
        assert!(mass.is_diagonal());
        let found = frequencies((&stiffness, &mass), &hold(&body, "start", &[0]), 1)[0];
        errors.push((1.0 / cells as f64, 1.0 - found / exact));
    }
    let order = fitted_order(&errors);
    assert!(errors.iter().all(|(_, e)| *e > 0.0) && (1.9..2.1).contains(&order), "{order}, {errors:?}");
}

#[test]
fn a_beam_along_its_own_axis_is_refused() {
    let entry = formulation("beam").expect("it is valid");
    let options = numbers("beam").with_word("up", "x");
    let mesh = generate::line(DVec3::ZERO, DVec3::X, 1);
    let error = Body::new(mesh, entry.build(&options).expect("it is valid"), entry.cells)
        .err()
        .expect("it is valid");
    assert!(error.to_string().contains("runs along its axis `up`"), "{error}");
}

#[test]
fn a_missing_number_is_named() {
    let entry = formulation("beam-plane").expect("it is valid");
    let errors = entry
        .build(&Options::default().with("young", E).with("densty", 1.0))
        .err()
        .expect("it is valid");
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 4, "{text:?}");
    assert!(text[0].contains("did you mean `density`"), "{text:?}");
    assert!(text[2].contains("`beam-plane` needs `area`"), "{text:?}");
}
