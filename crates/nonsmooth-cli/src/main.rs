//! The `nonsmooth` command.

mod check;
mod import;
mod list;
mod run;
mod snapshot;
mod solve;
mod summary;

use clap::{Parser, Subcommand};
use nonsmooth_studies::bvp;
use nonsmooth_studies::command::{Failure, pair, parse_set};
use nonsmooth_studies::impact;
use nonsmooth_studies::map;
use nonsmooth_studies::orbit;
use nonsmooth_studies::reproduce::{self, ReproduceArgs};
use nonsmooth_studies::sensitivity;
use nonsmooth_studies::study;
use nonsmooth_studies::sweep;
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
    /// Turn a robot, URDF or MJCF, into a scene, and say what it does not have
    Import(import::ImportArgs),
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
    /// Apply every law of impact to the initial state of a scene, without a step
    Impact(impact::ImpactArgs),
    /// Run a scene at many values of its parameters, write one table
    Sweep(sweep::SweepArgs),
    /// Draw bifurcation diagrams, sections and basins of attraction
    #[command(subcommand)]
    Map(Box<map::Map>),
    /// Find a periodic motion, its Floquet multipliers and its branch
    Orbit(Box<orbit::OrbitArgs>),
    /// Derivatives of what comes out of a scene, through impacts and friction
    Sensitivity(sensitivity::SensitivityArgs),
    /// Find values with which a motion ends as it should
    Bvp(bvp::BvpArgs),
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
    /// Write the tidy tables as CSV, as `output.csv` of the scene does
    #[arg(long)]
    csv: bool,
    /// Continue a run from its last checkpoint; the end, the solver and the output settings may be others
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Replace the results of an earlier run in the folder
    #[arg(long)]
    overwrite: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// An option of a solver and its value.
fn parse_option(text: &str) -> Result<(String, String), String> {
    pair(text).ok_or_else(|| "write NAME=VALUE, as in --option max_iterations=100".into())
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
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
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

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Check { scene, set } => check::check(&scene, &set),
        Command::Import(args) => import::run(&args),
        Command::Snapshot(args) => snapshot::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Study(study) => study::run(&study),
        Command::Impact(args) => impact::run(&args),
        Command::Sweep(args) => run::stop_flag().and_then(|stop| sweep::run(&args, &stop)),
        Command::Map(args) => run::stop_flag().and_then(|stop| map::run(&args, &stop)),
        Command::Orbit(args) => run::stop_flag().and_then(|stop| orbit::run(&args, &stop)),
        Command::Sensitivity(args) => sensitivity::run(&args),
        Command::Bvp(args) => bvp::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Schema => list::schema(),
        Command::List => list::list(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure @ Failure::Run(_)) => {
            eprintln!("error: {failure}");
            ExitCode::from(1)
        }
        Err(failure @ Failure::Input(_)) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}
