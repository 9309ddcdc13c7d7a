//! Points to rows: opens or resumes the table, makes the open runs on all cores, and tells how it went.

use super::args::RunsArgs;
use super::points::Points;
use super::runs;
use super::table::{Outcome, Read, TRUST, columns, open};
use super::{failed, input};
use crate::clock;
use crate::command::{Failure, say};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What was made, and how.
pub(crate) struct Produced {
    pub(crate) read: Read,
    /// Points of this part.
    mine: usize,
    /// Points that were open when it began.
    new: usize,
    threads: usize,
    seconds: f64,
    /// Of the processor, all threads together [s].
    worked: f64,
}

impl RunsArgs {
    fn threads(&self) -> Result<usize, Failure> {
        match self.threads {
            Some(0) => Err(input("--threads must be at least 1")),
            Some(n) => Ok(n),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }

    /// `I/N` as the number of the part from 0, and how many there are.
    fn part(&self) -> Result<(usize, usize), Failure> {
        let Some(text) = self.shard.as_deref() else { return Ok((0, 1)) };
        let parts: Option<(usize, usize)> =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((i, n)) if 1 <= i && i <= n => Ok((i - 1, n)),
            _ => Err(input(format!("--shard {text}: write I/N with I from 1 to N, as in --shard 2/8"))),
        }
    }

    /// The folder of the results, made.
    pub(crate) fn folder(&self, scene: &Path, command: &str) -> Result<PathBuf, Failure> {
        let stem = scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
        let out =
            self.out.clone().unwrap_or_else(|| Path::new("results").join(format!("{stem}-{command}")));
        std::fs::create_dir_all(&out).map_err(|error| failed(&out)(&error))?;
        Ok(out)
    }
}

/// Makes the rows that are missing in the table at `path`; each point has `n_rows`, with the columns `names` between
/// parameters and trust.
pub(crate) fn produce(
    args: &RunsArgs,
    points: &Points,
    (path, texts): (&Path, &[(String, String)]),
    (names, n_rows): (&[String], usize),
    run: &(dyn Fn(usize) -> Option<Outcome> + Sync),
    stop: &AtomicBool,
) -> Result<Produced, Failure> {
    let (part, threads) = (args.part()?, args.threads()?);
    let mut texts = texts.to_vec();
    texts.push(("--shard".to_owned(), args.shard.clone().unwrap_or_default()));
    let (mut table, done) = open(args, (path, n_rows), &texts, columns(points, names))?;
    let mine: Vec<usize> = (0..points.len()).filter(|point| point % part.1 == part.0).collect();
    let open: Vec<usize> = mine.iter().copied().filter(|point| !done.contains(point)).collect();
    let (begun, worked) = (Instant::now(), clock::seconds());
    let is_quiet = args.quiet || args.json;
    let told = runs::make(run, (points, &open), (threads, is_quiet), stop, &mut table);
    let (seconds, worked) = (begun.elapsed().as_secs_f64(), clock::seconds() - worked);
    table.finish().map_err(|error| failed(path)(&error))?;
    told.map_err(|error| failed(path)(&error))?;
    let read = Read::open(path).map_err(|error| failed(path)(&error))?;
    Ok(Produced { read, mine: mine.len(), new: open.len(), threads, seconds, worked })
}

impl Produced {
    /// Points with a row of that kind.
    fn count(&self, has: impl Fn(&[f64], &str) -> bool) -> usize {
        let rows = self.read.rows.iter().filter(|(numbers, failure)| has(numbers, failure));
        rows.map(|(numbers, _)| numbers[0] as usize).collect::<BTreeSet<_>>().len()
    }

    fn n_computed(&self) -> usize {
        self.count(|_, _| true)
    }

    fn n_failed(&self) -> usize {
        self.count(|_, failure| !failure.is_empty())
    }

    /// Points whose run had steps above the tolerance.
    fn n_unconverged(&self) -> usize {
        self.count(|numbers, _| numbers[numbers.len() - TRUST.len()] > 0.0)
    }

    /// Prints what was made, as lines or one JSON object with the keys of `more`.
    pub(crate) fn tell(
        &self,
        args: &RunsArgs,
        more: serde_json::Value,
        files: &[PathBuf],
        figures: &[PathBuf],
    ) {
        let (n_failed, unconverged) = (self.n_failed(), self.n_unconverged());
        let rate = self.new as f64 / self.seconds / self.threads as f64;
        if args.json {
            let names =
                |list: &[PathBuf]| list.iter().map(|f| f.display().to_string()).collect::<Vec<_>>();
            let mut told = serde_json::json!({
                "points": self.mine, "computed": self.n_computed(), "failed": n_failed,
                "unconverged": unconverged, "seconds": self.seconds,
                "points_per_second_and_thread": rate, "threads": self.threads,
                "points_per_processor_second": self.new as f64 / self.worked,
                "files": names(files), "figures": names(figures),
            });
            if let (Some(told), serde_json::Value::Object(more)) = (told.as_object_mut(), more) {
                told.extend(more);
            }
            say(&told.to_string());
        } else if !args.quiet {
            say(&format!(
                "{} of {} points, {n_failed} failed, {unconverged} with steps above the tolerance",
                self.n_computed(),
                self.mine
            ));
            say(&format!(
                "{:.1} s, {rate:.1} points per second and thread, {} threads",
                self.seconds, self.threads
            ));
            for (_, failure) in self.read.rows.iter().filter(|(_, failure)| !failure.is_empty()).take(1)
            {
                say(&format!("the first failure: {failure}"));
            }
            files.iter().for_each(|file| say(&format!("table    {}", file.display())));
            figures.iter().for_each(|file| say(&format!("figure   {}", file.display())));
        }
    }

    /// The exit code.
    pub(crate) fn judge(&self) -> Result<(), Failure> {
        let open = self.mine.saturating_sub(self.n_computed());
        if open > 0 {
            return Err(Failure::Run(anyhow::anyhow!(
                "interrupted: {open} points are open; continue with --resume"
            )));
        }
        match self.n_failed() {
            0 => Ok(()),
            n => Err(Failure::Run(anyhow::anyhow!(
                "{n} of {} points failed; the column `failure` says why",
                self.mine
            ))),
        }
    }
}
