"""What other programs find in results.h5: the layout and the promises of its tables."""

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "scenes" / "bouncing-ball.toml"
COORDINATES = ["ball.z", "ball.v_z", "ball.x", "ball.v_x", "ball.phi", "ball.v_phi"]
WORKS = [
    "external", "viscous", "impact", "contact", "friction", "joint", "drive", "prescribed", "exchange", "scheme",
    "projection",
]
COLUMNS = {
    "coordinates": ["t", *COORDINATES],
    "energy": ["t", "kinetic", "potential", *WORKS, "remainder"],
    "contacts": [
        "t", "a", "b", "x", "y", "z", "n_x", "n_y", "n_z", "gap", "u_n", "p_n", "p_t1", "p_t2", "f_n", "f_t1", "f_t2",
    ],
    "events": ["t", "kind", "name", "a", "b", "gap", "u_minus", "u_plus", "impulse", "energy"],
    "solver": ["t", "residual", "iterations", "newton_iterations", "converged"],
    "gaps": ["t", "floor"],
    "frames": ["t", "step", "step_size", "bodies_end", "contacts_end", "joints_end", "events_end", "present"],
}
TEXTS = {"a", "b", "kind", "name"}
PLACE = {"x", "y", "z", "n_x", "n_y", "n_z"}  # Only contacts of bodies have one.
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
    return results[table][name]


def text(results, table, name):
    return [entry.decode() for entry in column(results, table, name)]


def test_records_have_the_names_of_their_columns(results):
    for name, table in results.items():
        assert list(table.dtype.names) == COLUMNS[name], name
        for field in table.dtype.names:
            kind = "S" if field in TEXTS else "f"
            assert table.dtype[field].kind == kind, (name, field)


def test_every_table_says_what_it_holds(results):
    assert set(results) == set(COLUMNS)
    for name, table in results.items():
        assert table.attrs["columns"].split(",") == COLUMNS[name], name
        assert table.attrs["width"] == len(COLUMNS[name]), name
        assert table.attrs["about"] and table.attrs["unit"], name


def test_every_table_has_a_leading_time(results):
    for name in results:
        t = column(results, name, "t")
        assert (np.diff(t) >= 0.0).all() and 0.0 <= t[0] and t[-1] <= 10.0 + 1e-12, name


def test_coordinates_stand_beside_their_velocities(results):
    assert len(results["coordinates"]) == N_STEPS + 1
    first = results["coordinates"][0]
    assert [first[name] for name in COORDINATES] == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_the_file_carries_its_scene(results):
    attributes = results.attrs
    assert attributes["program"] == "nonsmooth"
    assert attributes["title"] == "Bouncing ball"
    assert attributes["scene"] == SCENE.read_text(encoding="utf-8")
    assert attributes["version"].count(".") == 2
    assert attributes["systems"] == "ball"
    assert attributes["constraints"] == "floor"


def test_frames_count_steps_and_time(results):
    assert column(results, "frames", "step").tolist() == list(range(N_STEPS + 1))
    step_size = column(results, "frames", "step_size")
    assert step_size[0] == 0.0 and (step_size[1:] == 0.005).all()
    # Rounding of a time near 10 s.
    np.testing.assert_allclose(column(results, "frames", "t"), 0.005 * np.arange(N_STEPS + 1), atol=1e-12)
    for name in ("coordinates", "energy", "solver", "gaps"):
        assert len(results[name]) == N_STEPS + 1, name


def test_contacts_and_events_are_cut_into_frames(results):
    t = column(results, "frames", "t")
    for table in ("contacts", "events"):
        ends = column(results, "frames", f"{table}_end")
        assert ends[0] == 0
        assert (np.diff(ends) >= 0).all()
        assert ends[-1] == len(results[table]) > 0
        # The frame that a row is cut into is the one whose time it has.
        owner = np.searchsorted(ends, np.arange(len(results[table])), "right")
        np.testing.assert_array_equal(column(results, table, "t"), t[owner])
    assert set(text(results, "contacts", "a")) == {"floor"} and set(text(results, "contacts", "b")) == {""}
    assert set(text(results, "events", "name")) == {"floor"} and set(text(results, "events", "kind")) == {"impact"}


def test_force_is_impulse_over_step_size(results):
    impulse = column(results, "contacts", "p_n")
    assert (impulse >= 0.0).all()
    np.testing.assert_array_equal(column(results, "contacts", "f_n"), impulse / 0.005)


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
    # All that was lost went into impacts and the contact that lasts, and the events add up.
    lost = column(results, "energy", "impact")[-1]
    assert lost == pytest.approx(column(results, "events", "energy").sum(), abs=1e-12)
    assert lost + column(results, "energy", "contact")[-1] < -8.0
    # The velocity of the ball tells the same kinetic energy: m = 1 kg, inertia 3/5 m R².
    v = {name: column(results, "coordinates", f"ball.v_{name}") for name in ("z", "x", "phi")}
    by_hand = 0.5 * (v["z"] ** 2 + v["x"] ** 2 + 0.006 * v["phi"] ** 2)
    np.testing.assert_allclose(column(results, "energy", "kinetic"), by_hand, atol=1e-13)


def test_no_number_is_missing(results):
    for table, names in COLUMNS.items():
        for name in names:
            if name not in TEXTS and not (table == "contacts" and name in PLACE):
                assert np.isfinite(column(results, table, name)).all(), (table, name)
    assert all(np.isnan(column(results, "contacts", name)).all() for name in PLACE)


def test_gaps_follow_from_positions(results):
    # gap = z − R − h0 with R = 0.1 m, h0 = 0.
    np.testing.assert_allclose(column(results, "gaps", "floor"), column(results, "coordinates", "ball.z") - 0.1, atol=1e-15)
