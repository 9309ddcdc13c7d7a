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

use crate::jacobian::Jacobian;
use crate::mass_groups::{IMMOVABLE, MassGroups};
use crate::vector::{add6, dot6};
use std::collections::BTreeSet;

/// Most blocks of the factor for each constraint: nets have more, and there a factor by panels is faster.
const MOST_BLOCKS: usize = 24;
/// A pivot of less than this share of its diagonal entry says that a row follows from others.
const SINGULAR: f64 = 1e-9;

/// The two bodies of a constraint, and its number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    bodies: [u32; 2],
    dim: u32,
}

/// A block of L below the diagonal: the position of its rows, and where its numbers begin.
#[derive(Clone, Copy, Debug)]
struct Below {
    position: u32,
    first: u32,
}

/// What two sides at one body add to W: the sides that give its rows and its columns, and where its numbers begin.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    rows: u32,
    columns: u32,
    first: u32,
}

/// Rows of one constraint on one body.
#[derive(Clone, Copy, Debug)]
struct Side {
    constraint: u32,
    body: u32,
    /// 0 for a, 1 for b.
    end: u8,
    dim: u32,
    /// Its first row among the responses.
    first: u32,
}

/// Which constraints share a body, in what order they are eliminated, and where their blocks stand.
#[derive(Default)]
struct Graph {
    links: Vec<Link>,
    sides: Vec<Side>,
    couplings: Vec<Coupling>,
    /// By position: number of rows, first row of the problem, where the diagonal block begins, first of its blocks below.
    dim: Vec<u32>,
    row: Vec<u32>,
    diagonal: Vec<u32>,
    start: Vec<u32>,
    below: Vec<Below>,
    /// Where the blocks begin that each pair of blocks of a column changes, column by column.
    updates: Vec<u32>,
    n_values: usize,
    n_responses: usize,
    /// Whether the factor has few enough blocks.
    is_sparse: bool,
}

/// The factor.
#[derive(Default)]
pub(super) struct BlockFactor {
    graph: Graph,
    /// M⁻¹ Jᵀ by rows of sides.
    responses: Vec<[f64; 6]>,
    /// Blocks by rows: of the diagonal L and 1/D, and below it L.
    values: Vec<f64>,
    /// L D of one column.
    column: Vec<f64>,
    v: Vec<[f64; 6]>,
}

impl BlockFactor {
    /// Factors W of all constraints, `compliance` its D by row; false where a constraint does not join two bodies, W is singular, or the
    /// factor has too many blocks.
    pub(super) fn factor(&mut self, mass: &MassGroups, jacobian: &Jacobian, compliance: &[f64]) -> bool {
        if !self.renew(mass, jacobian) {
            return false;
        }
        self.respond(mass, jacobian);
        self.fill(jacobian, compliance);
        self.eliminate()
    }

    /// Finds the graph anew where it has changed; whether it fits.
    fn renew(&mut self, mass: &MassGroups, jacobian: &Jacobian) -> bool {
        let n = jacobian.n_constraints();
        let link = |c: usize| -> Option<Link> {
            let is_held = |body: u32| body == IMMOVABLE || mass.bodies()[body as usize].is_fixed();
            let bodies = jacobian.bodies(c)?.map(|body| if is_held(body) { IMMOVABLE } else { body });
            Some(Link { bodies, dim: jacobian.rows_of(c).len() as u32 })
        };
        let known = &self.graph.links;
        let same = known.len() == n && (0..n).all(|c| link(c) == Some(known[c]));
        if !same {
            let links: Option<Vec<Link>> = (0..n).map(link).collect();
            let Some(links) = links else {
                self.graph.links.clear();
                return false;
            };
            self.graph = Graph::new(links, mass.bodies().len());
        }
        self.graph.is_sparse
    }

    /// M⁻¹ Jᵀ of every side.
    fn respond(&mut self, mass: &MassGroups, jacobian: &Jacobian) {
        self.responses.clear();
        let layout = &mass.layout().bodies;
        for side in &self.graph.sides {
            let (inertia, planar) =
                (&mass.bodies()[side.body as usize], layout[side.body as usize].planar);
            for row in jacobian.side(side.constraint as usize, side.end as usize) {
                let mut moved = inertia.respond(row);
                if planar {
                    (moved[2], moved[3], moved[4]) = (0.0, 0.0, 0.0);
                }
                self.responses.push(moved);
            }
        }
    }

