//! Numbers and words of attributes; what is wrong is told with its line.

use crate::log::Log;
use crate::xml::Element;
use glam::DVec3;

/// Farthest that a length, an angle or any other number may be from zero.
const LARGEST: f64 = 1e20;

impl Log {
    /// All numbers of an attribute; `None` where there is none or one of them is wrong.
    pub fn numbers(&mut self, element: &Element, name: &str) -> Option<Vec<f64>> {
        let text = element.attr(name)?;
        let mut numbers = Vec::new();
        for word in text.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
            match word.parse::<f64>() {
                Ok(x) if x.abs() <= LARGEST => numbers.push(x),
                _ => {
                    let tag = &element.tag;
                    let text = format!("`{name}` of {tag} is `{}`; it must be a number", short(word));
                    self.wrong(&element.place_of(name), text);
                    return None;
                }
            }
        }
        Some(numbers)
    }

    /// Exactly N numbers.
    pub fn list<const N: usize>(&mut self, element: &Element, name: &str) -> Option<[f64; N]> {
        let numbers = self.numbers(element, name)?;
        let got = numbers.len();
        let list = numbers.try_into().ok();
        if list.is_none() {
            let text = format!("`{name}` of {} needs {N} numbers, got {got}", element.tag);
            self.wrong(&element.place_of(name), text);
        }
        list
    }

    /// One number.
    pub fn number(&mut self, element: &Element, name: &str) -> Option<f64> {
        self.list::<1>(element, name).map(|[x]| x)
    }

    /// One number that is not negative.
    pub fn positive(&mut self, element: &Element, name: &str) -> Option<f64> {
        let x = self.number(element, name)?;
        if x < 0.0 {
            let text = format!("`{name}` of {} is {x}; it must not be negative", element.tag);
            self.wrong(&element.place_of(name), text);
            return None;
        }
        Some(x)
    }

    pub fn vector(&mut self, element: &Element, name: &str) -> Option<DVec3> {
        self.list::<3>(element, name).map(DVec3::from_array)
    }

    /// A direction, made of length 1; the default where it is not given.
    pub fn direction(&mut self, element: &Element, name: &str, default: DVec3) -> DVec3 {
        let Some(v) = self.vector(element, name) else { return default };
        v.try_normalize().unwrap_or_else(|| {
            self.wrong(&element.place_of(name), format!("`{name}` of {} has no length", element.tag));
            default
        })
    }

    /// An attribute that must be there.
    pub fn needed(&mut self, element: &Element, name: &str) -> Option<String> {
        let value = element.attr(name).map(str::to_owned);
        if value.is_none() {
            self.wrong(&element.place, format!("{} needs `{name}`", element.tag));
        }
        value
    }
}

/// The beginning of a text, for messages.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
