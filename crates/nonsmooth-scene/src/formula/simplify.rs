//! Building expressions so that they stay small: constants are folded, and
//! x+0, x−0, 0−x, 1·x, 0·x, 0/x, x/1, x⁰, x¹, −−x, ±(−x) disappear.
//!
//! 0·x → 0 and 0/x → 0 hold for finite x ≠ 0 only; at other points the simplified formula has a
//! value where the written one has none. That is wanted: derivatives would be useless without it.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::expr::{Expr, Node};
use super::op::Op;

impl Expr {
    /// The operation on these operands, simplified.
    ///
    /// # Panics
    /// If the number of operands is not `op.arity()`.
    pub fn apply(op: Op, args: Vec<Expr>) -> Expr {
        assert_eq!(args.len(), op.arity(), "operands of {op:?}");
        if let Some(values) = args.iter().map(Expr::constant).collect::<Option<Vec<f64>>>() {
            return Expr::number(op.value(&values));
        }
        let simpler = match (op, &args[..]) {
            (Op::Neg, [a]) => neg(a),
            (Op::Add, [a, b]) => add(a, b),
            (Op::Sub, [a, b]) => sub(a, b),
            (Op::Mul, [a, b]) => mul(a, b),
            (Op::Div, [a, b]) => div(a, b),
            (Op::Pow, [a, b]) => pow(a, b),
            (Op::If, [c, a, b]) => select(c, a, b),
            _ => None,
        };
        simpler.unwrap_or_else(|| Expr::raw(op, args))
    }

    /// This expression to the power `exponent`.
    pub fn pow(self, exponent: Expr) -> Expr {
        Expr::apply(Op::Pow, vec![self, exponent])
    }

    /// Whether this is the constant `value`.
    pub(super) fn is(&self, value: f64) -> bool {
        self.constant() == Some(value)
    }

    /// x, if the expression is −x.
    fn negated(&self) -> Option<&Expr> {
        match self.node() {
            Node::Apply { op: Op::Neg, args, .. } => args.first(),
            _ => None,
        }
    }

    /// x, if the expression is −x, a negative number, or a product that begins with one.
    fn flipped(&self) -> Option<Expr> {
        let is_negative = |a: &Expr| a.constant().is_some_and(|value| value < 0.0);
        if is_negative(self) {
            return Some(-self.clone());
        }
        match self.factors() {
            Some((_, a, _)) if is_negative(a) => neg(self),
            _ => self.negated().cloned(),
        }
    }

    /// The operands of a product or quotient.
    fn factors(&self) -> Option<(Op, &Expr, &Expr)> {
        match (self.node(), self.args()) {
            (Node::Apply { op, .. }, [a, b]) if matches!(op, Op::Mul | Op::Div) => Some((*op, a, b)),
            _ => None,
        }
    }
}

/// −a without an operation of its own, where a is −x or has a numeric factor.
fn neg(a: &Expr) -> Option<Expr> {
    let Some((op, b, c)) = a.factors() else {
        return a.negated().cloned();
    };
    if b.constant().is_some() {
        return Some(Expr::apply(op, vec![-b.clone(), c.clone()]));
    }
    c.constant().map(|_| Expr::apply(op, vec![b.clone(), -c.clone()]))
}

fn add(a: &Expr, b: &Expr) -> Option<Expr> {
    if a.is(0.0) {
        return Some(b.clone());
    }
    if b.is(0.0) {
        return Some(a.clone());
    }
    b.flipped().map(|b| a.clone() - b)
}

fn sub(a: &Expr, b: &Expr) -> Option<Expr> {
    if b.is(0.0) {
        return Some(a.clone());
    }
    if a.is(0.0) {
        return Some(-b.clone());
    }
    b.flipped().map(|b| a.clone() + b)
}

