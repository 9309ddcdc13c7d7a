"""Its two schemes with the step of the case, everything else as by default. CPU time is that of the process of a run without output, less
that of a run of one step; it holds the certificate of every step and the energy ledger.

A scene is written for every case, the release command runs it with `--csv`, and its table of bodies is read.
"""

import csv
import itertools
import os
import pathlib
import resource
import subprocess

from cases import State, matrix, plus, times

HINGES = """
[[constraint]]
name = "hook_x"
gap = "link[0].x - L/2*cos(link[0].phi)"
law = "joint"
[[constraint]]
name = "hook_y"
gap = "link[0].y - L/2*sin(link[0].phi)"
law = "joint"
[[constraint]]
name = "jx"
repeat = {n}
gap = "link[i+1].x - L/2*cos(link[i+1].phi) - link[i].x - L/2*cos(link[i].phi)"
law = "joint"
[[constraint]]
name = "jy"
repeat = {n}
gap = "link[i+1].y - L/2*sin(link[i+1].phi) - link[i].y - L/2*sin(link[i].phi)"
law = "joint"
[law.joint]
type = "bilateral"
"""


def settings(case):
    """Schemes by name; everything else is left as it is by default."""
    return {"kick-drift": "kick-drift", "moreau-jean": "moreau-jean"}


def version():
    """Nothing: the page is of this very tree."""
    return ""


def numbers(values):
    """A list of TOML."""
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def shape(of):
    """A shape as TOML; a body without one touches nothing and needs one only to exist."""
    kind, size = of or ("ball", 0.01)
    return f'{{ type = "ball", radius = {size} }}' if kind == "ball" else f'{{ type = "box", size = {numbers(size)} }}'


def chain_text(case):
    """Links in the plane with hinges as constraints."""
    text = f"[parameters]\nL = {case.links}\n[world]\ngravity = {numbers(case.gravity[:2])}\n"
    body = case.bodies[0]
    text += f'[[body]]\nname = "link"\nrepeat = {len(case.bodies)}\nshape = {{ type = "capsule", length = "L", radius = 0.02 }}\n'
    text += f'mass = {body.mass!r}\ninertia = {body.inertia[2]!r}\nposition = ["L/2 + L*i", 0]\ngroups = {{ member_of = [1], meets = [2] }}\n'
    text += f"[contact]\ndefault = {{ friction = {case.friction} }}\n"
    return text + HINGES.format(n=len(case.bodies) - 1)


def body_text(k, body):
    """One body in space. A scene gives the origin of the shape and where the centre of mass is from there."""
    at = plus(body.position, times(matrix(body.quaternion), body.offset))
    text = f'[[body]]\nname = "body{k}"\nshape = {shape(body.shape)}\nmass = {body.mass!r}\ninertia = {numbers(body.inertia)}\n'
    text += f"position = {numbers(at)}\norientation = {numbers(body.quaternion)}\n"
    text += f"velocity = {numbers(body.velocity)}\nangular_velocity = {numbers(body.spin)}\n"
    if any(body.offset):
        text += f"centre = {numbers(-x for x in body.offset)}\n"
    if body.torque:
        text += "torque = [" + ", ".join(f'"{x!r}"' for x in body.torque) + "]\n"
    return text


def scene(case, end, every):
    """The scene as TOML."""
    if case.links:
        text = chain_text(case)
    else:
        text = f"[world]\ngravity = {numbers(case.gravity)}\n"
        if case.floor:
            text += '[[body]]\nname = "floor"\nshape = { type = "half-space", normal = [0, 0, 1] }\nfixed = true\n'
        for k, (centre, edges) in enumerate(case.boxes):
            text += f'[[body]]\nname = "fixed{k}"\nshape = {shape(("box", edges))}\nposition = {numbers(centre)}\nfixed = true\n'
        text += "".join(body_text(k, body) for k, body in enumerate(case.bodies))
        text += f"[contact]\ndefault = {{ friction = {case.friction}, restitution = {case.restitution} }}\n"
    return text + f"[run]\nend = {end!r}\nstep_size = {case.h!r}\n[output]\nevery = {every}\nplots = false\n"


def command(case, scheme, end, every, *more):
    """Runs a scene to its end; CPU time of the process [s] and the folder of its results."""
    folder = pathlib.Path(os.environ["NONSMOOTH_RESULTS"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.name}.toml"
    path.write_text(scene(case, end, every))
    out = folder / f"{case.name}-{scheme}"
    words = [os.environ["NONSMOOTH"], "run", path, "--integrator", scheme, "--overwrite", "--quiet", "--out", out, *more]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().replace(f"{folder}/", "").splitlines()
        raise RuntimeError(f"exit code {done.returncode}: {said[0] if said else 'nothing said'}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def run(case, scheme):
    """States of all bodies at the start and after every step."""
    _, out = command(case, scheme, case.end, 1, "--csv")
    with open(out / "bodies.csv", newline="") as file:
        for _, rows in itertools.groupby(csv.DictReader(file), key=lambda row: row["t"]):
            yield [state(row) for row in rows]


def state(row):
    """A row of the table."""
    of = lambda *names: tuple(float(row[name]) for name in names)
    turn = matrix(of("q_w", "q_x", "q_y", "q_z"))
    return State(of("x", "y", "z"), turn, of("v_x", "v_y", "v_z"), of("omega_x", "omega_y", "omega_z"))


def cpu(case, scheme):
    """CPU time per step [s] without output: the process of a whole run less that of one step, each the least of several."""
    whole = least(lambda: command(case, scheme, case.timed * case.h, case.timed)[0])
    one = least(lambda: command(case, scheme, case.h, case.timed)[0])
    return (whole - one) / (case.timed - 1)


def least(measure):
    """Least of fifteen measurements, or of as many as take a second."""
    seen = []
    while len(seen) < 15 and sum(seen) < 1:
        seen.append(measure())
    return min(seen)
