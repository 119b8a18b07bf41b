# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Readings, commands, estimates and records go through messages and come back exactly;
bad ones are named."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import WrenchStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.estimation.readings import WRENCH_FIELD, NamedCounter, SensorReadings  # noqa: E402
from biped_slip.friction_estimation.types import (  # noqa: E402
    NO_ESTIMATE,
    EstimateState,
    FrictionEstimate,
)
from biped_slip.ros import messages as input_topic  # noqa: E402
from biped_slip.ros.messages import (  # noqa: E402  # noqa: E402
    ESTIMATE_NAMES,
    CommandMessage,
    Frames,
    JointEfforts,
    NamedScalars,
    SerialisedCommand,
    SerialisedScalars,
    SerialisedSensors,
    UnusableSample,
    answered_stamp,
    checked,
    estimate_from,
    estimate_in_words,
    record_names,
)
from biped_slip.ros.nodes.contact_simulator import CommandGate  # noqa: E402
from biped_slip.ros.planar_robot import (  # noqa: E402
    OWN_FIELDS,
    planar_record_from,
    planar_record_values,
)
from biped_slip.ros.sensor_inputs import SensorInputs  # noqa: E402
from biped_slip.walking.planar import PlanarOutput  # noqa: E402
from synthetic.sensor_messages import SensorMessages  # noqa: E402

JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
SOLES = ("l_sole", "r_sole")


def readings(seed=0, stamp=1_234_567_890_123_456_789):
    rng = np.random.default_rng(seed)
    sizes = [4, 4, 4, 3, 3, 3, 3]
    feet = (rng.standard_normal((2, width)) for width in (6, 3, 3, 3))
    return SensorReadings(stamp, *(rng.standard_normal(n) for n in sizes), *feet)


def over_the_wire(message):
    return deserialize_message(serialize_message(message), type(message))


def messages(values, source="odometry"):
    filled = SensorMessages(JOINTS, SOLES, Frames(), source).fill(values)
    return {topic: over_the_wire(message) for topic, message in filled.items()}


def received(arrived, inputs=None):
    """Readings of messages, by way of their bytes."""
    inputs = inputs or SensorInputs(JOINTS, SOLES)
    for topic, message in arrived.items():
        stamp = inputs.topics[topic].open(serialize_message(message))
        inputs.topics[topic].keep()
    return inputs.readings(stamp)


@pytest.mark.parametrize("seed", range(5))
def test_readings_come_back_bit_for_bit(seed):
    sent = readings(seed)
    came = received(messages(sent))
    for name, a, b in zip(
        SensorReadings._fields[:WRENCH_FIELD], sent, came, strict=False
    ):
        np.testing.assert_array_equal(a, b, err_msg=name)
    assert np.isnan(np.array(came[WRENCH_FIELD:])).all(), (
        "a robot without such sensors says nothing of them"
    )


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        ("foot_imu", ["foot_specific_force_in_sole", "foot_angular_velocity_in_sole"]),
        ("external", ["foot_position_in_world"]),
    ],
)
def test_sensors_of_the_feet_have_topics_where_the_motion_source_needs_them(
    source, fields
):
    sent = readings()
    arrived = messages(sent, source)
    assert list(arrived)[-1] == "joint_states", "it triggers the step"
    came = received(arrived, SensorInputs(JOINTS, SOLES, source))
    for name in SensorReadings._fields[WRENCH_FIELD:]:
        there = getattr(came, name)
        assert (
            np.array_equal(there, getattr(sent, name))
            if name in fields
            else np.isnan(there).all()
        )


def test_an_estimate_in_words_names_state_interval_and_reason():
    known = NO_ESTIMATE._replace(
        mu=0.41, mu_low=0.35, mu_high=0.5, mu_demonstrated=0.3, state_code=3
    )
    assert (
        estimate_in_words(known) == "usable, mu 0.410, in 0.350 ... 0.500, held 0.300"
    )
    assert estimate_in_words(NO_ESTIMATE) == "no contact"
    assert (
        estimate_in_words(NO_ESTIMATE._replace(state_code=5), "check it")
        == "invalid input: check it"
    )


def test_joints_are_found_by_name_and_extra_joints_ignored():
    sent = readings()
    arrived = messages(sent)
    order = [3, 1, 0, 2]
    joint_states = arrived["joint_states"]
    for field in ("position", "velocity"):
        values = list(getattr(joint_states, field))
        setattr(joint_states, field, [7.0, *(values[i] for i in order), 9.0])
    joint_states.name = ["neck", *(JOINTS[i] for i in order), "tail"]
    came = received(arrived)
    np.testing.assert_array_equal(came.joint_position, sent.joint_position)
    np.testing.assert_array_equal(came.joint_velocity, sent.joint_velocity)


