# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: draws what is known of the floor for RViz and Foxglove, at its own slow rate, off every control loop."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.sole_places import SolePlaces
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.ros.parameters.robot import RobotConfig
from biped_slip.ros.runtime.robot_node import RobotNode, serve
from biped_slip.ros.topics.foot_sensors import FEET
from biped_slip.ros.topics.markers import FootstepTrail, FootView, MarkerConfig, marker_array
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.named_scalars import estimate_from
from biped_slip.ros.topics.qos import OUTPUTS, SENSOR_INPUTS, overridable
from biped_slip.ros.topics.subscription import PolledSubscription


@configuration
class MarkersNodeConfig(Configuration):
    """Parameters of this node alone."""

    rate: float = parameter(20.0, unit="Hz", above=0.0, high=200.0, doc="of the pictures")
    footsteps: int = parameter(100, low=0, high=10000, doc="how many are shown")
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction" for foot in FEET), doc="estimates of the left and right foot"
    )


class FrictionMarkersNode(RobotNode):
    """Takes the newest of every topic and draws it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("friction_markers", **options)
        self._config = declare_configuration(self, MarkersNodeConfig())
        self._style = declare_configuration(self, MarkerConfig())
        self._robot = declare_configuration(self, RobotConfig())
        self._boxes: dict[str, PolledSubscription] = {}
        self._output: Any = None

    def build(self) -> None:
        """Robot and topics."""
        self._places = SolePlaces(self._robot.robot_description or planar_biped().urdf, self._robot.soles)
        kinds = {"joint_states": JointState, "odom": Odometry}
        kinds |= {f"{foot}/wrench": WrenchStamped for foot in FEET}
        kinds |= dict.fromkeys(self._config.friction_topics, JointState)
        self._boxes = {topic: PolledSubscription(self, kind, topic, SENSOR_INPUTS) for topic, kind in kinds.items()}
        self._output = self.create_lifecycle_publisher(
            MarkerArray, "~/markers", OUTPUTS, qos_overriding_options=overridable()
        )

    def begin(self) -> None:
        """Nothing was seen yet."""
        self._newest: dict[str, Any] = {}
        self._trail = FootstepTrail(self._config.footsteps)
        self._due = time.monotonic()

    def wait(self, timeout: float) -> None:
        """Until the next picture."""
        time.sleep(min(max(self._due - time.monotonic(), 0.0), timeout))

    def work(self) -> None:
        """Draw when it is time and the robot's pose is known."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + 1.0 / self._config.rate
        for topic, box in self._boxes.items():
            for message in box.take():
                self._newest[topic] = message
        if "joint_states" not in self._newest or "odom" not in self._newest:
            return
        feet = self._feet()
        self._trail.add(feet)
        stamp = self._newest["joint_states"].header.stamp
        self._output.publish(marker_array(feet, self._trail.steps, (stamp.sec, stamp.nanosec), self._style))
        self.well("drawing")

    def _feet(self) -> list[FootView]:
        joints, pose = self._newest["joint_states"], self._newest["odom"].pose.pose
        quaternion = (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w)
        positions = dict(zip(joints.name, joints.position, strict=False))
        places = self._places.places((pose.position.x, pose.position.y, pose.position.z), quaternion, positions)
        feet = []
        for foot, topic, place in zip(FEET, self._config.friction_topics, places, strict=True):
            wrench = self._newest.get(f"{foot}/wrench")
            force = np.zeros(3)
            if wrench is not None:
                force = np.array([wrench.wrench.force.x, wrench.wrench.force.y, wrench.wrench.force.z])
            feet.append(FootView(foot, *place, force, self._estimate(topic)))
        return feet

    def _estimate(self, topic: str) -> Any:
        message = self._newest.get(topic)
        if message is None:
            return NO_ESTIMATE
        try:
            return estimate_from(message)
        except UnusableSample as problem:
            self.skip(problem.problem)
            return NO_ESTIMATE

    def release(self) -> None:
        """Topics."""
        for box in self._boxes.values():
            box.close()
        if self._output is not None:
            self.destroy_lifecycle_publisher(self._output)
        self._boxes, self._output = {}, None


def main() -> int:
    """Run the node as a process."""
    return serve(FrictionMarkersNode)


if __name__ == "__main__":
    raise SystemExit(main())
