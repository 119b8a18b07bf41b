# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A healthy start says once what is heard and how often."""

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.ros.diagnostics import COUNTED_TICKS, StartLine  # noqa: E402


def said(line, rates, steps):
    """Lines of so many steps of a kilohertz, with topics that come every so many steps."""
    stamps = {}
    lines = []
    for tick in range(steps):
        for topic, every in rates.items():
            if tick % every == 0:
                stamps[topic] = 1_000_000 * (tick + 1)
        lines.append(line.heard(stamps))
    return [one for one in lines if one]


def test_it_says_each_topic_with_its_rate_once():
    line = StartLine()
    assert said(
        line, {"joint_states": 1, "odom": 4, "imu/data": 2}, 3 * COUNTED_TICKS
    ) == ["hears imu/data 500 Hz, joint_states 1000 Hz, odom 250 Hz"]


def test_a_topic_that_came_once_has_no_rate_and_a_new_start_says_it_again():
    line = StartLine()
    assert said(line, {"joint_states": 1, "odom": 10**6}, 2 * COUNTED_TICKS) == [
        "hears joint_states 1000 Hz, odom once"
    ]
    assert said(line, {"joint_states": 1}, 2 * COUNTED_TICKS) == []
    line = StartLine()
    assert said(line, {"joint_states": 2}, 3 * COUNTED_TICKS) == [
        "hears joint_states 500 Hz"
    ]