def spoil_joint(arrived):
    arrived["joint_states"].name = ["l_hip", "l_knee", "r_hip", "knee"]


def spoil_size(arrived):
    arrived["joint_states"].velocity = [0.0]


def spoil_frame(arrived):
    arrived["l_foot/wrench"].header.frame_id = "r_sole"


def spoil_orientation(arrived):
    arrived["imu/data"].orientation_covariance[0] = -1.0


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (spoil_joint, "no joint r_knee; it has l_hip, l_knee, r_hip, knee"),
        (spoil_size, "1 values of velocity for 4 names"),
        (spoil_frame, "frame 'r_sole', but must be 'l_sole'"),
        (spoil_orientation, "orientation absent"),
    ],
)
def test_a_sample_that_can_not_be_used_says_why(spoil, sentence):
    arrived = messages(readings())
    spoil(arrived)
    inputs = SensorInputs(JOINTS, SOLES)
    received(arrived, inputs)
    (problem,) = [
        topic.problem for topic in inputs.topics.values() if topic.problem is not None
    ]
    assert sentence in str(problem)
    received(messages(readings()), inputs)
    assert all(topic.problem is None for topic in inputs.topics.values())


def test_a_minus_before_a_covariance_is_looked_at_and_costs_no_decoding_by_type():
    """Only −1 says that there is no such quantity (REP 145)."""
    inputs = SensorInputs(JOINTS, SOLES)
    arrived = messages(readings())
    imu = inputs.topics["imu/data"]
    found = []
    for covariance in (
        0.0,
        0.1,
        -0.5,
        -0.0,
        -0.5,
        -1.0,
        0.1,
        -0.5,
        math.nan,
        -1.0,
        0.0,
    ):
        arrived["imu/data"].orientation_covariance[0] = covariance
        received(arrived, inputs)
        found.append((imu.problem is not None, imu.judges))
    assert [absent for absent, _ in found] == [False] * 5 + [True] + [False] * 3 + [
        True,
        False,
    ]
    assert [judged for _, judged in found] == [False] * 2 + [True] * 9
    assert imu.by_type == 2


def test_an_estimate_is_a_self_describing_message_and_comes_back():
    estimate = FrictionEstimate(
        mu=0.4,
        mu_low=0.3,
        mu_q05=0.31,
        mu_median=0.41,
        mu_high=0.9,
        usable=True,
        flag=False,
        mu_demonstrated=0.2,
        s_p=1e-3,
        test_load=80.0,
        test_speed=0.25,
        test_travel=4e-3,
        known_after=0.012,
        force_ratio=0.1,
        slipping=True,
        state_code=3,
    )
    message = over_the_wire(NamedScalars("l_sole", ESTIMATE_NAMES).fill(5, estimate))
    assert message.header.frame_id == "l_sole"
    assert set(message.name) == {
        "mu",
        "mu_low",
        "mu_q05",
        "mu_median",
        "mu_high",
        "usable",
        "flag",
        "mu_demonstrated",
        "s_p",
        "test_load",
        "test_speed",
        "test_travel",
        "known_after",
        "force_ratio",
        "slipping",
        "state_code",
    }
    assert estimate_from(message) == estimate
    assert all(
        type(a) is type(b)
        for a, b in zip(estimate_from(message), estimate, strict=True)
    )


def test_what_an_estimate_does_not_name_is_not_known():
    estimate = estimate_from(JointState(name=["state_code", "mu"], position=[3.0, 0.5]))
    assert (estimate.mu, estimate.flag, estimate.state_code) == (0.5, False, 3)
    assert math.isnan(estimate.mu_low)
    with pytest.raises(UnusableSample, match="state_code"):
        estimate_from(JointState(name=["mu"], position=[0.5]))


def test_an_estimate_recorded_by_former_names_is_read():
    estimate = estimate_from(
        JointState(name=["state_code", "witnessed"], position=[3.0, 0.3])
    )
    assert estimate.mu_demonstrated == 0.3


def test_a_planar_record_comes_back():
    record = PlanarOutput(
        estimates=(NO_ESTIMATE, NO_ESTIMATE._replace(mu=0.4)),
        wanted_ratio=(0.1, math.nan),
        limits=(math.inf, 0.3),
        torques=np.arange(4.0),
        phase=2,
    )
    names = record_names(OWN_FIELDS, JOINTS)
    message = over_the_wire(
        NamedScalars("base_link", names).fill(1, planar_record_values(record))
    )
    assert len(message.name) == len(message.position)
    back = planar_record_from(message.position, 4)
    np.testing.assert_array_equal(back.estimates, record.estimates)
    np.testing.assert_array_equal(back.torques, record.torques)
    np.testing.assert_array_equal(
        (*back.wanted_ratio, *back.limits, back.phase),
        (0.1, math.nan, math.inf, 0.3, 2),
    )


