# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge against the vendor's own packages in other processes. They need Cyclone
0.10.2 and an interpreter of their own; UNITREE_PYTHON names it::

    python3.10 -m venv vendor
    vendor/bin/pip install cyclonedds==0.10.2 far-unitree-sdk==0.1.8 numpy
    git clone https://github.com/unitreerobotics/unitree_sdk2_python  # on its path
    UNITREE_PYTHON=vendor/bin/python pytest test/ros/test_unitree_vendor.py
"""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
VENDOR = os.environ.get("UNITREE_PYTHON")
pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(
        VENDOR is None, reason="no interpreter with the vendor's packages"
    ),
]

import rclpy  # noqa: E402
from ros.unitree_partner import (  # noqa: E402
    Played,
    Robot,
    damps,
    disarmed,
    ended_by,
    ended_by_signal,
    ends_in_damping,
    exception,
    lost_state,
    settled,
)
from sensor_msgs.msg import JointState  # noqa: E402

from biped_slip.ros.dds import OUTPUTS, PolledSubscription  # noqa: E402
from biped_slip.ros.processes import free_domain  # noqa: E402

PROGRAM = Path(__file__).with_name("unitree_vendor.py")


@pytest.fixture
def vendor():
    made = []
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def start(*words):
        made.append(Played(int(words[1]), [VENDOR, str(PROGRAM), *words], own))
        return made[-1]

    yield start
    for one in made:
        one.close()
        assert one.process.returncode == 0, "the vendor's program crashed"


def test_states_of_the_vendors_package_are_heard_and_it_counts_no_command(
    vendor, bridge
):
    robot = vendor("robot", str(free_domain() + 100))
    one = bridge(robot)
    node = rclpy.create_node("listener")
    box = PolledSubscription(node, JointState, "joint_states", OUTPUTS)
    got = []

    def enough():
        got.extend(box.take())
        return len(got) > 100

    one.until(enough)
    last = got[-1]
    assert last.position[4:] == pytest.approx(0.01 * np.arange(4, 29))
    assert last.velocity == pytest.approx(-0.02 * np.arange(29))
    assert last.effort == pytest.approx(1.0 + np.arange(29))
    assert not one.named("wrong CRC")
    assert settled(robot, one.step) == []
    box.close()
    node.destroy_node()


def test_torques_and_damping_have_the_vendors_checksum(vendor, bridge):
    robot = vendor("robot", str(free_domain() + 100))
    one = bridge(robot, commands=True, state_limit=0.1, command_limit=0.1)
    one.armed()
    one.drive(lambda: len(robot.commands()) > 50, 0.25 * np.arange(29))
    one.node.trigger_deactivate()
    commands = ends_in_damping(robot)
    assert all(command["intact"] for command in commands)
    assert {command["mode_machine"] for command in commands} == {5}
    assert [k for k in commands if not damps(k)][-1]["tau"] == pytest.approx(
        0.25 * np.arange(29)
    )


def print_end(name, commands):
    torques = sum(not damps(one) for one in commands)
    print(f"{name}: {torques} torques, then {len(commands) - torques} of damping")


@pytest.mark.parametrize(
    ("way", "name"),
    [
        (lost_state, "lost state"),
        (disarmed, "disarmed"),
        (exception, "disarmed"),
    ],
)
def test_the_vendor_hears_damping_last_whatever_ends_an_armed_bridge(
    vendor, bridge, way, name
):
    one = bridge(vendor("robot", str(free_domain() + 100)), commands=True)
    print_end(way.__name__, ended_by(one, way, name))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_vendor_hears_damping_last_when_a_signal_ends_the_bridge(
    vendor, ros, tmp_path, number
):
    robot = vendor("robot", str(free_domain() + 100))
    commands, seconds = ended_by_signal(robot, number, tmp_path)
    print_end(f"{signal.Signals(number).name} in {1e3 * seconds:.1f} ms", commands)


def test_the_vendors_library_takes_our_states_and_its_commands_forbid_ours(
    vendor, bridge
):
    """It takes no state with a wrong checksum; its domain is 0 alone."""
    robot = Robot("g1", 0)
    try:
        user = vendor("user", "0", "commands")
        one = bridge(robot, commands=True)
        one.until_it_listens()
        one.until(lambda: any(any(said["q"]) for said in user.said("state")))
        state = user.said("state")[-1]
        assert state["tau"] == pytest.approx(1.0 + np.arange(29))
        assert state["acceleration"][2] == pytest.approx(9.81)
        assert state["mode_machine"] == 5
        one.until(lambda: one.node._foreign)
        assert "another writer" in one.arm().message
        one.until(lambda: robot.commands())
        # checked by our own sum
        assert all(command["intact"] for command in robot.commands())
    finally:
        robot.close()
