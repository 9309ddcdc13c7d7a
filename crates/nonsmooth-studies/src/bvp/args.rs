//! The arguments of `nonsmooth bvp`.

use crate::command::parse_set;
use std::path::PathBuf;

/// What the scene must say, for `--help`.
const AFTER: &str = "\
The scene poses the problem in its table [bvp] (docs/scenes.md): unknowns, which are parameters, initial values or the final time `end`, and as many
conditions, each a formula of the final state that equals a number or a formula of the initial one. It is solved by Newton's iteration with the
derivative of the event-driven flow, through impacts and stick–slip changes. Where there is no derivative the step is shortened; one unknown
with bounds is bracketed if that does not help.

Exit codes: 0 solved, 1 not solved (the message says what remains and why), 2 the input was wrong.";

/// Which problem.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct BvpArgs {
    /// The scene file
    pub(super) scene: PathBuf,
    /// Set a parameter of the scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(super) set: Vec<(String, String)>,
    /// Parts whose states are unknowns too, instead of `bvp.segments`
    #[arg(long, value_name = "NUMBER")]
    pub(super) segments: Option<usize>,
    /// Most iterations
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(super) iterations: usize,
    /// Folder for the figures of the solution [default: results/SCENE-bvp]
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
}
