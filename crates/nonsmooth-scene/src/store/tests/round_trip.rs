//! What goes in comes out: all layouts, resume, and refusals.

use std::time::Duration;

use super::super::{
    FRAMES, Kind, Options, Reader, RecordWriter, SpecFault, StoreError, TableSpec, Writer, compact,
};
use super::{Scratch, append_named, expected, record, spec};

const WIDTHS: [usize; 6] = [1, 3, 500, 8191, 8192, 70_001];
const NAMES: [&str; 6] = ["t", "bodies/q", "bodies/deep/v", "edge", "flat", "wide"];

fn specs() -> Vec<TableSpec> {
    let floats = NAMES.iter().zip(WIDTHS).map(|(name, width)| spec(name, Kind::Float, width));
    floats.chain([spec("ids", Kind::Integer, 2), spec(FRAMES, Kind::Integer, 1)]).collect()
}

fn fill(writer: &mut Writer, rows: std::ops::Range<u64>) {
    for row in rows {
        for (table, width) in WIDTHS.into_iter().enumerate() {
            writer.append(table, &expected(table, row, width)).unwrap();
        }
        writer.append_integers(6, &[row as i64, -(row as i64)]).unwrap();
        writer.append_integers(7, &[row as i64]).unwrap();
        if row % 7 == 0 {
            writer.commit().unwrap();
        }
    }
}

fn check(reader: &Reader, n_rows: u64) {
    for (table, width) in WIDTHS.into_iter().enumerate() {
        let rows = reader.floats(NAMES[table]).unwrap();
        assert_eq!((rows.width, rows.values.len()), (width, n_rows as usize * width));
        let want: Vec<f64> = (0..n_rows).flat_map(|row| expected(table, row, width)).collect();
        assert!(rows.values == want, "{}", NAMES[table]);
    }
    let ids: Vec<i64> = (0..n_rows as i64).flat_map(|row| [row, -row]).collect();
    assert_eq!(reader.integers("ids").unwrap().values, ids);
    assert_eq!(reader.integers(FRAMES).unwrap().values.len() as u64, n_rows);
}

#[test]
fn every_layout_reads_back_with_its_description() {
    for compress in [false, true] {
        let scratch = Scratch::new(&format!("layouts-{compress}"));
        // Twelve attributes, because more than eight are stored in another way.
        let mut texts: Vec<_> = (0..11).map(|i| (format!("a{i}"), "μ".repeat(i))).collect();
        texts.push(("scene".to_owned(), "längd = 1\n".repeat(20_000)));
        let options = Options { compress, ..Options::default() };
        let mut writer = Writer::create(&scratch.0, &texts, specs(), options).unwrap();
        fill(&mut writer, 0..60);
        assert_eq!((writer.rows(1), writer.index("ids")), (Some(60), Some(6)));
        writer.finish().unwrap();

        let reader = Reader::open(&scratch.0).unwrap();
        check(&reader, 60);
        let found: Vec<_> = reader.tables().iter().map(|info| info.spec.clone()).collect();
        assert_eq!(found, specs());
        assert_eq!(reader.texts().len(), 12);
        assert!(texts.iter().all(|(name, text)| reader.texts()[name] == *text));
        let part = reader.floats_in("bodies/q", 10..12).unwrap();
        assert_eq!(part.values, [expected(1, 10, 3), expected(1, 11, 3)].concat());
    }
}

#[test]
fn rows_are_readable_after_commit_while_the_writer_is_open() {
    let scratch = Scratch::new("commit");
    let mut writer = Writer::create(&scratch.0, &[], specs(), Options::default()).unwrap();
    fill(&mut writer, 0..10);
    let rows = |name| Reader::open(&scratch.0).unwrap().table(name).unwrap().rows;
    assert_eq!((rows("t"), rows(FRAMES)), (8, 8));
    writer.sync().unwrap();
    assert_eq!((rows("t"), rows(FRAMES)), (10, 10));
}

#[test]
fn resume_cuts_to_the_kept_rows_and_goes_on() {
    for (kept, compress) in [(0, false), (13, false), (13, true), (25, false), (25, true)] {
        let scratch = Scratch::new(&format!("resume-{kept}-{compress}"));
        let texts = [("scene".to_owned(), "x".repeat(100_000))];
        let options = Options { compress, ..Options::default() };
        let mut writer = Writer::create(&scratch.0, &texts, specs(), options).unwrap();
        fill(&mut writer, 0..25);
        writer.finish().unwrap();

        let keep: Vec<_> = specs().into_iter().map(|spec| (spec.name, kept)).collect();
        let mut writer = Writer::resume(&scratch.0, &keep).unwrap();
        assert_eq!(writer.rows(1), Some(kept));
        fill(&mut writer, kept..40);
        writer.finish().unwrap();
        let reader = Reader::open(&scratch.0).unwrap();
        check(&reader, 40);
        assert_eq!(reader.texts()["scene"].len(), 100_000);
        assert!(reader.tables().iter().all(|info| info.layout.compress == compress));
    }
}

#[test]
fn compact_removes_what_commits_wasted() {
    let scratch = Scratch::new("compact");
    let mut writer =
        Writer::create(&scratch.0, &[], vec![spec("q", Kind::Float, 3)], Options::default()).unwrap();
    for row in 0..2000 {
        writer.append(0, &expected(0, row, 3)).unwrap();
        writer.commit().unwrap();
    }
    writer.finish().unwrap();
    let size = || std::fs::metadata(&scratch.0).unwrap().len();
    let before = size();
    compact(&scratch.0).unwrap();
    // 48 kB of rows in chunks of 16 KiB, and a few kB of structure.
    assert!(before > 20_000_000 && size() < 80_000, "{before} to {}", size());
    assert_eq!(Reader::open(&scratch.0).unwrap().floats("q").unwrap().values.len(), 6000);
}

