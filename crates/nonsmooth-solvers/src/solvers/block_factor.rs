//! L D Lᵀ of W = J M⁻¹ Jᵀ + D in blocks, for constraints between two bodies each.
//!
//! ```text
//! W_cd = Σ_b J_cb M_b⁻¹ J_dbᵀ        over the bodies b that c and d share
//! W_rs ← W_rs − L_rk D_k L_skᵀ       where k is eliminated before r and s
//! ```
//!
//! One block per pair of constraints. The order is that of least degree, the lowest number first, so that chains and trees have no
//! fill: their factor takes time proportional to their length. Order and places of blocks are found once for each graph; the numbers
//! are written anew in the same memory.

use super::Factored;
use super::block_graph::{Graph, Link, Side};
use crate::jacobian::Jacobian;
use crate::mass_groups::{IMMOVABLE, MassGroups};
use crate::vector::{add_rows, add6, dot6, wrench};

/// A pivot of less than this share of its diagonal entry says that a row follows from others.
const SINGULAR: f64 = 1e-9;

/// The factor.
#[derive(Default)]
pub(super) struct BlockFactor {
    graph: Graph,
    /// The structure of J that the graph is of.
    structure: Option<u64>,
    /// M⁻¹ Jᵀ by rows of sides.
    responses: Vec<[f64; 6]>,
    /// Blocks by rows: of the diagonal L and 1/D, and below it L.
    values: Vec<f64>,
    /// L D of one column.
    column: Vec<f64>,
    v: Vec<[f64; 6]>,
    /// The least pivot, as a share of its diagonal entry of W.
    weakest: f64,
}

impl BlockFactor {
    /// The least pivot of the last factor, as a share of its diagonal entry of W: small where rows nearly follow from others.
    pub(super) fn weakest(&self) -> f64 {
        self.weakest
    }

    /// Factors W of all constraints, `compliance` its D by row; unsuited where a constraint does not join two bodies or the factor has too
    /// many blocks.
    pub(super) fn factor(
        &mut self,
        mass: &MassGroups,
        jacobian: &Jacobian,
        compliance: &[f64],
    ) -> Factored {
        if !self.renew(mass, jacobian) {
            return Factored::Unsuited;
        }
        self.respond(mass, jacobian);
        self.fill(jacobian, compliance);
        if self.eliminate() { Factored::Made } else { Factored::Singular }
    }

    /// Finds the graph anew where it has changed; whether it fits.
    fn renew(&mut self, mass: &MassGroups, jacobian: &Jacobian) -> bool {
        let n = jacobian.n_constraints();
        let is_fixed = |body: u32| mass.bodies()[body as usize].is_fixed();
        if jacobian.structure().is_some() && jacobian.structure() == self.structure {
            let graph = &self.graph;
            let moves = |side: &Side| !is_fixed(side.body);
            if graph.sides.iter().all(moves) && graph.held.iter().all(|&body| is_fixed(body)) {
                return graph.is_sparse;
            }
        }
        self.structure = None;
        let mut held = Vec::new();
        let mut link = |c: usize| -> Option<Link> {
            let bodies = jacobian.bodies(c)?.map(|body| {
                let is_held = body != IMMOVABLE && is_fixed(body);
                held.extend(is_held.then_some(body));
                if is_held { IMMOVABLE } else { body }
            });
            Some(Link { bodies, dim: jacobian.rows_of(c).len() as u32 })
        };
        let links: Option<Vec<Link>> = (0..n).map(&mut link).collect();
        let Some(links) = links else {
            self.graph = Graph::default();
            return false;
        };
        if self.graph.links != links {
            self.graph = Graph::new(links, mass.bodies().len());
        }
        self.graph.held = held;
        self.structure = jacobian.structure();
        self.graph.is_sparse
    }

    /// M⁻¹ Jᵀ of every side.
    fn respond(&mut self, mass: &MassGroups, jacobian: &Jacobian) {
        self.responses.clear();
        let layout = &mass.layout().bodies;
        let on = [jacobian.rows_on(0), jacobian.rows_on(1)];
        for side in &self.graph.sides {
            let (inertia, planar) =
                (&mass.bodies()[side.body as usize], layout[side.body as usize].planar);
            for row in &on[side.end as usize & 1][side.row as usize..][..side.dim as usize] {
                let mut moved = inertia.respond(row);
                if planar {
                    (moved[2], moved[3], moved[4]) = (0.0, 0.0, 0.0);
                }
                self.responses.push(moved);
            }
        }
    }

