//! The Hausdorff distance against closed forms, against dense sampling, and its cost.

use nonsmooth::analysis::{Graph, GraphError, excess, hausdorff};
use nonsmooth_testkit::Random;

/// A graph over [0, 1] with `n` nodes, of which some are jumps and some have the same time.
fn graph(random: &mut Random, n: usize, width: usize, roughness: f64) -> Graph {
    let mut t: Vec<f64> = (0..n).map(|_| random.unit()).collect();
    (t[0], t[n - 1]) = (0.0, 1.0);
    t.sort_by(f64::total_cmp);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for &t in &t {
        let jump = random.unit() < 0.3;
        for k in 0..width {
            let x = (3.0 * t + k as f64).sin() + roughness * (random.unit() - 0.5);
            left.push(x);
            right.push(if jump { x + random.unit() - 0.5 } else { x });
        }
    }
    Graph::from_nodes(&t, &left, &right).expect("a graph")
}

/// Distance of a point to a segment: the middle third of the parameter, over and over.
fn to_segment(p: &[f64], from: &[f64], to: &[f64]) -> f64 {
    let height = |r: f64| {
        let far = |i: usize| (p[i] - (1.0 - r) * from[i] - r * to[i]).abs();
        (0..p.len()).map(far).fold(0.0, f64::max)
    };
    let (mut lower, mut upper) = (0.0, 1.0);
    for _ in 0..80 {
        let (a, b) = (lower + (upper - lower) / 3.0, upper - (upper - lower) / 3.0);
        if height(a) < height(b) { upper = b } else { lower = a }
    }
    height(0.5 * (lower + upper)).min(height(0.0)).min(height(1.0))
}

/// The largest distance of `n` points on each segment of `a` to `b`, all segments tried.
fn sampled(a: &Graph, b: &Graph, n: usize) -> f64 {
    let segments = |graph: &Graph| -> Vec<(Vec<f64>, Vec<f64>)> {
        let ends = |i: usize| (graph.vertex(i).to_vec(), graph.vertex(i + 1).to_vec());
        (0..graph.n_vertices() - 1).map(ends).collect()
    };
    let b = segments(b);
    let mut largest = 0.0f64;
    for (from, to) in segments(a) {
        for k in 0..=n {
            let s = k as f64 / n as f64;
            let p: Vec<f64> = from.iter().zip(&to).map(|(x, y)| (1.0 - s) * x + s * y).collect();
            let nearest = b.iter().map(|(from, to)| to_segment(&p, from, to));
            largest = largest.max(nearest.fold(f64::INFINITY, f64::min));
        }
    }
    largest
}

#[test]
fn distance_agrees_with_dense_sampling() {
    let mut random = Random::new(7);
    for case in 0..60 {
        let (width, roughness) = (1 + case % 3, [0.02, 0.5, 2.0][case / 3 % 3]);
        let n = 2 + (case * 7) % 13;
        let (a, b) = (
            graph(&mut random, n, width, roughness),
            graph(&mut random, 15 - n.min(12), width, roughness),
        );
        for (a, b) in [(&a, &b), (&b, &a)] {
            let points = 200;
            let (found, oracle) = (excess(a, b).distance, sampled(a, b, points));
            // The distance changes along a segment at most as fast as the point moves: between two
            // samples by half the largest segment (< 3 long) over their number.
            assert!(found >= oracle - 1e-12, "case {case}: {found} below a sample, {oracle}");
            assert!(found <= oracle + 1.5 / points as f64, "case {case}: {found}, sampled {oracle}");
        }
    }
}

#[test]
fn ties_and_points_on_top_of_each_other_do_no_harm() {
    let mut random = Random::new(23);
    for case in 0..300 {
        let [a, b] = [2 + case % 5, 2 + case % 4].map(|n| {
            // Whole numbers: equal distances, repeated points and segments of no length abound.
            let mut t: Vec<f64> = (0..n).map(|_| (4.0 * random.unit()).floor()).collect();
            t.sort_by(f64::total_cmp);
            let [left, right] =
                [0; 2].map(|_| (0..n).map(|_| (3.0 * random.unit()).floor()).collect::<Vec<_>>());
            Graph::from_nodes(&t, &left, &right).expect("a graph")
        });
        let points = 96;
        let (found, oracle) = (excess(&a, &b).distance, sampled(&a, &b, points));
        // As above, segments at most 3 long.
        assert!(found >= oracle - 1e-12, "case {case}: {found} below a sample, {oracle}");
        assert!(found <= oracle + 1.5 / points as f64, "case {case}: {found}, sampled {oracle}");
    }
}