#[test]
fn two_writers_cannot_have_one_file() {
    let scratch = Scratch::new("lock");
    let writer = Writer::create(&scratch.0, &[], specs(), Options::default()).unwrap();
    let keep: Vec<_> = specs().into_iter().map(|spec| (spec.name, 0)).collect();
    assert!(matches!(Writer::resume(&scratch.0, &keep), Err(StoreError::Hdf5 { .. })));
    drop(writer);
    Writer::resume(&scratch.0, &keep).unwrap();
}

/// As a process that is being started holds it, with copies of our open files.
#[test]
fn a_lock_held_for_a_moment_is_waited_for() {
    let scratch = Scratch::new("moment");
    Writer::create(&scratch.0, &[], specs(), Options::default()).unwrap().finish().unwrap();
    let copy = std::fs::File::open(&scratch.0).unwrap();
    copy.lock().unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(copy);
    });
    compact(&scratch.0).unwrap();
    holder.join().unwrap();
}

#[test]
fn numbers_and_names_stand_side_by_side() {
    for compress in [false, true] {
        let scratch = Scratch::new(&format!("records-{compress}"));
        let options = Options { compress, ..Options::default() };
        let mut writer = Writer::create(&scratch.0, &[], vec![record("bodies")], options).unwrap();
        (0..5000).for_each(|row| append_named(&mut writer, 0, row));
        // A name that is too long is cut between two letters; an empty cell is no number.
        let row = |to: &mut RecordWriter<'_>| {
            to.empty();
            to.text("eine Länge: äääääää");
        };
        writer.append_record(0, row).unwrap();
        writer.finish().unwrap();
        let mut writer = Writer::resume(&scratch.0, &[("bodies".to_owned(), 5001)]).unwrap();
        let wrong = |to: &mut RecordWriter<'_>| to.text("first");
        assert!(matches!(writer.append_record(0, wrong), Err(StoreError::WrongKind { .. })));
        append_named(&mut writer, 0, 5001);
        writer.finish().unwrap();
        let reader = Reader::open(&scratch.0).unwrap();
        assert_eq!(reader.table("bodies").unwrap().spec, record("bodies"));
        let rows = reader.records_in("bodies", 4998..5002).unwrap();
        assert_eq!((rows.len(), rows.float(0, 0), rows.text(0, 1)), (4, 2499.0, "b[4998]"));
        assert_eq!((rows.float(2, 0).is_nan(), rows.text(2, 1)), (true, "eine Länge: ä"));
        assert_eq!((rows.float(3, 0), rows.text(3, 1)), (2500.5, "b[5001]"));
        assert!(matches!(reader.floats("bodies"), Err(StoreError::WrongKind { .. })));
    }
}

#[test]
fn wrong_rows_and_names_are_refused() {
    let scratch = Scratch::new("refuse");
    let mut writer = Writer::create(&scratch.0, &[], specs(), Options::default()).unwrap();
    assert!(matches!(writer.append(1, &[0.0]), Err(StoreError::WrongWidth { width: 3, got: 1, .. })));
    assert!(matches!(writer.append(6, &[0.0; 2]), Err(StoreError::WrongKind { .. })));
    assert!(matches!(writer.append(9, &[]), Err(StoreError::NoIndex { index: 9, .. })));
    writer.finish().unwrap();
    let reader = Reader::open(&scratch.0).unwrap();
    assert!(matches!(reader.floats("ids"), Err(StoreError::WrongKind { .. })));
    assert!(matches!(reader.floats("no"), Err(StoreError::NoTable { .. })));
    assert!(matches!(reader.floats_in("t", 0..1), Err(StoreError::TooFewRows { have: 0, .. })));
    let keep = [("t".to_owned(), 0)];
    assert!(matches!(Writer::resume(&scratch.0, &keep), Err(StoreError::NotKept { .. })));
}

#[test]
fn bad_descriptions_are_refused_before_a_file_is_touched() {
    let scratch = Scratch::new("specs");
    let fault = |specs| match Writer::create(&scratch.0, &[], specs, Options::default()) {
        Err(StoreError::BadSpec { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let float = |name, width| spec(name, Kind::Float, width);
    assert_eq!(fault(vec![float("a//b", 1)]), SpecFault::Name);
    assert_eq!(fault(vec![float("a", 0)]), SpecFault::Width { got: 0 });
    let clash = SpecFault::Clash { other: "a".to_owned() };
    assert_eq!(fault(vec![float("a", 1), float("a/b", 1)]), clash);
    assert_eq!(fault(vec![float("a", 1), float("a", 1)]), clash);
    assert_eq!(fault(vec![float(FRAMES, 1), float("a", 1)]), SpecFault::FramesNotLast);
    let labelled = TableSpec { columns: vec!["x".to_owned()], ..float("a", 2) };
    assert_eq!(fault(vec![labelled]), SpecFault::Columns { labels: 1, width: 2 });
    let nameless = TableSpec { fields: vec![], ..record("a") };
    assert_eq!(fault(vec![nameless]), SpecFault::Fields);
    let twice = [("a".to_owned(), String::new()), ("a".to_owned(), String::new())];
    let outcome = Writer::create(&scratch.0, &twice, vec![], Options::default());
    assert!(matches!(outcome, Err(StoreError::BadAttribute { .. })));
    assert!(!scratch.0.exists());
}
