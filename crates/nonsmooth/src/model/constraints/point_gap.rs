//! A point that coordinates move, and a rigid thing: nodes of elastic bodies against shapes.
//!
//! ```text
//! x = x₀ + (q_0, q_1, …)          y = signed distance of x to the shapes,  n: their outward normal at the nearest point,  r = x − x_b
//! ∂y/∂x = n,   ∂y/∂x_b = −n,   ∂y/∂θ = −(r × n),   δθ = 2 vec(δe ē)  for the quaternion e;     ∂y/∂t = −n·(v + ω × r) of a motion
//! ```
//!
//! The first coordinates are the displacements of the point; those of a body follow: x, y and the angle in the plane, position and
//! quaternion in space. Tangents are the rows of (t, −t, −(r × t)).

use super::gap::Gap;
use crate::model::UserError;
use crate::model::collision::frame_of;
use crate::model::rigid::{KinematicState, Motion, PosedShape, components, quaternion};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::{planar, spatial};
use std::sync::Arc;

/// What a point stands against.
#[derive(Clone)]
pub enum Opponent {
    /// Something that stays: its position and quaternion [w, x, y, z].
    Fixed([f64; 3], [f64; 4]),
    /// Something that moves as prescribed.
    Moving(Arc<Motion>),
    /// A body of the model, whose coordinates follow those of the point.
    Body,
}

/// The gap of a point and the shapes of a rigid thing.
pub struct PointGap {
    /// Where it is with displacement zero [m].
    pub place: [f64; 3],
    /// Number of displacements: 2 or 3.
    pub dim: usize,
    /// The shapes, in the frame of the thing.
    pub shapes: Arc<Vec<PosedShape>>,
    /// The thing.
    pub opponent: Opponent,
    /// 0 without friction, 1 in the plane, 2 in space.
    pub n_tangents: usize,
    /// A length that is small beside the shapes [m]: the nearest point is that of a ball of this radius about the point.
    pub probe: f64,
}

/// Where the nearest surface is.
struct Near {
    distance: f64,
    normal: DVec3,
    /// From the origin of the thing to the point.
    arm: DVec3,
    /// Of the thing; zero where it is fixed or a body.
    twist: [DVec3; 2],
    rotation: DQuat,
}

impl PointGap {
    /// Position, rotation and twist of the thing.
    fn thing(&self, t: f64, q: &[f64]) -> Result<(DVec3, DQuat, [DVec3; 2]), UserError> {
        let still = [DVec3::ZERO; 2];
        Ok(match &self.opponent {
            Opponent::Fixed(position, rotation) => {
                (DVec3::from_array(*position), quaternion(rotation), still)
            }
            Opponent::Moving(motion) => {
                let KinematicState { position, rotation, velocity, angular_velocity } = motion(t)?;
                let twist = [velocity, angular_velocity].map(DVec3::from_array);
                (DVec3::from_array(position), quaternion(&rotation), twist)
            }
            Opponent::Body if self.dim == 2 => {
                let own = &q[2..];
                (DVec3::new(own[0], own[1], 0.0), DQuat::from_rotation_z(own[2]), still)
            }
            Opponent::Body => {
                let own = &q[3..];
                (DVec3::from_slice(own), quaternion(&own[3..7]).normalize(), still)
            }
        })
    }

    fn near(&self, t: f64, q: &[f64]) -> Result<Near, UserError> {
        let mut x = DVec3::from_array(self.place);
        (0..self.dim).for_each(|i| x[i] += q[i]);
        let (position, rotation, twist) = self.thing(t, q)?;
        let nearest =
            self.shapes.iter().filter_map(|shape| self.to_shape(shape, (position, rotation), x));
        let (distance, normal) = nearest
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .ok_or("the point or the shape is not at a finite place")?;
        Ok(Near { distance, normal, arm: x - position, twist, rotation })
    }

    /// Distance and normal of one shape.
    fn to_shape(
        &self,
        shape: &PosedShape,
        (at, turn): (DVec3, DQuat),
        x: DVec3,
    ) -> Option<(f64, DVec3)> {
        match shape {
            PosedShape::Plane(shape, pose) => {
                let own = turn * DVec3::new(pose.position[0], pose.position[1], 0.0) + at;
                let angle = pose.angle + 2.0 * turn.z.atan2(turn.w);
                let pose = planar::Pose { position: [own.x, own.y], angle };
                let probe = planar::Shape::ball(self.probe).ok()?;
                let there = planar::Pose { position: [x.x, x.y], angle: 0.0 };
                let mut found = Vec::new();
                planar::contacts(shape, &pose, &probe, &there, f64::MAX, &mut found);
                let best = found.iter().min_by(|a, b| a.distance.total_cmp(&b.distance))?;
                Some((best.distance + self.probe, DVec3::new(best.normal[0], best.normal[1], 0.0)))
            }
            PosedShape::Space(shape, pose) => {
                let own = turn * DVec3::from_array(pose.position) + at;
                let rotation = components(turn * quaternion(&pose.rotation).normalize());
                let pose = spatial::Pose { position: own.to_array(), rotation };
                let probe = spatial::Shape::ball(self.probe).ok()?;
                let there = spatial::Pose::at(x.to_array());
                let mut found = Vec::new();
                spatial::contacts(shape, &pose, &probe, &there, f64::MAX, &mut found);
                let best = found.iter().min_by(|a, b| a.distance.total_cmp(&b.distance))?;
                Some((best.distance + self.probe, DVec3::from_array(best.normal)))
            }
        }
    }