#[test]
fn distance_is_attained_where_it_is_said_to_be() {
    let mut random = Random::new(11);
    for case in 0..40 {
        let (a, b) = (graph(&mut random, 9, 1, 0.5), graph(&mut random, 12, 1, 0.5));
        let e = excess(&a, &b);
        // Points of A at that time: some sample of the vertical line there is as far, to a sample.
        let mut largest = 0.0f64;
        for i in 0..a.n_vertices() - 1 {
            let (from, to) = (a.vertex(i), a.vertex(i + 1));
            if !(from[0] <= e.at && e.at <= to[0]) {
                continue;
            }
            for k in 0..=400 {
                let s = if to[0] > from[0] {
                    (e.at - from[0]) / (to[0] - from[0])
                } else {
                    k as f64 / 400.0
                };
                let p: Vec<f64> = from.iter().zip(to).map(|(x, y)| (1.0 - s) * x + s * y).collect();
                let all = (0..b.n_vertices() - 1).map(|j| to_segment(&p, b.vertex(j), b.vertex(j + 1)));
                largest = largest.max(all.fold(f64::INFINITY, f64::min));
            }
        }
        // Vertical segments are < 3 long, 400 samples.
        assert!((largest - e.distance).abs() < 4e-3, "case {case}: {largest} against {e:?}");
    }
}

#[test]
fn closed_forms_are_met_to_rounding() {
    let step = |at: f64, end: f64, low: f64, high: f64| {
        Graph::from_nodes(&[0.0, at, end], &[low, low, high], &[low, high, high]).unwrap()
    };
    let ramp = |end: f64, high: f64| Graph::interpolated(&[0.0, end], &[0.0, high]).unwrap();
    let cases = [
        // From (s, s/2) the step is s/2 below and 1 − s to the right.
        ("a ramp to a step at its end", ramp(1.0, 0.5), step(1.0, 1.0, 0.0, 0.5), 1.0 / 3.0),
        // From (s, s) the step is s below and ½ − s to the right.
        ("a ramp to a step in its middle", ramp(1.0, 1.0), step(0.5, 1.0, 0.0, 1.0), 0.25),
        ("a step before a ramp", step(0.0, 1.0, 0.0, 1.0), ramp(1.0, 1.0), 0.5),
        ("steps a little apart", step(1.0, 3.0, -1.0, 1.0), step(1.01, 3.0, -1.0, 1.0), 0.01),
        // From the low corner (2, −1) the other step is 1 to the left.
        ("steps far apart", step(1.0, 3.0, -1.0, 1.0), step(2.0, 3.0, -1.0, 1.0), 1.0),
        // Further apart than high: half the plateau is nearest to the plateau of the other.
        ("steps further apart than high", step(1.0, 9.0, 0.0, 0.5), step(8.0, 9.0, 0.0, 0.5), 0.5),
        ("constants", ramp(4.0, 0.0), step(1.0, 4.0, 0.25, 0.25), 0.25),
        ("the same", step(0.3, 1.0, 0.0, 1.0), step(0.3, 1.0, 0.0, 1.0), 0.0),
    ];
    for (name, a, b, expected) in &cases {
        // Rounding of numbers up to 9.
        for (a, b) in [(a, b), (b, a)] {
            assert!((hausdorff(a, b) - expected).abs() < 4e-15, "{name}: {}", hausdorff(a, b));
        }
    }
    let (_, a, b, _) = &cases[0];
    // The ends of the ramp are on the step: the largest distance is inside.
    assert!((excess(a, b).distance - 1.0 / 3.0).abs() < 1e-15);
    assert!((excess(a, b).at - 2.0 / 3.0).abs() < 1e-15);
}

#[test]
fn more_nodes_on_the_same_line_change_nothing() {
    let mut random = Random::new(3);
    for case in 0..50 {
        let (a, b) =
            (graph(&mut random, 8, 1 + case % 2, 0.7), graph(&mut random, 11, 1 + case % 2, 0.7));
        let width = a.width();
        let (mut t, mut x) = (Vec::new(), Vec::new());
        for i in 0..a.n_vertices() - 1 {
            let (from, to) = (a.vertex(i), a.vertex(i + 1));
            for s in [0.0, 0.2 * random.unit(), 0.2 + 0.7 * random.unit(), 1.0] {
                let last = t.last().copied().unwrap_or(0.0);
                t.push(f64::max(last, (1.0 - s) * from[0] + s * to[0]));
                x.extend((1..=width).map(|k| (1.0 - s) * from[k] + s * to[k]));
            }
        }
        let finer = Graph::interpolated(&t, &x).unwrap();
        // Rounding of the added nodes, numbers up to 3.
        assert!((hausdorff(&finer, &b) - hausdorff(&a, &b)).abs() < 2e-15, "case {case}");
        assert!(hausdorff(&finer, &a) < 2e-15, "case {case}: {:e}", hausdorff(&finer, &a));
    }
}