    /// W into its blocks, of those of the diagonal the lower half.
    fn fill(&mut self, jacobian: &Jacobian, compliance: &[f64]) {
        self.values.clear();
        self.values.resize(self.graph.n_values, 0.0);
        match self.graph.uniform {
            1 => self.fill_blocks(jacobian, |_| 1),
            2 => self.fill_blocks(jacobian, |_| 2),
            3 => self.fill_blocks(jacobian, |_| 3),
            5 => self.fill_blocks(jacobian, |_| 5),
            _ => self.fill_blocks(jacobian, |dim| dim as usize),
        }
        if compliance.is_empty() {
            return;
        }
        let graph = &self.graph;
        for ((&dim, &row), &first) in graph.dim.iter().zip(&graph.row).zip(&graph.diagonal) {
            let dim = dim as usize;
            for k in 0..dim {
                self.values[first as usize + k * (dim + 1)] += compliance[row as usize + k];
            }
        }
    }

    #[inline(always)]
    fn fill_blocks(&mut self, jacobian: &Jacobian, known: impl Fn(u8) -> usize) {
        let Self { graph, responses, values, .. } = self;
        let on = [jacobian.rows_on(0), jacobian.rows_on(1)];
        for coupling in &graph.couplings {
            let [n, m] = coupling.dims.map(&known);
            let given = &on[coupling.end as usize & 1][coupling.row as usize..][..n];
            let moved = &responses[coupling.response as usize..][..m];
            let block = &mut values[coupling.first as usize..][..n * m];
            if coupling.is_diagonal {
                add_lower_products(given, moved, block);
            } else {
                add_products(given, moved, block);
            }
        }
    }

    /// Blocks of W to those of its factor; whether no pivot vanishes.
    fn eliminate(&mut self) -> bool {
        match self.graph.uniform {
            1 => self.eliminate_blocks(|_| 1),
            2 => self.eliminate_blocks(|_| 2),
            3 => self.eliminate_blocks(|_| 3),
            5 => self.eliminate_blocks(|_| 5),
            _ => self.eliminate_blocks(|dim| dim as usize),
        }
    }

