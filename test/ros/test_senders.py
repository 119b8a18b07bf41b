# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One rule for the headers of every topic: no first message decides for good."""

import itertools

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu

from biped_slip.ros.messages import InputTopic
from biped_slip.ros.stamps import WINDOW, ClockRange, FrameVote, Sender

SECOND = 1_000_000_000


def refused(sender, frames):
    """Which of a sequence of messages, a second apart, a sender's rule refuses."""
    return [
        sender.problem(SECOND * (number + 1), frame) is not None
        for number, frame in enumerate(frames)
    ]


def test_a_first_message_from_another_frame_is_outvoted_by_the_second_honest_one():
    found = refused(Sender("wrench"), ["torso", *["l_sole"] * 50])
    assert found == [False, True, *[False] * 49]


@pytest.mark.parametrize("foreign", range(1, WINDOW // 2))
def test_as_many_honest_messages_as_foreign_ones_and_one_more_win_the_vote(foreign):
    found = refused(Sender("wrench"), ["torso"] * foreign + ["l_sole"] * 50)
    assert sum(found) == foreign
    assert not any(found[2 * foreign :])


def test_now_and_then_a_foreign_message_is_refused_and_the_honest_ones_pass():
    frames = [("torso" if k % 3 == 2 else "l_sole") for k in range(300)]
    assert refused(Sender("wrench"), frames) == [frame == "torso" for frame in frames]


def test_a_given_frame_is_never_outvoted():
    found = refused(Sender("wrench", frame="l_sole"), ["torso"] * 50 + ["l_sole"])
    assert found == [True] * 50 + [False]


@pytest.mark.parametrize("frame", ["map", "/odom", "world", ""])
def test_a_majority_in_a_frame_of_the_world_is_refused_all_the_same(frame):
    found = refused(Sender("wrench"), [frame] * 50 + ["l_sole"] * 50)
    assert found == [True] * 50 + [False] * 50  # and it has no vote


def test_messages_that_were_not_looked_at_count_as_the_frame_in_force():
    vote = FrameVote()
    assert vote.expected("l_sole") == "l_sole"
    vote.agree(1000)
    assert [vote.expected("torso") for _ in range(WINDOW // 2)] == (
        ["l_sole"] * (WINDOW // 2)
    )
    assert vote.expected("torso") == "torso"  # the larger half of the window


def raw(kind, frame, stamp):
    message = kind()
    message.header.frame_id = frame
    message.header.stamp.sec = stamp
    return serialize_message(message)


@pytest.mark.parametrize("kind", [Imu, WrenchStamped])
def test_sensors_keep_the_frame_that_most_of_their_messages_say(kind):
    """By layouts as by types: a thousand messages that were only compared with the
    layout count as well as those that were read."""
    path = "angular_velocity" if kind is Imu else "wrench"
    topic = InputTopic("sensor", kind, [path])
    stamps = itertools.count(1)

    def problem(frame):
        topic.open(raw(kind, frame, next(stamps)))
        topic.keep()
        return topic.problem

    assert problem("torso") is None
    assert problem("imu_link").name == "wrong frame"
    for _ in range(1000):
        assert problem("imu_link") is None
    for _ in range(WINDOW // 2):
        assert problem("torso").name == "wrong frame"
    assert topic.by_type < 20
    for _ in range(1000):
        assert problem("imu_link") is None


@pytest.mark.parametrize("late", [0.0, 0.4, -0.4, 0.6, -0.6, 3600.0, -3600.0])
def test_a_stamp_may_differ_from_the_listeners_clock_by_the_tolerance_both_ways(late):
    clock = ClockRange(now_ns=5000 * SECOND, tolerance=0.5)
    stamp = round((5000.0 - late) * SECOND)
    problem = Sender("wrench").problem(stamp, "l_sole", clock)
    assert (problem is None) == (abs(late) <= 0.5)
    if problem is not None:
        assert problem.name == "stale stamp"
        assert f"{abs(late):.1f} s" in problem.detail


def test_a_stamp_of_another_hour_does_not_make_those_of_now_late():
    clock = ClockRange(now_ns=5000 * SECOND, tolerance=0.5)
    sender = Sender("wrench")
    assert sender.problem(8600 * SECOND, "l_sole", clock) is not None
    assert sender.problem(5000 * SECOND, "l_sole", clock) is None


def test_commands_may_have_no_stamp_no_frame_and_one_stamp_twice():
    clock = ClockRange(now_ns=5000 * SECOND, tolerance=0.5)
    sender = Sender("cmd_vel", commands=True)
    for stamp in (0, 0, 5000 * SECOND, 5000 * SECOND, 0):
        assert sender.problem(stamp, "", clock) is None
    assert sender.problem(4000 * SECOND, "", clock).name == "stale stamp"
