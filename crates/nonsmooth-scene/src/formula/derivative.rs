//! Symbolic derivative ∂f/∂s with respect to one slot s.
//!
//! Chain rule from the leaves up. Below, a, b are operands and da, db their derivatives.
//! Where a function has a kink or a jump the rule gives the slope on one side:
//! |a|' = sign(a) a' (0 at the kink), sign, floor and comparisons have slope 0,
//! min, max and if have the slope of the operand they pick.
//!
//! (aᵇ)' = b aᵇ⁻¹ a' when b does not depend on s, otherwise aᵇ (b' ln a + b a'/a), which needs a > 0.
//! The slope is NaN or infinite where there is none: hypot and atan2 at (0, 0), √0, asin(±1).

use super::expr::{Expr, Node};
use super::op::Op;

impl Expr {
    /// The derivative with respect to `slot`.
    pub fn derivative(&self, slot: u32) -> Expr {
        let mut stack: Vec<Expr> = Vec::new();
        self.postorder(&mut |expr| {
            let slope = match expr.node() {
                Node::Number(_) => Expr::number(0.0),
                Node::Slot(s) => Expr::number(f64::from(*s == slot)),
                Node::Apply { op, args, .. } => {
                    let slopes = stack.split_off(stack.len() - args.len());
                    rule(*op, expr, args, &slopes)
                }
            };
            stack.push(slope);
        });
        stack.pop().expect("a walk over a tree ends with its root")
    }
}

/// Derivative of `whole` = op(args), given the derivatives of its operands.
fn rule(op: Op, whole: &Expr, args: &[Expr], slopes: &[Expr]) -> Expr {
    if slopes.iter().all(|slope| slope.is(0.0)) {
        return Expr::number(0.0);
    }
    match (args, slopes) {
        ([a], [da]) => of_one(op, whole, a, da),
        ([a, b], [da, db]) => of_two(op, whole, [a, b], [da, db]),
        ([c, ..], [_, da, db]) => choose(c.clone(), da, db),
        _ => unreachable!("{op:?} has {} operands", args.len()),
    }
}

fn of_one(op: Op, whole: &Expr, a: &Expr, da: &Expr) -> Expr {
    let (whole, a, da) = (whole.clone(), a.clone(), da.clone());
    let one = || Expr::number(1.0);
    match op {
        Op::Neg => -da,
        Op::Sin => da * call(Op::Cos, a),
        Op::Cos => -(da * call(Op::Sin, a)),
        Op::Tan => da * (one() + square(whole)),
        Op::Asin => da / call(Op::Sqrt, one() - square(a)),
        Op::Acos => -(da / call(Op::Sqrt, one() - square(a))),
        Op::Atan => da / (one() + square(a)),
        Op::Sinh => da * call(Op::Cosh, a),
        Op::Cosh => da * call(Op::Sinh, a),
        Op::Tanh => da * (one() - square(whole)),
        Op::Exp => da * whole,
        Op::Ln => da / a,
        Op::Log10 => da / (Expr::number(std::f64::consts::LN_10) * a),
        Op::Sqrt => da / (Expr::number(2.0) * whole),
        Op::Abs => da * call(Op::Sign, a),
        // Sign and Floor: flat between their jumps.
        _ => Expr::number(0.0),
    }
}

fn of_two(op: Op, whole: &Expr, [a, b]: [&Expr; 2], [da, db]: [&Expr; 2]) -> Expr {
    let [(a, da), (b, db)] = [(a.clone(), da.clone()), (b.clone(), db.clone())];
    match op {
        Op::Add => da + db,
        Op::Sub => da - db,
        Op::Mul => da * b.clone() + a * db,
        // Without the quotient rule where b is constant: a'/b stays small.
        Op::Div if db.is(0.0) => da / b,
        Op::Div => (da * b.clone() - a * db) / square(b),
        Op::Pow if db.is(0.0) => da * (b.clone() * a.pow(b - Expr::number(1.0))),
        Op::Pow => whole.clone() * (db * call(Op::Ln, a.clone()) + b * da / a),
        Op::Atan2 => (b.clone() * da - a.clone() * db) / (square(a) + square(b)),
        Op::Min => choose(Expr::apply(Op::Less, vec![a, b]), &da, &db),
        Op::Max => choose(Expr::apply(Op::Greater, vec![a, b]), &da, &db),
        Op::Hypot => (a * da + b * db) / whole.clone(),
        Op::Mod => da - call(Op::Floor, a / b) * db,
        // Comparisons: flat between their jumps.
        _ => Expr::number(0.0),
    }
}

fn call(op: Op, a: Expr) -> Expr {
    Expr::apply(op, vec![a])
}

fn square(a: Expr) -> Expr {
    a.pow(Expr::number(2.0))
}

