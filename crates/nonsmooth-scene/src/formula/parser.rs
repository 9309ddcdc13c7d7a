//! Tokens to expression tree, by precedence climbing; names are resolved on the way.
//!
//! Unknown names, unknown functions, wrong arities and bad indices are collected; the first
//! mistake of syntax ends the reading and comes last in the list.

use std::ops::Range;

use super::cursor::{Cursor, Parsed};
use super::error::{FormulaError, Wrong};
use super::expr::Expr;
use super::lexer::{Kind, Token};
use super::op::Op;
use super::scope::Scope;

/// Deepest nesting of parentheses, calls, indices, minus signs and powers.
/// The parser recurses once per level; the test of 100 000 parentheses breaks without it.
pub(super) const MAX_NESTING: usize = 200;
/// Deepest tree. Bounds chains: n factors have a derivative of n² nodes once compiled.
pub(super) const MAX_DEPTH: usize = 1000;
/// Most mistakes reported for one formula.
pub(super) const MAX_ERRORS: usize = 20;

const UNARY: u8 = 4;
const POWER: u8 = 5;
const OPERAND: &str = "a number, a name or `(`";

/// Reads a formula. `pi` is known everywhere and cannot be redefined.
pub fn parse(text: &str, scope: &dyn Scope) -> Result<Expr, Vec<FormulaError>> {
    let cursor = Cursor::new(text).map_err(|error| vec![error])?;
    let mut parser = Parser { cursor, scope, nesting: 0, n_open: 0, n_wrong: 0, errors: Vec::new() };
    match parser.formula() {
        Ok(expr) if parser.errors.is_empty() => return Ok(expr),
        Ok(_) => {}
        Err(error) => parser.errors.push(error),
    }
    Err(parser.errors)
}

/// Reads one formula; the grammar is in this file, names and calls in `names.rs`.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) scope: &'a dyn Scope,
    nesting: usize,
    /// Brackets open at this point.
    n_open: usize,
    /// Mistakes found so far, also those beyond `MAX_ERRORS`.
    pub(super) n_wrong: usize,
    pub(super) errors: Vec<FormulaError>,
}

/// Operation and binding power of an operator between two operands.
fn infix(kind: Kind) -> Option<(Op, u8)> {
    Some(match kind {
        Kind::Less => (Op::Less, 1),
        Kind::LessEqual => (Op::LessEqual, 1),
        Kind::Greater => (Op::Greater, 1),
        Kind::GreaterEqual => (Op::GreaterEqual, 1),
        Kind::Plus => (Op::Add, 2),
        Kind::Minus => (Op::Sub, 2),
        Kind::Star => (Op::Mul, 3),
        Kind::Slash => (Op::Div, 3),
        Kind::Caret => (Op::Pow, POWER),
        _ => return None,
    })
}

impl Parser<'_> {
    fn formula(&mut self) -> Parsed<Expr> {
        if self.cursor.peek().kind == Kind::End {
            return Err(FormulaError::new(0..self.cursor.text().len(), Wrong::Empty));
        }
        let expr = self.expression(0)?;
        match self.cursor.peek().kind {
            Kind::End => Ok(expr),
            Kind::Close | Kind::CloseIndex => Err(self.cursor.unbalanced(self.cursor.peek())),
            _ => Err(self.cursor.unexpected("an operator or the end of the formula")),
        }
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`.
    pub(super) fn expression(&mut self, loosest: u8) -> Parsed<Expr> {
        let mut left = self.operand()?;
        let mut is_comparison = false;
        loop {
            let token = self.cursor.peek();
            let Some((op, power)) = infix(token.kind) else {
                return self.no_operand_here().map(|()| left);
            };
            if power < loosest {
                return Ok(left);
            }
            if power == 1 && std::mem::replace(&mut is_comparison, true) {
                return Err(self
                    .cursor
                    .unexpected("one comparison only; put parentheses around the first"));
            }
            self.cursor.advance();
            let right = match power {
                POWER => self.nested(token, |parser| parser.expression(POWER))?,
                _ => self.expression(power + 1)?,
            };
            left = Expr::apply(op, vec![left, right]);
            if left.depth() > MAX_DEPTH {
                return Err(FormulaError::new(token.span(), Wrong::TooDeep { limit: MAX_DEPTH }));
            }
        }
    }

    /// Refuses `2 x`: after an operand no other operand may follow.
    fn no_operand_here(&self) -> Parsed<()> {
        match self.cursor.peek().kind {
            Kind::Number(_) | Kind::Name | Kind::Open => Err(self.cursor.missing_operator()),
            _ => Ok(()),
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.cursor.peek();
        match token.kind {
            Kind::Number(value) => {
                self.cursor.advance();
                Ok(Expr::number(value))
            }
            Kind::Minus => {
                self.cursor.advance();
                Ok(-self.nested(token, |parser| parser.expression(UNARY))?)
            }
            Kind::Open => self.bracketed(Kind::Close, |parser| parser.expression(0)),
            Kind::Name => self.name(),
            Kind::Close | Kind::CloseIndex if self.n_open == 0 => Err(self.cursor.unbalanced(token)),
            _ => Err(self.cursor.unexpected(OPERAND)),
        }
    }

    /// What `inside` reads between the opening bracket, which is next, and `close`.
    pub(super) fn bracketed<T>(
        &mut self,
        close: Kind,
        inside: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let open = self.cursor.advance();
        self.n_open += 1;
        let value = self.nested(open, inside)?;
        match self.cursor.peek().kind {
            kind if kind == close => {}
            Kind::End => return Err(self.cursor.unbalanced(open)),
            _ if close == Kind::Close => {
                return Err(self.cursor.unexpected("an operator, `,` or `)`"));
            }
            _ => return Err(self.cursor.unexpected("an operator or `]`")),
        }
        self.cursor.advance();
        self.n_open -= 1;
        Ok(value)
    }

    /// Runs `inside` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, at: Token, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == MAX_NESTING {
            return Err(FormulaError::new(at.span(), Wrong::TooDeep { limit: MAX_NESTING }));
        }
        self.nesting += 1;
        let value = inside(self)?;
        self.nesting -= 1;
        Ok(value)
    }

    /// Adds to the list of mistakes that do not end the reading.
    pub(super) fn report(&mut self, span: Range<usize>, wrong: Wrong) {
        self.n_wrong += 1;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(FormulaError::new(span, wrong));
        }
    }
}
