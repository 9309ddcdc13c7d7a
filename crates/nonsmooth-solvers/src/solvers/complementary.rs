//! Moves between complementary bases of a [`Tableau`]: principal pivots, prescribed or chosen.
//!
//! ```text
//! y_B = T y_N + b,     one of x_k, u_k in y_B for every pair k
//! ```
//!
//! A principal pivot on a set α exchanges the partners of its pairs and keeps this form; it exists where T_αα is
//! regular [Cottle92, sec. 2.3].

use super::tableau::Tableau;

/// Entries below which a chosen pivot is not worth its rounding.
const SMALL: f64 = 1e-6;

impl Tableau {
    /// The partner of pair k that is in the basis by row, and the one outside by column.
    fn partners(&self, k: usize) -> (usize, usize) {
        let (x, u) = (self.place_of(k), self.place_of(self.n + k));
        if x < self.n { (x, u - self.n) } else { (u, x - self.n) }
    }

    /// Brings x_k into the basis for the pairs `inside`, u_k for the others, as far as principal pivots go.
    pub fn exchange_pairs(&mut self, inside: &[bool]) {
        let n = self.n;
        let mut all = self.clone();
        let wanted = |variable: usize| {
            if variable < n { inside[variable] } else { variable < 2 * n && !inside[variable - n] }
        };
        if all.exchange_to(wanted) == 0 {
            *self = all;
            return;
        }
        let mut pending: Vec<usize> = (0..n).filter(|&k| inside[k] != self.carries(k)).collect();
        while let Some((k, l)) = self.largest_principal(&pending) {
            let ((row, _), (_, column)) = (self.partners(k), self.partners(l));
            if k != l {
                let ((other_row, _), (_, other_column)) = (self.partners(l), self.partners(k));
                self.pivot(other_row, other_column);
            }
            self.pivot(row, column);
            pending.retain(|&j| j != k && j != l);
        }
    }

    /// The best principal pivot of one or two of these pairs.
    fn largest_principal(&self, pending: &[usize]) -> Option<(usize, usize)> {
        let entry = |k: usize, l: usize| self.at(self.partners(k).0, self.partners(l).1).abs();
        let single = pending.iter().map(|&k| (entry(k, k), (k, k)));
        let best = single.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 > SMALL);
        // Two at once only where the diagonal vanishes: then T_kl T_lk is the determinant.
        let double = || {
            let pairs = pending.iter().flat_map(|&k| pending.iter().map(move |&l| (k, l)));
            let sizes =
                pairs.filter(|(k, l)| k < l).map(|(k, l)| (entry(k, l).min(entry(l, k)), (k, l)));
            sizes.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 > SMALL)
        };
        best.or_else(double).map(|best| best.1)
    }

    /// Meets the free equations u_f with the free variables x_g, f, g ≥ `first`, by pivots larger than `zero`.
    ///
    /// Returns which equation and variable were taken together, and whether all others vanish.
    pub fn settle_free(&mut self, first: usize, zero: f64) -> (Vec<(usize, usize)>, bool) {
        let n = self.n;
        let (mut equations, mut variables): (Vec<usize>, Vec<usize>) =
            ((first..n).collect(), (first..n).collect());
        let mut met = Vec::new();
        while let Some((f, g, pair)) = self.next_free(first, &equations, &variables, zero) {
            let column = self.place_of(g) - n;
            if let Some(pair) = pair {
                let (row, other) = self.partners(pair);
                self.pivot(self.place_of(n + f), other);
                self.pivot(row, column);
            } else {
                self.pivot(self.place_of(n + f), column);
            }
            equations.retain(|&k| k != f);
            variables.retain(|&k| k != g);
            met.push((f, g));
        }
        let pairs: Vec<(usize, usize)> = (0..first).map(|k| self.partners(k)).collect();
        let row_vanishes = |f: &usize| {
            let row = self.place_of(n + f);
            pairs.iter().all(|pair| self.at(row, pair.1).abs() <= zero)
        };
        let column_vanishes = |g: &usize| {
            let column = self.place_of(*g) - n;
            pairs.iter().all(|pair| self.at(pair.0, column).abs() <= zero)
        };
        let vanish = equations.iter().all(row_vanishes) && variables.iter().all(column_vanishes);
        (met, vanish)
    }

    /// The largest pivot for a free equation and a free variable: direct, or by way of a pair.
    fn next_free(
        &self,
        first: usize,
        equations: &[usize],
        variables: &[usize],
        zero: f64,
    ) -> Option<(usize, usize, Option<usize>)> {
        let row = |f: usize| self.place_of(self.n + f);
        let column = |g: usize| self.place_of(g) - self.n;
        let largest = |sizes: &mut dyn Iterator<Item = (f64, usize)>| {
            sizes.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
        };
        let mut best = (zero, None);
        for &f in equations {
            let mut sizes = variables.iter().map(|&g| (self.at(row(f), column(g)).abs(), g));
            let (size, g) = largest(&mut sizes);
            if size > best.0 {
                best = (size, Some((f, g, None)));
            }
        }
        if best.1.is_some() {
            return best.1;
        }
        for k in 0..first {
            let (pair_row, pair_column) = self.partners(k);
            let mut by_row = equations.iter().map(|&f| (self.at(row(f), pair_column).abs(), f));
            let mut by_column = variables.iter().map(|&g| (self.at(pair_row, column(g)).abs(), g));
            let ((a, f), (b, g)) = (largest(&mut by_row), largest(&mut by_column));
            if a.min(b) > best.0 {
                best = (a.min(b), Some((f, g, Some(k))));
            }
        }
        best.1
    }
}