#[test]
fn distance_is_a_metric() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let [a, b, c] = [7, 9, 5].map(|n| graph(&mut random, n, 1, 1.0));
        assert_eq!(hausdorff(&a, &b), hausdorff(&b, &a));
        assert_eq!(hausdorff(&a, &a), 0.0);
        // Rounding.
        assert!(hausdorff(&a, &c) <= hausdorff(&a, &b) + hausdorff(&b, &c) + 1e-14);
    }
}

/// Steps of a sine with jumps, `n` nodes in [0, 9.5], delayed, drifting and noisy.
fn long(n: usize, delay: f64, drift: f64, noise: f64) -> Graph {
    let mut random = Random::new(n as u64);
    let t: Vec<f64> = (0..n).map(|i| 9.5 * i as f64 / (n - 1) as f64).collect();
    let x = |t: &f64| (t - delay).sin() + (t - delay).floor() % 2.0 + drift * t + noise * random.unit();
    let x: Vec<f64> = t.iter().map(x).collect();
    Graph::steps(&t, &x).expect("a graph")
}

#[test]
fn a_million_nodes_cost_a_few_evaluations_each() {
    let n = 1_000_000;
    let h = 9.5 / (n - 1) as f64;
    let reference = long(n, 1e-9, 0.0, 0.0);
    // A delay moves the jumps; a drift and a noise of either sign lift the last plateau.
    let cases = [
        ("delayed by 3 h", long(n, 1e-9 + 3.0 * h, 0.0, 0.0), 3.0 * h),
        ("delayed by 0.01", long(n, 0.01, 0.0, 0.0), 0.01),
        ("drifting", long(n, 1e-9, 0.02, 0.0), 0.19),
        ("on other nodes", long(n + 7, 1e-9, 0.0, 0.0), 0.0),
        ("noisy", long(n, 1e-9, 0.0, 1e-3), 1e-3),
        ("drifting and noisy", long(n, 1e-9, 0.02, 1e-3), 0.191),
    ];
    for (name, other, expected) in cases {
        let (there, back) = (excess(&other, &reference), excess(&reference, &other));
        let far = there.distance.max(back.distance);
        let per_node = (there.evaluations + back.evaluations) as f64 / (2 * n) as f64;
        eprintln!("{name}: {far:.4e}; {per_node:.1} evaluations per node");
        // Nodes are h apart; the largest of many noises is a little below its bound, and beside a drift
        // the slope of the sine, up to 1, lets some of it be seen as a delay.
        assert!(far <= expected + h && far >= 0.5 * expected - h, "{name}: {far:.4e}");
        // A step has two segments. 13.6 measured at most; a search that starts at the root of the tree for
        // each node needs 53, one that tries all within the distance 2e4.
        assert!(per_node < 25.0, "{name}: {per_node} evaluations per node");
    }
}

#[test]
fn nodes_that_are_no_graph_are_refused() {
    let size = |nodes, values| Err(GraphError::Size { nodes, values });
    assert_eq!(Graph::interpolated(&[], &[]), size(0, 0));
    assert_eq!(Graph::interpolated(&[0.0, 1.0], &[1.0, 2.0, 3.0]), size(2, 3));
    assert_eq!(Graph::from_nodes(&[0.0, 1.0], &[1.0, 2.0], &[1.0]), size(2, 1));
    assert!(matches!(Graph::steps(&[1.0, 0.0], &[0.0; 2]), Err(GraphError::Time { node: 1, .. })));
    assert!(matches!(Graph::steps(&[f64::NAN], &[0.0]), Err(GraphError::Time { node: 0, .. })));
    let bad = Graph::from_nodes(&[0.0, 1.0], &[0.0; 2], &[0.0, f64::INFINITY]);
    assert!(matches!(bad, Err(GraphError::NotFinite { node: 1, .. })));
    let (a, b) = (Graph::steps(&[0.0], &[0.0]).unwrap(), Graph::steps(&[0.0], &[3.0]).unwrap());
    assert_eq!(hausdorff(&a, &b), 3.0);
    assert!(hausdorff(&a, &Graph::steps(&[0.0], &[0.0, 1.0]).unwrap()).is_nan());
}
