# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Before the first step: stand, shift the weight to and fro, sway, and see whether the sensors say what they should."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.control.whole_body.footsteps import Command
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.planted_window import check_standing
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.humanoid_config import SOLES

STILL, SWAYING = 0.7, 2.0  # [s] (choice)
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
        self._readings: list[SensorReadings] = []
        self.faults: tuple[str, ...] | None = None  # None: not judged yet

    def command(self, time: float) -> Command:
        """What to do at a time [s] since the start."""
        phase = math.tau * (time - STILL) / SWAYING
        if not 0.0 <= phase < math.tau:
            return Command()
        return Command(shift=SHIFT * math.sin(phase), lean=LEAN * math.sin(2.0 * phase))

    def add(self, time: float, readings: SensorReadings) -> None:
        """What the sensors say at that time; the first sample after the sway brings the judgement."""
        if self.faults is not None or time < STILL:
            return
        if time < STILL + SWAYING:
            self._readings.append(readings)
            return
        try:
            self.faults = check_standing(self._model, SOLES, self._readings)
        except BipedSlipError as error:  # a sway that shows nothing is no reason to trust the sensors
            self.faults = (str(error),)
        self._readings = []
