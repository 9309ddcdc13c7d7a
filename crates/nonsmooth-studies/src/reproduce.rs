//! `nonsmooth reproduce`: what the papers show, made again and judged line by line.
//!
//! Each paper is one file and one entry of `PAPERS`. A line compares a number measured here with what the paper says or
//! implies, within a stated tolerance. The page is written as Markdown and as HTML with the figures beside it.

mod acary_2006;
mod acary_2010;
mod mistake;
mod page;
mod paoli_2008;
mod paper;
mod plan;
mod proof;
mod schemes;
mod studies;
#[cfg(test)]
mod tests;
mod trinkle_2008;
mod yoong_2017;

use crate::command::{Failure, say};
use indicatif::{ProgressBar, ProgressStyle};
use nonsmooth_solvers::nearest;
use paper::{Line, Make, Paper, Section};
use schemes::{Schemes, available_threads};
use std::io::IsTerminal as _;
use std::path::PathBuf;

#[derive(clap::Args)]
/// The arguments of `nonsmooth reproduce`.
pub struct ReproduceArgs {
    /// The paper, such as acary-2006 [default: all]
    paper: Option<String>,
    /// Folder for the page and its figures
    #[arg(long, default_value = "reproduction")]
    out: PathBuf,
    /// Make every scheme wrong in turn, and tell which mistakes make each line fail; takes about a hundred times as long
    #[arg(long)]
    prove: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Every paper, in the order of the page.
static PAPERS: &[Paper] =
    &[acary_2006::PAPER, paoli_2008::PAPER, trinkle_2008::PAPER, acary_2010::PAPER, yoong_2017::PAPER];

/// Regenerates the chosen papers, prints and writes the page.
pub fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let chosen = choose(args.paper.as_deref())?;
    let made = if args.prove { prove(&chosen, args.quiet)? } else { make(&chosen, args.quiet)? };
    if !args.quiet {
        made.iter().for_each(|(paper, sections)| tell(paper, sections));
    }
    page::write(&args.out, &made).map_err(Failure::Run)?;
    let lines = || {
        let all = made.iter().flat_map(|(_, sections)| sections).flat_map(|section| &section.lines);
        all.filter(|line| !line.is_arithmetic)
    };
    let (failed, all) = (lines().filter(|line| !line.passed).count(), lines().count());
    if !args.quiet {
        say(&format!("{} of {all} lines pass; page in {}", all - failed, args.out.display()));
    }
    if failed > 0 {
        return Err(Failure::Run(anyhow::anyhow!("{failed} of {all} lines fail")));
    }
    let every = made.iter().flat_map(|(_, sections)| sections).flat_map(|section| &section.lines);
    let weak = every.filter(|line| line.proof.as_ref().is_some_and(|proof| !proof.is_good())).count();
    if weak > 0 {
        return Err(Failure::Run(anyhow::anyhow!("{weak} lines are not shown able to fail")));
    }
    Ok(())
}

/// What was made of the papers.
type Made = Vec<(&'static Paper, Vec<Section>)>;

/// Every section once.
fn make(papers: &[&'static Paper], quiet: bool) -> Result<Made, Failure> {
    let bar = progress(quiet, papers.iter().map(|paper| paper.sections.len()).sum());
    let mut made = Vec::new();
    for paper in papers {
        let mut sections = Vec::new();
        for make in paper.sections {
            bar.set_message(paper.key);
            let section = make(&Schemes::default());
            sections.push(section.map_err(|error| Failure::Run(error.context(paper.key)))?);
            bar.inc(1);
        }
        made.push((*paper, sections));
    }
    bar.finish_and_clear();
    Ok(made)
}

/// Every section, and again with each of its schemes wrong in each way.
fn prove(papers: &[&'static Paper], quiet: bool) -> Result<Made, Failure> {
    let makes: Vec<Make> = papers.iter().flat_map(|paper| paper.sections).copied().collect();
    let bar = progress(quiet, makes.len());
    let show = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let mut sections =
        proof::prove(&makes, available_threads(), &show).map_err(Failure::Run)?.into_iter();
    bar.finish_and_clear();
    Ok(papers
        .iter()
        .map(|paper| (*paper, sections.by_ref().take(paper.sections.len()).collect()))
        .collect())
}

fn choose(name: Option<&str>) -> Result<Vec<&'static Paper>, Failure> {
    let Some(name) = name else { return Ok(PAPERS.iter().collect()) };
    if let Some(paper) = PAPERS.iter().find(|paper| paper.key == name) {
        return Ok(vec![paper]);
    }
    let keys: Vec<&str> = PAPERS.iter().map(|paper| paper.key).collect();
    let hint = nearest(name, keys.iter().copied());
    let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
    Err(Failure::Input(anyhow::anyhow!("no paper `{name}`{hint}; there are {}", keys.join(", "))))
}

/// A bar on a terminal, nothing elsewhere.
fn progress(quiet: bool, n: usize) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(n as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn tell(paper: &Paper, sections: &[Section]) {
    say(&format!("{} — {}", paper.key, paper.title));
    for section in sections {
        say(&format!("  {}", section.title));
        for Line { place, what, measured, expected, tolerance, passed, proof, .. } in &section.lines {
            let verdict = if *passed { "pass" } else { "FAIL" };
            let told = format!("measured {measured}, expected {expected}{tolerance}");
            let proof = proof.as_ref().map_or(String::new(), |proof| format!("; {}", proof.told()));
            say(&format!("    {verdict}  {place}: {what}: {told}{proof}"));
        }
    }
}
