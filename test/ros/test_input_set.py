# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Mailboxes to instants: a flood ends a look, and in order nothing that came is passed
over."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.estimation.readings import NamedCounter, SensorReadings  # noqa: E402
from biped_slip.ros.messages import Frames, SerialisedSensors  # noqa: E402
from biped_slip.ros.sensor_inputs import (  # noqa: E402
    MOST_MESSAGES_AT_ONCE,
    InputSet,
    Lockstep,
    SensorInputs,
)

JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
SOLES = ("l_sole", "r_sole")
MILLISECOND = 1_000_000  # [ns]


def at(stamp):
    """Readings of a robot that stands."""
    n = np.zeros(len(JOINTS))
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    return SensorReadings(
        stamp, n, n, upright, *(np.zeros(3) for _ in range(4)), np.zeros((2, 6))
    )


class Flood:
    """A subscription that never runs dry."""

    def __init__(self, raw):
        self.raw = raw
        self.taken = 0

    def next(self):
        self.taken += 1
        assert self.taken < 1000, "a look that never ends"
        return self.raw

    def take(self):
        return iter(self.next, None)


def set_of(boxes, in_order):
    """An input set on mailboxes of its own, and its counter."""

    input_set = object.__new__(InputSet)
    skipped = NamedCounter()
    input_set.topics = inputs().topics
    input_set._skipped = skipped
    input_set.boxes = boxes
    input_set._in_order = in_order
    input_set._backwards = list(reversed(input_set.boxes))
    input_set._others = []
    input_set.forget()
    return input_set, skipped


def inputs():
    return SensorInputs(JOINTS, SOLES)


@pytest.mark.parametrize("in_order", [False, True])
def test_a_flood_ends_a_look_after_some_messages_and_is_one_counter(in_order):
    boxes = {name: Flood(b"garbage %d" % k) for k, name in enumerate(inputs().topics)}
    input_set, skipped = set_of(boxes, in_order)
    for _ in range(3):
        input_set.take(0.0)
    assert all(
        box.taken <= 3 * (MOST_MESSAGES_AT_ONCE + 2) for box in input_set.boxes.values()
    )
    assert len(skipped) == len(input_set.boxes)


class Queue(list):
    """A mailbox with messages that wait."""

    def next(self):
        return self.pop(0) if self else None

    def take(self):
        return iter(self.next, None)


def played(schedule, lost=(), in_order=True):
    """Stamps that are due to a lockstep pace, in ticks: in each round a topic's next so
    many messages arrive.

    Args:
        schedule: rounds of (topic, messages); all stamps of one tick differ by some
            microseconds.
        lost: pairs of topic and tick that never arrive.
    """
    names = list(inputs().topics)
    input_set, skipped = set_of({name: Queue() for name in names}, in_order)
    pacing = Lockstep(1.0)
    sent = dict.fromkeys(names, 0)
    due = []
    messages = SerialisedSensors(JOINTS, SOLES, Frames())
    for arrivals in schedule:
        for name, count in arrivals:
            for _ in range(count):
                sent[name] += 1
                stamp = sent[name] * MILLISECOND + 5_000 * names.index(name)
                if (name, sent[name]) not in lost:
                    input_set.boxes[name].append(bytes(messages.fill(at(stamp))[name]))
        for _ in range(40):
            input_set.take(0.0)
            if (found := pacing.due(input_set)) is not None:
                due.append(round(found.stamp_ns / MILLISECOND))
    return due, skipped


SENSORS_LATE = [
    [("joint_states", 3)],
    [(name, 1) for name in ("imu/data", "odom", "l_foot/wrench", "r_foot/wrench")],
]
ALL_AT_ONCE = [
    [
        (name, 30)
        for name in (
            "joint_states",
            "imu/data",
            "odom",
            "l_foot/wrench",
            "r_foot/wrench",
        )
    ]
]
ONE_BY_ONE = [
    [(name, 1)]
    for name in ("l_foot/wrench", "joint_states", "odom", "r_foot/wrench", "imu/data")
]


@pytest.mark.parametrize(
    ("schedule", "ticks"),
    [
        (SENSORS_LATE + SENSORS_LATE[1:] * 2, 3),
        (ALL_AT_ONCE, 30),
        (ONE_BY_ONE * 20, 20),
    ],
)
def test_in_order_every_instant_is_due_once_however_its_messages_arrive(
    schedule, ticks
):
    due, skipped = played(schedule)
    assert due == list(range(1, ticks + 1))
    assert not skipped


def test_in_order_an_instant_that_lost_a_message_is_passed_over_and_counted():
    due, skipped = played(ALL_AT_ONCE, lost={("odom", 7), ("joint_states", 11)})
    assert due == [tick for tick in range(1, 31) if tick not in (7, 11)]
    assert skipped == {"incomplete instant": 2}
