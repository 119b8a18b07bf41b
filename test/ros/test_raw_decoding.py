# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The raw decoder says what the typed one says, or nothing at all; no bytes make it
fail in any other way.

The same trial with a million messages: ``BIPED_SLIP_LONG=1 pytest
test/ros/test_raw_decoding.py``.
"""

import os
import struct

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.serialization import serialize_message  # noqa: E402
from ros.partner import PERIOD, standing  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from biped_slip.ros.dds import SCHEMAS, MessageLayout, shown_together, time_of  # noqa: E402
from biped_slip.ros.messages import Frames, UnusableSample  # noqa: E402
from biped_slip.ros.sensor_inputs import (  # noqa: E402
    CLOCK_JUMP,
    HALF_PERIOD,
    SensorInputs,
)
from biped_slip.ros.stamps import legal_time  # noqa: E402
from synthetic.sensor_messages import SensorMessages  # noqa: E402

JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
SOLES = ("l_sole", "r_sole")
TRIALS = 1_000_000 if os.environ.get("BIPED_SLIP_LONG") else 20_000


def random_messages(rng, stamp=PERIOD):
    """Serialised messages of one instant by topic, with random numbers."""
    readings = standing()._replace(stamp_ns=stamp)
    readings = readings._replace(
        **{
            name: rng.standard_normal(np.shape(values)) * 10.0 ** rng.uniform(-300, 300)
            for name, values in zip(readings._fields[1:], readings[1:], strict=True)
        }
    )
    messages = SensorMessages(JOINTS, SOLES, Frames()).fill(readings)
    return {topic: serialize_message(message) for topic, message in messages.items()}


def heard(inputs, topic, raw):
    """What a decoder makes of some bytes: stamp, problem and all numbers; None:
    nothing."""
    try:
        stamp = inputs.topics[topic].open(raw)
    except UnusableSample:
        return None
    inputs.topics[topic].keep()
    problem = inputs.topics[topic].problem
    numbers = (
        b""
        if problem
        else b"".join(np.asarray(values).tobytes() for values in inputs.readings(0)[1:])
    )
    return stamp, problem, numbers


def decoders():
    """A raw and a typed one that have heard the same first message."""
    pair = SensorInputs(JOINTS, SOLES), SensorInputs(JOINTS, SOLES, raw=False)
    for topic, raw in random_messages(np.random.default_rng(0)).items():
        assert heard(pair[0], topic, raw) == heard(pair[1], topic, raw)
    return pair


def test_valid_messages_are_decoded_from_their_bytes_as_from_their_type():
    raw_way, typed_way = decoders()
    rng = np.random.default_rng(1)
    for k in range(200):
        for topic, raw in random_messages(rng, k * PERIOD).items():
            assert heard(raw_way, topic, raw) == heard(typed_way, topic, raw)
    assert all(topic.by_type == 1 for topic in raw_way.topics.values())
    assert all(topic.by_type == 201 for topic in typed_way.topics.values())


def damaged(rng, raw):
    """Bytes with a few bits turned, cut short or longer, swapped pieces, or random
    altogether."""
    data = bytearray(raw)
    kind = rng.integers(6)
    if kind == 0:
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif kind == 1:
        del data[rng.integers(len(data)) :]
    elif kind == 2:
        data += rng.bytes(rng.integers(1, 40))
    elif kind == 3:
        data = bytearray(rng.bytes(rng.integers(0, 800)))
    elif kind == 4:
        data = data[:4] + rng.bytes(len(data) - 4)
    else:
        at = rng.integers(len(data))
        size = rng.integers(1, 9)
        data[at : at + size] = bytes([rng.choice([0, 1, 255])]) * len(
            data[at : at + size]
        )
    return bytes(data)


def test_random_bytes_never_raise_and_are_accepted_only_as_their_type_says():
    raw_way, typed_way = decoders()
    rng = np.random.default_rng(2)
    valid = random_messages(rng)
    accepted = 0
    topics = list(valid)
    for k in range(TRIALS):
        topic = topics[k % len(topics)]
        bytes_ = damaged(rng, valid[topic])
        ours = heard(raw_way, topic, bytes_)
        theirs = heard(typed_way, topic, bytes_)
        assert ours == theirs, (topic, bytes_.hex())
        accepted += ours is not None and ours[1] is None
        if k % 100 == 0:  # the layout is learnt anew after it was lost
            for other, raw in valid.items():
                assert heard(raw_way, other, raw) == heard(typed_way, other, raw)
    assert 0.02 * TRIALS < accepted < 0.6 * TRIALS  # of turned bits, most turn a number


def stamp_of(raw):
    """The time [ns] of a message."""
    seconds, rest = time_of(raw)
    return seconds * 10**9 + rest


def _stamped(raw, stamp):
    """The same message of another time [ns]."""
    return raw[:4] + struct.pack("<iI", *divmod(stamp, 10**9)) + raw[12:]


def test_messages_are_taken_together_only_when_each_would_be_taken_alone():
    raw_way, _ = decoders()
    rng = np.random.default_rng(4)
    topics = list(raw_way.topics.values())
    tables = tuple(topic.layout.table for topic in topics)
    taken = 0
    trials = TRIALS // 20
    stamps = np.zeros(len(topics), dtype=np.int64)
    for k in range(1, trials):
        now = k * 7_000_003
        off = rng.integers(-1, 2, len(topics)) * int(
            (0.6 if k % 8 == 0 else 0.45) * HALF_PERIOD
        )
        raws = [
            _stamped(raw, now + int(o))
            for raw, o in zip(random_messages(rng).values(), off, strict=True)
        ]
        if k % 2:
            at = rng.integers(len(raws))
            raws[at] = damaged(rng, raws[at])
        ages = [
            stamp_of(raw) - int(stamps.max()) if len(raw) >= 12 else None
            for raw in raws
        ]
        alone = all(
            topic.layout.fits(raw) for topic, raw in zip(topics, raws, strict=True)
        )
        legal = alone and all(
            legal_time(*time_of(raw)) and time_of(raw)[0] >= 0 for raw in raws
        )
        near = legal and all(abs(age - ages[0]) < HALF_PERIOD for age in ages)
        good = near and all(0 < age <= CLOCK_JUMP for age in ages)
        views = [
            value.copy() for topic in topics for value in topic.layout.views.values()
        ]
        expected = list(map(stamp_of, raws)) if good else stamps.tolist()
        assert (
            shown_together(tuple(raws), tables, stamps, CLOCK_JUMP, HALF_PERIOD) == good
        )
        assert stamps.tolist() == expected
        if good:
            taken += 1
            views = [
                MessageLayout(raw, SCHEMAS[t.kind.__name__]).views
                for t, raw in zip(topics, raws, strict=True)
            ]
            views = [value for each in views for value in each.values()]
        shown = [value for topic in topics for value in topic.layout.views.values()]
        assert b"".join(map(bytes, shown)) == b"".join(map(bytes, views))
    assert 0.5 * trials < taken < 0.9 * trials


def test_a_changed_layout_is_learnt_again():
    raw_way, _ = decoders()
    topic = raw_way.topics["joint_states"]
    header = Header(frame_id=Frames().base)
    names = ["neck", "r_knee", "l_hip", "r_hip", "l_knee"]
    for k in range(3):
        values = np.arange(5.0) + k
        message = JointState(
            header=header, name=names, position=values, velocity=-values
        )
        assert heard(raw_way, "joint_states", serialize_message(message))[1] is None
        np.testing.assert_array_equal(
            raw_way.joint_states.position, values[[2, 4, 3, 1]]
        )
    assert topic.by_type == 2
    renamed = JointState(
        header=header,
        name=[*names[:-1], "knee"],
        position=[0.0] * 5,
        velocity=[0.0] * 5,
    )
    assert (
        heard(raw_way, "joint_states", serialize_message(renamed))[1].name
        == "missing joint"
    )
    assert heard(raw_way, "joint_states", serialize_message(message))[1] is None


def test_a_longer_frame_id_moves_every_number_and_none_is_lost():
    rng = np.random.default_rng(3)
    for length in range(12):
        inputs = SensorInputs(JOINTS, ("s" * length, "r_sole"))
        maker = SensorMessages(JOINTS, ("s" * length, "r_sole"), Frames())
        for k in range(3):
            wrench = rng.standard_normal((2, 6))
            message = maker.fill(
                standing()._replace(stamp_ns=k, wrench_ground_on_foot_in_sole=wrench)
            )["l_foot/wrench"]
            assert heard(inputs, "l_foot/wrench", serialize_message(message))[:2] == (
                k,
                None,
            )
            np.testing.assert_array_equal(
                inputs.readings(0).wrench_ground_on_foot_in_sole[0], wrench[0]
            )
        assert inputs.topics["l_foot/wrench"].by_type == 1
