//! Where the ticks are and what they say.
//!
//! Linear: steps 1, 2 or 5 times a power of ten. Large or tiny numbers share a factor, and a narrow
//! range far from zero shares an offset; both go into a note, value = label × factor + offset.
//! Logarithmic: decades, or 1-2-5 in each, or linear steps when the range is narrower still.

use super::Scale;
use super::axis::Axis;

/// Ticks of one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// Labelled ticks: pixel and text.
    pub major: Vec<(f64, String)>,
    /// Pixels of the ticks in between.
    pub minor: Vec<f64>,
    /// Factor and offset of the labels, often empty.
    pub note: String,
}

/// Ticks of an axis, about `n` labelled ones.
pub fn ticks(axis: &Axis, n: usize) -> Ticks {
    let n = n.max(2);
    match axis.scale {
        Scale::Linear => linear(axis, axis.lo, axis.hi, n),
        Scale::Log => logarithmic(axis, n),
    }
}

/// Largest power of ten up to x > 0, as an exponent.
fn magnitude(x: f64) -> i32 {
    // 1e-9 so that 0.999999999 is read as 1.
    (x.log10() + 1e-9).floor() as i32
}

/// Smallest step ≥ `rough` of the form 1, 2, 5 × 10ᵏ.
fn nice_step(rough: f64) -> f64 {
    let unit = 10f64.powi(magnitude(rough));
    [1.0, 2.0, 5.0].iter().map(|m| m * unit).find(|s| *s >= 0.999 * rough).unwrap_or(10.0 * unit)
}

fn linear(axis: &Axis, lo: f64, hi: f64, n: usize) -> Ticks {
    let step = nice_step((hi - lo) / n as f64);
    let first = (lo / step - 1e-6).ceil();
    let count = ((hi / step + 1e-6).floor() - first) as usize;
    let values: Vec<f64> = (0..=count).map(|k| (first + k as f64) * step).collect();

    let offset = offset(lo, hi, step);
    let largest = values.iter().map(|v| (v - offset).abs()).fold(step, f64::max);
    let factor = match magnitude(largest) {
        e if (-3..5).contains(&e) => 0,
        e => e,
    };
    let decimals = (factor - magnitude(step)).max(0) as usize;
    let label = |v: f64| decimal((v - offset) / 10f64.powi(factor), decimals);
    let major = values.iter().map(|&v| (axis.at(v), label(v))).collect();
    Ticks { major, minor: Vec::new(), note: note(factor, offset, hi - lo) }
}

/// A round number near the range if its labels would need more than five digits, else 0.
fn offset(lo: f64, hi: f64, step: f64) -> f64 {
    if lo.abs().max(hi.abs()) < 1e5 * step {
        return 0.0;
    }
    let unit = 10f64.powi(magnitude(hi - lo) + 1);
    ((lo / 2.0 + hi / 2.0) / unit).round() * unit
}

fn note(factor: i32, offset: f64, range: f64) -> String {
    let mut note = String::new();
    if factor != 0 {
        note = format!("×{}", power(factor));
    }
    if offset != 0.0 {
        let sign = if offset < 0.0 { "−" } else { "+" };
        note = format!("{note} {sign} {}", plain(offset.abs(), range)).trim_start().to_owned();
    }
    note
}

/// An offset with the digits that matter beside `range`, trailing zeros removed.
fn plain(v: f64, range: f64) -> String {
    let e = magnitude(v);
    let digits = (e - magnitude(range)).clamp(0, 17) as usize;
    if !(-3..7).contains(&e) {
        let mantissa = trimmed(&decimal(v / 10f64.powi(e), digits));
        return format!("{mantissa}×{}", power(e));
    }
    trimmed(&decimal(v, (digits as i32 - e).max(0) as usize))
}

fn trimmed(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    }
}

