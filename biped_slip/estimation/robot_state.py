# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Coordinates and velocities of a sagittal robot from its sensors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.readings import SensorReadings


class RobotState(NamedTuple):
    """Generalized coordinates and velocities of the robot model."""

    q: Array  # (nv,)
    v: Array  # (nv,)


@kernel
def pitch_of(quaternion: Array) -> float:
    """Rotation about +y [rad] of a quaternion (x, y, z, w) that turns about y alone."""
    return 2.0 * math.atan2(quaternion[1], quaternion[3])


@kernel
def sagittal_state(
    root: int,
    joint_position: Array,
    joint_velocity: Array,
    quaternion: Array,
    angular_velocity: Array,
    position: Array,
    linear_velocity: Array,
) -> tuple[Array, Array]:
    """Q and v, shapes (root + n,), from base pose, twist in base_link and joints; root is 2 or 3 (with pitch)."""
    n = joint_position.shape[0]
    q, v = np.empty(root + n), np.empty(root + n)
    pitch = pitch_of(quaternion)
    c, s = math.cos(pitch), math.sin(pitch)
    q[0], q[1] = position[0], position[2]
    v[0] = c * linear_velocity[0] + s * linear_velocity[2]
    v[1] = -s * linear_velocity[0] + c * linear_velocity[2]
    if root == 3:
        q[2], v[2] = pitch, angular_velocity[1]
    copy_vector(joint_position, q, root)
    copy_vector(joint_velocity, v, root)
    return q, v


@kernel
def robot_state(readings: SensorReadings, root: int) -> RobotState:
    """Robot state of a sagittal robot whose base has ``root`` coordinates."""
    q, v = sagittal_state(
        root,
        readings.joint_position,
        readings.joint_velocity,
        readings.orientation_base_in_world,
        readings.angular_velocity_in_base,
        readings.position_base_in_odom,
        readings.linear_velocity_in_base,
    )
    return RobotState(q, v)
