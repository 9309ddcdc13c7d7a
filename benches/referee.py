"""The three referee problems in MuJoCo and Drake (pip), one line per number: engine,problem,setting,parameter,value.

    python3 benches/referee.py mujoco|drake

A ball of radius 0.1 m dropped from 1 m: height of the first rebound [m]. A cube of side 0.2 m and 1 kg on a slope of
tan a = 0.4 with friction 1/2: how far it creeps in 60 s, after one second of settling [m]. The same cube on the level at
6 m/s: how far it slides in 3 s, and how high the highest of its lower corners rises [m]. The slope is made by turning
gravity. Every engine runs with its defaults and with the best that its documentation offers for the purpose:

MuJoCo   `default`: as installed, 2 ms. It has no coefficient of restitution.
         `best`: 1 ms, elliptic cones, impratio 100, 10 no-slip iterations, solimp 0.99 0.9999; the least rise and creep
         of 64 combinations (stiffer contacts by solref 0.002 lift the cube by 0.3 m). For rebounds 0.2 ms and contact
         stiffness and damping set directly (negative solref), the damping from the formula for a spring and damper
         that do not pull [Schwager and Poeschel 2007].
Drake    Discrete plant of 1 ms with point contact. A pair of shapes gets one point only, so the cube touches by a
         sphere of 1 mm in each lower corner, as its documentation advises.
         `default`: its contact parameters as they are. It has no coefficient of restitution.
         `best`: stiction tolerance 1e-6 m/s, the least creep of those tried with the rise still zero (the other contact
         approximations and stiffer contacts lift the cube by 0.3 m); for rebounds 0.1 ms, 1e5 N/m and Hunt-Crossley
         dissipation d from  d v (1 + e) = ln((1 + d v)/(1 - d e v)).
"""

import math
import sys

GRAVITY, HALF, SLOPE, SPEED = 9.81, 0.1, 0.4, 6.0
REBOUNDS = [0.0, 0.3, 0.6, 0.9, 1.0]
CORNERS = [(x, y, -HALF) for x in (-HALF, HALF) for y in (-HALF, HALF)]


def tilted():
    a = math.atan(SLOPE)
    return [GRAVITY * math.sin(a), 0.0, -GRAVITY * math.cos(a)]


def top_of_rebound(step, seconds, h):
    """`step` advances and returns (height of the lowest point, its velocity)."""
    bounced, top, last = False, -math.inf, 0.0
    for _ in range(round(seconds / h)):
        z, v = step()
        bounced = bounced or v > last + 1e-12
        if bounced:
            top = max(top, z)
            if v < -0.05 and v < last and top > z + 1e-3:
                break
        last = v
    return top


def creep(step, h):
    """`step` advances and returns x."""
    for _ in range(round(1.0 / h)):
        start = step()
    for _ in range(round(60.0 / h)):
        end = step()
    return end - start


def slide(step, h):
    """`step` advances and returns x and the heights of the lower corners."""
    rise = -math.inf
    for _ in range(round(3.0 / h)):
        x, heights = step()
        rise = max(rise, *heights)
    return x, rise


# ---- MuJoCo ----


def damping_ratio(e):
    """Damping ratio of a spring and damper that do not pull, by bisection; 7.9 where e is too small to be reached."""

    def rebound(z):
        if z > 1.0:
            root = math.sqrt(z * z - 1.0)
            return math.exp(-z / root * math.log((z + root) / (z - root)))
        root = math.sqrt(1.0 - z * z)
        return math.exp(-z / root * (math.pi - math.atan2(2.0 * z * root, 1.0 - 2.0 * z * z)))

    low, high = 0.0, 7.9
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rebound(middle) > e else (low, middle)
    return high if e < 1.0 else 0.0


