"""One scene of `cargo xtask bench scenes` in Siconos: processor time of every step, and what it reached.

    /usr/bin/python3 benches/siconos_scenes.py SCENE.json STEPS.csv FRAMES.txt [--limit SECONDS] [--steps N]

- Collisions by Bullet as Siconos wraps it, the law Newton and Coulomb, Moreau-Jean with theta = 1/2, one friction
  problem per step (`SICONOS_TS_LINEAR`), block-sparse, solved by NSGS started from the impulses of the last step.
  Iterations are not limited. `World` is the whole set-up.
- Siconos stops by its own error measure. So that both sides reach the same residual, our certificate of its impulses is
  computed after every step (not timed) and its tolerance is moved for the next: by at most ten times, towards a
  certificate of half the tolerance asked for. The certificate of every step is in the table.
- Time is processor time of `computeOneStep` and `nextStep`, one thread. Steps stop when `--limit` seconds are over,
  and the process when three times that are; the table then holds the steps before.
- Overlaps are measured elsewhere, from the poses in FRAMES.txt: one line per frame, the step, then x y z w x y z of
  every body.
"""

import argparse
import csv
import json
import os
import resource
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"

try:
    import numpy as np
    import scipy.sparse  # noqa: F401 (what `NM_csc` returns)
    import siconos.kernel as sk
    import siconos.mechanics.collision as sc
    import siconos.mechanics.collision.bullet as sb
    import siconos.numerics as sn
except ImportError as missing:
    sys.exit(f"Siconos was not measured: {missing} (apt install python3-siconos siconos-mechanics-tools python3-scipy)")

COLUMNS = "step,cpu_s,contacts,iterations,certificate,own_error,own_tolerance,memory_mib".split(",")
MAX_ITERATIONS = 10**8
# Bullet's capsule lies along y, ours along z: the body's axes are turned by a quarter about x. (With an offset of the
# shape in the body instead, capsules in Siconos 4.4 pass through each other.)
QUARTER = [0.5**0.5, 0.5**0.5, 0.0, 0.0]
# Its first tolerance, as a share of the certificate asked for: stacks need that much.
FIRST = 0.01
# Bullet rounds edges and corners by a margin, on which its narrow phase relies: a share of the smallest half extent.
ROUNDING = 0.05


def product(a, b):
    """Of quaternions."""
    (w, r), (v, s) = (a[0], np.array(a[1:])), (b[0], np.array(b[1:]))
    return [w * v - r @ s, *(w * s + v * r + np.cross(r, s))]


def contactor(shape):
    kind, size = next(iter(shape.items()))
    if kind == "ball":
        solid = sb.SiconosSphere(size)
    elif kind == "box":
        solid = sb.SiconosBox(*(2.0 * half for half in size))
        solid.setInsideMargin(ROUNDING * min(size))
    elif kind == "capsule":
        # Siconos 4.4 makes the segment half as long as asked for: an upright capsule rests at radius + length/4.
        solid = sb.SiconosCapsule(size[1], 4.0 * size[0])
    else:
        solid = sb.SiconosConvexHull(np.array(size))
        solid.setInsideMargin(ROUNDING * 0.5 * min(np.ptp(size, axis=0)))
    # A margin outside would keep bodies apart by it.
    solid.setOutsideMargin(0.0)
    contactors = sb.SiconosContactorSet()
    contactors.append(sb.SiconosContactor(solid))
    return contactors


