# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a swaying robot should say, against inverse dynamics of the same motion."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.estimation.planted_window import planted_window
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.humanoid_config import SOLES

STEP, RATE = 5e-3, 2.0 * np.pi  # [s], [rad/s]


def test_the_expected_wrench_of_a_torso_that_sways_is_that_of_inverse_dynamics():
    robot = load_humanoid("surena3")
    model, hips = robot.model, [robot.robot.joints.index(name) for name in ("l_hip_pitch", "r_hip_pitch")]
    swing = np.zeros(len(robot.robot.joints))
    swing[hips] = 0.06
    time = np.arange(0.0, 2.0, STEP)
    joints = robot.posture + np.outer(np.sin(RATE * time), swing)
    none = np.zeros((2, 6))
    readings = [
        SensorReadings(round(1e9 * t), q, np.zeros_like(q), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3),
                       np.array([0.0, 0.0, 9.81]), np.zeros(3), np.zeros(3), none)
        for t, q in zip(time, joints, strict=True)
    ]  # fmt: skip
    window = planted_window(model, SOLES, readings)
    data = model.createData()

    def state(k):
        """The left sole at rest at the origin."""
        q = np.concatenate([np.zeros(6), [1.0], joints[k]])
        pin.framesForwardKinematics(model, data, q)
        base = data.oMf[model.getFrameId(SOLES[0])].inverse()
        return np.concatenate([base.translation, pin.Quaternion(base.rotation).coeffs(), joints[k]])

    middle = slice(100, 300)
    wanted = []
    for k in range(middle.start, middle.stop):
        before, now, after = state(k - 1), state(k), state(k + 1)
        v = [pin.difference(model, before, now) / STEP, pin.difference(model, now, after) / STEP]
        push = pin.rnea(model, data, now, 0.5 * (v[0] + v[1]), (v[1] - v[0]) / STEP)[:6]
        wanted.append(pin.SE3(pin.XYZQUATToSE3(now[:7])).act(pin.Force(push)).vector)
    swayed = np.ptp(np.array(wanted), axis=0)
    apart = np.ptp(window.total_wrench[middle] - np.array(wanted), axis=0)
    assert swayed[4] > 20.0  # [N m]
    assert apart[4] < 0.15 * swayed[4]  # both smooth alike, which takes 5 % of it
    assert np.mean(window.total_wrench[middle], axis=0)[2] == pytest.approx(robot.weight, rel=1e-3)
