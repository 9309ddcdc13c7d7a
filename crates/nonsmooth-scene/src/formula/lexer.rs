//! Text to tokens: numbers, names, operators and brackets, each with its place in the text.

use std::ops::Range;

use super::error::{FormulaError, Wrong};

/// Longest formula accepted [bytes].
pub(super) const MAX_LENGTH: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    OpenIndex,
    CloseIndex,
    Dot,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    End,
}

/// A token; `start..end` are byte offsets into the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    /// Its place in the formula.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// All tokens of the text, the last one `End`, which sits just behind the last visible character.
pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, FormulaError> {
    if text.len() > MAX_LENGTH {
        let span = text.floor_char_boundary(MAX_LENGTH)..text.len();
        return Err(FormulaError::new(span, Wrong::TooLong { length: text.len(), limit: MAX_LENGTH }));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = next_token(text, at, c)?;
        at = token.end;
        tokens.push(token);
    }
    let end = tokens.last().map_or(0, |last| last.end);
    tokens.push(Token { kind: Kind::End, start: end, end });
    Ok(tokens)
}

/// The token that starts at `start` with the character `c`.
fn next_token(text: &str, start: usize, c: char) -> Result<Token, FormulaError> {
    let rest = &text[start..];
    let second = rest[c.len_utf8()..].chars().next();
    if c.is_ascii_digit() || (c == '.' && second.is_some_and(|d| d.is_ascii_digit())) {
        return number(text, start);
    }
    let (kind, length) = if begins_name(c) {
        (Kind::Name, rest.find(|d| !continues_name(d)).unwrap_or(rest.len()))
    } else {
        symbol(c, second).ok_or_else(|| unknown_character(start, c))?
    };
    Ok(Token { kind, start, end: start + length })
}

fn begins_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit()
}

/// Digits, points, and an exponent where digits follow the e.
fn number(text: &str, start: usize) -> Result<Token, FormulaError> {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mantissa = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let mut end = start + bytes[start..].iter().take_while(mantissa).count();

    let mut broken = false;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let n_digits = digits_from((end + 1 + sign).min(bytes.len()));
        if n_digits > 0 {
            end += 1 + sign + n_digits;
        } else if !text[end + 1..].starts_with(continues_name) {
            // `2e` alone: a number cut short, not a name that begins with e.
            end += 1;
            broken = true;
        }
    }
    match text[start..end].parse::<f64>() {
        Ok(value) if value.is_finite() && !broken => Ok(Token { kind: Kind::Number(value), start, end }),
        _ => Err(FormulaError::new(start..end, Wrong::BadNumber { text: text[start..end].to_owned() })),
    }
}

/// Kind and length [bytes] of an operator or bracket.
fn symbol(c: char, second: Option<char>) -> Option<(Kind, usize)> {
    let kind = match (c, second) {
        ('<', Some('=')) => return Some((Kind::LessEqual, 2)),
        ('>', Some('=')) => return Some((Kind::GreaterEqual, 2)),
        ('<', _) => Kind::Less,
        ('>', _) => Kind::Greater,
        ('+', _) => Kind::Plus,
        ('-', _) => Kind::Minus,
        ('*', _) => Kind::Star,
        ('/', _) => Kind::Slash,
        ('^', _) => Kind::Caret,
        ('(', _) => Kind::Open,
        (')', _) => Kind::Close,
        ('[', _) => Kind::OpenIndex,
        (']', _) => Kind::CloseIndex,
        ('.', _) => Kind::Dot,
        (',', _) => Kind::Comma,
        _ => return None,
    };
    Some((kind, 1))
}

fn unknown_character(start: usize, c: char) -> FormulaError {
    let expected = "a number, a name, an operator (+ - * / ^ < <= > >=) or a bracket".to_owned();
    let found = c.escape_debug().to_string();
    FormulaError::new(start..start + c.len_utf8(), Wrong::UnexpectedToken { found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokenize(text).unwrap().iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_may_have_points_and_exponents() {
        for (text, value) in [("12", 12.0), (".5", 0.5), ("1.", 1.0), ("1.2e-3", 1.2e-3), ("2E+4", 2e4)]
        {
            assert_eq!(kinds(text), [Kind::Number(value), Kind::End], "{text}");
        }
    }

    #[test]
    fn broken_numbers_are_refused_whole() {
        for (text, end) in [("1.2.3", 5), ("1e", 2), ("1e+", 2), ("1e999", 5), ("1..2", 4)] {
            let error = tokenize(text).unwrap_err();
            assert_eq!(error.span, 0..end, "{text}");
            assert!(matches!(error.wrong, Wrong::BadNumber { .. }), "{text}");
        }
    }

    #[test]
    fn names_may_be_greek_and_tokens_know_their_bytes() {
        let tokens = tokenize(" ω_1 <= v2 ").unwrap();
        let spans: Vec<_> = tokens.iter().map(|token| (token.kind, token.span())).collect();
        let end = (Kind::End, 11..11);
        assert_eq!(spans, [(Kind::Name, 1..5), (Kind::LessEqual, 6..8), (Kind::Name, 9..11), end]);
    }

    #[test]
    fn a_number_followed_by_a_name_is_two_tokens() {
        assert_eq!(kinds("2exp"), [Kind::Number(2.0), Kind::Name, Kind::End]);
        assert_eq!(kinds("a.b"), [Kind::Name, Kind::Dot, Kind::Name, Kind::End]);
    }

    #[test]
    fn text_beyond_the_limit_is_refused() {
        assert!(tokenize(&" ".repeat(MAX_LENGTH)).is_ok());
        let text = "ω".repeat(MAX_LENGTH / 2 + 1);
        let error = tokenize(&text).unwrap_err();
        assert_eq!(error.span, MAX_LENGTH..MAX_LENGTH + 2);
        assert!(matches!(error.wrong, Wrong::TooLong { .. }));
    }
}
