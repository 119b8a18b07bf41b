#!/usr/bin/env bash
# Guess: ezc3d reads the unit of each force plate channel, which a C3D file states in
# ANALOG:UNITS, before it computes a centre of pressure.
#
# Seen (ezc3d 1.7.2): it takes moments to be in newtons times POINT:UNITS, whatever
# ANALOG:UNITS says. A plate whose file states millimetres and "N.m" gets a centre of
# pressure within 4 mm of the plate's middle, where the load is 94 mm from it, and a free
# moment of -5 that is called Nmm. Points in metres with moments in "Nmm" put the load
# 91 m away. Forces are right, and nothing warns.
#
# A centre of pressure that hardly moves looks like a quiet stance. Whoever computes sway,
# joint moments or free moments so compares the two UNITS and scales the moments first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ezc3d==1.7.2 "numpy<3"
"$folder/venv/bin/python" - "$folder/stand.c3d" <<'PY'
import sys

import ezc3d
import numpy as np

path = sys.argv[1]
FRAMES = 4
METRES = {"mm": 1e-3, "m": 1.0}
MIDDLE = np.array((0.30, 0.20, 0.0))  # of the plate, in the laboratory [m]
LOAD = np.array((0.05, -0.08, 0.0))  # where the foot presses, in plate axes [m]
SENSOR = np.array((0.0, 0.0, 0.04))  # below the surface; z of the plate points down
AXES = np.diag((1.0, -1.0, -1.0))  # of the plate, in the laboratory
FORCE = np.array((60.0, 30.0, 700.0))  # of the ground on the foot [N]
FREE = np.array((0.0, 0.0, 5.0))  # about the load, in plate axes [N m]


def found(length, moment):
    """Write a plate of type 2; return force [N], centre of pressure [m], free moment."""
    scale = 1.0 / METRES[length]
    file = ezc3d.c3d()
    stated = file["parameters"]
    stated["POINT"]["RATE"]["value"] = [100.0]
    stated["POINT"]["LABELS"]["value"] = ["heel"]
    stated["POINT"]["UNITS"]["value"] = [length]
    file["data"]["points"] = np.ones((4, 1, FRAMES))
    stated["ANALOG"]["RATE"]["value"] = [100.0]
    stated["ANALOG"]["LABELS"]["value"] = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
    stated["ANALOG"]["UNITS"]["value"] = ["N"] * 3 + [moment] * 3
    force = AXES.T @ FORCE
    torque = np.cross(LOAD - SENSOR, force) + FREE
    torque /= METRES[moment.removeprefix("N").removeprefix(".")]
    channels = np.concatenate((force, torque))
    file["data"]["analogs"] = np.tile(channels[:, None], (1, 1, FRAMES))
    corners = [(0.2, 0.3, 0), (-0.2, 0.3, 0), (-0.2, -0.3, 0), (0.2, -0.3, 0)]
    corners = (MIDDLE + np.array(corners) @ AXES.T).T * scale
    plate = {
        "USED": np.array([1]),
        "TYPE": np.array([2]),
        "ZERO": np.array([0, 0]),
        "CORNERS": corners[:, :, None],
        "ORIGIN": -SENSOR[:, None] * scale,
        "CHANNEL": np.arange(1, 7)[:, None],
    }
    for name, value in plate.items():
        own = stated["FORCE_PLATFORM"][name]
        own.update(value=value, dimension=list(value.shape))
    file.write(path)
    plate = ezc3d.c3d(path, extract_forceplat_data=True)["data"]["platform"][0]
    return (
        plate["force"][:, 0],
        plate["center_of_pressure"][:, 0] / scale,
        plate["Tz"][2, 0],
        plate["unit_moment"],
    )


print("version", ezc3d.__version__)
true = MIDDLE + AXES @ LOAD
off = np.linalg.norm(true - MIDDLE)
print("the load is at", true, "m, its free moment", (AXES @ FREE)[2], "N m")
results = {}
for length, moment in (("mm", "Nmm"), ("m", "N.m"), ("mm", "N.m"), ("m", "Nmm")):
    force, point, free, unit = found(length, moment)
    results[length, moment] = point, round(float(free), 2), unit
    away = np.linalg.norm(point - MIDDLE)
    print(f"{length:2} and {moment:3}: {away:.4f} m from the middle, {free:.6g} {unit}")
    assert np.allclose(force, FORCE, atol=1e-3)
for alike, free in ((("mm", "Nmm"), (-5000.0, "Nmm")), (("m", "N.m"), (-5.0, "Nm"))):
    assert np.allclose(results[alike][0], true, atol=1e-5), alike
    assert results[alike][1:] == free, alike
point, *free = results["mm", "N.m"]
assert np.linalg.norm(point - MIDDLE) < 0.004 < off and free == [-5.0, "Nmm"]
point, *free = results["m", "Nmm"]
assert np.linalg.norm(point - MIDDLE) > 80.0 and free == [-5000.0, "Nm"]
PY
