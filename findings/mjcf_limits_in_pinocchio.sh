#!/usr/bin/env bash
# Guess: Pinocchio reads a joint's limits from an MJCF file as MuJoCo does: the range in
# the joint's own coordinate, the torque limit from the motor's force range.
#
# Seen (pin 4.1.0, mujoco 4.0.0): a joint's `ref` shifts the range by its negative,
# though q is MuJoCo's qpos in both; `neutral` is 0 where MuJoCo's qpos0 is `ref`. The
# motor's `forcerange` is dropped: the effort limit is infinite, and only the joint's own
# `actuatorfrcrange` arrives.
#
# Whoever takes a robot from such a file clamps joints at the wrong place and has motors
# of any strength: add `ref` to Pinocchio's limits, read actuators by yourself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pin==4.1.0 mujoco==4.0.0 "numpy<3"
cat > "$folder/leg.xml" <<'XML'
<mujoco>
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="thigh">
      <joint name="shifted" axis="0 1 0" range="-2 0.5" ref="0.3"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05"/>
      <body name="shin" pos="0 0 -0.4">
        <joint name="limited" axis="0 1 0" range="0 2" actuatorfrcrange="-60 60"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="hip" joint="shifted" forcerange="-80 80"/>
    <motor name="knee" joint="limited"/>
  </actuator>
</mujoco>
XML
"$folder/venv/bin/python" - "$folder/leg.xml" <<'PY'
import sys

import mujoco
import numpy as np
import pinocchio as pin

mj = mujoco.MjModel.from_xml_path(sys.argv[1])
model = pin.buildModelFromMJCF(sys.argv[1])
print("versions", pin.__version__, mujoco.__version__)
print("MuJoCo   ", mj.jnt_range.tolist(), mj.qpos0.tolist(), mj.actuator_forcerange.tolist())
print("Pinocchio", model.lowerPositionLimit, model.upperPositionLimit, pin.neutral(model), model.upperEffortLimit)
assert np.allclose(mj.jnt_range[0], (-2.0, 0.5)) and mj.qpos0[0] == 0.3
assert np.allclose((model.lowerPositionLimit[0], model.upperPositionLimit[0]), (-2.3, 0.2))
assert pin.neutral(model)[0] == 0.0
assert np.isinf(model.upperEffortLimit[0]) and model.upperEffortLimit[1] == 60.0
# the coordinate is the same: places agree at one qpos
data = mujoco.MjData(mj)
data.qpos[:] = (0.1, 0.7)
mujoco.mj_forward(mj, data)
own = model.createData()
pin.forwardKinematics(model, own, np.array((0.1, 0.7)))
shin = mj.body("shin").id
assert np.allclose(data.xpos[shin], own.oMi[2].translation, atol=1e-12)
PY
