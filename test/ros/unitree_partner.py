# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The other side of the bridge to a Unitree robot in tests: a robot that is played on
the vendor's topics, the bridge stepped by hand, and ways to end it."""

import json
import os
import subprocess
import sys
import threading
import time
from array import array
from pathlib import Path

import rclpy
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from biped_slip.ros.dds import COMMAND_QOS
from biped_slip.ros.nodes.unitree_bridge import UnitreeBridgeNode
from biped_slip.ros.processes import NodeProcess

ROOT = Path(__file__).parents[2]
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


def lost_state(one):
    one.robot.do("pause 0.5")


def disarmed(one):
    assert one.node._disarm(Trigger.Request(), Trigger.Response()).success


def exception(one):
    def broken(*_):
        raise ValueError("on purpose")

    one.node._publish = broken


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
