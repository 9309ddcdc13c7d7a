"""What other programs find in results.h5: the layout and the promises of its tables."""

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "scenes" / "bouncing-ball.toml"
COORDINATES = ["ball.z", "ball.x", "ball.phi"]
WORKS = ["external", "viscous", "contact", "friction", "obstacle", "prescribed", "scheme", "projection", "exchange"]
COLUMNS = {
    "systems": ["first", "count", "born", "died"],
    "q": COORDINATES,
    "v": COORDINATES,
    "energy": ["kinetic", "potential", *WORKS, "remainder"],
    "contacts": ["gap", "u_minus", "u_plus", "impulse", "force", "work"],
    "contact_keys": ["constraint", "component"],
    "events": ["t", "gap", "u_minus", "u_plus", "impulse"],
    "event_keys": ["constraint", "step"],
    "solver": ["residual", "iterations", "newton_iterations", "converged"],
    "gaps": ["floor"],
    "frames": ["t", "step", "step_size", "contacts_end", "events_end"],
}
N_STEPS = 2000  # end = 10 s, step_size = 5 ms


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("bouncing-ball")
    command = [os.environ["NONSMOOTH_BIN"], "run", str(SCENE), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(out / "results.h5", "r") as file:
        yield file


def column(results, table, name):
    values = results[table][:].reshape(len(results[table]), -1)
    return values[:, COLUMNS[table].index(name)]


def test_every_table_says_what_it_holds(results):
    assert set(results) == set(COLUMNS)
    for name, table in results.items():
        assert table.attrs["columns"].split(",") == COLUMNS[name], name
        assert table.attrs["width"] == len(COLUMNS[name]), name
        assert table.attrs["about"], name
        # Tables of integers hold places and counts.
        is_integer = name in ("systems", "contact_keys", "event_keys")
        assert bool(table.attrs["unit"]) != is_integer, name


def test_positions_and_velocities_are_arrays_of_frames_by_coordinates(results):
    for name in ("q", "v"):
        assert results[name][:].shape == (N_STEPS + 1, len(COORDINATES))
        assert results[name][:].dtype == np.float64
    assert results["q"][0].tolist() == [1.0, 0.0, 0.0]
    assert results["v"][0].tolist() == [0.0, 0.0, 0.0]


def test_the_file_carries_its_scene(results):
    attributes = results.attrs
    assert attributes["program"] == "nonsmooth"
    assert attributes["title"] == "Bouncing ball"
    assert attributes["scene"] == SCENE.read_text(encoding="utf-8")
    assert attributes["version"].count(".") == 2
    assert attributes["systems"] == "ball"
    assert attributes["constraints"] == "floor"
    assert results["systems"][:].tolist() == [[0, 3, 0, -1]]


def test_frames_count_steps_and_time(results):
    assert column(results, "frames", "step").tolist() == list(range(N_STEPS + 1))
    step_size = column(results, "frames", "step_size")
    assert step_size[0] == 0.0 and (step_size[1:] == 0.005).all()
    # Rounding of a time near 10 s.
    np.testing.assert_allclose(column(results, "frames", "t"), 0.005 * np.arange(N_STEPS + 1), atol=1e-12)
    for name in ("q", "v", "energy", "solver", "gaps"):
        assert len(results[name]) == N_STEPS + 1, name


def test_contacts_and_events_are_cut_into_frames(results):
    for end, table, keys in (
        ("contacts_end", "contacts", "contact_keys"),
        ("events_end", "events", "event_keys"),
    ):
        ends = column(results, "frames", end)
        assert ends[0] == 0
        assert (np.diff(ends) >= 0).all()
        assert ends[-1] == len(results[table]) == len(results[keys]) > 0
        assert (column(results, keys, "constraint") == 0).all()
    # The frame that an event is cut into is the step that it names.
    owner = np.searchsorted(column(results, "frames", "events_end"), np.arange(len(results["events"])), "right")
    assert owner.tolist() == column(results, "event_keys", "step").tolist()


def test_force_is_impulse_over_step_size(results):
    ends = column(results, "frames", "contacts_end").astype(int)
    owner = np.repeat(np.arange(N_STEPS + 1), np.diff(ends, prepend=0))
    step_size = column(results, "frames", "step_size")[owner]
    impulse = column(results, "contacts", "impulse")
    assert (impulse >= 0.0).all()
    np.testing.assert_array_equal(column(results, "contacts", "force"), impulse / step_size)


def test_the_contact_obeys_newtons_impact_law(results):
    impulse = column(results, "events", "impulse")
    u_minus, u_plus = column(results, "events", "u_minus"), column(results, "events", "u_plus")
    assert (impulse > 0.0).all()
    # Rounding of velocities near 4 m/s.
    np.testing.assert_allclose(u_plus, -0.9 * u_minus, atol=1e-13)
    assert (column(results, "solver", "converged") == 1.0).all()


def test_the_energy_ledger_closes(results):
    energy = column(results, "energy", "kinetic") + column(results, "energy", "potential")
    works = sum(column(results, "energy", name) for name in WORKS)
    remainder = column(results, "energy", "remainder")
    assert energy[0] == pytest.approx(9.81, abs=1e-14)
    # 2000 roundings of energies near 10 J.
    np.testing.assert_allclose(energy - energy[0] - works, remainder, atol=1e-12)
    assert np.abs(remainder).max() < 1e-12
    # All that was lost went into the contact, and its work adds up.
    lost = column(results, "energy", "contact")[-1]
    assert lost == pytest.approx(column(results, "contacts", "work").sum(), abs=1e-12)
    assert lost < -8.0
    # The velocity of the ball tells the same kinetic energy: m = 1 kg, inertia 3/5 m R².
    v = results["v"][:]
    by_hand = 0.5 * (v[:, 0] ** 2 + v[:, 1] ** 2 + 0.006 * v[:, 2] ** 2)
    np.testing.assert_allclose(column(results, "energy", "kinetic"), by_hand, atol=1e-13)


def test_no_number_is_missing(results):
    for name, table in results.items():
        assert np.isfinite(table[:]).all(), name


def test_gaps_follow_from_positions(results):
    # gap = z − R − h0 with R = 0.1 m, h0 = 0.
    np.testing.assert_allclose(results["gaps"][:].ravel(), results["q"][:][:, 0] - 0.1, atol=1e-15)
