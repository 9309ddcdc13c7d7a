//! The first instant at which pairs of colliders meet along the path of a drift.
//!
//! ```text
//! pose(σ) = drift(q, v + ½ σ a, σ)
//! ```
//!
//! A body that is not round turns no faster than min(√(2 E s), ℓ s), where s = tr J⁻¹ bounds 1/J about every axis. Half-spaces need no
//! sweep: what passes their plane is behind it at the end.

use super::broad::{Search, Situation, planar_pose, spatial_pose};
use super::confirm::is_fast;
use crate::model::Model;
use crate::model::instant::Instant;
use crate::model::rigid::{ColliderRow, PosedShape, RigidId, RigidState};
use crate::model::systems::rotate_freely;
use glam::DVec3;
use nonsmooth_geometry::{Approach, Impact, Moving, Turning, time_of_impact};

/// The path of a drift: from an instant for a time, with velocities v + ½ σ a (working axes).
#[derive(Clone, Copy)]
pub struct DriftPath<'a> {
    /// Where it begins.
    pub at: Instant<'a>,
    /// v [m/s, rad/s].
    pub v: &'a [f64],
    /// a [m/s², rad/s²].
    pub acceleration: &'a [f64],
    /// How long it is [s].
    pub duration: f64,
}

/// How one rigid thing moves on the path.
struct Course {
    id: RigidId,
    start: RigidState,
    /// Of the origin [m/s²].
    acceleration: DVec3,
    /// In world axes of the start [rad/s²].
    spin_rate: DVec3,
}

impl DriftPath<'_> {
    fn course(&self, model: &Model, id: RigidId) -> Course {
        let mut start = *self.at.rigid(id);
        let (mut acceleration, mut spin_rate) = (DVec3::ZERO, DVec3::ZERO);
        if let Some(body) = model.rigid.bodies.get(id.0 as usize) {
            let first = body.v as usize;
            (start.velocity, start.spin) = body.twist(&self.v[first..]);
            (acceleration, spin_rate) = body.twist(&self.acceleration[first..]);
        }
        Course { id, start, acceleration, spin_rate }
    }

    /// Where a rigid thing is at the time σ of the path; where its motion fails, at the start.
    fn place(&self, model: &Model, course: &Course, time: f64) -> RigidState {
        let Course { start, acceleration, spin_rate, .. } = course;
        if let Some(number) = model.rigid.kinematic_number(course.id) {
            return model.rigid.kinematic[number].state(self.at.t + time).unwrap_or(*start);
        }
        let Some(body) = model.rigid.bodies.get(course.id.0 as usize) else { return *start };
        let position = start.position + time * (start.velocity + 0.5 * time * *acceleration);
        let spin = start.spin + 0.5 * time * *spin_rate;
        let omega = start.rotation.inverse() * spin;
        let rotation =
            rotate_freely(body, start.rotation, omega, time).map_or(start.rotation, |(r, _)| r);
        RigidState { position, rotation, ..*start }
    }

    /// Bounds of how a rigid thing turns on the path.
    fn turning(&self, model: &Model, course: &Course) -> Turning {
        let end = course.start.spin + self.duration * course.spin_rate;
        let radius = model.rigid.bounding_radius(course.id);
        let spin = match model.rigid.bodies.get(course.id.0 as usize) {
            Some(body) if !body.is_round => {
                let bound = |spin: DVec3| {
                    let omega = course.start.rotation.inverse() * spin;
                    let momentum = body.inertia.times(omega);
                    let sum = body.inv_inertia.0[..3].iter().sum::<f64>();
                    (omega.dot(momentum) * sum).sqrt().min(momentum.length() * sum)
                };
                bound(course.start.spin).max(bound(end))
            }
            _ => course.start.spin.length().max(end.length()),
        };
        Turning { spin, spin_rate: spin * spin + 2.0 * course.spin_rate.length(), radius }
    }

    /// Where the carriers of two colliders are at the time σ of the path.
    pub fn places(&self, model: &Model, rows: [&ColliderRow; 2], time: f64) -> [RigidState; 2] {
        rows.map(|row| self.place(model, &self.course(model, row.on), time))
    }

    /// Velocity of the second of two colliders relative to the first at a point and a time σ of the path [m/s].
    pub fn velocity_at(&self, model: &Model, rows: [&ColliderRow; 2], point: DVec3, time: f64) -> DVec3 {
        let [a, b] = rows.map(|row| {
            let course = self.course(model, row.on);
            let at = self.place(model, &course, time);
            if model.rigid.kinematic_number(course.id).is_some() {
                return at.velocity_at(point - at.position);
            }
            let spin = course.start.spin + time * course.spin_rate;
            at.velocity + time * course.acceleration + spin.cross(point - at.position)
        });
        b - a
    }

    /// Whether and when two colliders meet.
    pub fn meeting(&self, model: &Model, rows: [&ColliderRow; 2]) -> Meeting {
        let courses = rows.map(|row| self.course(model, row.on));
        let [a, b] = [0, 1].map(|k| self.turning(model, &courses[k]));
        let relative = courses[1].start.velocity - courses[0].start.velocity;
        let acceleration = (courses[1].acceleration - courses[0].acceleration).length();
        let kinematic =
            courses.iter().map(|course| self.change_of_kinematic(model, course)).sum::<f64>();
        let acceleration = acceleration + kinematic;
        let approach =
            Approach { speed: relative.length() + self.duration * acceleration, acceleration };
        let place = |k: usize, time: f64| self.place(model, &courses[k], time);
        match (&rows[0].collider.posed, &rows[1].collider.posed) {
            (PosedShape::Space(shape_a, own_a), PosedShape::Space(shape_b, own_b)) => {
                let pose_a = |time: f64| spatial_pose(own_a, &place(0, time));
                let pose_b = |time: f64| spatial_pose(own_b, &place(1, time));
                let a = Moving { shape: shape_a, pose: &pose_a, turning: a };
                let b = Moving { shape: shape_b, pose: &pose_b, turning: b };
                time_of(&time_of_impact(&a, &b, approach, self.duration))
            }
            (PosedShape::Plane(shape_a, own_a), PosedShape::Plane(shape_b, own_b)) => {
                let pose_a = |time: f64| planar_pose(own_a, &place(0, time));
                let pose_b = |time: f64| planar_pose(own_b, &place(1, time));
                let a = Moving { shape: shape_a, pose: &pose_a, turning: a };
                let b = Moving { shape: shape_b, pose: &pose_b, turning: b };
                time_of(&time_of_impact(&a, &b, approach, self.duration))
            }
            _ => Meeting::Never,
        }
    }

    /// Twice the mean acceleration of a kinematic body over the path [m/s²].
    fn change_of_kinematic(&self, model: &Model, course: &Course) -> f64 {
        if model.rigid.kinematic_number(course.id).is_none() || !(self.duration > 0.0) {
            return 0.0;
        }
        let end = self.place(model, course, self.duration);
        2.0 * (end.velocity - course.start.velocity).length() / self.duration
    }

    /// How far points of a rigid thing move at most [m]; kinematic bodies as fast as at the start.
    pub fn own_way(&self, model: &Model, id: RigidId) -> f64 {
        let course = self.course(model, id);
        let Turning { spin, radius, .. } = self.turning(model, &course);
        let speed = course.start.velocity.length() + self.duration * course.acceleration.length();
        self.duration * (speed + if spin > 0.0 { spin * radius } else { 0.0 })
    }

    /// How far two colliders move relative to each other at most [m].
    pub fn way(&self, model: &Model, rows: [&ColliderRow; 2]) -> f64 {
        let courses = rows.map(|row| self.course(model, row.on));
        let speed = (courses[1].start.velocity - courses[0].start.velocity).length()
            + self.duration * (courses[1].acceleration - courses[0].acceleration).length();
        let turning = courses.iter().map(|course| {
            let Turning { spin, radius, .. } = self.turning(model, course);
            if spin > 0.0 { spin * radius } else { 0.0 }
        });
        self.duration * (speed + turning.sum::<f64>())
    }
}

