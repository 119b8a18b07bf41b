# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What noisy speeds make of the base's wrench is known before the first sample."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.base_noise import SPEED_NOISE, SUMMED_TIME, base_noise
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.walking.humanoid import leg_gears


@pytest.mark.parametrize("period", [1e-3, 2e-3])
def test_noisy_speeds_of_a_robot_at_rest_move_its_base_by_as_much_as_is_expected(
    period,
):
    """In the mean over the time of a slide, however often samples come."""
    g1 = load_humanoid("g1")
    observer = JointTorqueWrenches(g1, leg_gears(g1), period)
    rng = np.random.default_rng(0)
    joints = len(g1.posture)
    each = round(SUMMED_TIME / period)
    seen = []
    for _ in range(300 * each):
        observer.step(
            g1.posture,
            SPEED_NOISE * rng.standard_normal(joints),
            np.zeros(joints),
            SPEED_NOISE * rng.standard_normal(3),
            np.array([0.0, 0.0, GRAVITY]),
            period,
        )
        seen.append(observer.state.body.base.copy())
    means = np.reshape(seen, (300, each, 6)).mean(axis=1)[1:]
    expected = base_noise(
        floating_functions(g1.robot), g1.posture, len(observer.legs[0])
    )
    np.testing.assert_allclose(np.std(means, axis=0), expected, rtol=0.15)
