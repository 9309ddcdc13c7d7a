//! The tableau of Lemke's method for variables between bounds, with the lexicographic ratio test.
//!
//! ```text
//! y_B = T y_N + b + d z₀,     one of x_k, u_k in y_B, the other in y_N = 0,     0 ≤ x ≤ cap
//! ```
//!
//! where u = M x + q, and x_k = 0 goes with u_k ≥ 0, x_k = cap with u_k ≤ 0, anything between with u_k = 0. A pair whose
//! x sits at its cap is *reflected*: x′ = cap − x, u′ = −u, so that every variable outside the basis is 0 and every
//! one inside is at least 0. z₀ enters first; each variable that leaves is followed by its partner until z₀ leaves.
//! Ties are broken lexicographically, as if b_k were b_k + ε^k in the starting basis, z₀ first, so that degenerate
//! problems cannot cycle [Cottle92, sec. 4.9]. With all caps finite there is no ray: along one x rests, so that
//! dw = d dz₀, and that is the ray on which the path began.
//!
//! Only the columns of y_N are stored. They are computed anew from the starting basis when rounding shows.

/// Two numbers closer than this, relatively, are a tie.
const TIE: f64 = 1e-12;
/// A column without an entry above this does not enter a prescribed basis.
const SINGULAR: f64 = 1e-11;
/// Disagreement of y_B with the starting rows at which the tableau is computed anew, in units of the largest |b|.
const DRIFT: f64 = 1e-10;
/// Pivots between two looks at the drift, at least; a look costs as much as a pivot.
const LOOK: usize = 24;
/// A row with fewer than one entry in so many is visited by its entries.
const SPARSE: usize = 6;

/// What counts as zero on a path, the largest |M| and |q| being near 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Entries of a column, relative to its largest, that do not stop it.
    pub pivot: f64,
    /// Negative values of the starting basis.
    pub snap: f64,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// z₀ left: the basis is complementary.
    Solved,
    /// Nothing stops the entering variable.
    Ray,
    /// Too many pivots.
    Limit,
}

/// Variables are numbered x_k = k, u_k = n + k, z₀ = 2 n.
#[derive(Clone, Default)]
pub(super) struct Tableau {
    /// Number of pairs.
    pub n: usize,
    /// T by rows, its n + 1 columns followed by b.
    entries: Vec<f64>,
    /// Variable of each row.
    basic: Vec<usize>,
    /// Variable of each column.
    nonbasic: Vec<usize>,
    /// For each variable its row, or n plus its column.
    place: Vec<usize>,
    cap: Vec<f64>,
    reflected: Vec<bool>,
    /// The variable of each row of the starting basis, and the sign of its perturbation.
    start: Vec<(usize, f64)>,
}

impl Tableau {
    /// The basis u = M x + q, all x outside, M and q by `entry(k, l)` and `rhs(k)`.
    pub fn new(cap: Vec<f64>, entry: impl Fn(usize, usize) -> f64, rhs: impl Fn(usize) -> f64) -> Self {
        let n = cap.len();
        let width = n + 2;
        let mut entries = vec![0.0; n * width];
        for (k, row) in entries.chunks_exact_mut(width).enumerate() {
            row[..n].iter_mut().enumerate().for_each(|(l, x)| *x = entry(k, l));
            row[n + 1] = rhs(k);
        }
        let nonbasic = (0..n).chain([2 * n]).collect();
        let place = (0..n).map(|k| n + k).chain(0..n).chain([2 * n]).collect();
        let (basic, reflected) = ((n..2 * n).collect(), vec![false; n]);
        Self { n, entries, basic, nonbasic, place, cap, reflected, start: Vec::new() }
    }

    #[inline]
    fn width(&self) -> usize {
        self.n + 2
    }

    /// The row of a variable, or n plus its column.
    #[inline]
    pub fn place_of(&self, variable: usize) -> usize {
        self.place[variable]
    }

