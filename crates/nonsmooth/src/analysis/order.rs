//! The order of convergence: the slope of a straight line through (ln h, ln ‖e‖).
//!
//! ```text
//! ‖e‖ = C h^q        q, ln C by least squares over the rungs of a ladder
//! ```
//!
//! [Acary10, eq. (38)]; the remainder printed there, O(h^{q+1}), does not hold once there are impacts, since C
//! depends on the phase of the impact in its step. So a rung counts with the geometric mean of its errors (the
//! mean of their logarithms) or with their maximum, and the spread says how straight the line is.

/// What the runs of one rung give together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Geometric mean of the step sizes [s].
    pub step_size: f64,
    /// Geometric mean of the errors; says nothing if one of them happens to vanish.
    pub mean: f64,
    /// Largest error.
    pub maximum: f64,
}

/// A measured order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// q [–].
    pub slope: f64,
    /// C, the error at h = 1 s on the line.
    pub constant: f64,
    /// Standard error of q [–]; NaN with two rungs, which any line goes through.
    pub spread: f64,
    /// Smallest slope between neighbouring rungs [–].
    pub least: f64,
    /// Largest slope between neighbouring rungs [–].
    pub most: f64,
    /// Rungs that counted.
    pub n_rungs: usize,
}

impl Rung {
    /// The rung of these (h, error) pairs; none without pairs.
    pub fn new(runs: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (mut n, mut h, mut mean, mut maximum) = (0, 0.0, 0.0, 0.0f64);
        for (step_size, error) in runs {
            n += 1;
            h += step_size.ln();
            mean += error.ln();
            maximum = if error > maximum || error.is_nan() { error } else { maximum };
        }
        let average = |sum: f64| (sum / f64::from(n)).exp();
        (n > 0).then(|| Self { step_size: average(h), mean: average(mean), maximum })
    }
}

impl Order {
    /// The order of (h, error) pairs, coarsest first. Pairs with an error that is not a number > `floor` do not
    /// count: rounding has no order. None if fewer than two step sizes are left.
    pub fn fit(pairs: impl IntoIterator<Item = (f64, f64)>, floor: f64) -> Option<Self> {
        let counts =
            |&(h, e): &(f64, f64)| h > 0.0 && h.is_finite() && e > floor.max(0.0) && e.is_finite();
        let points: Vec<(f64, f64)> =
            pairs.into_iter().filter(counts).map(|(h, e)| (h.ln(), e.ln())).collect();
        let n = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
        let (mut xx, mut xy) = (0.0, 0.0);
        for p in &points {
            xx += (p.0 - x).powi(2);
            xy += (p.0 - x) * (p.1 - y);
        }
        if !(xx > 0.0) {
            return None;
        }
        let slope = xy / xx;
        let residual: f64 = points.iter().map(|p| (p.1 - y - slope * (p.0 - x)).powi(2)).sum();
        // Repeated step sizes have no slope between them.
        let local = |w: &[(f64, f64)]| (w[1].1 - w[0].1) / (w[1].0 - w[0].0);
        let locals = points.windows(2).map(local).filter(|slope| slope.is_finite());
        let (least, most) =
            locals.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s), b.max(s)));
        Some(Self {
            slope,
            constant: (y - slope * x).exp(),
            spread: if points.len() > 2 { (residual / (n - 2.0) / xx).sqrt() } else { f64::NAN },
            least,
            most,
            n_rungs: points.len(),
        })
    }

    /// The order of the mean errors of rungs.
    pub fn of_means(rungs: &[Rung], floor: f64) -> Option<Self> {
        Self::fit(rungs.iter().map(|rung| (rung.step_size, rung.mean)), floor)
    }

    /// The order of the largest errors of rungs.
    pub fn of_maxima(rungs: &[Rung], floor: f64) -> Option<Self> {
        Self::fit(rungs.iter().map(|rung| (rung.step_size, rung.maximum)), floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_found_without_spread() {
        for q in [0.5, 1.0, 2.0, 6.0] {
            let pairs = [0.1, 0.05, 0.02, 0.01].map(|h: f64| (h, 3.0 * h.powf(q)));
            let order = Order::fit(pairs, 0.0).unwrap();
            // Rounding of logarithms over a range of 2.3.
            assert!(
                (order.slope - q).abs() < 1e-13 && (order.constant - 3.0).abs() < 1e-12,
                "{order:?}"
            );
            assert!(order.spread < 1e-13 && order.most - order.least < 1e-12 && order.n_rungs == 4);
        }
    }

    #[test]
    fn spread_is_the_standard_error() {
        // ln e = x + r with x = −1, 0, 1 and r = 1, −2, 1, which is orthogonal to 1 and x: the slope is 1,
        // Σr² = 6, one degree of freedom, Σx² = 2.
        let pairs = [(1f64, 2f64), (0.0, -2.0), (-1.0, 0.0)].map(|(x, y)| (x.exp(), y.exp()));
        let order = Order::fit(pairs, 0.0).unwrap();
        assert!((order.slope - 1.0).abs() < 1e-15 && (order.spread - 3f64.sqrt()).abs() < 1e-15);
        assert!((order.least + 2.0).abs() < 1e-15 && (order.most - 4.0).abs() < 1e-15);
    }

    #[test]
    fn rounding_and_nothing_do_not_count() {
        let pairs = [(0.1, 1e-3), (0.05, 0.5e-3), (0.02, 1e-16), (0.01, 0.0), (0.005, f64::NAN)];
        let order = Order::fit(pairs, 1e-14).unwrap();
        assert!(order.n_rungs == 2 && order.spread.is_nan() && (order.slope - 1.0).abs() < 1e-14);
        assert_eq!(Order::fit([(0.1, 1.0), (0.1, 2.0)], 0.0), None);
        assert_eq!(Order::fit([], 0.0), None);
    }

    #[test]
    fn a_constant_that_jumps_with_the_phase_averages_out() {
        // e = h (1 + phase), the phase equally spread over (0, 1) in each rung, in another order.
        let rungs: Vec<Rung> = (0..6)
            .filter_map(|j| {
                let h = 0.1 * 0.5f64.powi(j);
                Rung::new((0..8).map(|i| (h, h * (1.0 + ((3 * i + j) % 8) as f64 / 8.0))))
            })
            .collect();
        let (mean, most) =
            (Order::of_means(&rungs, 0.0).unwrap(), Order::of_maxima(&rungs, 0.0).unwrap());
        for order in [mean, most] {
            assert!((order.slope - 1.0).abs() < 1e-14 && order.spread < 1e-14, "{order:?}");
        }
        // One phase of each rung is exact by chance: the means say anything, the worst phases do not care.
        let exact: Vec<Rung> = (0..6)
            .filter_map(|j| {
                let h = 0.1 * 0.5f64.powi(j);
                Rung::new((0..8).map(|i| (h, if i == j { 1e-17 } else { h * (1.0 + i as f64) })))
            })
            .collect();
        let worst = Order::of_maxima(&exact, 0.0).unwrap();
        assert!((worst.slope - 1.0).abs() < 1e-14, "{worst:?}");
        let mean = Order::of_means(&exact, 0.0).unwrap();
        assert!((mean.slope - 1.0).abs() > 0.01, "{mean:?}");
        assert!((most.constant - 1.875).abs() < 1e-13 && mean.constant < 1.5);
        assert_eq!(Rung::new([]), None);
        assert!(Rung::new([(0.1, f64::NAN), (0.1, 1.0)]).unwrap().maximum.is_nan());
    }
}
