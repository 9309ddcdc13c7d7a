//! A compiled formula: postfix steps on a stack of numbers.
//!
//! `f0*sin(w*t)` with f0, w constant becomes  2 · 3 · t · mul · sin · mul. Both branches of `if` are
//! computed and one is selected, never blended, so a NaN in the other branch stays there.

use super::expr::{Expr, Node};
use super::op::Op;

/// Deepest stack kept in a local array. Deeper programs allocate their stack on the heap in
/// each `eval`; only operands nested to the right, x+(x+(x+…)), need more than a few places.
const LOCAL_STACK: usize = 32;

/// A formula ready to be evaluated many times.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    steps: Vec<Step>,
    /// Highest stack while running.
    depth: usize,
    /// 1 + the largest slot read.
    n_slots: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Number(f64),
    Slot(usize),
    Square,
    Cube,
    Unary(Op),
    Binary(Op),
    Select,
}

impl Program {
    /// The steps that compute `expr`.
    pub fn compile(expr: &Expr) -> Self {
        let mut program = Self { steps: Vec::new(), depth: 0, n_slots: 0 };
        let mut height = 0;
        expr.postorder(&mut |expr| {
            let step = match expr.node() {
                Node::Number(value) => Step::Number(*value),
                Node::Slot(slot) => Step::Slot(*slot as usize),
                Node::Apply { op, args, .. } => program.operation(*op, args, &mut height),
            };
            if let Step::Number(_) | Step::Slot(_) = step {
                height += 1;
            }
            if let Step::Slot(slot) = step {
                program.n_slots = program.n_slots.max(slot + 1);
            }
            program.depth = program.depth.max(height);
            program.steps.push(step);
        });
        program
    }

    /// The step for `op`, whose operands are already on the stack; lowers `height` to its result.
    fn operation(&mut self, op: Op, args: &[Expr], height: &mut usize) -> Step {
        *height -= args.len() - 1;
        let special = match (op, self.steps.last()) {
            (Op::Pow, Some(Step::Number(2.0))) => Some(Step::Square),
            (Op::Pow, Some(Step::Number(3.0))) => Some(Step::Cube),
            _ => None,
        };
        if let Some(step) = special {
            // The exponent was the last step; it is now part of this one.
            self.steps.pop();
            return step;
        }
        match args.len() {
            1 => Step::Unary(op),
            2 => Step::Binary(op),
            _ => Step::Select,
        }
    }

    /// The value, if it depends on no slot.
    pub fn constant(&self) -> Option<f64> {
        match self.steps[..] {
            [Step::Number(value)] => Some(value),
            _ => None,
        }
    }

    /// Smallest length of the array `eval` needs.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// The value of the formula where slot i has the value `slots[i]`.
    ///
    /// Allocates nothing unless the stack is deeper than 32 numbers.
    ///
    /// # Panics
    /// If `slots` is shorter than `n_slots()`.
    pub fn eval(&self, slots: &[f64]) -> f64 {
        if let Some(value) = self.constant() {
            return value;
        }
        assert!(
            slots.len() >= self.n_slots,
            "the formula reads {} slots, got {}",
            self.n_slots,
            slots.len()
        );
        if self.depth <= LOCAL_STACK {
            run(&self.steps, slots, &mut [0.0; LOCAL_STACK])
        } else {
            run(&self.steps, slots, &mut vec![0.0; self.depth])
        }
    }
}

/// Runs the steps; `top` numbers of the stack are in use.
fn run(steps: &[Step], slots: &[f64], stack: &mut [f64]) -> f64 {
    let mut top = 0;
    for step in steps {
        match *step {
            Step::Number(value) => {
                stack[top] = value;
                top += 1;
            }
            Step::Slot(slot) => {
                stack[top] = slots[slot];
                top += 1;
            }
            Step::Square => {
                let a = stack[top - 1];
                stack[top - 1] = a * a;
            }
            Step::Cube => {
                let a = stack[top - 1];
                stack[top - 1] = a * a * a;
            }
            Step::Unary(op) => stack[top - 1] = op.of_one(stack[top - 1]),
            Step::Binary(op) => {
                top -= 1;
                stack[top - 1] = op.of_two(stack[top - 1], stack[top]);
            }
            Step::Select => {
                top -= 2;
                stack[top - 1] = Op::If.of_three(stack[top - 1], stack[top], stack[top + 1]);
            }
        }
    }
    stack[0]
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::super::sample::{Lcg, Letters, random_expr};
    use super::*;

    fn program(text: &str) -> Program {
        Program::compile(&parse(text, &Letters).unwrap())
    }

    /// The obvious way: recursion over the tree.
    fn tree_value(expr: &Expr, slots: &[f64]) -> f64 {
        match expr.node() {
            Node::Number(value) => *value,
            Node::Slot(slot) => slots[*slot as usize],
            Node::Apply { op, args, .. } => {
                let values: Vec<f64> = args.iter().map(|arg| tree_value(arg, slots)).collect();
                op.value(&values)
            }
        }
    }

    #[test]
    fn random_trees_have_the_value_of_their_program() {
        let mut rng = Lcg::new(3);
        for _ in 0..20_000 {
            let expr = random_expr(&mut rng, 6);
            let at = [0; 3].map(|_| rng.between(-3.0, 3.0));
            let (got, want) = (Program::compile(&expr).eval(&at), tree_value(&expr, &at));
            // Same operations in the same order: equal to the last bit, except that NaN has many bit patterns.
            assert!(
                got == want || (got.is_nan() && want.is_nan()),
                "{expr} at {at:?}: {got} not {want}"
            );
        }
    }

    #[test]
    fn squares_and_cubes_are_products() {
        assert_eq!(program("x^2").steps, [Step::Slot(0), Step::Square]);
        assert_eq!(program("x^3").steps, [Step::Slot(0), Step::Cube]);
        assert_eq!(program("x^3").eval(&[-2.0, 0.0, 0.0]), -8.0);
        assert_eq!(program("2^x").steps, [Step::Number(2.0), Step::Slot(0), Step::Binary(Op::Pow)]);
        // The last step before ^ is the constant of the exponent's sum, not the exponent.
        assert_eq!(program("x^(y + 2)").eval(&[2.0, 1.0, 0.0]), 8.0);
    }

    #[test]
    fn nan_in_the_branch_not_taken_does_not_leak() {
        let guarded = program("if(x < 1, 0, sqrt(x - 1))");
        assert_eq!(guarded.eval(&[0.0]), 0.0);
        assert_eq!(guarded.eval(&[5.0]), 2.0);
    }

    #[test]
    fn constants_need_no_slots() {
        let fixed = program("2*pi + sqrt(4)");
        assert_eq!(fixed.constant(), Some(2.0 * std::f64::consts::PI + 2.0));
        assert_eq!(fixed.eval(&[]), 2.0 * std::f64::consts::PI + 2.0);
        assert_eq!(program("y").constant(), None);
        assert_eq!(program("y").n_slots(), 2);
    }

    #[test]
    fn deep_stacks_fall_back_to_the_heap() {
        for n in [30, 31, 32, 150] {
            let text = format!("{}x{}", "x+(".repeat(n), ")".repeat(n));
            let deep = program(&text);
            assert_eq!(deep.depth, n + 1);
            assert_eq!(deep.eval(&[1.0]), (n + 1) as f64);
        }
    }
}