    /// W into its blocks.
    fn fill(&mut self, jacobian: &Jacobian, compliance: &[f64]) {
        let graph = &self.graph;
        self.values.clear();
        self.values.resize(graph.n_values, 0.0);
        for &Coupling { rows, columns, first } in &graph.couplings {
            let (rows, columns) = (&graph.sides[rows as usize], &graph.sides[columns as usize]);
            let given = jacobian.side(rows.constraint as usize, rows.end as usize);
            let moved = &self.responses[columns.first as usize..][..columns.dim as usize];
            let block = &mut self.values[first as usize..][..given.len() * moved.len()];
            match (given.len(), moved.len()) {
                (1, 1) => add_products(&given[..1], &moved[..1], block),
                (2, 2) => add_products(&given[..2], &moved[..2], block),
                (3, 3) => add_products(&given[..3], &moved[..3], block),
                (5, 5) => add_products(&given[..5], &moved[..5], block),
                _ => add_products(given, moved, block),
            }
        }
        if compliance.is_empty() {
            return;
        }
        for ((&dim, &row), &first) in graph.dim.iter().zip(&graph.row).zip(&graph.diagonal) {
            let dim = dim as usize;
            for k in 0..dim {
                self.values[first as usize + k * (dim + 1)] += compliance[row as usize + k];
            }
        }
    }

    /// Blocks of W to those of its factor; whether no pivot vanishes.
    fn eliminate(&mut self) -> bool {
        let Self { graph, values, column, .. } = self;
        let mut update = 0;
        for k in 0..graph.dim.len() {
            let (dim, first) = (graph.dim[k] as usize, graph.diagonal[k] as usize);
            if !factor_dense(&mut values[first..first + dim * dim], dim) {
                return false;
            }
            let below = &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize];
            let (before, after) = values.split_at_mut(first + dim * dim);
            let diagonal = &before[first..];
            // Blocks below stand behind the diagonal, in order.
            let rows: usize = below.iter().map(|b| graph.dim[b.position as usize] as usize).sum();
            let (own, later) = after.split_at_mut(rows * dim);
            column.clear();
            column.extend_from_slice(own);
            match dim {
                1 => divide(&diagonal[..1], 1, own, column),
                2 => divide(&diagonal[..4], 2, own, column),
                3 => divide(&diagonal[..9], 3, own, column),
                5 => divide(&diagonal[..25], 5, own, column),
                _ => divide(diagonal, dim, own, column),
            }
            let behind = first + dim * dim + rows * dim;
            let mut of_s = 0;
            for (i, s) in below.iter().enumerate() {
                let n_s = graph.dim[s.position as usize] as usize;
                let mut of_r = of_s;
                for r in &below[i..] {
                    let n_r = graph.dim[r.position as usize] as usize;
                    let target = graph.updates[update] as usize - behind;
                    update += 1;
                    let block = &mut later[target..target + n_r * n_s];
                    let (x, y) = (&column[of_r * dim..][..n_r * dim], &own[of_s * dim..][..n_s * dim]);
                    match (n_r, n_s, dim) {
                        (1, 1, 1) => subtract_product(&x[..1], &y[..1], [1; 3], block),
                        (2, 2, 2) => subtract_product(&x[..4], &y[..4], [2; 3], block),
                        (3, 3, 3) => subtract_product(&x[..9], &y[..9], [3; 3], block),
                        (5, 5, 5) => subtract_product(&x[..25], &y[..25], [5; 3], block),
                        _ => subtract_product(x, y, [n_r, n_s, dim], block),
                    }
                    of_r += n_r;
                }
                of_s += n_s;
            }
        }
        true
    }

    /// x ← W⁻¹ x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let Self { graph, values, .. } = self;
        for k in 0..graph.dim.len() {
            let (dim, row) = (graph.dim[k] as usize, graph.row[k] as usize);
            let diagonal = &values[graph.diagonal[k] as usize..][..dim * dim];
            for j in 1..dim {
                for l in 0..j {
                    x[row + j] -= diagonal[j * dim + l] * x[row + l];
                }
            }
            for b in &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize] {
                let to = graph.row[b.position as usize] as usize;
                let n = graph.dim[b.position as usize] as usize;
                let block = &values[b.first as usize..][..n * dim];
                for (i, own) in block.chunks_exact(dim).enumerate() {
                    x[to + i] -= own.iter().zip(&x[row..row + dim]).map(|(l, x)| l * x).sum::<f64>();
                }
            }
        }
        for k in (0..graph.dim.len()).rev() {
            let (dim, row) = (graph.dim[k] as usize, graph.row[k] as usize);
            let diagonal = &values[graph.diagonal[k] as usize..][..dim * dim];
            for j in 0..dim {
                x[row + j] *= diagonal[j * dim + j];
            }
            for b in &graph.below[graph.start[k] as usize..graph.start[k + 1] as usize] {
                let from = graph.row[b.position as usize] as usize;
                let n = graph.dim[b.position as usize] as usize;
                let block = &values[b.first as usize..][..n * dim];
                for (i, own) in block.chunks_exact(dim).enumerate() {
                    let moved = x[from + i];
                    x[row..row + dim].iter_mut().zip(own).for_each(|(x, l)| *x -= l * moved);
                }
            }
            for j in (0..dim).rev() {
                for l in 0..j {
                    x[row + l] -= diagonal[j * dim + l] * x[row + j];
                }
            }
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
        let n_bodies = graph.sides.iter().map(|side| side.body as usize + 1).max().unwrap_or(0);
        v.clear();
        v.resize(n_bodies, [0.0; 6]);
        for side in &graph.sides {
            let rows = jacobian.rows_of(side.constraint as usize);
            let (v, own) = (&mut v[side.body as usize], &responses[side.first as usize..]);
            for (response, p) in own.iter().zip(&p[rows]) {
                add6(v, *p, response);
            }
        }
        u.clear();
        u.extend_from_slice(u_free);
        u.iter_mut().zip(compliance.iter().zip(p)).for_each(|(u, (d, p))| *u += d * p);
        for side in &graph.sides {
            let c = side.constraint as usize;
            let v = &v[side.body as usize];
            let rows = jacobian.side(c, side.end as usize);
            for (u, row) in u[jacobian.rows_of(c)].iter_mut().zip(rows) {
                *u += dot6(row, v);
            }
        }
    }
}

