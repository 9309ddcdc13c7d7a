//! The arguments of `nonsmooth sensitivity`.

use crate::command::parse_set;
use std::path::PathBuf;

/// What may be asked for, for `--help`.
const AFTER: &str = "\
Outputs: BODY.x (y, z, q_w … q_z, v_x … v_z, omega_x … omega_z), SYSTEM.COORDINATE and SYSTEM.v_COORDINATE, a name of [expressions], kinetic,
potential, energy; each at the end, or as max:…, min:…, time-of-max:…, time-of-min:…. Further: first-impact, last-impact, impact:K, the
instant of the K-th impact.

Initial values: SYSTEM.COORDINATE and SYSTEM.v_COORDINATE; of bodies in space x, y, z, v_x … v_z, omega_x … omega_z and turn_x … turn_z, in the
plane x, y, phi, v_x, v_y, v_phi. A parameter is named as it is; what it changes of the initial state counts.

The motion is that of `event-driven`, whatever the scene's scheme is. Exit codes: 0 done, 1 the motion failed or has no derivative (the message says
when and why), 2 the input was wrong.";

/// Which derivatives, of which scene.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct SensitivityArgs {
    /// The scene file
    pub(super) scene: PathBuf,
    /// Outputs, separated by commas [default: the end of every coordinate]
    #[arg(long = "of", value_name = "OUTPUTS", value_delimiter = ',')]
    pub(super) of: Vec<String>,
    /// Parameters and initial values, separated by commas
    #[arg(long = "to", value_name = "NAMES", value_delimiter = ',', required = true)]
    pub(super) to: Vec<String>,
    /// Set a parameter of the scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(super) set: Vec<(String, String)>,
    /// Vary a parameter by this much [default: 1e-4 of its value]
    #[arg(long = "step", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub(super) step: Vec<(String, String)>,
    /// Until this time [s] [default: the end of the scene]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) until: Option<f64>,
    /// Compare with differences of whole runs, and fail if they differ by more than 1e-6
    #[arg(long)]
    pub(super) check: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
}
