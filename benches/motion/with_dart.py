"""The cases in DART.

`default` is DART as installed: collisions by FCL, Dantzig's method. `ODE` takes the collision detection of ODE;
`DART` takes its own, with split impulses against overlap. Joints are coordinates. There is a coefficient of restitution.
"""

import importlib.metadata

import dartpy as dart
import numpy

from cases import State, matrix, times


def version():
    """Of the package."""
    return importlib.metadata.version("dartpy")


def settings(case):
    """Detector of collisions, whether impulses are split."""
    touching = {"ODE": ("OdeCollisionDetector", False), "DART, split impulse": ("DARTCollisionDetector", True)}
    return {"default": None} | (touching if case.floor or case.boxes else {})


def placed(at, turn=numpy.eye(3)):
    """A place and an orientation."""
    made = dart.math.Isometry3()
    made.set_translation(numpy.array(at, float))
    made.set_rotation(numpy.array(turn, float))
    return made


def touches(node, shape, at, friction, restitution):
    """Adds a shape that collides. Of a pair the smaller friction and the product of the two restitutions count."""
    kind, size = shape
    made = dart.dynamics.SphereShape(size) if kind == "ball" else dart.dynamics.BoxShape(numpy.array(size, float))
    shape_node = node.createShapeNode(made)
    shape_node.setRelativeTransform(placed(at))
    shape_node.createCollisionAspect()
    aspect = shape_node.createDynamicsAspect()
    aspect.setFrictionCoeff(friction)
    aspect.setRestitutionCoeff(restitution)


def weighs(node, body):
    """Mass and moments about the centre of mass, which is the origin."""
    node.setMass(body.mass)
    node.setMomentOfInertia(*body.inertia)


class World:
    """A world of DART."""

    def __init__(self, case, setting):
        self.case, self.world, self.nodes = case, dart.simulation.World(), []
        self.world.setTimeStep(case.h)
        self.world.setGravity(numpy.array(case.gravity, float))
        if setting:
            detector, is_split = setting
            self.world.setCollisionDetector(getattr(dart.collision, detector)())
            self.world.getConstraintSolver().setSplitImpulseEnabled(is_split)
        self.fixed()
        self.chain() if case.links else self.free()

    def fixed(self):
        """Floor and boxes that do not move; the floor is a thick box."""
        fixed = list(self.case.boxes) + ([((0.0, 0.0, -1.0), (100.0, 100.0, 2.0))] if self.case.floor else [])
        for k, (centre, edges) in enumerate(fixed):
            skeleton = dart.dynamics.Skeleton(f"fixed{k}")
            _, node = skeleton.createWeldJointAndBodyNodePair()
            touches(node, ("box", edges), centre, self.case.friction, 1.0)
            self.world.addSkeleton(skeleton)

    def free(self):
        """Bodies with six degrees of freedom."""
        for k, body in enumerate(self.case.bodies):
            skeleton = dart.dynamics.Skeleton(f"body{k}")
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            weighs(node, body)
            if body.shape:
                touches(node, body.shape, body.offset, self.case.friction, self.case.restitution)
            turn = matrix(body.quaternion)
            joint.setTransform(placed(body.position, turn))
            joint.setLinearVelocity(numpy.array(body.velocity))
            joint.setAngularVelocity(numpy.array(times(turn, body.spin)))
            self.world.addSkeleton(skeleton)
            self.nodes.append(node)

    def chain(self):
        """Links with hinges."""
        skeleton, parent, half = dart.dynamics.Skeleton("chain"), None, self.case.links / 2
        for body in self.case.bodies:
            joint, node = skeleton.createRevoluteJointAndBodyNodePair(parent)
            joint.setAxis(numpy.array([0.0, 0.0, 1.0]))
            joint.setTransformFromParentBodyNode(placed((half if parent else 0.0, 0.0, 0.0)))
            joint.setTransformFromChildBodyNode(placed((-half, 0.0, 0.0)))
            weighs(node, body)
            self.nodes.append(node)
            parent = node
        self.world.addSkeleton(skeleton)

    def step(self):
        """One step; an outer torque is forgotten after each."""
        for body, node in zip(self.case.bodies, self.nodes):
            if body.torque:
                node.setExtTorque(numpy.array(body.torque), False)
        self.world.step()

    def states(self):
        """Of all bodies."""
        return [self.state(node) for node in self.nodes]

    def state(self, node):
        """Of one body."""
        pose = node.getTransform()
        turn = tuple(map(tuple, pose.rotation()))
        return State(tuple(pose.translation()), turn, tuple(node.getLinearVelocity()), tuple(node.getAngularVelocity()))
