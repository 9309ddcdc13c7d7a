"""Runs the cases of `cargo xtask bench motion` in one engine and prints `case,quantity,setting,value,exact`, the CPU time per step among them.

    python3 benches/motion.py ours|mujoco|drake|dart|exudyn [CASE…]

Cases and what is measured: benches/motion/cases.py. How an engine is set up: its file beside that. `ours` needs NONSMOOTH, the command, and
NONSMOOTH_RESULTS, a folder.
"""

import csv
import importlib
import math
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "motion"))
from cases import CASES  # noqa: E402

ENGINES = {"ours": "ours", "mujoco": "with_mujoco", "drake": "with_drake", "dart": "with_dart", "exudyn": "with_exudyn"}


def stepped(engine, case, setting):
    """All states of an engine that is a world with steps."""
    world = engine.World(case, setting)
    yield world.states()
    for _ in range(case.steps):
        world.step()
        yield world.states()


def cpu_of_steps(engine, case, setting):
    """CPU time per step of this thread [s], nothing looked at: the least of five runs, or of as many as take a second."""
    seen = []
    while len(seen) < 5 and sum(seen) < 1:
        world = engine.World(case, setting)
        begun = time.thread_time()
        for _ in range(case.timed):
            world.step()
        seen.append(time.thread_time() - begun)
    return min(seen) / case.timed


def measured(engine, case, measure, name, setting):
    """Rows of one case in one setting; what fails is a row too."""
    run = getattr(engine, "run", None) or (lambda *given: stepped(engine, *given))
    cpu = getattr(engine, "cpu", None) or (lambda *given: cpu_of_steps(engine, *given))
    try:
        states = list(run(case, setting))
        for quantity, value, exact in measure(case, states):
            yield case.name, quantity, name, value if math.isfinite(value) else "nan", exact
        yield case.name, "cpu", name, cpu(case, setting), ""
    except Exception as error:
        yield case.name, "failed", name, " ".join(str(error).split())[:200], ""


def told(documented):
    """The first paragraph of a description in one line; of a file the paragraph after its title, where there is one."""
    parts = [" ".join(part.split()) for part in documented.__doc__.strip().split("\n\n")]
    return parts[1] if parts[0].startswith("The cases in") else parts[0]


def main():
    """Prints the table."""
    if len(sys.argv) < 2 or sys.argv[1] not in ENGINES:
        sys.exit(f"usage: motion.py {'|'.join(ENGINES)} [CASE…]")
    engine = importlib.import_module(ENGINES[sys.argv[1]])
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["case", "quantity", "setting", "value", "exact"])
    out.writerow(["", "version", "", engine.version(), ""])
    out.writerow(["", "settings", "", told(engine), ""])
    for name in sys.argv[2:] or CASES:
        make, measure = CASES[name]
        case = make()
        out.writerow([name, "about", "", f"{told(make)} Step {case.h:g} s, {case.end:g} s long. *Measured*: {told(measure)}", ""])
        for setting, options in engine.settings(case).items():
            out.writerows(measured(engine, case, measure, setting, options))
            sys.stdout.flush()


main()
