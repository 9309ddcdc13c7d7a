//! The same bits for any number of threads.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

/// 200 balls on a grid, jittered, fall into a box.
fn balls() -> Yard {
    let mut yard = Yard::new(0.3, 0.1);
    yard.floor();
    for side in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]] {
        let wall = Shape::half_space(side).expect("a right shape");
        yard.fix(&format!("wall {side:?}"), wall, [-0.55 * side[0], -0.55 * side[1], 0.0]);
    }
    let ball = Shape::ball(0.09).expect("a right shape");
    let mut random = Random::new(1);
    for k in 0..200 {
        let [x, y, z] = [k % 5, k / 5 % 5, k / 25].map(|i| 0.2 * f64::from(i));
        let mut at = random.vector(0.009);
        (at[0], at[1], at[2]) = (at[0] + x - 0.4, at[1] + y - 0.4, at[2] + z + 0.1);
        yard.add(&format!("ball {k}"), &ball, 1000.0, at);
    }
    yard
}

/// A heap of capsules beside a stack and a wall of boxes.
fn mixture() -> Yard {
    let mut yard = Yard::new(0.5, 0.0);
    yard.floor();
    let (capsule, cube) = (
        Shape::capsule(0.1, 0.05).expect("a right shape"),
        Shape::cuboid([0.1; 3]).expect("a right shape"),
    );
    let mut random = Random::new(2);
    for k in 0..30 {
        let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.32 * f64::from(i));
        let mut body = yard.body(&format!("capsule {k}"), &capsule, 1000.0, [x, y, 0.2 + z]);
        body.rotation = random.turn();
        yard.builder.body(body);
    }
    for k in 0..5 {
        yard.add(&format!("cube {k}"), &cube, 1000.0, [-2.0, 0.0, 0.1 + 0.2 * f64::from(k)]);
    }
    for k in 0..12 {
        let (course, i) = (k / 4, k % 4);
        let x = 0.201 * f64::from(i) + 0.1 * f64::from(course % 2);
        yard.add(&format!("brick {k}"), &cube, 1000.0, [x, -2.0, 0.1 + 0.2 * f64::from(course)]);
    }
    yard
}

fn run(make: fn() -> Yard, n_threads: usize, n: u64) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
    pool.install(|| {
        let mut simulation = make().simulation(2e-3);
        simulation.run(n, &mut []).unwrap_or_else(|error| panic!("{error}"));
        *simulation.state
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (name, make, n) in [("balls", balls as fn() -> Yard, 150), ("mixture", mixture, 200)] {
        let one = run(make, 1, n);
        assert!(!one.memory.ids.is_empty());
        for n_threads in [2, 8] {
            let many = run(make, n_threads, n);
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one.q), bits(&many.q), "{name} with {n_threads} threads");
            assert_eq!(bits(&one.v), bits(&many.v), "{name} with {n_threads} threads");
            assert!(one == many, "{name} with {n_threads} threads: memory of contacts");
        }
    }
}