def test_a_command_says_which_instant_it_answers_and_a_foreign_one_need_not():
    efforts = np.arange(4.0)
    typed = CommandMessage(4).fill(17_000_000, efforts)
    ours = SerialisedCommand(4)
    raw = ours.fill(17_000_000, efforts)
    assert deserialize_message(raw, Float64MultiArray) == typed
    for command in (
        ours.read(raw),
        JointEfforts(answered_stamp(typed), np.array(typed.data)),
    ):
        assert command.stamp_ns == 17_000_000
        np.testing.assert_array_equal(command.efforts, efforts)
    foreign = Float64MultiArray(data=[0.0] * 4)
    assert answered_stamp(foreign) is None
    assert ours.read(serialize_message(foreign)) is None
    assert ours.read(raw[:-1]) is None
    assert ours.read(raw.replace(b"stamp", b"stomp")) is None


IMPOSSIBLE = [-2_000_000_000 * 10**9, -1, 2**31 * 10**9, 10**19, 10**30]


@pytest.mark.parametrize("stamp", IMPOSSIBLE)
def test_no_stamp_makes_a_command_longer_or_the_next_one_undecodable(stamp):
    efforts = np.arange(4.0)
    ours = SerialisedCommand(4)
    length = len(ours.fill(1, efforts))
    for told in (stamp, 17_000_000):
        raw = ours.fill(told, efforts)
        assert len(raw) == length
        typed = deserialize_message(raw, Float64MultiArray)
        assert typed == CommandMessage(4).fill(told, efforts)
        np.testing.assert_array_equal(typed.data, efforts)
        assert ours.read(raw).stamp_ns == answered_stamp(typed)
    assert answered_stamp(typed) == 17_000_000


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_a_command_of_another_number_of_efforts_is_refused_and_leaves_the_message_as_it_was(
    count,
):
    ours = SerialisedCommand(4)
    before = ours.fill(5, np.arange(4.0))
    with pytest.raises(ValueError, match="different structures"):
        ours.fill(5, np.zeros(count))
    assert ours.fill(5, np.arange(4.0)) == before


def test_a_foreign_label_with_a_stamp_that_no_clock_shows_says_nothing():
    message = CommandMessage(1).fill(5, np.zeros(1))
    message.layout.dim[0].label = "stamp_ns=" + "9" * 5000
    assert answered_stamp(message) is None


@pytest.mark.parametrize("stamp", IMPOSSIBLE)
def test_bytes_of_sensors_and_scalars_keep_their_length_whatever_their_stamp(stamp):
    sensors = SerialisedSensors(JOINTS, SOLES, Frames())
    scalars = SerialisedScalars("l_sole", ["a"])
    lengths = {
        topic: len(raw) for topic, raw in sensors.fill(readings(stamp=1)).items()
    }
    assert {
        topic: len(raw) for topic, raw in sensors.fill(readings(stamp=stamp)).items()
    } == lengths
    assert len(scalars.fill(stamp, [1.0])) == len(scalars.fill(1, [1.0]))


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize(
    ("seconds", "rest"), [(-2_000_000_000, 10**9), (0, 10**9), (0, 2**32 - 1)]
)
def test_a_stamp_that_no_clock_shows_is_refused_by_name_and_the_last_numbers_stay(
    raw, seconds, rest
):
    inputs = SensorInputs(JOINTS, SOLES, raw=raw)
    good = messages(readings())
    before = received(good, inputs)
    for topic, message in good.items():
        message.header.stamp.sec = seconds
        message.header.stamp.nanosec = rest
        with pytest.raises(UnusableSample, match=f"impossible stamp: {topic}"):
            inputs.topics[topic].open(serialize_message(message))
    for a, b in zip(before[1:], inputs.readings(0)[1:], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([0.0] * 3, "3 efforts"),
        ([0.0, math.inf, 0.0, 0.0], "not finite"),
        ([0.0, 0.0, -1e9, 0.0], "implausible command"),
        ([1.1e5, 0.0, 0.0, 0.0], "implausible command"),
    ],
)
def test_a_command_that_can_not_be_used_says_why(data, sentence):
    with pytest.raises(UnusableSample, match=sentence):
        checked(JointEfforts(None, np.array(data)), 4)


def test_a_simulator_counts_commands_beyond_anything_a_motor_does_and_goes_on():
    skipped = NamedCounter()
    ours = SerialisedCommand(4)
    gate = CommandGate(4, skipped)
    assert gate.newest([ours.fill(1, np.full(4, 1e9))]) is None
    assert list(skipped) == ["implausible command: an effort beyond 100000 N m"]
    np.testing.assert_array_equal(
        gate.newest([ours.fill(1, np.full(4, 9e4))]), np.full(4, 9e4)
    )


