//! Shape functions, quadrature rules and sides of every cell of the list.

use glam::DVec3;
use nonsmooth_elements::cells::{CELLS, Cell, cell};
use nonsmooth_testkit::Random;

/// A place inside of the reference cell.
fn inside(cell: &Cell, random: &mut Random) -> [f64; 3] {
    let is_simplex = cell.nodes.iter().flatten().all(|x| *x >= 0.0);
    let low = if is_simplex { 0.0 } else { -1.0 };
    loop {
        let mut xi = [0.0; 3];
        xi[..cell.dim].fill_with(|| random.between(low, 1.0));
        if !is_simplex || xi.iter().sum::<f64>() <= 1.0 {
            return xi;
        }
    }
}

#[test]
fn shape_functions_are_one_at_their_node_and_add_up_to_one() {
    let mut random = Random::new(1);
    for cell in CELLS {
        for (a, &node) in cell.nodes.iter().enumerate() {
            let shape = (cell.shape)(node);
            for b in 0..cell.n_nodes() {
                let expected = f64::from(u8::from(a == b));
                assert!((shape.value[b] - expected).abs() < 1e-14, "{}: N_{b} at node {a}", cell.name);
            }
        }
        let xi = inside(cell, &mut random);
        let shape = (cell.shape)(xi);
        assert!((shape.value.iter().sum::<f64>() - 1.0).abs() < 1e-13, "{}", cell.name);
        for d in 0..3 {
            let sum: f64 = shape.slope.iter().map(|slope| slope[d]).sum();
            assert!(sum.abs() < 1e-13, "{}: slopes along {d} add up to {sum}", cell.name);
        }
    }
}

#[test]
fn slopes_are_those_of_central_differences() {
    let mut random = Random::new(2);
    for cell in CELLS {
        for _ in 0..10 {
            let xi = inside(cell, &mut random);
            let slope = (cell.shape)(xi).slope;
            for d in 0..cell.dim {
                // Functions of degree 2 in each direction: differences are exact but for rounding, 1e-16/h.
                let h = 1e-3;
                let at = |step: f64| {
                    let mut there = xi;
                    there[d] += step;
                    (cell.shape)(there).value
                };
                let (high, low) = (at(h), at(-h));
                for a in 0..cell.n_nodes() {
                    let difference = (high[a] - low[a]) / (2.0 * h);
                    assert!(
                        (difference - slope[a][d]).abs() < 1e-11,
                        "{}: node {a} along {d}",
                        cell.name
                    );
                }
            }
        }
    }
}

/// ∫ ξ^p over the reference cell.
fn exact(cell: &Cell, p: [u32; 3]) -> f64 {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let powers = &p[..cell.dim];
    if cell.nodes.iter().flatten().all(|x| *x >= 0.0) {
        let top: f64 = powers.iter().map(|&k| factorial(k)).product();
        return top / factorial(powers.iter().sum::<u32>() + cell.dim as u32);
    }
    powers.iter().map(|&k| if k % 2 == 1 { 0.0 } else { 2.0 / f64::from(k + 1) }).product()
}

#[test]
fn rules_integrate_products_of_shape_functions_exactly() {
    // What two shape functions multiply to: in simplices by total degree, elsewhere by direction.
    let degrees = [
        ("line2", 2),
        ("line3", 4),
        ("triangle3", 3),
        ("quad4", 2),
        ("triangle6", 5),
        ("quad8", 4),
        ("tet4", 2),
        ("hex8", 2),
        ("tet10", 5),
        ("hex20", 4),
    ];
    assert_eq!(degrees.len(), CELLS.len());
    for (name, degree) in degrees {
        let cell = cell(name).expect("it is valid");
        let is_simplex = cell.nodes.iter().flatten().all(|x| *x >= 0.0);
        for code in 0..(degree + 1u32).pow(3) {
            let p =
                [code % (degree + 1), code / (degree + 1) % (degree + 1), code / (degree + 1).pow(2)];
            let is_asked = p[cell.dim..].iter().all(|k| *k == 0)
                && (!is_simplex || p.iter().sum::<u32>() <= degree);
            if !is_asked {
                continue;
            }
            let value: f64 = (cell.points)()
                .iter()
                .map(|point| {
                    assert!(point.weight > 0.0, "{name}");
                    point.weight * (0..3).map(|d| point.at[d].powi(p[d] as i32)).product::<f64>()
                })
                .sum();
            assert!((value - exact(cell, p)).abs() < 1e-14, "{name}, powers {p:?}: {value}");
        }
    }
}

#[test]
fn sides_close_and_look_outwards() {
    let mut random = Random::new(3);
    for cell in CELLS.iter().filter(|cell| cell.dim > 1) {
        // A cell whose nodes are moved a little: closed surfaces have ∫ n dA = 0 and ∫ x·n dA = D V.
        let mut nodes: Vec<DVec3> = cell.nodes.iter().map(|x| DVec3::from(*x)).collect();
        for node in &mut nodes {
            let moved = DVec3::from(random.vector(0.1));
            *node += if cell.dim == 2 { DVec3::new(moved.x, moved.y, 0.0) } else { moved };
        }
        let volume: f64 =
            (cell.points)().iter().map(|p| p.weight * cell.map(p.at, &nodes).measure).sum();
        let (mut closed, mut flux) = (DVec3::ZERO, 0.0);
        for side in cell.sides {
            let kind = nonsmooth_elements::cells::cell(side.cell).expect("it is valid");
            let own: Vec<DVec3> = side.nodes.iter().map(|&a| nodes[a]).collect();
            assert_eq!(own.len(), kind.n_nodes(), "{}", cell.name);
            for point in (kind.points)() {
                let (_, x, normal) = kind.map_side(point.at, &own);
                closed += point.weight * normal;
                flux += point.weight * x.dot(normal);
            }
        }
        assert!(closed.length() < 1e-13, "{}: {closed}", cell.name);
        let error = flux / cell.dim as f64 - volume;
        assert!(error.abs() < 1e-12 * volume, "{}: {flux} beside {volume}", cell.name);
    }
}

#[test]
fn the_nearest_point_of_a_side_is_found() {
    let mut random = Random::new(7);
    for cell in CELLS.iter().filter(|cell| cell.dim < 3) {
        for _ in 0..20 {
            // A side that is bent a little where it can be, somewhere in space or in the plane.
            let turn = glam::DQuat::from_array(random.rotation()).normalize();
            let nodes: Vec<DVec3> = cell
                .nodes
                .iter()
                .map(|x| {
                    let moved = DVec3::from(*x) + DVec3::from(random.vector(0.02));
                    if cell.dim == 1 { moved.with_z(0.0) } else { turn * moved }
                })
                .collect();
            let xi = inside(cell, &mut random);
            let (_, foot, normal) = cell.map_side(xi, &nodes);
            let normal = normal.normalize();
            let height = random.between(-0.05, 0.05);
            let (shape, found, distance) =
                cell.nearest(foot + height * normal, &nodes).expect("it is valid");
            let point: DVec3 = nodes.iter().zip(shape.value).map(|(x, n)| n * *x).sum();
            assert!((point - foot).length() < 1e-9, "{}: {point} for {foot}", cell.name);
            assert!(
                (found - normal).length() < 1e-8 && (distance - height).abs() < 1e-9,
                "{}",
                cell.name
            );
        }
        let far = 10.0 * DVec3::X;
        let flat: Vec<DVec3> = cell.nodes.iter().map(|x| DVec3::from(*x)).collect();
        assert!(cell.nearest(far, &flat).is_none(), "{}", cell.name);
    }
}
