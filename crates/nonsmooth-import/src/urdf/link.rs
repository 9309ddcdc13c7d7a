//! A link of URDF: its inertia and what it collides with.

use super::origin;
use crate::folder::Folder;
use crate::log::Log;
use crate::meshes::{NoMesh, mesh};
use crate::robot::{Collider, Form, Mass, Rubbing};
use crate::xml::Element;
use glam::{DMat3, DVec3};
use std::path::Path;

/// μ where a file has none [–].
const FRICTION: f64 = 0.5;

pub(super) fn read(
    link: &Element,
    number: usize,
    files: (&Folder, &Path),
    log: &mut Log,
) -> (Option<Mass>, Vec<Collider>) {
    let name = link.attr("name").unwrap_or_default();
    log.drop_rest(link, name, |_| None);
    let (mut mass, mut colliders) = (None, Vec::new());
    for child in &link.children {
        match child.tag.as_str() {
            "inertial" if mass.is_none() => mass = inertial(child, name, log),
            "collision" => {
                colliders.extend(collision(child, (name, number, colliders.len()), files, log))
            }
            "visual" => log.drop(child, "", name, "looks are not part of a scene"),
            _ => log.drop(child, "", name, "not known to this importer"),
        }
    }
    (mass, colliders)
}

fn inertial(element: &Element, link: &str, log: &mut Log) -> Option<Mass> {
    let frame = origin(element, log);
    let Some(given) = element.child("mass") else {
        log.wrong(&element.place, format!("the inertial of link `{link}` needs <mass value=\"…\"/>"));
        return None;
    };
    let mass = log.number(given, "value")?;
    log.drop_rest(given, link, |_| None);
    if mass < 0.0 {
        log.wrong(&given.place, format!("the mass of link `{link}` is {mass}; it must not be negative"));
        return None;
    }
    let mut entries = [0.0; 6];
    match element.child("inertia") {
        None => log.wrong(&element.place, format!("the inertial of link `{link}` needs <inertia …/>")),
        Some(inertia) => {
            for (entry, key) in entries.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
                *entry = log.number(inertia, key).unwrap_or(0.0);
            }
            log.drop_rest(inertia, link, |_| None);
        }
    }
    if mass == 0.0 {
        return None;
    }
    let [xx, yy, zz, xy, xz, yz] = entries;
    let inertia =
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    Some(Mass { mass, centre: DVec3::ZERO, inertia }.through(&frame))
}

fn collision(
    element: &Element,
    (link, owner, k): (&str, usize, usize),
    files: (&Folder, &Path),
    log: &mut Log,
) -> Option<Collider> {
    let frame = origin(element, log);
    let own = element.attr("name").map(str::to_owned);
    log.drop_rest(element, link, |_| None);
    for other in element.children.iter().filter(|c| c.tag != "origin" && c.tag != "geometry") {
        log.drop(other, "", link, "not known to this importer");
    }
    let Some(shape) = element.child("geometry").and_then(|geometry| geometry.children.first()) else {
        log.wrong(
            &element.place,
            format!("a collision of link `{link}` needs a <geometry> with a shape"),
        );
        return None;
    };
    let form = form(shape, link, files, log)?;
    if let Err(message) = form.shape() {
        log.wrong(&shape.place, format!("the {} of link `{link}`: {message}", shape.tag));
        return None;
    }
    Some(Collider {
        name: own.unwrap_or_else(|| format!("{link}/{k}")),
        form,
        frame,
        rubbing: Rubbing { friction: FRICTION, is_smooth: false, priority: 0 },
        bits: [1, 1],
        owner,
    })
}

fn form(shape: &Element, link: &str, files: (&Folder, &Path), log: &mut Log) -> Option<Form> {
    let form = match shape.tag.as_str() {
        "sphere" => Form::Ball { radius: log.number(shape, "radius")? },
        "box" => Form::Box { half: 0.5 * log.vector(shape, "size")? },
        "cylinder" | "capsule" => {
            let (half, radius) = (0.5 * log.number(shape, "length")?, log.number(shape, "radius")?);
            if shape.tag == "capsule" {
                Form::Capsule { half, radius }
            } else {
                Form::Cylinder { half, radius }
            }
        }
        "mesh" => return mesh_form(shape, link, files, log),
        _ => {
            log.drop(shape, "", link, "a shape that is not known to this importer");
            return None;
        }
    };
    log.drop_rest(shape, link, |_| None);
    Some(form)
}

fn mesh_form(
    shape: &Element,
    link: &str,
    (folder, base): (&Folder, &Path),
    log: &mut Log,
) -> Option<Form> {
    let name = log.needed(shape, "filename")?;
    let scale = match log.numbers(shape, "scale").as_deref() {
        None => DVec3::ONE,
        Some(&[x]) => DVec3::splat(x),
        Some(&[x, y, z]) => DVec3::new(x, y, z),
        Some(_) => {
            log.wrong(&shape.place_of("scale"), "`scale` of mesh needs one or three numbers");
            return None;
        }
    };
    log.drop_rest(shape, link, |_| None);
    let places = places(&name, folder.root(), base);
    match mesh(folder, &places, scale) {
        Ok(triangles) => log.hull_of(shape, link, &triangles),
        Err(NoMesh::Format(why)) => {
            log.drop(shape, "", link, &why);
            None
        }
        Err(NoMesh::Wrong(message)) => {
            log.wrong(&shape.place, message);
            None
        }
    }
}

/// Where a mesh may be. `package://p/x` is x in a folder p: the folder itself, one in it, or one around the file.
fn places<'a>(name: &str, root: &'a Path, base: &'a Path) -> Vec<(&'a Path, String)> {
    let Some(rest) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) else {
        return vec![(base, name.strip_prefix("file://").unwrap_or(name).to_owned())];
    };
    let rest = rest.trim_start_matches('/');
    let inner = rest.split_once('/').map_or(rest, |(_, inner)| inner).to_owned();
    let around = base.ancestors().take_while(|folder| folder.starts_with(root));
    let mut places = vec![(root, rest.to_owned()), (root, inner.clone())];
    for folder in around {
        places.extend([(folder, rest.to_owned()), (folder, inner.clone())]);
    }
    places
}
