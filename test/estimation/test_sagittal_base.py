# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A planar biped without odometry knows where its base is, well enough to walk by it."""

import numpy as np
import pytest

from biped_slip.estimation.floating_base import SagittalBase
from biped_slip.estimation.readings import pitch_of
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import Walk

TICKS = 3000


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("name", ["thesis", "thesis_sensors"])
def test_the_base_is_where_odometry_would_have_it(closed, name):
    """Over three seconds of walking; closed: the controller acts on the estimate, not
    on odometry."""
    scenario = chosen_scenario(name)
    walk = Walk(scenario, scenario.walking.policy("interval", 33.0), seed=1)
    base = SagittalBase(walk.robot)
    off = []
    for _ in range(TICKS):
        readings = walk.read()
        found = base.step(readings)
        truth = walk.plant.state
        off.append(
            [
                found.position_base_in_world[2] - truth.q[1],
                found.linear_velocity_in_base[0] - truth.v[0],
            ]
        )
        if closed:
            readings = readings._replace(
                position_base_in_odom=found.position_base_in_world,
                linear_velocity_in_base=found.linear_velocity_in_base,
            )
        walk.advance(walk.controller.step(readings).torques)
    assert not walk.fell
    assert walk.plant.state.q[0] > 1.0
    height, speed = np.sqrt(np.mean(np.square(off), axis=0))
    assert height < 0.005  # [m]
    assert speed < 0.03  # [m/s]


def test_it_does_not_look_at_odometry():
    scenario = chosen_scenario("thesis")
    walk = Walk(scenario, scenario.walking.policy("interval", 33.0))
    plain = SagittalBase(walk.robot)
    blind = SagittalBase(walk.robot)
    for _ in range(50):
        readings = walk.read()
        nowhere = readings._replace(
            position_base_in_odom=np.full(3, np.nan),
            linear_velocity_in_base=np.full(3, np.nan),
        )
        for one, other in zip(plain.step(readings), blind.step(nowhere), strict=True):
            np.testing.assert_array_equal(one, other)
        walk.advance(walk.controller.step(readings).torques)


@pytest.mark.parametrize("pitch", np.linspace(-3.1, 3.1, 9))
def test_a_quaternion_and_its_negative_are_one_attitude(pitch):
    """Drivers turn the sign of all four numbers as they like."""
    quaternion = np.array([0.0, np.sin(0.5 * pitch), 0.0, np.cos(0.5 * pitch)])
    assert pitch_of(quaternion) == pytest.approx(pitch, abs=1e-12)
    assert pitch_of(-quaternion) == pitch_of(quaternion)
