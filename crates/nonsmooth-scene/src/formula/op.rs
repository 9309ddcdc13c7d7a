//! Operators and functions: their names, their number of arguments and their values.
//!
//! Not a number in, not a number out: `min`, `max`, `sign` and the condition of `if` pass NaN on,
//! unlike `f64::min`. Comparisons with NaN are false (0).

/// An operator or function of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// −a
    Neg,
    /// a + b
    Add,
    /// a − b
    Sub,
    /// a·b
    Mul,
    /// a/b
    Div,
    /// aᵇ
    Pow,
    /// 1 if a < b, else 0
    Less,
    /// 1 if a ≤ b, else 0
    LessEqual,
    /// 1 if a > b, else 0
    Greater,
    /// 1 if a ≥ b, else 0
    GreaterEqual,
    /// sine, argument in radians
    Sin,
    /// cosine, argument in radians
    Cos,
    /// tangent, argument in radians
    Tan,
    /// inverse sine, in radians
    Asin,
    /// inverse cosine, in radians
    Acos,
    /// inverse tangent, in radians
    Atan,
    /// angle of the point (x, y) in radians; the arguments are y, x
    Atan2,
    /// hyperbolic sine
    Sinh,
    /// hyperbolic cosine
    Cosh,
    /// hyperbolic tangent
    Tanh,
    /// eᵃ
    Exp,
    /// natural logarithm
    Ln,
    /// decimal logarithm
    Log10,
    /// square root
    Sqrt,
    /// |a|
    Abs,
    /// −1, 0 or 1
    Sign,
    /// largest whole number ≤ a
    Floor,
    /// the smaller of two
    Min,
    /// the larger of two
    Max,
    /// √(a² + b²)
    Hypot,
    /// a − b·⌊a/b⌋: what is left of a after whole parts of b, with the sign of b
    Mod,
    /// if(c, a, b): a where c ≠ 0, else b
    If,
}

/// Every function, by its name in formulas.
const FUNCTIONS: &[(&str, Op)] = &[
    ("sin", Op::Sin),
    ("cos", Op::Cos),
    ("tan", Op::Tan),
    ("asin", Op::Asin),
    ("acos", Op::Acos),
    ("atan", Op::Atan),
    ("atan2", Op::Atan2),
    ("sinh", Op::Sinh),
    ("cosh", Op::Cosh),
    ("tanh", Op::Tanh),
    ("exp", Op::Exp),
    ("ln", Op::Ln),
    ("log10", Op::Log10),
    ("sqrt", Op::Sqrt),
    ("abs", Op::Abs),
    ("sign", Op::Sign),
    ("floor", Op::Floor),
    ("min", Op::Min),
    ("max", Op::Max),
    ("hypot", Op::Hypot),
    ("mod", Op::Mod),
    ("if", Op::If),
];

impl Op {
    /// Every function that is written `name(…)`, with its name.
    pub fn functions() -> &'static [(&'static str, Op)] {
        FUNCTIONS
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<Op> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|&(_, op)| op)
    }

    /// Number of arguments.
    pub fn arity(self) -> usize {
        use Op::*;
        match self {
            If => 3,
            Add | Sub | Mul | Div | Pow | Less | LessEqual | Greater | GreaterEqual => 2,
            Atan2 | Min | Max | Hypot | Mod => 2,
            _ => 1,
        }
    }

    /// The value for these arguments.
    ///
    /// # Panics
    /// If the number of arguments is not `arity()`.
    #[inline]
    pub fn value(self, args: &[f64]) -> f64 {
        match *args {
            [a] => self.of_one(a),
            [a, b] => self.of_two(a, b),
            [c, a, b] => self.of_three(c, a, b),
            _ => panic!("{self:?} got {} arguments", args.len()),
        }
    }

    #[inline]
    pub(super) fn of_one(self, a: f64) -> f64 {
        match self {
            Op::Neg => -a,
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Exp => a.exp(),
            Op::Ln => a.ln(),
            Op::Log10 => a.log10(),
            Op::Sqrt => a.sqrt(),
            Op::Abs => a.abs(),
            // f64::signum(0) is 1; the symmetric choice makes |x| have slope 0 at its kink.
            Op::Sign if a == 0.0 => 0.0,
            Op::Sign => a.signum(),
            Op::Floor => a.floor(),
            _ => panic!("{self:?} does not take one argument"),
        }
    }

    #[inline]
    pub(super) fn of_two(self, a: f64, b: f64) -> f64 {
        match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div => a / b,
            Op::Pow => power(a, b),
            Op::Less => f64::from(a < b),
            Op::LessEqual => f64::from(a <= b),
            Op::Greater => f64::from(a > b),
            Op::GreaterEqual => f64::from(a >= b),
            Op::Atan2 => a.atan2(b),
            Op::Min | Op::Max if a.is_nan() || b.is_nan() => f64::NAN,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Hypot => a.hypot(b),
            Op::Mod => modulo(a, b),
            _ => panic!("{self:?} does not take two arguments"),
        }
    }

    #[inline]
    pub(super) fn of_three(self, c: f64, a: f64, b: f64) -> f64 {
        assert!(self == Op::If, "{self:?} does not take three arguments");
        if c.is_nan() {
            f64::NAN
        } else if c != 0.0 {
            a
        } else {
            b
        }
    }
}

/// aⁿ; squares and cubes are products, exactly as `Program` computes them.
fn power(a: f64, n: f64) -> f64 {
    if n == 2.0 {
        a * a
    } else if n == 3.0 {
        a * a * a
    } else {
        a.powf(n)
    }
}

/// a − b·⌊a/b⌋ without the rounding of a/b.
fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_takes_the_arguments_it_declares() {
        for &(name, op) in Op::functions() {
            let args = &[0.5, 0.25, 0.125][..op.arity()];
            assert!(op.value(args).is_finite(), "{name}");
            assert_eq!(Op::named(name), Some(op));
        }
    }

    #[test]
    fn nan_is_never_swallowed_but_stays_in_its_branch() {
        let nan = f64::NAN;
        assert!(Op::Min.value(&[nan, 1.0]).is_nan());
        assert!(Op::Max.value(&[1.0, nan]).is_nan());
        assert!(Op::Sign.value(&[nan]).is_nan());
        assert!(Op::If.value(&[nan, 1.0, 2.0]).is_nan());
        assert_eq!(Op::If.value(&[1.0, 2.0, nan]), 2.0);
        assert_eq!(Op::If.value(&[0.0, nan, 2.0]), 2.0);
    }

    #[test]
    fn the_rest_of_a_division_has_the_sign_of_the_divisor() {
        let cases = [(7.0, 3.0, 1.0), (-7.0, 3.0, 2.0), (7.0, -3.0, -2.0), (-7.0, -3.0, -1.0)];
        for (a, b, want) in cases.into_iter().chain([(6.0, 3.0, 0.0), (-6.0, 3.0, 0.0), (2.5, 1.0, 0.5)])
        {
            assert_eq!(Op::Mod.value(&[a, b]), want, "mod({a}, {b})");
        }
        assert!(Op::Mod.value(&[1.0, 0.0]).is_nan());
    }

    #[test]
    fn sign_is_zero_at_zero() {
        assert_eq!([-2.0, -0.0, 0.0, 3.0].map(|a| Op::Sign.value(&[a])), [-1.0, 0.0, 0.0, 1.0]);
    }
}
