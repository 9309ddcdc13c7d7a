//! The three referee problems, each printed as `problem,setting,parameter,value`.
//!
//! A ball of radius 0.1 m dropped from 1 m: height of the first rebound [m]. A cube of side 0.2 m and 1 kg on a slope of
//! tan α = 0.4 with μ = ½: how far it creeps in 60 s, after one second of settling [m]. The same cube on the level at
//! 6 m/s: how far it slides, and how high the highest of its lower corners rises [m]. The slope is made by turning gravity.
//!
//! Three settings: Rapier's defaults with its own step of 1/60 s and with 1 ms; and `fine`, 1 ms with what its
//! documentation recommends for demanding scenes: 12 solver iterations, friction at every contact point.

use rapier3d_f64::prelude::*;

/// Name, step size [s], whether it is the finest.
const SETTINGS: [Setting; 3] = [
    Setting { name: "default 1/60 s", step: 1.0 / 60.0, is_fine: false },
    Setting { name: "default 1 ms", step: 1e-3, is_fine: false },
    Setting { name: "fine 1 ms", step: 1e-3, is_fine: true },
];

#[derive(Clone, Copy)]
struct Setting {
    name: &'static str,
    step: f64,
    is_fine: bool,
}

impl Setting {
    fn steps(self, seconds: f64) -> u64 {
        (seconds / self.step).round() as u64
    }
}

const GRAVITY: f64 = 9.81;
const HALF: f64 = 0.1;

pub fn print() {
    println!("problem,setting,parameter,value");
    for setting in SETTINGS {
        let name = setting.name;
        let row = |problem: &str, parameter: f64, value: f64| {
            println!("{problem},{name},{parameter},{value:e}")
        };
        for e in [0.0, 0.3, 0.6, 0.9, 1.0] {
            row("rebound", e, rebound(setting, e));
        }
        row("creep", 0.4, creep(setting, 0.4));
        let (distance, rise) = slide(setting);
        row("slide", 6.0, distance);
        row("rise", 6.0, rise);
    }
}

fn world(setting: Setting, gravity: Vector, restitution: f64) -> PhysicsWorld {
    let mut world = PhysicsWorld { gravity, ..PhysicsWorld::default() };
    world.integration_parameters.dt = setting.step;
    if setting.is_fine {
        world.integration_parameters.num_solver_iterations = 12;
        world.integration_parameters.friction_model = FrictionModel::Coulomb;
    }
    let floor = ColliderBuilder::cuboid(50.0, 50.0, 1.0).friction(0.5).restitution(restitution);
    world.insert(RigidBodyBuilder::fixed().translation(-Vector::Z), floor);
    world
}

/// Height of the lowest point of the ball at the top of the first rebound.
fn rebound(setting: Setting, e: f64) -> f64 {
    let mut world = world(setting, -GRAVITY * Vector::Z, e);
    let ball = RigidBodyBuilder::dynamic().translation((1.0 + HALF) * Vector::Z).can_sleep(false);
    let (ball, _) =
        world.insert(ball, ColliderBuilder::ball(HALF).density(1000.0).restitution(e).friction(0.5));
    let (mut has_bounced, mut top) = (false, f64::NEG_INFINITY);
    for _ in 0..setting.steps(3.0) {
        let before = world.bodies[ball].linvel().z;
        world.step();
        let (v, z) = (world.bodies[ball].linvel().z, world.bodies[ball].translation().z - HALF);
        has_bounced |= v > before;
        if has_bounced {
            top = top.max(z);
            // Falling again: the top is behind.
            if v < 0.0 && before < 0.0 && v < before {
                break;
            }
        }
    }
    top
}

fn cube(world: &mut PhysicsWorld, velocity: f64) -> RigidBodyHandle {
    let body = RigidBodyBuilder::dynamic().translation(HALF * Vector::Z).can_sleep(false);
    let collider = ColliderBuilder::cuboid(HALF, HALF, HALF).friction(0.5).restitution(0.0);
    world.insert(body.linvel(velocity * Vector::X), collider.density(1.0 / (2.0 * HALF).powi(3))).0
}

fn creep(setting: Setting, slope: f64) -> f64 {
    let angle = slope.atan();
    let gravity = GRAVITY * Vector::new(angle.sin(), 0.0, -angle.cos());
    let mut world = world(setting, gravity, 0.0);
    let cube = cube(&mut world, 0.0);
    let mut start = 0.0;
    for step in 0..setting.steps(61.0) {
        if step == setting.steps(1.0) {
            start = world.bodies[cube].translation().x;
        }
        world.step();
    }
    world.bodies[cube].translation().x - start
}

/// Distance slid in 3 s, and the largest height of any lower corner.
fn slide(setting: Setting) -> (f64, f64) {
    let mut world = world(setting, -GRAVITY * Vector::Z, 0.0);
    let cube = cube(&mut world, 6.0);
    let mut rise = f64::NEG_INFINITY;
    for _ in 0..setting.steps(3.0) {
        world.step();
        let pose = world.bodies[cube].position();
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            rise = f64::max(rise, (*pose * (HALF * Vector::new(x, y, -1.0))).z);
        }
    }
    (world.bodies[cube].translation().x, rise)
}
