//! Names, random numbers and random expressions for the tests of this folder.

use super::expr::Expr;
use super::op::Op;
use super::scope::{Meaning, Scope};

/// Linear congruential generator, x ← a x + c mod 2⁶⁴; the high bits are the random ones.
pub struct Lcg(u64);

impl Lcg {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A whole number in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.next()) / f64::from(u32::MAX)
    }
}

/// The variables x, y, z in slots 0, 1, 2.
pub struct Letters;

impl Scope for Letters {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        let slot = ["x", "y", "z"].iter().position(|letter| *letter == name)?;
        Some(Meaning::Slot(slot as u32))
    }

    fn names(&self) -> Vec<String> {
        ["x", "y", "z"].map(str::to_owned).to_vec()
    }
}

/// x, y, ω, sphere.z in slots; constants i, R, h0; beads 1 to 3 with a z, k[0].
pub struct Chain;

impl Scope for Chain {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        let slots = ["x", "y", "ω", "sphere.z", "bead[1].z", "bead[2].z", "bead[3].z", "k[0]"];
        match name {
            "i" => Some(Meaning::Constant(2.0)),
            "R" => Some(Meaning::Constant(0.5)),
            "h0" => Some(Meaning::Constant(0.25)),
            "pi" => Some(Meaning::Constant(3.0)),
            _ => slots.iter().position(|known| *known == name).map(|at| Meaning::Slot(at as u32)),
        }
    }

    fn names(&self) -> Vec<String> {
        ["x", "y", "ω", "sphere.z", "i", "R", "h0"].map(str::to_owned).to_vec()
    }
}

/// Values of the slots of `Chain`.
pub const AT: [f64; 8] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0];

const OPERATORS: [Op; 10] = [
    Op::Neg,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Pow,
    Op::Less,
    Op::LessEqual,
    Op::Greater,
    Op::GreaterEqual,
];

/// A random tree over x, y, z with at most `depth` operations on a path.
pub fn random_expr(rng: &mut Lcg, depth: usize) -> Expr {
    if depth == 0 || rng.below(5) == 0 {
        return match rng.below(3) {
            // Eighths, so that folding and printing are exact.
            0 => Expr::number((rng.below(64) as f64 - 24.0) / 8.0),
            _ => Expr::slot(rng.below(3) as u32),
        };
    }
    let op = match rng.below(2) {
        0 => OPERATORS[rng.below(OPERATORS.len())],
        _ => Op::functions()[rng.below(Op::functions().len())].1,
    };
    let args = (0..op.arity()).map(|_| random_expr(rng, depth - 1)).collect();
    Expr::apply(op, args)
}
