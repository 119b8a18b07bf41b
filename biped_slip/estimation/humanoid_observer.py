# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a humanoid's raw sensors to the readings that every controller takes: floating base, soles' wrenches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.constants import GRAVITY
from biped_slip.estimation.body_frames import BodyFrames
from biped_slip.estimation.floating_base import FloatingBaseConfig, FloatingBaseEstimator, Legs
from biped_slip.estimation.floating_base.lie import quaternion_of, rotation_of, skew
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.friction.types import NO_ESTIMATE, FrictionEstimate

RATE_SMOOTHING = 1e-2  # [s] of the base's rate: gyro and waist encoders are noisy, stance legs are stiff (choice)
UNTURNED, ORIGIN = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3)
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class HumanoidObserver:
    """Raw readings in, SensorReadings with an estimated base out; the world begins at the IMU, at the base's heading.

    The filter follows the IMU, not the base's origin: so no angular acceleration is needed, and the IMU may sit on any
    link, such as a torso that turns against the base.

    Args:
        model: Pinocchio model with a free-flyer at its root, joints in the readings' order.
        frames: where the sensors sit.
        soles: names of the sole frames, left and right.
        config: noise of IMU, legs and contacts.
    """

    def __init__(
        self, model: Any, frames: BodyFrames, soles: tuple[str, str], config: FloatingBaseConfig | None = None
    ) -> None:
        self._model, self._data, self._frames = model, model.createData(), frames
        self._soles = [model.getFrameId(sole) for sole in soles]
        mass = float(sum(inertia.mass for inertia in model.inertias))
        self._config = config or FloatingBaseConfig()
        self._filter = FloatingBaseEstimator(mass * GRAVITY, self._config)
        self._q, self._v = pin.neutral(model), np.zeros(model.nv)
        self._spreads = np.tile(self._config.kinematics**2 * np.eye(3), (2, 1, 1))
        self._imu = model.getFrameId(frames.imu)

        self.reset()

    def reset(self) -> None:
        """As before the first sample."""
        self._filter.reset()
        self._first_ns: int | None = None
        self._last_ns = 0
        self._felt = np.zeros(3)  # sum of the specific force since then
        self._rate = np.zeros(3)  # smooth angular velocity of the base, in the base

    @property
    def ready(self) -> bool:
        """Whether the base's state is estimated; before, the readings say that it rests."""
        return self._filter.state is not None

    def step(
        self, raw: RawReadings, friction: tuple[FrictionEstimate, FrictionEstimate] = (NO_ESTIMATE, NO_ESTIMATE)
    ) -> SensorReadings:
        """One sample later; the robot stands still for ``start_time``, meanwhile its IMU rests at the origin.

        Args:
            raw: what the sensors say.
            friction: the last estimates under both feet.
        """
        body = self._frames.read(raw)
        mount, sliding, turning = self._mount(raw)  # of the IMU's link against the base
        soles = [pin.updateFramePlacement(self._model, self._data, frame) for frame in self._soles]
        starting, turn = self._starting(raw.stamp_ns), mount.rotation
        up = turn @ self._up(body.specific_force)
        wrenches = body.wrench_ground_on_foot_in_sole
        upright = UNTURNED if self.ready else _upright(up)
        seen = SensorReadings(
            raw.stamp_ns,
            raw.joint_position,
            raw.joint_velocity,
            upright,
            turn @ body.angular_velocity - turning,
            turn @ body.specific_force,
            -rotation_of(upright) @ mount.translation if starting else ORIGIN,
            ORIGIN,
            wrenches,
            body.foot_specific_force_in_sole,
            body.foot_angular_velocity_in_sole,
            raw.foot_position,
        )
        if starting:
            return seen
        link = seen._replace(
            orientation_base_in_world=upright if self.ready else _turned(upright, turn),
            angular_velocity_in_base=body.angular_velocity,
            specific_force_in_base=body.specific_force,
            position_base_in_odom=ORIGIN,
        )
        normal = np.array([up @ (sole.rotation @ wrench[:3]) for sole, wrench in zip(soles, wrenches, strict=True)])
        places = np.array([turn.T @ (sole.translation - mount.translation) for sole in soles])
        found = self._filter.step(link, Legs(places, self._spreads), normal, friction)
        share = 1.0 - math.exp(-1e-9 * (raw.stamp_ns - self._last_ns) / RATE_SMOOTHING)
        self._last_ns = raw.stamp_ns
        self._rate = self._rate + share * (turn @ found.angular_velocity_in_base - turning - self._rate)
        rotation = rotation_of(found.orientation_base_in_world) @ turn.T
        speed = turn @ found.linear_velocity_in_base - sliding - skew(self._rate) @ mount.translation
        return seen._replace(
            orientation_base_in_world=quaternion_of(rotation),
            angular_velocity_in_base=self._rate,
            position_base_in_odom=found.position_base_in_world - rotation @ mount.translation,
            linear_velocity_in_base=speed,
        )

    def _mount(self, raw: RawReadings) -> tuple[Any, Array, Array]:
        """Placement of the IMU's link, at the IMU's origin, in the base, and its velocity there (3,), (3,)."""
        self._q[7:], self._v[6:] = raw.joint_position, raw.joint_velocity
        pin.forwardKinematics(self._model, self._data, self._q, self._v)
        place = pin.updateFramePlacement(self._model, self._data, self._imu)
        speed = pin.getFrameVelocity(self._model, self._data, self._imu, AXES)
        link = self._data.oMi[self._model.frames[self._imu].parentJoint]
        return pin.SE3(link.rotation, place.translation), np.array(speed.linear), np.array(speed.angular)

    def _starting(self, stamp_ns: int) -> bool:
        """Whether the robot still stands to find its tilt."""
        if self._first_ns is None:
            self._first_ns = stamp_ns
        return 1e-9 * (stamp_ns - self._first_ns) < self._config.start_time

    def _up(self, specific_force: Array) -> Array:
        """The floor's normal in the IMU's link: as estimated; at the start as the accelerometer says on average."""
        state = self._filter.state
        if state is None:
            self._felt += specific_force
            return np.asarray(self._felt / np.linalg.norm(self._felt))
        return np.asarray(state.base.rotation[2])


def _upright(up: Array) -> Array:
    """The smallest turn (quaternion x, y, z, w) after which a direction of the base points up."""
    return np.asarray(pin.Quaternion.FromTwoVectors(up, np.array([0.0, 0.0, 1.0])).coeffs())


def _turned(orientation: Array, rotation: Array) -> Array:
    """Orientation (quaternion x, y, z, w) of what stands at a rotation in something oriented."""
    return np.asarray(quaternion_of(rotation_of(orientation) @ rotation))
