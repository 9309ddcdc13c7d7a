"""The cases in Drake.

`default` is a discrete plant with point contact and the step of the case. A pair of shapes gets one point only, so boxes touch by a sphere
of 1 mm in each corner, as its documentation advises. It has no coefficient of restitution. `hard` has a stiction tolerance of 1e-6 m/s and,
where e > 0, a stiffness for contacts of thirty steps and Hunt–Crossley's dissipation computed from e. `hydroelastic`: boxes touch by surfaces,
with a modulus of 1e8 Pa. `RK3` is a continuous plant with steps of
Runge–Kutta's method of third order, for what does not touch. Joints are coordinates.
"""

import importlib.metadata
import math

from pydrake import all as drake

from cases import State, matrix, times

CORNER = 1e-3


def version():
    """Of the package."""
    return importlib.metadata.version("drake")


def settings(case):
    """By name a word for each; boxes may touch by surfaces."""
    if case.floor or case.boxes:
        has_boxes = case.bodies[0].shape[0] == "box"
        return {"default": "", "hard": "hard"} | ({"hydroelastic": "hydroelastic"} if has_boxes else {})
    return {"default": "", "RK3": "continuous"}


def dissipation(e, v):
    """d with  d v (1 + e) = ln((1 + d v)/(1 − d e v)); by bisection."""
    low, high = 1e-9, (1 - 1e-12) / (e * v)
    wrong = lambda d: math.log1p(d * v) - math.log1p(-d * e * v) - d * v * (1 + e)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if wrong(middle) < 0 else (low, middle)
    return low


def corners(edges):
    """Centres of the spheres in the corners of a box."""
    inner = [0.5 * x - CORNER for x in edges]
    return [(a * inner[0], b * inner[1], c * inner[2]) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]


class World:
    """A plant with its simulator."""

    def __init__(self, case, setting):
        self.case, self.boxes = case, []
        self.is_hard, self.is_hydro, is_continuous = (setting == word for word in ("hard", "hydroelastic", "continuous"))
        builder = drake.DiagramBuilder()
        self.plant, scene = drake.AddMultibodyPlantSceneGraph(builder, time_step=0.0 if is_continuous else case.h)
        self.plant.mutable_gravity_field().set_gravity_vector(case.gravity)
        self.fixed()
        self.bodies = [self.body(k, body) for k, body in enumerate(case.bodies)]
        if case.links:
            self.chain()
        if self.is_hard:
            self.plant.set_stiction_tolerance(1e-6)
        if not self.is_hydro:
            # Boxes meet spheres only, not each other or the floor.
            exclude = drake.CollisionFilterDeclaration().ExcludeWithin(drake.GeometrySet(self.boxes))
            scene.collision_filter_manager().Apply(exclude)
        self.plant.Finalize()
        self.simulator = drake.Simulator(builder.Build())
        if is_continuous:
            drake.ResetIntegratorFromFlags(self.simulator, "runge_kutta3", case.h)
            self.simulator.get_mutable_integrator().set_fixed_step_mode(True)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.start()
        self.k = 0

    def touches(self, body, shape, at, name):
        """Adds a shape that collides."""
        made, case = drake.ProximityProperties(), self.case
        stiffness = damping = None
        if self.is_hard and case.restitution > 0:
            stiffness = case.bodies[0].mass * (math.pi / (30 * case.h)) ** 2
            damping = dissipation(case.restitution, case.speed)
        if self.is_hydro and isinstance(shape, drake.HalfSpace):
            drake.AddRigidHydroelasticProperties(made)
        elif self.is_hydro:
            drake.AddCompliantHydroelasticProperties(0.1, 1e8, made)
        drake.AddContactMaterial(damping, stiffness, drake.CoulombFriction(case.friction, case.friction), made)
        return self.plant.RegisterCollisionGeometry(body, drake.RigidTransform(at), shape, name, made)

    def fixed(self):
        """Floor and boxes of the world."""
        world = self.plant.world_body()
        if self.case.floor:
            self.boxes.append(self.touches(world, drake.HalfSpace(), (0, 0, 0), "floor"))
        for k, (centre, edges) in enumerate(self.case.boxes):
            self.boxes.append(self.touches(world, drake.Box(*edges), centre, f"fixed{k}"))

    def body(self, k, body):
        """A body with its origin in the centre of mass."""
        inertia = drake.UnitInertia(*(x / body.mass for x in body.inertia))
        made = self.plant.AddRigidBody(f"body{k}", drake.SpatialInertia(body.mass, [0, 0, 0], inertia))
        if body.shape and body.shape[0] == "ball":
            self.touches(made, drake.Sphere(body.shape[1]), body.offset, f"ball{k}")
        elif body.shape:
            self.boxes.append(self.touches(made, drake.Box(*body.shape[1]), (0, 0, 0), f"box{k}"))
            # In a stack only the lower corners, lest corner meet corner.
            for j, at in enumerate([] if self.is_hydro else corners(body.shape[1])):
                if len(self.case.bodies) == 1 or at[2] < 0:
                    self.touches(made, drake.Sphere(CORNER), at, f"corner{k}.{j}")
        return made

    def chain(self):
        """Hinges between the links."""
        parent, half = self.plant.world_frame(), self.case.links / 2
        for k, body in enumerate(self.bodies):
            def end(side, body=body, k=k):
                shift = drake.RigidTransform([side * half, 0, 0])
                return self.plant.AddFrame(drake.FixedOffsetFrame(f"end{k}.{side}", body.body_frame(), shift))

            self.plant.AddJoint(drake.RevoluteJoint(f"hinge{k}", parent, end(-1), [0, 0, 1]))
            parent = end(1)

    def start(self):
        """Poses, velocities and the torque of free bodies."""
        for body, made in zip(self.case.bodies, self.bodies if not self.case.links else []):
            turn = matrix(body.quaternion)
            pose = drake.RigidTransform(drake.RotationMatrix(turn), body.position)
            self.plant.SetFreeBodyPose(self.context, made, pose)
            velocity = drake.SpatialVelocity(times(turn, body.spin), body.velocity)
            self.plant.SetFreeBodySpatialVelocity(self.context, made, velocity)
            if body.torque:
                force = drake.ExternallyAppliedSpatialForce()
                force.body_index, force.p_BoBq_B = made.index(), [0, 0, 0]
                force.F_Bq_W = drake.SpatialForce(body.torque, [0, 0, 0])
                self.plant.get_applied_spatial_force_input_port().FixValue(self.context, [force])
        self.simulator.Initialize()

    def step(self):
        """One step."""
        self.k += 1
        self.simulator.AdvanceTo(self.k * self.case.h)

    def states(self):
        """Of all bodies."""
        return [self.state(body) for body in self.bodies]

    def state(self, body):
        """Of one body."""
        pose = self.plant.EvalBodyPoseInWorld(self.context, body)
        twist = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
        turn = tuple(map(tuple, pose.rotation().matrix()))
        return State(tuple(pose.translation()), turn, tuple(twist.translational()), tuple(twist.rotational()))
