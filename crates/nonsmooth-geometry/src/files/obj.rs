//! Wavefront OBJ: `v x y z` gives a vertex, `f a b c …` a face by vertex numbers, counted from 1 or,
//! negative, backwards from the last vertex; `a/t/n` also names texture and normal, which are not used.
//! Faces of more than three corners must be convex: they are cut into a fan.

use super::{MeshFileError, Triangles, number, shortened};

/// Statements that do not change the surface.
const IDLE: [&str; 17] = [
    "vt", "vn", "vp", "o", "g", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "l", "p", "bevel",
    "c_interp", "d_interp", "lod",
];

/// The triangles of an OBJ file.
pub fn read_obj(text: &str) -> Result<Triangles, MeshFileError> {
    let mut mesh = Triangles::default();
    for (line, statement) in statements(text) {
        if let Some(words) = arguments(&statement, "v") {
            mesh.vertices.push(vertex(words, line)?);
        }
    }
    u32::try_from(mesh.vertices.len()).map_err(|_| MeshFileError::TooMany)?;
    let mut n_before = 0;
    for (line, statement) in statements(text) {
        let keyword = statement.split_ascii_whitespace().next().unwrap_or_default();
        match keyword {
            "v" => n_before += 1,
            "f" => {
                let corners = arguments(&statement, "f").into_iter().flatten();
                let n_vertices = mesh.vertices.len();
                let corners: Result<Vec<u32>, _> =
                    corners.map(|word| corner(word, line, n_before, n_vertices)).collect();
                add_face(&corners?, line, &mut mesh.triangles)?;
            }
            _ if IDLE.contains(&keyword) => {}
            _ => return Err(MeshFileError::Unsupported { line, found: shortened(keyword) }),
        }
    }
    if mesh.triangles.is_empty() { Err(MeshFileError::Empty) } else { Ok(mesh) }
}

/// Lines without comments, joined where they end in a backslash, with the number of the first; not empty.
fn statements(text: &str) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, str>)> {
    let mut lines = text.lines().zip(1..);
    std::iter::from_fn(move || {
        loop {
            let (first, number) = lines.next()?;
            let mut statement = std::borrow::Cow::Borrowed(first);
            while let Some(head) = statement.strip_suffix('\\') {
                let next = lines.next().map_or("", |(line, _)| line);
                statement = format!("{head} {next}").into();
            }
            let end = statement.find('#').unwrap_or(statement.len());
            let is_empty = statement[..end].trim().is_empty();
            if end < statement.len() {
                statement = statement[..end].to_owned().into();
            }
            if !is_empty {
                return Some((number, statement));
            }
        }
    })
}

/// The words after a keyword, if the statement begins with it.
fn arguments<'a>(statement: &'a str, keyword: &str) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
    let mut words = statement.split_ascii_whitespace();
    (words.next() == Some(keyword)).then_some(words)
}

fn vertex<'a>(mut words: impl Iterator<Item = &'a str>, line: usize) -> Result<[f64; 3], MeshFileError> {
    let mut point = [0.0; 3];
    for x in &mut point {
        let missing = MeshFileError::Ends { line, expected: "three coordinates" };
        *x = number(words.next().ok_or(missing)?, line)?;
    }
    Ok(point)
}

/// The vertex of `a`, `a/t`, `a//n` or `a/t/n`, counted from 0.
fn corner(word: &str, line: usize, n_before: usize, n_vertices: usize) -> Result<u32, MeshFileError> {
    let first = word.split('/').next().unwrap_or_default();
    let wrong = || MeshFileError::Expected { line, expected: "a vertex number", found: shortened(word) };
    let index: i64 = first.parse().map_err(|_| wrong())?;
    let from_zero = if index > 0 { index.checked_sub(1) } else { (n_before as i64).checked_add(index) };
    let in_range = |k: &i64| index != 0 && (0..n_vertices as i64).contains(k);
    let out_of_range = MeshFileError::OutOfRange { line, index, n_vertices };
    from_zero.filter(in_range).map(|k| k as u32).ok_or(out_of_range)
}

/// Cuts a face into a fan about its first corner.
fn add_face(corners: &[u32], line: usize, out: &mut Vec<[u32; 3]>) -> Result<(), MeshFileError> {
    let [first, rest @ ..] = corners else { return Err(MeshFileError::Corners { line, got: 0 }) };
    if rest.len() < 2 {
        return Err(MeshFileError::Corners { line, got: corners.len() });
    }
    out.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    Ok(())
}