// The loops below are written once and compiled for the usual numbers of rows, which are known there.

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

/// A ← L and 1/D of A = L D Lᵀ, by rows; whether no pivot vanishes.
fn factor_dense(a: &mut [f64], dim: usize) -> bool {
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
        if !(pivot > SINGULAR * own) {
            return false;
        }
        a[j * dim + j] = 1.0 / pivot;
    }
    true
}

impl Graph {
    fn new(links: Vec<Link>, n_bodies: usize) -> Self {
        let mut graph = Self { links, ..Self::default() };
        let at = graph.find_sides(n_bodies);
        let most = MOST_BLOCKS * graph.links.len();
        let pairs: usize = at.iter().map(|own| own.len() * own.len()).sum();
        if pairs > 2 * most {
            return graph;
        }
        let mut neighbours = vec![BTreeSet::new(); graph.links.len()];
        for own in &at {
            for (&s, &r) in own.iter().flat_map(|s| own.iter().map(move |r| (s, r))) {
                let (s, r) = (graph.sides[s as usize].constraint, graph.sides[r as usize].constraint);
                if s != r {
                    neighbours[s as usize].insert(r);
                }
            }
        }
        if let Some((order, columns)) = eliminate_least(neighbours, most) {
            graph.place(&order, &columns);
            graph.couple(&order, &at);
            graph.is_sparse = true;
        }
        graph
    }

    /// The sides of all constraints; returns those of each body.
    fn find_sides(&mut self, n_bodies: usize) -> Vec<Vec<u32>> {
        let mut at = vec![Vec::new(); n_bodies];
        for (constraint, link) in self.links.iter().enumerate() {
            for (end, &body) in link.bodies.iter().enumerate().filter(|(_, body)| **body != IMMOVABLE) {
                at[body as usize].push(self.sides.len() as u32);
                let first = self.n_responses as u32;
                let (constraint, end) = (constraint as u32, end as u8);
                self.sides.push(Side { constraint, body, end, dim: link.dim, first });
                self.n_responses += link.dim as usize;
            }
        }
        at
    }

