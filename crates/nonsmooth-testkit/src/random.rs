//! Numbers from a seed, the same on every machine: SplitMix64, 64 bits of state. [Steele14]

/// A sequence of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of this seed, where neighbouring seeds 0, 1, 2, … must not resemble each other.
    pub fn mixed(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// 10^x with x uniform in [low, high).
    pub fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// Uniform among 0, …, n − 1; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Uniform among low, …, high.
    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Uniform among low, …, high.
    pub fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// One of a list.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// n numbers, each uniform in [−1, 1).
    pub fn signed_vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    /// A matrix by rows, each entry uniform in [−1, 1).
    pub fn signed_matrix(&mut self, rows: usize, columns: usize) -> Vec<Vec<f64>> {
        (0..rows).map(|_| self.signed_vector(columns)).collect()
    }

    /// n whole numbers, each uniform among −bound, …, bound.
    pub fn whole_vector(&mut self, n: usize, bound: i64) -> Vec<f64> {
        (0..n).map(|_| self.whole(-bound, bound) as f64).collect()
    }

    /// A matrix by rows of whole numbers, each uniform among −bound, …, bound.
    pub fn whole_matrix(&mut self, rows: usize, columns: usize, bound: i64) -> Vec<Vec<f64>> {
        (0..rows).map(|_| self.whole_vector(columns, bound)).collect()
    }

    /// Three numbers, each uniform in [−size, size).
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }

    /// 0, …, n − 1 in random order (Fisher–Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.count(0, i));
        }
        order
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> [f64; 3] {
        self.on_sphere()
    }

    /// Uniform over rotations: a unit quaternion (w, x, y, z).
    pub fn rotation(&mut self) -> [f64; 4] {
        self.on_sphere()
    }

    /// Uniform on the unit sphere of N dimensions, by rejection: no direction is preferred.
    fn on_sphere<const N: usize>(&mut self) -> [f64; N] {
        loop {
            let v: [f64; N] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 && length < 1.0 {
                return v.map(|x| x / length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 0, as Vigna's reference implementation in C prints them.
    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(random.bits(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut random = Random::mixed(7);
        for _ in 0..1000 {
            assert!((2.0..3.0).contains(&random.between(2.0, 3.0)));
            assert!((-4..=-1).contains(&random.whole(-4, -1)));
            assert!((2..=5).contains(&random.count(2, 5)));
            let length = random.rotation().iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-14);
        }
        let mut order = random.permutation(20);
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }
}
