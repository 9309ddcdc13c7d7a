//! Random numbers that are the same on every machine: xorshift64*, seeded. [Vigna16]

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Between −1 and 1.
    pub fn sign(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        2.0 * (bits as f64 / (1_u64 << 53) as f64) - 1.0
    }

    /// Three numbers between −size and size.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| size * self.sign())
    }

    /// A rotation, evenly among all: a point of the ball in four dimensions, brought to its surface.
    pub fn rotation(&mut self) -> [f64; 4] {
        loop {
            let q = [0; 4].map(|_| self.sign());
            let square: f64 = q.iter().map(|x| x * x).sum();
            if (1e-4..=1.0).contains(&square) {
                return q.map(|x| x / square.sqrt());
            }
        }
    }
}
