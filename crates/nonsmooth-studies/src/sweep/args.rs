//! The arguments of `nonsmooth sweep`.

use crate::command::{pair, parse_set};
use std::path::PathBuf;

/// Exit codes, for `--help`.
const AFTER: &str = "\
Values: A=0:1:101 is 101 values from 0 to 1, A=1e-3:1:7:log seven in equal ratios, A=1,2,5 these. Several --vary make a grid. With --random or
--latin A=0:1 is a range.

Outputs: BODY.x (y, z, q_w … q_z, v_x … v_z, omega_x … omega_z), SYSTEM.COORDINATE and SYSTEM.v_COORDINATE, a name of [expressions], kinetic,
potential, energy, and the works external, viscous, impact, contact, friction, joint, drive, prescribed, exchange, scheme, projection, remainder;
each at the end, or as max:…, min:…, mean:…, time-of-max:…, time-of-min:…. Further: impacts, first-impact, last-impact, largest-impulse, end-time.
`unconverged`, `largest_residual`, `largest_overlap`, `warnings` (kinds of them), `error_estimate` and `failure` are always written.

Exit codes: 0 every point was computed, 1 some failed (the table has the reasons) or the sweep was interrupted, 2 the input was wrong.";

/// A name and its values.
fn parse_vary(text: &str) -> Result<(String, String), String> {
    let how = "write NAME=VALUES, as in --vary e=0:1:11 (11 values from 0 to 1) or --vary e=0,0.5,1";
    pair(text).ok_or_else(|| how.into())
}

/// Which points, which outputs, and where the table goes.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct SweepArgs {
    /// The scene file
    pub(super) scene: PathBuf,
    /// Vary a parameter of the scene; the last one varies fastest
    #[arg(long = "vary", value_name = "NAME=VALUES", required = true, value_parser = parse_vary)]
    pub(super) vary: Vec<(String, String)>,
    /// So many points at random
    #[arg(long, value_name = "NUMBER", conflicts_with = "latin")]
    pub(super) random: Option<usize>,
    /// So many points of a Latin hypercube: each of as many equal parts of each range has one
    #[arg(long, value_name = "NUMBER")]
    pub(super) latin: Option<usize>,
    /// Another seed, other points
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) seed: u64,
    /// Outputs of each run, separated by commas [default: the end of every coordinate, and the impacts]
    #[arg(long = "of", value_name = "OUTPUTS", value_delimiter = ',')]
    pub(super) of: Vec<String>,
    /// Largest, smallest and mean values count from this time on [s] [default: the start]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) from: Option<f64>,
    #[command(flatten)]
    pub(super) runs: RunsArgs,
}

/// How the runs of all points are made and where their table goes.
#[derive(clap::Args)]
pub(crate) struct RunsArgs {
    /// Set a parameter of the scene for all points
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(crate) set: Vec<(String, String)>,
    /// Use another integrator than the scene's: its name, and options if any
    #[arg(long, value_name = "NAME[:OPTION=VALUE]…")]
    pub(crate) integrator: Option<String>,
    /// Compute the I-th of N parts of the points only, I from 1
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Runs made at the same time [default: the number of cores]; the table does not depend on it
    #[arg(long, value_name = "NUMBER")]
    pub(crate) threads: Option<usize>,
    /// Folder for the table and the figures [default: results/SCENE- and the name of the command]
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// Go on with a table whose making was interrupted or killed
    #[arg(long, conflicts_with = "overwrite")]
    pub(crate) resume: bool,
    /// Replace an earlier table in the folder
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
