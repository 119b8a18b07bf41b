# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid in simulation turns, steps aside and stands as it is commanded."""

import math
from dataclasses import replace

import pytest

from biped_slip.control.friction_governor import STILL_TWIST, Twist
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.steering import Steering

pytestmark = [pytest.mark.compiled, pytest.mark.slow]


def test_talos_turns_steps_aside_and_stands_when_commands_fall_silent():
    walk = HumanoidWalk(
        replace(chosen_walk("talos", "ankles"), distance=50.0), "touchdown", seed=1
    )
    sequencer = walk.sequencer
    limits = sequencer.twist_limits
    steering = Steering(limits, from_start=True)

    def pose(until, twist):
        """Walk by a command, repeated ten times a second, and where that leads."""
        while walk.world.plant.stamp_ns < 1e9 * until:
            stamp = walk.world.plant.stamp_ns
            if twist is not None and walk.world.plant.ticks % 100 == 0:
                steering.take(twist, stamp)
            sequencer.twist = steering.twist(stamp)
            walk.tick()
        q = walk.world.plant.state.q
        return q[0], q[1], 2.0 * math.atan2(q[5], q[6])

    x, y, yaw = pose(1.0, None)
    assert not sequencer.moving
    x, y, turned = pose(5.0, Twist(0.0, 0.0, limits.turn))
    assert 0.4 * 4.0 * limits.turn < turned - yaw < 4.0 * limits.turn
    assert math.hypot(x, y) < 0.1
    x_after, y_after, yaw = pose(9.0, Twist(0.0, limits.aside, 0.0))
    ahead = math.cos(yaw) * (x_after - x) + math.sin(yaw) * (y_after - y)
    aside = math.cos(yaw) * (y_after - y) - math.sin(yaw) * (x_after - x)
    assert 0.4 * 4.0 * limits.aside < aside < 4.0 * limits.aside + 0.09  # and its sway
    assert abs(ahead) < 0.1
    pose(
        13.0, None
    )  # half a second, then the step that is under way, and feet together
    assert steering.twist(walk.world.plant.stamp_ns) == STILL_TWIST
    assert not sequencer.moving
    assert not walk.world.fell
