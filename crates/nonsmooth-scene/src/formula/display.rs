//! Expressions as readable text, with no more parentheses than needed. `parse` reads it back.

use std::fmt;

use super::expr::{Expr, Node};
use super::op::Op;

/// How tightly an expression holds together; an operand looser than its place gets parentheses.
const COMPARISON: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;
const UNARY: u8 = 4;
const POWER: u8 = 5;
const ATOM: u8 = 6;

/// An expression together with the names of its slots; made by `Expr::display`.
pub struct Named<'a> {
    expr: &'a Expr,
    name: &'a dyn Fn(u32) -> String,
}

/// What is still to be written.
enum Piece<'a> {
    Text(&'static str),
    /// An expression at a place that needs at least this tightness.
    Operand(&'a Expr, u8),
}

impl Expr {
    /// Text of the formula, slots written as `name` says.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(u32) -> String) -> Named<'a> {
        Named { expr: self, name }
    }
}

impl fmt::Display for Expr {
    /// Text of the formula, slot 3 written as `$3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(&|slot| format!("${slot}")).fmt(f)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Piece::Operand(self.expr, COMPARISON)];
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Operand(expr, at_least) if tightness(expr) < at_least => {
                    f.write_str("(")?;
                    todo.push(Piece::Text(")"));
                    todo.push(Piece::Operand(expr, COMPARISON));
                }
                Piece::Operand(expr, _) => match expr.node() {
                    Node::Number(value) => write_number(f, *value)?,
                    Node::Slot(slot) => f.write_str(&(self.name)(*slot))?,
                    Node::Apply { op, args, .. } => {
                        let mut pieces = pieces(*op, args);
                        pieces.reverse();
                        todo.append(&mut pieces);
                    }
                },
            }
        }
        Ok(())
    }
}

fn tightness(expr: &Expr) -> u8 {
    match expr.node() {
        Node::Number(value) if value.is_sign_negative() => UNARY,
        Node::Number(_) | Node::Slot(_) => ATOM,
        Node::Apply { op, .. } => {
            infix(*op).map_or(if *op == Op::Neg { UNARY } else { ATOM }, |(_, own)| own)
        }
    }
}

/// Symbol and tightness of an operator between two operands.
fn infix(op: Op) -> Option<(&'static str, u8)> {
    Some(match op {
        Op::Add => (" + ", SUM),
        Op::Sub => (" - ", SUM),
        Op::Mul => ("*", PRODUCT),
        Op::Div => ("/", PRODUCT),
        Op::Pow => ("^", POWER),
        Op::Less => (" < ", COMPARISON),
        Op::LessEqual => (" <= ", COMPARISON),
        Op::Greater => (" > ", COMPARISON),
        Op::GreaterEqual => (" >= ", COMPARISON),
        _ => return None,
    })
}

/// One operation, from left to right.
fn pieces(op: Op, args: &[Expr]) -> Vec<Piece<'_>> {
    match (infix(op), args) {
        (Some((symbol, own)), [a, b]) => {
            let (left, right) = match own {
                POWER => (ATOM, UNARY),
                COMPARISON => (SUM, SUM),
                _ => (own, own + 1),
            };
            vec![Piece::Operand(a, left), Piece::Text(symbol), Piece::Operand(b, right)]
        }
        (None, [a]) if op == Op::Neg => vec![Piece::Text("-"), Piece::Operand(a, UNARY)],
        _ => call(op, args),
    }
}

fn call(op: Op, args: &[Expr]) -> Vec<Piece<'_>> {
    let name = Op::functions().iter().find(|(_, known)| *known == op).map_or("?", |(name, _)| name);
    let mut pieces = vec![Piece::Text(name), Piece::Text("(")];
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            pieces.push(Piece::Text(", "));
        }
        pieces.push(Piece::Operand(arg, COMPARISON));
    }
    pieces.push(Piece::Text(")"));
    pieces
}

/// The shortest digits that give the same number back; exponents for very large and small ones.
fn write_number(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let text = format!("{value:?}");
    f.write_str(text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Lcg, Letters, random_expr};
    use super::super::{Expr, parse};

    fn name(slot: u32) -> String {
        ["x", "y", "z"][slot as usize].to_owned()
    }

    #[test]
    fn parentheses_appear_only_where_they_matter() {
        let cases = [
            "x + y*z",
            "(x + y)*z",
            "x - (y - z)",
            "x - y - z",
            "x/(y*z)",
            "x^y^z",
            "(x^y)^z",
            "(-x)^2",
            "-x^2",
            "2^-x",
            "x*y^-2",
            "if(x < 1, 0, atan2(y, 2*z))",
            "(x < y) + 1",
            "1e-7*x",
            "-(x + y)",
        ];
        for text in cases {
            let expr = parse(text, &Letters).unwrap();
            assert_eq!(expr.display(&name).to_string(), text);
        }
        assert_eq!((Expr::slot(3) + Expr::number(1.0)).to_string(), "$3 + 1");
    }

    #[test]
    fn printed_random_trees_are_read_back_unchanged() {
        let mut rng = Lcg::new(5);
        for _ in 0..5_000 {
            let expr = random_expr(&mut rng, 5);
            let text = expr.display(&name).to_string();
            // Folding may have produced inf or NaN, for which formulas have no word.
            if text.contains("inf") || text.contains("NaN") {
                continue;
            }
            assert_eq!(parse(&text, &Letters).unwrap(), expr, "{text}");
        }
    }
}