/// Whether two colliders meet on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// They stay apart.
    Never,
    /// They overlap at the start.
    Overlapping,
    /// At a time from the start [s].
    At(f64),
}

fn time_of<C>(impact: &Impact<C>) -> Meeting {
    match impact {
        Impact::Never => Meeting::Never,
        Impact::Overlapping(_) => Meeting::Overlapping,
        Impact::At { time, .. } => Meeting::At(*time),
    }
}

/// Shows to `take` the instants of the path at which pairs of bodies meet that are fast compared with their thickness; it says until
/// when others are of interest. `is_known` tells pairs whose contact points need no sweep.
pub fn meetings_of_all(
    model: &Model,
    path: &DriftPath<'_>,
    is_known: impl Fn((u32, u32)) -> bool,
    mut take: impl FnMut((u32, u32), f64) -> f64,
) {
    let table = &model.rigid;
    let n = table.bodies.len();
    let moves = |row: &&ColliderRow| {
        let i = row.on.0 as usize;
        i < n && path.at.is_present(i) && path.own_way(model, row.on) > 0.5 * row.thickness
    };
    let mut moving = table.colliders.iter().filter(moves).peekable();
    if moving.peek().is_none() {
        return;
    }
    let mut is_moving = vec![false; n];
    moving.for_each(|row| is_moving[row.on.0 as usize] = true);
    let margin = |i: usize| {
        let is_there = i >= is_moving.len() || path.at.is_present(i);
        if is_there { path.own_way(model, RigidId(i as u32)) } else { f64::NAN }
    };
    let margins: Vec<f64> = (0..path.at.rigid.len()).map(margin).collect();
    let mut search = Search::default();
    search.pair(&Situation { table, rigid: path.at.rigid, margins: &margins });
    let is_slow =
        |k: u32| !is_moving.get(table.colliders[k as usize].on.0 as usize).copied().unwrap_or(false);
    let mut until = path.duration;
    for &pair in search.pairs() {
        let rows = [pair.0, pair.1].map(|k| &table.colliders[k as usize]);
        let is_left_out = is_slow(pair.0) && is_slow(pair.1) || is_known(pair);
        if is_left_out || !is_fast(path.way(model, rows), rows) {
            continue;
        }
        let path = DriftPath { duration: until, ..*path };
        if let Meeting::At(time) = path.meeting(model, rows) {
            until = take(pair, time);
        }
    }
}
