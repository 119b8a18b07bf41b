# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's G1 behind the vendor's topics, walked through rt/lowcmd by an open policy:
friction is on the topics of ROS meanwhile. Robot, policy, bridge and estimator are
processes of their own. The policy commands by the vendor's C++ library, which
UNITREE_SDK names the folder of::

    pip install --no-deps --target sdk far-unitree-sdk==0.1.8
    UNITREE_SDK=$PWD/sdk pytest -s test/studies/test_unitree_closed_loop.py

or by torques through our armed bridge. The robot's time runs at a quarter of the
clock's, for a computer that others use as well; ticks and stamps are of its time.
"""

import contextlib
import json
import os
import sys
import time
from array import array

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
pytest.importorskip("mujoco", reason="the mujoco extra is not installed")
pytest.importorskip("onnxruntime", reason="the policies extra is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.slow]

import rclpy  # noqa: E402
import yaml  # noqa: E402
from ros.unitree_partner import COMMANDS, PATIENT, ROOT, Played, until  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.processes import NodeProcess, free_domain  # noqa: E402
from biped_slip.simulation.humanoid.scenario import chosen_walk  # noqa: E402
from biped_slip.walking.humanoid import CURRENTS  # noqa: E402
from studies.policies import write_walk  # noqa: E402
from studies.policy_robots import policy_files  # noqa: E402
from synthetic.unitree_policy import Sensed, Walker  # noqa: E402

POLICY = "g1_holosoma"
MU = 0.4
SPEED = 0.25  # of the robot's time
SECONDS = 5.0  # of the walk: four or five landings
FLOOR = "friction_estimator/floor/friction"
SDK = os.environ.get("UNITREE_SDK")
TICK = {"tick_unit": 1e-3, "interface": "lo"}


@pytest.fixture(autouse=True)
def before_others():
    """Processes here go before those of others, where the system lets them: an armed
    bridge waits for a state or a command for 100 ms at most."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    yield
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, usual)


@pytest.fixture
def files(recordings, tmp_path):
    """The policy's files; the walk of its robot, without sensors and with currents."""
    folder = recordings / "policies"
    if not (folder / f"{POLICY}.onnx").is_file():
        pytest.skip(f"no policy {POLICY} at {folder}")
    found = policy_files(folder, POLICY)
    plain = write_walk(found, tmp_path, "mujoco", MU, 20.0)
    said = chosen_walk(str(plain)).to_mapping()
    currents = chosen_walk(str(plain), CURRENTS).to_mapping()
    said["sensors"]["motor_torques"] = currents["sensors"]["motor_torques"]
    sensed = tmp_path / "sensed.yaml"
    sensed.write_text(yaml.safe_dump(json.loads(json.dumps(said))))
    return found.network, plain, sensed


class Loop:
    """The robot's program, bridge and estimator, and what the topics say."""

    def __init__(self, files, domain, tmp_path, options, /, **bridge):
        self.network, self.plain, sensed = files
        words = ["-m", "synthetic.unitree_walk", str(sensed), "--domain", str(domain)]
        words += ["--speed", str(SPEED), "--seconds", str(SECONDS), *options]
        estimator = {"humanoid": str(self.plain), "period": 0.002, "complete": True}
        parameters = {
            "unitree_bridge": {**TICK, "domain": domain, **bridge},
            "friction_estimator": estimator,
        }
        ros_domain = int(os.environ["ROS_DOMAIN_ID"])
        self.nodes = [
            NodeProcess(name, given, tmp_path, ros_domain)
            for name, given in parameters.items()
        ]
        self.robot = Played(domain, [sys.executable, *words])
        self.node = rclpy.create_node("listener")
        self.boxes = {
            name: PolledSubscription(self.node, kind, name, OUTPUTS)
            for name, kind in (
                (FLOOR, JointState),
                ("joint_states", JointState),
                ("imu/data", Imu),
            )
        }
        self.said = []

    def listen(self):
        self.said += self.boxes[FLOOR].take()
        assert all(one.running for one in self.nodes), [
            one.failure() for one in self.nodes
        ]
        assert self.robot.process.poll() is None or self.robot.said("end")
        time.sleep(0.002)

    def until(self, condition, seconds=300.0):
        return until(condition, self.listen, seconds)

    def floor(self):
        """Check that the robot walked; return what the topic says of the floor."""
        end = self.robot.said("end")[0]
        floor = dict(zip(self.said[-1].name, self.said[-1].position, strict=True))
        print(end, floor)
        assert not end["fell"]
        assert end["distance"] > 0.2 * SECONDS
        assert end["broken"] == 0
        return floor, end["commands"]

    def close(self):
        for one in self.nodes:
            one.end()
            print(one.log()[-1500:])
        self.robot.close()
        for box in self.boxes.values():
            box.close()
        self.node.destroy_node()


