#!/usr/bin/env bash
# Guess: of a URDF's <dynamics damping="0.5" friction="0.3"/> the Robotics Toolbox for
# Python takes 0.5 N m s/rad as viscous and 0.3 N m as dry friction.
#
# Seen (roboticstoolbox-python 1.5.0): the joint's viscous friction `B` is 0.3, its dry
# friction `Tc` is 0, and the damping goes nowhere. `rne` asks for 0.6 N m at 2 rad/s,
# where 1.3 hold the speed, and for 0.003 N m at 0.01 rad/s, where 0.305 do; with a damping
# alone it asks for nothing. Nothing warns.
#
# Motor torques that are to tell the force of the ground have the gear's friction taken
# off: slow joints get a hundredth of it so. Set `B` and `Tc` of each link by yourself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q roboticstoolbox-python==1.5.0 "numpy<3"
"$folder/venv/bin/python" - "$folder/knee.urdf" <<'PY'
import sys
import warnings
from importlib import metadata

import numpy as np
import roboticstoolbox as rtb

KNEE = """
<robot name="knee">
  <link name="thigh"/>
  <link name="shin">
    <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="knee" type="revolute">
    <parent link="thigh"/><child link="shin"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="80" velocity="10"/><dynamics {dynamics}/>
  </joint>
</robot>
"""


def friction(dynamics, speeds):
    """Return B, Tc and the torques [N m] that hold speeds [rad/s] without gravity."""
    with open(sys.argv[1], "w") as file:
        file.write(KNEE.format(dynamics=dynamics))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        robot = rtb.Robot.URDF(sys.argv[1])
    torques = [
        float(robot.rne([0.0], [speed], [0.0], gravity=[0, 0, 0])[0])
        for speed in speeds
    ]
    return float(robot.links[-1].B), robot.links[-1].Tc.tolist(), torques


print("roboticstoolbox-python", metadata.version("roboticstoolbox-python"))
SPEEDS = (0.0, 0.01, 2.0)
for dynamics, viscous in (
    ('damping="0.5" friction="0.3"', 0.3),
    ('damping="0.5"', 0.0),
    ('friction="0.3"', 0.3),
):
    own, dry, torques = friction(dynamics, SPEEDS)
    print(f"{dynamics:28}: B {own}, Tc {dry}, torques {np.round(torques, 4).tolist()}")
    assert own == viscous and dry == [0.0, 0.0], dynamics
    assert np.allclose(torques, [viscous * speed for speed in SPEEDS]), dynamics
PY
