# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Who made a trial, on what: what a study's table says of it and the recording itself can't know."""

from __future__ import annotations

import dataclasses
import math

from biped_slip.errors import InvalidParameter

SUBJECTS = PERSON, ROBOT, INSOLES = ("person", "robot", "insoles")
AXES = FLOOR, GRAVITY = ("floor", "gravity")
STEEPEST = math.radians(45.0)


@dataclasses.dataclass(frozen=True)
class TrialInfo:
    """One trial; empty texts where nothing is said."""

    trial: str
    person: str = ""
    shoe: str = ""
    floor: str = ""
    condition: str = ""
    subject: str = PERSON
    slope: float = 0.0  # of the floor along the walk, positive uphill [rad]
    axes: str = FLOOR  # of the recorded forces: along and normal to the floor, or level and plumb
    mass: float = math.nan  # of the subject [kg]

    def __post_init__(self) -> None:
        if self.subject not in SUBJECTS:
            raise InvalidParameter("subject", self.subject, f"one of {', '.join(SUBJECTS)}")
        if self.axes not in AXES:
            raise InvalidParameter("axes", self.axes, f"one of {', '.join(AXES)}")
        if not abs(self.slope) <= STEEPEST:
            raise InvalidParameter("slope", math.degrees(self.slope), "from -45 to 45 [deg]")
        if not (math.isnan(self.mass) or 0.0 < self.mass < 1e4):
            raise InvalidParameter("mass", self.mass, "positive and below 10000 [kg]")
