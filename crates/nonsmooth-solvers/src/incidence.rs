//! Which constraints meet in which mass group, and the islands that follow.
//!
//! Two constraints feel each other if both act on a velocity that can change in the same group. What nothing moves joins
//! nothing: fixed and kinematic bodies, prescribed velocities. Islands are numbered by their first constraint, so that the
//! numbering depends on nothing but the order of constraints. All of it takes time that is linear in the entries of J.

use crate::jacobian::{Jacobian, Kind};
use crate::mass_groups::MassGroups;

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    start: Vec<u32>,
    item: Vec<u32>,
}

impl Lists {
    fn of(&self, k: usize) -> &[u32] {
        &self.item[self.start[k] as usize..self.start[k + 1] as usize]
    }

    /// Sorts (list, item) pairs into lists; items keep their order.
    fn fill(&mut self, n: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.start.clear();
        self.start.resize(n + 1, 0);
        pairs.clone().for_each(|(list, _)| self.start[list as usize + 1] += 1);
        (0..n).for_each(|k| self.start[k + 1] += self.start[k]);
        self.item.clear();
        self.item.resize(self.start[n] as usize, 0);
        let mut next = std::mem::take(&mut self.start);
        for (list, item) in pairs {
            self.item[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        // `next` now holds the ends: shifted by one they are the starts again.
        next.rotate_right(1);
        next[0] = 0;
        self.start = next;
    }
}

/// Constraints by mass group, and islands.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    /// Groups of each constraint that can move, each once.
    groups: Lists,
    /// Constraints of each group, ascending.
    at: Lists,
    island: Vec<u32>,
    constraints: Lists,
    members: Lists,
    n_islands: usize,
    parent: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl Incidence {
    /// Fills it anew, in the same memory.
    pub fn build(&mut self, mass: &MassGroups, jacobian: &Jacobian) {
        let (n, n_groups) = (jacobian.n_constraints(), mass.n_groups());
        self.entries.clear();
        for c in 0..n {
            self.collect(c, mass, jacobian);
        }
        self.groups.fill(n, self.entries.iter().copied());
        self.at.fill(n_groups, self.entries.iter().map(|&(c, group)| (group, c)));
        self.join(n);
        let islands = self.island.iter().enumerate();
        self.constraints.fill(self.n_islands, islands.map(|(c, &island)| (island, c as u32)));
        let at = &self.at;
        let first = |group: u32| at.of(group as usize).first().copied();
        let moved =
            (0..n_groups as u32).filter_map(|group| Some((self.island[first(group)? as usize], group)));
        self.members.fill(self.n_islands, moved);
    }

    /// The groups of constraint `c`, each once.
    fn collect(&mut self, c: usize, mass: &MassGroups, jacobian: &Jacobian) {
        let first = self.entries.len();
        let entries = &mut self.entries;
        let mut body = |body: usize| {
            if !mass.bodies()[body].is_fixed() {
                entries.push((c as u32, body as u32));
            }
        };
        match jacobian.kind(c) {
            Kind::Contact(number) => {
                jacobian.contacts()[number as usize].ends().for_each(|(_, b, _)| body(b));
            }
            Kind::Pair(_) => jacobian.sides(c).for_each(|(b, _)| body(b)),
            Kind::General(_) => {
                for &j in jacobian.general_rows(c).flat_map(|(columns, _)| columns) {
                    if let Some((group, _)) = mass.owner(j).filter(|_| mass.moves(j)) {
                        entries.push((c as u32, group as u32));
                    }
                }
                entries[first..].sort_unstable();
            }
        }
        let mut kept = first;
        for k in first..entries.len() {
            if k == first || entries[k] != entries[kept - 1] {
                entries[kept] = entries[k];
                kept += 1;
            }
        }
        entries.truncate(kept);
    }

    fn join(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
        for group in 0..self.at.start.len() - 1 {
            for pair in self.at.of(group).windows(2) {
                let (a, b) = (root(&mut self.parent, pair[0]), root(&mut self.parent, pair[1]));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        self.island.clear();
        self.n_islands = 0;
        for c in 0..n as u32 {
            // The root is the least of an island: it has its number before all others of it.
            let root = root(&mut self.parent, c);
            if root == c {
                self.island.push(self.n_islands as u32);
                self.n_islands += 1;
            } else {
                self.island.push(self.island[root as usize]);
            }
        }
    }

    /// Number of islands.
    pub fn n_islands(&self) -> usize {
        self.n_islands
    }

    /// The island of a constraint.
    pub fn island_of(&self, c: usize) -> u32 {
        self.island[c]
    }

    /// Constraints of an island, ascending.
    pub fn constraints_of(&self, island: usize) -> &[u32] {
        self.constraints.of(island)
    }

    /// Mass groups of an island, ascending.
    pub fn members_of(&self, island: usize) -> &[u32] {
        self.members.of(island)
    }

    /// Constraints that act on a mass group, ascending; none where nothing moves it.
    pub fn constraints_at(&self, group: usize) -> &[u32] {
        self.at.of(group)
    }

    /// Mass groups that a constraint can move.
    pub fn groups_of(&self, c: usize) -> &[u32] {
        self.groups.of(c)
    }
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}
