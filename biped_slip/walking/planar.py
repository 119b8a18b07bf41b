# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything between sensors and torques: observer, estimates, limits and controller, the same in every loop."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from biped_slip.compile.kernel import kernel, specialise, without_dispatch
from biped_slip.control.planar.controller import ControlAnswer, ControlMemory, ControlSettings, WalkingController
from biped_slip.control.planar.gait import DOUBLE_SUPPORT
from biped_slip.estimation.foot_measurement import Feet, SagittalMotion
from biped_slip.estimation.friction_observer import (
    Estimates,
    FrictionObserver,
    Observation,
    ObserverMemory,
    ObserverSettings,
)
from biped_slip.estimation.readings import Array, SensorReadings, own
from biped_slip.estimation.robot_state import robot_state
from biped_slip.friction_estimation.types import CompiledEstimator, FrictionEstimate
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.walking.slip_policy import Prevention

NO_STAMP = -1  # [ns]


class ControlRecord(NamedTuple):
    """What a controller made of one instant; feet left, right."""

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    wanted_ratio: tuple[float, float]
    limits: tuple[float, float]
    torques: Array  # (n,) [N m]
    phase: int


class WalkerMemory(NamedTuple):
    """What one reading hands to the next."""

    stamp_ns: int  # of the last reading; NO_STAMP before the first
    observer: ObserverMemory
    control: ControlMemory


class WalkerSettings(NamedTuple):
    """For the kernel."""

    period: float  # of control [s], the time step of the first reading
    observer: ObserverSettings
    control: ControlSettings


def observe(*_: Any) -> tuple[ObserverMemory, Observation]:
    """Bound to the kernel of an observer."""
    raise NotImplementedError


def measure(*_: Any) -> tuple[Any, Feet]:
    """Bound to the kernel of a source of motion."""
    raise NotImplementedError


def control(*_: Any) -> tuple[ControlMemory, ControlAnswer]:
    """Bound to the kernel of a controller."""
    raise NotImplementedError


@kernel
def time_step(before_ns: int, stamp_ns: int, first: float) -> float:
    """Difference of two stamps [s]; ``first`` when there is none before."""
    return first if before_ns == NO_STAMP else 1e-9 * (stamp_ns - before_ns)


def think(
    memory: WalkerMemory, readings: SensorReadings, speed: float, settings: WalkerSettings
) -> tuple[WalkerMemory, ControlRecord]:
    """Torques for one reading and a commanded speed [m/s]."""
    stamp = readings.stamp_ns
    observer, seen = observe(memory.observer, readings, settings.observer, time_step(memory.stamp_ns, stamp, 0.0))
    dt = time_step(memory.stamp_ns, stamp, settings.period)
    held, answer = control(memory.control, seen.state, seen.measurements, seen.estimates, speed, settings.control, dt)
    estimates = (seen.estimates.left, seen.estimates.right)
    record = ControlRecord(estimates, answer.forces.wanted_ratio, answer.limits, answer.torques, answer.phase)
    return WalkerMemory(stamp, observer, held), record


def think_told(
    memory: WalkerMemory, readings: SensorReadings, estimates: Estimates, speed: float, settings: WalkerSettings
) -> tuple[WalkerMemory, ControlRecord]:
    """The same with estimates from elsewhere; the estimators' states stay as they are."""
    stamp, observer = readings.stamp_ns, settings.observer
    state, since = robot_state(readings, observer.root), time_step(memory.stamp_ns, stamp, 0.0)
    motion, feet = measure(memory.observer.motion, readings, state.q, state.v, observer.motion, observer.slope, since)
    dt = time_step(memory.stamp_ns, stamp, settings.period)
    held, answer = control(memory.control, state, feet, estimates, speed, settings.control, dt)
    record = ControlRecord(
        (estimates.left, estimates.right), answer.forces.wanted_ratio, answer.limits, answer.torques, answer.phase
    )
    return WalkerMemory(stamp, ObserverMemory(motion, memory.observer.left, memory.observer.right), held), record


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
        self, robot: Robot, scenario: ScenarioConfig, prevention: Prevention, motion: SagittalMotion, slope: float
    ) -> None:
        self._scenario = scenario
        self.speed_scale = 1.0  # of the scenario's speed command; may change at any time
        self._observer = FrictionObserver(robot, cast(CompiledEstimator[Any], prevention.estimator), motion)
        self._controller = WalkingController(robot, scenario.controller, prevention.limit, slope)
        period = 1e-9 * scenario.plant.control_period_ns
        self.settings = WalkerSettings(period, self._observer.settings, self._controller.settings)
        parts = {"observe": self._observer.kernel, "control": self._controller.kernel, "measure": motion.kernel}
        self.kernel: Any = specialise(cast(Any, think), parts, robot.key, inside="text")
        self._told: Any = specialise(cast(Any, think_told), parts, robot.key)
        self._quick: dict[bool, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self.memory = WalkerMemory(NO_STAMP, self._observer.fresh(), self._controller.fresh())
        self.moving = False  # commanded to move, or in a step

    def step(
        self, readings: SensorReadings, estimates: tuple[FrictionEstimate, FrictionEstimate] | None = None
    ) -> ControlRecord:
        """Torques for one reading, with estimates from elsewhere or, without them, its own.

        The time step is the difference of the stamps, at the first reading the scenario's control period.
        """
        speed = self.speed_scale * self._scenario.speed.at(1e-9 * readings.stamp_ns)
        self.moving = speed > self._scenario.controller.gait.walking_speed
        known = () if estimates is None else (Estimates(*estimates),)
        inputs = (self.memory, own(readings), *known, speed, self.settings)
        kernel = self._quick.get(estimates is None)
        if kernel is None:
            chosen = self.kernel if estimates is None else self._told
            kernel = self._quick[estimates is None] = without_dispatch(chosen, *inputs)
        record: ControlRecord
        self.memory, record = kernel(*inputs)
        self.moving = self.moving or record.phase != DOUBLE_SUPPORT
        return record
