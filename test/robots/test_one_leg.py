# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a leg's joints need to carry the robot alone."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.robots.humanoid import load_humanoid, one_leg_shares


def test_a_knee_carries_the_body_above_it_at_the_lever_by_which_it_stands_ahead():
    humanoid = load_humanoid("surena3")
    model, q, joints = humanoid.model, humanoid.standing(), humanoid.robot.joints

    # moment of the ground about the knee without that of shank and foot
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    pin.centerOfMass(model, data, q, True)
    pin.computeSubtreeMasses(model, data)
    knee = model.getJointId("l_knee")
    total = sum(inertia.mass for inertia in model.inertias)
    lever = data.oMi[knee].translation[0] - data.com[0][0]
    shank = data.mass[knee] * (data.oMi[knee].translation - data.oMi[knee].act(data.com[knee]))[0]
    torque = 9.81 * abs(total * lever - shank)
    shares = one_leg_shares(humanoid)
    k = joints.index("l_knee")
    assert shares[k] * humanoid.efforts[k] == pytest.approx(torque, rel=1e-3)
    assert shares[joints.index("l_hip_roll")] == 0.0
    assert np.isfinite(shares).all()
