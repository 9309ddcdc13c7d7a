//! The arguments of `nonsmooth orbit`.

use crate::command::parse_set;
use std::path::PathBuf;

/// What is meant, for `--help`.
const AFTER: &str = "\
The motion begins at the initial state of the scene, after --skip periods. Newton's method makes it periodic, with the exact derivative of the
event-driven flow through impacts and changes between sticking and sliding.

A forced system has the period of its force: --period. An autonomous one has one of its own: between a half and three
halves of --guess, the search for it begins where the motion comes nearest to its start. Where no
energy is lost, orbits form families over the energy: --energy.

Exit codes: 0 an orbit was found (and followed as far as asked for), 1 none was found, 2 the input was wrong.";

/// Which orbit, and along what it is followed.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct OrbitArgs {
    /// The scene file
    pub(super) scene: PathBuf,
    /// Period of the force: a number or a formula over the parameters [s]
    #[arg(long, value_name = "FORMULA", required_unless_present = "guess", conflicts_with = "guess")]
    pub(super) period: Option<String>,
    /// About the period of an autonomous system: a number or a formula over the parameters [s]
    #[arg(long, value_name = "FORMULA")]
    pub(super) guess: Option<String>,
    /// The orbit closes after so many of these periods
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) periods: u32,
    /// Periods that are run before the search begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) skip: u64,
    /// Follow the orbit along a parameter of the scene
    #[arg(long, value_name = "NAME=FROM:TO", value_parser = parse_set, allow_hyphen_values = true)]
    pub(super) along: Option<(String, String)>,
    /// Energy of an orbit that keeps it, or follow the family from one energy to another [J]
    #[arg(
        long,
        value_name = "FROM[:TO]",
        requires = "guess",
        conflicts_with = "along",
        allow_hyphen_values = true
    )]
    pub(super) energy: Option<String>,
    /// Branches of twice the period that are followed, one from the first doubling of the other
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) double: u32,
    /// Largest step along a branch, as a share of the range
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    pub(super) step: f64,
    /// Most points of a branch
    #[arg(long, value_name = "NUMBER", default_value_t = 400)]
    pub(super) most: usize,
    /// How closely the state returns: absolute below 1, relative above
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-9)]
    pub(super) tolerance: f64,
    /// Set a parameter of the scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(super) set: Vec<(String, String)>,
    /// Folder for tables and figures [default: results/SCENE-orbit]
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
    /// Replace the tables of an earlier orbit in the folder
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(super) quiet: bool,
}
