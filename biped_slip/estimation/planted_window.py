# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a robot should say while it stands on both soles and shifts its weight."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import RawReadings, SensorReadings
from biped_slip.estimation.sensor_self_test import (
    NO_SUM,
    CarriedWrench,
    CheckWindow,
    SensorCheckConfig,
    check_sensors,
    imu_faults,
)

LEVEL = 0.2  # [rad] of a sole against the base: it leans, soles give, floors slope (choice)
DRIFT, TURN = 0.005, 0.015  # of the reach, [rad] rms of a sole seen from the other: soles creep and give (choice)
STEP = 0.05  # of the reach, between the soles' heights: uneven floors (choice)
BROKEN = 2.0  # residual from which the encoders contradict each other; right ones stay below 1 (choice)
ALIKE = 1.5  # times the smallest residual: not told apart (choice)
UP = np.array([0.0, 0.0, 1.0])
UNCLEAR = "an encoder of the legs is wrong, in sign or offset: the soles move against each other though both stand"
POSES = 100  # of a window that are looked at, about


class LegClosure:
    """The chain through both legs of a biped on flat soles, which names a joint whose encoder's sign is flipped.

    Seen from one planted sole the other neither moves nor tilts, both are at one height, and both are level to the
    base, which stands upright. Nothing else is asked: with a wrong encoder in a leg a robot soon falls, and its IMU
    then feels anything.

    Args:
        model: Pinocchio model with a free-flyer root, joints in the readings' order.
        soles: names of the sole frames, left and right.
    """

    def __init__(self, model: Any, soles: tuple[str, str]) -> None:
        self._model, self._data = model, model.createData()
        self._soles = [model.getFrameId(sole) for sole in soles]
        self._q = pin.neutral(model)
        self._legs = leg_joints(model, soles)

    def residual(self, joints: Array) -> float:
        """How far joints (T, n) [rad] are from a closed chain, in units of what may be."""
        poses = [self._poses(one) for one in joints]
        reach = float(np.mean([-left.translation[2] for left, _ in poses]))
        tilts = [[np.linalg.norm(UP - sole.rotation[:, 2]) for sole in both] for both in poses]
        heights = [(left.translation - right.translation)[2] for left, right in poses]
        across = [left.inverse() * right for left, right in poses]
        drift = np.var([one.translation for one in across], axis=0).sum()
        turn = np.var([pin.log3(across[0].rotation.T @ one.rotation) for one in across], axis=0).sum()
        parts = (
            *np.sqrt(np.mean(np.square(tilts), axis=0)) / LEVEL,
            np.mean(np.abs(heights)) / (STEP * reach),
            np.sqrt(drift) / (DRIFT * reach),
            np.sqrt(turn) / TURN,
        )
        return float(np.linalg.norm(parts))

    def faults(self, joints: Array) -> tuple[str, ...]:
        """What is wrong with the legs' encoders, at most one sentence, from joints (T, n) of standing [rad]."""
        joints = joints[:: max(len(joints) // POSES, 1)]
        right = self.residual(joints)
        if right < BROKEN:
            return ()
        tried = {joint: self.residual(self._flipped(joints, joint)) for joint in self._legs}
        least = min(tried.values())
        if least > 0.5 * right or least > BROKEN:
            return (UNCLEAR,)
        names = [self._model.names[joint] for joint, one in tried.items() if one <= ALIKE * max(least, 0.5)]
        return (f"the encoder of joint {' or '.join(names)} has the opposite sign: the soles move against each other",)

    def _flipped(self, joints: Array, joint: int) -> Array:
        signs = np.ones(joints.shape[1])
        signs[self._model.idx_qs[joint] - 7] = -1.0
        return joints * signs

    def _poses(self, joints: Array) -> tuple[Any, Any]:
        self._q[7:] = joints
        pin.forwardKinematics(self._model, self._data, self._q)
        left, right = (pin.SE3(pin.updateFramePlacement(self._model, self._data, sole)) for sole in self._soles)
        return left, right


def leg_joints(model: Any, soles: tuple[str, str]) -> list[int]:
    """Joints between the base and the soles."""
    found = set()
    for sole in soles:
        joint = model.frames[model.getFrameId(sole)].parentJoint
        while joint > 1:
            found.add(joint)
            joint = model.parents[joint]
    return sorted(found)


WANDER = 0.15  # [rad] or [m]; the joints of TALOS and G1 stay within 0.04 (choice)


def restless_joints(model: Any, soles: tuple[str, str], joints: Array) -> tuple[str, ...]:
    """One sentence for every joint outside of the legs that does not rest: held with a wrong sign it runs away.

    Args:
        model: Pinocchio model with a free-flyer root, joints in the readings' order.
        soles: names of the sole frames.
        joints: (T, n) positions, the first of them before anything moves [rad].
    """
    moved = np.abs(joints - joints[0]).max(axis=0)
    others = sorted(set(range(2, model.njoints)) - set(leg_joints(model, soles)))
    return tuple(
        f"joint {model.names[joint]} runs away though it is held: its encoder or its motor has the opposite sign"
        for joint in others
        if moved[model.idx_qs[joint] - 7] > WANDER
    )


SMOOTHING = 0.1  # [s] of joint angles, which are differenced twice, and of all sensors (choice)
SHORTEST = 0.5  # [s]
WINDOW_POSES = 400  # of the smooth window that are looked at, about


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
    keep = slice(None, None, max(len(time) // WINDOW_POSES, 1))
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
    rotation, position = (np.array([getattr(pose.base, of) for pose in poses]) for of in ("rotation", "translation"))
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
