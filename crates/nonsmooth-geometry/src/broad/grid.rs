//! Boxes sorted by the cell of their lowest corner, on one grid for each binary order of magnitude.

use super::Bounds;
use std::ops::Range;

/// Bits of a cell's number along one axis. Beyond, numbers repeat: far apart boxes may then share a
/// cell, which costs a comparison and nothing else.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

/// Boxes in the order of their grids and cells.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    /// Longest side of the boxes of each level, from the lowest on.
    longest: Vec<f64>,
    /// (level, cell, body), sorted.
    order: Vec<(i32, u64, u32)>,
    cells: Vec<u64>,
    bodies: Vec<u32>,
    corners: Vec<Corners>,
    /// Where each body stands in these lists; empty until asked for.
    places: Vec<u32>,
}

/// Place of a body that has no box here.
const NOWHERE: u32 = u32::MAX;

/// The lowest and highest corner of a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    low: [f64; 3],
    high: [f64; 3],
}

impl Corners {
    /// A box that meets no other.
    const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    /// Bounds enlarged by a margin; none where they are not finite, or those of a half-space.
    pub fn of(bounds: &Bounds, margin: f64) -> Option<Self> {
        let Bounds::Box { low, high } = *bounds else { return None };
        let (low, high) = (low.map(|x| x - margin), high.map(|x| x + margin));
        low.iter().chain(&high).all(|x| x.is_finite()).then_some(Self { low, high })
    }

    fn longest(&self) -> f64 {
        (0..3).map(|k| self.high[k] - self.low[k]).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Whether two boxes meet.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let apart = |k: usize| (self.low[k] > other.high[k]) | (other.low[k] > self.high[k]);
        !(apart(0) | apart(1) | apart(2))
    }
}

impl Corners {
    /// Whether the box reaches below the plane normal·x = offset.
    pub fn is_below(&self, normal: [f64; 3], offset: f64) -> bool {
        let lowest: f64 =
            (0..3).map(|k| normal[k] * if normal[k] > 0.0 { self.low[k] } else { self.high[k] }).sum();
        lowest <= offset
    }
}

/// The boxes of one size: a stretch of the sorted list.
#[derive(Debug)]
pub(super) struct Grid {
    cell: f64,
    first: usize,
    end: usize,
}

impl Grid {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// Places of the entries.
    pub fn range(&self) -> Range<usize> {
        self.first..self.end
    }

    /// Number of the cell that holds a point along one axis.
    fn number(&self, x: f64) -> u64 {
        // Saturates far out, where all boxes then share cells.
        (x / self.cell).floor() as i64 as u64 & MASK
    }

    fn cell_of(&self, low: [f64; 3]) -> [u64; 3] {
        low.map(|x| self.number(x))
    }
}

fn join([x, y, z]: [u64; 3]) -> u64 {
    z << (2 * BITS) | y << BITS | x
}

fn stepped(number: u64, step: i64) -> u64 {
    number.wrapping_add_signed(step) & MASK
}

impl Boxes {
    /// Sorts the finite boxes onto their grids, whose cells are as large as their largest box.
    pub fn arrange(&mut self, bounds: &[Bounds], margins: &[f64], grids: &mut Vec<Grid>) {
        let all = || {
            let enlarged =
                bounds.iter().zip(margins).map(|(bounds, margin)| Corners::of(bounds, *margin));
            enlarged.zip(0..).filter_map(|(corners, body)| Some((corners?, body)))
        };
        let level = |corners: &Corners| level(corners.longest());
        let lowest = all().map(|(corners, _)| level(&corners)).min().unwrap_or(0);
        self.places.clear();
        self.longest.clear();
        for (corners, _) in all() {
            let k = (level(&corners) - lowest) as usize;
            if self.longest.len() <= k {
                self.longest.resize(k + 1, 0.0);
            }
            self.longest[k] = self.longest[k].max(corners.longest());
        }
        self.order.clear();
        self.order.reserve_exact(bounds.len());
        self.order.extend(all().map(|(corners, body)| {
            let level = level(&corners);
            let grid = Grid { cell: self.longest[(level - lowest) as usize], first: 0, end: 0 };
            (level, join(grid.cell_of(corners.low)), body)
        }));
        self.order.sort_unstable();
        let n = self.order.len();
        self.cells.clear();
        self.cells.reserve_exact(n);
        self.bodies.clear();
        self.bodies.reserve_exact(n);
        self.corners.clear();
        self.corners.reserve_exact(n);
        grids.clear();
        for &(level, cell, body) in &self.order {
            let (at, size) = (self.cells.len(), self.longest[(level - lowest) as usize]);
            self.cells.push(cell);
            self.bodies.push(body);
            self.corners.extend(Corners::of(&bounds[body as usize], margins[body as usize]));
            match grids.last_mut() {
                Some(grid) if grid.cell == size => grid.end = at + 1,
                _ => grids.push(Grid { cell: size, first: at, end: at + 1 }),
            }
        }
    }

