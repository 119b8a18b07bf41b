#!/usr/bin/env bash
# Guess: a URDF joint without <axis> turns about x, which is the format's default, in
# kinpy as in other readers.
#
# Seen (kinpy 0.6.1): it turns about z, MJCF's default and not URDF's; a prismatic one
# slides along z. Nothing warns.
#
# A hip whose roll axis was left out, for it is the default, yaws: the foot is as far away
# as the leg is long. Write every axis before a model goes from one reader to another.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q kinpy==0.6.1 "numpy<3"
"$folder/venv/bin/python" - <<'PY'
from importlib import metadata

import kinpy
import numpy as np

LEG = """
<robot name="leg">
  <link name="pelvis"/>
  <link name="thigh"/>
  <link name="sole"/>
  <joint name="hip" type="{kind}">
    <parent link="pelvis"/><child link="thigh"/>{axis}
    <limit lower="-1" upper="1" effort="80" velocity="10"/>
  </joint>
  <joint name="leg" type="fixed">
    <parent link="thigh"/><child link="sole"/><origin xyz="0 0 -0.8"/>
  </joint>
</robot>
"""
Q = 0.5  # of the hip [rad] or [m]


def place(kind, axis):
    """Return where kinpy has the sole in the pelvis [m]."""
    chain = kinpy.build_chain_from_urdf(LEG.format(kind=kind, axis=axis))
    return np.asarray(chain.forward_kinematics({"hip": Q})["sole"].pos)


print("kinpy", metadata.version("kinpy"))
ROLLED = (0.0, 0.8 * np.sin(Q), -0.8 * np.cos(Q))
X = '<axis xyz="1 0 0"/>'
Z = '<axis xyz="0 0 1"/>'
for kind, axis, expected in (
    ("revolute", X, ROLLED),
    ("revolute", Z, (0.0, 0.0, -0.8)),
    ("revolute", "", (0.0, 0.0, -0.8)),
    ("prismatic", X, (Q, 0.0, -0.8)),
    ("prismatic", "", (0.0, 0.0, Q - 0.8)),
):
    found = place(kind, axis)
    print(f"{kind:9} {axis or 'no axis':19}: the sole is at {found.round(3)}")
    assert np.allclose(found, expected, atol=1e-6), (kind, axis)
PY
