//! Reading formulas end to end: values, and the exact place of each mistake.

use std::ops::Range;

use super::sample::{AT, Chain};
use super::{FormulaError, Program, Wrong, parse};

fn value(text: &str) -> f64 {
    Program::compile(&parse(text, &Chain).unwrap()).eval(&AT)
}

fn errors(text: &str) -> Vec<FormulaError> {
    parse(text, &Chain).unwrap_err()
}

#[test]
fn precedence_is_that_of_mathematics() {
    let table = [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("x - y - ω", -6.0),
        ("12/x/y", 2.0),
        ("12/x*y", 18.0),
        ("-x^2", -4.0),
        ("(-x)^2", 4.0),
        ("x^y^2", 512.0),
        ("2^-x", 0.25),
        ("2^-x*4", 1.0),
        ("x*-y", -6.0),
        ("x*-y*ω", -30.0),
        ("--x", 2.0),
        ("-x*y", -6.0),
        ("1 - -x", 3.0),
        ("x < y + 1", 1.0),
        ("x + 1 < y", 0.0),
        ("x + 1 <= y", 1.0),
        ("(x < y) + (y >= x) + (x > y)", 2.0),
        ("if(x < 1, 0, ω^2)", 25.0),
        ("min(x, y) + max(x, y)*10", 32.0),
        ("atan2(0, -1)", std::f64::consts::PI),
        ("1e1 + .5", 10.5),
    ];
    for (text, want) in table {
        assert_eq!(value(text), want, "{text}");
    }
}

#[test]
fn names_may_have_an_index_and_a_part() {
    assert_eq!(value("bead[i+1].z - bead[i].z - 2*R"), 17.0 - 13.0 - 1.0);
    assert_eq!(value("bead [ i - 1 ] . z"), 11.0);
    assert_eq!(value("sphere.z - R - h0"), 6.25);
    assert_eq!(value("k[0]"), 19.0);
    assert_eq!(value("bead[0.1*10 + 2].z"), 17.0);
    // The scope claims pi = 3.
    assert_eq!(value("pi"), std::f64::consts::PI);
}

/// Formula, place and message of one mistake.
type Mistake = (&'static str, Range<usize>, &'static str);

fn check(table: &[Mistake]) {
    for (text, span, message) in table {
        let found = errors(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].span, *span, "{text}");
        assert_eq!(found[0].to_string(), *message, "{text}");
    }
}

#[test]
fn each_mistake_of_syntax_is_pointed_at_exactly() {
    check(&[
        ("", 0..0, "the formula is empty; write a number or an expression"),
        ("  ", 0..2, "the formula is empty; write a number or an expression"),
        ("x +", 3..3, "the formula ends too early; expected a number, a name or `(`"),
        ("x + * y", 4..5, "unexpected `*`; expected a number, a name or `(`"),
        ("(x + y", 0..1, "`(` is never closed"),
        ("2*(x + sin(y)", 2..3, "`(` is never closed"),
        ("sin(y", 3..4, "`(` is never closed"),
        ("k[0", 1..2, "`[` is never closed"),
        ("x + y)", 5..6, "`)` closes nothing; remove it or open it before"),
        (")", 0..1, "`)` closes nothing; remove it or open it before"),
        ("(x]", 2..3, "unexpected `]`; expected an operator, `,` or `)`"),
        ("()", 1..2, "unexpected `)`; expected a number, a name or `(`"),
        ("2 x", 2..3, "missing operator; write 2*x"),
        ("2x", 1..2, "missing operator; write 2*x"),
        ("(x)(y)", 3..4, "missing operator; write )*("),
        ("x(y)", 1..2, "missing operator; write x*("),
        ("sin x", 4..5, "unexpected `x`; expected `(` after the function `sin`"),
        (
            "x $ y",
            2..3,
            "unexpected `$`; expected a number, a name, an operator (+ - * / ^ < <= > >=) or a bracket",
        ),
        (
            "x < y < ω",
            6..7,
            "unexpected `<`; expected one comparison only; put parentheses around the first",
        ),
        ("x, y", 1..2, "unexpected `,`; expected an operator or the end of the formula"),
        ("sphere.", 7..7, "the formula ends too early; expected a name after the point"),
    ]);
}

#[test]
fn each_wrong_name_or_number_is_pointed_at_exactly() {
    check(&[
        ("1.2.3 + x", 0..5, "`1.2.3` is not a number; write it like 12, 0.5 or 1.2e-3"),
        ("x + 1e999", 4..9, "`1e999` is not a number; write it like 12, 0.5 or 1.2e-3"),
        ("ω + ψ", 5..7, "no name `ψ`; known are x, y, ω, sphere.z, i, R, h0, pi"),
        (
            "1 + spere.z",
            4..11,
            "no name `spere.z`; did you mean `sphere.z`? Known are x, y, ω, sphere.z, i, R, h0, pi",
        ),
        ("r", 0..1, "no name `r`; did you mean `R`? Known are x, y, ω, sphere.z, i, R, h0, pi"),
        ("x + bead[i+9].z", 4..15, "no name `bead[11].z`; known are x, y, ω, sphere.z, i, R, h0, pi"),
        ("sine(x)", 0..4, "no function `sine`; did you mean `sin`?"),
        ("x*frobnicate(x)", 2..12, "no function `frobnicate`"),
        ("1 + atan2(x)", 4..12, "`atan2` takes 2 arguments, got 1"),
        ("sin()", 0..5, "`sin` takes 1 argument, got 0"),
        ("bead[x].z", 5..6, "an index must be constant, but this one depends on a variable"),
        ("bead[i/4].z", 5..8, "an index must be a whole number, got 0.5"),
        ("bead[1/0].z", 5..8, "an index must be a whole number, got inf"),
    ]);
}

#[test]
fn all_unknown_names_are_reported_at_once() {
    let found = errors("a + x*b - sine(c) + a + bead[d].z");
    let spans: Vec<_> = found.iter().map(|error| error.span.clone()).collect();
    assert_eq!(spans, [0..1, 6..7, 10..14, 15..16, 29..30]);
    // A mistake of syntax comes after the names read before it.
    let found = errors("a + (x");
    assert!(matches!(&found[0].wrong, Wrong::UnknownName { name, .. } if name == "a"));
    assert!(matches!(found[1].wrong, Wrong::UnbalancedParenthesis { bracket: '(' }));
    let many: Vec<String> = (0..1000).map(|i| format!("a{i}")).collect();
    assert_eq!(errors(&many.join("*")).len(), 20);
}
