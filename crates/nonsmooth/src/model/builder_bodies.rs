//! Building the rigid bodies of a model.

use super::bodies::{Materials, check_bodies, check_laws};
use super::builder::fitted;
use super::{
    Anchor, Bodies, Body, BodyId, BodyIssue, Dimension, Issue, LawId, Life, MaterialId, ModelBuilder,
    Obstacle, ObstacleId, PartOf, Place, Placed, Region, Spring, State, Symmetric, SystemId,
};
use crate::laws::StepForm;
use glam::DVec3;

/// Default of the distance up to which bodies count as touching [m]. A contact at rest has a gap that is nothing but
/// rounding, of either sign: without a layer half of the corners of a stack would be let go in every step.
pub const CONTACT_LAYER: f64 = 1e-9;

/// Systems are counted below this number, bodies above, so that constraints may name either.
const FIRST_BODY: usize = 1 << 32;

impl BodyId {
    /// The body as a system that constraints may refer to.
    pub fn system(self) -> SystemId {
        SystemId(FIRST_BODY + self.0)
    }
}

impl SystemId {
    /// The body that this system is, if it is one.
    pub(super) fn body(self) -> Option<usize> {
        self.0.checked_sub(FIRST_BODY)
    }
}

/// Collects the rigid bodies of a model.
#[derive(Default)]
pub(super) struct GivenBodies {
    pub(super) dimension: Dimension,
    gravity: [f64; 3],
    pub(super) bodies: Vec<Body>,
    obstacles: Vec<Obstacle>,
    springs: Vec<Spring>,
    region: Option<Region>,
    pub(super) materials: Materials,
    layer: Option<f64>,
}

impl ModelBuilder {
    /// All bodies live in the plane; without this call, in space.
    pub fn plane(&mut self) {
        self.given.dimension = Dimension::Plane;
    }

    /// The gravity that acts on all bodies [m/s²].
    pub fn gravity(&mut self, gravity: [f64; 3]) {
        self.given.gravity = gravity;
    }

    /// Distance up to which bodies count as touching [m]; without this call [`CONTACT_LAYER`].
    pub fn contact_layer(&mut self, layer: f64) {
        self.given.layer = Some(layer);
    }

    /// Adds a material.
    pub fn material(&mut self, name: &str) -> MaterialId {
        self.given.materials.names.push(name.to_owned());
        MaterialId(self.given.materials.names.len() - 1)
    }

    /// The law between two materials.
    pub fn pair(&mut self, a: MaterialId, b: MaterialId, law: LawId) {
        self.given.materials.pairs.push((a, b, law.0));
    }

    /// The law between materials of which the table says nothing.
    pub fn default_pair(&mut self, law: LawId) {
        self.given.materials.default = Some(law.0);
    }

    /// Adds a moving body.
    pub fn body(&mut self, body: Body) -> BodyId {
        self.given.bodies.push(body);
        BodyId(self.given.bodies.len() - 1)
    }

    /// Adds a fixed or prescribed body.
    pub fn obstacle(&mut self, obstacle: Obstacle) -> ObstacleId {
        self.given.obstacles.push(obstacle);
        ObstacleId(self.given.obstacles.len() - 1)
    }

    /// Adds a spring and damper between two points.
    pub fn spring(&mut self, spring: Spring) {
        self.given.springs.push(spring);
    }

    /// Bodies whose centre of mass leaves this region are taken out of the run.
    pub fn region(&mut self, region: Region) {
        self.given.region = Some(region);
    }
}

impl GivenBodies {
    /// What is wrong with single parts.
    pub(super) fn check(&self, issues: &mut Vec<(Place, Issue)>) {
        let given = (self.dimension, &self.bodies[..], &self.obstacles[..]);
        check_bodies(given, &self.springs, self.region.as_ref(), issues);
        self.check_materials(issues);
        if !self.gravity.iter().all(|x| x.is_finite()) {
            let (what, value) = ("gravity", self.gravity.to_vec());
            issues.push((Place::Bodies, BodyIssue::Far { what, value }.into()));
        }
        if let Some(layer) = self.layer.filter(|d| !(*d >= 0.0 && d.is_finite())) {
            let issue = BodyIssue::Negative { what: "the contact layer", value: layer };
            issues.push((Place::Bodies, issue.into()));
        }
        for (i, spring) in self.springs.iter().enumerate() {
            for end in spring.ends {
                if let Anchor::On(body, _) = end
                    && body.0 >= self.bodies.len()
                {
                    let (n, coordinate) = (self.bodies.len(), body.0);
                    let issue = Issue::NoSuchCoordinate { system: body.0, coordinate, n };
                    issues.push((Place::Spring(i), issue));
                }
            }
        }
    }

