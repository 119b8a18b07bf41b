# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State of a robot that speaks its vendor's interface, as ``joint_states`` and IMU."""

from __future__ import annotations

from typing import Sequence

from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu, JointState

from biped_slip.compile.arrays import Array
from biped_slip.ros.dds import OUTPUTS, SCHEMAS, MessageLayout, SerialisedPublisher
from biped_slip.ros.robot_node import RobotNode


class StatePublishers:
    """Publishers of joints with efforts and of one IMU; bytes are made once.

    The IMU goes first: ``joint_states`` triggers the steps of those who listen.

    Args:
        node: publishes.
        joints: names, in the order of the arrays.
        imu_frame: link that the IMU is in.
    """

    def __init__(self, node: RobotNode, joints: Sequence[str], imu_frame: str) -> None:
        rest = [0.0] * len(joints)
        state = JointState(name=list(joints), position=rest, velocity=rest, effort=rest)
        state.header.frame_id = "base_link"
        self._joints = MessageLayout(serialize_message(state), SCHEMAS["JointState"])
        imu = Imu()
        imu.header.frame_id = imu_frame
        self._imu = MessageLayout(serialize_message(imu), SCHEMAS["Imu"])
        self._imu_output = node.opened(
            SerialisedPublisher(node, Imu, "imu/data", OUTPUTS)
        )
        self._joint_output = node.opened(
            SerialisedPublisher(node, JointState, "joint_states", OUTPUTS)
        )

    def publish_imu(
        self,
        stamp_ns: int,
        orientation: Array,
        angular_velocity: Array,
        specific_force: Array,
    ) -> None:
        """Publish the IMU at an instant [ns].

        Args:
            stamp_ns: of the instant [ns].
            orientation: (x, y, z, w).
            angular_velocity: (3,) [rad/s].
            specific_force: (3,) [m/s^2], +g at rest.
        """
        views = self._imu.views
        views["orientation"][:] = orientation
        views["angular_velocity"][:] = angular_velocity
        views["linear_acceleration"][:] = specific_force
        self._imu_output.publish(self._imu.message(MessageLayout.time(stamp_ns)))

    def publish_joints(
        self, stamp_ns: int, position: Array, velocity: Array, effort: Array
    ) -> None:
        """Publish joints (n,) [rad, rad/s, N m] at an instant [ns]."""
        views = self._joints.views
        views["position"][:] = position
        views["velocity"][:] = velocity
        views["effort"][:] = effort
        self._joint_output.publish(self._joints.message(MessageLayout.time(stamp_ns)))
