"""The cases of `cargo xtask bench motion`: bodies, what is measured, the exact answer. Every engine is built from the same numbers.

Units are SI. A body is given at its centre of mass in principal axes: position, quaternion (w, x, y, z), velocity, angular velocity in
its own axes. What a case measures is computed from the states after every step in the same way for all engines.
"""

import math
from dataclasses import dataclass, field

GRAVITY = 9.81


@dataclass
class Body:
    """A rigid body; `shape` is None, ("ball", radius) or ("box", edges), at `offset` from the centre of mass in its own axes."""

    mass: float
    inertia: tuple
    position: tuple
    shape: tuple = None
    offset: tuple = (0.0, 0.0, 0.0)
    quaternion: tuple = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple = (0.0, 0.0, 0.0)
    spin: tuple = (0.0, 0.0, 0.0)
    torque: tuple = None


@dataclass
class Case:
    """`floor`: a plane z = 0. `boxes`: fixed boxes (centre, edges). `links`: length of the links of a chain with hinges along z."""

    name: str
    bodies: list
    end: float
    h: float
    gravity: tuple = (0.0, 0.0, -GRAVITY)
    floor: bool = False
    boxes: list = field(default_factory=list)
    links: float = None
    friction: float = 0.0
    restitution: float = 0.0
    speed: float = 0.0  # of the impact, for engines that have no coefficient of restitution

    @property
    def steps(self):
        """How many steps the run has."""
        return round(self.end / self.h)

    @property
    def timed(self):
        """How many steps are timed: short runs go on, since starting a process takes longer than a hundred steps."""
        return max(self.steps, 2000)


@dataclass
class State:
    """A body after a step: place of the centre of mass, rotation matrix by rows, velocity, angular velocity in world axes."""

    position: tuple
    rotation: tuple
    velocity: tuple
    spin: tuple


def dot(a, b):
    """a · b"""
    return sum(x * y for x, y in zip(a, b))


def plus(a, b):
    """a + b"""
    return tuple(x + y for x, y in zip(a, b))


def cross(a, b):
    """a × b"""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def times(rotation, a):
    """R a"""
    return tuple(dot(row, a) for row in rotation)


def matrix(q):
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def turned(axis, angle):
    """Unit quaternion of a rotation about a coordinate axis (0, 1, 2)."""
    q = [math.cos(angle / 2), 0.0, 0.0, 0.0]
    q[1 + axis] = math.sin(angle / 2)
    return tuple(q)


def columns(rotation):
    """Rᵀ"""
    return tuple(zip(*rotation))


def angular_momentum(body, state):
    """L about the centre of mass in world axes."""
    own = times(columns(state.rotation), state.spin)
    return times(state.rotation, [j * w for j, w in zip(body.inertia, own)])


def energy(case, states):
    """Kinetic and potential energy of all bodies."""
    total = 0.0
    for body, state in zip(case.bodies, states):
        kinetic = body.mass * dot(state.velocity, state.velocity) + dot(angular_momentum(body, state), state.spin)
        total += 0.5 * kinetic - body.mass * dot(case.gravity, state.position)
    return total


def box(edges, mass=None, **more):
    """A homogeneous box."""
    mass = mass if mass is not None else 1000.0 * edges[0] * edges[1] * edges[2]
    a, b, c = (x * x for x in edges)
    return Body(mass, (mass / 12 * (b + c), mass / 12 * (a + c), mass / 12 * (a + b)), shape=("box", edges), **more)


def ball(radius, mass, **more):
    """A homogeneous ball."""
    return Body(mass, (0.4 * mass * radius**2,) * 3, shape=("ball", radius), **more)


# ---- the cases: each function gives the case, the next the measured numbers from the states of all steps ----


def chain():
    """Ten links in the plane, stadium-shaped plates of 1000 kg/m², which start level and fall."""
    length, r, density = 0.2, 0.02, 1000.0
    plate, half = density * length * 2 * r, density * math.pi * r * r / 2
    c = 4 * r / (3 * math.pi)
    inertia = plate * (length**2 + 4 * r * r) / 12 + 2 * half * (r * r / 2 - c * c + (length / 2 + c) ** 2)
    mass = plate + 2 * half
    # The moments about the two axes in the plane do not matter; they satisfy the inequality of the triangle.
    bodies = [Body(mass, (inertia, inertia, inertia), (length * (i + 0.5), 0.0, 0.0)) for i in range(10)]
    return Case("chain", bodies, 3.0, 1e-3, gravity=(0.0, -GRAVITY, 0.0), links=length)


