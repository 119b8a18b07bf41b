# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The other side of a node in tests: sends sensors and estimates, collects what the
node publishes."""

import time
from collections import defaultdict

import numpy as np
import rclpy
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, PolledSubscription
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    FOOT_NAMES,
    SENSOR_TOPICS,
    Frames,
    NamedScalars,
)
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.world import PlanarWorld
from synthetic.sensor_messages import SensorMessages

COMMAND = "effort_controller/commands"
FRICTION = [f"friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES]
PERIOD = 1_000_000  # [ns]


def until(condition, seconds=300.0):
    """What a condition answers, as soon as that is something."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
    return found


def standing(name="thesis"):
    """Readings of the robot as it stands at the start of a scenario."""
    return PlanarWorld(chosen_scenario(name)).read()


def make(kind, **parameters):
    """A node with parameters, not yet configured; a controller does not rehearse."""
    parameters = {"rehearsal": 0.0, **parameters}
    return kind(
        parameter_overrides=[
            Parameter(name, value=value) for name, value in parameters.items()
        ]
    )


def activated(kind, **parameters):
    node = make(kind, **parameters)
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    return node


class Partner:
    """Talks to one node that lives in the same process and is stepped by hand."""

    def __init__(self):
        self.node = rclpy.create_node("partner")
        self.outputs = {
            topic: self.node.create_publisher(kind, topic, OUTPUTS)
            for topic, kind in SENSOR_TOPICS.items()
        }
        for topic in FRICTION:
            self.outputs[topic] = self.node.create_publisher(JointState, topic, OUTPUTS)
        self.commands = self.node.create_publisher(Float64MultiArray, COMMAND, OUTPUTS)
        self.boxes = {
            topic: PolledSubscription(self.node, JointState, topic, OUTPUTS)
            for topic in FRICTION
        }
        self.boxes[COMMAND] = PolledSubscription(
            self.node, Float64MultiArray, COMMAND, COMMAND_QOS
        )
        self.sensors = SensorMessages(
            ("l_hip", "l_knee", "r_hip", "r_knee"), ("l_sole", "r_sole"), Frames()
        )
        self.estimates = [
            NamedScalars(sole, ESTIMATE_NAMES) for sole in ("l_sole", "r_sole")
        ]

    def send(self, readings, without=(), inject=None):
        """Publish the messages of one reading."""
        messages = self.sensors.fill(readings)
        if inject is not None:
            inject(messages)
        for topic, message in messages.items():
            if topic not in without:
                self.outputs[topic].publish(message)

    def send_estimates(self, stamp, estimate=NO_ESTIMATE):
        for topic, message in zip(FRICTION, self.estimates, strict=True):
            self.outputs[topic].publish(message.fill(stamp, estimate))

    def received(self, node, seconds=0.3, topics=None, enough=None):
        """Step the node for a while, or until a topic has enough; messages by topic."""
        got = defaultdict(list)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (
            enough and len(got[enough[0]]) >= enough[1]
        ):
            if node.active:
                node.step()
            for topic, box in self.boxes.items():
                got[topic] += list(box.take())
        return got

    def connect(self, node, topic, seconds=10.0):
        """Step until what the node publishes under a topic would arrive here, and the
        other way round."""
        end = time.monotonic() + seconds
        while (
            not self.boxes[topic].senders()
            or not self.outputs["joint_states"].get_subscription_count()
        ):
            assert time.monotonic() < end, f"no connection over {topic}"
            time.sleep(0.01)

    def close(self):
        self.node.destroy_node()


def efforts(messages):
    return np.array([list(message.data) for message in messages[COMMAND]])
