//! What a phase works on: the whole model, or some of its members and active constraints.
//!
//! A member is what moves alone when nothing is constrained: a body, a Lagrangian system, a connected component of the
//! linear systems. Members are numbered through all families as the mass groups of the solver are: bodies first, then the
//! others in the order of their families.

/// Some of a list: all of it, or chosen places.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// Everything.
    All,
    /// These places, ascending.
    List(&'a [u32]),
}

impl<'a> Selection<'a> {
    /// The chosen places of a list that begins at `range.start` and ends at `range.end`.
    pub fn within(self, range: std::ops::Range<usize>) -> Chosen<'a> {
        match self {
            Selection::All => Chosen { range, list: None },
            Selection::List(list) => {
                let begin = list.partition_point(|&k| (k as usize) < range.start);
                let end = list.partition_point(|&k| (k as usize) < range.end);
                Chosen { range: 0..0, list: Some(&list[begin..end]) }
            }
        }
    }

    /// Whether place `k` is chosen.
    pub fn contains(self, k: usize) -> bool {
        match self {
            Selection::All => true,
            Selection::List(list) => list.binary_search(&(k as u32)).is_ok(),
        }
    }

    /// Whether everything is chosen.
    pub fn is_all(self) -> bool {
        matches!(self, Selection::All)
    }
}

/// Chosen places, ascending.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    range: std::ops::Range<usize>,
    list: Option<&'a [u32]>,
}

impl Iterator for Chosen<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match &mut self.list {
            None => self.range.next(),
            Some(list) => {
                let (first, rest) = list.split_first()?;
                *list = rest;
                Some(*first as usize)
            }
        }
    }
}

/// What a phase works on, from time `t` for the time `h`.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Time at its start [s].
    pub t: f64,
    /// Length in time [s].
    pub h: f64,
    /// Who moves.
    pub members: Selection<'a>,
    /// Which active constraints act.
    pub constraints: Selection<'a>,
}

impl Part<'_> {
    /// The whole model.
    pub fn whole(t: f64, h: f64) -> Part<'static> {
        Part { t, h, members: Selection::All, constraints: Selection::All }
    }
}
