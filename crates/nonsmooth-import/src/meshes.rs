//! Triangles of mesh files, read inside of the folder alone.

use crate::folder::Folder;
use glam::DVec3;
use nonsmooth_geometry::files::{Triangles, read_obj, read_stl};
use std::path::Path;

/// Formats that are read.
const FORMATS: [&str; 2] = ["stl", "obj"];

/// Why there are no triangles.
pub(crate) enum NoMesh {
    /// The format is not read: the mesh is left out.
    Format(String),
    /// The file is missing, damaged or outside of the folder.
    Wrong(String),
}

/// The triangles of a file that is named relative to one of several places; the first where there is one counts.
pub(crate) fn mesh(
    folder: &Folder,
    places: &[(&Path, String)],
    scale: DVec3,
) -> Result<Triangles, NoMesh> {
    let name = places.first().map_or("", |(_, name)| name.as_str());
    let format = name.rsplit_once('.').map_or(String::new(), |(_, end)| end.to_ascii_lowercase());
    if !FORMATS.contains(&format.as_str()) {
        return Err(NoMesh::Format(format!(
            "meshes of the format `{format}` are not read; STL and OBJ are"
        )));
    }
    let mut wrong = None;
    for (base, name) in places {
        match folder.read(base, name) {
            Ok((_, bytes)) => return triangles(&bytes, &format, name, scale).map_err(NoMesh::Wrong),
            Err(message) => wrong = wrong.or(Some(message)),
        }
    }
    let wrong = wrong.unwrap_or_else(|| "no file is named".to_owned());
    Err(NoMesh::Wrong(format!("{wrong}; files are looked for in {}", folder.root().display())))
}

fn triangles(bytes: &[u8], format: &str, name: &str, scale: DVec3) -> Result<Triangles, String> {
    let read = match format {
        "obj" => read_obj(&String::from_utf8_lossy(bytes)),
        _ => read_stl(bytes),
    };
    let mut mesh = read.map_err(|error| format!("`{name}`: {error}"))?;
    for vertex in &mut mesh.vertices {
        *vertex = (DVec3::from_array(*vertex) * scale).to_array();
    }
    // A mirror turns the triangles inside out.
    if scale.x * scale.y * scale.z < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Ok(mesh)
}
