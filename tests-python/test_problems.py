"""What other programs find in problem files that we write, and that we read what they write."""

import json
import os
import subprocess

import h5py
import numpy as np
import pytest

N = 100_000  # above 65 535 entries, where chunks must be cut
STORAGES = [{}, {"chunks": True, "shuffle": True, "compression": "gzip"}]


def solve(folder, problem):
    command = [os.environ["NONSMOOTH_BIN"], "solve", str(problem), "--save", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def add_matrix(group, name, shape, diagonal, **storage):
    """A diagonal matrix by compressed rows; empty if there is no diagonal."""
    part = group.create_group(name)
    n = len(diagonal)
    for key, value in (("m", shape[0]), ("n", shape[1]), ("nzmax", n), ("nz", -2)):
        part[key] = np.array([value], "i4")
    storage = storage if n > 1 else {}
    part.create_dataset("p", data=np.minimum(np.arange(shape[0] + 1), n).astype("i4"), **storage)
    part.create_dataset("i", data=np.arange(n, dtype="i4"), **storage)
    part.create_dataset("x", data=np.asarray(diagonal, float), **storage)


def add_info(group):
    info = group.create_group("info")
    for name in ("title", "description", "math_info"):
        info[name] = np.bytes_(f"the {name}")


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def assert_same(before, after):
    """The same datasets with the same types, shapes and numbers, and a solution."""
    old, new = datasets(before), datasets(after)
    assert set(old) <= set(new)
    assert {name for name in set(new) - set(old) if not name.startswith("solution/")} == set()
    for name, dataset in old.items():
        assert new[name].shape == dataset.shape, name
        np.testing.assert_array_equal(new[name][()], dataset[()], err_msg=name)
        if dataset.dtype.kind != "S":
            assert new[name].dtype == dataset.dtype, name
    for name, dataset in new.items():
        # Long arrays are deflated, short ones lie in one piece.
        assert (dataset.compression == "gzip" and dataset.shuffle) == (dataset.size > 512), name


@pytest.mark.parametrize("storage", STORAGES)
def test_a_global_problem_without_contacts_is_written_with_its_velocity(tmp_path, storage):
    mass, force = 1.0 + np.arange(N) % 7, np.sin(np.arange(N))
    with h5py.File(tmp_path / "falling.hdf5", "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = np.array([3], "i4")
        add_matrix(group, "M", (N, N), mass, **storage)
        add_matrix(group, "H", (N, 0), [])
        vectors = group.create_group("vectors")
        vectors.create_dataset("f", data=force, **storage)
        for name in ("w", "mu"):
            vectors[name] = np.zeros(0)
        add_info(group)
    solve(tmp_path, tmp_path / "falling.hdf5")
    with h5py.File(tmp_path / "falling.hdf5") as before, h5py.File(tmp_path / "falling.solved.hdf5") as after:
        assert_same(before, after)
        np.testing.assert_allclose(after["solution/v"][:], force / mass, rtol=1e-15)
        assert after["fclib_global/info/title"][()] == b"the title"


@pytest.mark.parametrize("storage", STORAGES)
def test_a_local_problem_with_equations_alone_is_solved_and_written(tmp_path, storage):
    n = 1000
    diagonal, offset = 1.0 + np.arange(n) % 5, np.cos(np.arange(n))
    with h5py.File(tmp_path / "joints.hdf5", "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = np.array([2], "i4")
        add_matrix(group, "W", (0, 0), [])
        add_matrix(group, "V", (0, n), [])
        add_matrix(group, "R", (n, n), diagonal, **storage)
        vectors = group.create_group("vectors")
        vectors.create_dataset("s", data=offset, **storage)
        for name in ("q", "mu"):
            vectors[name] = np.zeros(0)
        add_info(group)
    solve(tmp_path, tmp_path / "joints.hdf5")
    with h5py.File(tmp_path / "joints.hdf5") as before, h5py.File(tmp_path / "joints.solved.hdf5") as after:
        assert_same(before, after)
        # Rounding of numbers near 1.
        np.testing.assert_allclose(after["solution/l"][:], -offset / diagonal, atol=1e-14)


def test_a_solved_lcp_is_json_with_its_solution(tmp_path):
    """W = [2 1; 1 2], q = (−1, −1), so z = (1/3, 1/3)."""
    matrix = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n1 2 1\n2 1 1\n2 2 2\n"
    (tmp_path / "two.M.mtx").write_text(matrix)
    problem = {"format": "nonsmooth-lcp/1", "kind": "lcp", "M": "two.M.mtx", "n": 2, "q": [-1, -1]}
    (tmp_path / "two.json").write_text(json.dumps(problem))
    solve(tmp_path, tmp_path / "two.json")
    solved = json.loads((tmp_path / "two.solved.json").read_text())
    assert solved["kind"] == "lcp" and solved["q"] == [-1, -1]
    np.testing.assert_allclose(solved["solution"]["z"], [1 / 3, 1 / 3], atol=1e-15)
    lines = (tmp_path / solved["M"]).read_text().splitlines()
    assert lines[:2] == ["%%MatrixMarket matrix coordinate real general", "2 2 4"]
