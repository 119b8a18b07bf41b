# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's controller behind a friction governor.

It is the same guard as the node's, inside one process: the governor slows the command
down to what the friction under the feet allows, whatever controller obeys it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from biped_slip.control import friction_governor
from biped_slip.estimation.readings import HumanoidReadings, Problem
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.controller import (
    PERIOD,
    Controller,
    ControlOutput,
    FootEstimates,
)
from biped_slip.walking.registry import humanoid_controller
from biped_slip.walking.sensor_sway import Background, ChecksSensors

if TYPE_CHECKING:
    from biped_slip.walking.humanoid import HumanoidWalkingConfig
    from biped_slip.walking.slip_policies import SlipPolicy


@runtime_checkable
class Turns(Protocol):
    """Interface of a controller with a turning command."""

    turn: float  # commanded rate about the vertical [rad/s]


class GovernedHumanoid:
    """Humanoid's controller behind a friction governor.

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
        self,
        controller: Controller[HumanoidReadings],
        speed: float,
        weight: float,
        config: friction_governor.FrictionGovernorConfig | None = None,
        start: float = 0.0,
    ) -> None:
        self._start = start
        self.controller = controller
        self.governor = friction_governor.FrictionGovernor(config)
        self._speed = speed
        self._weight = weight
        self.speed_scale = 1.0
        self.turn = 0.0
        self._forget()

    def _forget(self) -> None:
        self._first_ns: int | None = None
        self._stamp_ns: int | None = None
        self._estimates: FootEstimates = (NO_ESTIMATE, NO_ESTIMATE)
        self.answer: friction_governor.GovernorAnswer | None = None

    @property
    def moving(self) -> bool:
        """Return whether the controller moves."""
        return self.controller.moving

    @property
    def reserve(self) -> Problem | None:
        """Return why the controller stands, or why all of a command is held back."""
        answer = self.answer
        stopped = (
            answer is not None
            and self.speed_scale * self._speed != 0.0
            and answer.twist.pace == 0.0
        )
        if stopped and answer is not None and self.controller.reserve is None:
            return Problem("floor", answer.sentence)
        return self.controller.reserve

    @property
    def faults(self) -> tuple[str, ...] | None:
        """Return the sensor faults that the controller found.

        There are none if it has no self-test.
        """
        return (
            self.controller.faults if isinstance(self.controller, ChecksSensors) else ()
        )

    def check_sensors_first(self, background: Background) -> None:
        """Enable the sensor self-test, if the controller has one."""
        if isinstance(self.controller, ChecksSensors):
            self.controller.check_sensors_first(background)

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self.controller.reset()
        self.governor.reset()
        self._forget()

    def step(
        self, readings: HumanoidReadings, estimates: FootEstimates | None = None
    ) -> ControlOutput:
        """Compute torques for one reading.

        The governor takes the estimates of the reading before.
        """
        dt = (
            PERIOD
            if self._stamp_ns is None
            else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        )
        self._stamp_ns = readings.stamp_ns
        self._first_ns = readings.stamp_ns if self._first_ns is None else self._first_ns
        begun = 1e-9 * (readings.stamp_ns - self._first_ns) >= self._start
        command = (
            friction_governor.Twist(self.speed_scale * self._speed, 0.0, self.turn)
            if begun
            else friction_governor.STILL_TWIST
        )
        known = self._estimates if estimates is None else estimates
        left, right = (
            friction_governor.foot_load(wrench[:3], estimate, self._weight)
            for wrench, estimate in zip(readings.raw.force_torque, known, strict=True)
        )
        self.answer = self.governor.step(command, (left, right), dt)
        self.controller.speed_scale = (
            self.answer.twist.forward / self._speed if self._speed != 0.0 else 0.0
        )
        if isinstance(self.controller, Turns):
            self.controller.turn = self.answer.twist.turn
        output = self.controller.step(readings, estimates)
        self._estimates = output.estimates
        return output


def governed(
    name: str, config: HumanoidWalkingConfig, policy: SlipPolicy
) -> Controller[HumanoidReadings]:
    """Put another controller behind a friction governor."""
    weight = load_humanoid(config.robot).weight
    return GovernedHumanoid(
        humanoid_controller(config, policy, name),
        config.speed,
        weight,
        start=config.start,
    )
