//! The `nonsmooth` command.

mod check;
mod list;
mod run;
mod summary;

use clap::{Parser, Subcommand};
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
    /// Folder for results [default: results/<scene name>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Continue an interrupted run from its last checkpoint
    #[arg(long)]
    resume: bool,
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

/// Why a command ended early: the one place that decides exit codes.
enum Failure {
    /// The input was wrong.
    Input(anyhow::Error),
    /// The run failed.
    Run(anyhow::Error),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Check { scene, set } => check::check(&scene, &set),
        Command::Schema => list::schema(),
        Command::List => list::list(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(error)) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
        Err(Failure::Input(error)) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
