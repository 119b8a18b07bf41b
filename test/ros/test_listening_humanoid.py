# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The estimator's node beside a humanoid that another controller walks: joint states
and one IMU in, friction of feet and floor out, no commands."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from builtin_interfaces.msg import Time  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import activated, make, until  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402

from biped_slip.friction_estimation.contact_state import (  # noqa: E402
    NO_FOOT_CONTACT,
    ContactState,
)
from biped_slip.friction_estimation.recent_floor import NO_FLOOR  # noqa: E402
from biped_slip.friction_estimation.types import (  # noqa: E402
    NO_ESTIMATE,
    EstimateState,
    ForceSource,
)
from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.ros.dds import OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.friction_messages import (  # noqa: E402
    fill_floor,
    fill_foot,
    report_from,
)
from biped_slip.ros.messages import estimate_from, set_time  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.walking.humanoid import standing_readings  # noqa: E402

JOINTS = load_humanoid("g1").robot.joints
SIDES = ("l_foot", "r_foot", "floor")
STANDING = next(standing_readings(load_humanoid("g1"))).raw
PERIOD = 1_000_000  # [ns]


class Listening:
    """The robot's two topics, and what the node says of them."""

    def __init__(self, ros, partner, **parameters):
        self.node = activated(
            FrictionEstimatorNode, humanoid="g1", mode="lockstep", **parameters
        )
        self._joints = partner.node.create_publisher(
            JointState, "joint_states", OUTPUTS
        )
        self._imu = partner.node.create_publisher(Imu, "imu/data", OUTPUTS)
        self.boxes = {
            side: PolledSubscription(
                partner.node,
                JointState,
                f"friction_estimator/{side}/friction_values",
                OUTPUTS,
            )
            for side in SIDES
        }
        until(lambda: all(box.senders() for box in self.boxes.values()))
        until(self._joints.get_subscription_count)
        until(self._imu.get_subscription_count)

    def hear(self, raw, velocity=True, effort=True):
        """Send a sample; what is said of it, by side."""
        imu = Imu()
        set_time(imu.header.stamp, raw.stamp_ns)
        imu.orientation_covariance[0] = -1.0
        for vector, values in (
            (imu.angular_velocity, raw.imu[:3]),
            (imu.linear_acceleration, raw.imu[3:]),
        ):
            for axis, value in zip("xyz", values, strict=True):
                setattr(vector, axis, float(value))
        joints = JointState(name=list(JOINTS), position=raw.joint_position.tolist())
        set_time(joints.header.stamp, raw.stamp_ns)
        if velocity:
            joints.velocity = raw.joint_velocity.tolist()
        if effort:
            joints.effort = raw.joint_torque.tolist()
        self._imu.publish(imu)
        self._joints.publish(joints)
        return {side: self._answer(side, raw.stamp_ns) for side in SIDES}

    def _answer(self, side, stamp):
        def arrived():
            self.node.step(0.001)
            return list(self.boxes[side].take())

        (message,) = until(arrived, 20.0)
        assert message.header.stamp.nanosec == stamp % 1_000_000_000
        return dict(zip(message.name, message.position, strict=True)), message

    def close(self):
        for box in self.boxes.values():
            box.close()
        self.node.end()


@pytest.fixture
def listening(ros, partner):
    made = []

    def start(**parameters):
        made.append(Listening(ros, partner, **parameters))
        return made[-1]

    yield start
    for one in made:
        one.close()


def trembling(stamp, torque=1.0):
    rng = np.random.default_rng(stamp)
    return STANDING._replace(
        stamp_ns=stamp,
        joint_position=STANDING.joint_position + 1e-6 * rng.normal(size=len(JOINTS)),
        joint_torque=np.full(len(JOINTS), torque),
    )


