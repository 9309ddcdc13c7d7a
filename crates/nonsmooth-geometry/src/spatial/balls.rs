//! Many balls at once: contacts among them and with half-spaces, from arrays to arrays.
//!
//! The same closed forms as for single pairs, without shapes, poses or calls in between.

use super::ball;
use crate::broad::Bounds;
use glam::DVec3;

/// Balls by centre and radius, body by body.
#[derive(Clone, Copy, Debug)]
pub struct Balls<'a> {
    /// Centres [m].
    pub centres: &'a [[f64; 3]],
    /// Radii [m].
    pub radii: &'a [f64],
    /// How far from its surface each ball looks for contacts [m]; those of two balls add up.
    pub margins: &'a [f64],
}

/// Contacts of balls, one entry each in all arrays; a pair of balls has one key.
#[derive(Clone, Debug, Default)]
pub struct BallContacts {
    /// The two bodies.
    pub bodies: Vec<(u32, u32)>,
    /// Midway between the surfaces [m].
    pub points: Vec<[f64; 3]>,
    /// Unit vectors from the first body to the second [–].
    pub normals: Vec<[f64; 3]>,
    /// Signed distances [m].
    pub distances: Vec<f64>,
}

impl BallContacts {
    /// Empties the arrays and keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.points.clear();
        self.normals.clear();
        self.distances.clear();
    }

    #[inline]
    fn push(&mut self, bodies: (u32, u32), contact: &super::Contact) {
        self.bodies.push(bodies);
        self.points.push(contact.point);
        self.normals.push(contact.normal);
        self.distances.push(contact.distance);
    }
}

impl Balls<'_> {
    fn ball(&self, i: u32) -> (DVec3, f64) {
        (DVec3::from_array(self.centres[i as usize]), self.radii[i as usize])
    }

    /// Fills `out` with the boxes around the balls.
    pub fn bounds(&self, out: &mut Vec<Bounds>) {
        out.clear();
        out.extend(self.centres.iter().zip(self.radii).map(|(centre, radius)| Bounds::Box {
            low: centre.map(|x| x - radius),
            high: centre.map(|x| x + radius),
        }));
    }

    /// Appends the contacts of pairs of balls no farther apart than their margins together.
    pub fn contacts(&self, pairs: &[(u32, u32)], out: &mut BallContacts) {
        for &(a, b) in pairs {
            let prediction = self.margins[a as usize] + self.margins[b as usize];
            if let Some(contact) = ball::balls(self.ball(a), self.ball(b), prediction) {
                out.push((a, b), &contact);
            }
        }
    }

    /// Appends the contacts of all balls with a half-space, as body `ground` before them: all x with
    /// normal·x ≤ offset, the normal a unit vector, the offset in [m].
    pub fn contacts_with_half_space(
        &self,
        ground: u32,
        normal: [f64; 3],
        offset: f64,
        out: &mut BallContacts,
    ) {
        let plane = (DVec3::from_array(normal), offset);
        for i in 0..self.centres.len() as u32 {
            let margin = self.margins[i as usize];
            if let Some(contact) = ball::half_space(plane, self.ball(i), margin) {
                out.push((ground, i), &contact);
            }
        }
    }
}
