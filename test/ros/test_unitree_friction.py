# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction on the topics of a robot that speaks the vendor's interface alone: a walk of
a G1 under another controller is played on rt/lowstate, bridge and estimator listen.
The robot's time runs at a fraction of the clock's, for a computer with fewer cores than
processes: no message is lost, and all stamps are of the robot's ticks."""

import os
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.slow]

import rclpy  # noqa: E402
from ros.unitree_partner import PATIENT, Robot, until  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from biped_slip.ros.dds import OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.processes import NodeProcess, free_domain  # noqa: E402
from synthetic.unitree_topics import TICK  # noqa: E402

MU = 0.4  # of the floor of ``heard_g1``
EVERY = 2  # of the samples of 1 kHz: the robot's 500 Hz
STANDING = 400  # samples, 0.8 s
SPEED = 0.1  # of the robot's time
FLOOR = "friction_estimator/floor/friction"


@pytest.fixture
def walk_file(heard_g1, tmp_path):
    """The walk as a file that the robot's program plays."""
    samples = heard_g1[::EVERY]
    path = tmp_path / "walk.npz"
    np.savez(
        path,
        position=[one.joint_position for one in samples],
        velocity=[one.joint_velocity for one in samples],
        effort=[one.joint_torque for one in samples],
        imu=[one.imu for one in samples],
    )
    return path


def test_the_floor_under_a_g1_is_known_by_its_vendors_interface_alone(
    ros, walk_file, tmp_path
):
    domain = int(os.environ["ROS_DOMAIN_ID"])
    words = ("--play", str(walk_file), "--hold", str(STANDING))
    words += ("--speed", str(SPEED))
    robot = Robot("g1", free_domain() + 100, *words)
    parameters = {
        "unitree_bridge": {
            "domain": robot.domain,
            "interface": "lo",
            "tick_unit": TICK,
            **PATIENT,
        },
        "friction_estimator": {"humanoid": "g1", "period": 0.002, "complete": True},
    }
    nodes = [
        NodeProcess(name, given, tmp_path, domain) for name, given in parameters.items()
    ]
    node = rclpy.create_node("listener")
    box = PolledSubscription(node, JointState, FLOOR, OUTPUTS)
    said = []

    def listen():
        said.extend(box.take())
        assert all(one.running for one in nodes), [one.failure() for one in nodes]
        time.sleep(0.01)

    try:
        until(lambda: said, listen, 300.0)
        robot.do("play")
        until(lambda: robot.said("end"), listen)
        floor = dict(zip(said[-1].name, said[-1].position, strict=True))
        print(floor)
        assert floor["answers"] >= 1.0
        assert floor["mu_low"] < MU < floor["mu_high"]
        assert abs(floor["mu"] - MU) < 0.1
        assert robot.commands() == []
    finally:
        for one in nodes:
            one.end()
            print(one.log()[-1500:])
        robot.close()
        box.close()
        node.destroy_node()
