# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The estimator's node in a process of its own beside a G1 that another controller
walks: it says the floor, commands nothing, and knows again after it was killed."""

import os
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.slow]

from geometry_msgs.msg import Twist  # noqa: E402
from ros.partner import until  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.ros.dds import OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.messages import set_time  # noqa: E402
from biped_slip.ros.processes import NodeProcess  # noqa: E402

MU = 0.4  # of the floor of ``heard_g1``
PERIOD = 0.001  # [s]
JOINTS = list(load_humanoid("g1").robot.joints)
OWN = "friction_estimator"
FLOOR = f"{OWN}/floor/friction"
COMMANDS = {
    "effort_controller/commands": Float64MultiArray,
    "cmd_vel": Twist,
}
# samples of the walk: two swings judge the torques, then a foot lands after 3.11 s; who
# begins at 1.3 s hears the landings after 1.76 and 3.11 s
FIRST = slice(1000, 3250)
AGAIN = slice(1300, 3250)
LANDINGS = (1.763, 3.109, 4.402)  # [s]
COMPILING = 900.0  # [s] likewise
PATIENCE = 60.0  # [s] for one answer of a busy machine


class WalkingRobot:
    """Joint states and IMU of a walk; each sample waits for the answer to the last."""

    def __init__(self, node):
        self._joints = node.create_publisher(JointState, "joint_states", OUTPUTS)
        self._imu = node.create_publisher(Imu, "imu/data", OUTPUTS)
        self._floor = PolledSubscription(node, JointState, FLOOR, OUTPUTS)
        self.boxes = {
            topic: PolledSubscription(node, kind, topic, OUTPUTS)
            for topic, kind in COMMANDS.items()
        }
        self._stamp = 10**9

    def connected(self):
        """Whether the node has both inputs and its output."""
        inputs = (self._joints, self._imu)
        heard = all(one.get_subscription_count() for one in inputs)
        return heard and self._floor.senders()

    def _send(self, raw):
        self._stamp += round(1e9 * PERIOD)
        imu = Imu()
        set_time(imu.header.stamp, self._stamp)
        imu.orientation_covariance[0] = -1.0
        for vector, values in (
            (imu.angular_velocity, raw.imu[:3]),
            (imu.linear_acceleration, raw.imu[3:]),
        ):
            for axis, value in zip("xyz", values, strict=True):
                setattr(vector, axis, float(value))
        joints = JointState(
            name=JOINTS,
            position=raw.joint_position.tolist(),
            velocity=raw.joint_velocity.tolist(),
            effort=raw.joint_torque.tolist(),
        )
        set_time(joints.header.stamp, self._stamp)
        self._imu.publish(imu)
        self._joints.publish(joints)

    def _answer(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for message in self._floor.take():
                stamp = message.header.stamp
                if 10**9 * stamp.sec + stamp.nanosec == self._stamp:
                    return dict(zip(message.name, message.position, strict=True))
            time.sleep(2e-4)
        return None

    def meet(self, raw, process):
        """Send a sample until the node, which may still compile, answers."""

        def answers():
            assert process.running, process.failure()
            return self.connected() and (self._send(raw) or self._answer(0.5))

        until(answers, COMPILING)

    def walk(self, samples):
        """The floor after each sample, as the node says it."""
        said = []
        for raw in samples:
            self._send(raw)
            answer = self._answer(PATIENCE)
            assert answer is not None
            said.append(answer)
        return said


def processor_time(process):
    """Processor time [s] that the node's process has taken."""
    stat = Path(f"/proc/{process.process.pid}/stat").read_text(encoding="ascii")
    user, system = map(int, stat.rsplit(") ", 1)[1].split()[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def of_node(node):
    """Topics that the node publishes."""
    return {name for name, _ in node.get_publisher_names_and_types_by_node(OWN, "/")}


def test_beside_another_controller_it_says_the_floor_and_knows_it_again_when_killed(
    ros, heard_g1, tmp_path, capsys
):
    node = ros.create_node("robot")
    robot = WalkingRobot(node)
    domain = int(os.environ["ROS_DOMAIN_ID"])
    parameters = {
        "humanoid": "g1",
        "mode": "lockstep",
        "period": PERIOD,
        "age_limit": 10.0,  # [s] a busy machine lets a message wait
    }
    spent = []
    for samples in (FIRST, AGAIN):
        process = NodeProcess(OWN, parameters, tmp_path, domain)
        try:
            robot.meet(heard_g1[0], process)
            topics = of_node(node)
            before = processor_time(process)
            said = robot.walk(heard_g1[samples])
            spent.append((processor_time(process) - before) / len(said))
        finally:
            process.process.send_signal(signal.SIGKILL)
            process.process.wait()
        # nothing is known of the floor before two swings, then its interval holds mu
        answered = [k for k, one in enumerate(said) if one["answers"] > 0.0]
        first = PERIOD * (samples.start + answered[0])
        steps = [landing for landing in LANDINGS if landing > PERIOD * samples.start]
        assert steps[1] < first < steps[2]
        assert said[-1]["mu_low"] < MU < said[-1]["mu_high"]
        # friction and diagnostics alone, and no command of any kind
        assert {one for one in topics if f"/{OWN}/" not in one} <= {
            "/diagnostics",
            "/parameter_events",
            "/rosout",
        }
        for box in robot.boxes.values():
            assert not list(box.take())
        until(lambda: not robot.connected())
    with capsys.disabled():
        print(
            f"\nprocessor time a sample {1e3 * spent[0]:.2f} and "
            f"{1e3 * spent[1]:.2f} ms, period {1e3 * PERIOD:g} ms; 0 commands"
        )
    node.destroy_node()
