//! The part of the parser that knows names: variables, their indices and parts, function calls.
//!
//! What is unknown is reported and replaced by a placeholder, so that reading goes on.

use std::ops::Range;

use super::cursor::Parsed;
use super::error::{FormulaError, Wrong};
use super::expr::Expr;
use super::lexer::{Kind, Token};
use super::nearest;
use super::op::Op;
use super::parser::{MAX_ERRORS, Parser};
use super::scope::Meaning;

/// Largest index, so that it is exact as `f64` and as `i64`.
const MAX_INDEX: f64 = 9e15;

impl Parser<'_> {
    /// A name or a call.
    pub(super) fn name(&mut self) -> Parsed<Expr> {
        let token = self.cursor.advance();
        let name = self.cursor.text_of(token);
        let next = self.cursor.peek().kind;
        if next == Kind::Open {
            return self.call(token, name);
        }
        if name == "pi" {
            return Ok(Expr::number(std::f64::consts::PI));
        }
        let is_plain = !matches!(next, Kind::OpenIndex | Kind::Dot);
        if is_plain && Op::named(name).is_some() && self.scope.look_up(name).is_none() {
            return Err(self.cursor.unexpected(&format!("`(` after the function `{name}`")));
        }
        self.path(token, name)
    }

    /// `name`, `name.part`, `name[index]` or `name[index].part`.
    fn path(&mut self, first: Token, name: &str) -> Parsed<Expr> {
        let n_wrong = self.n_wrong;
        let mut full_name = name.to_owned();
        if self.cursor.peek().kind == Kind::OpenIndex {
            let index = self.bracketed(Kind::CloseIndex, Self::index)?;
            full_name.push_str(&format!("[{index}]"));
        }
        if self.cursor.peek().kind == Kind::Dot {
            self.cursor.advance();
            if self.cursor.peek().kind != Kind::Name {
                return Err(self.cursor.unexpected("a name after the point"));
            }
            let part = self.cursor.advance();
            full_name.push('.');
            full_name.push_str(self.cursor.text_of(part));
        }
        // A wrong index has been reported; what it would have meant cannot be known.
        if self.n_wrong > n_wrong {
            return Ok(placeholder());
        }
        match self.scope.look_up(&full_name) {
            Some(Meaning::Constant(value)) => Ok(Expr::number(value)),
            Some(Meaning::Slot(slot)) => Ok(Expr::slot(slot)),
            Some(Meaning::Formula(formula)) => Ok(formula),
            None => Ok(self.unknown_name(first.start..self.cursor.last_end(), full_name)),
        }
    }

    /// The whole number between `[` and `]`; 0 if it is wrong, which is then on the list.
    fn index(&mut self) -> Parsed<i64> {
        let n_wrong = self.n_wrong;
        let start = self.cursor.peek().start;
        let value = self.expression(0)?.constant();
        let nearest_integer = value.map(f64::round).unwrap_or(f64::NAN);
        let is_whole = value.is_some_and(|value| (value - nearest_integer).abs() <= 1e-9);
        if is_whole && nearest_integer.abs() <= MAX_INDEX {
            return Ok(nearest_integer as i64);
        }
        if self.n_wrong == n_wrong {
            self.report(start..self.cursor.last_end(), Wrong::BadIndex { value });
        }
        Ok(0)
    }

    /// `name(a, b, …)`; the next token is the opening parenthesis.
    fn call(&mut self, token: Token, name: &str) -> Parsed<Expr> {
        let op = Op::named(name);
        if op.is_none() {
            if name == "pi" || self.scope.look_up(name).is_some() {
                return Err(self.cursor.missing_operator());
            }
            let nearest = nearest(name, Op::functions().iter().map(|(known, _)| *known));
            self.report(token.span(), Wrong::UnknownFunction { name: name.to_owned(), nearest });
        }
        let args = self.bracketed(Kind::Close, Self::arguments)?;
        match op {
            Some(op) if op.arity() == args.len() => Ok(Expr::apply(op, args)),
            Some(op) => {
                let wrong =
                    Wrong::WrongArity { name: name.to_owned(), got: args.len(), want: op.arity() };
                self.report(token.start..self.cursor.last_end(), wrong);
                Ok(placeholder())
            }
            None => Ok(placeholder()),
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        if self.cursor.peek().kind == Kind::Close {
            return Ok(args);
        }
        loop {
            args.push(self.expression(0)?);
            if self.cursor.peek().kind != Kind::Comma {
                return Ok(args);
            }
            self.cursor.advance();
        }
    }

    /// Reports each unknown name once, at its first use.
    fn unknown_name(&mut self, span: Range<usize>, name: String) -> Expr {
        let is_same = |error: &FormulaError| matches!(&error.wrong, Wrong::UnknownName { name: n, .. } if *n == name);
        if self.errors.len() >= MAX_ERRORS || self.errors.iter().any(is_same) {
            self.n_wrong += 1;
            return placeholder();
        }
        let mut allowed = self.scope.names();
        allowed.push("pi".to_owned());
        let nearest = nearest(&name, allowed.iter().map(String::as_str));
        self.report(span, Wrong::UnknownName { name, nearest, allowed });
        placeholder()
    }
}

/// Stands for what could not be understood; never leaves the parser, because a report was made.
fn placeholder() -> Expr {
    Expr::number(f64::NAN)
}