@pytest.fixture
def loop(ros, files, tmp_path):
    made = []

    def start(domain, *options, **bridge):
        made.append(Loop(files, domain, tmp_path, options, **bridge))
        return made[-1]

    yield start
    for one in made:
        one.close()


def knows(floor):
    """What four landings without ankle sensors know: an interval that holds mu."""
    assert floor["answers"] >= 3.0
    assert floor["mu_low"] < MU < floor["mu_high"]
    assert abs(floor["mu"] - MU) < 0.15


@pytest.mark.skipif(
    SDK is None, reason="UNITREE_SDK does not name the vendor's library"
)
def test_the_floor_is_known_while_the_vendors_library_walks_the_robot(loop):
    """The vendor's program is the one writer of commands that the robot counts: bridge
    and estimator send none."""
    one = loop(0)  # the library's domain
    one.until(lambda: one.said)
    path = os.pathsep.join((SDK, str(ROOT)))
    words = ["-m", "synthetic.unitree_policy", str(one.network), str(one.plain)]
    policy = Played(
        0,
        [sys.executable, *words, "--speed", str(SPEED)],
        {**os.environ, "PYTHONPATH": path},
    )
    try:
        one.until(lambda: one.robot.said("end"))
    finally:
        policy.close()
    floor, writers = one.floor()
    knows(floor)
    assert len(writers) == 1
    # its thread repeats the last command at 500 Hz of the clock
    assert writers[0] > SECONDS / SPEED * 250.0


class Torques:
    """The policy as a node: joint states and IMU in, torques out."""

    def __init__(self, one):
        self.walker = Walker(one.network, str(one.plain))
        self.boxes = one.boxes
        self.publisher = one.node.create_publisher(
            Float64MultiArray, COMMANDS, COMMAND_QOS
        )
        self.imu = None

    def step(self):
        for message in self.boxes["imu/data"].take():
            self.imu = message
        for joints in self.boxes["joint_states"].take():
            stamp = joints.header.stamp
            turn = self.imu.orientation
            rate = self.imu.angular_velocity
            force = self.imu.linear_acceleration
            self.walker.step(
                Sensed(
                    stamp_ns=stamp.sec * 10**9 + stamp.nanosec,
                    position=joints.position,
                    velocity=joints.velocity,
                    orientation=(turn.x, turn.y, turn.z, turn.w),
                    angular_velocity=(rate.x, rate.y, rate.z),
                    specific_force=(force.x, force.y, force.z),
                )
            )
            torques = array("d", self.walker.torques())
            self.publisher.publish(Float64MultiArray(data=torques))


@pytest.mark.skipif(
    not os.environ.get("BIPED_SLIP_LONG"),
    reason="needs two free cores for minutes: BIPED_SLIP_LONG=1",
)
def test_the_floor_is_known_while_torques_walk_the_robot_through_the_armed_bridge(loop):
    """The robot's time waits for the answer to each state: torques that are late by a
    busy computer's 10 ms would be another controller's."""
    one = loop(free_domain() + 100, "--answered", commands=True, **PATIENT)
    policy = Torques(one)
    one.until(lambda: one.said)
    caller = rclpy.create_node("caller")
    client = caller.create_client(Trigger, "unitree_bridge/arm")
    one.until(client.service_is_ready)
    asked = client.call_async(Trigger.Request())

    def drive():
        nonlocal asked
        one.listen()
        rclpy.spin_once(caller, timeout_sec=0.0)
        policy.step()
        if asked.done() and not asked.result().success:
            asked = client.call_async(Trigger.Request())

    until(lambda: one.robot.said("end"), drive, 300.0)
    caller.destroy_node()
    floor, writers = one.floor()
    knows(floor)
    assert len(writers) == 1
    # one command of 2 ms: torques that are missing were those of a fall
    assert writers[0] > 0.9 * SECONDS / 2e-3
