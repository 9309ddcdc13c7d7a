//! Meshes of a scene: by formula, and from files of Gmsh.

use super::super::Build;
use super::super::copies::At;
use crate::scene::{self, MeshShape, Quantity, Vector};
use crate::source::Path;
use glam::DVec3;
use nonsmooth_elements::mesh::generate::{self, Blocks};
use nonsmooth_elements::mesh::{Mesh, gmsh};

/// Cells of a mesh by formula beyond which a number is taken for a mistake.
const MOST_CELLS: f64 = 1e7;
/// Ratio of two cells of a mesh by formula beyond which a number is taken for a mistake.
const MOST_GRADING: f64 = 1e6;

impl Build<'_> {
    pub(super) fn mesh(&mut self, path: &Path, spec: &scene::Mesh) -> Option<Mesh> {
        if !self.mesh_keys(path, spec) {
            return None;
        }
        let Some(shape) = spec.shape else { return self.mesh_file(path, spec) };
        let at = At::Path(path);
        let cells = self.cells(
            path,
            spec,
            if shape == MeshShape::Line { 1 } else { 2 + usize::from(shape == MeshShape::Box) },
        )?;
        if shape == MeshShape::Line {
            let from = self.point(&at.key("from"), spec.from.as_ref(), None, DVec3::ZERO)?;
            let to = self.point(&at.key("to"), spec.to.as_ref(), None, DVec3::ZERO)?;
            return Some(generate::line(from, to, cells[0]));
        }
        let dim = if shape == MeshShape::Box { 3 } else { 2 };
        let name = spec.cell.as_deref().unwrap_or(if dim == 3 { "hex8" } else { "quad4" });
        let Some((blocks, _)) = Blocks::of(name).filter(|(_, own)| *own == dim) else {
            let list =
                if dim == 3 { "hex8, hex20, tet4, tet10" } else { "quad4, quad8, triangle3, triangle6" };
            self.mistake(
                &path.key("cell"),
                format!("`{name}` is no cell of this shape; there are {list}"),
            );
            return None;
        };
        if shape == MeshShape::Disc {
            let centre = self.flat_point(&path.key("centre"), spec.centre.as_ref())?;
            let radii = self.list(&path.key("radii"), spec.radii.as_deref()?, 2)?;
            let whole = [Quantity::Number(0.0), Quantity::Number(std::f64::consts::TAU)];
            let angles = self.list(&path.key("angles"), spec.angles.as_deref().unwrap_or(&whole), 2)?;
            if !(radii[0] >= 0.0 && radii[1] > radii[0]) {
                self.mistake(
                    &path.key("radii"),
                    format!("needs 0 ≤ inner < outer, got {} and {}", radii[0], radii[1]),
                );
                return None;
            }
            let turn = angles[1] - angles[0];
            if !(turn > 0.0 && turn <= std::f64::consts::TAU * (1.0 + 1e-12)) {
                self.mistake(
                    &path.key("angles"),
                    format!("a sector turns by more than 0 and at most 2π, got {turn}"),
                );
                return None;
            }
            if radii[0] == 0.0 && name != "triangle3" && name != "triangle6" {
                self.mistake(
                    &path.key("cell"),
                    "a disc without a hole needs triangles at its centre".into(),
                );
                return None;
            }
            let (radii, angles) = ([radii[0], radii[1]], [angles[0], angles[1]]);
            return Some(generate::disc(centre, radii, angles, [cells[0], cells[1]], blocks));
        }
        let size = self.list(&path.key("size"), spec.size.as_deref()?, dim)?;
        if let Some(k) = size.iter().position(|x| *x <= 0.0) {
            self.mistake(&path.key("size").index(k), format!("a side must be > 0, got {}", size[k]));
            return None;
        }
        let grading = self.grading(path, spec, dim)?;
        let corner = if dim == 2 {
            self.flat_point(&path.key("corner"), spec.corner.as_ref())?
        } else {
            self.point(&at.key("corner"), spec.corner.as_ref(), None, DVec3::ZERO)?
        };
        let mut mesh = if dim == 2 {
            generate::rectangle(corner, [size[0], size[1]], [cells[0], cells[1]], blocks)
        } else {
            let cells = [cells[0], cells[1], cells[2]];
            generate::block(corner, [size[0], size[1], size[2]], cells, blocks)
        };
        if spec.grading.is_some() {
            generate::grade(&mut mesh, corner, &size, &cells, &grading);
        }
        Some(mesh)
    }

    /// How cells grow along each axis.
    fn grading(&mut self, path: &Path, spec: &scene::Mesh, dim: usize) -> Option<Vec<f64>> {
        let Some(list) = &spec.grading else { return Some(vec![1.0; dim]) };
        let path = path.key("grading");
        let grading = self.list(&path, list, dim)?;
        if let Some(k) = grading.iter().position(|x| !(MOST_GRADING.recip()..=MOST_GRADING).contains(x))
        {
            let (low, high) = (MOST_GRADING.recip(), MOST_GRADING);
            let message = format!(
                "the last cell by the first is between {low:e} and {high:e}, got {}",
                grading[k]
            );
            self.mistake(&path.index(k), message);
            return None;
        }
        Some(grading)
    }

    /// A place in the plane z = 0, whatever the dimension of the scene.
    fn flat_point(&mut self, path: &Path, list: Option<&Vec<Quantity>>) -> Option<DVec3> {
        let Some(list) = list else { return Some(DVec3::ZERO) };
        let x = self.list(path, list, 2)?;
        Some(DVec3::new(x[0], x[1], 0.0))
    }

    /// A list of this many numbers.
    fn list(&mut self, path: &Path, list: &[Quantity], n: usize) -> Option<Vec<f64>> {
        if list.len() != n {
            self.mistake(path, format!("needs {n} numbers, got {}", list.len()));
            return None;
        }
        self.numbers(&At::Path(path), list, None)
    }

    fn cells(&mut self, path: &Path, spec: &scene::Mesh, n: usize) -> Option<Vec<usize>> {
        let path = path.key("cells");
        let cells = match spec.cells.as_ref()? {
            Vector::Each(list) => self.list(&path, list, n)?,
            Vector::All(all) => vec![self.number(&path, all, None)?; n],
        };
        let is_whole = |x: &f64| *x >= 1.0 && x.fract() == 0.0;
        if !cells.iter().all(is_whole) || cells.iter().product::<f64>() > MOST_CELLS {
            let message =
                format!("cells are whole numbers ≥ 1, at most {MOST_CELLS:e} together; got {cells:?}");
            self.mistake(&path, message);
            return None;
        }
        Some(cells.iter().map(|x| *x as usize).collect())
    }

    /// Whether exactly the keys are given that go with the shape.
    fn mesh_keys(&mut self, path: &Path, spec: &scene::Mesh) -> bool {
        let before = self.mistakes.len();
        let (needs, takes): (&[&str], &[&str]) = match (spec.shape, &spec.file) {
            (Some(MeshShape::Line), None) => (&["from", "to", "cells"], &[]),
            (Some(MeshShape::Rectangle | MeshShape::Box), None) => {
                (&["size", "cells"], &["corner", "cell", "grading"])
            }
            (Some(MeshShape::Disc), None) => (&["radii", "cells"], &["centre", "angles", "cell"]),
            (None, Some(_)) => (&[], &["scale", "position"]),
            _ => {
                self.mistake(path, "a mesh has a `shape` or a `file`".into());
                return false;
            }
        };
        let given = [
            ("scale", spec.scale.is_some()),
            ("position", spec.position.is_some()),
            ("from", spec.from.is_some()),
            ("to", spec.to.is_some()),
            ("corner", spec.corner.is_some()),
            ("size", spec.size.is_some()),
            ("grading", spec.grading.is_some()),
            ("centre", spec.centre.is_some()),
            ("radii", spec.radii.is_some()),
            ("angles", spec.angles.is_some()),
            ("cells", spec.cells.is_some()),
            ("cell", spec.cell.is_some()),
        ];
        for (key, is_given) in given {
            if is_given && !needs.contains(&key) && !takes.contains(&key) {
                let list = [needs, takes].concat().join(", ");
                self.mistake(
                    &path.key(key),
                    format!(
                        "`{key}` has no meaning here; it goes with other shapes. This one takes {list}"
                    ),
                );
            } else if !is_given && needs.contains(&key) {
                self.mistake(path, format!("this shape needs `{key}`"));
            }
        }
        self.mistakes.len() == before
    }

    fn mesh_file(&mut self, path: &Path, spec: &scene::Mesh) -> Option<Mesh> {
        let place = path.key("file");
        let bytes = self.file(&At::Path(&place), spec.file.as_deref()?)?;
        let scale = match &spec.scale {
            Some(scale) => self.number(&path.key("scale"), scale, None)?,
            None => 1.0,
        };
        if scale <= 0.0 {
            self.mistake(&path.key("scale"), format!("`scale` must be > 0, got {scale}"));
            return None;
        }
        let shift = path.key("position");
        let shift = self.point(&At::Path(&shift), spec.position.as_ref(), None, DVec3::ZERO)?;
        match gmsh::read(&bytes) {
            Ok(mut mesh) => {
                mesh.nodes.iter_mut().for_each(|x| *x = scale * *x + shift);
                Some(mesh)
            }
            Err(error) => {
                self.mistake(&place, format!("`{}`: {error}", spec.file.as_deref().unwrap_or_default()));
                None
            }
        }
    }
}
