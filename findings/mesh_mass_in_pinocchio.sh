#!/usr/bin/env bash
# Guess: a body without <inertial> weighs what its geoms do, also where they are meshes:
# Pinocchio gives it MuJoCo's mass, density times volume.
#
# Seen (pin 4.1.0, mujoco 4.0.0): Pinocchio takes 1 kg for each mesh, whatever its size
# and the geom's density; a box of the same sides gets its mass.
#
# Hands and covers are often meshes without inertia: a humanoid of 53 kg with 64 of them
# weighs 116 kg so. Compute volume times density by yourself and write <inertial>.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pin==4.1.0 mujoco==4.0.0 "numpy<3"
"$folder/venv/bin/python" - "$folder" <<'PY'
import itertools
import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

folder = Path(sys.argv[1])
corners = list(itertools.product((-0.1, 0.1), repeat=3))
sides = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
cube = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {side}" for side in sides]
(folder / "cube.obj").write_text("\n".join(cube) + "\n")


def masses(geoms):
    """Masses of one body with these geoms: MuJoCo's, Pinocchio's [kg]."""
    path = folder / "robot.xml"
    path.write_text(
        '<mujoco><asset><mesh name="cube" file="cube.obj"/></asset><worldbody>'
        f'<body name="one"><freejoint/>{geoms}</body></worldbody></mujoco>'
    )
    mj = mujoco.MjModel.from_xml_path(str(path))
    model = pin.buildModelFromMJCF(str(path))
    return float(mj.body_mass[1]), float(model.inertias[1].mass)


print("versions", pin.__version__, mujoco.__version__)
MESH = '<geom type="mesh" mesh="cube"/>'
for name, geoms, expected in (
    ("a box", '<geom type="box" size="0.1 0.1 0.1"/>', (8.0, 8.0)),
    ("a mesh", MESH, (8.0, 1.0)),
    ("two meshes", MESH + MESH, (16.0, 2.0)),
    ("a light one", '<geom type="mesh" mesh="cube" density="100"/>', (0.8, 1.0)),
):
    found = masses(geoms)
    print(f"{name:12} MuJoCo {found[0]:5.2f} kg, Pinocchio {found[1]:5.2f} kg")
    assert np.allclose(found, expected, atol=1e-6), name
PY
