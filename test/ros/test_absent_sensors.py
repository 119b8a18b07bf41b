# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid without sensors in ankles and feet has no topics for them, and its motors'
torques are needed in their place."""

import json

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from ros.partner import COMMAND, activated, until  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.estimation.readings import HumanoidReadings  # noqa: E402
from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.ros.dds import OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.humanoid_robot import (  # noqa: E402
    HumanoidInputs,
    SerialisedHumanoidSensors,
    humanoid_topics,
)
from biped_slip.ros.nodes import walking_controller  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.ros.rehearsal import rehearsed  # noqa: E402
from biped_slip.simulation.humanoid.scenario import chosen_walk  # noqa: E402
from biped_slip.walking.humanoid import standing_readings  # noqa: E402

G1 = load_humanoid("g1")
JOINTS = G1.robot.joints
FORCES = {"l_ankle/wrench", "r_ankle/wrench"}
INERTIAL = {"l_foot/imu", "r_foot/imu"}
ABSENT = {
    frozenset({"force_torque"}): FORCES,
    frozenset({"foot_imus"}): INERTIAL,
    frozenset({"force_torque", "foot_imus"}): FORCES | INERTIAL,
}
BOTH = frozenset({"force_torque", "foot_imus"})
PERIOD = 1_000_000  # [ns]


@pytest.fixture(scope="module")
def as_sold(tmp_path_factory):
    """The walk of a G1 as it is sold, as a file."""
    mapping = chosen_walk("g1", "realistic").to_mapping()
    file = tmp_path_factory.mktemp("walk") / "walk.yaml"
    # JSON makes lists of tuples
    file.write_text(yaml.safe_dump(json.loads(json.dumps(mapping))))
    return str(file)


def trembling(tick, **changes):
    """Readings of the standing robot, with some noise."""
    rng = np.random.default_rng(tick)
    raw = next(standing_readings(G1, absent=BOTH)).raw
    shaken = {
        name: value + 1e-6 * rng.normal(size=value.shape)
        for name, value in raw._asdict().items()
        if name != "stamp_ns"
    }
    return HumanoidReadings(
        raw._replace(**{**shaken, "stamp_ns": tick * PERIOD, **changes}), None
    )


@pytest.mark.parametrize("absent", ABSENT, ids=lambda names: "+".join(sorted(names)))
def test_what_is_absent_is_not_sent_and_not_waited_for_and_reads_nan(absent):
    every = humanoid_topics()
    assert set(every) - set(humanoid_topics(absent)) == ABSENT[absent]
    inputs = HumanoidInputs(JOINTS, odometry=False, absent=absent)
    whole = HumanoidInputs(JOINTS, odometry=False)
    assert set(whole.topics) - set(inputs.topics) == ABSENT[absent]
    assert list(inputs.topics)[-1] == "joint_states"
    sent = trembling(1)
    given = np.ones((2, 6))
    raw = sent.raw._replace(foot_imus=given, force_torque=given)
    raw = raw._replace(**dict.fromkeys(absent, np.full((2, 6), np.nan)))
    messages = SerialisedHumanoidSensors(JOINTS, absent).fill_raw(
        sent._replace(raw=raw)
    )
    assert set(messages) == set(humanoid_topics(absent))
    for name, topic in inputs.topics.items():
        topic.open(messages[name])
        topic.keep()
        assert topic.problem is None
    for name, value in inputs.readings(raw.stamp_ns).raw._asdict().items():
        np.testing.assert_array_equal(value, getattr(raw, name), err_msg=name)


def publishers(node):
    name, namespace = node.get_name(), node.get_namespace()
    found = node.get_publisher_names_and_types_by_node(name, namespace)
    return {topic.lstrip("/") for topic, _ in found}


def test_the_simulator_of_such_a_robot_publishes_no_topic_of_what_it_has_not(
    ros, as_sold
):
    node = activated(ContactSimulatorNode, humanoid_walk=as_sold, mode="lockstep")
    try:
        sent = publishers(node) & set(humanoid_topics())
        assert sent == set(humanoid_topics(BOTH))
    finally:
        node.end()


class Robot:
    """Sensors of the standing robot before its controller, in lockstep."""

    def __init__(self, partner, walk):
        self.node = activated(
            WalkingControllerNode, humanoid_walk=walk, mode="lockstep"
        )
        self._messages = SerialisedHumanoidSensors(JOINTS, BOTH)
        self._outputs = {
            topic: partner.node.create_publisher(kind, topic, OUTPUTS)
            for topic, kind in humanoid_topics(BOTH).items()
        }
        self._commands = PolledSubscription(
            partner.node, Float64MultiArray, COMMAND, OUTPUTS
        )
        until(self._commands.senders)
        until(lambda: all(out.get_subscription_count() for out in self._sensed()))

    def _sensed(self):
        """Topics that the controller listens to: not the true base, which is there."""
        return [out for topic, out in self._outputs.items() if topic != "odom"]

    def answer(self, tick, **changes):
        """Torques for a sample."""
        for topic, raw in self._messages.fill_raw(trembling(tick, **changes)).items():
            self._outputs[topic].publish(raw)

        def arrived():
            self.node.step(0.001)
            return list(self._commands.take())

        (command,) = until(arrived, 20.0)
        return np.array(command.data)

    def close(self):
        self._commands.close()
        self.node.end()


@pytest.fixture
def robot(ros, partner, as_sold):
    made = Robot(partner, as_sold)
    yield made
    made.close()


@pytest.mark.compiled
def test_the_controller_of_such_a_robot_answers_from_joints_and_one_imu(robot):
    for tick in range(1, 30):
        torques = robot.answer(tick)
        assert robot.node.status.word == "standing"
    assert np.abs(torques).max() > 1.0  # N m: knees bear weight
    assert robot.node.status.problem == ""


@pytest.mark.compiled
@pytest.mark.parametrize("which", ["all", "one of a leg"])
def test_without_torques_of_its_motors_it_says_so_and_lets_the_joints_go(robot, which):
    for tick in range(1, 10):
        robot.answer(tick)
    silent = trembling(1).raw.joint_torque
    knee = JOINTS.index("left_knee_joint")
    silent[slice(None) if which == "all" else knee] = np.nan
    robot.answer(10, joint_torque=silent)
    assert robot.node.status.problem == "no effort"
    words = (
        "joint states have no effort"
        if which == "all"
        else "the effort of left_knee_joint is not a number"
    )
    assert words in robot.node.status.sentence
    robot.answer(11)  # a sample may be lost
    assert robot.node.status.word == "standing"
    for tick in range(12, 600):
        torques = robot.answer(tick, joint_torque=silent)
        if robot.node.status.word == "fault":
            break
    assert robot.node.status.word == "fault"
    assert np.abs(torques).max() < 1.0


def test_a_motor_outside_the_legs_may_say_no_torque(robot):
    torques = trembling(1).raw.joint_torque
    torques[JOINTS.index("left_elbow_joint")] = np.nan
    robot.answer(1, joint_torque=torques)
    assert robot.node.status.problem == ""


@pytest.mark.compiled
def test_it_rehearses_on_readings_such_as_its_own(ros, as_sold, monkeypatch):
    measured = []

    def kept(node, guarded, *more):
        measured.append(rehearsed(node, guarded, *more))
        return measured[-1]

    monkeypatch.setattr(walking_controller, "rehearsed", kept)
    monkeypatch.setattr(walking_controller, "REHEARSALS", 1)
    node = activated(WalkingControllerNode, humanoid_walk=as_sold, rehearsal=0.1)
    node.end()
    (check,) = measured
    # not without one tick on which it answered
    assert 0.0 < check.usual < np.inf
