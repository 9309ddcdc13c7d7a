//! The place in a formula the parser has reached, and the mistakes of syntax to be seen from there.

use super::error::{FormulaError, Wrong};
use super::lexer::{Kind, Token, tokenize};

/// What was read, or the mistake of syntax that ends the reading.
pub(super) type Parsed<T> = Result<T, FormulaError>;

/// Steps through the tokens of a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Never empty; the last one is `End`.
    tokens: Vec<Token>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Reads the tokens of a formula.
    pub fn new(text: &'a str) -> Parsed<Self> {
        Ok(Self { text, tokens: tokenize(text)?, at: 0 })
    }

    /// The whole formula.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The next token, which stays.
    pub fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// The next token, then steps over it; never past the end.
    pub fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the token before the next one ends.
    pub fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].end
    }

    /// The letters of a token.
    pub fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span()]
    }

    /// What stands here is not what may.
    pub fn unexpected(&self, expected: &str) -> FormulaError {
        let token = self.peek();
        let expected = expected.to_owned();
        let wrong = match token.kind {
            Kind::End => Wrong::UnexpectedEnd { expected },
            _ => Wrong::UnexpectedToken { found: self.text_of(token).to_owned(), expected },
        };
        FormulaError::new(token.span(), wrong)
    }

    /// A bracket without its partner.
    pub fn unbalanced(&self, token: Token) -> FormulaError {
        let bracket = self.text_of(token).chars().next().unwrap_or(')');
        FormulaError::new(token.span(), Wrong::UnbalancedParenthesis { bracket })
    }

    /// Two values side by side.
    pub fn missing_operator(&self) -> FormulaError {
        let left = self.text_of(self.tokens[self.at.saturating_sub(1)]);
        let right = self.text_of(self.peek());
        FormulaError::new(
            self.peek().span(),
            Wrong::MissingOperator { write: format!("{left}*{right}") },
        )
    }
}
