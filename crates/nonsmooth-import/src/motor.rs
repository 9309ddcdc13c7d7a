//! Drives as formulas: a parameter for each control, bounded as in the file.
//!
//! ```text
//! force = clamp(gain · clamp(control) + b₀ + b₁ · gear · q + b₂ · gear · q̇),    torque = gear · force
//! ```

use crate::joints::Axis;
use crate::robot::{Actuator, Joint};

/// The formula of all drives of an axis, and the names of its parameters.
pub(crate) fn motor(
    axis: &Axis,
    link: &str,
    joint: &Joint,
    mut parameter: impl FnMut(&str) -> String,
) -> Option<String> {
    if joint.actuators.is_empty() {
        return None;
    }
    let sign = if axis.sign < 0.0 { "-" } else { "" };
    let q = format!("({:?} + ({sign}{link}.{}))", joint.start, axis.word);
    let rate = format!("({sign}{link}.v_{})", axis.word);
    let terms = joint.actuators.iter().map(|a| term(a, &parameter(&a.name), [&q, &rate]));
    let sum = terms.collect::<Vec<_>>().join(" + ");
    let bounded = clamp(&sum, joint.force_range);
    Some(if axis.sign < 0.0 { format!("-({bounded})") } else { bounded })
}

fn term(a: &Actuator, control: &str, [q, rate]: [&str; 2]) -> String {
    let mut force = product(a.gain, &clamp(control, a.control_range));
    let [constant, by_q, by_rate] = a.bias;
    for (factor, what) in [(by_q * a.gear, q), (by_rate * a.gear, rate)] {
        if factor != 0.0 {
            force += &format!(" + {}", product(factor, what));
        }
    }
    if constant != 0.0 {
        force += &format!(" + ({constant:?})");
    }
    let force = clamp(&force, a.force_range);
    if a.gear == 1.0 { force } else { product(a.gear, &format!("({force})")) }
}

fn product(factor: f64, what: &str) -> String {
    match factor {
        1.0 => what.to_owned(),
        _ => format!("({factor:?})*{what}"),
    }
}

fn clamp(what: &str, range: Option<[f64; 2]>) -> String {
    range.map_or_else(|| what.to_owned(), |[low, high]| format!("max({low:?}, min({high:?}, {what}))"))
}
