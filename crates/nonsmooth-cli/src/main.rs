//! The `nonsmooth` command.

mod check;
mod clock;
mod list;
mod reproduce;
mod run;
mod snapshot;
mod solve;
mod study;
mod summary;

use clap::{Parser, Subcommand};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Simulates mechanical systems that touch, hit, stick and slide, and says how far the answer can be trusted.
#[derive(Parser)]
#[command(
    name = "nonsmooth",
    version,
    after_help = "Exit codes: 0 done, 1 the run failed, 2 the input was wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene, print the trust summary, write results and figures
    Run(RunArgs),
    /// Report every mistake of a scene without running it
    Check {
        /// The scene file
        scene: PathBuf,
        /// Set a parameter of the scene
        #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
        set: Vec<(String, String)>,
    },
    /// Draw a frame of a run of rigid bodies as a PNG
    Snapshot(snapshot::SnapshotArgs),
    /// Solve one-step problems from files, print a table, compare solvers
    #[command(
        after_help = "Exit codes: 0 every problem was brought to tolerance by every chosen solver that takes it (and by at \
                      least one), 1 otherwise, 2 a file or an argument was wrong."
    )]
    Solve(SolveArgs),
    /// Compare schemes on one model: order of convergence, work against precision
    #[command(subcommand)]
    Study(Box<study::Study>),
    /// Make again what the papers show, judge it line by line, write the page
    #[command(
        after_help = "Exit codes: 0 every line passes, 1 a line fails or a run failed, 2 an argument was wrong."
    )]
    Reproduce(ReproduceArgs),
    /// Print the JSON Schema of scene files
    Schema,
    /// List integrators, laws, solvers and observers with their options
    List,
}

#[derive(clap::Args)]
struct ReproduceArgs {
    /// The paper, such as acary-2006 [default: all]
    paper: Option<String>,
    /// Folder for the page and its figures
    #[arg(long, default_value = "reproduction")]
    out: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

#[derive(clap::Args)]
struct RunArgs {
    /// The scene file
    scene: PathBuf,
    /// Set a parameter of the scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    set: Vec<(String, String)>,
    /// Use another integrator than the scene's: its name, and options if any
    #[arg(long, value_name = "NAME[:OPTION=VALUE]…")]
    integrator: Option<String>,
    /// Folder for results [default: results/<scene name>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write the frames for ParaView too, as `output.vtk` of the scene does
    #[arg(long)]
    vtk: bool,
    /// Continue an interrupted run from its last checkpoint
    #[arg(long)]
    resume: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

#[derive(clap::Args)]
struct SolveArgs {
    /// Problems (FCLIB or mixed .hdf5, or .json for LCP, MLCP and relay), or folders to be searched for them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Solvers, separated by commas; `all` for all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "auto")]
    solver: Vec<String>,
    /// Largest residual that counts as solved
    #[arg(long = "tol", value_name = "NUMBER", default_value_t = 1e-8)]
    tolerance: f64,
    /// Set an option of the solvers that have it, or of one: SOLVER.NAME=VALUE
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_set)]
    option: Vec<(String, String)>,
    /// Write each problem with its best solution as NAME.solved.hdf5 or .json
    #[arg(long)]
    save: bool,
    /// Folder for what is written
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Performance profile, .png or .svg [default: both, if there are several problems and solvers]
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write the table as CSV too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Repeat each solve to 10 ms in all and three times, and give the shortest time
    #[arg(long)]
    repeat: bool,
    /// Print what chains tried on each island
    #[arg(long, short)]
    verbose: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

fn parse_set(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as in --set e=0.5")?;
    if name.trim().is_empty() || value.trim().is_empty() {
        return Err("write NAME=VALUE, as in --set e=0.5".into());
    }
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A line on the terminal; a closed pipe is no error of ours.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Why a command ended early: the one place that decides exit codes.
enum Failure {
    /// The input was wrong.
    Input(anyhow::Error),
    /// The run failed.
    Run(anyhow::Error),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Input(error) | Failure::Run(error) => error.fmt(f),
        }
    }
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Check { scene, set } => check::check(&scene, &set),
        Command::Snapshot(args) => snapshot::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Study(study) => study::run(&study),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Schema => list::schema(),
        Command::List => list::list(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(error)) => {
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
        Err(Failure::Input(error)) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
