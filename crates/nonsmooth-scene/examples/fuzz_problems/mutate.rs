//! Inputs for the readers of problems: good files with damage, and sound HDF5 files with wrong contents.

use hdf5_pure::{DatasetBuilder, FileBuilder, GroupBuilder};
use nonsmooth_testkit::Random;

/// Numbers at which lengths, offsets and counts break.
const NUMBERS: [i64; 19] = [
    0,
    1,
    -1,
    -2,
    2,
    7,
    255,
    256,
    65_535,
    65_536,
    16_777_215,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    i64::MAX,
    i64::MIN,
    1000,
];

const FLOATS: [f64; 9] =
    [0.0, -0.0, 1.0, -1.0, 1e308, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

const WORDS: [&str; 34] = [
    "",
    "0",
    "-1",
    "1",
    "2147483648",
    "99999999999999999999",
    "1e999",
    "-1e308",
    "nan",
    "inf",
    "\"inf\"",
    "\"-inf\"",
    "null",
    "true",
    "[]",
    "{}",
    "[[[[[[[[",
    "\"",
    "\\",
    "\\u0000",
    ",",
    ":",
    "%",
    "%%",
    "\n",
    "\u{0}",
    "é",
    "\"lcp\"",
    "\"mlcp\"",
    "\"relay\"",
    "symmetric",
    "array",
    "2.5",
    "1e-400",
];

/// Damages bytes in one to four places; `other` is a second good file to take pieces from.
pub fn damage(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(64)).min(bytes.len());
        match random.below(11) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes[at] = random.one_of(&[0, 1, 0x7f, 0x80, 0xfe, 0xff]),
            3 | 4 => {
                let number = random.one_of(&NUMBERS).to_le_bytes();
                let n = random.one_of(&[1, 2, 4, 8]).min(bytes.len() - at);
                bytes[at..at + n].copy_from_slice(&number[..n]);
            }
            5 => bytes.truncate(at),
            6 => drop(bytes.drain(at..end)),
            7 => bytes[at..end].fill(random.one_of(&[0, 0xff])),
            8 => {
                let piece = bytes[at..end].to_vec();
                let place = random.below(bytes.len() - piece.len() + 1);
                bytes[place..place + piece.len()].copy_from_slice(&piece);
            }
            9 => {
                let end = end.min(other.len());
                if at < end {
                    bytes[at..end].copy_from_slice(&other[at..end]);
                }
            }
            _ => {
                let (a, b) = (bytes[at], random.below(bytes.len()));
                bytes[at] = bytes[b];
                bytes[b] = a;
            }
        }
    }
    bytes
}

