"""The cases in Exudyn that do not touch: its contacts are springs between spheres and surfaces, which these cases do not ask about.

`default` is its generalized-alpha scheme with a spectral radius of 0.9, the step held constant; `radius 1` is the same without damping.
`trapezoidal` is the rule of that name with constraints on velocities. `RK44` is the explicit method of fourth order. Joints are
constraints with Lagrange multipliers.
"""

import time

import exudyn
import exudyn.itemInterface as item
import exudyn.utilities
import numpy

from cases import State, matrix


def version():
    """Of the package."""
    return exudyn.__version__


def settings(case):
    """Name of the method and spectral radius; none where bodies touch."""
    if case.floor or case.boxes:
        return {}
    implicit = {"default": ("GeneralizedAlpha", 0.9), "radius 1": ("GeneralizedAlpha", 1.0), "trapezoidal": ("TrapezoidalIndex2", 1.0)}
    return implicit | ({} if case.links else {"RK44": ("RK44", 1.0)})


def chain(system, case):
    """Links in the plane; the nodes of the links."""
    ground, half, nodes = system.AddObject(item.ObjectGround()), case.links / 2, []
    last = system.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for body in case.bodies:
        nodes.append(system.AddNode(item.NodeRigidBody2D(referenceCoordinates=[body.position[0], body.position[1], 0])))
        link = item.ObjectRigidBody2D(physicsMass=body.mass, physicsInertia=body.inertia[2], nodeNumber=nodes[-1])
        link = system.AddObject(link)
        ends = [system.AddMarker(item.MarkerBodyPosition(bodyNumber=link, localPosition=[side * half, 0, 0])) for side in (-1, 1)]
        weight = [body.mass * g for g in case.gravity]
        middle = system.AddMarker(item.MarkerBodyPosition(bodyNumber=link, localPosition=[0, 0, 0]))
        system.AddLoad(item.LoadForceVector(markerNumber=middle, loadVector=weight))
        system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[last, ends[0]]))
        last = ends[1]
    return nodes


def free(system, case):
    """Bodies in space with rotation vectors on the Lie group; their nodes."""
    nodes = []
    for body in case.bodies:
        inertia = exudyn.utilities.RigidBodyInertia(body.mass, numpy.diag(body.inertia))
        made = system.CreateRigidBody(
            inertia=inertia,
            referencePosition=list(body.position),
            referenceRotationMatrix=numpy.array(matrix(body.quaternion)),
            initialVelocity=list(body.velocity),
            initialAngularVelocity=numpy.array(matrix(body.quaternion)) @ numpy.array(body.spin),
            nodeType=exudyn.NodeType.RotationRotationVector,
            returnDict=True,
        )
        if body.torque:
            system.CreateTorque(bodyNumber=made["bodyNumber"], loadVector=list(body.torque))
        nodes.append(made["nodeNumber"])
    return nodes


def built(case):
    """The system and its nodes. Warnings would be printed among our numbers; failures are raised."""
    exudyn.SetWriteToConsole(False)
    system = exudyn.SystemContainer().AddSystem()
    nodes = (chain if case.links else free)(system, case)
    system.Assemble()
    return system, nodes


def solve(system, case, setting):
    """All steps; nothing is written. CPU time of this thread [s]."""
    method, radius = setting
    options = exudyn.SimulationSettings()
    integration = options.timeIntegration
    integration.numberOfSteps, integration.endTime = case.steps, case.end
    integration.generalizedAlpha.spectralRadius = radius
    integration.adaptiveStep = integration.automaticStepSize = False
    integration.verboseMode = 0
    options.solutionSettings.writeSolutionToFile = False
    options.solutionSettings.sensorsWritePeriod = case.end
    options.displayComputationTime = False
    begun = time.thread_time()
    system.SolveDynamic(options, solverType=getattr(exudyn.DynamicSolverType, method))
    return time.thread_time() - begun


def state(system, node):
    """Of one body."""
    of = lambda kind: tuple(system.GetNodeOutput(node, kind))
    kinds = exudyn.OutputVariableType
    turn = numpy.array(of(kinds.RotationMatrix)).reshape(3, 3)
    return State(of(kinds.Position), tuple(map(tuple, turn)), of(kinds.Velocity), of(kinds.AngularVelocity))


def run(case, setting):
    """States of all bodies at the start and after every step, seen by a function that it calls."""
    system, nodes = built(case)
    seen = []

    def see(system, t):
        seen.append([state(system, node) for node in nodes])
        return True

    system.SetPostStepUserFunction(see)
    solve(system, case, setting)
    return [start(case), *seen]


def start(case):
    """States as the case gives them."""
    made = []
    for body in case.bodies:
        turn = matrix(body.quaternion)
        made.append(State(body.position, turn, body.velocity, tuple(numpy.array(turn) @ numpy.array(body.spin))))
    return made


def cpu(case, setting):
    """CPU time per step [s], nothing looked at."""
    return solve(built(case)[0], case, setting) / case.steps
