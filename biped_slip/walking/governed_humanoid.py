# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any controller of a humanoid behind a friction governor: the same guard as the node, inside one process."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from biped_slip.control.friction_governor import (
    STILL,
    FrictionGovernor,
    FrictionGovernorConfig,
    GovernorAnswer,
    Twist,
    foot_seen,
)
from biped_slip.estimation.readings import HumanoidReadings, Problem
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.walking.controller import PERIOD, Controller, ControlOutput, FootEstimates
from biped_slip.walking.humanoid_registry import Background, ChecksSensors


@runtime_checkable
class Turns(Protocol):
    """Controller with a command to turn."""

    turn: float  # commanded rate about the vertical [rad/s]


class GovernedHumanoid:
    """Pass on less of the command where the floor holds less.

    Args:
        controller: walks the robot; its ``speed_scale`` is the governor's from now on.
        speed: that it is commanded [m/s].
        weight: of the robot [N].
        config: of the governor.
        start: from when on [s]; before, the controller stands by itself.

    Attributes:
        speed_scale: of the commanded speed; may change at any time.
        turn: commanded rate about the vertical [rad/s], for a controller that turns.
        answer: the governor's last one; None before the first step.
    """

    def __init__(
        self, controller: Controller[HumanoidReadings], speed: float, weight: float,
        config: FrictionGovernorConfig | None = None, start: float = 0.0,
    ) -> None:  # fmt: skip
        self._start = start
        self.controller, self.governor = controller, FrictionGovernor(config)
        self._speed, self._weight = speed, weight
        self.speed_scale, self.turn = 1.0, 0.0
        self._forget()

    def _forget(self) -> None:
        self._first_ns: int | None = None
        self._stamp_ns: int | None = None
        self._estimates: FootEstimates = (NO_ESTIMATE, NO_ESTIMATE)
        self.answer: GovernorAnswer | None = None

    @property
    def moving(self) -> bool:
        """Whether the controller moves."""
        return self.controller.moving

    @property
    def reserve(self) -> Problem | None:
        """Reason of the controller, or why all of a command is held back."""
        answer = self.answer
        stopped = answer is not None and self.speed_scale * self._speed != 0.0 and answer.twist.pace == 0.0
        if stopped and answer is not None and self.controller.reserve is None:
            return Problem("floor", answer.sentence)
        return self.controller.reserve

    @property
    def faults(self) -> tuple[str, ...] | None:
        """Faults that the controller found in its sensors; nothing if it does not check them."""
        return self.controller.faults if isinstance(self.controller, ChecksSensors) else ()

    def check_sensors_first(self, background: Background) -> None:
        """Check the sensors first, if the controller can."""
        if isinstance(self.controller, ChecksSensors):
            self.controller.check_sensors_first(background)

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self.controller.reset()
        self.governor.reset()
        self._forget()

    def step(self, readings: HumanoidReadings, estimates: FootEstimates | None = None) -> ControlOutput:
        """Compute torques for one reading; the governor takes the estimates of the reading before."""
        dt = PERIOD if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        self._first_ns = readings.stamp_ns if self._first_ns is None else self._first_ns
        begun = 1e-9 * (readings.stamp_ns - self._first_ns) >= self._start
        command = Twist(self.speed_scale * self._speed, 0.0, self.turn) if begun else STILL
        left, right = readings.raw.force_torque
        known = self._estimates if estimates is None else estimates
        feet = (foot_seen(left[:3], known[0], self._weight), foot_seen(right[:3], known[1], self._weight))
        self.answer = self.governor.step(command, feet, dt)
        self.controller.speed_scale = self.answer.twist.forward / self._speed if self._speed != 0.0 else 0.0
        if isinstance(self.controller, Turns):
            self.controller.turn = self.answer.twist.turn
        output = self.controller.step(readings, estimates)
        self._estimates = output.estimates
        return output
