//! Contacts of a frame: points, with vectors at them.

use super::Contact;
use super::bodies::count;
use super::piece::{Array, Kind, Piece};
use std::io::{self, Write};

/// Writes the file of a frame.
pub(super) fn write(t: f64, contacts: &[Contact], to: &mut dyn Write) -> io::Result<()> {
    let n = contacts.len() as u64;
    let vectors = |name, value: fn(&Contact) -> [f64; 3]| Array {
        name,
        kind: Kind::Float64,
        components: 3,
        tuples: n,
        write: Box::new(move |to| doubles(contacts.iter().flat_map(value), to)),
    };
    let scalars = |name, value: fn(&Contact) -> f64| Array {
        components: 1,
        write: Box::new(move |to| doubles(contacts.iter().map(value), to)),
        ..vectors(name, |_| [0.0; 3])
    };
    let integers =
        |name, components, tuples, write| Array { name, kind: Kind::Int32, components, tuples, write };
    let piece = Piece {
        t,
        n_points: n,
        n_vertices: n,
        n_triangles: 0,
        points: vectors("Points", |contact| contact.point),
        active: ("gap", "force"),
        data: vec![
            vectors("normal", |contact| contact.normal),
            scalars("gap", |contact| contact.gap),
            vectors("impulse", |contact| contact.impulse),
            vectors("force", |contact| contact.force),
            scalars("normal_force", |contact| {
                contact.force.iter().zip(contact.normal).map(|(f, n)| f * n).sum()
            }),
            integers("bodies", 2, n, Box::new(move |to| pairs(contacts, to))),
        ],
        vertices: [
            integers(
                "connectivity",
                1,
                n,
                Box::new(move |to| (0..n as i32).try_for_each(|k| to.write_all(&k.to_le_bytes()))),
            ),
            integers("offsets", 1, n, Box::new(move |to| count(n, 1, to))),
        ],
        triangles: ["connectivity", "offsets"].map(|name| integers(name, 1, 0, Box::new(|_| Ok(())))),
    };
    piece.write(to)
}

fn doubles(mut values: impl Iterator<Item = f64>, to: &mut dyn Write) -> io::Result<()> {
    values.try_for_each(|x| to.write_all(&x.to_le_bytes()))
}

fn pairs(contacts: &[Contact], to: &mut dyn Write) -> io::Result<()> {
    contacts.iter().flat_map(|c| c.bodies).try_for_each(|k| to.write_all(&k.to_le_bytes()))
}
