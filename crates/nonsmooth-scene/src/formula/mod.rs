//! Formulas of scene files: text → `Expr` (tree) → derivative → `Program` (fast evaluation).
//!
//! ```text
//! "f0*sin(w*t)" ─ lexer ─▶ tokens ─ parser + Scope ─▶ Expr ─ derivative ─▶ Expr ─ compile ─▶ Program
//! ```
//!
//! A formula knows numbers, `+ - * / ^`, one comparison (`< <= > >=`, worth 1 or 0), the functions
//! of [`Op`], the constant `pi`, and the names its [`Scope`] allows: `x`, `ball.z`, `bead[i+1].z`,
//! `k[2]`. Precedence, loosest first: comparison, sum, product, unary minus, power. Powers group
//! to the right and bind tighter than minus: −x² = −(x²).
//!
//! No text can panic or overflow the stack: [`parse`] limits length, nesting and tree depth, and
//! every walk over a tree is a loop over `Expr::postorder`, so that trees built by other code may
//! be as deep as memory allows.

mod cursor;
mod derivative;
mod display;
mod error;
mod expr;
mod lexer;
mod names;
mod op;
mod parser;
mod program;
mod scope;
mod simplify;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use display::Named;
pub use error::{FormulaError, Wrong};
pub use expr::Expr;
pub(crate) use nonsmooth_solvers::nearest;
pub use op::Op;
pub use parser::parse;
pub use program::Program;
pub use scope::{Meaning, Scope};
