//! Damaged problem files: those kept in `tests/corpus`, and fresh ones as the fuzzer makes them.

#[path = "../../examples/fuzz_problems/mutate.rs"]
mod mutate;

use flate2::read::GzDecoder;
use mutate::{almost_fclib, damage, damage_text};
use nonsmooth_scene::matrix_market;
use nonsmooth_scene::problems::{from_hdf5, from_json};
use nonsmooth_solvers::certify;
use nonsmooth_testkit::Random;
use std::io::Read as _;
use std::path::Path;

/// Fresh inputs for each reader; the full run is that of the example.
const FRESH: usize = 4000;

/// Name and content of every file of the corpus, unpacked.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("readable").path();
        let mut bytes = std::fs::read(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".gz") {
            let mut unpacked = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).expect("the corpus is sound");
            bytes = unpacked;
            files.push((name.to_owned(), bytes));
        } else {
            files.push((name, bytes));
        }
    }
    files.sort();
    files
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("JSON and Matrix Market files of the corpus are UTF-8")
}

fn hdf5(bytes: &[u8]) -> Result<(), String> {
    let stored = from_hdf5("x", bytes.to_vec()).map_err(|fault| fault.to_string())?;
    certify(&stored.problem, &vec![0.0; stored.problem.size()], &mut Vec::new());
    Ok(())
}

fn json(text: &str, matrix: &str) -> Result<(), String> {
    let stored = from_json("x", text, &|_| Ok(matrix.to_owned())).map_err(|fault| fault.to_string())?;
    certify(&stored.problem, &vec![0.0; stored.problem.size()], &mut Vec::new());
    Ok(())
}

fn matrix(text: &str) -> Result<(), String> {
    matrix_market::read(text, 3).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn every_input_of_the_corpus_is_answered() {
    let files = corpus();
    let good = text_of(&files.iter().find(|(name, _)| name == "good.mtx").expect("there").1);
    let (mut read, mut refused) = (0, 0);
    for (name, bytes) in &files {
        let answer = match name.rsplit('.').next() {
            Some("hdf5") => hdf5(bytes),
            Some("json") => json(&text_of(bytes), &good),
            Some("mtx") => matrix(&text_of(bytes)),
            _ => continue,
        };
        match answer {
            Ok(()) => read += 1,
            Err(words) => {
                assert!(!name.starts_with("good"), "{name}: {words}");
                assert!(words.len() > 10, "{name}: `{words}` says nothing");
                refused += 1;
            }
        }
    }
    eprintln!("{read} read, {refused} refused");
    assert!(read >= 10 && refused >= 150, "{read} read, {refused} refused");
}

#[test]
fn fresh_damage_is_answered_too() {
    let files = corpus();
    let good = |extension: &str| -> Vec<&Vec<u8>> {
        let is_good = |name: &str| name.starts_with("good") && name.ends_with(extension);
        files.iter().filter(|(name, _)| is_good(name)).map(|(_, bytes)| bytes).collect()
    };
    let (binaries, texts, matrices) = (good(".hdf5"), good(".json"), good(".mtx"));
    let mut random = Random::new(0x5eed);
    let mut refused = 0;
    for k in 0..FRESH {
        let bytes =
            damage(binaries[k % binaries.len()], binaries[random.below(binaries.len())], &mut random);
        refused += usize::from(hdf5(&bytes).is_err());
        refused += usize::from(hdf5(&almost_fclib(&mut random)).is_err());
        let (text, other) = (texts[k % texts.len()], texts[random.below(texts.len())]);
        let text = damage_text(&text_of(text), &text_of(other), &mut random);
        refused += usize::from(json(&text, &text_of(matrices[0])).is_err());
        let (text, other) = (matrices[k % matrices.len()], matrices[random.below(matrices.len())]);
        refused +=
            usize::from(matrix(&damage_text(&text_of(text), &text_of(other), &mut random)).is_err());
    }
    // Both ways are walked: two in five of the damaged HDF5 files are still sound, few of the others.
    eprintln!("{refused} of {} refused", 4 * FRESH);
    assert!(refused > 2 * FRESH && refused < 4 * FRESH, "{refused}");
}
