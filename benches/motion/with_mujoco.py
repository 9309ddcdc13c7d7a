"""The cases in MuJoCo.

`default` is MuJoCo as installed, with the step of the case. `RK4` is its most exact integrator. `cones` are elliptic friction cones
with impratio 100; `hard` adds what its documentation offers against slip and softness: ten no-slip iterations, solimp 0.99 0.9999; and,
since it has no coefficient of restitution, a contact stiffness and a damping computed from e where e > 0. Joints are coordinates, not
constraints.
"""

import math

import mujoco
import numpy

from cases import State, cross, matrix, plus, times

RK4, CONES = 'integrator="RK4" ', 'cone="elliptic" impratio="100" '
HARD = CONES + 'noslip_iterations="10" '


def version():
    """Of the package."""
    return mujoco.__version__


def settings(case):
    """Name: (options of the model, whether contacts are hard)."""
    smooth = {"default": ("", False), "RK4": (RK4, False)}
    touching = {"cones, RK4": (CONES + RK4, False), "hard": (HARD, True), "hard, RK4": (HARD + RK4, True)}
    return smooth | (touching if case.floor or case.boxes else {})


def damping_ratio(e):
    """Of a spring and damper that do not pull [Schwager and Pöschel 2007], by bisection."""

    def rebounds(z):
        root = math.sqrt(1 - z * z)
        return math.exp(-z / root * (math.pi - math.atan2(2 * z * root, 1 - 2 * z * z)))

    low, high = 0.0, 1.0 - 1e-9
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rebounds(middle) > e else (low, middle)
    return high


def contact(case, is_hard):
    """Attributes of a geom."""
    text = f'friction="{case.friction} 0 0"'
    if is_hard:
        text += ' solimp="0.99 0.9999 0.001 0.5 2"'
        if case.restitution > 0:
            # A contact should last thirty steps: π/ω = 30 h.
            omega = math.pi / (30 * case.h)
            text += f' solref="{-omega * omega} {-2 * damping_ratio(case.restitution) * omega}"'
    return text


def words(values):
    """Numbers of an attribute."""
    return " ".join(repr(float(x)) for x in values)


def geom(shape, at, more):
    """A shape."""
    kind, size = shape
    size = f'type="sphere" size="{size}"' if kind == "ball" else f'type="box" size="{words(x / 2 for x in size)}"'
    return f'<geom {size} pos="{words(at)}" {more}/>'


def body_text(body, joint, more):
    """A body with its origin in the middle of its shape."""
    text = f'{joint}<inertial pos="{words(-x for x in body.offset)}" mass="{body.mass!r}" diaginertia="{words(body.inertia)}"/>'
    return text + (geom(body.shape, (0, 0, 0), more) if body.shape else "")


def model_of(case, setting):
    """The model."""
    options, is_hard = setting
    more = contact(case, is_hard)
    text = f'<geom type="plane" size="50 50 1" {more}/>' if case.floor else ""
    text += "".join(geom(("box", edges), centre, more) for centre, edges in case.boxes)
    for k, body in enumerate(case.bodies):
        if case.links:
            at = words((case.links if k else case.links / 2, 0, 0))
            hinge = f'<joint type="hinge" axis="0 0 1" pos="{-case.links / 2} 0 0"/>'
            text += f'<body pos="{at}">' + body_text(body, hinge, more)
        else:
            text += f'<body pos="{words(body.position)}">' + body_text(body, "<freejoint/>", more) + "</body>"
    text += "</body>" * (len(case.bodies) if case.links else 0)
    option = f'<option timestep="{case.h}" gravity="{words(case.gravity)}" {options}/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>")


def origin(body):
    """Place and velocity of the middle of the shape."""
    turn = matrix(body.quaternion)
    return plus(body.position, times(turn, body.offset)), plus(body.velocity, times(turn, cross(body.spin, body.offset)))


class World:
    """Model and data."""

    def __init__(self, case, setting):
        self.model = model_of(case, setting)
        self.data, self.seen = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.n = len(case.bodies)
        for k, body in enumerate(case.bodies if not case.links else []):
            at, velocity = origin(body)
            self.data.qpos[7 * k : 7 * k + 7] = (*at, *body.quaternion)
            self.data.qvel[6 * k : 6 * k + 6] = (*velocity, *body.spin)
            if body.torque:
                self.data.xfrc_applied[k + 1, 3:] = body.torque

    def step(self):
        """One step."""
        mujoco.mj_step(self.model, self.data)

    def states(self):
        """Seen in a copy, so that looking changes nothing."""
        model, seen = self.model, self.seen
        seen.qpos[:], seen.qvel[:] = self.data.qpos, self.data.qvel
        mujoco.mj_kinematics(model, seen)
        mujoco.mj_comPos(model, seen)
        mujoco.mj_comVel(model, seen)
        return [self.state(k + 1) for k in range(self.n)]

    def state(self, k):
        """Of one body."""
        twist = numpy.zeros(6)
        mujoco.mj_objectVelocity(self.model, self.seen, mujoco.mjtObj.mjOBJ_BODY, k, twist, 0)
        turn = tuple(map(tuple, self.seen.xmat[k].reshape(3, 3)))
        return State(tuple(self.seen.xipos[k]), turn, tuple(twist[3:]), tuple(twist[:3]))
