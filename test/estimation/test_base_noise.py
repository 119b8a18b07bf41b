# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What noisy speeds make of the base's wrench is known before the first sample."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.base_noise import SPEED_NOISE, base_noise
from biped_slip.estimation.joint_torque_wrench import (
    BASE_FORCE,
    BASE_MOMENT,
    LOW_PASS,
    JointTorqueWrenches,
)
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.walking.humanoid import leg_gears


@pytest.mark.parametrize("period", [1e-3, 2e-3])
def test_noisy_speeds_of_a_robot_at_rest_move_its_base_by_as_much_as_is_expected(
    period,
):
    g1 = load_humanoid("g1")
    observer = JointTorqueWrenches(g1, leg_gears(g1), period)
    rng = np.random.default_rng(0)
    joints = len(g1.posture)
    seen = []
    for _ in range(3000):
        observer.step(
            g1.posture,
            SPEED_NOISE * rng.standard_normal(joints),
            np.zeros(joints),
            SPEED_NOISE * rng.standard_normal(3),
            np.array([0.0, 0.0, GRAVITY]),
            period,
        )
        seen.append(observer.state.unexplained.base.copy())
    leg = observer.legs.shape[1]
    expected = base_noise(
        floating_functions(g1.robot), g1.posture, leg, LOW_PASS, period
    )
    np.testing.assert_allclose(np.std(seen[100:], axis=0), expected, rtol=0.1)


def test_a_base_errs_by_its_noise_and_by_what_its_model_errs():
    """Also where samples come with another period than was expected."""
    g1 = load_humanoid("g1")
    observer = JointTorqueWrenches(g1, leg_gears(g1), 1e-3)
    at_once = observer._settings.base_sd
    observer.retime(2e-3)
    slower = observer._settings.base_sd
    model = g1.weight * np.repeat([BASE_FORCE, BASE_MOMENT], 3)
    assert (at_once > slower).all()
    assert (slower > model).all()
