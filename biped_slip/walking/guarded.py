# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Guarded controller: a supervisor stands between it and the joints.

Before the controller come health checks of the sensors.
"""

from __future__ import annotations

import math
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import (
    Mode,
    Supervisor,
    SupervisorConfig,
    TickInput,
    joint_motion,
    no_past,
)
from biped_slip.control.tick_time import Steady, TimeState, tick_time
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import Judged, Problem, ReadingsJudge
from biped_slip.walking.controller import (
    Controller,
    ControlOutput,
    FootEstimates,
    Timed,
)

LONGEST_READING_GAP = 0.5  # [s] between readings of one walk
# in which the controller is asked
ANSWERED = (
    Mode.STANDING,
    Mode.WALKING,
    Mode.SAFE_STOP,
)
FOOT_COUNT = 2

Readings = TypeVar("Readings", bound=Timed)
Watched = TypeVar("Watched", bound=Timed, contravariant=True)


class Watches(Protocol[Watched]):
    """Interface of health watches."""

    doubted: Array  # joints (n,) whose encoders do not say how they move: 1, others 0

    def reset(self) -> None:
        """Reset to the state before the first reading."""

    def retune(self, config: HealthConfig) -> None:
        """Set the thresholds of the health checks."""

    def step(
        self, readings: Watched, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Check judged readings, dt [s] after the last.

        Joint torques (n,) are given where they are known.
        """


