//! Order and places of the blocks of a factor (`block_factor.rs`): which constraints share a body, and what elimination fills in.
//!
//! The order is that of least degree, the lowest number first, so that chains and trees have no fill.

use crate::mass_groups::IMMOVABLE;
use std::collections::BTreeSet;

/// Most blocks of the factor for each constraint: nets have more, and there a factor by panels is faster.
const MOST_BLOCKS: usize = 24;

/// The two bodies of a constraint, and its number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) bodies: [u32; 2],
    pub(super) dim: u32,
}

/// A block of L below the diagonal: the position of its rows, and where its numbers begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    pub(super) position: u32,
    pub(super) first: u32,
}

/// What two sides at one body add to W: where its rows stand in J, its columns among the responses, and where its numbers begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    /// 0 for J of a, 1 for J of b.
    pub(super) end: u8,
    /// Whether it is part of a block of the diagonal, of which the lower half is read.
    pub(super) is_diagonal: bool,
    /// Numbers of rows and columns.
    pub(super) dims: [u8; 2],
    /// The first row.
    pub(super) row: u32,
    /// The first response.
    pub(super) response: u32,
    pub(super) first: u32,
}

/// Rows of one constraint on one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) constraint: u32,
    pub(super) body: u32,
    /// 0 for a, 1 for b.
    pub(super) end: u8,
    pub(super) dim: u32,
    /// Its first row in the problem.
    pub(super) row: u32,
    /// Its first row among the responses.
    pub(super) first: u32,
}

/// Which constraints share a body, in what order they are eliminated, and where their blocks stand.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) links: Vec<Link>,
    pub(super) sides: Vec<Side>,
    pub(super) couplings: Vec<Coupling>,
    /// By position: number of rows, first row of the problem, where the diagonal block begins, first of its blocks below.
    pub(super) dim: Vec<u32>,
    pub(super) row: Vec<u32>,
    pub(super) diagonal: Vec<u32>,
    pub(super) start: Vec<u32>,
    pub(super) below: Vec<Below>,
    /// Where the blocks begin that each pair of blocks of a column changes, column by column.
    pub(super) updates: Vec<u32>,
    pub(super) n_values: usize,
    pub(super) n_responses: usize,
    /// Rows of every constraint, 0 where they differ.
    pub(super) uniform: u32,
    /// Bodies that links name and that nothing moves.
    pub(super) held: Vec<u32>,
    /// One more than the last body that is named.
    pub(super) n_bodies: usize,
    /// Whether the factor has few enough blocks.
    pub(super) is_sparse: bool,
}

impl Graph {
    pub(super) fn new(links: Vec<Link>, n_bodies: usize) -> Self {
        let first = links.first().map_or(0, |link| link.dim);
        let uniform = if links.iter().all(|link| link.dim == first) { first } else { 0 };
        let mut graph = Self { links, uniform, ..Self::default() };
        let at = graph.find_sides(n_bodies);
        graph.n_bodies = graph.sides.iter().map(|side| side.body as usize + 1).max().unwrap_or(0);
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
        let mut row = 0;
        for (constraint, link) in self.links.iter().enumerate() {
            for (end, &body) in link.bodies.iter().enumerate().filter(|(_, body)| **body != IMMOVABLE) {
                at[body as usize].push(self.sides.len() as u32);
                let first = self.n_responses as u32;
                let (constraint, end) = (constraint as u32, end as u8);
                self.sides.push(Side { constraint, body, end, dim: link.dim, row, first });
                self.n_responses += link.dim as usize;
            }
            row += link.dim;
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
                    let [rows, columns] = [rows, columns].map(|side| self.sides[side as usize]);
                    let of = |side: &Side| position[side.constraint as usize];
                    if of(&rows) >= of(&columns) {
                        self.couplings.push(Coupling {
                            end: rows.end,
                            is_diagonal: of(&rows) == of(&columns),
                            dims: [rows.dim as u8, columns.dim as u8],
                            row: rows.row,
                            response: columns.first,
                            first: self.block(of(&rows), of(&columns)),
                        });
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
