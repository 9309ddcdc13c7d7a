//! `nonsmooth import`: a robot of another program as a scene.

use nonsmooth_import::{Dropped, Imported, Options, import};
use nonsmooth_studies::command::{Failure, say};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Names told on the terminal for each reason.
const NAMED: usize = 6;

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Base {
    /// The root link of a URDF is fixed to the world
    #[default]
    Fixed,
    /// It is free to move
    Free,
}

#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The robot: URDF or MJCF, told apart by the first element
    file: PathBuf,
    /// The scene to write [default: the file's name with .toml, in this folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The only folder from which meshes and includes are read [default: the file's]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Whether the root link of a URDF moves
    #[arg(long, value_enum, default_value_t)]
    base: Base,
    /// Give each body between several joints of one body this part of its mass and inertia [default: such joints are a mistake, unless one type of joint has all their freedoms]
    #[arg(long, value_name = "PART")]
    split: Option<f64>,
    /// Print what was not carried over as JSON, each with element, attribute, name, file, line and reason
    #[arg(long)]
    json: bool,
    /// Replace a scene that is there
    #[arg(long)]
    overwrite: bool,
}

impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Base::Fixed => "fixed",
            Base::Free => "free",
        })
    }
}

/// Writes the scene and says what it does not have.
pub(crate) fn run(args: &ImportArgs) -> Result<(), Failure> {
    let input = |message: String| Failure::Input(anyhow::anyhow!(message));
    let out = match &args.out {
        Some(out) => out.clone(),
        None => {
            let name = args.file.file_stem().ok_or_else(|| input("this is no file".to_owned()))?;
            Path::new(name).with_extension("toml")
        }
    };
    if out.exists() && !args.overwrite {
        let shown = out.display();
        return Err(input(format!(
            "{shown} is there already; name another with --out, or give --overwrite"
        )));
    }
    let options = Options {
        folder: args.folder.clone(),
        free_base: matches!(args.base, Base::Free),
        split: args.split,
    };
    let imported = import(&args.file, &options).map_err(|error| Failure::Input(error.into()))?;
    std::fs::write(&out, &imported.scene)
        .map_err(|error| input(format!("{}: {error}", out.display())))?;
    if args.json {
        say(&as_json(&out, &imported))
    } else {
        tell(&out, &imported)
    }
    Ok(())
}

fn as_json(out: &Path, imported: &Imported) -> String {
    let list: &[Dropped] = &imported.dropped;
    let all = json!({
        "scene": out.display().to_string(),
        "bodies": imported.n_bodies,
        "joints": imported.n_joints,
        "notes": imported.notes,
        "not_carried_over": list,
    });
    format!("{all:#}")
}

fn tell(out: &Path, imported: &Imported) {
    let (bodies, joints) = (imported.n_bodies, imported.n_joints);
    say(&format!("{}: {bodies} bodies, {joints} joints", out.display()));
    imported.notes.iter().for_each(|note| say(&format!("  {note}")));
    if !imported.dropped.is_empty() {
        say("  not carried over (the scene's head names all, --json gives them as a list):");
        imported.lines(NAMED).iter().for_each(|line| say(&format!("    {line}")));
    }
}
