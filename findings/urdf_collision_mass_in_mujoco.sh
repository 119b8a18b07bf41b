#!/usr/bin/env bash
# Guess: a URDF's masses are those of its <inertial> elements; a link without one, such as
# a sole frame with a collision box, weighs nothing, in MuJoCo as in other readers.
#
# Seen (mujoco 4.0.0, pin 4.1.0): MuJoCo fuses the fixed link into its parent and adds the
# box's volume at 1000 kg/m^3 to it, though the parent states its inertia. Here a foot of
# 0.6 kg weighs 1.05 kg; Pinocchio has 0.6 kg.
#
# A robot's feet are so a fifth to three quarters heavier in simulation than in its model:
# forces at the ankle read the inertia of a mass that is not there as friction.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pin==4.1.0 mujoco==4.0.0 "numpy<3"
cat > "$folder/foot.urdf" <<'XML'
<robot name="foot">
  <link name="shin">
    <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="foot">
    <inertial><mass value="0.6"/><inertia ixx="0.001" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="ankle" type="revolute">
    <parent link="shin"/><child link="foot"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 -0.3"/><limit lower="-1" upper="1" effort="50" velocity="10"/>
  </joint>
  <link name="sole">
    <collision><geometry><box size="0.2 0.09 0.025"/></geometry></collision>
  </link>
  <joint name="sole_joint" type="fixed">
    <parent link="foot"/><child link="sole"/><origin xyz="0.03 0 -0.04"/>
  </joint>
</robot>
XML
"$folder/venv/bin/python" - "$folder/foot.urdf" <<'PY'
import sys

import mujoco
import numpy as np
import pinocchio as pin

mj = mujoco.MjModel.from_xml_path(sys.argv[1])
model = pin.buildModelFromUrdf(sys.argv[1])
masses = {mj.body(i).name: round(float(mj.body_mass[i]), 4) for i in range(mj.nbody)}
print("versions", mujoco.__version__, pin.__version__)
print("MuJoCo", masses, "Pinocchio", round(model.inertias[1].mass, 4))
assert np.isclose(masses["foot"], 0.6 + 1000.0 * 0.2 * 0.09 * 0.025)
assert np.isclose(model.inertias[1].mass, 0.6)
PY
