# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors should say while it stands on both soles: from its joints and its model, for the check."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sensor_check.check import NO_SUM, CheckWindow, SensorCheckConfig, check_sensors, imu_faults
from biped_slip.estimation.sensor_check.leg_closure import LegClosure
from biped_slip.estimation.sensor_check.mounting_evidence import CarriedWrench
from biped_slip.estimation.sensor_check.resting_joints import restless_joints

SMOOTHING = 0.1  # [s] of joint angles, which are differenced twice, and of all sensors (choice)
SHORTEST = 0.5  # [s]
POSES = 400  # of the smooth window that are looked at, about


class FootNames(NamedTuple):
    """Of frames on the feet, each left and right."""

    soles: tuple[str, str]
    force_sensors: tuple[str, str]


class Pose(NamedTuple):
    """Of a robot at one instant, seen from its left sole."""

    base: Any  # pinocchio.SE3
    com: Array  # (3,) [m]
    sensors: tuple[Any, Any]  # pinocchio.SE3 of the force sensors


def check_standing(
    model: Any,
    feet: FootNames,
    raws: Sequence[RawReadings],
    readings: Sequence[SensorReadings],
    config: SensorCheckConfig | None = None,
) -> tuple[str, ...]:
    """What is wrong with the sensors of a robot that shifted its weight and swayed; empty when all is well.

    Beside an IMU that is wrong, on which the robot swayed, only those force sensors are named that a mounting explains.
    Args and errors as of ``planted_window`` and ``check_sensors``.
    """
    wrong = joint_faults(model, feet.soles, readings)
    if wrong:
        return wrong
    found = check_sensors(planted_window(model, feet, raws, readings), config)
    return tuple(fault for fault in found if fault != NO_SUM) if imu_faults(found) else found


def joint_faults(model: Any, soles: tuple[str, str], readings: Sequence[SensorReadings]) -> tuple[str, ...]:
    """What is wrong with the encoders, on which everything else is judged; the first reading is of a robot at rest."""
    joints = np.array([one.joint_position for one in readings])
    return restless_joints(model, soles, joints) or LegClosure(model, soles).faults(joints)


def planted_window(
    model: Any, feet: FootNames, raws: Sequence[RawReadings], readings: Sequence[SensorReadings]
) -> CheckWindow:
    """The window that ``check_sensors`` judges; the left sole lies flat and rests.

    Args:
        model: Pinocchio model with a free-flyer at its root, joints in the readings' order.
        feet: names of frames on the feet.
        raws: what the sensors said while the robot stood on both feet; samples may be missing.
        readings: what an observer made of it, at the same instants.

    Raises:
        InvalidParameter: less than half a second of it.
    """
    time = np.array([1e-9 * one.stamp_ns for one in readings])
    if len(time) < 10 or time[-1] - time[0] < SHORTEST:
        raise InvalidParameter("readings", len(time), f"at least {SHORTEST:g} s of standing")
    even = np.linspace(time[0], time[-1], len(time))
    keep = slice(None, None, max(len(time) // POSES, 1))
    joints, wrenches, felt_in_base, turned = (
        _smooth(_at(even, np.array(values), time), even)[keep]
        for values in (
            [one.joint_position for one in readings],
            [one.force_torque for one in raws],
            [one.specific_force_in_base for one in readings],
            [one.angular_velocity_in_base for one in readings],
        )
    )
    time, upper = even[keep], _without_feet(model, feet)
    poses = [_pose(upper, feet, q) for q in joints]
    rotation, position = (
        np.array([pose.base.rotation for pose in poses]),
        np.array([pose.base.translation for pose in poses]),
    )
    com = np.array([pose.com for pose in poses])
    upwards = np.array([0.0, 0.0, GRAVITY])
    felt, base = (np.gradient(np.gradient(place, time, axis=0), time, axis=0) + upwards for place in (com, position))
    turning = np.array([pin.log3(a.T @ b) for a, b in pairwise(rotation)])
    turning = np.vstack([turning, turning[-1:]]) / np.gradient(time)[:, None]
    carried = CarriedWrench(
        wrenches,
        np.array([[sensor.rotation for sensor in pose.sensors] for pose in poses]),
        np.array([[sensor.translation - pose.com for sensor in pose.sensors] for pose in poses]),
        float(sum(inertia.mass for inertia in upper.inertias)) * felt,
        np.gradient(_angular_momentum(upper, poses, joints, time), time, axis=0),
    )
    return CheckWindow(carried, felt_in_base, turned, np.einsum("tji,tj->ti", rotation, base), turning)


def _without_feet(model: Any, feet: FootNames) -> Any:
    """The model of what the force sensors carry: below a sensor hangs its whole link."""
    upper = model.copy()
    for sole in feet.soles:
        upper.inertias[model.frames[model.getFrameId(sole)].parentJoint] = pin.Inertia.Zero()
    return upper


def _at(even: Array, values: Array, time: Array) -> Array:
    """Values (T, ...) at other times (T,), linear in between: a loop with a clock misses samples now and then."""
    columns = values.reshape(len(values), -1).T
    return np.array([np.interp(even, time, column) for column in columns]).T.reshape(values.shape)


def _smooth(values: Array, time: Array) -> Array:
    """Centred moving average along the first axis, the ends held: predictions and sensors see the same."""
    width = max(round(SMOOTHING / float(np.median(np.diff(time)))), 1)
    columns = values.reshape(len(values), -1)
    padded = np.pad(columns, ((width, width), (0, 0)), mode="edge")
    kernel = np.convolve(np.full(width, 1.0 / width), np.full(width, 1.0 / width))  # twice: its second slope is finite
    smooth = [np.convolve(column, kernel, mode="same")[width:-width] for column in padded.T]
    return np.asarray(np.array(smooth).T.reshape(values.shape), dtype=float)


def _angular_momentum(model: Any, poses: Sequence[Pose], joints: Array, time: Array) -> Array:
    """About the centre of mass (T, 3), axes of the poses [kg m^2/s]: a torso that sways turns much."""
    data = model.createData()
    states = [np.concatenate([pin.SE3ToXYZQUAT(pose.base), q]) for pose, q in zip(poses, joints, strict=True)]
    turning = [
        pin.computeCentroidalMomentum(model, data, a, pin.difference(model, a, b) / dt).angular.copy()
        for (a, b), dt in zip(pairwise(states), np.diff(time), strict=True)
    ]
    return np.array([*turning, turning[-1]])


def _pose(model: Any, feet: FootNames, joints: Array) -> Pose:
    """Seen from the left sole."""
    data = model.createData()
    q = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], joints])
    pin.forwardKinematics(model, data, q)
    pin.updateFramePlacements(model, data)
    base = data.oMf[model.getFrameId(feet.soles[0])].inverse()
    left, right = (base * data.oMf[model.getFrameId(sensor)] for sensor in feet.force_sensors)
    return Pose(base, base.act(pin.centerOfMass(model, data, q, False)), (left, right))
