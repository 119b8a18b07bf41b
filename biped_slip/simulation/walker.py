# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything between sensors and torques: observer, estimates, limits and controller, the same in every loop."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.control.controller import WalkingController
from biped_slip.control.gait import DOUBLE_SUPPORT
from biped_slip.estimation.foot_measurement import MotionSource
from biped_slip.estimation.friction_observer import FrictionObserver, Observation
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.estimation.robot_state import robot_state
from biped_slip.friction.types import FrictionEstimate
from biped_slip.robots.robot import Robot
from biped_slip.simulation.prevention import Prevention
from biped_slip.simulation.scenario import ScenarioConfig


class ControlRecord(NamedTuple):
    """What a controller made of one instant; feet left, right."""

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    wanted_ratio: tuple[float, float]
    limits: tuple[float, float]
    torques: Array  # (n,) [N m]
    phase: int


class Walker:
    """Walks a robot as a scenario commands.

    Args:
        robot: to be walked.
        scenario: gives gains and the speed command over time; its world is not looked at.
        prevention: estimator and limit.
        motion: where the motion of the feet comes from.
        slope: of the floor, as far as known [rad].
    """

    def __init__(
        self, robot: Robot, scenario: ScenarioConfig, prevention: Prevention, motion: MotionSource, slope: float
    ) -> None:
        self._scenario, self._root = scenario, robot.root_size
        self.speed_scale = 1.0  # of the scenario's speed command; may change at any time
        self._first_dt = 1e-9 * scenario.plant.control_period_ns
        self._motion = motion
        self._observer = FrictionObserver(robot, prevention.estimator, motion)
        self._controller = WalkingController(robot, scenario.controller, prevention.limit, slope)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._observer.reset()
        self._controller.reset()
        self._stamp_ns: int | None = None
        self.moving = False  # commanded to move, or in a step

    def step(
        self, readings: SensorReadings, estimates: tuple[FrictionEstimate, FrictionEstimate] | None = None
    ) -> ControlRecord:
        """Torques for one reading, with estimates from elsewhere or, without them, its own.

        The time step is the difference of the stamps, at the first reading the scenario's control period.
        """
        dt = self._first_dt if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        if estimates is None:
            seen = self._observer.step(readings)
        else:
            state = robot_state(readings, self._root)
            seen = Observation(state, self._motion.measure(state, readings), estimates)
        speed = self.speed_scale * self._scenario.speed.at(1e-9 * readings.stamp_ns)
        self.moving = speed > self._scenario.controller.gait.walking_speed
        answer = self._controller.step(seen.state, seen.measurements, seen.estimates, speed, dt)
        self.moving = self.moving or answer.phase != DOUBLE_SUPPORT
        return ControlRecord(seen.estimates, answer.forces.wanted_ratio, answer.limits, answer.torques, answer.phase)