    /// Places of blocks and of what elimination changes; `columns` has the positions below the diagonal of each.
    fn place(&mut self, order: &[u32], columns: &[Vec<u32>]) {
        let mut row_of = vec![0; self.links.len()];
        for (c, link) in self.links.iter().enumerate().skip(1) {
            row_of[c] = row_of[c - 1] + self.links[c - 1].dim;
            debug_assert!(link.dim > 0, "a constraint has rows");
        }
        for &c in order {
            self.dim.push(self.links[c as usize].dim);
            self.row.push(row_of[c as usize]);
        }
        let mut next = 0;
        for (k, column) in columns.iter().enumerate() {
            let dim = self.dim[k];
            self.diagonal.push(next);
            self.start.push(self.below.len() as u32);
            next += dim * dim;
            for &position in column {
                self.below.push(Below { position, first: next });
                next += self.dim[position as usize] * dim;
            }
        }
        self.start.push(self.below.len() as u32);
        self.n_values = next as usize;
        for column in columns {
            for (i, &s) in column.iter().enumerate() {
                column[i..].iter().for_each(|&r| self.updates.push(self.block(r, s)));
            }
        }
    }

    /// Where the block with the rows of position `r` and the columns of position `s` ≤ r begins.
    fn block(&self, r: u32, s: u32) -> u32 {
        if r == s {
            return self.diagonal[s as usize];
        }
        let own = &self.below[self.start[s as usize] as usize..self.start[s as usize + 1] as usize];
        let place = own.binary_search_by_key(&r, |below| below.position);
        own[place.expect("the pattern of the factor has the block")].first
    }

    /// What the sides at each body add to W.
    fn couple(&mut self, order: &[u32], at: &[Vec<u32>]) {
        let mut position = vec![0; order.len()];
        (0..).zip(order).for_each(|(k, &c)| position[c as usize] = k);
        for own in at {
            for &rows in own {
                for &columns in own {
                    let of = |side: u32| position[self.sides[side as usize].constraint as usize];
                    if of(rows) >= of(columns) {
                        let first = self.block(of(rows), of(columns));
                        self.couplings.push(Coupling { rows, columns, first });
                    }
                }
            }
        }
    }
}

/// The order of least degree, and the positions below the diagonal in each column of the factor; none beyond `most` blocks.
fn eliminate_least(
    mut neighbours: Vec<BTreeSet<u32>>,
    most: usize,
) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
    let n = neighbours.len();
    let mut waiting: BTreeSet<(usize, u32)> =
        neighbours.iter().zip(0..).map(|(own, c)| (own.len(), c)).collect();
    let (mut order, mut columns, mut blocks) = (Vec::with_capacity(n), Vec::with_capacity(n), n);
    while let Some((_, c)) = waiting.pop_first() {
        let own = std::mem::take(&mut neighbours[c as usize]);
        blocks += own.len();
        if blocks > most {
            return None;
        }
        for &r in &own {
            waiting.remove(&(neighbours[r as usize].len(), r));
            neighbours[r as usize].remove(&c);
            neighbours[r as usize].extend(own.iter().filter(|&&s| s != r));
            waiting.insert((neighbours[r as usize].len(), r));
        }
        order.push(c);
        columns.push(own.into_iter().collect::<Vec<u32>>());
    }
    let mut position = vec![0; n];
    (0..).zip(&order).for_each(|(k, &c)| position[c as usize] = k);
    for column in &mut columns {
        column.iter_mut().for_each(|c| *c = position[*c as usize]);
        column.sort_unstable();
    }
    Some((order, columns))
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
        if !factor.factor(mass, jacobian, compliance) {
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
        assert!(factor.factor(&mass, &jacobian, &[]));
        mass.bodies_mut()[1] = Inertia::default();
        assert!(factor.factor(&mass, &jacobian, &[]));
        let mut w = Sparse::default();
        assemble(&mass, &jacobian, &[], &mut w);
        let mut x = vec![1.0; 6];
        factor.solve(&mut x);
        (0..6).for_each(|i| assert!((w.row_dot(i, &x) - 1.0).abs() < 1e-9));
    }
}
