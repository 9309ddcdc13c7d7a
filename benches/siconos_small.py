"""Time per step of the same small scenes in Siconos' Python interface.

Processor time of this process, best of three. Debian's build has its asserts live, so these times are an upper
bound of what Siconos can do. For the columns every LCP solver of Siconos that brings 1000 beads to rest was
tried once (Lemke, Murty, path search, Newton on Fischer-Burmeister; PGS and CPG do not converge there); the two
that can win are timed here and the better one is printed. Where `bench_small` has left its times, the ratio is
printed beside them.
"""

import pathlib
import time

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn

GRAVITY, STEP, RADIUS = 9.81, 0.005, 0.1


def best(work, times=3):
    least = float("inf")
    for _ in range(times):
        begun = time.process_time()
        steps = work()
        least = min(least, (time.process_time() - begun) / steps)
    return least


def simulate(nsds, end, solver=None):
    lcp = sk.LCP(solver) if solver is not None else sk.LCP()
    grid = sk.TimeDiscretisation(0.0, STEP)
    return sk.TimeStepping(nsds, grid, sk.MoreauJeanOSI(0.5), lcp)


def ball():
    end = 10.0
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    body = sk.LagrangianLinearTIDS([1.0, 0.0, 0.0], [0.0, 0.0, 0.0], np.diag([1.0, 1.0, 0.6 * RADIUS**2]))
    body.setFExtPtr([-GRAVITY, 0.0, 0.0])
    nsds.insertDynamicalSystem(body)
    floor = sk.Interaction(sk.NewtonImpactNSL(0.9), sk.LagrangianLinearTIR([[1.0, 0.0, 0.0]], [-RADIUS]))
    nsds.link(floor, body)
    simulation = simulate(nsds, end)
    steps = 0
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
        steps += 1
    return steps


def column(n, steps, solver):
    """A column of n beads at rest, overlapping by a micrometre so that every contact counts."""
    nsds = sk.NonSmoothDynamicalSystem(0.0, 1e9)
    beads = []
    for i in range(n):
        height = RADIUS + 2 * RADIUS * i - 1e-6 * (i + 1)
        bead = sk.LagrangianLinearTIDS([height], [0.0], [[1.0]])
        bead.setFExtPtr([-GRAVITY])
        nsds.insertDynamicalSystem(bead)
        beads.append(bead)
    law = sk.NewtonImpactNSL(0.5)
    nsds.link(sk.Interaction(law, sk.LagrangianLinearTIR([[1.0]], [-RADIUS])), beads[0])
    for i in range(1, n):
        relation = sk.LagrangianLinearTIR([[-1.0, 1.0]], [-2 * RADIUS])
        nsds.link(sk.Interaction(law, relation), beads[i - 1], beads[i])
    simulation = simulate(nsds, 1e9, solver)
    for _ in range(2):
        simulation.computeOneStep()
        simulation.nextStep()
    least = float("inf")
    for _ in range(3):
        begun = time.process_time()
        for _ in range(steps):
            simulation.computeOneStep()
            simulation.nextStep()
        least = min(least, (time.process_time() - begun) / steps)
    good = all(abs(bead.velocity()[0]) < 1e-6 for bead in beads)
    return least if good else float("inf")


def ours():
    """Times of our engine in seconds per step, by name, as `bench_small` left them."""
    path = pathlib.Path("target/bench-small.txt")
    if not path.exists():
        return {}
    return {name: float(value) for name, value in (line.split() for line in path.read_text().splitlines())}


def report(what, name, seconds, note=""):
    ratio = f", {seconds / mine[name]:.0f} times ours" if name in mine else ""
    print(f"  {what:<42} {1e6 * seconds:10.2f} µs/step{ratio}{note}")


mine = ours()
print("Siconos 4.4 in Python (Debian's build, asserts live)")
report("bouncing ball", "ball", best(ball))
names = ["SICONOS_LCP_LEMKE", "SICONOS_LCP_NEWTON_FB_FBLSA"]
for n, steps in [(10, 200), (100, 20), (1000, 2)]:
    # Lemke on a dense tableau of 1000 rows takes a second per step.
    tried = [name for name in names if n < 1000 or name != "SICONOS_LCP_LEMKE"]
    found = {name: column(n, steps, getattr(sn, name)) for name in tried}
    name = min(found, key=found.get)
    report(f"column of {n} beads, best solver", f"beads{n}", found[name], f"  ({name})")
