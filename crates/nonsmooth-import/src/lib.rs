//! Robots described for other programs, as scenes.
//!
//! [`import`] reads URDF or MJCF and gives the text of a scene. A tree of bodies becomes bodies in the world, joints between them, stops,
//! springs, dampers and drives on their free axes, colliders and the groups that say who meets whom. What a scene cannot have is listed with
//! its place and the reason: an attribute that no line of this crate has read is on that list by construction.
//!
//! ```
//! let urdf = r#"<robot name="pendulum">
//!   <link name="base"/>
//!   <link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
//!     <inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
//!   <joint name="pin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
//! </robot>"#;
//! let imported = nonsmooth_import::import_text("pendulum.urdf", urdf, ".".as_ref(), &Default::default())?;
//! assert!(imported.scene.contains("name = \"pin\"\ntype = \"revolute\""));
//! # Ok::<(), nonsmooth_import::ImportError>(())
//! ```

mod bodies;
mod colliders;
mod error;
mod folder;
mod form;
mod joints;
mod log;
mod mass;
mod meshes;
mod mjcf;
mod motor;
mod names;
mod numbers;
mod pairs;
mod report;
mod robot;
mod scene;
mod urdf;
mod xml;

pub use error::{ImportError, Mistake, Place};
pub use log::Dropped;

use folder::Folder;
use log::Log;
use std::path::Path;

/// What the one who imports decides.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder from which includes and meshes are read; that of the file if not given.
    pub folder: Option<std::path::PathBuf>,
    /// Whether the root of a URDF is free to move; it is fixed to the world otherwise.
    pub free_base: bool,
    /// Part of a body's mass and inertia that each body between its several joints gets, in (0, 0.1]; such joints are a mistake if not given.
    pub split: Option<f64>,
}

/// A scene and what it does not have.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The text of the scene.
    pub scene: String,
    /// What was not carried over.
    pub dropped: Vec<Dropped>,
    /// What was decided on the way.
    pub notes: Vec<String>,
    /// Moving bodies.
    pub n_bodies: usize,
    /// Joints.
    pub n_joints: usize,
}

/// Imports a file.
pub fn import(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let name = path.display().to_string();
    let wrong = |message: String| {
        ImportError(vec![Mistake { place: Place { file: name.clone(), line: 1 }, message }])
    };
    let bytes = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("this is no text (UTF-8)".to_owned()))?;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    import_text(&name, &text, parent, options)
}

/// Imports a text, whose files are named relative to `base`.
pub fn import_text(
    name: &str,
    text: &str,
    base: &Path,
    options: &Options,
) -> Result<Imported, ImportError> {
    let mut log = Log::default();
    match read(name, text, base, options, &mut log) {
        Some(scene) if log.is_good() => {
            let (text, n_bodies, n_joints) = scene;
            Ok(Imported { scene: text, dropped: log.dropped, notes: log.notes, n_bodies, n_joints })
        }
        _ => Err(log.error()),
    }
}

/// The scene's text with the numbers of its bodies and joints; `None` after a mistake.
fn read(
    name: &str,
    text: &str,
    base: &Path,
    options: &Options,
    log: &mut Log,
) -> Option<(String, usize, usize)> {
    let top = Place { file: name.to_owned(), line: 1 };
    if let Some(part) = options.split.filter(|part| !(*part > 0.0 && *part <= 0.1)) {
        log.wrong(&top, format!("--split takes a part in (0, 0.1], got {part}"));
        return None;
    }
    let folder = match Folder::open(options.folder.as_deref().unwrap_or(base)) {
        Ok(folder) => folder,
        Err(message) => {
            log.wrong(&top, message);
            return None;
        }
    };
    let base = base.canonicalize().unwrap_or_else(|_| folder.root().to_owned());
    let root = match xml::Element::parse(text, name) {
        Ok(root) => root,
        Err((place, message)) => {
            log.wrong(&place, message);
            return None;
        }
    };
    let root_is_fixed = root.tag == "robot" && !options.free_base;
    let robot = match root.tag.as_str() {
        "robot" => urdf::read(&root, &folder, &base, options, log),
        "mujoco" => mjcf::read(root, &folder, &base, log),
        other => {
            let text = "the first element is neither <robot> (URDF) nor <mujoco> (MJCF), but";
            log.wrong(&root.place, format!("{text} <{}>", numbers::short(other)));
            None
        }
    }?;
    if !log.is_good() {
        return None;
    }
    let mut world = bodies::World::of(robot, options, log)?;
    if world.bodies.is_empty() {
        let text = "nothing moves: every body is fixed to the world or has no mass";
        let remedy = if root_is_fixed { "; --base free lets the root link move" } else { "" };
        log.wrong(&top, format!("{text}{remedy}"));
    }
    let meetings = pairs::Meetings::of(&mut world, log);
    log.is_good().then(|| scene::write(name, &world, &meetings, log))
}
