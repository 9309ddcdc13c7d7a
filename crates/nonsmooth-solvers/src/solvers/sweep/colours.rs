//! Greedy colours: each constraint gets the least colour that no earlier constraint that meets it has.

use std::collections::HashMap;

/// The constraints colour by colour, each colour in the order of the problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// The constraint in each place.
    pub(super) order: Vec<u32>,
    /// Where each colour begins in `order`; one more entry than colours.
    pub(super) start: Vec<usize>,
    /// Scratch: the first 64 colours of each thing, the colour of each constraint, the next place of each colour.
    used: Vec<u64>,
    colour: Vec<u32>,
    next: Vec<usize>,
}

impl Colours {
    /// By the things of each constraint: two constraints with a thing in common differ.
    ///
    /// A thing remembers its colours in words of 64 bits: the first in a list of all things, the others, which few
    /// need, in lists of their own.
    pub(super) fn greedy<'a, T>(n: usize, n_things: usize, things_of: impl Fn(usize) -> T) -> Self
    where
        T: Iterator<Item = &'a u32> + Clone,
    {
        let mut found = Self::default();
        found.find_greedy(n, n_things, things_of);
        found
    }

    /// The same in memory that is kept.
    pub(super) fn find_greedy<'a, T>(
        &mut self,
        n: usize,
        n_things: usize,
        things_of: impl Fn(usize) -> T,
    ) where
        T: Iterator<Item = &'a u32> + Clone,
    {
        let Self { used, colour, .. } = self;
        used.clear();
        used.resize(n_things, 0);
        colour.clear();
        colour.resize(n, 0);
        let mut beyond: HashMap<u32, Vec<u64>> = HashMap::new();
        let mut taken: Vec<u64> = Vec::new();
        for c in 0..n {
            let first = things_of(c).fold(0, |first, &thing| first | used[thing as usize]);
            if first != u64::MAX {
                let bit = first.trailing_ones();
                colour[c] = bit;
                things_of(c).for_each(|&thing| used[thing as usize] |= 1 << bit);
                continue;
            }
            taken.clear();
            for words in things_of(c).filter_map(|thing| beyond.get(thing)) {
                taken.resize(taken.len().max(words.len()), 0);
                taken.iter_mut().zip(words).for_each(|(t, w)| *t |= w);
            }
            let word = taken.iter().position(|w| *w != u64::MAX).unwrap_or(taken.len());
            let bit = taken.get(word).map_or(0, |w| w.trailing_ones());
            colour[c] = 64 * (word as u32 + 1) + bit;
            for &thing in things_of(c) {
                let words = beyond.entry(thing).or_default();
                words.resize(words.len().max(word + 1), 0);
                words[word] |= 1 << bit;
            }
        }
        self.sort();
    }

    /// By neighbours: two constraints that stand in each other's lists differ.
    pub(super) fn of_graph<'a, T>(n: usize, neighbours: impl Fn(usize) -> T) -> Self
    where
        T: Iterator<Item = &'a u32>,
    {
        const NONE: u32 = u32::MAX;
        let mut colour = vec![NONE; n];
        // The last constraint that found each colour taken.
        let mut taken: Vec<u32> = Vec::new();
        for c in 0..n {
            for &j in neighbours(c) {
                let known = colour[j as usize];
                if j as usize != c && known != NONE {
                    taken[known as usize] = c as u32;
                }
            }
            let found = taken.iter().position(|&by| by as usize != c);
            colour[c] = found.unwrap_or_else(|| {
                taken.push(NONE);
                taken.len() - 1
            }) as u32;
        }
        let mut found = Self { colour, ..Self::default() };
        found.sort();
        found
    }

    /// Order and starts by `colour`.
    fn sort(&mut self) {
        let Self { order, start, colour, next, .. } = self;
        let n_colours = colour.iter().max().map_or(0, |c| *c as usize + 1);
        start.clear();
        start.resize(n_colours + 1, 0);
        colour.iter().for_each(|&c| start[c as usize + 1] += 1);
        (0..n_colours).for_each(|c| start[c + 1] += start[c]);
        next.clone_from(start);
        order.clear();
        order.resize(colour.len(), 0);
        for (i, &c) in colour.iter().enumerate() {
            order[next[c as usize]] = i as u32;
            next[c as usize] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_of_one_colour_touch_nothing_together() {
        // Constraint c has bodies c mod 7 and c mod 11; body 0 has many, beyond one word.
        let things_of: Vec<[u32; 2]> = (0..700u32).map(|c| [c % 7, 7 + c % 11]).collect();
        let colours = Colours::greedy(700, 18, |c| things_of[c].iter());
        assert!(colours.start.len() > 100, "a body with 100 constraints needs as many colours");
        let mut seen = vec![false; 700];
        for range in colours.start.windows(2) {
            let mut used = [false; 18];
            for &c in &colours.order[range[0]..range[1]] {
                assert!(!std::mem::replace(&mut seen[c as usize], true));
                for &body in &things_of[c as usize] {
                    assert!(!std::mem::replace(&mut used[body as usize], true));
                }
            }
        }
        assert!(seen.iter().all(|s| *s));
    }

    #[test]
    fn a_chain_has_two_colours() {
        let near: Vec<Vec<u32>> =
            (0..10u32).map(|c| (c.saturating_sub(1)..=(c + 1).min(9)).collect()).collect();
        let colours = Colours::of_graph(10, |c| near[c].iter());
        assert_eq!(colours.start, [0, 5, 10]);
        assert_eq!(colours.order, [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]);
    }
}
