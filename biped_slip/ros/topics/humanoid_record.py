# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller of a humanoid did in a tick, as named scalars; NaN as long as it does not know its base."""

from __future__ import annotations

import math
from typing import Sequence

from biped_slip.ros.topics.foot_sensors import FEET
from biped_slip.ros.topics.named_scalars import ESTIMATE_NAMES
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.humanoid import HumanoidOutput

OF_ANSWER = ("l_limit", "r_limit", "phase", "solved", "dcm_error_x", "dcm_error_y", "step")
SOLVED = OF_ANSWER.index("solved")


def humanoid_record_names(joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a record."""
    estimates = (f"{foot[0]}_{name}" for foot in FEET for name in ESTIMATE_NAMES)
    return [*OF_ANSWER, *(f"{joint}_effort" for joint in joints), *estimates]


def humanoid_record_values(record: ControlOutput) -> list[float]:
    """Its scalars in the order of their names; NaN where the controller has no such quantity."""
    answer = record.answer if isinstance(record, HumanoidOutput) else None
    left, right = record.estimates
    told = [math.nan] * len(OF_ANSWER)
    if answer is not None:
        told = [*answer.limits, float(answer.phase), float(answer.solved), *answer.dcm_error, answer.gait.forward]
    return [*told, *record.torques, *left, *right]
