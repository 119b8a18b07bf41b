# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The upper half of every humanoid's loop: from raw sensors to state, feet and friction estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from biped_slip.compile.arrays import Array, all_finite
from biped_slip.estimation.body_frames import BodyFrames
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.floor_rise import FloorRise
from biped_slip.estimation.humanoid_observer import HumanoidObserver
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.raw_readings import BaseMotion, RawReadings
from biped_slip.estimation.readings import NO_FOOT_SENSOR, SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.estimation.sole_motion import SoleMotion, floating_state
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    NO_MEASUREMENT,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
)
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU, SOLES
from biped_slip.robots.robot import Robot

if TYPE_CHECKING:
    from biped_slip.estimation.motion.unseen_soles import UnseenSoles


class Seen(NamedTuple):
    """What the sensors of one instant mean; pairs are left, right."""

    readings: SensorReadings  # with the base as estimated
    known: SensorReadings  # with the base as it is best known
    state: RobotState | None  # None: the base's estimate has broken down
    measurements: tuple[FootMeasurement, FootMeasurement]
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    ready: bool  # the base's motion is estimated; before, the robot must stand
    dt: float  # since the sample before [s]; 0 for the first
    rise: Array  # (2, 2) of the floor under each foot, along x and y


def _unseen(robot: Robot, motion: MotionConfig) -> UnseenSoles:
    from biped_slip.estimation.motion.unseen_soles import UnseenSoles  # most robots' walks have no use for it

    return UnseenSoles(robot, motion)


class HumanoidSenses:
    """Observer of the base, motion of the soles, and one friction estimator under each.

    Args:
        humanoid: whose sensors they are.
        estimator: of friction.
        base: noise of IMU, legs and contacts, as the estimate of the base takes them.
        motion: what tells how the soles move; else a sensor that sees them.
    """

    def __init__(
        self, humanoid: Humanoid, estimator: FrictionEstimator[Any], base: FloatingBaseConfig | None = None,
        motion: MotionConfig | None = None,
    ) -> None:  # fmt: skip
        robot = humanoid.robot
        frames = BodyFrames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
        self._observer = HumanoidObserver(robot, frames, base)
        self._motion, self._estimator, self._floor = SoleMotion(robot), estimator, FloorRise(humanoid)
        self._unseen = None if motion is None or motion.source == "odometry" else _unseen(robot, motion)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first sample."""
        self._observer.reset()
        self._motion.reset()
        self._floor.reset()
        if self._unseen is not None:
            self._unseen.reset()
        self._states = [self._estimator.initial_state(), self._estimator.initial_state()]
        self._estimates = (NO_ESTIMATE, NO_ESTIMATE)
        self._stamp_ns: int | None = None

    def step(self, raw: RawReadings, base: BaseMotion | None = None) -> Seen:
        """One sample later; ``base`` says how the base moves where that is known better."""
        readings = self._observer.step(raw, self._estimates)
        known = readings if base is None else readings._replace(**base._asdict())
        state = floating_state(known)
        if not (all_finite(state.q) and all_finite(state.v)):
            nothing = (NO_MEASUREMENT, NO_MEASUREMENT), (NO_ESTIMATE, NO_ESTIMATE)
            return Seen(readings, known, None, *nothing, False, 0.0, self._floor.rise)
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (raw.stamp_ns - self._stamp_ns)
        self._stamp_ns = raw.stamp_ns
        measurements = self._measure(state, known, base is not None, dt)
        self._floor.step(self._motion.soles, measurements, dt)
        self._states[0], left = self._estimator.step(self._states[0], measurements[0], dt)
        self._states[1], right = self._estimator.step(self._states[1], measurements[1], dt)
        self._estimates = (left, right)
        return Seen(readings, known, state, measurements, self._estimates, self._observer.ready, dt, self._floor.rise)

    def _measure(
        self, state: RobotState, known: SensorReadings, told: bool, dt: float
    ) -> tuple[FootMeasurement, FootMeasurement]:
        if self._unseen is None:
            return self._motion.measure(state, known, told, self._floor.rise)
        unseen = known._replace(foot_position_in_world=NO_FOOT_SENSOR)
        measured = self._motion.measure(state, unseen, rise=self._floor.rise)
        return self._unseen.measure(measured, self._motion.felt(known.foot_specific_force_in_sole), dt)