    /// Materials that were not added to this model.
    fn check_materials(&self, issues: &mut Vec<(Place, Issue)>) {
        let n = self.materials.names.len();
        let mut check = |place: Place, material: MaterialId| {
            if material.0 >= n {
                let issue = BodyIssue::NoSuchMaterial { material: material.0, n };
                issues.push((place, issue.into()));
            }
        };
        for (i, body) in self.bodies.iter().enumerate() {
            body.parts.iter().for_each(|part| check(Place::Body(i, "material"), part.material));
        }
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            obstacle.parts.iter().for_each(|part| check(Place::Obstacle(i, "material"), part.material));
        }
        for &(a, b, _) in &self.materials.pairs {
            check(Place::Materials, a);
            check(Place::Materials, b);
        }
    }

    /// Lays the bodies out behind the coordinates of `state`, and appends their state to it.
    pub(super) fn assemble(
        self,
        laws: &mut Vec<(String, StepForm)>,
        state: &mut State,
        issues: &mut Vec<(Place, Issue)>,
    ) -> Bodies {
        let Self { dimension, gravity, bodies: given, obstacles, springs, region, materials, layer } =
            self;
        let mut bodies = Bodies {
            dimension,
            n: given.len(),
            first_q: state.q.len(),
            first_v: state.v.len(),
            gravity: DVec3::from_array(gravity),
            springs,
            region,
            layer: layer.unwrap_or(CONTACT_LAYER),
            n_materials: materials.names.len(),
            ..Bodies::default()
        };
        let n_tangents = bodies.n_tangents();
        let fit = |law: usize| {
            if laws[law].1.set.dim() == 1 { law } else { fitted(law, n_tangents, laws) }
        };
        let table: Vec<Option<usize>> = materials.table();
        let mut fit = fit;
        bodies.pair_laws = table.into_iter().map(|law| law.map(&mut fit)).collect();
        bodies.parts = obstacle_parts(given.len(), &obstacles);
        let changing = region.is_some() || given.iter().any(|body| body.born.is_some());
        if given.iter().any(|body| body.born.is_some()) {
            bodies.born = given.iter().map(|b| b.born.unwrap_or(f64::NEG_INFINITY)).collect();
        }
        if changing {
            state.lives = vec![Life::Unborn; given.len()];
        }
        bodies.reserve(&given, obstacles.len(), state);
        for (i, body) in given.into_iter().enumerate() {
            bodies.append(i, body, state);
        }
        bodies.names.extend(obstacles.iter().map(|o| o.name.clone()));
        bodies.has_moving_obstacles = obstacles.iter().any(|o| o.motion.is_some());
        bodies.reach = vec![0.0; bodies.n + obstacles.len()];
        for part in &bodies.parts {
            let reach = &mut bodies.reach[part.body as usize];
            *reach = reach.max(part.reach);
        }
        bodies.obstacles = obstacles;
        bodies.census(state);
        check_laws(&bodies, &materials, laws, issues);
        bodies
    }
}

impl Bodies {
    /// Room for the bodies given, and for the names of obstacles.
    fn reserve(&mut self, given: &[Body], n_obstacles: usize, state: &mut State) {
        let n = given.len();
        self.names.reserve_exact(n + n_obstacles);
        self.mass.reserve_exact(n);
        self.inertia.reserve_exact(n);
        self.inv_inertia.reserve_exact(n);
        self.parts.reserve_exact(given.iter().map(|body| body.parts.len()).sum());
        state.q.reserve_exact(n * self.n_q());
        state.v.reserve_exact(n * self.n_v());
    }

    fn append(&mut self, i: usize, body: Body, state: &mut State) {
        let Body {
            name,
            mass,
            inertia,
            position,
            rotation,
            velocity,
            angular_velocity,
            parts,
            wrench,
            ..
        } = body;
        self.names.push(name);
        self.mass.push(mass);
        let inertia = match self.dimension {
            Dimension::Space => Symmetric::from_rows(&inertia),
            // Only turns about z exist; the others are given the inertia of that one.
            Dimension::Plane => {
                let j = inertia[2][2];
                Symmetric([j, j, j, 0.0, 0.0, 0.0])
            }
        };
        self.inertia.push(inertia);
        self.inv_inertia.push(inertia.inverse());
        self.wrenches.extend(wrench.map(|wrench| (i as u32, wrench)));
        self.parts.extend(parts.into_iter().map(|part| part_of(i as u32, part)));
        match self.dimension {
            Dimension::Space => {
                let norm = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
                state.q.extend_from_slice(&position);
                state.q.extend(rotation.iter().map(|x| x / norm));
                state.v.extend_from_slice(&velocity);
                state.v.extend_from_slice(&angular_velocity);
            }
            Dimension::Plane => {
                let angle = 2.0 * rotation[3].atan2(rotation[0]);
                state.q.extend_from_slice(&[position[0], position[1], angle]);
                state.v.extend_from_slice(&[velocity[0], velocity[1], angular_velocity[2]]);
            }
        }
    }
}

fn obstacle_parts(first: usize, obstacles: &[Obstacle]) -> Vec<PartOf> {
    let of = |(k, obstacle): (usize, &Obstacle)| {
        let body = (first + k) as u32;
        obstacle.parts.iter().map(move |part| part_of(body, part.clone())).collect::<Vec<_>>()
    };
    obstacles.iter().enumerate().flat_map(of).collect()
}

fn part_of(body: u32, part: super::Part) -> PartOf {
    let reach = match &part.placed {
        Placed::Space(shape, pose) => DVec3::from_array(pose.position).length() + shape.reach(),
        Placed::Plane(shape, pose) => pose.position[0].hypot(pose.position[1]) + shape.reach(),
    };
    PartOf { body, part, reach }
}
