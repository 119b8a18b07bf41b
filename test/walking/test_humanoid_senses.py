# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one foot of a humanoid has asked of the floor helps the other one."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.touchdown import TouchdownEstimator
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import HumanoidSenses, standing_readings

ASKED = (0.3, 0.6)  # left, right
STRIDE = 0.3  # [rad] of a hip


class Known(TouchdownEstimator):
    """Left and right in turn have the same answer ever; keeps what it was given."""

    def __init__(self):
        super().__init__()
        self.behind = []

    def step(self, state, measurement, dt, context):
        self.behind.append(context.friction_behind)
        return state, NO_ESTIMATE._replace(mu_median=ASKED[(len(self.behind) - 1) % 2])


@pytest.mark.parametrize(
    ("forward", "expected"), [(0, (0.6, math.nan)), (1, (math.nan, 0.3))]
)
def test_a_foot_ahead_is_given_the_floor_behind_it_and_the_other_one_nothing(
    forward, expected
):
    humanoid = load_humanoid("talos")
    estimator = Known()
    senses = HumanoidSenses(humanoid, estimator)
    hips = [
        humanoid.robot.joints.index(f"leg_{side}_3_joint") for side in ("left", "right")
    ]
    readings = standing_readings(humanoid, external_base=True)
    for _ in range(3):
        one = next(readings)
        joints = np.array(one.raw.joint_position)
        joints[hips[forward]] -= STRIDE
        joints[hips[1 - forward]] += STRIDE
        senses.step(one.raw._replace(joint_position=joints), one.base)
    assert np.array_equal(estimator.behind[-2:], expected, equal_nan=True)