class Unwatched:
    """Watch without findings, for simulations whose sensors are as described."""

    def __init__(self, joints: int) -> None:
        self.doubted = np.zeros(joints)

    def reset(self) -> None:
        """Reset nothing."""

    def retune(self, config: HealthConfig) -> None:
        """Ignore thresholds."""

    def step(
        self, readings: object, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Find nothing wrong."""
        return None


class Guarded(NamedTuple):
    """Output of a tick to the joints, and the controller's, if it did anything."""

    torques: Array  # (n,) [N m]
    output: ControlOutput | None


def usable(output: ControlOutput) -> ControlOutput:
    """Check that an output has an array of torques or None, and a pair of estimates.

    Raises:
        TypeError: they are anything else, of a controller from outside.
    """
    torques = output.torques
    if torques is not None and not (
        isinstance(torques, np.ndarray) and torques.dtype == np.float64
    ):
        kind = (
            f"an array of {torques.dtype}"
            if isinstance(torques, np.ndarray)
            else type(torques).__name__
        )
        raise TypeError(f"its torques must be an array of float64, but are {kind}")
    if len(output.estimates) != FOOT_COUNT:
        raise TypeError(
            f"its estimates must be a pair, but are {len(output.estimates)}"
        )
    return output


class GuardedController(Generic[Readings]):
    """Controller behind watch and supervisor.

    Call ``step`` once per reading, and ``wait`` without one.

    Args:
        controller: walks the robot.
        judge: looks at every number of its sensors.
        watch: holds them against each other.
        supervisor: stands between controller and joints.
        speed_limits: of the joints (n,) [rad/s]; beyond them a velocity is not
            believed.
        period: time between readings [s], for the first one.
    """

    def __init__(
        self,
        controller: Controller[Readings],
        judge: ReadingsJudge,
        watch: Watches[Readings],
        supervisor: Supervisor,
        speed_limits: Array,
        period: float,
    ) -> None:
        self.controller = controller
        self._judge = judge
        self._watch = watch
        self._supervisor = supervisor
        self._speed_limits = speed_limits
        self._period = float(period)
        # [s] since the watch saw a reading
        self._time = TimeState()
        self._unseen = 0.0
        self._past = no_past(len(speed_limits))
        self.failure: Exception | None = None  # of the controller, since the start
        still = np.zeros_like(speed_limits)
        # compiled now
        joint_motion(
            *no_past(len(still)), still, still, speed_limits, still, False, period
        )

    @property
    def mode(self) -> Mode:
        """Return the mode of the supervisor."""
        return self._supervisor.state.mode

    @property
    def problem(self) -> Problem | None:
        """Return the reason for which the joints are stopped, if they are."""
        return self._supervisor.state.problem

    @property
    def torques(self) -> Array:
        """Return torques of the last answer (n,) [N m]."""
        return self._supervisor.state.torques

    @property
    def resting(self) -> bool:
        """Return whether the joints have been released for good."""
        return self._supervisor.resting

    def retune(self, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Set the thresholds of the health checks, without a restart."""
        self._supervisor.config = supervision
        self._judge.retune(health.largest_force)
        self._watch.retune(health)

    def start(self) -> None:
        """Start in standing with reset controller and checks, also after a fault."""
        self.controller.reset()
        self._watch.reset()
        self._time = TimeState()
        self._past = no_past(len(self._speed_limits))
        self._unseen = 0.0
        self.failure = None
        self._supervisor.start()

    def stop(self) -> None:
        """Damp the joints, then release them."""
        self._supervisor.stop()

    def step(
        self,
        readings: Readings,
        problem: Problem | None = None,
        estimates: FootEstimates | None = None,
        known_velocity: bool = True,
        steady: Steady | None = None,
    ) -> Guarded:
        """Compute torques for one reading.

        Args:
            readings: of this instant.
            problem: what is wrong with them as far as their sender knows.
            estimates: of friction, from elsewhere; without them the controller's own.
            known_velocity: whether the joints' numbers are this instant's; otherwise
                they can't be damped.
            steady: steady clock of the process; without it the stamps are the only
                time.
        """
        self._time, (dt, build_up, lost) = tick_time(
            self._time,
            readings.stamp_ns,
            steady,
            self._period,
            LONGEST_READING_GAP,
            self._supervisor.config,
        )
        self._unseen += dt
        return Guarded(
            *self._tick(
                readings, problem or lost, estimates, known_velocity, dt, build_up
            )
        )

    def _tick(
        self,
        readings: Readings,
        problem: Problem | None,
        estimates: FootEstimates | None,
        known_velocity: bool,
        dt: float,
        build_up: float,
    ) -> tuple[Array, ControlOutput | None]:
        """Compute torques and the controller's output.

        The reading is dt [s] after the last one.
        """
        state = self._supervisor.state
        judged = self._judge.judge(readings)
        if isinstance(judged, Problem):
            problem = problem or judged
        elif problem is None:
            problem = self._watch.step(
                judged.record,
                self._unseen,
                None if state.mode == Mode.IDLE else state.torques,
            )
            self._unseen = 0.0
        output = None
        joints = (
            readings.joint_position,
            readings.joint_velocity,
            self._speed_limits,
            self._watch.doubted,
        )
        known = (
            known_velocity
            and np.shape(joints[0]) == np.shape(joints[1]) == self._speed_limits.shape
        )
        turn, velocity = joint_motion(*self._past, *joints, known, dt)
        if isinstance(judged, Judged) and problem is None and state.mode in ANSWERED:
            try:
                output = usable(self.controller.step(judged.record, estimates))
            except Exception as error:
                problem = self._failed(error)
        wanted = None if output is None else output.torques
        moving = self.controller.moving if output is not None else False
        damped = None if math.isnan(velocity[0]) else velocity
        turned = (
            turn if isinstance(judged, Judged) and not math.isnan(turn[0, 0]) else None
        )
        return self._supervisor.step(
            TickInput(
                torques=wanted,
                velocity=damped,
                moving=moving,
                problem=problem,
                turned=turned,
            ),
            dt,
            build_up,
        ), output

    def _failed(self, error: Exception) -> Problem:
        """Note what the controller has failed with.

        Whatever it is, the joints get an answer.
        """
        self.failure = error
        return Problem(
            "controller failure", f"{type(error).__name__}: {error}", severe=True
        )

    def wait(self, problem: Problem, dt: float) -> Array:
        """Compute torques (n,) when no reading has come for another dt [s]."""
        return self._supervisor.step(TickInput(None, None, False, problem), dt)
