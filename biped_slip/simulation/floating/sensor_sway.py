# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Before the first step: stand, shift the weight to and fro, sway, and see whether the sensors say what they should."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.control.whole_body.footsteps import Command
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.planted_window import FootNames, check_standing, joint_faults
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.humanoid_config import FORCE_SENSORS, SOLES

STILL, SWAYING = 0.7, 2.0  # [s] (choice)
# with a wrong encoder in a leg nothing stands long: samples after which the legs are looked at again, and at how many
LOOK, GLANCE = 10, 20  # (choice)
FEET = FootNames(SOLES, FORCE_SENSORS)
SHIFT, LEAN = 0.04, 0.06  # [m] of the weight, [rad] of the base, to either side: a third of the weight, 3 degrees


class SensorSway:
    """Commands the sway, collects what the sensors say meanwhile, and judges them when it is over.

    Args:
        model: Pinocchio model with a free-flyer root.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.reset()

    def reset(self) -> None:
        """As before the first sample."""
        self._raws: list[RawReadings] = []
        self._readings: list[SensorReadings] = []
        self._began = 0  # of them belong to the standing before the sway
        self.faults: tuple[str, ...] | None = None  # None: not judged yet

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
        try:
            swayed = slice(self._began, None)
            self.faults = check_standing(self._model, FEET, self._raws[swayed], self._readings[swayed])
        except BipedSlipError as error:  # a sway that shows nothing is no reason to trust the sensors
            self.faults = (str(error),)
        self._raws, self._readings = [], []