/// Damages a text word by word, now and then byte by byte.
pub fn damage_text(text: &str, other: &str, random: &mut Random) -> String {
    if random.below(4) == 0 {
        let bytes = damage(text.as_bytes(), other.as_bytes(), random);
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let mut list = tokens(text);
    let extra = tokens(other);
    for _ in 0..=random.below(3) {
        if list.is_empty() {
            break;
        }
        // Words and numbers rather than signs: a text that no longer parses says little about what comes after.
        let mut place =
            || (0..8).map(|_| random.below(list.len())).find(|&at| is_word(list[at])).unwrap_or(0);
        let (at, other) = (place(), place());
        match random.below(8) {
            0 => drop(list.remove(at)),
            1 => list.insert(other, list[at]),
            2..5 => list[at] = random.one_of(&WORDS),
            5 if !extra.is_empty() => list[at] = random.one_of(&extra),
            6 => list.truncate(at),
            _ => list.swap(at, other),
        }
    }
    list.concat()
}

fn is_word(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

/// The text cut into words, numbers, blanks and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || "_.-+".contains(c) => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let (mut start, mut before) = (0, None);
    for (at, c) in text.char_indices() {
        if before.is_some_and(|b| b != kind(c) || b == 0) {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}

/// A sound HDF5 file that is almost an FCLIB file.
pub fn almost_fclib(random: &mut Random) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let name = random.one_of(&[
        "fclib_local",
        "fclib_local",
        "fclib_global",
        "fclib_global",
        "fclib_local_rolling",
        "fclib_global_rolling",
        "fclib",
    ]);
    let dim = if name.ends_with("rolling") { 5 } else { 2 + random.below(2) };
    let n = dim * random.below(4);
    let dofs = random.below(8);
    let mut group = file.create_group(name);
    dataset(&mut group, "spacedim", &[dim as i64], random);
    let with = |random: &mut Random, odds: usize| random.below(odds) != 0;
    if name.contains("global") {
        matrix(&mut group, "M", (dofs, dofs), random);
        matrix(&mut group, "H", (dofs, n), random);
        if !with(random, 3) {
            matrix(&mut group, "G", (dofs, 1), random);
        }
    } else {
        matrix(&mut group, "W", (n, n), random);
        if !with(random, 3) {
            matrix(&mut group, "V", (n, 1), random);
            matrix(&mut group, "R", (1, 1), random);
        }
    }
    if with(random, 20) {
        let mut vectors = group.create_group("vectors");
        for (name, n) in [("q", n), ("f", dofs), ("w", n), ("b", 1), ("s", 1)] {
            floats(&mut vectors, name, n, random);
        }
        floats(&mut vectors, "mu", n / dim, random);
        floats(&mut vectors, "mu_r", n / dim, random);
        group.add_group(vectors.finish());
    }
    file.add_group(group.finish());
    if !with(random, 3) {
        let mut group = file.create_group("solution");
        for (name, n) in [("r", n), ("u", n), ("l", 1), ("v", dofs)] {
            floats(&mut group, name, n, random);
        }
        file.add_group(group.finish());
    }
    file.finish().unwrap_or_default()
}

/// A matrix in one of the three storages, mostly diagonal-heavy, sometimes wrong.
fn matrix(group: &mut GroupBuilder, name: &str, (m, n): (usize, usize), random: &mut Random) {
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for i in 0..m {
        for j in 0..n {
            if i == j || random.below(3) == 0 {
                let x = if i == j { 4.0 } else { random.below(100) as f64 / 100.0 };
                entries.push((i, j, x));
            }
        }
    }
    let by_columns = random.below(2) == 0;
    if by_columns {
        entries.sort_by_key(|&(i, j, _)| (j, i));
    }
    let mut p: Vec<i64> = Vec::new();
    let mut nz = if by_columns { -1 } else { -2 };
    let mut index: Vec<i64> = Vec::new();
    if random.below(3) == 0 {
        nz = entries.len() as i64;
        p.extend(entries.iter().map(|e| e.1 as i64));
        index.extend(entries.iter().map(|e| e.0 as i64));
    } else {
        let line = |e: &(usize, usize, f64)| if by_columns { e.1 } else { e.0 };
        let lines = if by_columns { n } else { m };
        p.extend((0..=lines).map(|k| entries.iter().filter(|e| line(e) < k).count() as i64));
        index.extend(entries.iter().map(|e| if by_columns { e.0 } else { e.1 } as i64));
    }
    let mut part = group.create_group(name);
    for (name, value) in [("m", m as i64), ("n", n as i64), ("nzmax", entries.len() as i64), ("nz", nz)]
    {
        dataset(&mut part, name, &[value], random);
    }
    dataset(&mut part, "p", &p, random);
    dataset(&mut part, "i", &index, random);
    let mut x: Vec<f64> = entries.iter().map(|e| e.2).collect();
    spoil(&mut x, random);
    store(part.create_dataset("x").with_f64_data(&x), x.len(), random);
    group.add_group(part.finish());
}

/// Whole numbers, now and then of another type, with another value or length, or not there.
fn dataset(group: &mut GroupBuilder, name: &str, values: &[i64], random: &mut Random) {
    let mut values = values.to_vec();
    let odds = 40;
    if random.below(odds) == 0 {
        return;
    }
    if random.below(odds) == 0 && !values.is_empty() {
        let at = random.below(values.len());
        values[at] = random.one_of(&NUMBERS);
    }
    if random.below(odds) == 0 {
        values.push(random.one_of(&NUMBERS));
    }
    if random.below(odds) == 0 {
        values.pop();
    }
    let narrow: Vec<i32> = values.iter().map(|&x| x as i32).collect();
    let wide: Vec<f64> = values.iter().map(|&x| x as f64).collect();
    let target = group.create_dataset(name);
    let built = match random.below(odds) {
        0 => target.with_i64_data(&values),
        1 => target.with_f64_data(&wide),
        2 => target.with_vlen_strings(&["text"]),
        _ => target.with_i32_data(&narrow),
    };
    store(built, values.len(), random);
}

fn floats(group: &mut GroupBuilder, name: &str, n: usize, random: &mut Random) {
    let odds = 40;
    if random.below(odds) == 0 {
        return;
    }
    let mut values: Vec<f64> = (0..n).map(|k| k as f64 - 0.5).collect();
    if name.starts_with("mu") {
        values.fill(0.5);
    }
    spoil(&mut values, random);
    match random.below(odds) {
        0 => values.push(1.0),
        1 => drop(values.pop()),
        _ => {}
    }
    let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
    let target = group.create_dataset(name);
    let built = if random.below(odds) == 0 {
        target.with_f32_data(&narrow)
    } else {
        target.with_f64_data(&values)
    };
    store(built, values.len(), random);
}

fn spoil(values: &mut [f64], random: &mut Random) {
    if random.below(30) == 0 && !values.is_empty() {
        let at = random.below(values.len());
        values[at] = random.one_of(&FLOATS);
    }
}

/// Chunks and filters, now and then; a column instead of a list.
fn store(dataset: &mut DatasetBuilder, n: usize, random: &mut Random) {
    if n > 1 && random.below(20) == 0 {
        dataset.with_chunks(&[1 + random.below(n) as u64]).with_shuffle().with_deflate(6);
    } else if n > 0 && random.below(40) == 0 {
        dataset.with_shape(&[n as u64, 1]);
    }
}
