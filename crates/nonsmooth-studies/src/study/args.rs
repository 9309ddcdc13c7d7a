//! The arguments of `nonsmooth study`.

use crate::command::parse_set;
use std::path::PathBuf;

/// Exit codes, for `--help`.
const EXIT_CODES: &str = "Exit codes: 0 every scheme that takes the model made all its runs (and at least one takes it; \
    the others are listed with their reason), 1 otherwise, 2 the input was wrong.";

/// What is studied.
#[derive(clap::Subcommand)]
pub enum Study {
    /// Errors over a ladder of step sizes: fitted orders, log–log figures, CSV
    #[command(after_help = EXIT_CODES)]
    Order(OrderArgs),
    /// Error against steps, right-hand sides, one-step problems and processor time: figures, CSV
    #[command(after_help = EXIT_CODES)]
    Work(WorkArgs),
}

#[derive(clap::Args)]
pub struct OrderArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Norms of the error of q and of v; `all` for all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "l1,maximum,hausdorff")]
    pub(super) norms: Vec<String>,
    /// Runs made at the same time [default: the number of cores]; the results do not depend on it
    #[arg(long, value_name = "NUMBER")]
    pub(super) threads: Option<usize>,
}

#[derive(clap::Args)]
pub struct WorkArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Norm of the error
    #[arg(long, value_name = "NAME", default_value = "l1")]
    pub(super) norm: String,
    /// What the error is of: q or v
    #[arg(long, value_name = "q|v", default_value = "q")]
    pub(super) of: String,
    /// Tolerances of adaptive schemes: those that take an option `tolerance` and were not given one
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        default_value = "1e-2,1e-3,1e-4,1e-5",
        allow_hyphen_values = true
    )]
    pub(super) tolerances: Vec<f64>,
    /// Steps of the grid on which adaptive schemes choose their own [default: a quarter of the coarsest rung, at least 10]
    #[arg(long, value_name = "NUMBER")]
    pub(super) grid: Option<u64>,
    /// Print the work that each scheme needs for this error, extrapolated where its runs do not reach it
    #[arg(long, value_name = "ERROR", allow_hyphen_values = true)]
    pub(super) reach: Option<f64>,
}

/// What both studies need.
#[derive(clap::Args)]
pub struct Common {
    /// The scene file; may be left out with --exact
    pub(super) scene: Option<PathBuf>,
    /// Schemes with options, separated by commas; `scene` for that of the scene
    #[arg(long, value_name = "NAME[:OPTION=VALUE]…", value_delimiter = ',', required = true)]
    pub(super) schemes: Vec<String>,
    /// Set a parameter of the scene, or of the exact solution if there is no scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(super) set: Vec<(String, String)>,
    /// Compare with this exact solution; without a scene its own model is studied
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE]…")]
    pub(super) exact: Option<String>,
    /// Scheme of the reference run [default: the most exact one that takes the model]
    #[arg(long, value_name = "NAME[:OPTION=VALUE]…", conflicts_with = "exact")]
    pub(super) reference: Option<String>,
    /// Steps of the reference run [default: 16 times those of the finest rung]
    #[arg(long, value_name = "NUMBER", conflicts_with = "exact", allow_hyphen_values = true)]
    pub(super) reference_steps: Option<String>,
    /// Coordinates that count, by name [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) coordinates: Vec<String>,
    /// Numbers of steps of the coarsest and the finest rung [default: 100:1600; with a scene a quarter and four times its own]
    #[arg(long, value_name = "COARSEST:FINEST", conflicts_with = "h", allow_hyphen_values = true)]
    pub(super) steps: Option<String>,
    /// Step sizes of the coarsest and the finest rung [s]
    #[arg(long, value_name = "COARSEST:FINEST", allow_hyphen_values = true)]
    pub(super) h: Option<String>,
    /// Rungs of the ladder, in equal ratios
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub(super) rungs: usize,
    /// Runs per rung, with nearby prime numbers of steps, so that impacts fall everywhere in a step
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub(super) phases: usize,
    /// End of the interval of time [s] [default: that of the scene or of the exact solution]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) end: Option<f64>,
    /// Errors below this do not count for a slope: rounding has no order
    #[arg(long, value_name = "NUMBER", default_value = "1e-12", allow_hyphen_values = true)]
    pub(super) floor: f64,
    /// Folder for figures and tables [default: results/<name>-order or -work]
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
    /// Write the table of all runs there [default: runs.csv in the folder]
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(super) quiet: bool,
}
