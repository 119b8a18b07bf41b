# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid with its own URDF.

Run it as: python examples/own_humanoid.py [ROBOT.yaml] [METRES]; with 0, it only
stands.

The YAML names the URDF and what it does not say, see docs/bring_your_own_robot.md; here
it is Romeo's.
"""

import sys
from pathlib import Path

import biped_slip as bs

ROMEO = """
description: example-robot-data:romeo_description/urdf/romeo_small.urdf  # or a path
imu: {link: ImuTorsoAccelerometer_frame}
l_ft: {link: l_ankle}
r_ft: {link: r_ankle}
contact: {polygon: [[-0.08, -0.05], [0.13, -0.05], [0.13, 0.05], [-0.08, 0.05]]}
posture:
  {LHipPitch: -0.2, LKneePitch: 0.4, LAnklePitch: -0.2,
   RHipPitch: -0.2, RKneePitch: 0.4, RAnklePitch: -0.2}
armature: 0.05
"""
robot = sys.argv[1] if len(sys.argv) > 1 else "romeo.yaml"
if robot == "romeo.yaml":
    Path(robot).write_text(ROMEO, encoding="utf-8")
metres = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0

humanoid = bs.load_humanoid(robot)
print(f"{humanoid.weight:.0f} N, {len(humanoid.robot.joints)} joints")
Path("walk.yaml").write_text(
    f"robot: {robot}\ndistance: {max(metres, 0.01)}\npatch: {{length: 0.0}}\n",
    encoding="utf-8",
)
walk = bs.HumanoidWalk(bs.chosen_walk("walk.yaml"), "touchdown", seed=1)
while not walk.ended and (metres > 0.0 or len(walk.ticks) < 20):
    walk.tick()
print(bs.summarise_humanoid(walk))
