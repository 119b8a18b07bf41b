# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Readings of a humanoid that stands, as a controller is tried on before its robot is
there."""

from itertools import islice

import numpy as np
import pytest

from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import leg_gears, standing_readings

BOTH = frozenset({"foot_imus", "force_torque"})


@pytest.mark.parametrize("name", ["g1", "talos"])
def test_the_torques_of_its_motors_are_those_that_tell_half_its_weight_on_each_foot(
    name,
):
    humanoid = load_humanoid(name)
    wrenches = JointTorqueWrenches(humanoid, leg_gears(humanoid), 1e-3)
    for readings in islice(standing_readings(humanoid), 200):
        raw = readings.raw
        found = wrenches.step(
            position=raw.joint_position,
            velocity=raw.joint_velocity,
            torque=raw.joint_torque,
            rate=raw.imu[:3],
            felt=raw.imu[3:],
            dt=1e-3,
        )
    half = 0.5 * humanoid.weight
    np.testing.assert_allclose(found.wrench[:, 2], half, rtol=2e-3)
    np.testing.assert_allclose(found.wrench[:, :2], 0.0, atol=1e-3 * half)
    # base and legs agree
    assert found.contradiction[0] < 0.01


def test_what_is_absent_is_nan_and_nothing_else_changes():
    humanoid = load_humanoid("g1")
    whole = next(standing_readings(humanoid, external_base=True))
    bare = next(standing_readings(humanoid, external_base=True, absent=BOTH))
    for name, value in whole.raw._asdict().items():
        if name in BOTH:
            assert np.isfinite(value).all()
            value = np.full_like(value, np.nan)
        np.testing.assert_array_equal(getattr(bare.raw, name), value, err_msg=name)
    for mine, other in zip(bare.base, whole.base, strict=True):
        np.testing.assert_array_equal(mine, other)
