//! `cargo xtask bench sweep [COMMAND]`: points of a sweep per second of processor time, for an oscillator with a stop over 100 periods; writes
//! `docs/bench-sweep.md`.
//!
//! The command is built in release, or is the built one that is named. Every point is a run of its own with another frequency. How exact a
//! scheme is shows in the last column: the largest difference of x at the end from that of `event-driven` at a tolerance of 1e-12.

use super::csv::Csv;
use crate::Workspace;
use crate::command::{cargo, show};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCENE: &str = r#"
[parameters]
w = 4.0
steps = 100
[[system.linear]]
name = "m"
coordinates = ["x"]
mass = 1
stiffness = 1
damping = 0.04
force = "cos(w*t)"
q = -0.1
[[constraint]]
name = "stop"
gap = "-x"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = 0.8
[run]
end = "100*2*pi/w"
step_size = "2*pi/w/steps"
"#;

/// Schemes, and steps of the grid in a period.
const ROWS: [(&str, u32); 6] = [
    ("moreau-jean", 100),
    ("high-order:method=rk4", 20),
    ("high-order:adaptive=yes:tolerance=1e-6", 4),
    ("high-order:adaptive=yes:tolerance=1e-9", 4),
    ("event-driven:tolerance=1e-6", 4),
    ("event-driven:tolerance=1e-9", 4),
];
/// What the others are compared with.
const REFERENCE: (&str, u32) = ("event-driven", 4);
/// Frequencies at which one motion attracts all others, so that a scheme cannot end on another one.
const VARY: &str = "w=3.9:4.1:200";
/// Points per second and core that are aimed at.
const AIM: f64 = 1e4;

/// A sweep that was made.
struct Made {
    rate: f64,
    ends: Vec<f64>,
}

pub(super) fn run(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let command = match arguments {
        [] => built(workspace)?,
        [command] => PathBuf::from(command),
        _ => return Err("bench sweep takes at most one argument, a built command".into()),
    };
    let profile = command.parent().and_then(Path::file_name).unwrap_or_default();
    let folder = workspace.target().join("bench-sweep");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let scene = folder.join("oscillator.toml");
    std::fs::write(&scene, SCENE).map_err(|error| format!("{}: {error}", scene.display()))?;
    let made = |(scheme, steps)| make((&command, &scene), &folder.join("out"), scheme, steps);
    let reference = made(REFERENCE)?;
    let mut page = format!(
        "# Points of a sweep per second\n\nWritten by `cargo xtask bench sweep`, with the command of profile `{}`: an oscillator with a stop \
         and a sine force, over 100 periods\nwith some 50 impacts, each point with another frequency, one thread, seconds of processor time. The last \
         column is the largest\ndifference of x at the end from `event-driven` at its own tolerance of 1e-12.\n\n\
         | scheme | steps of the grid in a period | points per second | of the {AIM:e} aimed at | difference |\n|---|---|---|---|---|\n",
        profile.to_string_lossy()
    );
    for (scheme, steps) in ROWS {
        let Made { rate, ends } = made((scheme, steps))?;
        let difference =
            ends.iter().zip(&reference.ends).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let _ = writeln!(
            page,
            "| `{scheme}` | {steps} | {rate:.0} | {:.1} % | {difference:.0e} |",
            100.0 * rate / AIM
        );
    }
    let (scheme, steps) = REFERENCE;
    let _ = writeln!(
        page,
        "| `{scheme}` | {steps} | {:.0} | {:.1} % | – |",
        reference.rate,
        100.0 * reference.rate / AIM
    );
    let path = workspace.root.join("docs/bench-sweep.md");
    std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))
}

/// The command, built in release.
pub(super) fn built(workspace: &Workspace) -> Result<PathBuf, String> {
    show(&mut cargo(&workspace.root, &["build", "--release", "--package", "nonsmooth-cli"]))?;
    Ok(workspace.target().join("release/nonsmooth"))
}

/// One sweep, all of whose points must be computed.
fn make((command, scene): (&Path, &Path), out: &Path, scheme: &str, steps: u32) -> Result<Made, String> {
    let steps = format!("steps={steps}");
    let output = Command::new(command)
        .arg("sweep")
        .arg(scene)
        .args(["--vary", VARY, "--set", &steps, "--integrator", scheme, "--of", "m.x", "--threads", "1"])
        .args(["--json", "--overwrite", "--out"])
        .arg(out)
        .output()
        .map_err(|error| format!("{}: {error}", command.display()))?;
    if !output.status.success() {
        return Err(format!("{scheme}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let rate = rate(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| format!("{scheme}: no rate was told"))?;
    let table = Csv::read(&out.join("sweep.csv"))?;
    let ends: Option<Vec<f64>> = table.rows().map(|row| row.number("m.x")).collect();
    Ok(Made { rate, ends: ends.ok_or_else(|| format!("{scheme}: a point has no end"))? })
}

/// The rate in what the command told.
fn rate(told: &str) -> Option<f64> {
    let (_, rest) = told.split_once("\"points_per_processor_second\":")?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}