fn choose(condition: Expr, yes: &Expr, no: &Expr) -> Expr {
    Expr::apply(Op::If, vec![condition, yes.clone(), no.clone()])
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Lcg, Letters, random_expr};
    use super::super::{Program, parse};
    use super::*;

    /// Central differences with three steps, and how far they are apart: two alone may agree across the jumps of `mod`.
    fn difference(program: &Program, at: [f64; 3], slot: usize) -> (f64, f64) {
        let slope = |h: f64| {
            let (mut low, mut high) = (at, at);
            low[slot] -= h;
            high[slot] += h;
            (program.eval(&high) - program.eval(&low)) / (high[slot] - low[slot])
        };
        let [coarse, fine, finest] = [1e-5, 5e-6, 3.1e-6].map(slope);
        (fine, (fine - coarse).abs().max((fine - finest).abs()))
    }

    fn slope(expr: &Expr, at: [f64; 3], slot: usize) -> f64 {
        Program::compile(&expr.derivative(slot as u32)).eval(&at)
    }

    #[test]
    fn every_function_agrees_with_central_differences() {
        // Operands inside every domain: 0 < x, y < 1 at the points below.
        let inner = ["0.2 + 0.5*x*y", "0.3 + 0.4*y", "0.1 + x^2/2"];
        let mut formulas: Vec<String> = Op::functions()
            .iter()
            .map(|(name, op)| format!("{name}({})", inner[..op.arity()].join(", ")))
            .collect();
        let operators =
            ["-x", "x + y*y", "x - y^2", "x*y", "x/y", "x^2.5", "x^-3", "x^y", "3^x", "x^3", "x < y"];
        formulas.extend(operators.map(str::to_owned));
        formulas.push("if(x < y, x*x, sin(y)) + min(x, y) + max(x*x, y)".to_owned());

        let mut rng = Lcg::new(1);
        for text in formulas {
            let expr = parse(&text, &Letters).unwrap();
            let program = Program::compile(&expr);
            for _ in 0..50 {
                let at = [rng.between(0.1, 0.9), rng.between(0.1, 0.9), 0.0];
                // Differences across a kink or jump mean nothing; those of min, max, if lie on x = y and x² = y.
                if (at[0] - at[1]).abs() < 1e-3 || (at[0] * at[0] - at[1]).abs() < 1e-3 {
                    continue;
                }
                for slot in 0..2 {
                    let (want, spread) = difference(&program, at, slot);
                    let got = slope(&expr, at, slot);
                    // Truncation of order h² times third derivatives up to 6·10⁴ (x⁻³ at 0.1), else round-off 1e-16/h.
                    let tolerance = 1e-8 * (1.0 + want.abs()) + 4.0 * spread;
                    assert!(
                        (got - want).abs() < tolerance,
                        "{text}: slot {slot} at {at:?}: {got} not {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn random_trees_agree_with_central_differences() {
        let mut rng = Lcg::new(2);
        let (mut n_checked, mut n_nan, n_trees) = (0, 0, 20_000);
        for _ in 0..n_trees {
            let expr = random_expr(&mut rng, 4);
            let program = Program::compile(&expr);
            let at = [0; 3].map(|_| rng.between(-2.0, 2.0));
            let slot = rng.below(3);
            let (want, spread) = difference(&program, at, slot);
            // Outside a domain, near a kink or a pole, or too curved, differences say nothing.
            if !want.is_finite()
                || spread.is_nan()
                || spread > 1e-7 * (1.0 + want.abs())
                || want.abs() > 1e6
            {
                continue;
            }
            // Round-off of large values divided by h = 5e-6.
            let tolerance = 1e-5 * (1.0 + want.abs()) + 1e-9 * program.eval(&at).abs();
            let got = slope(&expr, at, slot);
            // No slope at the tip of hypot(0, 0), nor by the log rule at a negative base; see the file header.
            if got.is_nan() {
                n_nan += 1;
                continue;
            }
            n_checked += 1;
            assert!((got - want).abs() < tolerance, "{expr}: slot {slot} at {at:?}: {got} not {want}");
        }
        assert!(n_checked > n_trees / 2, "only {n_checked} of {n_trees} trees could be checked");
        assert!(n_nan < n_trees / 100, "{n_nan} slopes are NaN");
    }

    #[test]
    fn derivatives_stay_small() {
        let cases = [
            ("z - x - 1", 2, "1"),
            ("x*sin(y)", 0, "sin($1)"),
            ("x^2", 0, "2*$0"),
            ("x^2", 1, "0"),
            ("x/2", 0, "0.5"),
            ("if(z < 1, 0, x^2)", 0, "if($2 < 1, 0, 2*$0)"),
            ("if(z < 1, 2, 3)", 2, "0"),
            ("abs(x)", 0, "sign($0)"),
            ("floor(x) + sign(x) + (x < y)", 0, "0"),
        ];
        for (text, slot, want) in cases {
            assert_eq!(parse(text, &Letters).unwrap().derivative(slot).to_string(), want, "{text}");
        }
    }

    #[test]
    fn the_slope_of_a_product_of_a_thousand_factors_is_found() {
        let text = vec!["x"; 1000].join("*");
        let expr = parse(&text, &Letters).unwrap();
        let slope = Program::compile(&expr.derivative(0)).eval(&[1.0, 0.0, 0.0]);
        assert_eq!(slope, 1000.0);
    }
}
