//! Blocks: the independent pieces of M̂ = M + c C + k K.
//!
//! The linear systems together form one sparse matrix; its connected components are independent. A
//! component of one coordinate is a number, up to `DENSE_LIMIT` coordinates a dense inverse, beyond
//! that a sparse factor whose compliance is kept for the contact coordinates only. Each Lagrangian
//! system is a dense block. This is structure, found once per model; the numbers are in
//! `phases/factorize.rs`.

use super::{Constraints, LinearFamily, UserSystem};

/// Coordinates up to which a component of the linear systems is inverted explicitly.
pub const DENSE_LIMIT: usize = 12;
/// Contact coordinates that one sparse component may have: 10⁴ columns of 10⁴ numbers are 0.8 GB.
pub const CONTACT_LIMIT: usize = 10_000;

/// The block to which a velocity belongs, with its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// A component of one coordinate.
    Single,
    /// A component of a few coordinates of the linear systems: (block, place).
    Dense(u32, u32),
    /// A Lagrangian system: (system, place).
    User(u32, u32),
    /// A large component: (block, place).
    Sparse(u32, u32),
}

/// The independent pieces of M̂.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Block of each velocity.
    pub of: Vec<Block>,
    /// Velocities that are blocks of their own.
    pub single: Vec<u32>,
    /// Velocities of each dense component, ascending.
    pub dense: Vec<Vec<u32>>,
    /// Velocities of each sparse component, ascending.
    pub sparse: Vec<Vec<u32>>,
    /// For each sparse component: the places (in that component) that constraints touch, ascending.
    pub contacts: Vec<Vec<u32>>,
}

impl Blocks {
    /// Finds the components.
    pub fn find(linear: &LinearFamily, user: &[UserSystem], constraints: &Constraints) -> Self {
        let label = components(linear);
        let n_labels = label.iter().max().map_or(0, |m| m + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n_labels];
        for (i, &l) in label.iter().enumerate() {
            members[l].push(i as u32);
        }
        let mut blocks = Self { of: vec![Block::Single; linear.n], ..Self::default() };
        for group in members {
            if group.len() == 1 {
                blocks.single.push(group[0]);
                continue;
            }
            let dense = group.len() <= DENSE_LIMIT;
            let list = if dense { &mut blocks.dense } else { &mut blocks.sparse };
            let number = list.len() as u32;
            for (place, &i) in group.iter().enumerate() {
                let place = place as u32;
                blocks.of[i as usize] =
                    if dense { Block::Dense(number, place) } else { Block::Sparse(number, place) };
            }
            list.push(group);
        }
        blocks.single.sort_unstable();
        for (s, system) in user.iter().enumerate() {
            blocks.of.extend((0..system.range.len()).map(|i| Block::User(s as u32, i as u32)));
        }
        blocks.find_contacts(constraints);
        blocks
    }

    fn find_contacts(&mut self, constraints: &Constraints) {
        self.contacts = vec![Vec::new(); self.sparse.len()];
        let columns = constraints.jacobian.column.iter();
        let columns = columns.chain(constraints.gaps.iter().flat_map(|(columns, _)| columns));
        let columns = columns.chain(constraints.velocity.iter().flat_map(|(columns, _)| columns));
        for &j in columns {
            // Coordinates of rigid bodies have no block.
            if let Some(Block::Sparse(block, place)) = self.of.get(j as usize) {
                self.contacts[*block as usize].push(*place);
            }
        }
        for places in &mut self.contacts {
            places.sort_unstable();
            places.dedup();
        }
    }
}

/// Labels the connected components of the pattern of M, C and K, in order of their first coordinate.
fn components(linear: &LinearFamily) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..linear.n).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let matrices = [Some(&linear.mass), linear.damping.as_ref(), linear.stiffness.as_ref()];
    for matrix in matrices.into_iter().flatten() {
        for i in 0..linear.n {
            for &j in matrix.row(i).0 {
                let (a, b) = (root(&mut parent, i), root(&mut parent, j as usize));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    let mut label = vec![usize::MAX; linear.n];
    let mut count = 0;
    for i in 0..linear.n {
        let r = root(&mut parent, i);
        if label[r] == usize::MAX {
            label[r] = count;
            count += 1;
        }
        label[i] = label[r];
    }
    label
}
