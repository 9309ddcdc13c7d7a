//! Fuzzes the readers of problem files, in one process.
//!
//! ```text
//! cargo run --release -p nonsmooth-scene --example fuzz_problems -- --inputs 1000000 --seed 1 [--from K] [--keep DIR] [FILE…]
//! ```
//!
//! Input k of a seed is always the same. Good files are those of `tests/corpus`, and any FILE given. Every reader must
//! answer, without a panic, within 64 MiB and one second. With --keep the inputs that fail so are written to DIR, and two of
//! each kind of refusal.

// A global allocator is an unsafe trait; this one only counts and passes on to the system's.
#![allow(unsafe_code)]

mod mutate;

use flate2::read::GzDecoder;
use mutate::{almost_fclib, damage, damage_text};
use nonsmooth_scene::{matrix_market, problems};
use nonsmooth_solvers::certify;
use nonsmooth_testkit::Random;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes and time that one input may take.
const MOST_BYTES: usize = 64 << 20;
const MOST_TIME: Duration = Duration::from_secs(1);

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static INPUT: AtomicUsize = AtomicUsize::new(0);
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Counting;

fn count(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One input and which reader it is for.
enum Input {
    Hdf5(Vec<u8>),
    Json(String, String),
    Matrix(String),
}

impl Input {
    /// What is done with a file of the corpus too: read it, and look at the problem it holds.
    fn answer(&self) -> Result<(), String> {
        let stored = match self {
            Input::Hdf5(bytes) => problems::from_hdf5("x", bytes.clone()),
            Input::Json(text, matrix) => problems::from_json("x", text, &|_| Ok(matrix.clone())),
            Input::Matrix(text) => {
                return matrix_market::read(text, 3).map(|_| ()).map_err(|error| error.to_string());
            }
        };
        let stored = stored.map_err(|fault| fault.to_string())?;
        certify(&stored.problem, &vec![0.0; stored.problem.size()], &mut Vec::new());
        Ok(())
    }

    fn save(&self, folder: &Path, name: &str) {
        let write = |extension: &str, bytes: &[u8]| {
            let path = folder.join(format!("{name}.{extension}"));
            std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        };
        match self {
            Input::Hdf5(bytes) => write("hdf5", bytes),
            Input::Json(text, matrix) => {
                write("json", text.as_bytes());
                write("json.mtx", matrix.as_bytes());
            }
            Input::Matrix(text) => write("mtx", text.as_bytes()),
        }
    }
}

struct Seeds {
    files: Vec<Vec<u8>>,
    texts: Vec<String>,
    matrices: Vec<String>,
}

impl Seeds {
    fn read(more: &[PathBuf]) -> Self {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let entries = std::fs::read_dir(corpus).expect("the corpus is there");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.retain(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("good")));
        paths.extend_from_slice(more);
        paths.sort();
        let mut seeds = Self { files: Vec::new(), texts: Vec::new(), matrices: Vec::new() };
        for path in paths {
            let mut bytes = std::fs::read(&path).expect("readable");
            if path.extension().is_some_and(|e| e == "gz") {
                let mut unpacked = Vec::new();
                GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).expect("the corpus is sound");
                bytes = unpacked;
            }
            let text = || String::from_utf8(bytes.clone()).expect("a text");
            match path.extension().and_then(|e| e.to_str()) {
                Some("json") => seeds.texts.push(text()),
                Some("mtx") => seeds.matrices.push(text()),
                _ => seeds.files.push(bytes),
            }
        }
        seeds
    }

    fn input(&self, random: &mut Random) -> Input {
        fn pick<'a, T>(list: &'a [T], random: &mut Random) -> &'a T {
            &list[random.below(list.len())]
        }
        match random.below(8) {
            0..4 => {
                let (a, b) = (pick(&self.files, random), pick(&self.files, random));
                Input::Hdf5(damage(a, b, random))
            }
            4 => Input::Hdf5(almost_fclib(random)),
            5 | 6 => {
                let (a, b) = (pick(&self.texts, random), pick(&self.texts, random));
                let text = damage_text(a, b, random);
                Input::Json(text, pick(&self.matrices, random).clone())
            }
            _ => {
                let (a, b) = (pick(&self.matrices, random), pick(&self.matrices, random));
                Input::Matrix(damage_text(a, b, random))
            }
        }
    }
}