class World:
    def __init__(self, scene):
        h, self.bodies = scene["step_size"], []
        self.manager = sb.SiconosBulletCollisionManager(sb.SiconosBulletOptions())
        # Off: it "breaks scalability", as its header says, and there are no joints.
        self.manager.useEqualityConstraints(False)
        nsds = sk.NonSmoothDynamicalSystem(0.0, 1e9 * h)
        self.is_turned = ["capsule" in body["shape"] for body in scene["bodies"]]
        for body, is_turned in zip(scene["bodies"], self.is_turned):
            quaternion, inertia, (x, y, z) = body["quaternion"], body["inertia"], body["angular_velocity"]
            if is_turned:
                quaternion, inertia = product(quaternion, QUARTER), [inertia[0], inertia[2], inertia[1]]
                y, z = z, -y
            ds = sc.RigidBodyDS(
                body["position"] + quaternion, body["velocity"] + [x, y, z], body["mass"], np.diag(inertia)
            )
            ds.setUseContactorInertia(False)
            ds.setContactors(contactor(body["shape"]))
            ds.setFExtPtr([body["mass"] * g for g in scene["gravity"]])
            nsds.insertDynamicalSystem(ds)
            self.bodies.append(ds)
        for fixed in scene["fixed"]:
            self.manager.insertStaticContactorSet(contactor(fixed["shape"]), fixed["position"] + fixed["quaternion"])
        e, mu = scene["restitution"], scene["friction"]
        self.manager.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(e, 0.0, mu, 3), 0, 0)
        options = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = MAX_ITERATIONS
        options.dparam[sn.SICONOS_DPARAM_TOL] = scene["tolerance"]
        self.problem = sk.FrictionContact(3, options)
        self.problem.setMaxSize(0)
        self.problem.setMStorageType(sn.NM_SPARSE_BLOCK)
        self.problem.setKeepLambdaAndYState(True)
        self.simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h))
        self.simulation.insertIntegrator(sk.MoreauJeanOSI(0.5))
        self.simulation.insertNonSmoothProblem(self.problem)
        self.simulation.insertInteractionManager(self.manager)
        self.simulation.setNewtonOptions(sk.SICONOS_TS_LINEAR)
        self.mu = mu

    def step(self):
        """Processor seconds of one step, then what its problem reached."""
        begun = time.process_time()
        self.simulation.computeOneStep()
        seconds = time.process_time() - begun
        reached = self.reached()
        begun = time.process_time()
        self.simulation.clearNSDSChangeLog()
        self.simulation.nextStep()
        return seconds + time.process_time() - begun, reached

    def reached(self):
        options = self.problem.numericsSolverOptions()
        n = self.problem.getSizeOutput() // 3
        if n == 0:
            return {"contacts": 0, "iterations": 0, "certificate": 0.0, "own_error": 0.0}
        p, u = (np.array(x[: 3 * n], dtype=float).reshape(-1, 3) for x in (self.problem.z(), self.problem.w()))
        free = np.array(self.problem.q()[: 3 * n], dtype=float).reshape(-1, 3)
        return {
            "contacts": n,
            "iterations": int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]),
            "certificate": certificate(p, u, free, self.scales(n), self.mu),
            "own_error": float(options.dparam[sn.SICONOS_DPARAM_RESIDU]),
        }

    def scales(self, n):
        """Largest eigenvalue of every diagonal block of W."""
        entries = sn.NM_csc(self.problem.M().numericsMatrix()).tocoo()
        inside = entries.row // 3 == entries.col // 3
        row, col = entries.row[inside], entries.col[inside]
        blocks = np.zeros((n, 3, 3))
        np.add.at(blocks, (row // 3, row % 3, col % 3), entries.data[inside])
        return np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, -1]

    def poses(self):
        back = [QUARTER[0], -QUARTER[1], 0.0, 0.0]
        for body, is_turned in zip(self.bodies, self.is_turned):
            q = list(map(float, body.q()))
            yield from q[:3] + (product(q[3:], back) if is_turned else q[3:])


def certificate(p, u, free, scales, mu):
    """|(p - P(p - rho (u + mu |u_T| n)))/rho| / max(|u_free|, |W p|), rho = 1/scale of the contact."""
    rho = (1.0 / scales)[:, None]
    shifted = u.copy()
    shifted[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    x = p - rho * shifted
    t = np.linalg.norm(x[:, 1:], axis=1)
    inside, below = t <= mu * x[:, 0], mu * t <= -x[:, 0]
    s = (x[:, 0] + mu * t) / (1.0 + mu * mu)
    on = np.column_stack([s, x[:, 1:] * (mu * s / np.where(t > 0.0, t, 1.0))[:, None]])
    projected = np.where(inside[:, None], x, np.where(below[:, None], 0.0, on))
    scale = max(np.linalg.norm(free), np.linalg.norm(u - free))
    return float(np.linalg.norm((p - projected) / rho) / (scale if scale > 0.0 else 1.0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene")
    parser.add_argument("table")
    parser.add_argument("frames")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--steps", type=int)
    asked = parser.parse_args()
    with open(asked.scene) as file:
        scene = json.load(file)
    world = World(scene)
    options, target = world.problem.numericsSolverOptions(), scene["tolerance"]
    own, used, steps = FIRST * target, 0.0, asked.steps or scene["steps"]
    # A step that never ends is ended here; what the table holds stays.
    resource.setrlimit(resource.RLIMIT_CPU, (int(3.0 * asked.limit) + 10,) * 2)
    with open(asked.table, "w", newline="") as table, open(asked.frames, "w") as frames:
        rows = csv.DictWriter(table, COLUMNS)
        rows.writeheader()
        for step in range(1, steps + 1):
            options.dparam[sn.SICONOS_DPARAM_TOL] = own
            seconds, row = world.step()
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.writerow({"step": step, "cpu_s": seconds, **row, "own_tolerance": own, "memory_mib": memory})
            table.flush()
            if row["certificate"] > 0.0:
                own *= min(max(0.5 * target / row["certificate"], 0.1), 10.0)
            used += seconds
            if step in scene["frames"] or used > asked.limit:
                frames.write(" ".join(map(repr, [step, *map(float, world.poses())])) + "\n")
            if used > asked.limit:
                print(f"Siconos: {step} of {steps} steps of {scene['name']} in {used:.0f} s, then the limit")
                break


main()