    #[inline(always)]
    fn eliminate_blocks(&mut self, known: impl Fn(u32) -> usize) -> bool {
        let Self { graph, values, column, weakest, .. } = self;
        *weakest = f64::INFINITY;
        let mut update = 0;
        for k in 0..graph.dim.len() {
            let (dim, first) = (known(graph.dim[k]), graph.diagonal[k] as usize);
            let (before, after) = values.split_at_mut(first + dim * dim);
            let diagonal = &mut before[first..][..dim * dim];
            let share = factor_dense(diagonal, dim);
            if !(share > SINGULAR) {
                return false;
            }
            *weakest = weakest.min(share);
            let below = &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize];
            // Blocks below stand behind the diagonal, in order.
            let rows: usize = below.iter().map(|b| known(graph.dim[b.position as usize])).sum();
            let (own, later) = after.split_at_mut(rows * dim);
            column.clear();
            column.extend_from_slice(own);
            divide(diagonal, dim, own, column);
            let behind = first + dim * dim + rows * dim;
            let mut of_s = 0;
            for (i, s) in below.iter().enumerate() {
                let n_s = known(graph.dim[s.position as usize]);
                let mut of_r = of_s;
                for r in &below[i..] {
                    let n_r = known(graph.dim[r.position as usize]);
                    let target = graph.updates[update] as usize - behind;
                    update += 1;
                    let block = &mut later[target..][..n_r * n_s];
                    let (x, y) = (&column[of_r * dim..][..n_r * dim], &own[of_s * dim..][..n_s * dim]);
                    subtract_product(x, y, [n_r, n_s, dim], block);
                    of_r += n_r;
                }
                of_s += n_s;
            }
        }
        true
    }

    /// x ← W⁻¹ x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        match self.graph.uniform {
            1 => self.substitute(x, |_| 1),
            2 => self.substitute(x, |_| 2),
            3 => self.substitute(x, |_| 3),
            5 => self.substitute(x, |_| 5),
            _ => self.substitute(x, |dim| dim as usize),
        }
    }

    #[inline(always)]
    fn substitute(&self, x: &mut [f64], known: impl Fn(u32) -> usize) {
        let Self { graph, values, .. } = self;
        let mut own = [0.0; 6];
        for k in 0..graph.dim.len() {
            let (dim, row) = (known(graph.dim[k]), graph.row[k] as usize);
            let diagonal = &values[graph.diagonal[k] as usize..][..dim * dim];
            let own = &mut own[..dim];
            own.copy_from_slice(&x[row..][..dim]);
            for j in 1..dim {
                for l in 0..j {
                    own[j] -= diagonal[j * dim + l] * own[l];
                }
            }
            x[row..][..dim].copy_from_slice(own);
            for b in &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize] {
                let (to, n) =
                    (graph.row[b.position as usize] as usize, known(graph.dim[b.position as usize]));
                let (block, x) = (&values[b.first as usize..][..n * dim], &mut x[to..][..n]);
                for i in 0..n {
                    let mut sum = 0.0;
                    for l in 0..dim {
                        sum += block[i * dim + l] * own[l];
                    }
                    x[i] -= sum;
                }
            }
        }
        for k in (0..graph.dim.len()).rev() {
            let (dim, row) = (known(graph.dim[k]), graph.row[k] as usize);
            let diagonal = &values[graph.diagonal[k] as usize..][..dim * dim];
            let own = &mut own[..dim];
            for j in 0..dim {
                own[j] = x[row + j] * diagonal[j * dim + j];
            }
            for b in &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize] {
                let (from, n) =
                    (graph.row[b.position as usize] as usize, known(graph.dim[b.position as usize]));
                let (block, moved) = (&values[b.first as usize..][..n * dim], &x[from..][..n]);
                for i in 0..n {
                    for l in 0..dim {
                        own[l] -= block[i * dim + l] * moved[i];
                    }
                }
            }
            for j in (0..dim).rev() {
                for l in 0..j {
                    own[l] -= diagonal[j * dim + l] * own[j];
                }
            }
            x[row..][..dim].copy_from_slice(own);
        }
    }

    /// u ← W p + u_free, from masses and rows and not from the factor.
    pub(super) fn product(
        &mut self,
        jacobian: &Jacobian,
        (compliance, u_free): (&[f64], &[f64]),
        p: &[f64],
        u: &mut Vec<f64>,
    ) {
        let Self { graph, responses, v, .. } = self;
        v.clear();
        v.resize(graph.n_bodies, [0.0; 6]);
        let on = [jacobian.rows_on(0), jacobian.rows_on(1)];
        let dim = |side: &Side| if graph.uniform == 1 { 1 } else { side.dim as usize };
        for side in &graph.sides {
            let p = &p[side.row as usize..][..dim(side)];
            add6(&mut v[side.body as usize], 1.0, &wrench(&responses[side.first as usize..], p));
        }
        u.clear();
        u.extend_from_slice(u_free);
        u.iter_mut().zip(compliance.iter().zip(p)).for_each(|(u, (d, p))| *u += d * p);
        for side in &graph.sides {
            let u = &mut u[side.row as usize..][..dim(side)];
            add_rows(&on[side.end as usize & 1][side.row as usize..], &v[side.body as usize], u);
        }
    }
}

// The loops are written once and compiled for the usual numbers of rows, where all constraints have the same.

/// block ← block + rows · columnsᵀ.
#[inline(always)]
fn add_products(rows: &[[f64; 6]], columns: &[[f64; 6]], block: &mut [f64]) {
    let n = columns.len();
    let block = &mut block[..rows.len() * n];
    for i in 0..rows.len() {
        for j in 0..n {
            block[i * n + j] += dot6(&rows[i], &columns[j]);
        }
    }
}

