# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that nobody listed are drawn, spoil what they say, and end named or harmless."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.estimation.readings import RANGES, WRENCHES
from studies.drawn_faults import (
    HISTORY,
    HUMANOID,
    PLANAR,
    WAYS,
    Drawn,
    Job,
    Part,
    spoilt,
    try_one,
)
from studies.drawn_faults import Power as WindowPower

PAST = np.arange(2.0 * HISTORY).reshape(HISTORY, 2)


@pytest.mark.parametrize(
    ("way", "numbers"),
    [
        ("negated", -PAST[-1]),
        ("halved", 0.5 * PAST[-1]),
        ("stuck", PAST[0]),
        ("20 ms late", PAST[-21]),
        ("in the wrong order", PAST[-1][::-1]),
        ("unfilled", np.zeros(2)),
    ],
)
def test_a_way_spoils_numbers_as_it_is_called(way, numbers):
    np.testing.assert_array_equal(
        WAYS[way](PAST, PAST[0], np.ones(2), np.random.default_rng(0)), numbers
    )


def test_every_sensor_of_both_kinds_of_robots_is_drawn():
    drawn = {field for part in (*PLANAR, *HUMANOID) for field in part.fields}
    # neither robot has sensors that see its soles, nor asks for its motors' currents
    unasked = {name for name in RANGES if name.startswith("foot_")} | {"joint_torque"}
    assert drawn >= {*RANGES, *WRENCHES, "joint_velocity"} - unasked


def test_a_fault_is_drawn_again_as_it_was_and_ends_named_or_harmless():
    drawn = [try_one(Job("thesis", number)) for number in range(12)]
    assert try_one(Job("thesis", 3)) == drawn[3]
    assert len({one.fault for one in drawn}) == len(drawn)
    assert not [one for one in drawn if not one.harmless]
    assert 2 < sum(bool(one.named) for one in drawn) < 12


def test_a_joint_that_is_driven_or_a_fall_without_a_name_is_a_harm():
    assert Drawn(job=Job("r", 0), fault="f", named="", after=-1.0, power=1.9).harmless
    assert not Drawn(
        job=Job("r", 0), fault="f", named="named", after=0.1, power=2.1
    ).harmless
    assert not Drawn(
        job=Job("r", 0), fault="f", named="", after=-1.0, power=1.0, fell=True
    ).harmless
    assert not Drawn(Job("r", 0), "f", failed="ValueError").harmless


def test_power_is_a_mean_over_fifty_ticks():
    power = WindowPower(1)
    for tick in range(100):
        power.add(np.array([10.0]), np.array([1.0 if tick < 25 else 0.0]))
    assert power.most == pytest.approx(5.0)


def test_only_the_chosen_numbers_of_a_part_are_spoilt():
    from biped_slip.estimation.readings import trial_readings

    seen = list(trial_readings(4)) * 30
    part = Part("wrenches", ("wrench_ground_on_foot_in_sole",))
    scale = {"wrench_ground_on_foot_in_sole": np.ones(12)}
    changed = spoilt(
        seen, seen[0], part, [2], WAYS["unfilled"], scale, np.random.default_rng(0)
    )
    expected = seen[-1].wrench_ground_on_foot_in_sole.copy()
    expected[0, 2] = 0.0
    np.testing.assert_array_equal(changed.wrench_ground_on_foot_in_sole, expected)
    np.testing.assert_array_equal(changed.joint_position, seen[-1].joint_position)
