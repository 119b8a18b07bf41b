# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: transform from odom to base on /tf, from the odometry, at a low rate."""

from __future__ import annotations

import time
from typing import Any

from nav_msgs.msg import Odometry

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import RANGES, Judge, Problem
from biped_slip.ros.dds import OUTPUTS, SENSOR_INPUTS, message_class
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.stamps import Present

TRANSFORMS = "tf2_msgs/msg/TFMessage"


@configuration
class OdomTransformConfig(Configuration):
    """Parameters of this node alone."""

    rate: float = parameter(
        50.0, unit="Hz", above=0.0, high=1000.0, doc="of the transforms"
    )


def pose_judge() -> Judge:
    """Make the judge of a pose's numbers."""
    place = dict.fromkeys(
        (f"position.{axis}" for axis in "xyz"), RANGES["position_base_in_odom"]
    )
    turn = dict.fromkeys(
        (f"orientation.{axis}" for axis in "xyzw"), RANGES["orientation_base_in_world"]
    )
    return Judge({**place, **turn}, "odom")


def transform_problem(judge: Judge, odometry: Odometry) -> Problem | None:
    """Name what makes an odometry no transform; listeners to /tf would drop it.

    Args:
        judge: of its pose.
        odometry: the message.
    """
    parent, child = odometry.header.frame_id, odometry.child_frame_id
    if not parent or not child or parent.strip("/") == child.strip("/"):
        what = f"odom: from {parent!r} to {child!r}, but must be of two named frames"
        return Problem("wrong frame", what)
    return judge.problem(odometry.pose.pose)


class OdomTransformNode(RobotNode):
    """Transform odom → base_link of the newest odometry.

    Its frames are the message's.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("odom_transform", **options)
        self._config = declare_configuration(self, OdomTransformConfig())

    def build(self) -> None:
        """Build the topics."""
        kind = message_class(TRANSFORMS)
        if kind is None:
            raise BipedSlipError(
                f"message type {TRANSFORMS} is not installed; without it there is no "
                "TF of the base"
            )
        from geometry_msgs.msg import TransformStamped

        self._judge = pose_judge()
        self._transform = TransformStamped()
        self._message = kind(transforms=[self._transform])
        self._box = self.subscribe(Odometry, "odom", SENSOR_INPUTS)
        self._output = self.advertise(kind, "/tf", OUTPUTS, qos_overriding_options=None)

    def begin(self) -> None:
        """Start with the first transform at once."""
        self._present = Present("odom")
        self._due = time.monotonic()

    def wait(self, now: float, timeout: float) -> None:
        """Wait until the next transform is due."""
        self.sleep_until(self._due, timeout)

    def work(self, now: float) -> None:
        """Publish the transform of the newest pose."""
        if now < self._due:
            return
        self._due = max(self._due + 1.0 / self._config.rate, now)
        if not self._present.take("odom", self._box.take()):
            return
        newest = self._present.get("odom")
        if problem := transform_problem(self._judge, newest):
            self.skip(problem)
            return
        sent = self._transform
        pose = newest.pose.pose
        sent.header = newest.header
        sent.child_frame_id = newest.child_frame_id
        place = sent.transform.translation
        place.x = pose.position.x
        place.y = pose.position.y
        place.z = pose.position.z
        sent.transform.rotation = pose.orientation
        self._output.publish(self._message)
        self.well("sending")
