# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors should say while it stands on both soles: from its joints and its model, for the check."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.estimation.sensor_check import CheckWindow

SMOOTHING = 0.1  # [s] of joint angles before they are differenced twice (choice)
SHORTEST = 0.5  # [s]


def planted_window(model: Any, soles: tuple[str, str], readings: Sequence[SensorReadings]) -> CheckWindow:
    """The window that ``check_sensors`` judges; the left sole is the frame at rest.

    Args:
        model: Pinocchio model with a free-flyer at its root, joints in the readings' order.
        soles: names of the sole frames, left and right.
        readings: of standing on both feet, evenly sampled.

    Raises:
        InvalidParameter: less than half a second of it.
    """
    time = np.array([1e-9 * one.stamp_ns for one in readings])
    if len(time) < 10 or time[-1] - time[0] < SHORTEST:
        raise InvalidParameter("readings", len(time), f"at least {SHORTEST:g} s of standing")
    joints = _smooth(np.array([one.joint_position for one in readings]), time)
    poses = [_pose(model, soles, q) for q in joints]
    rotation, position = np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])
    com, right = np.array([pose[2] for pose in poses]), [pose[3] for pose in poses]
    mass = float(sum(inertia.mass for inertia in model.inertias))
    felt = np.gradient(np.gradient(com, time, axis=0), time, axis=0) + np.array([0.0, 0.0, GRAVITY])
    base = np.gradient(np.gradient(position, time, axis=0), time, axis=0) + np.array([0.0, 0.0, GRAVITY])
    force = mass * felt
    turning = np.array([pin.log3(a.T @ b) for a, b in pairwise(rotation)])
    turning = np.vstack([turning, turning[-1:]]) / np.gradient(time)[:, None]
    at_rest = np.zeros(3)
    return CheckWindow(
        np.array([one.wrench_ground_on_foot_in_sole for one in readings]),
        np.array([[np.eye(3), pose.rotation] for pose in right]),
        np.array([[at_rest, pose.translation] for pose in right]),
        np.hstack([force, np.cross(com, force)]),
        np.array([one.specific_force_in_base for one in readings]),
        np.array([one.angular_velocity_in_base for one in readings]),
        np.einsum("tji,tj->ti", rotation, base),
        turning,
    )


def _smooth(values: Array, time: Array) -> Array:
    """Centred moving average, the ends held."""
    width = max(round(SMOOTHING / float(np.median(np.diff(time)))), 1)
    padded = np.pad(values, ((width, width), (0, 0)), mode="edge")
    kernel = np.convolve(np.full(width, 1.0 / width), np.full(width, 1.0 / width))  # twice: its second slope is finite
    smooth = [np.convolve(column, kernel, mode="same")[width:-width] for column in padded.T]
    return np.asarray(np.array(smooth).T, dtype=float)


def _pose(model: Any, soles: tuple[str, str], joints: Array) -> tuple[Array, Array, Array, Any]:
    """Base rotation and position, centre of mass and right sole, seen from the left sole at rest."""
    data = model.createData()
    q = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], joints])
    pin.forwardKinematics(model, data, q)
    pin.updateFramePlacements(model, data)
    left, right = (data.oMf[model.getFrameId(sole)] for sole in soles)
    base = left.inverse()
    com = pin.centerOfMass(model, data, q, False)
    return base.rotation, base.translation, base.act(com), base * right
