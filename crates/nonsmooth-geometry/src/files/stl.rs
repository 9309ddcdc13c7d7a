//! STL: triangles by their corners, as text or binary; equal corners become one vertex.
//!
//! Binary: 80 bytes of anything, the number of triangles as u32, and for each triangle a normal and
//! three corners as f32 and two bytes more, all little-endian. The normals are not used: the order of
//! the corners says which side is outside.

use super::{MeshFileError, Triangles, number, shortened};
use std::collections::HashMap;

const HEADER: usize = 84;
const RECORD: usize = 50;

/// The triangles of an STL file.
pub fn read_stl(bytes: &[u8]) -> Result<Triangles, MeshFileError> {
    let declared = declared(bytes);
    let expected = declared.map(|n| HEADER as u64 + RECORD as u64 * u64::from(n));
    if expected == Some(bytes.len() as u64) {
        return read_binary(&bytes[HEADER..]);
    }
    // Some binary files begin with `solid` too, but then their length gives them away above.
    let start = bytes.trim_ascii_start();
    if start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return read_text(&String::from_utf8_lossy(bytes));
    }
    match (declared, expected) {
        (Some(declared), Some(expected)) => {
            Err(MeshFileError::Length { declared, expected, got: bytes.len() as u64 })
        }
        _ => Err(MeshFileError::NotStl),
    }
}

fn declared(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

fn read_binary(records: &[u8]) -> Result<Triangles, MeshFileError> {
    let mut welder = Welder::default();
    for (index, record) in records.chunks_exact(RECORD).enumerate() {
        let value = |k: usize| {
            let bytes = [record[k], record[k + 1], record[k + 2], record[k + 3]];
            f64::from(f32::from_le_bytes(bytes))
        };
        // The corners begin after the 12 bytes of the normal.
        let corners = [12, 24, 36].map(|at| [value(at), value(at + 4), value(at + 8)]);
        if corners.iter().flatten().any(|x| !x.is_finite()) {
            return Err(MeshFileError::NotFinite { place: format!("triangle {index}, counted from 0") });
        }
        welder.push(corners)?;
    }
    welder.finish()
}

fn read_text(text: &str) -> Result<Triangles, MeshFileError> {
    let mut words = Words::new(text);
    let mut welder = Welder::default();
    words.expect(&["solid"])?;
    words.skip_line();
    loop {
        match words.expect(&["facet", "endsolid"])? {
            "facet" => welder.push(read_facet(&mut words)?)?,
            _ => {
                words.skip_line();
                if words.at_end() {
                    return welder.finish();
                }
                words.expect(&["solid"])?;
                words.skip_line();
            }
        }
    }
}

fn read_facet(words: &mut Words<'_>) -> Result<[[f64; 3]; 3], MeshFileError> {
    words.expect(&["normal"])?;
    for _ in 0..3 {
        // Often zero, sometimes not a number: not used, so anything goes.
        words.next("three components of the normal")?;
    }
    words.expect(&["outer"])?;
    words.expect(&["loop"])?;
    let mut corners = [[0.0; 3]; 3];
    for corner in &mut corners {
        words.expect(&["vertex"])?;
        for x in corner {
            let word = words.next("three coordinates")?;
            *x = number(word, words.line)?;
        }
    }
    words.expect(&["endloop"])?;
    words.expect(&["endfacet"])?;
    Ok(corners)
}

/// Words of a text with the lines they stand on.
struct Words<'a> {
    lines: std::str::Lines<'a>,
    rest: std::str::SplitAsciiWhitespace<'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { lines: text.lines(), rest: "".split_ascii_whitespace(), line: 0 }
    }

    fn next(&mut self, expected: &'static str) -> Result<&'a str, MeshFileError> {
        loop {
            if let Some(word) = self.rest.next() {
                return Ok(word);
            }
            let ends = MeshFileError::Ends { line: self.line, expected };
            self.rest = self.lines.next().ok_or(ends)?.split_ascii_whitespace();
            self.line += 1;
        }
    }

    /// The next word, which must be one of these; the first names what is missing.
    fn expect(&mut self, allowed: &[&'static str]) -> Result<&'static str, MeshFileError> {
        let word = self.next(allowed[0])?;
        allowed.iter().copied().find(|allowed| allowed.eq_ignore_ascii_case(word)).ok_or_else(|| {
            MeshFileError::Expected { line: self.line, expected: allowed[0], found: shortened(word) }
        })
    }

    fn skip_line(&mut self) {
        self.rest = "".split_ascii_whitespace();
    }

    fn at_end(&self) -> bool {
        self.rest.clone().next().is_none() && self.lines.clone().all(|line| line.trim().is_empty())
    }
}

/// Gives equal corners one number, in the order in which they first occur.
#[derive(Default)]
struct Welder {
    known: HashMap<[u64; 3], u32>,
    mesh: Triangles,
}

impl Welder {
    fn push(&mut self, corners: [[f64; 3]; 3]) -> Result<(), MeshFileError> {
        let mut triangle = [0; 3];
        for (number, corner) in triangle.iter_mut().zip(corners) {
            // Adding zero makes −0 and 0 one number.
            let name = corner.map(|x| (x + 0.0).to_bits());
            let next = u32::try_from(self.mesh.vertices.len()).map_err(|_| MeshFileError::TooMany)?;
            *number = *self.known.entry(name).or_insert(next);
            if *number == next {
                self.mesh.vertices.push(corner);
            }
        }
        self.mesh.triangles.push(triangle);
        Ok(())
    }

    fn finish(self) -> Result<Triangles, MeshFileError> {
        if self.mesh.triangles.is_empty() { Err(MeshFileError::Empty) } else { Ok(self.mesh) }
    }
}