    /// Box i with those of a stretch.
    #[inline]
    pub fn one_with(&self, i: usize, others: Range<usize>, push: &mut impl FnMut(u32, u32)) {
        let corners = self.corners[i];
        for j in others {
            if corners.overlaps(&self.corners[j]) {
                push(self.bodies[i], self.bodies[j]);
            }
        }
    }

    /// Overlapping boxes of one grid, each pair once: those after it in its cell, in the next cell
    /// along x, and in the four rows that come later.
    pub fn within(&self, grid: &Grid, push: &mut impl FnMut(u32, u32)) {
        const LATER: [(i64, i64); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
        let mut seekers = [Seeker::new(grid); 5];
        for i in grid.range() {
            let [x, y, z] = split(self.cells[i]);
            let end = seekers[0].stretch(&self.cells, grid, [x, x], y, z).end;
            self.one_with(i, i + 1..end, push);
            let next = stepped(x, 1);
            self.one_with(i, seekers[0].stretch(&self.cells, grid, [next, next], y, z), push);
            for (seeker, (dy, dz)) in seekers[1..].iter_mut().zip(LATER) {
                self.row(seeker, grid, (x, 1), (stepped(y, dy), stepped(z, dz)), |stretch| {
                    self.one_with(i, stretch, push);
                });
            }
        }
    }

    /// Overlapping boxes of a grid and a coarser one: in the cells that the box touches, and in
    /// those before them along each axis, from which boxes reach over.
    pub fn between(&self, fine: &Grid, coarse: &Grid, push: &mut impl FnMut(u32, u32)) {
        let mut seekers = [[Seeker::new(coarse); 3]; 3];
        for i in fine.range() {
            let Corners { low, high } = self.corners[i];
            let [x, y, z] = coarse.cell_of(low);
            // How many cells further the box reaches: none or one.
            let [end_x, end_y, end_z] =
                [0, 1, 2].map(|k| usize::from(coarse.number(high[k]) != [x, y, z][k]));
            for (seekers, dz) in seekers.iter_mut().zip(-1..=end_z as i64) {
                for (seeker, dy) in seekers.iter_mut().zip(-1..=end_y as i64) {
                    let row = (stepped(y, dy), stepped(z, dz));
                    self.row(seeker, coarse, (x, end_x as i64), row, |stretch| {
                        self.one_with(i, stretch, push);
                    });
                }
            }
        }
    }

    /// The cells x − 1 to x + further of a row: one stretch, or several where the numbers begin again.
    #[inline]
    fn row(
        &self,
        seeker: &mut Seeker,
        grid: &Grid,
        (x, further): (u64, i64),
        (y, z): (u64, u64),
        mut visit: impl FnMut(Range<usize>),
    ) {
        if x > 0 && x < MASK {
            visit(seeker.stretch(&self.cells, grid, [x - 1, stepped(x, further)], y, z));
        } else {
            for step in -1..=further {
                let x = stepped(x, step);
                visit(seeker.stretch(&self.cells, grid, [x, x], y, z));
            }
        }
    }

    /// Bodies whose box reaches below the plane normal·x = offset.
    pub fn below(&self, normal: [f64; 3], offset: f64, mut visit: impl FnMut(u32)) {
        for (corners, body) in self.corners.iter().zip(&self.bodies) {
            if corners.is_below(normal, offset) {
                visit(*body);
            }
        }
    }
}

impl Boxes {
    /// Where a body stands among the sorted ones, of `n` bodies in all.
    fn place(&mut self, body: u32, n: usize) -> Option<usize> {
        if self.places.is_empty() {
            self.places.resize(n, NOWHERE);
            for (place, body) in (0..).zip(&self.bodies) {
                self.places[*body as usize] = place;
            }
        }
        let place = *self.places.get(body as usize)?;
        (place != NOWHERE).then_some(place as usize)
    }