def chain_measured(case, run):
    """Change of energy over that of the fall from level to hanging, largest and at the end; largest distance of two joined ends [m]."""
    scale = sum(-dot(case.gravity, (0, 1, 0)) * body.mass * body.position[0] for body in case.bodies)
    start = energy(case, run[0])
    yield "energy", max(abs(energy(case, states) - start) for states in run) / scale, 0.0
    yield "energy_end", abs(energy(case, run[-1]) - start) / scale, 0.0
    gap = 0.0
    for states in run:
        last = (0.0, 0.0)
        for state in states:
            along = [0.5 * case.links * row[0] for row in state.rotation[:2]]
            gap = max(gap, *(abs(state.position[k] - along[k] - last[k]) for k in (0, 1)))
            last = [state.position[k] + along[k] for k in (0, 1)]
    yield "gap", gap, 0.0


TILT, SPIN = 0.4, 400.0


def top():
    """A top on its tip in steady precession; the tip is a ball of a micrometre, and friction 5 holds it."""
    mass, arm, across, along, tip = 0.1, 0.05, 2e-5, 3e-5, 1e-6
    # (A − C) cos a p² − C s p + m g l = 0 with s = spin about the axis less the share of the precession p: steady, slow.
    a = (across + mass * arm**2) * math.cos(TILT)
    b = along * SPIN
    p = (b - math.sqrt(b * b - 4 * a * mass * GRAVITY * arm)) / (2 * a)
    r = matrix(turned(1, TILT))
    spin = (-p * math.sin(TILT), 0.0, SPIN)
    up = times(r, (0.0, 0.0, arm))
    velocity = cross(times(r, spin), up)
    inertia, at = (across, across, along), plus(up, (0.0, 0.0, tip))
    body = Body(mass, inertia, at, ("ball", tip), (0.0, 0.0, -arm), turned(1, TILT), velocity, spin)
    return Case("top", [body], 2.0, 2e-4, floor=True, friction=5.0)


def top_measured(case, run):
    """The tilt that is farthest from its start, within the run [rad]."""
    tilts = [math.acos(max(-1.0, min(1.0, states[0].rotation[2][2]))) for states in run]
    yield "tilt", max(tilts, key=lambda tilt: abs(tilt - TILT) if tilt == tilt else math.inf), TILT


def slider():
    """A ball slides at 3 m/s and turns about the vertical with 100 rad/s; friction 0.3."""
    body = ball(0.1, 1.0, position=(0.0, 0.0, 0.1), velocity=(3.0, 0.0, 0.0), spin=(0.0, 0.0, 100.0))
    return Case("slider", [body], 1.0, 1e-2, floor=True, friction=0.3)


def slider_measured(case, run):
    """Sideways way and velocity at the end; it rolls with 5/7 of the first velocity."""
    last = run[-1][0]
    yield "sideways", last.position[1], 0.0
    yield "velocity", last.velocity[0], 5 / 7 * case.bodies[0].velocity[0]


def torque():
    """A free body with three different moments under a torque that is constant in world axes."""
    body = Body(1.0, (1.0, 2.0, 3.0), (0.0, 0.0, 0.0), spin=(1.0, 2.0, 20.0), torque=(0.5, -1.0, 2.0))
    return Case("torque", [body], 2.0, 1e-3, gravity=(0.0, 0.0, 0.0))


def torque_measured(case, run):
    """Error of the angular momentum at the end, largest component [N·m·s]."""
    body = case.bodies[0]
    exact = [j * w + case.end * m for j, w, m in zip(body.inertia, body.spin, body.torque)]
    found = angular_momentum(body, run[-1][0])
    yield "momentum", max(abs(a - b) for a, b in zip(found, exact)), 0.0


def tiles():
    """A cube slides at 3 m/s over sixty boxes that lie flush; friction 0.2."""
    cube = box((0.2, 0.2, 0.2), 1.0, position=(0.0, 0.0, 0.1), quaternion=turned(2, 0.3), velocity=(3.0, 0.0, 0.0))
    floor = [((-1 + 0.13 * i, 0.0, -0.1), (0.13, 4.0, 0.2)) for i in range(60)]
    return Case("tiles", [cube], 1.0, 2e-3, boxes=floor, friction=0.2)


def tiles_measured(case, run):
    """Way after the run, v t − ½ μ g t²; and how far the centre rises."""
    v, t = case.bodies[0].velocity[0], case.end
    yield "way", run[-1][0].position[0], v * t - 0.5 * case.friction * GRAVITY * t * t
    yield "rise", max(states[0].position[2] for states in run) - case.bodies[0].position[2], 0.0


