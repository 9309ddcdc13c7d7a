//! What can be wrong with a formula, where, and the sentence that says so.

use std::ops::Range;

/// How many allowed names a message lists before it ends in "…".
const LISTED_NAMES: usize = 12;

/// One mistake in a formula.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{wrong}")]
pub struct FormulaError {
    /// Byte offsets into the formula; both ends lie on character borders. Empty at the end of the text.
    pub span: Range<usize>,
    /// The mistake.
    pub wrong: Wrong,
}

impl FormulaError {
    pub(super) fn new(span: Range<usize>, wrong: Wrong) -> Self {
        Self { span, wrong }
    }
}

/// The kinds of mistakes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// Nothing but white space.
    #[error("the formula is empty; write a number or an expression")]
    Empty,
    /// The text is longer than the limit, in bytes.
    #[error("the formula has {length} bytes; at most {limit} are allowed")]
    TooLong {
        /// Length of the text, in bytes.
        length: usize,
        /// Longest text accepted, in bytes.
        limit: usize,
    },
    /// Too many nested parentheses, signs or powers, or too long a chain of operators.
    #[error(
        "the formula is more than {limit} levels deep; split it with named constants or group long sums"
    )]
    TooDeep {
        /// Deepest tree or nesting accepted.
        limit: usize,
    },
    /// The text stops too early.
    #[error("the formula ends too early; expected {expected}")]
    UnexpectedEnd {
        /// What could have come next.
        expected: String,
    },
    /// A character or token that cannot stand where it stands.
    #[error("unexpected `{found}`; expected {expected}")]
    UnexpectedToken {
        /// The token as written.
        found: String,
        /// What could have stood there.
        expected: String,
    },
    /// Two operands side by side.
    #[error("missing operator; write {write}")]
    MissingOperator {
        /// The product that was probably meant, e.g. `2*x`.
        write: String,
    },
    /// A bracket without its partner.
    #[error("{}", unbalanced(*.bracket))]
    UnbalancedParenthesis {
        /// The bracket as written, one of `( [ ) ]`.
        bracket: char,
    },
    /// Digits that are no finite number.
    #[error("`{text}` is not a number; write it like 12, 0.5 or 1.2e-3")]
    BadNumber {
        /// The digits as written.
        text: String,
    },
    /// A name the scope does not know.
    #[error("no name `{name}`{}", unknown_name(.nearest.as_deref(), .allowed))]
    UnknownName {
        /// The name, with its index worked out: `bead[3].z`.
        name: String,
        /// The allowed name it resembles most.
        nearest: Option<String>,
        /// Every allowed name, in the order of the scope, then `pi`.
        allowed: Vec<String>,
    },
    /// A function that does not exist.
    #[error("no function `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The function it resembles most.
        nearest: Option<String>,
    },
    /// A function with too few or too many arguments.
    #[error("`{name}` takes {want} argument{}, got {got}", if *.want == 1 { "" } else { "s" })]
    WrongArity {
        /// The function.
        name: String,
        /// Number of arguments given.
        got: usize,
        /// Number of arguments needed.
        want: usize,
    },
    /// An index that is not a constant whole number.
    #[error("{}", bad_index(*.value))]
    BadIndex {
        /// The value of the index [–], or `None` when it depends on a variable.
        value: Option<f64>,
    },
}

fn unbalanced(bracket: char) -> String {
    match bracket {
        '(' | '[' => format!("`{bracket}` is never closed"),
        _ => format!("`{bracket}` closes nothing; remove it or open it before"),
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn unknown_name(nearest: Option<&str>, allowed: &[String]) -> String {
    let mut text = did_you_mean(nearest);
    if allowed.is_empty() {
        return text;
    }
    text.push_str(if text.is_empty() { "; known are " } else { " Known are " });
    text.push_str(&allowed[..allowed.len().min(LISTED_NAMES)].join(", "));
    if allowed.len() > LISTED_NAMES {
        text.push_str(", …");
    }
    text
}

fn bad_index(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("an index must be a whole number, got {value}"),
        None => "an index must be constant, but this one depends on a variable".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(n_names: usize, nearest: Option<&str>) -> String {
        let allowed = (0..n_names).map(|i| format!("a{i}")).collect();
        let nearest = nearest.map(str::to_owned);
        Wrong::UnknownName { name: "b".into(), nearest, allowed }.to_string()
    }

    #[test]
    fn messages_list_at_most_twelve_names() {
        assert_eq!(unknown(2, None), "no name `b`; known are a0, a1");
        assert_eq!(unknown(1, Some("a0")), "no name `b`; did you mean `a0`? Known are a0");
        assert!(unknown(12, None).ends_with("a10, a11"));
        assert!(unknown(13, None).ends_with("a10, a11, …"));
        assert_eq!(unknown(0, None), "no name `b`");
    }

    #[test]
    fn messages_are_sentences_about_the_mistake() {
        let arity = |want, got| Wrong::WrongArity { name: "f".into(), got, want }.to_string();
        assert_eq!(arity(1, 2), "`f` takes 1 argument, got 2");
        assert_eq!(arity(2, 1), "`f` takes 2 arguments, got 1");
        let bracket = |bracket| Wrong::UnbalancedParenthesis { bracket }.to_string();
        assert_eq!(bracket('('), "`(` is never closed");
        assert_eq!(bracket(']'), "`]` closes nothing; remove it or open it before");
        let index = Wrong::BadIndex { value: Some(1.5) };
        assert_eq!(index.to_string(), "an index must be a whole number, got 1.5");
    }
}