fn logarithmic(axis: &Axis, n: usize) -> Ticks {
    let (first, last) = ((axis.lo - 1e-9).ceil() as i32, (axis.hi + 1e-9).floor() as i32);
    let minor = match axis.hi - axis.lo {
        range if range < 10.0 => mantissas(axis, &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
        _ => (first..=last).map(|e| (f64::from(e), 1.0, e)).collect(),
    };
    let minor = minor.iter().map(|m| axis.at_coordinate(m.0)).collect();

    // Decades, thinned to about n.
    if last - first >= 2 {
        let stride = (last - first + n as i32) / n as i32;
        let major = (first..=last)
            .filter(|e| e % stride == 0)
            .map(|e| (axis.at_coordinate(f64::from(e)), power(e)))
            .collect();
        return Ticks { major, minor, note: String::new() };
    }

    // Less than three decades: as many of 1-2-5 as there is room for.
    let label = |m: f64, e| if m == 1.0 { power(e) } else { format!("{m}×{}", power(e)) };
    for set in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
        let steps = mantissas(axis, set);
        if (2..=n + 1).contains(&steps.len()) {
            let major = steps.iter().map(|&(c, m, e)| (axis.at_coordinate(c), label(m, e))).collect();
            return Ticks { major, minor, note: String::new() };
        }
    }
    Ticks { minor, ..linear(axis, 10f64.powf(axis.lo), 10f64.powf(axis.hi), n) }
}

/// Exponent, mantissa and decade of all m × 10ᵉ on the axis.
fn mantissas(axis: &Axis, mantissas: &[f64]) -> Vec<(f64, f64, i32)> {
    (axis.lo.floor() as i32..=axis.hi.floor() as i32)
        .flat_map(|e| mantissas.iter().map(move |&m| (f64::from(e) + m.log10(), m, e)))
        .filter(|(c, ..)| (axis.lo - 1e-9..=axis.hi + 1e-9).contains(c))
        .collect()
}

/// A number with a true minus sign; zero has none.
fn decimal(v: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", v.abs());
    let is_zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    if v < 0.0 && !is_zero { format!("−{text}") } else { text }
}

/// 10ᵉ with superscript digits.
fn power(e: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let superscript = e
        .to_string()
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(digit) => DIGITS[digit as usize],
            None => '⁻',
        })
        .collect::<String>();
    format!("10{superscript}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, lo: f64, hi: f64) -> (Vec<String>, String) {
        let ticks = ticks(&Axis { scale, lo, hi, pixels: (0.0, 100.0) }, 5);
        (ticks.major.into_iter().map(|m| m.1).collect(), ticks.note)
    }

    #[test]
    fn ordinary_ranges_have_short_labels() {
        assert_eq!(labels(Scale::Linear, 0.0, 10.0).0, ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(Scale::Linear, -0.1, 0.1).0, ["−0.10", "−0.05", "0.00", "0.05", "0.10"]);
    }

    #[test]
    fn tiny_and_large_values_share_a_factor() {
        let (text, note) = labels(Scale::Linear, 0.0, 4e-16);
        assert_eq!(
            (text, note.as_str()),
            (["0", "1", "2", "3", "4"].map(String::from).to_vec(), "×10⁻¹⁶")
        );
        assert_eq!(labels(Scale::Linear, 0.0, 2e7).1, "×10⁷");
    }

    #[test]
    fn narrow_range_far_from_zero_shares_an_offset() {
        let (text, note) = labels(Scale::Linear, 9.81 - 2e-9, 9.81 + 2e-9);
        assert_eq!(note, "×10⁻⁹ + 9.81");
        assert_eq!(text, ["−2", "−1", "0", "1", "2"]);
    }

    #[test]
    fn log_axis_goes_from_decades_to_linear_steps_as_it_narrows() {
        assert_eq!(labels(Scale::Log, -3.0, 0.0).0, ["10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(labels(Scale::Log, -0.1, 0.8).0, ["10⁰", "2×10⁰", "5×10⁰"]);
        assert!(labels(Scale::Log, 0.31, 0.33).0.len() >= 2);
        assert!(labels(Scale::Log, -300.0, 300.0).0.len() <= 7);
    }
}
