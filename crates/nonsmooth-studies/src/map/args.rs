//! The arguments of `nonsmooth map`.

use crate::command::parse_set;
use crate::sweep::RunsArgs;
use std::path::PathBuf;

/// How values and outputs are written, for `--help`.
const AFTER: &str = "\
The state is taken once in each period. The step is that of the scene, made a little smaller where the period is no whole number of steps.

Values: A=0:1:101 is 101 values from 0 to 1, A=1e-3:1:7:log seven in equal ratios, A=1,2,5 these. Several --vary make a grid.

Outputs are those of `nonsmooth sweep`, of one period each: SYSTEM.COORDINATE is its value at the end of the period, max:SYSTEM.COORDINATE its
largest value in the period, impacts the number of impacts in it. Times are counted from its start.

Exit codes: 0 every point was computed, 1 some failed (the table has the reasons) or the command was interrupted, 2 the input was wrong.";

/// Which picture.
#[derive(clap::Subcommand)]
pub enum Map {
    /// What is left after many periods, over a parameter
    #[command(after_help = AFTER)]
    Bifurcation(BifurcationArgs),
    /// One quantity over another, once in each period
    #[command(after_help = AFTER)]
    Section(SectionArgs),
    /// Which initial values lead to which periodic motion
    #[command(after_help = AFTER)]
    Basins(BasinsArgs),
}

/// What every map is made of.
#[derive(clap::Args)]
pub(super) struct MapArgs {
    /// The scene file
    pub(super) scene: PathBuf,
    /// Period after which the state is taken: a number or a formula over the parameters [s]
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub(super) period: String,
    /// Periods of each run that are left out
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    pub(super) skip: u64,
    #[command(flatten)]
    pub(super) runs: RunsArgs,
}

/// `nonsmooth map bifurcation`.
#[derive(clap::Args)]
pub struct BifurcationArgs {
    #[command(flatten)]
    pub(super) map: MapArgs,
    /// Vary a parameter of the scene: the first is the axis of the picture
    #[arg(long = "vary", value_name = "NAME=VALUES", required = true, value_parser = parse_set)]
    pub(super) vary: Vec<(String, String)>,
    /// Periods of each run that are kept
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(super) keep: u64,
    /// Outputs of each period, separated by commas, each a picture [default: the end of every coordinate, and the impacts]
    #[arg(long = "of", value_name = "OUTPUTS", value_delimiter = ',')]
    pub(super) of: Vec<String>,
}

/// `nonsmooth map section`.
#[derive(clap::Args)]
pub struct SectionArgs {
    #[command(flatten)]
    pub(super) map: MapArgs,
    /// Vary a parameter of the scene, such as an initial value: a series of points for each
    #[arg(long = "vary", value_name = "NAME=VALUES", value_parser = parse_set)]
    pub(super) vary: Vec<(String, String)>,
    /// Periods of each run that are kept
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    pub(super) keep: u64,
    /// The two outputs that are drawn over each other, separated by a comma; further ones are written into the table
    #[arg(long = "of", value_name = "OUTPUTS", value_delimiter = ',', required = true)]
    pub(super) of: Vec<String>,
}

/// `nonsmooth map basins`.
#[derive(clap::Args)]
pub struct BasinsArgs {
    #[command(flatten)]
    pub(super) map: MapArgs,
    /// Vary an initial value, a parameter of the scene, in a grid: twice, first that of the horizontal axis
    #[arg(long = "vary", value_name = "NAME=VALUES", required = true, value_parser = parse_set)]
    pub(super) vary: Vec<(String, String)>,
    /// Longest motion that is looked for, in periods
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub(super) longest: u64,
    /// A motion is periodic if its state returns this closely: absolute below 1, relative above
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-6)]
    pub(super) tolerance: f64,
    /// States closer than this belong to one motion: absolute below 1, relative above
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-3)]
    pub(super) apart: f64,
}