def bullet():
    """A steel ball of radius 10 mm at 50 m/s against a fixed wall of 20 mm; e = 0.5."""
    body = ball(0.01, 7800 * 4 / 3 * math.pi * 1e-6, position=(-1.0, 0.0, 0.0), velocity=(50.0, 0.0, 0.0))
    wall = [((0.0, 0.0, 0.0), (0.02, 2.0, 2.0))]
    return Case("bullet", [body], 0.1, 1e-3, (0.0, 0.0, 0.0), boxes=wall, friction=0.5, restitution=0.5, speed=50.0)


def bullet_measured(case, run):
    """Velocity at the end."""
    yield "after", run[-1][0].velocity[0], -case.restitution * case.bodies[0].velocity[0]


def rebound():
    """A ball of radius 0.1 m falls from 1 m; e = 0.6."""
    body = ball(0.1, 1000 * 4 / 3 * math.pi * 1e-3, position=(0.0, 0.0, 1.1))
    return Case("rebound", [body], 3.0, 1e-3, floor=True, friction=0.5, restitution=0.6, speed=math.sqrt(2 * GRAVITY))


def rebound_measured(case, run):
    """Height z + v²/2g at the top of the first rebound, e² of the fall; depth of the lowest point at the end."""
    radius = case.bodies[0].shape[1]
    up = next((k for k, states in enumerate(run) if states[0].velocity[2] > 1e-3), None)
    height = 0.0
    if up is not None:
        fall = next((k for k in range(up, len(run)) if run[k][0].velocity[2] < 0), len(run) - 1)
        state = max((run[k][0] for k in (fall - 1, fall)), key=lambda state: state.position[2])
        height = state.position[2] - radius + state.velocity[2] ** 2 / (2 * GRAVITY)
    fall = case.bodies[0].position[2] - radius
    yield "height", height, case.restitution**2 * fall
    yield "depth", radius - run[-1][0].position[2], 0.0


def rocking():
    """Housner's block, 0.2 m wide and 1 m high, starts at 0.8 of the angle at which it would fall over."""
    width, angle = 0.2, 0.8 * math.atan(0.2)
    at = times(matrix(turned(1, angle)), (-0.5 * width, 0.0, 0.5))
    # Its lower edge at x = −width/2 turns about the origin.
    body = box((width, 0.3, 1.0), 1.0, position=at, quaternion=turned(1, angle))
    return Case("rocking", [body], 1.3, 1e-3, floor=True, friction=2.0)


def rocking_measured(case, run):
    """Ratio of the angular velocities after and before the first impact, from the energies above upright rest; 1 − (3/2) sin²."""
    upright = case.bodies[0].mass * GRAVITY * 0.5 * case.bodies[0].shape[1][2]
    angles = [math.atan2(states[0].rotation[0][2], states[0].rotation[2][2]) for states in run]
    width, height = case.bodies[0].shape[1][0], case.bodies[0].shape[1][2]
    exact = 1 - 1.5 * width**2 / (width**2 + height**2)
    hit = next((k for k, angle in enumerate(angles) if angle * angles[0] < 0), None)
    ratio = 0.0
    if hit is not None:
        peak = max(range(hit, len(run)), key=lambda k: abs(angles[k]))
        left = energy(case, run[peak]) - upright
        ratio = math.sqrt(max(left, 0.0) / (energy(case, run[0]) - upright))
    yield "ratio", ratio, exact


def stack():
    """Ten cubes of 0.2 m at rest."""
    bodies = [box((0.2, 0.2, 0.2), position=(0.0, 0.0, 0.1 + 0.2 * i)) for i in range(10)]
    return Case("stack", bodies, 10.0, 2e-3, floor=True, friction=0.5)


def stack_measured(case, run):
    """Farthest horizontal way of a cube, and the deepest overlap of two neighbours, both at the end."""
    last = run[-1]
    yield "creep", max(math.hypot(*state.position[:2]) for state in last), 0.0
    below, depth = -0.1, -math.inf
    for state in last:
        depth = max(depth, 0.2 - (state.position[2] - below))
        below = state.position[2]
    yield "overlap", max(depth, 0.0), 0.0


CASES = {
    made.__name__: (made, measured)
    for made, measured in [
        (chain, chain_measured),
        (top, top_measured),
        (slider, slider_measured),
        (torque, torque_measured),
        (tiles, tiles_measured),
        (bullet, bullet_measured),
        (rebound, rebound_measured),
        (rocking, rocking_measured),
        (stack, stack_measured),
    ]
}
