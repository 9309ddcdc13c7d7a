//! The independent pieces of M̂ = M + c C + k K of the linear systems: its connected components.
//!
//! A component of one coordinate is a number, up to [`DENSE_LIMIT`] coordinates a dense inverse, beyond that a sparse factor whose
//! compliance is kept between the velocities that constraints name. Structure, found once per model.

use nonsmooth_solvers::{MassGroups, Sparse};

/// Coordinates up to which a component is inverted explicitly.
pub const DENSE_LIMIT: usize = 12;

/// The components. Members count through the three lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Velocities that are groups of their own, ascending.
    pub(super) single: Vec<u32>,
    /// Velocities of each dense component, ascending.
    pub(super) dense: Vec<Vec<u32>>,
    /// Velocities of each sparse component, ascending.
    pub(super) sparse: Vec<Vec<u32>>,
    /// For each sparse component: the velocities that constraints name, ascending.
    interface: Vec<Vec<u32>>,
    /// Place of each velocity within its component.
    pub(super) place: Vec<u32>,
}

impl Groups {
    /// Finds the components of `n` velocities; `named` are those that constraints name, ascending.
    pub(super) fn find(n: usize, matrices: [Option<&Sparse>; 3], named: &[u32]) -> Self {
        let label = components(n, matrices);
        let n_labels = label.iter().max().map_or(0, |m| m + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n_labels];
        for (i, &l) in label.iter().enumerate() {
            members[l].push(i as u32);
        }
        let mut groups = Self { place: vec![0; n], ..Self::default() };
        for group in members {
            for (place, &i) in group.iter().enumerate() {
                groups.place[i as usize] = place as u32;
            }
            match group.len() {
                1 => groups.single.push(group[0]),
                k if k <= DENSE_LIMIT => groups.dense.push(group),
                _ => {
                    let is_named = |i: &u32| named.binary_search(i).is_ok();
                    groups.interface.push(group.iter().copied().filter(is_named).collect());
                    groups.sparse.push(group);
                }
            }
        }
        groups.single.sort_unstable();
        groups
    }

    /// Number of components.
    pub(super) fn len(&self) -> usize {
        self.single.len() + self.dense.len() + self.sparse.len()
    }

    /// The velocities of component `k`.
    pub(super) fn velocities(&self, k: usize) -> &[u32] {
        let (n, m) = (self.single.len(), self.single.len() + self.dense.len());
        match k {
            _ if k < n => &self.single[k..k + 1],
            _ if k < m => &self.dense[k - n],
            _ => &self.sparse[k - m],
        }
    }

    /// The component of velocity `i`.
    pub(super) fn owner(&self, i: usize) -> usize {
        let i = i as u32;
        if let Ok(k) = self.single.binary_search(&i) {
            return k;
        }
        let mut larger = self.dense.iter().chain(&self.sparse);
        let k = larger.position(|group| group.binary_search(&i).is_ok());
        self.single.len() + k.expect("every velocity belongs to a component")
    }

    /// Registers them.
    pub(super) fn push(&self, mass: &mut MassGroups) {
        self.single.iter().for_each(|&i| mass.push_scalar(i));
        self.dense.iter().for_each(|group| mass.push_dense(group));
        let sparse = self.sparse.iter().zip(&self.interface);
        sparse.for_each(|(group, interface)| mass.push_factored(group, interface));
    }
}

/// Labels the connected components of the pattern of the matrices, in order of their first coordinate.
fn components(n: usize, matrices: [Option<&Sparse>; 3]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for matrix in matrices.into_iter().flatten() {
        for i in 0..n {
            for &j in matrix.row(i).0 {
                let (a, b) = (root(&mut parent, i), root(&mut parent, j as usize));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    let mut label = vec![usize::MAX; n];
    let mut count = 0;
    for i in 0..n {
        let r = root(&mut parent, i);
        if label[r] == usize::MAX {
            label[r] = count;
            count += 1;
        }
        label[i] = label[r];
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_falls_into_its_components_and_keeps_the_named_velocities_of_large_ones() {
        // 0 alone, 1–2 joined, a chain of 13 after them.
        let mut entries = vec![(1, 2, -1.0), (2, 1, -1.0)];
        entries.extend((3..15).flat_map(|i| [(i, i + 1, -1.0), (i + 1, i, -1.0)]));
        let coupling = Sparse::from_triplets(16, 16, &entries).unwrap();
        let groups = Groups::find(16, [None, None, Some(&coupling)], &[0, 4, 15]);
        assert_eq!(groups.single, [0]);
        assert_eq!(groups.dense, [vec![1, 2]]);
        assert_eq!(groups.sparse, [(3..16).collect::<Vec<u32>>()]);
        assert_eq!(groups.interface, [vec![4, 15]]);
        assert_eq!((groups.len(), groups.velocities(1), groups.place[15]), (3, &[1, 2][..], 12));
    }
}