def mujoco_model(mujoco, shape, gravity, is_best, solref="0.02 1", h=None):
    h = h or (0.001 if is_best else 0.002)
    more = 'cone="elliptic" impratio="100" noslip_iterations="10"' if is_best else ""
    solimp = 'solimp="0.99 0.9999 0.001 0.5 2"' if is_best else ""
    contact = f'friction="0.5 0 0" solref="{solref}" {solimp}'
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{h}" gravity="{gravity[0]} {gravity[1]} {gravity[2]}" {more}/>
        <worldbody><geom type="plane" size="50 50 1" {contact}/>
        <body><freejoint/><geom {shape} {contact}/></body></worldbody></mujoco>"""
    )


def mujoco_problems():
    import mujoco
    import numpy as np

    ball = f'type="sphere" size="{HALF}" density="1000"'
    cube = f'type="box" size="{HALF} {HALF} {HALF}" mass="1"'

    def ready(model, z, vx=0.0):
        data = mujoco.MjData(model)
        data.qpos[:3], data.qvel[0] = [0.0, 0.0, z], vx
        return data

    def bounce(e, is_best):
        h, solref = 0.002, "0.02 1"
        if is_best:
            h, k = 2e-4, 1e5
            solref = f"{-k} {-2.0 * damping_ratio(e) * math.sqrt(k)}"
        model = mujoco_model(mujoco, ball, [0.0, 0.0, -GRAVITY], is_best, solref, h)
        data = ready(model, 1.0 + HALF)

        def step():
            mujoco.mj_step(model, data)
            return data.qpos[2] - HALF, data.qvel[2]

        return top_of_rebound(step, 3.0, h)

    yield "version", "", "", mujoco.__version__
    for is_best, setting in ((False, "default"), (True, "best")):
        for e in REBOUNDS if is_best else [0.0]:
            yield "rebound", setting, e, bounce(e, is_best)
        model = mujoco_model(mujoco, cube, tilted(), is_best)
        data = ready(model, HALF)

        def down():
            mujoco.mj_step(model, data)
            return data.qpos[0]

        yield "creep", setting, SLOPE, creep(down, model.opt.timestep)
        model = mujoco_model(mujoco, cube, [0.0, 0.0, -GRAVITY], is_best)
        data = ready(model, HALF, SPEED)

        def along():
            mujoco.mj_step(model, data)
            mujoco.mj_kinematics(model, data)
            turn = data.xmat[1].reshape(3, 3)
            return data.qpos[0], [data.xpos[1][2] + turn[2] @ np.array(corner) for corner in CORNERS]

        distance, rise = slide(along, model.opt.timestep)
        yield "slide", setting, SPEED, distance
        yield "rise", setting, SPEED, rise


# ---- Drake ----


def dissipation(e, v):
    """d with  d v (1 + e) = ln((1 + d v)/(1 - d e v)); by bisection."""
    if e >= 1.0:
        return 0.0
    if e <= 0.0:
        return 1e3
    low, high = 1e-9, (1.0 - 1e-12) / (e * v)
    wrong = lambda d: math.log1p(d * v) - math.log1p(-d * e * v) - d * v * (1.0 + e)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if wrong(middle) < 0.0 else (low, middle)
    return low


class DrakeWorld:
    """A body that touches by spheres, given by centre and radius."""

    def __init__(self, spheres, mass, inertia, gravity, h, stiffness=None, dissipation=None, stiction=None):
        from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
        from pydrake.multibody.tree import SpatialInertia, UnitInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=h)
        body = plant.AddRigidBody("body", SpatialInertia(mass, [0, 0, 0], UnitInertia(*(inertia / mass,) * 3)))

        def properties():
            made = ProximityProperties()
            AddContactMaterial(dissipation, stiffness, CoulombFriction(0.5, 0.5), made)
            return made

        for k, (centre, radius) in enumerate(spheres):
            plant.RegisterCollisionGeometry(body, RigidTransform(centre), Sphere(radius), f"sphere {k}", properties())
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", properties())
        plant.mutable_gravity_field().set_gravity_vector(gravity)
        if stiction is not None:
            plant.set_stiction_tolerance(stiction)
        plant.Finalize()
        diagram = builder.Build()
        self.simulator, self.plant, self.body, self.h = Simulator(diagram), plant, body, h
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.t = 0

    def start(self, z, vx=0.0):
        from pydrake.math import RigidTransform
        from pydrake.multibody.math import SpatialVelocity

        self.plant.SetFreeBodyPose(self.context, self.body, RigidTransform([0.0, 0.0, z]))
        self.plant.SetFreeBodySpatialVelocity(self.context, self.body, SpatialVelocity([0, 0, 0], [vx, 0, 0]))
        self.simulator.Initialize()

    def step(self):
        self.t += 1
        self.simulator.AdvanceTo(self.t * self.h)

    def pose(self):
        return self.plant.EvalBodyPoseInWorld(self.context, self.body)

    def velocity(self):
        return self.plant.EvalBodySpatialVelocityInWorld(self.context, self.body).translational()


def drake_problems():
    import importlib.metadata

    yield "version", "", "", importlib.metadata.version("drake")
    side, down = 2.0 * HALF, [0.0, 0.0, -GRAVITY]
    ball_mass = 1000.0 * 4.0 / 3.0 * math.pi * HALF**3

    def bounce(e, is_best):
        h, options = 1e-3, {}
        if is_best:
            v = math.sqrt(2.0 * GRAVITY)
            h, options = 1e-4, {"stiffness": 1e5, "dissipation": dissipation(e, v)}
        world = DrakeWorld([([0, 0, 0], HALF)], ball_mass, 0.4 * ball_mass * HALF**2, down, h, **options)
        world.start(1.0 + HALF)

        def step():
            world.step()
            return world.pose().translation()[2] - HALF, world.velocity()[2]

        return top_of_rebound(step, 3.0, h)

    def cube(gravity, is_best, vx):
        inner, radius = 1.0 - 1e-3 / HALF, 1e-3
        spheres = [([inner * x for x in corner], radius) for corner in CORNERS]
        world = DrakeWorld(spheres, 1.0, side**2 / 6.0, gravity, 1e-3, **({"stiction": 1e-6} if is_best else {}))
        world.start(HALF, vx)
        return world

    for is_best, setting in ((False, "default"), (True, "best")):
        for e in REBOUNDS if is_best else [0.0]:
            yield "rebound", setting, e, bounce(e, is_best)
        world = cube(tilted(), is_best, 0.0)

        def slope():
            world.step()
            return world.pose().translation()[0]

        yield "creep", setting, SLOPE, creep(slope, 1e-3)
        world = cube(down, is_best, SPEED)

        def along():
            world.step()
            pose = world.pose()
            return pose.translation()[0], [pose.multiply(list(corner))[2] for corner in CORNERS]

        distance, rise = slide(along, 1e-3)
        yield "slide", setting, SPEED, distance
        yield "rise", setting, SPEED, rise


def main():
    engines = {"mujoco": mujoco_problems, "drake": drake_problems}
    if len(sys.argv) != 2 or sys.argv[1] not in engines:
        sys.exit("usage: referee.py mujoco|drake")
    print("engine,problem,setting,parameter,value")
    for row in engines[sys.argv[1]]():
        print(",".join(map(str, (sys.argv[1], *row))), flush=True)


main()
