//! What is wrong with masses or rows of a problem: in words, with its place.

use super::Posed;
use crate::jacobian::Kind;
use crate::mass_groups::{IMMOVABLE, Inertia};
use crate::set::Set;

/// What is wrong with masses or rows.
pub(crate) enum Fault {
    /// In words, at this set.
    Rows(usize, String),
    /// A number that is not finite: where, index, value.
    NotFinite(&'static str, usize, f64),
}

impl Posed {
    /// What is wrong with it, if anything.
    pub(crate) fn fault(&self, sets: &[Set]) -> Option<Fault> {
        for (i, body) in self.bodies().iter().enumerate() {
            let numbers = std::iter::once(&body.inv_mass).chain(&body.inv_inertia);
            if let Some(&value) = numbers.into_iter().find(|x| !x.is_finite()) {
                return Some(Fault::NotFinite("bodies", i, value));
            }
            if let Some(text) = negative(body) {
                let c = self.contacts().iter().position(|t| t.bodies.contains(&(i as u32)));
                return Some(Fault::Rows(c.unwrap_or(0), format!("body {i} has {text}")));
            }
        }
        let (mut begin, mut i) = (0, 0);
        for c in 0..self.jacobian.n_constraints() {
            let rows = self.jacobian.rows_of(c);
            let first = i;
            while i < sets.len() && begin < rows.end {
                begin += sets[i].dim();
                i += 1;
            }
            let is_contact = matches!(self.jacobian.kind(c), Kind::Contact(_));
            if begin != rows.end || (is_contact && i != first + 1) {
                let n = rows.len();
                return Some(Fault::Rows(
                    first,
                    format!("its sets do not fill the {n} rows of constraint {c}"),
                ));
            }
            let found = match self.jacobian.kind(c) {
                Kind::Contact(number) => self.contact_fault(first, number as usize, sets[first]),
                _ => self.row_fault(first, c),
            };
            if found.is_some() {
                return found;
            }
        }
        let wrong = |d: &f64| !(*d >= 0.0 && d.is_finite());
        let found = self.compliance.iter().enumerate().find(|(_, d)| wrong(d));
        found.map(|(row, &value)| Fault::NotFinite("compliance", row, value))
    }

    fn contact_fault(&self, c: usize, number: usize, set: Set) -> Option<Fault> {
        let contact = &self.contacts()[number];
        let ([a, b], n) = (contact.bodies, self.bodies().len());
        let outside = |x: &u32| *x != IMMOVABLE && *x as usize >= n;
        if let Some(body) = [a, b].into_iter().find(outside) {
            return Some(Fault::Rows(c, format!("names body {body} of {n} bodies")));
        }
        if a == b && a != IMMOVABLE {
            return Some(Fault::Rows(c, format!("joins body {a} to itself")));
        }
        if set.dim() > 3 || matches!(set, Set::Rolling2 { .. }) {
            let text = format!("contacts of bodies have no rows for {}", set.name());
            return Some(Fault::Rows(c, text));
        }
        let numbers = contact.frame.as_flattened().iter();
        if let Some(&value) = numbers.clone().find(|x| !x.is_finite()) {
            return Some(Fault::NotFinite("frame", number, value));
        }
        let value = contact.arms.as_flattened().iter().find(|x| !x.is_finite());
        value.map(|&value| Fault::NotFinite("arms", number, value))
    }

    fn row_fault(&self, set: usize, c: usize) -> Option<Fault> {
        let mut found = None;
        let n = self.jacobian.layout().n;
        for (r, row) in self.jacobian.rows_of(c).enumerate() {
            self.jacobian.for_each_entry(c, r, |j, value| {
                if !value.is_finite() {
                    found = Some(Fault::NotFinite("J", row, value));
                } else if j as usize >= n {
                    found = Some(Fault::Rows(set, format!("names velocity {j} of {n} velocities")));
                }
            });
        }
        found
    }
}

/// The first number of a body that must not be negative but is, in words.
fn negative(body: &Inertia) -> Option<String> {
    let names = ["inv_mass", "inv_inertia xx", "inv_inertia yy", "inv_inertia zz"];
    let [xx, yy, zz, ..] = body.inv_inertia;
    let found = names.iter().zip([body.inv_mass, xx, yy, zz]).find(|(_, x)| *x < 0.0);
    found.map(|(name, x)| format!("{name} = {x}; it must be ≥ 0"))
}