/// What an answer is about: its words without numbers and names.
fn kind_of(input: &Input, answer: &Result<(), String>) -> String {
    let reader = match input {
        Input::Hdf5(_) => "hdf5",
        Input::Json(..) => "json",
        Input::Matrix(_) => "matrix",
    };
    let Err(words) = answer else { return format!("{reader}: read") };
    let mut text = String::new();
    let mut quoted = false;
    for c in words.chars() {
        match c {
            '`' | '"' => quoted = !quoted,
            c if !quoted && c.is_alphabetic() || c == ' ' => text.push(c),
            _ => {}
        }
    }
    format!("{reader}: {}", text.split_whitespace().take(9).collect::<Vec<_>>().join(" "))
}

struct Arguments {
    inputs: usize,
    seed: u64,
    from: usize,
    keep: Option<PathBuf>,
    files: Vec<PathBuf>,
}

fn arguments() -> Arguments {
    let mut found = Arguments { inputs: 10_000, seed: 1, from: 0, keep: None, files: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
        match word.as_str() {
            "--inputs" => found.inputs = value().parse().expect("a count"),
            "--seed" => found.seed = value().parse().expect("a number"),
            "--from" => found.from = value().parse().expect("a count"),
            "--keep" => found.keep = Some(value().into()),
            file => found.files.push(file.into()),
        }
    }
    found
}

/// Says which input does not end: it can be made again with --from.
fn watch() {
    let mut before = usize::MAX;
    loop {
        std::thread::sleep(Duration::from_secs(30));
        let now = INPUT.load(Relaxed);
        if now == before {
            eprintln!("input {now} has been running for 30 s");
        }
        before = now;
    }
}

fn main() {
    let arguments = arguments();
    let seeds = Seeds::read(&arguments.files);
    std::thread::spawn(watch);
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), ToString::to_string);
        PANICS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(place);
    }));
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults: BTreeMap<String, usize> = BTreeMap::new();
    let (mut largest, mut slowest) = (0, Duration::ZERO);
    for k in arguments.from..arguments.from + arguments.inputs {
        INPUT.store(k, Relaxed);
        let mut random = Random::new(arguments.seed.wrapping_mul(0x1_0000_0000).wrapping_add(k as u64));
        let input = seeds.input(&mut random);
        let base = NOW.load(Relaxed);
        PEAK.store(base, Relaxed);
        let begun = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| input.answer()));
        let (time, bytes) = (begun.elapsed(), PEAK.load(Relaxed) - base);
        (largest, slowest) = (bytes.max(largest), time.max(slowest));
        let places: Vec<String> =
            std::mem::take(&mut *PANICS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let mut wrong: Vec<String> = places.iter().map(|place| format!("panic at {place}")).collect();
        wrong.extend((bytes > MOST_BYTES).then(|| "too much memory".to_owned()));
        wrong.extend((time > MOST_TIME).then(|| "too slow".to_owned()));
        wrong.extend(answer.is_err().then(|| "a panic came through".to_owned()));
        for wrong in &wrong {
            let count = faults.entry(wrong.clone()).or_default();
            *count += 1;
            if *count <= 2 {
                eprintln!("input {k}: {wrong} ({bytes} bytes, {time:?})");
                if let Some(folder) = &arguments.keep {
                    input.save(folder, &format!("fault-{}-{k}", arguments.seed));
                }
            }
        }
        let kind = kind_of(&input, &answer.unwrap_or_else(|_| Err("panic".into())));
        let count = kinds.entry(kind).or_default();
        *count += 1;
        if let Some(folder) = arguments.keep.as_ref().filter(|_| *count <= 2 && wrong.is_empty()) {
            input.save(folder, &format!("kind-{}-{k}", arguments.seed));
        }
    }
    for (kind, count) in &kinds {
        println!("{count:>9}  {kind}");
    }
    println!("{} inputs, {} kinds of answers, faults: {faults:?}", arguments.inputs, kinds.len());
    println!("largest {largest} bytes, slowest {slowest:?}");
    std::process::exit(i32::from(!faults.is_empty()));
}
