"""Opens a collection of frames with VTK's own reader and prints its arrays and ranges.

    python vtk_reader.py <folder>/<name>_bodies.pvd

Needs the package `vtk`. Not part of the ordinary tests.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read(path):
    """The poly data of a file; fails if VTK says anything."""
    said = []
    reader = vtk.vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: said.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: said.append("warning"))
    reader.SetFileName(path)
    if not reader.CanReadFile(path):
        sys.exit(f"{path}: VTK cannot read it")
    reader.Update()
    if said:
        sys.exit(f"{path}: VTK gave {said}")
    return reader.GetOutput()


def describe(name, array):
    if array.size == 0:
        return f"  {name}: {array.dtype} {array.shape}"
    return f"  {name}: {array.dtype} {array.shape} from {array.min():.9g} to {array.max():.9g} sum {array.sum():.9g}"


def main(path):
    folder = os.path.dirname(path)
    for entry in ElementTree.parse(path).getroot().iter("DataSet"):
        data = read(os.path.join(folder, entry.get("file")))
        time = vtk_to_numpy(data.GetFieldData().GetArray("TimeValue"))[0]
        assert time == float(entry.get("timestep")), (time, entry.get("timestep"))
        print(f"t = {time} s: {data.GetNumberOfPoints()} points, "
              f"{data.GetNumberOfVerts()} single, {data.GetNumberOfPolys()} triangles")
        if data.GetNumberOfPolys():
            corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            a, b, c = vtk_to_numpy(data.GetPoints().GetData()).astype(float)[corners].transpose(1, 0, 2)
            volume = (a * numpy.cross(b, c)).sum() / 6
            area = numpy.linalg.norm(numpy.cross(b - a, c - a), axis=1).sum() / 2
            print(f"  volume {volume:.9g} area {area:.9g}")
        if data.GetNumberOfPoints():
            print(describe("points", vtk_to_numpy(data.GetPoints().GetData())))
        arrays = data.GetPointData()
        for k in range(arrays.GetNumberOfArrays()):
            print(describe(arrays.GetArrayName(k), vtk_to_numpy(arrays.GetArray(k))))


if __name__ == "__main__":
    main(sys.argv[1])
