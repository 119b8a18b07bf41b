# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge to a Unitree robot, whose part a program of its own plays on the vendor's
topics: states come as joint states and IMU, faults have names, and torques go only to
a robot that was armed, with damping as the last message on every way out."""

import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
pytestmark = pytest.mark.ros

import rclpy  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from ros.unitree_partner import (  # noqa: E402
    COMMANDS,
    ROOT,
    Robot,
    damps,
    disarmed,
    ended_by,
    ended_by_signal,
    ends_in_damping,
    exception,
    lost_state,
    settled,
    until,
)
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.robots.unitree.motors import TABLES  # noqa: E402
from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.nodes.unitree_bridge import UnitreeBridgeNode  # noqa: E402
from biped_slip.ros.processes import free_domain  # noqa: E402

G1 = TABLES["g1"]


@pytest.fixture
def play():
    """Start robots; each on a DDS domain of its own, or on a given one."""
    made = []

    def start(robot="g1", *words, domain=None):
        made.append(
            Robot(robot, free_domain() + 100 if domain is None else domain, *words)
        )
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_states_come_as_joint_states_with_efforts_and_imu(play, bridge):
    robot = play()
    one = bridge(robot)
    listener = rclpy.create_node("listener")
    boxes = [
        PolledSubscription(listener, kind, topic, OUTPUTS)
        for kind, topic in ((JointState, "joint_states"), (Imu, "imu/data"))
    ]
    got = ([], [])

    def enough():
        for box, messages in zip(boxes, got, strict=True):
            messages += box.take()
        return len(got[0]) > 200 and len(got[1]) > 200

    one.until(enough)
    joints, imus = got
    last = joints[-1]
    assert tuple(last.name) == G1.joints
    # the robot moves by a sine of amplitude 0.1 rad; joint k has the effort 1 + k
    assert np.abs(last.position).max() <= 0.1 + 1e-6
    assert np.ptp([one.position[3] for one in joints]) > 0.01
    assert list(last.effort) == [1.0 + k for k in range(29)]
    imu = imus[-1]
    assert imu.header.frame_id == "imu_in_pelvis"
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=1e-5)
    assert imu.angular_velocity.y == pytest.approx(0.02)
    assert imu.orientation.w == 1.0
    stamps = np.array(
        [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in joints]
    )
    assert np.median(np.diff(stamps)) == pytest.approx(2e6, rel=0.02)
    both = {m.header.stamp.nanosec for m in imus} & {
        m.header.stamp.nanosec for m in joints
    }
    assert len(both) > 100
    for box in boxes:
        box.close()
    listener.destroy_node()


@pytest.mark.parametrize("robot", ["g1_23", "h1", "h1_2"])
def test_the_other_robots_are_heard_with_their_own_joints(play, bridge, robot):
    one = bridge(play(robot), robot=robot)
    if robot == "g1_23":  # the robot says 5 there: a G1 with 29 joints
        one.until(lambda: one.named("other robot"))
        one.robot.do("set mode_machine 4")
    one.until_it_listens()
    assert one.node._table is TABLES[robot]


def test_the_estimators_half_sends_nothing_and_has_no_writer(play, bridge):
    robot = play()
    one = bridge(robot)
    one.until_it_listens()
    answer = one.arm()
    assert not answer.success
    assert "parameter commands" in answer.message
    for _ in range(200):
        one.send([1.0] * 29)
        one.step()
    robot.do("writers")
    assert one.until(lambda: robot.said("writers"))[0]["count"] == 0
    assert robot.commands() == []


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("crc 3", "wrong CRC"),
        ("repeat 3", "stale tick"),
        ("skip 2", "lost message"),
        ("pause 0.2", "silent input"),
        ("set mode_pr 1", "parallel ankles"),
        ("set mode_machine 4", "other robot"),
        ("restart", "restarted robot"),
    ],
)
def test_a_fault_of_the_robots_state_has_its_name(play, bridge, fault, name):
    robot = play()
    one = bridge(robot)
    one.until_it_listens()
    robot.do(fault)
    assert len(one.until(lambda: one.named(name))) == 1
    robot.do("set mode_pr 0")
    robot.do("set mode_machine 5")
    one.until_it_listens()


def test_a_second_robot_on_the_domain_is_named_and_not_listened_to(play, bridge):
    robot = play()
    one = bridge(robot)
    one.until_it_listens()
    before = one.node._source
    other = play(domain=robot.domain)
    one.until(lambda: one.named("second robot"))
    assert one.node._source == before
    other.close()


@pytest.mark.parametrize("limit", [None, "wrong", "not finite"])
def test_torques_reach_their_motors_only_armed(play, bridge, limit):
    robot = play()
    turned = list(G1.joints[::-1])
    one = bridge(robot, commands=True, joints=turned)
    one.until_it_listens()
    one.until(one._publisher.get_subscription_count)
    efforts = 0.5 * np.arange(29)
    for _ in range(50):
        one.send(efforts)
        one.step()
    assert robot.commands() == []
    assert one.named("not armed")
    one.until(lambda: one.arm().success)
    if limit is None:
        one.drive(robot.commands, efforts)
        first = robot.commands()[0]
        assert first["intact"]
        assert first["mode_machine"] == 5
        assert first["tau"] == efforts[::-1].tolist()
        assert first["kp"] == 0.0
        assert first["kd"] == [0.0, 0.0]
    elif limit == "wrong":
        one.drive(lambda: one.named("wrong size"), efforts[:28])
        assert robot.commands() == []
    else:
        one.drive(lambda: one.named("command not finite"), [np.nan] * 29)
        assert robot.commands() == []


def test_without_a_state_nothing_is_armed(play, bridge):
    robot = play()
    one = bridge(robot, commands=True)
    assert "no good state" in one.arm().message
    one.until_it_listens()
    robot.do("pause 1.0")
    one.until(lambda: one.named("silent input"))
    assert "no good state" in one.arm().message


def _deactivated(one):
    one.node.trigger_deactivate()


def _lost_commands(one):
    one.send = lambda efforts: None


def _second_writer(one):
    one.robot.do("command 300")


@pytest.mark.parametrize(
    ("way", "name"),
    [
        (lost_state, "lost state"),
        (disarmed, "disarmed"),
        (exception, "disarmed"),
        (_deactivated, "disarmed"),
        (_lost_commands, "lost commands"),
        (_second_writer, "second writer"),
    ],
)
def test_whatever_ends_an_armed_bridge_the_last_message_damps(play, bridge, way, name):
    ended_by(bridge(play(), commands=True), way, name)


def test_a_second_publisher_of_torques_ends_in_damping(play, bridge, ros):
    robot = play()
    one = bridge(robot, commands=True)
    one.armed()
    second = rclpy.create_node("second")
    publisher = second.create_publisher(Float64MultiArray, COMMANDS, COMMAND_QOS)
    one.drive(lambda: one.named("second publisher"))
    ends_in_damping(robot, one.step)
    publisher.destroy()
    second.destroy_node()


def test_whoever_commands_the_robot_forbids_arming(play, bridge):
    robot = play()
    one = bridge(robot, commands=True)
    one.until_it_listens()
    robot.do("command 300")
    one.until(lambda: one.node._foreign)
    assert "another writer" in one.arm().message
    assert one.node.counters()["other writers of rt/lowcmd"] == 1
    one.until(lambda: one.arm().success)


def test_asking_an_armed_bridge_again_keeps_no_torques_on_a_robot(play, bridge):
    robot = play()
    one = bridge(robot, commands=True)
    one.armed()
    answers = []

    def ask():
        answers.append(one.arm().message)
        one.step()
        return one.named("lost commands")

    until(ask, lambda: None)
    assert answers[0] == "it is armed already: commands go to the robot"
    first = next(one for one in settled(robot, one.step) if damps(one))
    assert first["intact"]


def test_after_damping_it_takes_a_new_request(play, bridge):
    robot = play()
    one = bridge(robot, commands=True)
    one.armed()
    disarmed(one)
    count = len(settled(robot, one.step))
    for _ in range(100):
        one.send([1.0] * 29)
        one.step()
    assert len(robot.commands()) == count
    one.until(lambda: one.arm().success)
    one.drive(lambda: len(robot.commands()) > count + 5)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_an_armed_bridge_in_damping(play, ros, tmp_path, number):
    _, seconds = ended_by_signal(play(), number, tmp_path)
    print(f"{signal.Signals(number).name}: {1e3 * seconds:.1f} ms")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"interface": "none0"}, "none0"),
        ({"interface": 'lo"/><x'}, "no name of an interface"),
        ({"joints": ["left_knee_joint"]}, "each of the 29 joints of g1 once: missing"),
        ({"joints": [*G1.joints[:-1], "tail"]}, "missing ['right_wrist_yaw_joint']"),
    ],
)
def test_a_bridge_that_cannot_be_is_one_sentence(ros, parameters, sentence):
    node = UnitreeBridgeNode(
        parameter_overrides=[
            Parameter(name, value=value) for name, value in parameters.items()
        ]
    )
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert sentence in node.status.sentence
    node.end()


ANNOUNCED = """
import sys, time
from cyclonedds.builtin import *
from cyclonedds.domain import Domain, DomainParticipant
from biped_slip.robots.unitree.channel import RobotNetwork
network = RobotNetwork(domain=int(sys.argv[1]), interface="lo")
domain = Domain(network.domain, network.configuration().decode())
participant = DomainParticipant(network.domain)
kinds = BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
readers = [BuiltinDataReader(participant, kind) for kind in kinds]
end = time.monotonic() + 30.0
found = set()
while time.monotonic() < end and len(found) < 4:
    for kind, reader in zip(("writes", "reads"), readers):
        for one in reader.take(100):
            if one.topic_name.startswith("rt/"):
                found.add((kind, one.topic_name, one.type_name, str(one.type_id)))
    time.sleep(0.05)
for one in sorted(found):
    print(*one)
"""


def test_no_type_is_announced_beside_the_vendors_programs(play, bridge):
    """The vendor's programs know a topic by its type's name alone, and go on beside it."""
    robot = play()
    one = bridge(robot, commands=True)
    one.until_it_listens()
    done = subprocess.run(
        [sys.executable, "-c", ANNOUNCED, str(robot.domain)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert {line.rsplit(" ", 1)[-1] for line in lines} == {"None"}
    assert {tuple(line.split()[:3]) for line in lines} == {
        ("writes", "rt/lowstate", "unitree_hg::msg::dds_::LowState_"),
        ("reads", "rt/lowstate", "unitree_hg::msg::dds_::LowState_"),
        ("writes", "rt/lowcmd", "unitree_hg::msg::dds_::LowCmd_"),
        ("reads", "rt/lowcmd", "unitree_hg::msg::dds_::LowCmd_"),
    }