@pytest.mark.parametrize("raw", [True, False])
def test_a_joint_that_is_named_twice_is_refused_and_an_extra_one_may_be(raw):
    values = [0.0] * 5
    for extra, problem in (("l_knee", "duplicate joint"), ("neck", None)):
        topic = SensorInputs(JOINTS, SOLES, raw=raw).joint_states
        message = JointState(name=[*JOINTS, extra], position=values, velocity=values)
        topic.open(serialize_message(message))
        topic.keep()
        assert (topic.problem and topic.problem.name) == problem
        assert topic.problem is None or "l_knee" in topic.problem.detail


def test_a_message_of_a_hundred_thousand_names_is_refused_before_it_is_decoded(
    monkeypatch,
):
    topic = SensorInputs(JOINTS, SOLES).joint_states
    long = serialize_message(JointState(name=[f"joint_{k}" for k in range(100_000)]))
    monkeypatch.setattr(input_topic, "deserialize_message", None)
    monkeypatch.setattr(input_topic, "MessageLayout", None)
    with pytest.raises(UnusableSample, match="oversized message: joint_states"):
        topic.open(long)


def test_the_bytes_of_sensors_are_their_messages():
    sent = readings(7)
    raw = SerialisedSensors(JOINTS, SOLES, Frames(imu="imu"), "foot_imu").fill(sent)
    imu = Imu()
    odom = Odometry()
    joints = JointState(name=list(JOINTS))
    joints.position = sent.joint_position.tolist()
    joints.velocity = sent.joint_velocity.tolist()
    place = odom.pose.pose.position
    place.x, place.y, place.z = sent.position_base_in_odom
    for vector, values in (
        (imu.angular_velocity, sent.angular_velocity_in_base),
        (imu.linear_acceleration, sent.specific_force_in_base),
        (odom.twist.twist.linear, sent.linear_velocity_in_base),
        (odom.twist.twist.angular, sent.angular_velocity_in_base),
    ):
        vector.x, vector.y, vector.z = values
    for turn in (imu.orientation, odom.pose.pose.orientation):
        turn.x, turn.y, turn.z, turn.w = sent.orientation_base_in_world
    expected = {"imu/data": imu, "odom": odom, "joint_states": joints}
    odom.child_frame_id = "base_link"
    frames = {"imu/data": "imu", "odom": "odom", "joint_states": "base_link"}
    for foot, (side, sole) in enumerate(zip(("l_foot", "r_foot"), SOLES, strict=True)):
        wrench = WrenchStamped()
        of_foot = Imu()
        for vector, values in (
            (wrench.wrench.force, sent.wrench_ground_on_foot_in_sole[foot, :3]),
            (wrench.wrench.torque, sent.wrench_ground_on_foot_in_sole[foot, 3:]),
            (of_foot.linear_acceleration, sent.foot_specific_force_in_sole[foot]),
            (of_foot.angular_velocity, sent.foot_angular_velocity_in_sole[foot]),
        ):
            vector.x, vector.y, vector.z = values
        of_foot.orientation_covariance[0] = -1.0
        expected |= {f"{side}/wrench": wrench, f"{side}/imu": of_foot}
        frames |= dict.fromkeys((f"{side}/wrench", f"{side}/imu"), sole)
    for topic, message in expected.items():
        message.header.frame_id = frames[topic]
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(
            sent.stamp_ns, 10**9
        )
    assert {
        topic: deserialize_message(raw[topic], type(message))
        for topic, message in expected.items()
    } == expected
    assert raw.keys() == expected.keys()


def test_the_bytes_of_named_scalars_are_their_message():
    values = np.arange(3.0)
    typed, raw = (
        kind("l_sole", ["a", "bc", "d"]).fill(5, values)
        for kind in (NamedScalars, SerialisedScalars)
    )
    assert deserialize_message(raw, JointState) == typed


@pytest.mark.parametrize(
    "name", ["mu", "mu_low", "mu_q05", "mu_median", "mu_high", "mu_demonstrated"]
)
@pytest.mark.parametrize("value", [-math.inf, -1.0, -5e-324, math.inf])
def test_an_estimate_that_no_floor_has_is_refused_by_its_number(name, value):
    """A median of minus infinity made a torque that is no number."""
    told = NO_ESTIMATE._replace(state_code=int(EstimateState.USABLE), **{name: value})
    message = NamedScalars("l_foot", ESTIMATE_NAMES).fill(
        1, [float(number) for number in told]
    )
    if name == "mu_high" and value > 0.0:
        assert estimate_from(message).mu_high == math.inf
    else:
        with pytest.raises(UnusableSample, match=name):
            estimate_from(message)