    /// Takes the box of a body out, so that it meets no other.
    pub fn remove(&mut self, body: u32, n: usize) {
        if let Some(place) = self.place(body, n) {
            self.corners[place] = Corners::EMPTY;
        }
    }

    /// The box of a body.
    pub fn corners(&mut self, body: u32, n: usize) -> Option<Corners> {
        self.place(body, n).map(|place| self.corners[place])
    }

    /// Calls `visit` for the bodies of a grid whose boxes meet a box of any size.
    pub fn meeting(&self, grid: &Grid, corners: &Corners, mut visit: impl FnMut(u32)) {
        let mut look = |stretch: Range<usize>| {
            for i in stretch {
                if corners.overlaps(&self.corners[i]) {
                    visit(self.bodies[i]);
                }
            }
        };
        // Boxes that meet it begin in the cells it touches, or in those before them.
        let number = |x: f64| (x / grid.cell).floor();
        let cells = |k: usize| (number(corners.low[k]) - 1.0, number(corners.high[k]));
        let [x, y, z] = [cells(0), cells(1), cells(2)];
        let count = |(first, last): (f64, f64)| last - first + 1.0;
        let wraps = (x.0 as i64 as u64 & MASK) > (x.1 as i64 as u64 & MASK);
        let few = count(y) * count(z) * 16.0 <= grid.len() as f64 && count(x) < MASK as f64;
        if !few || wraps || count(y).max(count(z)) >= MASK as f64 {
            return look(grid.range());
        }
        let stored = &self.cells[..grid.end];
        for z in z.0 as i64..=z.1 as i64 {
            for y in y.0 as i64..=y.1 as i64 {
                let cell = |x: f64| join([x as i64, y, z].map(|number| number as u64 & MASK));
                let (from, to) = (cell(x.0), cell(x.1));
                let first = grid.first + stored[grid.first..].partition_point(|c| *c < from);
                let n = stored[first..].partition_point(|c| *c <= to);
                look(first..first + n);
            }
        }
    }
}

fn split(cell: u64) -> [u64; 3] {
    [cell & MASK, cell >> BITS & MASK, cell >> (2 * BITS)]
}

/// Exponent of a positive number in base 2.
fn level(x: f64) -> i32 {
    (x.to_bits() >> 52) as i32
}

/// Finds stretches of the sorted cells, each from where the last one was: neighbours in the list ask
/// for neighbouring stretches.
#[derive(Clone, Copy)]
struct Seeker {
    at: usize,
}

impl Seeker {
    fn new(grid: &Grid) -> Self {
        Self { at: grid.first }
    }

    /// The boxes in the cells from x[0] to x[1] of row (y, z).
    #[inline]
    fn stretch(&mut self, cells: &[u64], grid: &Grid, x: [u64; 2], y: u64, z: u64) -> Range<usize> {
        let cells = &cells[..grid.end];
        let (from, to) = (join([x[0], y, z]), join([x[1], y, z]));
        self.at = lower_bound(cells, grid.first, self.at, from);
        let mut end = self.at;
        while end < cells.len() && cells[end] <= to {
            end += 1;
        }
        self.at..end
    }
}

/// The first place from `first` on with a cell no smaller than the target, searched from `hint` in
/// steps that double.
#[inline]
fn lower_bound(cells: &[u64], first: usize, hint: usize, target: u64) -> usize {
    let (mut low, mut high);
    let mut step = 1;
    if hint < cells.len() && cells[hint] < target {
        (low, high) = (hint + 1, hint + 1);
        while high < cells.len() && cells[high] < target {
            low = high + 1;
            high = (high + step).min(cells.len());
            step *= 2;
        }
    } else {
        (low, high) = (hint, hint);
        while low > first && cells[low - 1] >= target {
            high = low - 1;
            low = low.saturating_sub(step).max(first);
            step *= 2;
        }
    }
    low + cells[low..high].partition_point(|cell| *cell < target)
}
