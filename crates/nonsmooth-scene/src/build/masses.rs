//! Mass, centre and inertia of a body: from the density or mass of its shapes, or as given.

use super::bodies::Piece;
use super::copies::At;
use super::solid::{Solid, rows};
use super::{Build, Dimension};
use crate::scene::{self, Inertia};
use glam::{DMat3, DVec3};

impl Build<'_> {
    /// Refuses keys of mass that do not go together.
    pub(super) fn check_mass_keys(&mut self, at: &At<'_>, spec: &scene::Body) {
        let scene::Body { density, mass, inertia, centre, .. } = spec;
        match (density, mass) {
            (Some(_), Some(_)) => {
                self.wrong(&at.key("density"), "give `density` or `mass`, not both".into());
            }
            (None, None) => {
                let message = format!(
                    "`{}` moves, so it needs a `density` or a `mass`; or fix it with `fixed = true`",
                    spec.name
                );
                self.wrong(at, message);
            }
            (Some(_), None) if inertia.is_some() => {
                self.wrong(&at.key("inertia"), "`inertia` goes with `mass`, not with `density`".into());
            }
            _ => {}
        }
        if centre.is_some() && inertia.is_none() {
            let message =
                "`centre` goes with `mass` and `inertia`; without them it follows from the shape";
            self.wrong(&at.key("centre"), message.into());
        }
    }

    /// The density or mass, as given.
    pub(super) fn weight(
        &mut self,
        at: &At<'_>,
        spec: &scene::Body,
        copy: Option<usize>,
    ) -> Option<f64> {
        let (key, quantity) = match (&spec.density, &spec.mass) {
            (Some(density), _) => ("density", density),
            (None, mass) => ("mass", mass.as_ref()?),
        };
        let given = self.value(&at.key(key), quantity, copy)?;
        if given <= 0.0 {
            let of_copy = copy.map_or(String::new(), |i| format!(" for i = {i}"));
            self.wrong(&at.key(key), format!("`{key}` must be > 0, got {given}{of_copy}"));
            return None;
        }
        Some(given)
    }

    /// Centre and inertia where they are given; `None` after a mistake.
    pub(super) fn given_inertia(
        &mut self,
        at: &At<'_>,
        spec: &scene::Body,
        copy: Option<usize>,
    ) -> Option<Option<(DVec3, [[f64; 3]; 3])>> {
        let Some(inertia) = &spec.inertia else { return Some(None) };
        let centre = self.point(&at.key("centre"), spec.centre.as_ref(), copy, DVec3::ZERO);
        let inertia = self.inertia(&at.key("inertia"), inertia, copy);
        Some(Some((centre?, inertia?)))
    }

    /// Mass, centre in the frame of the body, and inertia about it, of its shapes.
    pub(super) fn mass(
        &mut self,
        at: &At<'_>,
        spec: &scene::Body,
        pieces: &[Piece],
        given: f64,
    ) -> Option<(f64, DVec3, [[f64; 3]; 3])> {
        let mut solids = Vec::with_capacity(pieces.len());
        for (k, piece) in pieces.iter().enumerate() {
            match &piece.built.solid {
                Ok(solid) => solids.push(solid.transformed(piece.position, piece.rotation)),
                Err(error) => {
                    let message = format!(
                        "`{}` moves, but {error}; give its `mass` and `inertia`, or fix it with `fixed = true`",
                        spec.name
                    );
                    let (parts, shape) = (at.key("parts"), at.key("shape"));
                    let place = if spec.parts.is_some() { parts.entry(k) } else { shape };
                    self.wrong(&place, message);
                    return None;
                }
            }
        }
        if solids.is_empty() {
            let message = format!("`{}` has no shape, so it needs a `mass` and an `inertia`", spec.name);
            self.wrong(at, message);
            return None;
        }
        let solid = Solid::joined(&solids);
        let density = if spec.density.is_some() { given } else { given / solid.volume };
        let inertia = rows(&(solid.inertia * density));
        Some((density * solid.volume, solid.centre, inertia))
    }

    fn inertia(&mut self, at: &At<'_>, inertia: &Inertia, copy: Option<usize>) -> Option<[[f64; 3]; 3]> {
        let in_plane = self.dimension == Dimension::Plane;
        match inertia {
            Inertia::Moment(moment) if in_plane => {
                let j = self.value(at, moment, copy)?;
                Some(DMat3::from_diagonal(DVec3::splat(j)).to_cols_array_2d())
            }
            Inertia::Diagonal(list) if !in_plane && list.len() == 3 => {
                let x = self.numbers(at, list, copy)?;
                Some(DMat3::from_diagonal(DVec3::new(x[0], x[1], x[2])).to_cols_array_2d())
            }
            Inertia::Rows(rows) if !in_plane && rows.len() == 3 && rows.iter().all(|r| r.len() == 3) => {
                let mut a = [[0.0; 3]; 3];
                for (k, row) in rows.iter().enumerate() {
                    a[k].copy_from_slice(&self.numbers(&at.entry(k), row, copy)?);
                }
                Some(a)
            }
            _ => {
                let want = if in_plane { "one number" } else { "three diagonal entries or three rows" };
                self.wrong(at, format!("`inertia` must be {want}; {}", self.dimension_text()));
                None
            }
        }
    }
}
