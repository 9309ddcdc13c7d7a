//! Meshes as colliders: their convex hulls.

use crate::form::mesh_mass;
use crate::log::Log;
use crate::robot::{Form, Mass};
use crate::xml::Element;
use nonsmooth_geometry::files::Triangles;

impl Log {
    /// The hull of a mesh; said where it has holes or dents that the hull closes.
    pub fn hull_of(&mut self, element: &Element, owner: &str, mesh: &Triangles) -> Option<Form> {
        match Form::hull(&mesh.vertices) {
            Ok((form, is_coarse)) => {
                let coarse = if is_coarse { ", of which far corners alone are kept" } else { "" };
                self.drop(element, "mesh", owner, &format!("collides as its convex hull{coarse}"));
                Some(form)
            }
            Err(message) => {
                self.wrong(&element.place, format!("the hull of the mesh of `{owner}`: {message}"));
                None
            }
        }
    }

    /// The mass of a mesh at a density.
    pub fn mass_of_mesh(
        &mut self,
        element: &Element,
        owner: &str,
        mesh: &Triangles,
        density: f64,
    ) -> Option<Mass> {
        match mesh_mass(mesh, density) {
            Ok((mass, is_hull)) => {
                let note = "meshes weigh what their volume weighs; MuJoCo's own rule counts some of the volume of a dented mesh twice";
                if !self.notes.iter().any(|known| known == note) {
                    self.note(note);
                }
                if is_hull {
                    self.drop(
                        element,
                        "mesh",
                        owner,
                        "has no closed surface: its mass is that of its convex hull",
                    );
                }
                Some(mass)
            }
            Err(message) => {
                self.wrong(&element.place, format!("the mass of the mesh of `{owner}`: {message}"));
                None
            }
        }
    }
}
