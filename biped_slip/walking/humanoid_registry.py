# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All controllers of humanoids by name, and the sway that tests their sensors."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Protocol, runtime_checkable

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control import friction_governor
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.estimation.readings import (
    HumanoidReadings,
    Problem,
    RawReadings,
    SensorReadings,
)
from biped_slip.estimation.sensor_self_test import (
    FootNames,
    StandingJoints,
    judge_sway,
    sway_sample,
)
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.plugins import named, names
from biped_slip.robots.humanoid import FORCE_SENSORS
from biped_slip.robots.robot import SOLES
from biped_slip.walking.controller import (
    PERIOD,
    Controller,
    ControlOutput,
    FootEstimates,
    SlipPolicy,
    checked_controller,
)

if TYPE_CHECKING:
    from biped_slip.walking.humanoid import HumanoidWalkingConfig

# [s] (choice)
STILL = 0.7
SWAYING = 2.0
# [s] between two looks at the legs: with a wrong encoder in one nothing stands long
# (choice)
LOOK = 0.01
FEET = FootNames(SOLES, FORCE_SENSORS)
# [m] of the weight, [rad] of the base, to either side: a third of the weight, 3 degrees
SHIFT = 0.04
LEAN = 0.06


Verdict = tuple[
    tuple[str, ...], "float | None"
]  # faults; [s] from a torque to its effect in the sensors
Background = Callable[[Callable[[], Verdict]], Callable[[], "Verdict | None"]]


def at_once(work: Callable[[], Verdict]) -> Callable[[], Verdict | None]:
    """Run work at once; the returned function gives its result."""
    result = work()
    return lambda: result


class SensorSway:
    """Sensor self-test: sway of a standing robot, its readings, and their check.

    Args:
        model: Pinocchio model with a free-flyer root.
        background: where the judging takes place, which needs some tenths of a second
            that a clock doesn't wait. Takes the work; what it returns is asked at every
            sample for the verdict, None as long as there is none.
    """

    def __init__(self, model: Any, background: Background = at_once) -> None:
        self._model = model
        self._background = background
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._samples: list[Array] = []
        self.late: float | None = (
            None  # [s] from a torque to its effect in the sensors; None: not known
        )
        self._joints = StandingJoints(self._model, SOLES)
        self._look = 0.0  # [s] when they are looked at next
        self._verdict: Callable[[], Verdict | None] | None = None
        self.faults: tuple[str, ...] | None = None  # None: not judged yet

    def command(self, time: float) -> Command:
        """Return the command at a time [s] since the start."""
        phase = math.tau * (time - STILL) / SWAYING
        if not 0.0 <= phase < math.tau:
            return Command()
        return Command(shift=SHIFT * math.sin(phase), lean=LEAN * math.sin(2.0 * phase))

    def add(
        self, time: float, raw: RawReadings, readings: SensorReadings, torques: Array
    ) -> None:
        """Add readings at a time and the torques (n,) for it.

        They are checked after the sway, or when a leg contradicts.
        """
        if self.faults is not None:
            return
        if time < STILL + SWAYING:
            if time >= STILL:
                self._samples.append(sway_sample(time, raw, readings, torques))
            if time >= self._look:
                self._look = time + LOOK
                self._joints.add(readings.joint_position)
                self.faults = self._joints.faults() or None
            return
        if self._verdict is None:
            self._verdict = self._background(
                partial(judge_sway, self._model, FEET, np.array(self._samples))
            )
            self._samples = []
        if (verdict := self._verdict()) is not None:
            self.faults, self.late = verdict


# a new controller is its class, which is its own factory, and a line in CONTROLLERS, an
# entry point, or FILE.py:NAME
GROUP = "biped_slip.controllers"
DEFAULT = "whole_body"

HumanoidFactory = Callable[
    ["HumanoidWalkingConfig", SlipPolicy], Controller[HumanoidReadings]
]


@runtime_checkable
class ChecksSensors(Protocol):
    """Interface of a controller with a sensor self-test."""

    @property
    def faults(self) -> tuple[str, ...] | None:
        """Return the sensor faults; None while the self-test runs."""

    def check_sensors_first(self, background: Background) -> None:
        """Enable the sensor self-test from the next reset on.

        It is computed in the ``background``.
        """


def whole_body(
    config: HumanoidWalkingConfig, policy: SlipPolicy
) -> Controller[HumanoidReadings]:
    """Make the whole-body program of a humanoid.

    Its forces are inside the limits of the policy.
    """
    from biped_slip.walking.humanoid import HumanoidSequencer  # its solver is an extra

    return HumanoidSequencer(config, policy)


CONTROLLERS: dict[str, HumanoidFactory] = {DEFAULT: whole_body}


def onnx(
    network: str, config: HumanoidWalkingConfig, policy: SlipPolicy
) -> Controller[HumanoidReadings]:
    """Make the player of an ONNX policy."""
    from biped_slip.walking.learned_policy import learned  # its runtime is an extra

    return learned(network, config, policy)


# Any controller behind a friction governor: the same guard as the node, inside one
# process.


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
            else friction_governor.STILL
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
    from biped_slip.robots.humanoid import load_humanoid

    weight = load_humanoid(config.robot).weight
    return GovernedHumanoid(
        humanoid_controller(config, policy, name),
        config.speed,
        weight,
        start=config.start,
    )


#: Those whose name says more after a colon, and what that is.
WITH_ARGUMENT = {"onnx": ("FILE", onnx), "governed": ("NAME", governed)}


def humanoid_controller_names() -> list[str]:
    """List the names of the controllers of humanoids.

    Those of installed packages are included.
    """
    return [
        *names(GROUP, CONTROLLERS),
        *(f"{kind}:{what}" for kind, (what, _) in WITH_ARGUMENT.items()),
    ]


def humanoid_controller(
    config: HumanoidWalkingConfig, policy: SlipPolicy, name: str = DEFAULT
) -> Controller[HumanoidReadings]:
    """Make a fresh controller of a humanoid.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    kind, colon, argument = name.partition(":")
    if colon and kind in WITH_ARGUMENT:
        return WITH_ARGUMENT[kind][1](argument, config, policy)
    return checked_controller(
        name, named("controller", GROUP, CONTROLLERS, name)(config, policy)
    )
