# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a person looks at is drawn from messages of one time."""

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from sensor_msgs.msg import JointState

from biped_slip.ros.stamps import JUMP, Present, stamp_of

LEADING = "joint_states"
OTHER = "odom"


def message(stamp_ns):
    said = JointState()
    said.header.stamp.sec = stamp_ns // 1_000_000_000
    said.header.stamp.nanosec = stamp_ns % 1_000_000_000
    return said


NOW = 7_000_000_000


@pytest.mark.parametrize("stamp", [0, 5, NOW, -1, -2_000_000_000_000_000_001])
def test_a_stamp_is_seconds_and_a_whole_rest(stamp):
    assert stamp_of(message(stamp)) == stamp


@pytest.mark.parametrize("off", [0, -JUMP, JUMP, 1000])
def test_a_message_of_the_present_is_shown(off):
    present = Present(LEADING)
    other = message(NOW + off)
    present.take(OTHER, [other])
    assert present.get(OTHER) is None  # nothing leads yet
    present.take(LEADING, [message(NOW)])
    assert present.get(OTHER) is other


@pytest.mark.parametrize("off", [-JUMP - 1, JUMP + 1, -3_600_000_000_000])
def test_a_message_of_another_time_counts_as_none(off):
    present = Present(LEADING)
    present.take(LEADING, [message(NOW)])
    present.take(OTHER, [message(NOW + off)])
    assert present.get(OTHER) is None


def test_a_sender_that_falls_silent_is_no_longer_shown_and_comes_back():
    present = Present(LEADING)
    present.take(OTHER, [message(NOW)])
    for k in range(10):
        present.take(LEADING, [message(NOW + k * JUMP // 4)])
        assert (present.get(OTHER) is None) == (k > 4)
    back = message(NOW + 9 * JUMP // 4)
    assert present.take(OTHER, [back])
    assert present.get(OTHER) is back


@pytest.mark.parametrize("late", [0, 1, JUMP - 1])
def test_a_message_that_comes_late_does_not_replace_a_newer_one(late):
    present = Present(LEADING)
    newer = message(NOW)
    assert present.take(LEADING, [newer])
    assert not present.take(LEADING, [message(NOW - late)])
    assert present.get(LEADING) is newer


def test_one_stamp_from_another_time_hides_nothing_for_good():
    """It runs ahead by an hour, or behind by as much as a stamp can be."""
    for wrong in (NOW + 3_600_000_000_000, -2_000_000_000_000_000_000):
        present = Present(LEADING)
        present.take(OTHER, [message(NOW)])
        present.take(LEADING, [message(NOW), message(wrong)])
        assert present.get(OTHER) is None
        assert present.take(LEADING, [message(NOW + 1)])
        assert present.get(OTHER) is not None


def test_a_recording_that_begins_again_is_a_new_time():
    present = Present(LEADING)
    for topic in (LEADING, OTHER):
        present.take(topic, [message(NOW)])
    assert present.take(LEADING, [message(0)])
    assert present.get(OTHER) is None
    assert present.take(OTHER, [message(0)])
    assert present.get(OTHER) is not None
