#!/usr/bin/env python3
"""Writes the table with which the tests of nonsmooth-import compare: joint angles and travels by MuJoCo (pip install mujoco).

Columns h1 and h2 are by its semi-implicit Euler scheme, of first order, at two steps; rk4 is by its Runge-Kutta scheme at a small one.
Run from the root of the repository: python3 benches/import/reference.py
"""
import csv, os
import mujoco

FOLDER = "crates/nonsmooth-import/tests/models"
MODELS = ["pendulum.urdf", "arm.xml"]
TIMES = [0.25, 0.5, 1.0]
H1, H2, FINE = 2e-3, 1e-3, 1e-4


def run(path, integrator, h):
    """Coordinates of every joint by name at the times."""
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.integrator = integrator
    model.opt.timestep = h
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    data = mujoco.MjData(model)
    rows, steps = {}, 0
    for t in TIMES:
        while steps < round(t / h):
            mujoco.mj_step(model, data)
            steps += 1
        for j in range(model.njnt):
            rows[t, model.joint(j).name] = float(data.qpos[model.jnt_qposadr[j]])
    return rows


def main():
    with open(os.path.join(FOLDER, "mujoco.csv"), "w", newline="") as file:
        file.write(f"# MuJoCo {mujoco.__version__}, h1 = {H1}, h2 = {H2}, rk4 at {FINE}; by benches/import/reference.py\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["model", "joint", "t", "h1", "h2", "rk4"])
        for name in MODELS:
            path = os.path.join(FOLDER, name)
            euler, rk4 = mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4
            runs = [run(path, euler, H1), run(path, euler, H2), run(path, rk4, FINE)]
            for t, joint in runs[0]:
                table.writerow([name, joint, t] + [repr(rows[t, joint]) for rows in runs])


if __name__ == "__main__":
    main()