    /// The row of an axis at the nearest point.
    fn row(&self, near: &Near, axis: DVec3, out: &mut [f64]) {
        (0..self.dim).for_each(|i| out[i] = axis[i]);
        if !matches!(self.opponent, Opponent::Body) {
            return;
        }
        let own = &mut out[self.dim..];
        (0..self.dim).for_each(|i| own[i] = -axis[i]);
        let moment = -near.arm.cross(axis);
        if self.dim == 2 {
            own[2] = moment.z;
            return;
        }
        // δθ = 2 vec(δe ē), one component of e after the other.
        let DQuat { x, y, z, w } = near.rotation;
        let vector = DVec3::new(x, y, z);
        own[3] = 2.0 * moment.dot(-vector);
        for (k, unit) in DVec3::AXES.into_iter().enumerate() {
            own[4 + k] = 2.0 * moment.dot(w * unit - unit.cross(vector));
        }
    }

    /// What a motion adds along an axis.
    fn rate_along(near: &Near, axis: DVec3) -> f64 {
        -axis.dot(near.twist[0] + near.twist[1].cross(near.arm))
    }
}

impl Gap for PointGap {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.near(t, q)?.distance)
    }

    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let near = self.near(t, q)?;
        self.row(&near, near.normal, out);
        Ok(())
    }

    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let near = self.near(t, q)?;
        Ok(Self::rate_along(&near, near.normal))
    }

    fn n_tangents(&self) -> usize {
        self.n_tangents
    }

    fn tangents(&self, t: f64, q: &[f64], rows: &mut [f64], rate: &mut [f64]) -> Result<(), UserError> {
        let near = self.near(t, q)?;
        let frame = frame_of(self.dim == 2, near.normal.to_array());
        let axes = frame[1..].iter().map(|axis| DVec3::from_array(*axis));
        for ((row, rate), axis) in rows.chunks_exact_mut(q.len()).zip(rate).zip(axes) {
            self.row(&near, axis, row);
            *rate = Self::rate_along(&near, axis);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(q: &mut [f64]) {
        let size = q[6..10].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[6..10].iter_mut().for_each(|x| *x /= size);
    }

    /// Slopes beside central differences along motions that keep the quaternion a unit.
    #[test]
    fn the_row_is_the_derivative_of_the_gap() {
        let shape = spatial::Shape::cuboid([0.4, 0.3, 0.2]).unwrap();
        let pose = spatial::Pose::turned([0.1, -0.2, 0.05], [1.0, 2.0, 3.0], 0.4);
        let gap = PointGap {
            place: [0.9, 0.3, 0.8],
            dim: 3,
            shapes: Arc::new(vec![PosedShape::Space(shape, pose)]),
            opponent: Opponent::Body,
            n_tangents: 2,
            probe: 1e-3,
        };
        let mut q = vec![0.05, -0.02, 0.1, -0.3, 0.1, -0.2, 0.8, 0.3, -0.2, 0.4];
        unit(&mut q);
        let mut slope = vec![0.0; 10];
        gap.jacobian(0.0, &q, &mut slope).unwrap();
        let (e, h) = (quaternion(&q[6..10]), 1e-6);
        for axis in DVec3::AXES {
            let moved = |angle: f64| {
                let mut q = q.clone();
                q[6..].copy_from_slice(&components(DQuat::from_scaled_axis(angle * axis) * e));
                q
            };
            let difference =
                (gap.gap(0.0, &moved(h)).unwrap() - gap.gap(0.0, &moved(-h)).unwrap()) / (2.0 * h);
            let along: f64 = moved(h)
                .iter()
                .zip(&moved(-h))
                .zip(&slope)
                .map(|((a, b), s)| (a - b) / (2.0 * h) * s)
                .sum();
            assert!((difference - along).abs() < 1e-8, "{axis}: {difference} and {along}");
        }
        for i in 0..6 {
            let moved = |step: f64| {
                let mut q = q.clone();
                q[i] += step;
                gap.gap(0.0, &q).unwrap()
            };
            let difference = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((difference - slope[i]).abs() < 1e-8, "{i}: {difference} and {}", slope[i]);
        }
    }

    #[test]
    fn a_motion_has_a_rate() {
        let shape = planar::Shape::ball(0.5).unwrap();
        let motion: Motion = Box::new(|t: f64| {
            Ok(KinematicState {
                position: [2.0 * t, 0.0, 0.0],
                rotation: [1.0, 0.0, 0.0, 0.0],
                velocity: [2.0, 0.0, 0.0],
                angular_velocity: [0.0, 0.0, 3.0],
            })
        });
        let gap = PointGap {
            place: [1.5, 0.0, 0.0],
            dim: 2,
            shapes: Arc::new(vec![PosedShape::Plane(
                shape,
                planar::Pose { position: [0.0; 2], angle: 0.0 },
            )]),
            opponent: Opponent::Moving(Arc::new(motion)),
            n_tangents: 1,
            probe: 1e-3,
        };
        assert!((gap.gap(0.25, &[0.0, 0.0]).unwrap() - 0.5).abs() < 1e-15);
        assert!((gap.rate(0.25, &[0.0, 0.0]).unwrap() + 2.0).abs() < 1e-15);
        let (mut row, mut rate) = ([0.0; 2], [0.0]);
        gap.tangents(0.25, &[0.0, 0.0], &mut row, &mut rate).unwrap();
        // The tangent is (−n_y, n_x) = y; the surface comes by with ω r at the point.
        assert_eq!(row, [0.0, 1.0]);
        assert!((rate[0] + 3.0).abs() < 1e-14, "{rate:?}");
    }
}
