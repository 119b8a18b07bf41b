# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Controllers to compare the loop with: a bare echo, and a controller as tutorials write it."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.estimation.motion_sources import motion_source
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.cdr import stamp_of
from biped_slip.ros.dds import COMMANDS, SENSOR_INPUTS, PolledSubscription, Waiter
from biped_slip.ros.messages import SENSOR_TOPICS, CommandMessage, SerialisedCommand, stamp_ns
from biped_slip.ros.pacing import TRIGGER
from biped_slip.simulation.planar.walk import chosen_scenario, planar_policy
from biped_slip.walking.planar import PlanarController
from studies.loop.endless_robot import COMMAND


def echo(node: Node) -> None:
    """Answer every sample with zeros, from bytes to bytes: what the transport alone costs."""
    boxes = {
        topic: PolledSubscription(node, kind, topic, SENSOR_INPUTS, raw=True) for topic, kind in SENSOR_TOPICS.items()
    }
    output, waiter = node.create_publisher(Float64MultiArray, COMMAND, COMMANDS), Waiter(node, 1)
    joints = len(planar_biped().joints)
    command, nothing, stamp = SerialisedCommand(joints), np.zeros(joints), None
    freeze()
    while True:
        waiter.wait([boxes[TRIGGER]], 0.1)
        for topic, box in boxes.items():
            for raw in box.take():
                stamp = stamp_of(raw) if topic == TRIGGER else stamp
        if stamp is not None:
            output.publish(command.fill(stamp, nothing))
            stamp = None


class PlainController(Node):
    """The controller as tutorials write it: typed messages, a callback each, the default executor."""

    def __init__(self) -> None:
        super().__init__("plain_controller")
        scenario = chosen_scenario("thesis")
        robot = planar_biped(scenario.variant)
        motion = motion_source(robot, scenario.motion, FloorConfig())
        self._controller = PlanarController(robot, scenario.walking, planar_policy("thesis", scenario), motion, 0.0)
        self._newest: dict[str, Any] = {}
        for topic, kind in SENSOR_TOPICS.items():
            self.create_subscription(kind, topic, lambda message, topic=topic: self._heard(topic, message), 10)
        self._command = CommandMessage(len(robot.joints))
        self._output = self.create_publisher(Float64MultiArray, COMMAND, 10)

    def _heard(self, topic: str, message: Any) -> None:
        self._newest[topic] = message
        if topic == TRIGGER and len(self._newest) == len(SENSOR_TOPICS):
            readings = self._readings(stamp_ns(message.header))
            self._output.publish(self._command.fill(readings.stamp_ns, self._controller.step(readings).torques))

    def _readings(self, stamp: int) -> SensorReadings:
        def vector(value: Any, names: str = "xyz") -> Array:
            return np.array([getattr(value, name) for name in names])

        joints, imu, odom = (self._newest[topic] for topic in ("joint_states", "imu/data", "odom"))
        wrenches = [self._newest[f"{foot}/wrench"].wrench for foot in ("l_foot", "r_foot")]
        return SensorReadings(
            stamp,
            np.array(joints.position),
            np.array(joints.velocity),
            vector(imu.orientation, "xyzw"),
            vector(imu.angular_velocity),
            vector(imu.linear_acceleration),
            vector(odom.pose.pose.position),
            vector(odom.twist.twist.linear),
            np.array([[*vector(wrench.force), *vector(wrench.torque)] for wrench in wrenches]),
        )


def freeze() -> None:
    """No garbage collection from here on."""
    gc.collect()
    gc.freeze()
    gc.disable()
