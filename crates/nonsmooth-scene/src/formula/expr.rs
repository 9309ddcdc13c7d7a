//! The expression tree: numbers, slots (positions in the caller's array of variables), operations.
//!
//! Subtrees are shared, so `clone` is cheap and a derivative holds its original by reference.
//! Walks see a shared subtree once per use: an expression that doubles itself n times
//! (e = e·e) has 2ⁿ leaves and takes that long to compile.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::op::Op;

/// A formula as a tree, simplified while it is built.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

/// What a tree node is.
pub(super) enum Node {
    Number(f64),
    Slot(u32),
    /// `depth` is 1 + the largest depth among `args`; leaves have depth 1.
    Apply {
        op: Op,
        args: Vec<Expr>,
        depth: usize,
    },
}

impl Expr {
    /// A constant.
    pub fn number(value: f64) -> Self {
        Self(Arc::new(Node::Number(value)))
    }

    /// The variable at this place of the array given to `Program::eval`.
    pub fn slot(slot: u32) -> Self {
        Self(Arc::new(Node::Slot(slot)))
    }

    /// The node as it stands, without simplification; `Expr::apply` is the public way.
    pub(super) fn raw(op: Op, args: Vec<Expr>) -> Self {
        let depth = 1 + args.iter().map(Expr::depth).max().unwrap_or(0);
        Self(Arc::new(Node::Apply { op, args, depth }))
    }

    pub(super) fn node(&self) -> &Node {
        &self.0
    }

    /// The operands; none for a leaf.
    pub(super) fn args(&self) -> &[Expr] {
        match self.node() {
            Node::Apply { args, .. } => args,
            Node::Number(_) | Node::Slot(_) => &[],
        }
    }

    /// Number of levels of the tree; 1 for a number or a slot.
    pub fn depth(&self) -> usize {
        match self.node() {
            Node::Apply { depth, .. } => *depth,
            Node::Number(_) | Node::Slot(_) => 1,
        }
    }

    /// The value, if it depends on no slot.
    pub fn constant(&self) -> Option<f64> {
        // Construction folds constants, so nothing but a number is constant.
        match self.node() {
            Node::Number(value) => Some(*value),
            Node::Slot(_) | Node::Apply { .. } => None,
        }
    }

    /// Whether the expression mentions this slot.
    pub fn uses(&self, slot: u32) -> bool {
        let mut found = false;
        self.postorder(&mut |expr| found |= matches!(expr.node(), Node::Slot(s) if *s == slot));
        found
    }

    /// Every slot mentioned, in increasing order.
    pub fn slots(&self) -> Vec<u32> {
        let mut slots = BTreeSet::new();
        self.postorder(&mut |expr| {
            if let Node::Slot(slot) = expr.node() {
                slots.insert(*slot);
            }
        });
        slots.into_iter().collect()
    }

    /// Visits operands before what uses them, left to right: the order of a stack machine.
    pub(super) fn postorder(&self, visit: &mut dyn FnMut(&Expr)) {
        let mut todo = vec![(self, false)];
        while let Some((expr, operands_done)) = todo.pop() {
            if operands_done || expr.args().is_empty() {
                visit(expr);
            } else {
                todo.push((expr, true));
                todo.extend(expr.args().iter().rev().map(|arg| (arg, false)));
            }
        }
    }
}

impl PartialEq for Expr {
    /// Same tree; NaN differs from NaN, except within one shared subtree.
    fn eq(&self, other: &Self) -> bool {
        let mut todo = vec![(self, other)];
        while let Some((a, b)) = todo.pop() {
            let same = match (a.node(), b.node()) {
                _ if Arc::ptr_eq(&a.0, &b.0) => continue,
                (Node::Number(x), Node::Number(y)) => x == y,
                (Node::Slot(i), Node::Slot(j)) => i == j,
                (Node::Apply { op, .. }, Node::Apply { op: other, .. }) => op == other,
                _ => false,
            };
            if !same {
                return false;
            }
            todo.extend(a.args().iter().zip(b.args()));
        }
        true
    }
}

impl Drop for Expr {
    /// A loop instead of the compiler's recursion, which would overflow the stack on long chains.
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        take_operands(self, &mut doomed);
        while let Some(mut expr) = doomed.pop() {
            take_operands(&mut expr, &mut doomed);
        }
    }
}

/// Moves out the operands of an expression nobody else shares.
fn take_operands(expr: &mut Expr, doomed: &mut Vec<Expr>) {
    if let Some(Node::Apply { args, .. }) = Arc::get_mut(&mut expr.0) {
        doomed.append(args);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Program;
    use super::*;

    #[test]
    fn slots_are_listed_once_and_in_order() {
        let expr = Expr::slot(7) * Expr::slot(2) + Expr::slot(7);
        assert_eq!(expr.slots(), [2, 7]);
        assert!(expr.uses(2) && expr.uses(7) && !expr.uses(3));
        assert_eq!(expr.constant(), None);
        assert_eq!((Expr::number(2.0) + Expr::number(3.0)).constant(), Some(5.0));
    }

    #[test]
    fn expressions_may_cross_threads() {
        fn shared<T: Send + Sync>(_: &T) {}
        shared(&Expr::slot(0));
    }

    #[test]
    fn equality_compares_trees() {
        let sum = |a, b| Expr::slot(a) + Expr::slot(b);
        assert_eq!(sum(0, 1), sum(0, 1));
        assert_ne!(sum(0, 1), sum(1, 0));
        assert_ne!(sum(0, 1), Expr::slot(0) - Expr::slot(1));
        assert_ne!(sum(0, 1), Expr::slot(0));
    }

    #[test]
    fn a_sum_of_a_hundred_thousand_terms_needs_no_deep_stack() {
        let n = 100_000;
        let sum = (1..n).fold(Expr::slot(0), |sum, _| sum + Expr::slot(0));
        assert_eq!(sum.depth(), n);
        assert_eq!(Program::compile(&sum).eval(&[2.0]), 2.0 * n as f64);
        assert_eq!(sum.derivative(0).constant(), Some(n as f64));
        assert_eq!(sum.to_string().len(), n * "$0 + ".len() - " + ".len());
        assert_eq!(sum, sum.clone());
        drop(sum);
    }
}
