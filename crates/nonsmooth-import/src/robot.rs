//! What both formats become before they are a scene: bodies in a tree, each with the joints that lead to it.
//!
//! The pose of a body is that in its parent where all its joints are at their reference. A joint turns or moves what follows it, in the order
//! in which a body names its joints: the first is the nearest to the parent.

use crate::error::Place;
use glam::{DMat3, DQuat, DVec3};

/// A place and how it is turned, in the frame around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Frame {
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    pub fn point(&self, p: DVec3) -> DVec3 {
        self.position + self.rotation * p
    }

    /// A frame that is given in this one, in the frame around this one.
    pub fn after(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self { position: rotation * -self.position, rotation }
    }
}

/// Mass [kg], its centre [m] and the inertia about it [kg·m²], in the axes of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    pub mass: f64,
    pub centre: DVec3,
    pub inertia: DMat3,
}

impl Mass {
    /// As it looks from the frame around `frame`.
    pub fn through(&self, frame: &Frame) -> Self {
        let r = DMat3::from_quat(frame.rotation);
        Self {
            mass: self.mass,
            centre: frame.point(self.centre),
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// Two as one.
    pub fn with(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let centre = (self.mass * self.centre + other.mass * other.centre) / mass;
        let about = |m: &Self| {
            let d = m.centre - centre;
            let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            m.inertia + m.mass * (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer)
        };
        Self { mass, centre, inertia: about(self) + about(other) }
    }

    pub fn scaled(&self, factor: f64) -> Self {
        Self { mass: factor * self.mass, centre: self.centre, inertia: self.inertia * factor }
    }
}

/// A shape that a scene can have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    Ball {
        radius: f64,
    },
    Box {
        half: DVec3,
    },
    /// Along z.
    Capsule {
        half: f64,
        radius: f64,
    },
    /// Along z.
    Cylinder {
        half: f64,
        radius: f64,
    },
    /// Solid below z = 0.
    HalfSpace,
    Hull {
        points: Vec<[f64; 3]>,
    },
}

/// How a collider rubs: the pair takes the larger value, or that of the higher priority.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rubbing {
    /// μ [–].
    pub friction: f64,
    /// Whether it rubs at all unless the other does.
    pub is_smooth: bool,
    pub priority: i64,
}

/// A collider of a body.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    pub name: String,
    pub form: Form,
    /// In the frame of the body.
    pub frame: Frame,
    pub rubbing: Rubbing,
    /// Bits of what it is and of what it meets; two meet if either meets the other.
    pub bits: [u32; 2],
    /// The body of the file that it belongs to, for pairs that do not meet.
    pub owner: usize,
}

/// The owner of colliders of the world itself.
pub(crate) const OF_THE_WORLD: usize = usize::MAX;

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Turn,
    Slide,
    Ball,
}

/// A drive: force = gain · control + bias · (1, q, q̇) for lengths q times the gear.
#[derive(Clone, Debug)]
pub(crate) struct Actuator {
    pub name: String,
    pub gain: f64,
    pub bias: [f64; 3],
    pub gear: f64,
    pub control_range: Option<[f64; 2]>,
    pub force_range: Option<[f64; 2]>,
}

/// A joint of one freedom, or a ball joint.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub name: String,
    pub place: Place,
    pub freedom: Freedom,
    /// In the frame of its body.
    pub axis: DVec3,
    /// In the frame of its body.
    pub at: DVec3,
    /// Its coordinate where the body stands at its pose.
    pub reference: f64,
    /// Its coordinate at the start.
    pub start: f64,
    pub range: Option<[f64; 2]>,
    pub stiffness: f64,
    /// Where its spring is slack.
    pub slack: f64,
    pub damping: f64,
    pub friction: f64,
    pub actuators: Vec<Actuator>,
    /// Bounds of all its drives together.
    pub force_range: Option<[f64; 2]>,
}

/// A body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: String,
    pub place: Place,
    /// `None`: the world.
    pub parent: Option<usize>,
    /// In its parent, where its joints are at their references.
    pub frame: Frame,
    /// Whether nothing holds it.
    pub is_free: bool,
    pub joints: Vec<Joint>,
    pub mass: Option<Mass>,
    pub colliders: Vec<Collider>,
}

/// What closes a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closure {
    Pin,
    Weld,
}

/// A joint between two bodies of the tree that holds as they stand at the start.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub name: String,
    pub closure: Closure,
    /// `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// In the frame of the first.
    pub at: DVec3,
}

/// q of `follower` = `factor` · q of `leader` + constant.
#[derive(Clone, Debug)]
pub(crate) struct Coupling {
    pub name: String,
    pub element: crate::xml::Element,
    pub leader: String,
    pub follower: String,
    pub factor: f64,
}

/// Everything that was read.
#[derive(Clone, Debug)]
pub(crate) struct Robot {
    pub name: String,
    /// [m/s²].
    pub gravity: DVec3,
    /// [s].
    pub step: f64,
    /// A parent stands before its children.
    pub bodies: Vec<Body>,
    /// Of the world.
    pub ground: Vec<Collider>,
    pub loops: Vec<Loop>,
    pub couplings: Vec<Coupling>,
    /// Pairs of bodies that do not meet; `None`: the world.
    pub apart: Vec<[Option<usize>; 2]>,
    /// Pairs of colliders by name that meet whatever their bits say.
    pub meeting: Vec<[String; 2]>,
    /// Whether a body meets the one that its joints lead to.
    pub meets_parent: bool,
}
