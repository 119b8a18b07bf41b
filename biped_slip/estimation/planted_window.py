# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors should say while it stands on both soles: from its joints and its model, for the check."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.floating_base.lie import rotation_of
from biped_slip.estimation.leg_closure import LegClosure
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.estimation.sensor_check import (
    NO_SUM,
    CheckWindow,
    SensorCheckConfig,
    check_sensors,
    force_faults,
    imu_faults,
)

SMOOTHING = 0.1  # [s] of joint angles, which are differenced twice, and of all sensors (choice)
SHORTEST = 0.5  # [s]
COARSE = 0.5  # of what names a mounting of a force sensor, where soles are taken to lie flat (choice)
POSES = 400  # of the smooth window that are looked at, about


def check_standing(
    model: Any, soles: tuple[str, str], readings: Sequence[SensorReadings], config: SensorCheckConfig | None = None
) -> tuple[str, ...]:
    """What is wrong with the sensors of a robot that shifted its weight and swayed; empty when all is well.

    Soles give and tilt. A sound IMU therefore says better how the soles stand than the assumption that they lie flat;
    beside an IMU that is wrong only those force sensors are named whose fault a mounting explains by far.
    Args and errors as of ``planted_window`` and ``check_sensors``.
    """
    wrong = joint_faults(model, soles, readings)
    if wrong:
        return wrong
    settings = config or SensorCheckConfig()
    coarse = replace(settings, better=COARSE * settings.better)
    flat = check_sensors(planted_window(model, soles, readings), coarse)
    if imu_faults(flat):
        return tuple(fault for fault in flat if fault != NO_SUM)
    return force_faults(check_sensors(planted_window(model, soles, readings, tilting=True), config))


def joint_faults(model: Any, soles: tuple[str, str], readings: Sequence[SensorReadings]) -> tuple[str, ...]:
    """What is wrong with the legs' encoders, on which everything else is judged."""
    return LegClosure(model, soles).faults(np.array([one.joint_position for one in readings]))


def planted_window(
    model: Any, soles: tuple[str, str], readings: Sequence[SensorReadings], tilting: bool = False
) -> CheckWindow:
    """The window that ``check_sensors`` judges; the left sole's origin is at rest.

    Args:
        model: Pinocchio model with a free-flyer at its root, joints in the readings' order.
        soles: names of the sole frames, left and right.
        readings: of standing on both feet, evenly sampled.
        tilting: the soles stand as the readings' orientation says; else they lie flat.

    Raises:
        InvalidParameter: less than half a second of it.
    """
    time = np.array([1e-9 * one.stamp_ns for one in readings])
    if len(time) < 10 or time[-1] - time[0] < SHORTEST:
        raise InvalidParameter("readings", len(time), f"at least {SHORTEST:g} s of standing")
    keep = slice(None, None, max(len(time) // POSES, 1))
    joints = _smooth(np.array([one.joint_position for one in readings]), time)[keep]
    attitudes = _attitudes(readings, time)[keep] if tilting else [None] * len(joints)
    wrenches, felt_in_base, turned = (
        _smooth(np.array([getattr(one, name) for one in readings]), time)[keep]
        for name in ("wrench_ground_on_foot_in_sole", "specific_force_in_base", "angular_velocity_in_base")
    )
    time = time[keep]
    poses = [_pose(model, soles, q, attitude) for q, attitude in zip(joints, attitudes, strict=True)]
    spin = np.gradient(_angular_momentum(model, poses, joints, time), time, axis=0)
    rotation, position = np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])
    com, places = np.array([pose[2] for pose in poses]), [pose[3] for pose in poses]
    mass = float(sum(inertia.mass for inertia in model.inertias))
    felt = np.gradient(np.gradient(com, time, axis=0), time, axis=0) + np.array([0.0, 0.0, GRAVITY])
    base = np.gradient(np.gradient(position, time, axis=0), time, axis=0) + np.array([0.0, 0.0, GRAVITY])
    force = mass * felt
    turning = np.array([pin.log3(a.T @ b) for a, b in pairwise(rotation)])
    turning = np.vstack([turning, turning[-1:]]) / np.gradient(time)[:, None]
    return CheckWindow(
        wrenches,
        np.array([[place.rotation for place in both] for both in places]),
        np.array([[place.translation for place in both] for both in places]),
        np.hstack([force, np.cross(com, force) + spin]),
        felt_in_base,
        turned,
        np.einsum("tji,tj->ti", rotation, base),
        turning,
    )


def _attitudes(readings: Sequence[SensorReadings], time: Array) -> list[Array]:
    """Smooth rotations (3, 3) of the base in the world."""
    seen = [rotation_of(one.orientation_base_in_world) for one in readings]
    turned = _smooth(np.array([pin.log3(seen[0].T @ one) for one in seen]), time)
    return [seen[0] @ pin.exp3(vector) for vector in turned]


def _smooth(values: Array, time: Array) -> Array:
    """Centred moving average along the first axis, the ends held: predictions and sensors see the same."""
    width = max(round(SMOOTHING / float(np.median(np.diff(time)))), 1)
    columns = values.reshape(len(values), -1)
    padded = np.pad(columns, ((width, width), (0, 0)), mode="edge")
    kernel = np.convolve(np.full(width, 1.0 / width), np.full(width, 1.0 / width))  # twice: its second slope is finite
    smooth = [np.convolve(column, kernel, mode="same")[width:-width] for column in padded.T]
    return np.asarray(np.array(smooth).T.reshape(values.shape), dtype=float)


def _angular_momentum(model: Any, poses: Sequence[Any], joints: Array, time: Array) -> Array:
    """About the centre of mass (T, 3), axes of the poses [kg m^2/s]: a torso that sways turns much."""
    data = model.createData()
    states = [
        np.concatenate([position, pin.Quaternion(rotation).coeffs(), q])
        for (rotation, position, _, _), q in zip(poses, joints, strict=True)
    ]
    turning = [
        pin.computeCentroidalMomentum(model, data, a, pin.difference(model, a, b) / dt).angular.copy()
        for (a, b), dt in zip(pairwise(states), np.diff(time), strict=True)
    ]
    return np.array([*turning, turning[-1]])


def _pose(
    model: Any, soles: tuple[str, str], joints: Array, attitude: Array | None
) -> tuple[Array, Array, Array, tuple[Any, Any]]:
    """Base rotation and position, centre of mass and both soles, seen from the left sole's origin.

    Axes are the left sole's, or the world's where the base's attitude in it (3, 3) is given.
    """
    data = model.createData()
    q = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], joints])
    pin.forwardKinematics(model, data, q)
    pin.updateFramePlacements(model, data)
    left, right = (data.oMf[model.getFrameId(sole)] for sole in soles)
    base = left.inverse()
    if attitude is not None:
        base = pin.SE3(attitude, -attitude @ left.translation)
    com = pin.centerOfMass(model, data, q, False)
    return base.rotation, base.translation, base.act(com), (base * left, base * right)
