//! Hostile input: absurd depth and length, random bytes, random tokens.

use super::parser::{MAX_DEPTH, MAX_NESTING};
use super::sample::{AT, Chain, Lcg};
use super::{FormulaError, Program, Wrong, parse};

fn value(text: &str) -> f64 {
    Program::compile(&parse(text, &Chain).unwrap()).eval(&AT)
}

fn errors(text: &str) -> Vec<FormulaError> {
    parse(text, &Chain).unwrap_err()
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    let n = 100_000;
    for (piece, at) in [("(", MAX_NESTING), ("-", MAX_NESTING)] {
        let found = errors(&piece.repeat(n));
        assert_eq!(found[0].wrong, Wrong::TooDeep { limit: MAX_NESTING });
        assert_eq!(found[0].span, at..at + 1);
    }
    for piece in ["x^", "sin(", "k[", "x+(", "1<(", "2^-", "if(x,1,"] {
        let found = errors(&piece.repeat(n / piece.len()));
        assert_eq!(found[0].wrong, Wrong::TooDeep { limit: MAX_NESTING }, "{piece}");
    }
    let deepest = format!("{}x{}", "(".repeat(MAX_NESTING), ")".repeat(MAX_NESTING));
    assert_eq!(value(&deepest), 2.0);
    // The worst recursion: every level of precedence between two parentheses.
    let worst = format!("{}1{}", "1<1+1*2^(".repeat(MAX_NESTING / 2), ")".repeat(MAX_NESTING / 2));
    assert!(parse(&worst, &Chain).is_ok());
}

#[test]
fn long_chains_are_refused_unless_they_fold() {
    for operator in ["+", "-", "*", "/"] {
        let text = vec!["x"; 50_000].join(operator);
        assert_eq!(errors(&text)[0].wrong, Wrong::TooDeep { limit: MAX_DEPTH });
    }
    assert_eq!(value(&vec!["1"; 50_000].join("+")), 50_000.0);
    assert_eq!(value(&vec!["x"; MAX_DEPTH].join("+")), 2.0 * MAX_DEPTH as f64);
}

/// Whatever the text, `parse` returns; spans can be cut out of it and what it accepts can be computed.
fn survives(text: &str) -> bool {
    match parse(text, &Chain) {
        Ok(expr) => {
            let slope = Program::compile(&expr.derivative(0)).eval(&AT);
            let _ = (slope, Program::compile(&expr).eval(&AT), expr.to_string());
            true
        }
        Err(found) => {
            assert!(!found.is_empty(), "{text:?}");
            for error in found {
                assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
                assert!(!error.to_string().is_empty());
            }
            false
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut rng = Lcg::new(7);
    for _ in 0..100_000 {
        let bytes: Vec<u8> = (0..rng.below(24)).map(|_| rng.below(256) as u8).collect();
        survives(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_tokens_never_panic() {
    let pieces = [
        "x", "y", "ω", "i", "R", "pi", "bead[", "].z", "k[0]", "sphere.z", "nope", "sin(", "if(",
        "atan2(", "max(", "(", ")", ")", "[", "]", "+", "-", "*", "/", "^", "<", "<=", ">=", ",", ".",
        "1", "2", "0.5", "1e", "3e-2", " ", "²", "=", "\u{0}", "e", "1e400", "_",
    ];
    let mut rng = Lcg::new(11);
    let mut n_valid = 0;
    for _ in 0..100_000 {
        let text: String = (0..rng.below(16)).map(|_| pieces[rng.below(pieces.len())]).collect();
        n_valid += usize::from(survives(&text));
    }
    assert!(n_valid > 1_000, "only {n_valid} texts were formulas; the test has lost its bite");
}