fn mul(a: &Expr, b: &Expr) -> Option<Expr> {
    if a.is(0.0) || b.is(0.0) {
        return Some(Expr::number(0.0));
    }
    if a.is(1.0) {
        return Some(b.clone());
    }
    if b.is(1.0) {
        return Some(a.clone());
    }
    if a.is(-1.0) {
        return Some(-b.clone());
    }
    if b.is(-1.0) {
        return Some(-a.clone());
    }
    // Signs move outward, where sums absorb them.
    if let Some(a) = a.negated() {
        return Some(-(a.clone() * b.clone()));
    }
    b.negated().map(|b| -(a.clone() * b.clone()))
}

fn div(a: &Expr, b: &Expr) -> Option<Expr> {
    if a.is(0.0) {
        return Some(Expr::number(0.0));
    }
    if b.is(1.0) {
        return Some(a.clone());
    }
    a.negated().map(|a| -(a.clone() / b.clone()))
}

fn pow(a: &Expr, b: &Expr) -> Option<Expr> {
    if b.is(0.0) || a.is(1.0) {
        return Some(Expr::number(1.0));
    }
    b.is(1.0).then(|| a.clone())
}

fn select(c: &Expr, a: &Expr, b: &Expr) -> Option<Expr> {
    match c.constant() {
        Some(value) if value.is_nan() => Some(Expr::number(f64::NAN)),
        Some(value) if value != 0.0 => Some(a.clone()),
        Some(_) => Some(b.clone()),
        // Equal constants on both sides, as in the derivative of if(t < 1, 2, 3).
        None => (a.constant().is_some() && a.constant() == b.constant()).then(|| a.clone()),
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::apply(Op::Neg, vec![self])
    }
}

impl Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::apply(Op::Add, vec![self, other])
    }
}

impl Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        Expr::apply(Op::Sub, vec![self, other])
    }
}

impl Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::apply(Op::Mul, vec![self, other])
    }
}

impl Div for Expr {
    type Output = Expr;
    fn div(self, other: Expr) -> Expr {
        Expr::apply(Op::Div, vec![self, other])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Expr {
        Expr::slot(0)
    }

    fn n(value: f64) -> Expr {
        Expr::number(value)
    }

    #[test]
    fn neutral_elements_disappear() {
        let same = [n(0.0) + x(), x() + n(0.0), x() - n(0.0), n(1.0) * x(), x() * n(1.0)];
        for expr in same.into_iter().chain([x() / n(1.0), x().pow(n(1.0)), -(-x())]) {
            assert_eq!(expr, x());
        }
        for expr in [n(0.0) * x(), x() * n(0.0), n(0.0) / x()] {
            assert!(expr.is(0.0));
        }
        assert!(x().pow(n(0.0)).is(1.0));
        assert_eq!(n(0.0) - x(), -x());
    }

    #[test]
    fn signs_move_outward() {
        let y = || Expr::slot(1);
        assert_eq!(x() + -y(), x() - y());
        assert_eq!(x() - -y(), x() + y());
        assert_eq!(x() + n(-2.0), x() - n(2.0));
        assert_eq!(x() * n(-1.0), -x());
        assert_eq!(-x() * -y(), x() * y());
        assert_eq!(-x() / y(), -(x() / y()));
        assert_eq!(-(n(2.0) * x()), n(-2.0) * x());
        assert_eq!(y() + n(-2.0) * x(), y() - n(2.0) * x());
        assert_eq!(-x() * n(2.0), x() * n(-2.0));
    }

    #[test]
    fn constants_fold_before_any_other_rule() {
        assert_eq!(n(2.0).pow(n(-3.0)).constant(), Some(0.125));
        assert!((n(0.0) / n(0.0)).constant().is_some_and(f64::is_nan));
        assert!((n(0.0) * n(f64::INFINITY)).constant().is_some_and(f64::is_nan));
    }

    #[test]
    fn a_decided_condition_picks_its_branch() {
        let choice = |c, a, b| Expr::apply(Op::If, vec![c, a, b]);
        assert_eq!(choice(n(1.0), x(), n(2.0)), x());
        assert_eq!(choice(n(0.0), x(), n(2.0)), n(2.0));
        assert_eq!(choice(x(), n(2.0), n(2.0)), n(2.0));
    }
}