/// The lower half of the same, with the diagonal.
#[inline(always)]
fn add_lower_products(rows: &[[f64; 6]], columns: &[[f64; 6]], block: &mut [f64]) {
    let n = columns.len();
    let block = &mut block[..rows.len() * n];
    for i in 0..rows.len() {
        for j in 0..=i {
            block[i * n + j] += dot6(&rows[i], &columns[j]);
        }
    }
}

/// Rows x of a block below the diagonal, L D Lᵀ = x: `scaled` ← L D, `own` ← L.
#[inline(always)]
fn divide(diagonal: &[f64], dim: usize, own: &mut [f64], scaled: &mut [f64]) {
    for (row, scaled) in own.chunks_exact_mut(dim).zip(scaled.chunks_exact_mut(dim)) {
        for j in 0..dim {
            let mut x = scaled[j];
            for l in 0..j {
                x -= scaled[l] * diagonal[j * dim + l];
            }
            scaled[j] = x;
            row[j] = x * diagonal[j * dim + j];
        }
    }
}

/// block ← block − x yᵀ, where x has `n` rows, y has `m`, and both have `dim` columns.
#[inline(always)]
fn subtract_product(x: &[f64], y: &[f64], [n, m, dim]: [usize; 3], block: &mut [f64]) {
    let block = &mut block[..n * m];
    for i in 0..n {
        for j in 0..m {
            let mut sum = 0.0;
            for k in 0..dim {
                sum += x[i * dim + k] * y[j * dim + k];
            }
            block[i * m + j] -= sum;
        }
    }
}