    /// An entry of T.
    #[inline]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.width() + column]
    }

    #[inline]
    fn rhs(&self, row: usize) -> f64 {
        self.at(row, self.n + 1)
    }

    /// Whether x_k is in the basis.
    pub fn carries(&self, k: usize) -> bool {
        self.place[k] < self.n
    }

    /// Whether u_k is in the basis.
    pub fn moves(&self, k: usize) -> bool {
        self.place[self.n + k] < self.n
    }

    /// Where x_k rests while outside the basis.
    pub fn rest(&self, k: usize) -> f64 {
        if self.reflected[k] { self.cap[k] } else { 0.0 }
    }

    /// Value of x_k.
    pub fn x(&self, k: usize) -> f64 {
        let inside = if self.carries(k) { self.rhs(self.place[k]) } else { 0.0 };
        if self.reflected[k] { self.cap[k] - inside } else { inside }
    }

    /// Largest value of the variable in a row.
    #[inline]
    fn upper(&self, variable: usize) -> f64 {
        if variable < self.n { self.cap[variable] } else { f64::INFINITY }
    }

    /// Exchanges the variables of a row and a column; returns the one that leaves the basis.
    pub fn pivot(&mut self, row: usize, column: usize) -> usize {
        let w = self.width();
        let (before, rest) = self.entries.split_at_mut(row * w);
        let (pivot, after) = rest.split_at_mut(w);
        let scale = -1.0 / pivot[column];
        pivot.iter_mut().for_each(|x| *x *= scale);
        pivot[column] = -scale;
        // Bodies far apart leave most of a row zero: then only its entries are visited.
        let few = SPARSE * pivot.iter().filter(|x| **x != 0.0).count() < w;
        let sparse: Vec<(usize, f64)> = match few {
            true => pivot.iter().copied().enumerate().filter(|entry| entry.1 != 0.0).collect(),
            false => Vec::new(),
        };
        for other in before.chunks_exact_mut(w).chain(after.chunks_exact_mut(w)) {
            let factor = std::mem::take(&mut other[column]);
            if factor == 0.0 {
                continue;
            }
            if few {
                sparse.iter().for_each(|&(k, y)| other[k] += factor * y);
            } else {
                other.iter_mut().zip(&*pivot).for_each(|(x, y)| *x += factor * y);
            }
        }
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        (self.basic[row], self.nonbasic[column]) = (entering, leaving);
        (self.place[entering], self.place[leaving]) = (row, self.n + column);
        leaving
    }

    /// x_k ← cap − x_k, u_k ← −u_k, wherever the two are.
    pub fn reflect(&mut self, k: usize) {
        let (n, w) = (self.n, self.width());
        for variable in [k, n + k] {
            let shift = if variable == k { self.cap[k] } else { 0.0 };
            let place = self.place[variable];
            if place < n {
                self.entries[place * w..(place + 1) * w].iter_mut().for_each(|x| *x = -*x);
                self.entries[place * w + n + 1] += shift;
            } else {
                for row in self.entries.chunks_exact_mut(w) {
                    let x = row[place - n];
                    row[n + 1] += x * shift;
                    row[place - n] = -x;
                }
            }
        }
        self.reflected[k] = !self.reflected[k];
        for (variable, sign) in &mut self.start {
            if *variable == k || *variable == n + k {
                *sign = -*sign;
            }
        }
    }

    /// Brings the wanted variables into the basis, largest entries of each column first; the number left outside.
    pub fn exchange_to(&mut self, wanted: impl Fn(usize) -> bool) -> usize {
        loop {
            let (mut left, mut moved) = (0, false);
            for column in 0..=self.n {
                if !wanted(self.nonbasic[column]) {
                    continue;
                }
                let best = (0..self.n)
                    .filter(|&row| !wanted(self.basic[row]))
                    .max_by(|&a, &b| self.at(a, column).abs().total_cmp(&self.at(b, column).abs()));
                match best.filter(|&row| self.at(row, column).abs() > SINGULAR) {
                    Some(row) => {
                        self.pivot(row, column);
                        moved = true;
                    }
                    None => left += 1,
                }
            }
            if left == 0 || !moved {
                return left;
            }
        }
    }

    /// The tableau of the first `m` pairs alone, the others being settled.
    pub fn without(&self, m: usize) -> Self {
        let (n, mut small) = (self.n, Self::new(self.cap[..m].to_vec(), |_, _| 0.0, |_| 0.0));
        let pair = |variable: usize| if variable < n { variable } else { variable - n };
        let number = |variable: usize| if variable < n { variable } else { variable - n + m };
        let rows: Vec<usize> = (0..n).filter(|&row| pair(self.basic[row]) < m).collect();
        let columns: Vec<usize> = (0..=n).filter(|&c| pair(self.nonbasic[c]) < m).collect();
        for (i, &row) in rows.iter().enumerate() {
            small.basic[i] = number(self.basic[row]);
            small.place[small.basic[i]] = i;
            for (j, &column) in columns.iter().chain([&(n + 1)]).enumerate() {
                let j = if column == n + 1 { m + 1 } else { j };
                small.entries[i * (m + 2) + j] = self.at(row, column);
            }
        }
        for (j, &column) in columns.iter().enumerate() {
            small.nonbasic[j] = number(self.nonbasic[column]);
            small.place[small.nonbasic[j]] = m + j;
        }
        small
    }

    /// Follows the path of Lemke's method from the present complementary basis; `weight(k)` > 0 is the covering
    /// vector.
    pub fn path(&mut self, most: usize, rules: Rules, weight: impl Fn(usize) -> f64) -> (End, usize) {
        let Some(first) = self.cover(rules.snap, weight) else {
            return (End::Solved, 0);
        };
        let from = self.clone();
        let z0 = 2 * self.n;
        let mut leaving = self.pivot(first, self.place[z0] - self.n);
        let look = LOOK.max(self.n / 2);
        for count in 1..most {
            let partner = if leaving < self.n { leaving + self.n } else { leaving - self.n };
            let column = self.place[partner] - self.n;
            let Some((row, at_cap)) = self.ratio_test(column, rules.pivot) else {
                return (End::Ray, count);
            };
            if row == self.n {
                // The entering x goes to its other bound and stays outside; now u follows.
                self.reflect(partner);
                leaving = partner;
                continue;
            }
            if at_cap {
                self.reflect(self.basic[row]);
            }
            leaving = self.pivot(row, column);
            if leaving == z0 {
                return (End::Solved, count + 1);
            }
            if count % look == 0 && self.drift(&from) > DRIFT {
                self.refresh(&from);
            }
        }
        (End::Limit, most)
    }

    /// Makes the present basis the starting one and writes d into the column of z₀; returns the row where z₀ comes in.
    ///
    /// What is negative by less than `snap` is rounding and becomes zero.
    /// A row between two bounds cannot follow z₀ for ever: if it is outside, z₀ takes it half way across.
    fn cover(&mut self, snap: f64, weight: impl Fn(usize) -> f64) -> Option<usize> {
        let (n, w) = (self.n, self.width());
        for row in 0..n {
            let variable = self.basic[row];
            if self.rhs(row) > self.upper(variable) {
                self.reflect(variable);
            }
            let b = &mut self.entries[row * w + n + 1];
            if *b < 0.0 && *b >= -snap {
                *b = 0.0;
            }
        }
        self.start = self.basic.iter().map(|&variable| (variable, 1.0)).collect();
        let depth = (0..n).fold(0.0f64, |m, row| m.max(-self.rhs(row) / weight(row)));
        if depth == 0.0 {
            return None;
        }
        let column = self.place[2 * n] - n;
        for row in 0..n {
            let (b, upper) = (self.rhs(row), self.upper(self.basic[row]));
            self.entries[row * w + column] = match upper < f64::INFINITY {
                true if b < 0.0 => (0.5 * upper - b) / depth,
                true => 0.0,
                false => weight(row),
            };
        }
        // The last of equals: its ε is the smallest.
        let need = |row: usize| {
            let d = self.at(row, column);
            if d > 0.0 { -self.rhs(row) / d } else { f64::NEG_INFINITY }
        };
        let first =
            (0..n).fold(
                0,
                |best, row| {
                    if need(row) >= need(best) - TIE * need(best).abs() { row } else { best }
                },
            );
        Some(first)
    }

    /// The row that stops the growth of a column, and whether at its upper bound; row n is the column's own cap.
    fn ratio_test(&self, column: usize, pivot_tolerance: f64) -> Option<(usize, bool)> {
        let n = self.n;
        let largest = (0..n).fold(1.0f64, |m, row| m.max(self.at(row, column).abs()));
        let level = pivot_tolerance * largest;
        let mut ties: Vec<(usize, f64)> = Vec::new();
        let mut least = self.upper(self.nonbasic[column]);
        if least < f64::INFINITY {
            ties.push((n, 1.0));
        }
        for row in 0..n {
            let a = self.at(row, column);
            let room = if a < -level {
                self.rhs(row)
            } else if a > level {
                self.upper(self.basic[row]) - self.rhs(row)
            } else {
                continue;
            };
            let ratio = room.max(0.0) / a.abs();
            if ratio > least + TIE * (1.0 + least) || ratio == f64::INFINITY {
                continue;
            }
            if ratio < least - TIE * (1.0 + ratio) {
                ties.clear();
            }
            least = least.min(ratio);
            ties.push((row, a));
        }
        let z0 = self.place[2 * n];
        let best = if ties.iter().any(|&(row, _)| row == z0) { z0 } else { self.lexicographic(ties)? };
        Some((best, best < n && self.at(best, column) > 0.0))
    }

    /// The lexicographic least of rows with equal ratios: (row, entry of the entering column).
    fn lexicographic(&self, mut ties: Vec<(usize, f64)>) -> Option<usize> {
        for &(variable, sign) in &self.start {
            if ties.len() <= 1 {
                break;
            }
            let place = self.place[variable];
            // Still in the basis, and in none of these rows: its ε decides nothing.
            if place < self.n && ties.iter().all(|tie| tie.0 != place) {
                continue;
            }
            // The coefficient of this ε in the room of the row, per unit of the entering column.
            let slope = |&(row, a): &(usize, f64)| {
                if row == self.n {
                    0.0
                } else if place < self.n {
                    if row == place { -sign / a } else { 0.0 }
                } else {
                    sign * self.at(row, place - self.n) / a
                }
            };
            let least = ties.iter().map(slope).fold(f64::INFINITY, f64::min);
            ties.retain(|tie| slope(tie) <= least + TIE * (1.0 + least.abs()));
        }
        // What is still equal differs by rounding: the largest entry is the safest.
        ties.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|tie| tie.0)
    }

    /// How far the present values are from satisfying the rows of `from`.
    fn drift(&self, from: &Tableau) -> f64 {
        let n = self.n;
        // In the terms of `from`: z₀, and pairs reflected since.
        let value = |variable: usize| {
            let here = self.place[variable];
            let y = if here < n { self.rhs(here) } else { 0.0 };
            let pair = if variable < n { variable } else { variable - n };
            match variable < 2 * n && self.reflected[pair] != from.reflected[pair] {
                true if variable < n => self.cap[pair] - y,
                true => -y,
                false => y,
            }
        };
        let y: Vec<f64> = from.nonbasic.iter().map(|&variable| value(variable)).collect();
        let mut worst = 0.0f64;
        for row in 0..n {
            let line = &from.entries[row * (n + 2)..(row + 1) * (n + 2)];
            let (mut sum, mut size) = (line[n + 1], 1.0f64);
            for (a, y) in line.iter().zip(&y) {
                sum += a * y;
                size = size.max((a * y).abs());
            }
            worst = worst.max((sum - value(from.basic[row])).abs() / size);
        }
        worst
    }

    /// Computes the tableau of the present basis anew from an earlier one.
    fn refresh(&mut self, from: &Tableau) {
        let mut anew = from.clone();
        for k in 0..self.n {
            if anew.reflected[k] != self.reflected[k] {
                anew.reflect(k);
            }
        }
        if anew.exchange_to(|variable| self.place[variable] < self.n) == 0 {
            *self = anew;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(m: &[&[f64]], q: &[f64], cap: &[f64]) -> (End, Vec<f64>) {
        let mut tableau = Tableau::new(cap.to_vec(), |i, j| m[i][j], |i| q[i]);
        let (end, _) = tableau.path(100, Rules { pivot: 1e-9, snap: 0.0 }, |_| 1.0);
        (end, (0..q.len()).map(|k| tableau.x(k)).collect())
    }

    #[test]
    fn a_path_ends_in_the_solution_or_on_a_ray() {
        let free = [f64::INFINITY; 2];
        let (end, x) = path_of(&[&[2.0, 1.0], &[1.0, 2.0]], &[-2.0, 1.0], &free);
        assert_eq!((end, x), (End::Solved, vec![1.0, 0.0]));
        assert_eq!(path_of(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0], &free).0, End::Ray);
    }

    /// x₀ is stopped at its cap and x₁ must do the rest; a ray without caps is none with them.
    #[test]
    fn variables_stop_at_their_caps() {
        let (end, x) = path_of(&[&[1.0, 0.5], &[0.5, 1.0]], &[-4.0, -1.0], &[2.0, 9.0]);
        assert_eq!((end, x), (End::Solved, vec![2.0, 0.0]));
        let (end, x) = path_of(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0], &[3.0, 2.0]);
        assert_eq!((end, x), (End::Solved, vec![3.0, 2.0]));
    }

    /// The tableau computed anew is the one that pivots have led to.
    #[test]
    fn refreshing_changes_nothing_but_rounding() {
        let m = [[4.0, 1.0, -2.0], [0.5, 3.0, 1.0], [1.0, -1.0, 5.0]];
        let mut tableau = Tableau::new(vec![1.0; 3], |i, j| m[i][j], |i| i as f64 - 2.5);
        let from = tableau.clone();
        tableau.pivot(0, 0);
        tableau.pivot(2, 2);
        tableau.reflect(0);
        tableau.reflect(1);
        assert!(tableau.drift(&from) < 1e-15);
        let mut anew = tableau.clone();
        anew.refresh(&from);
        (0..3).for_each(|k| assert!((anew.x(k) - tableau.x(k)).abs() < 1e-15));
    }
}