@pytest.mark.slow
def test_a_landing_beside_another_controller_is_answered_and_nothing_is_commanded(
    heard_g1, listening
):
    robot = listening(period=0.001)
    for raw in heard_g1[1000:3200]:  # the second step lands after 3.12 s
        said = robot.hear(raw)
        if raw is heard_g1[1100]:
            assert "each leg has to swing" in robot.node.counters()["torques"]
    foot, message = said["l_foot"]
    assert message.header.frame_id == "l_sole"
    estimate = estimate_from(message)
    assert estimate.state_code == EstimateState.NO_CONTACT or math.isfinite(estimate.mu)
    assert foot["seconds_since_touchdown"] == pytest.approx(3.199 - 3.117, abs=0.01)
    assert foot["force_source"] == ForceSource.JOINT_TORQUES
    standing_foot = said["r_foot"][0]
    assert standing_foot["contact_state"] == ContactState.CLOSED
    assert standing_foot["normal_force_newtons"] > 100.0
    floor, message = said["floor"]
    assert floor["answers"] == 1.0
    assert floor["mu"] == pytest.approx(0.4, abs=0.1)
    assert floor["mu_low"] < floor["mu"] < floor["mu_high"]
    assert 0.0 < floor["seconds_since_answer"] < 0.1
    assert robot.node.status.word == "estimating"
    assert "torques" not in robot.node.counters()
    topics = {
        name
        for name, _ in robot.node.get_publisher_names_and_types_by_node(
            "friction_estimator", "/"
        )
    }
    own = {f"/friction_estimator/{side}/friction_values" for side in SIDES}
    beside = {"/diagnostics", "/parameter_events", "/rosout"}
    more = {"/friction_estimator/transition_event"}
    typed = {f"/friction_estimator/{side}/friction_estimate" for side in SIDES}
    former = {f"/friction_estimator/{side}/friction" for side in SIDES}
    assert own <= topics <= own | beside | more | typed | former


@pytest.mark.parametrize(
    ("effort", "torque", "sentence"),
    [
        (False, 1.0, "joint states have no effort"),
        (True, math.nan, "joint states have no effort"),
        (True, 0.0, "all efforts of the legs are zero"),
    ],
)
def test_without_efforts_it_says_so_once_and_says_no_number(
    listening, effort, torque, sentence
):
    robot = listening()
    for tick in range(1, 4):
        said = robot.hear(trembling(tick * PERIOD, torque), effort=effort)
    foot, _ = said["l_foot"]
    assert foot["state_code"] == EstimateState.INVALID_INPUT
    assert foot["contact_state"] == ContactState.UNKNOWN
    assert math.isnan(foot["mu"])
    assert math.isnan(said["floor"][0]["mu"])
    assert robot.node.status.problem == "no effort"
    assert sentence in robot.node.status.sentence
    (counted,) = robot.node.skipped
    assert robot.node.skipped[counted] == 3


def test_without_velocities_it_notes_that_it_takes_differences(listening):
    robot = listening(period=0.001)
    for tick in range(1, 4):
        robot.hear(trembling(tick * PERIOD), velocity=False)
    assert "differences of positions" in robot.node.counters()["velocities"]
    assert robot.node.counters()["period"] == "1.00 ms"
    assert not robot.node.skipped


def test_a_rate_that_is_too_slow_is_refused_in_one_sentence(listening):
    robot = listening()
    for tick in range(1, 60):
        robot.hear(trembling(10 * tick * PERIOD))
    assert robot.node.status.problem == "slow input"
    assert "come at 100 Hz" in robot.node.status.sentence


def test_a_robot_that_is_not_known_is_refused_at_configuration(ros):
    node = make(FrictionEstimatorNode, humanoid="nao")
    try:
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        assert "unknown robot 'nao'" in node.status.sentence
    finally:
        node.end()


def typed_foot(**changes):
    fields = {**NO_ESTIMATE._asdict(), "normal_force_newtons": math.nan, **changes}
    return SimpleNamespace(header=SimpleNamespace(stamp=Time()), **fields)


def test_a_typed_message_says_what_the_named_scalars_say():
    known = NO_ESTIMATE._replace(mu=0.4, usable=True, state_code=3)
    contact = NO_FOOT_CONTACT._replace(
        state=ContactState.CLOSED, touchdown_ns=2_000_000_001, normal_force=120.0
    )
    message = typed_foot(touchdown=Time())
    fill_foot(message, 3_000_000_000, known, contact)
    report = report_from(message)
    assert report.normal_force == 120.0
    assert report.estimate.mu == 0.4
    assert (message.touchdown.sec, message.touchdown.nanosec) == (2, 1)
    assert message.contact_state == 0
    floor = SimpleNamespace(header=SimpleNamespace(stamp=Time()), answered=Time())
    fill_floor(floor, 5, NO_FLOOR._replace(mu=0.3, answers=2, answered_ns=7))
    assert (floor.mu, floor.answers, floor.answered.nanosec) == (0.3, 2, 7)