/// A ← L and 1/D of A = L D Lᵀ, by rows; returns the least pivot as a share of its own entry.
#[inline(always)]
fn factor_dense(a: &mut [f64], dim: usize) -> f64 {
    let mut weakest = f64::INFINITY;
    for j in 0..dim {
        let own = a[j * dim + j];
        // L D stands in row j until its pivot is known.
        for l in 0..j {
            for m in 0..l {
                a[j * dim + l] -= a[j * dim + m] * a[l * dim + m];
            }
        }
        let mut pivot = own;
        for l in 0..j {
            let scaled = a[j * dim + l];
            a[j * dim + l] = scaled * a[l * dim + l];
            pivot -= scaled * a[j * dim + l];
        }
        // A NaN is kept.
        weakest = if pivot / own >= weakest { weakest } else { pivot / own };
        a[j * dim + j] = 1.0 / pivot;
    }
    weakest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass_groups::{BodyVelocities, Inertia, VelocityLayout};
    use crate::responses::assemble;
    use crate::sparse::Sparse;
    use std::sync::Arc;

    /// Numbers in −1 … 1 of a linear congruential generator.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn rows(&mut self, dim: usize) -> Vec<[f64; 6]> {
            (0..dim).map(|_| std::array::from_fn(|_| self.next())).collect()
        }
    }

    /// Bodies with masses over four decades; those at places that divide by three are planar.
    fn bodies(n: usize, numbers: &mut Numbers) -> MassGroups {
        let mut layout = VelocityLayout::default();
        for k in 0..n {
            let planar = k % 3 == 2;
            layout.bodies.push(BodyVelocities { first: layout.n as u32, planar });
            layout.n += if planar { 3 } else { 6 };
        }
        let mut mass = MassGroups::new(Arc::new(layout));
        for k in 0..n {
            let size = 10f64.powf(2.0 * numbers.next());
            let inv_inertia = [3.0, 4.0, 5.0, 0.5, 0.2, -0.3].map(|x| x * size);
            let round = if k % 3 == 2 { [0.0, 0.0, size, 0.0, 0.0, 0.0] } else { inv_inertia };
            mass.bodies_mut()[k] = Inertia { inv_mass: size, inv_inertia: round };
        }
        mass
    }

    /// |W x − b| after x = W⁻¹ b against W by rows, relative to |b|; none where there is no factor.
    fn error(mass: &MassGroups, jacobian: &Jacobian, compliance: &[f64]) -> Option<f64> {
        let mut factor = BlockFactor::default();
        if factor.factor(mass, jacobian, compliance) != Factored::Made {
            return None;
        }
        let b: Vec<f64> = (0..jacobian.n_rows()).map(|i| (1.0 + i as f64).sin()).collect();
        let mut x = b.clone();
        factor.solve(&mut x);
        let mut w = Sparse::default();
        assemble(mass, jacobian, compliance, &mut w);
        let mut u = Vec::new();
        factor.product(jacobian, (compliance, &vec![0.0; b.len()]), &x, &mut u);
        let mut worst = 0.0f64;
        for (i, b) in b.iter().enumerate() {
            worst = worst.max((w.row_dot(i, &x) - b).abs());
            assert!((w.row_dot(i, &x) - u[i]).abs() < 1e-9, "the product agrees with W by rows");
        }
        Some(worst)
    }

    #[test]
    fn the_factor_solves_trees_loops_and_hubs_of_bodies_in_plane_and_space() {
        let mut numbers = Numbers(7);
        for n in [1, 2, 5, 20, 60] {
            let mass = bodies(n, &mut numbers);
            let mut jacobian = Jacobian::new(mass.layout().clone());
            for k in 0..n as u32 {
                // A tree with the world as its root, and now and then a second link that closes a loop.
                let parent = if k == 0 { IMMOVABLE } else { (k - 1) / 2 };
                let dim = [1, 2, 3][k as usize % 3];
                jacobian.push_pair([parent, k], &numbers.rows(dim), &numbers.rows(dim));
                if k % 7 == 6 {
                    jacobian.push_pair([k, k - 5], &numbers.rows(1), &numbers.rows(1));
                }
            }
            let compliance: Vec<f64> = (0..jacobian.n_rows()).map(|i| (i % 2) as f64 * 0.1).collect();
            for compliance in [&[][..], &compliance] {
                let error = error(&mass, &jacobian, compliance).expect("there is a factor");
                assert!(error < 1e-8, "{n} bodies: {error:e}");
            }
        }
    }

    #[test]
    fn both_ends_of_a_link_may_lie_on_one_body() {
        let mut numbers = Numbers(3);
        let mass = bodies(2, &mut numbers);
        let mut jacobian = Jacobian::new(mass.layout().clone());
        jacobian.push_pair([1, 1], &numbers.rows(1), &numbers.rows(1));
        jacobian.push_pair([0, 1], &numbers.rows(2), &numbers.rows(2));
        let error = error(&mass, &jacobian, &[]).expect("there is a factor");
        assert!(error < 1e-12, "{error:e}");
    }

    #[test]
    fn rows_that_follow_from_others_and_rows_that_join_no_bodies_have_no_factor() {
        let mut numbers = Numbers(5);
        let mass = bodies(2, &mut numbers);
        let mut jacobian = Jacobian::new(mass.layout().clone());
        let (a, b) = (numbers.rows(2), numbers.rows(2));
        jacobian.push_pair([0, 1], &a, &b);
        jacobian.push_pair([0, 1], &a, &b);
        assert_eq!(error(&mass, &jacobian, &[]), None);
        let mut jacobian = Jacobian::new(mass.layout().clone());
        jacobian.push_row(&[0], &[1.0]);
        jacobian.finish_rows();
        assert_eq!(error(&mass, &jacobian, &[]), None);
    }

    #[test]
    fn another_graph_or_another_fixed_body_takes_another_order() {
        let mut numbers = Numbers(11);
        let (mut mass, mut factor) = (bodies(4, &mut numbers), BlockFactor::default());
        let mut jacobian = Jacobian::new(mass.layout().clone());
        for k in 1..4 {
            jacobian.push_pair([k - 1, k], &numbers.rows(2), &numbers.rows(2));
        }
        assert_eq!(factor.factor(&mass, &jacobian, &[]), Factored::Made);
        mass.bodies_mut()[1] = Inertia::default();
        assert_eq!(factor.factor(&mass, &jacobian, &[]), Factored::Made);
        let mut w = Sparse::default();
        assemble(&mass, &jacobian, &[], &mut w);
        let mut x = vec![1.0; 6];
        factor.solve(&mut x);
        (0..6).for_each(|i| assert!((w.row_dot(i, &x) - 1.0).abs() < 1e-9));
    }
}
