//! A process killed at any moment leaves a file whose `frames` tells the truth.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::{FRAMES, Kind, Options, Reader, TableSpec, Writer};
use super::{Scratch, expected, spec};

const FILE: &str = "STORE_KILL_FILE";
const COMPRESS: &str = "STORE_KILL_COMPRESS";
const WIDTHS: [usize; 4] = [1, 3, 40, 9000];
const NAMES: [&str; 4] = ["t", "bodies/q", "bodies/v", "flat"];

/// Rows that are surely committed when the child says so.
const COMMITTED: u64 = 2 * 37;

fn specs() -> Vec<TableSpec> {
    let floats = NAMES.iter().zip(WIDTHS).map(|(name, width)| spec(name, Kind::Float, width));
    floats.chain([spec(FRAMES, Kind::Integer, 1)]).collect()
}

/// Appends and commits until killed; does nothing unless started by the test below.
#[test]
fn child_that_writes_until_killed() {
    let Ok(path) = std::env::var(FILE) else {
        return;
    };
    let options = Options { compress: std::env::var(COMPRESS).is_ok(), ..Options::default() };
    let mut writer = Writer::create(path, &[], specs(), options).unwrap();
    for row in 0.. {
        for (table, width) in WIDTHS.into_iter().enumerate() {
            writer.append(table, &expected(table, row, width)).unwrap();
        }
        writer.append_integers(4, &[row as i64]).unwrap();
        if row % 37 == 36 {
            writer.commit().unwrap();
        }
        if row == COMMITTED {
            println!("\nready");
        }
    }
}

/// Starts the child, kills it after a while, and returns the rows that `frames` claims.
fn kill_after(path: &Path, compress: bool, pause: Duration) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child_that_writes_until_killed", "--nocapture", "--test-threads=1"]);
    command.env(FILE, path).stdout(Stdio::piped());
    if compress {
        command.env(COMPRESS, "1");
    }
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map(Result::unwrap).any(|line| line == "ready"), "the child did not start");
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();

    let reader = Reader::open(path).unwrap();
    let frames = reader.integers(FRAMES).unwrap().values;
    let n_frames = frames.len() as u64;
    assert!(n_frames >= COMMITTED && frames.into_iter().eq(0..n_frames as i64), "{n_frames}");
    for (table, width) in WIDTHS.into_iter().enumerate() {
        let found = reader.floats(NAMES[table]).unwrap().values;
        let have = (found.len() / width) as u64;
        assert!(have >= n_frames, "{}: {have} rows for {n_frames} frames", NAMES[table]);
        for (row, values) in (0..have).zip(found.chunks(width)) {
            assert!(values == expected(table, row, width), "{} row {row}", NAMES[table]);
        }
    }
    n_frames
}

/// A pause of up to 120 ms from a counter, spread by the golden ratio.
fn pause(i: u64) -> Duration {
    Duration::from_micros((i * 74_164) % 120_000)
}

#[test]
fn killed_process_leaves_a_true_prefix() {
    let scratch = Scratch::new("kill");
    for i in 0..20 {
        kill_after(&scratch.0, i % 2 == 1, pause(i));
    }
}

#[test]
fn killed_run_resumes_from_its_frames() {
    let scratch = Scratch::new("kill-resume");
    let n_frames = kill_after(&scratch.0, false, Duration::from_millis(60));
    let keep: Vec<_> = specs().into_iter().map(|spec| (spec.name, n_frames)).collect();
    let mut writer = Writer::resume(&scratch.0, &keep).unwrap();
    for (table, width) in WIDTHS.into_iter().enumerate() {
        writer.append(table, &expected(table, n_frames, width)).unwrap();
    }
    writer.append_integers(4, &[n_frames as i64]).unwrap();
    writer.finish().unwrap();
    let reader = Reader::open(&scratch.0).unwrap();
    assert!(reader.tables().iter().all(|info| info.rows == n_frames + 1));
    let last = reader.floats_in("bodies/q", n_frames..n_frames + 1).unwrap();
    assert_eq!(last.values, expected(1, n_frames, 3));
}
