#!/usr/bin/env bash
# Guess: the Robotics Toolbox for Python turns a joint of a URDF about its <axis>, whichever
# direction that has; at zero the joint changes nothing.
#
# Seen (roboticstoolbox-python 1.5.0): only axes along x, y or z are right. With a unit
# axis between them the child is turned by 1 rad (57.3 degrees) at zero already, and then
# about another axis; a prismatic joint slides along another one. Nothing warns.
#
# Wherever a motor is mounted obliquely (Romeo's neck and elbows, for instance), all links
# below it are somewhere else, and so is every Jacobian. Put the obliqueness in the joint's
# <origin rpy> and let the axis be z: that is read as it should be.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q roboticstoolbox-python==1.5.0 "numpy<3"
"$folder/venv/bin/python" - "$folder/hip.urdf" <<'PY'
import sys
import warnings
from importlib import metadata

import numpy as np
import roboticstoolbox as rtb

HIP = """
<robot name="hip">
  <link name="pelvis"/>
  <link name="thigh"/>
  <joint name="hip" type="{kind}">
    <parent link="pelvis"/><child link="thigh"/>{origin}<axis xyz="{axis}"/>
    <limit lower="-2" upper="2" effort="80" velocity="10"/>
  </joint>
</robot>
"""


def turned(axis, angle):
    """Build the rotation about a unit axis by an angle [rad]."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def pose(kind, axis, value, origin=""):
    """Return rotation and place of the thigh in the pelvis, of the toolbox."""
    written = " ".join(str(part) for part in axis)
    with open(sys.argv[1], "w") as file:
        file.write(HIP.format(kind=kind, axis=written, origin=origin))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        robot = rtb.Robot.URDF(sys.argv[1])
    found = robot.fkine([value], end="thigh").A
    return found[:3, :3], found[:3, 3]


def off(kind, axis, value):
    """Return by how much the toolbox's thigh is turned away from the true one [degree]."""
    true = np.eye(3) if kind == "prismatic" else turned(axis, value)
    cosine = (np.trace(pose(kind, axis, value)[0] @ true.T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


print("roboticstoolbox-python", metadata.version("roboticstoolbox-python"))
for axis in ((1, 0, 0), (0, 1, 0), (0, -1, 0), (0.6, 0, 0.8), (0.48, 0.6, 0.64)):
    at_zero, moved = off("revolute", axis, 0.0), off("revolute", axis, 0.7)
    print(f"about {axis}: off by {at_zero:.1f} degrees at 0, {moved:.1f} at 0.7 rad")
    oblique = max(np.abs(axis)) < 1
    assert np.isclose(at_zero, np.degrees(1.0) if oblique else 0.0, atol=0.01), axis
    assert (moved > 50.0) if oblique else (moved < 0.01), axis
place = pose("prismatic", (0.6, 0, 0.8), 0.7)[1]
print("slid by 0.7 m along (0.6, 0, 0.8):", place.round(3))
assert np.abs(place - 0.7 * np.array((0.6, 0.0, 0.8))).max() > 0.3
# the same axis, written as z of a frame that is turned about y, is right
lean = np.arctan2(0.6, 0.8)
found = pose("revolute", (0, 0, 1), 0.7, f'<origin rpy="0 {lean} 0"/>')[0]
about = turned((0, 1, 0), lean)
assert np.allclose(found, turned((0.6, 0, 0.8), 0.7) @ about, atol=1e-6)
PY
