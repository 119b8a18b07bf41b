# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The self-test of a humanoid's sensors before its first step: it sways, and judges.

The robot stands still, then shifts its weight to either side and leans; what the
sensors read of that motion, and the torques that made it, contradict each other where a
sensor is wrong (:mod:`biped_slip.estimation.sensor_self_test`).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable, Protocol, Sequence, runtime_checkable

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.estimation.readings import RawReadings, SensorReadings
from biped_slip.estimation.sensor_self_test import (
    FootNames,
    StandingJoints,
    judge_sway,
    sway_sample,
)
from biped_slip.robots.humanoid import FORCE_SENSORS
from biped_slip.robots.robot import SOLES

STILL_TIME_OF_CHECK = 0.7  # [s] of standing still (choice)
SWAYING = 2.0  # [s] of swaying (choice)
# [s] between two looks at the legs: with a wrong encoder in one nothing stands long
# (choice)
LOOK_INTERVAL = 0.01
FOOT_FRAMES = FootNames(SOLES, FORCE_SENSORS)
WEIGHT_SHIFT = 0.04  # [m] to either side, at least (choice)
# of the way between the soles to either side, where they stand wide: a fifth of the
# weight must pass from one to the other (choice)
WIDE_SHIFT = 0.16
LEAN = 0.06  # [rad] of the base to either side: 3 degrees


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
        counterweights: velocity indices of the joints that counter the legs.
        background: where the judging takes place, which needs some tenths of a second
            that a clock doesn't wait. Takes the work; what it returns is asked at every
            sample for the verdict, None as long as there is none.
    """

    def __init__(
        self,
        model: Any,
        counterweights: Sequence[int] = (),
        background: Background = at_once,
    ) -> None:
        self._model = model
        self._counterweights = tuple(counterweights)
        self._background = background
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._samples: list[Array] = []
        self.late: float | None = (
            None  # [s] from a torque to its effect in the sensors; None: not known
        )
        self._joints = StandingJoints(self._model, SOLES, self._counterweights)
        self._look = 0.0  # [s] when they are looked at next
        self._verdict: Callable[[], Verdict | None] | None = None
        self.faults: tuple[str, ...] | None = None  # None: not judged yet

    def command(self, time: float) -> Command:
        """Return the command at a time [s] since the start."""
        phase = math.tau * (time - STILL_TIME_OF_CHECK) / SWAYING
        if not 0.0 <= phase < math.tau:
            return Command()
        shift = max(WEIGHT_SHIFT, WIDE_SHIFT * self._joints.apart)
        return Command(shift=shift * math.sin(phase), lean=LEAN * math.sin(2.0 * phase))

    def add(
        self, time: float, raw: RawReadings, readings: SensorReadings, torques: Array
    ) -> None:
        """Add readings at a time and the torques (n,) for it.

        They are checked after the sway, or when a leg contradicts.
        """
        if self.faults is not None:
            return
        if time < STILL_TIME_OF_CHECK + SWAYING:
            if time >= STILL_TIME_OF_CHECK:
                self._samples.append(sway_sample(time, raw, readings, torques))
            if time >= self._look:
                self._look = time + LOOK_INTERVAL
                self._joints.add(
                    readings.joint_position, readings.orientation_base_in_world
                )
                self.faults = self._joints.faults() or None
            return
        if self._verdict is None:
            self._verdict = self._background(
                partial(
                    judge_sway,
                    self._model,
                    FOOT_FRAMES,
                    np.array(self._samples),
                    self._counterweights,
                )
            )
            self._samples = []
        if (verdict := self._verdict()) is not None:
            self.faults, self.late = verdict


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
