# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge to a Unitree robot, whose part a program of its own plays on the vendor's
topics: states come as joint states and IMU, faults have names, and torques go only to
a robot that was armed, with damping as the last message on every way out."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from array import array
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
pytestmark = pytest.mark.ros

import rclpy  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.robots.unitree.motors import TABLES  # noqa: E402
from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.nodes.unitree_bridge import UnitreeBridgeNode  # noqa: E402
from biped_slip.ros.processes import NodeProcess, free_domain  # noqa: E402

ROOT = Path(__file__).parents[2]
G1 = TABLES["g1"]
COMMANDS = "effort_controller/commands"
DAMPING = 8.0
#: Limits where nothing is lost on purpose: a played robot may wait for a core.
PATIENT = {"state_limit": 0.1, "command_limit": 0.1}


class Played:
    """Program that plays a part on the vendor's topics; what it says, in ``heard``."""

    def __init__(self, domain, words, environment=None):
        self.domain = domain
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self.heard = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):  # the vendor's library prints beside it
                self.heard.append(json.JSONDecoder().raw_decode(line)[0])

    def do(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def commands(self):
        return [one for one in self.heard if one["heard"] == "command"]

    def said(self, what):
        return [one for one in self.heard if one["heard"] == what]

    def close(self):
        self.process.stdin.close()
        self.process.wait(20.0)


def Robot(robot, domain, *words):
    """The robot that this package plays."""
    program = [sys.executable, "-m", "synthetic.unitree_robot"]
    return Played(domain, [*program, "--robot", robot, "--domain", str(domain), *words])


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


def until(condition, step, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        step()
    return found


class Bridge:
    """The node in this process, stepped by hand."""

    def __init__(self, played, /, **parameters):
        parameters = {
            **{"domain": played.domain, "interface": "lo"},
            **(PATIENT if parameters.get("commands") else {}),
            **parameters,
        }
        self.node = UnitreeBridgeNode(
            parameter_overrides=[
                Parameter(name, value=value) for name, value in parameters.items()
            ]
        )
        self.robot = played
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        self._torques = rclpy.create_node("torques")
        self._publisher = self._torques.create_publisher(
            Float64MultiArray, COMMANDS, COMMAND_QOS
        )

    def step(self):
        self.node.step(0.002)

    def until(self, condition, seconds=60.0):
        return until(condition, self.step, seconds)

    def until_it_listens(self):
        return self.until(lambda: self.node.status.word == "listening")

    def arm(self):
        return self.node._arm(Trigger.Request(), Trigger.Response())

    def armed(self):
        """Arm, and drive until the robot has heard a torque."""
        self.until_it_listens()
        self.until(self._publisher.get_subscription_count)
        self.until(lambda: self.arm().success)
        self.drive(lambda: self.robot.commands())

    def send(self, efforts):
        self._publisher.publish(Float64MultiArray(data=array("d", efforts)))

    def drive(self, condition, efforts=(1.0,) * 29):
        def step():
            self.send(efforts)
            self.step()

        return until(condition, step)

    def named(self, name):
        """Sentences of problems with a name, with their counts."""
        return {
            sentence: count
            for sentence, count in self.node.skipped.items()
            if sentence.startswith(f"{name}:") and count
        }

    def close(self):
        self.node.end()
        self._torques.destroy_node()


@pytest.fixture
def bridge(ros):
    made = []

    def start(played, /, **parameters):
        made.append(Bridge(played, **parameters))
        return made[-1]

    yield start
    for one in made:
        one.close()


def damps(command):
    """Whether a command drives no joint and damps each."""
    return (
        command["intact"]
        and not any(command["tau"])
        and command["kp"] == 0.0
        and command["kd"] == [DAMPING, DAMPING]
        and all(command["modes"])
    )


def settled(robot, step=lambda: time.sleep(0.01)):
    """The commands once none has come for a while."""
    count = -1
    while count != len(robot.commands()):
        count = len(robot.commands())
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            step()
    return robot.commands()


def ends_in_damping(robot, step=lambda: time.sleep(0.01)):
    """Torques, then damping, and nothing after it."""
    commands = settled(robot, step)
    first = next(k for k, one in enumerate(commands) if damps(one))
    assert first > 0
    assert any(commands[first - 1]["tau"])
    assert all(damps(one) for one in commands[first:])
    return commands


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


def _lost_state(one):
    one.robot.do("pause 0.5")


def _disarmed(one):
    assert one.node._disarm(Trigger.Request(), Trigger.Response()).success


def _exception(one):
    def broken(*_):
        raise ValueError("on purpose")

    one.node._publish = broken


def _deactivated(one):
    one.node.trigger_deactivate()


def _lost_commands(one):
    one.send = lambda efforts: None


def _second_writer(one):
    one.robot.do("command 300")


def ended_by(one, way, name):
    """Arm a bridge, end it in a way; return the commands, which end in damping."""
    one.armed()
    way(one)

    def step():
        one.send([1.0] * 29)
        if one.node.active:
            one.step()
        else:
            time.sleep(0.002)

    until(lambda: one.named(name), step)
    assert not one.node._arming.armed
    return ends_in_damping(one.robot, step)


@pytest.mark.parametrize(
    ("way", "name"),
    [
        (_lost_state, "lost state"),
        (_disarmed, "disarmed"),
        (_exception, "disarmed"),
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


def test_after_damping_it_takes_a_new_request(play, bridge):
    robot = play()
    one = bridge(robot, commands=True)
    one.armed()
    _disarmed(one)
    count = len(settled(robot, one.step))
    for _ in range(100):
        one.send([1.0] * 29)
        one.step()
    assert len(robot.commands()) == count
    one.until(lambda: one.arm().success)
    one.drive(lambda: len(robot.commands()) > count + 5)


def ended_by_signal(robot, number, folder):
    """Let a bridge of its own process drive a robot until a signal ends it.

    Return the commands, which end in damping, and how long the first of it took [s].
    """
    bridge = NodeProcess(
        "unitree_bridge",
        {"domain": robot.domain, "interface": "lo", "commands": True, **PATIENT},
        folder,
        int(os.environ["ROS_DOMAIN_ID"]),
    )
    node = rclpy.create_node("other_side")
    client = node.create_client(Trigger, "unitree_bridge/arm")
    publisher = node.create_publisher(Float64MultiArray, COMMANDS, COMMAND_QOS)
    message = Float64MultiArray(data=array("d", [1.0] * 29))

    def pause():
        assert bridge.running, bridge.failure()
        rclpy.spin_once(node, timeout_sec=0.05)

    def drive():
        publisher.publish(message)
        time.sleep(0.002)

    def arming():
        asked = client.call_async(Trigger.Request())
        until(asked.done, pause)
        return asked.result().success

    try:
        until(client.service_is_ready, pause)
        until(publisher.get_subscription_count, pause)
        until(arming, pause)
        until(lambda: len(robot.commands()) > 10, drive)
        sent = time.monotonic()
        bridge.process.send_signal(number)
        until(lambda: not bridge.running, drive)
        commands = ends_in_damping(robot)
        assert bridge.process.returncode == 0
        first = next(one for one in commands if damps(one))
        return commands, first["at"] - sent
    finally:
        bridge.end()
        node.destroy_node()


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
