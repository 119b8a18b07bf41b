# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Before the first step: stand, shift the weight to and fro, sway, and see whether the sensors say what they should."""

from __future__ import annotations

import math
from typing import Any, Callable

from biped_slip.control.whole_body.footsteps import Command
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sensor_check.planted_window import FootNames, check_standing, joint_faults
from biped_slip.robots.humanoid_config import FORCE_SENSORS, SOLES

STILL, SWAYING = 0.7, 2.0  # [s] (choice)
# with a wrong encoder in a leg nothing stands long: samples after which the legs are looked at again, and at how many
LOOK, GLANCE = 10, 20  # (choice)
FEET = FootNames(SOLES, FORCE_SENSORS)
SHIFT, LEAN = 0.04, 0.06  # [m] of the weight, [rad] of the base, to either side: a third of the weight, 3 degrees


Verdict = tuple[str, ...]
Background = Callable[[Callable[[], Verdict]], Callable[[], Verdict | None]]


def at_once(work: Callable[[], Verdict]) -> Callable[[], Verdict | None]:
    """Work that is done before the next line; what is returned tells its result."""
    result = work()
    return lambda: result


class SensorSway:
    """Commands the sway, collects what the sensors say meanwhile, and judges them when it is over.

    Args:
        model: Pinocchio model with a free-flyer root.
        background: where the judging takes place, which needs some tenths of a second that a clock doesn't wait.
            Takes the work; what it returns is asked at every sample for the verdict, None as long as there is none.
    """

    def __init__(self, model: Any, background: Background = at_once) -> None:
        self._model, self._background = model, background
        self.reset()

    def reset(self) -> None:
        """As before the first sample."""
        self._raws: list[RawReadings] = []
        self._readings: list[SensorReadings] = []
        self._began = 0  # of them belong to the standing before the sway
        self._verdict: Callable[[], Verdict | None] | None = None
        self.faults: Verdict | None = None  # None: not judged yet

    def command(self, time: float) -> Command:
        """What to do at a time [s] since the start."""
        phase = math.tau * (time - STILL) / SWAYING
        if not 0.0 <= phase < math.tau:
            return Command()
        return Command(shift=SHIFT * math.sin(phase), lean=LEAN * math.sin(2.0 * phase))

    def add(self, time: float, raw: RawReadings, readings: SensorReadings) -> None:
        """What the sensors say at that time; they are judged after the sway, or when a leg's encoder can't be right."""
        if self.faults is not None:
            return
        if time < STILL + SWAYING:
            self._raws.append(raw)
            self._readings.append(readings)
            self._began += time < STILL
            if len(self._readings) % LOOK == 1:
                some = self._readings[:: max(len(self._readings) // GLANCE, 1)]
                self.faults = joint_faults(self._model, SOLES, some) or None
            return
        if self._verdict is None:
            self._verdict = self._background(self._judge)
        self.faults = self._verdict()

    def _judge(self) -> Verdict:
        raws, readings = self._raws[self._began :], self._readings[self._began :]
        self._raws, self._readings = [], []
        try:
            return check_standing(self._model, FEET, raws, readings)
        except BipedSlipError as error:  # a sway that shows nothing is no reason to trust the sensors
            return (str(error),)
