//! Damaged files give errors, never a panic, an endless allocation or wrong numbers.
//!
//! The texts have no checksum; all else in use has one.

use nonsmooth_testkit::Random;
use std::path::Path;

use super::super::{FRAMES, Kind, Options, Reader, StoreError, TableInfo, Writer};
use super::{Scratch, append_named, expected, record, spec};

/// A small file with every kind of structure in it.
fn small_file(path: &Path, compress: bool) -> Vec<u8> {
    let tables = vec![
        spec("a/q", Kind::Float, 3),
        spec("t", Kind::Float, 1),
        record("names"),
        spec(FRAMES, Kind::Integer, 1),
    ];
    let texts: Vec<_> = (0..10).map(|i| (format!("text{i}"), "abc".repeat(30 * i))).collect();
    let options = Options { compress, chunk_bytes: 256 };
    let mut writer = Writer::create(path, &texts, tables, options).unwrap();
    for row in 0..150 {
        writer.append(0, &expected(0, row, 3)).unwrap();
        writer.append(1, &expected(1, row, 1)).unwrap();
        append_named(&mut writer, 2, row);
        writer.append_integers(3, &[row as i64]).unwrap();
        if row % 40 == 0 {
            writer.commit().unwrap();
        }
    }
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

/// Reads everything there is, as bits.
fn read_all(path: &Path) -> Result<Vec<Vec<u64>>, StoreError> {
    let reader = Reader::open(path)?;
    let read = |info: &TableInfo| {
        let name = &info.spec.name;
        Ok(match info.spec.kind {
            Kind::Float => reader.floats(name)?.values.into_iter().map(f64::to_bits).collect(),
            Kind::Integer => reader.integers(name)?.values.into_iter().map(|x| x as u64).collect(),
            Kind::Record => {
                let rows = reader.records_in(name, 0..info.rows)?;
                let cell = |row| [rows.float(row, 0).to_bits(), rows.text(row, 1).len() as u64];
                (0..rows.len()).flat_map(cell).collect()
            }
        })
    };
    reader.tables().iter().map(read).collect()
}

#[test]
fn truncated_files_are_refused() {
    for compress in [false, true] {
        let scratch = Scratch::new(&format!("truncate-{compress}"));
        let whole = small_file(&scratch.0, compress);
        for length in (0..whole.len()).step_by(23) {
            std::fs::write(&scratch.0, &whole[..length]).unwrap();
            assert!(read_all(&scratch.0).is_err(), "cut to {length} of {} bytes", whole.len());
        }
    }
}

#[test]
fn flipped_bytes_give_errors_or_leave_the_numbers_alone() {
    let mut random = Random::new(1);
    for compress in [false, true] {
        let scratch = Scratch::new(&format!("flip-{compress}"));
        let whole = small_file(&scratch.0, compress);
        let numbers = read_all(&scratch.0).unwrap();
        let mut n_errors = 0;
        for case in 0..3000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = random.bits() as u8;
            }
            std::fs::write(&scratch.0, &bytes).unwrap();
            match read_all(&scratch.0) {
                Ok(found) => assert!(found == numbers, "case {case} gave wrong numbers"),
                Err(_) => n_errors += 1,
            }
        }
        println!("compress {compress}: {n_errors} of 3000 damaged files were refused");
        assert!(n_errors > 100, "{n_errors} errors: the hits missed all that matters");
    }
}

#[test]
fn errors_name_the_file() {
    let scratch = Scratch::new("missing");
    let message = Reader::open(&scratch.0).unwrap_err().to_string();
    assert!(message.contains("results.h5"), "{message}");
    std::fs::write(&scratch.0, b"not a result file").unwrap();
    let message = Reader::open(&scratch.0).unwrap_err().to_string();
    assert!(message.contains("results.h5"), "{message}");
}
