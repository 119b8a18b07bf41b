# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller of the planar biped did in a tick, as named scalars."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from biped_slip.estimation.problem import Problem
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.named_scalars import ESTIMATE_NAMES
from biped_slip.walking.planar import PlanarOutput


def planar_record_names(joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a output."""
    feet = ("l", "r")
    return [
        *(f"{foot}_{name}" for name in ("wanted_ratio", "limit") for foot in feet),
        "phase",
        *(f"{joint}_effort" for joint in joints),
        *(f"{foot}_{name}" for foot in feet for name in ESTIMATE_NAMES),
    ]


def planar_record_values(output: PlanarOutput) -> list[float]:
    """Its scalars in the order of their names."""
    left, right = output.estimates
    return [*output.wanted_ratio, *output.limits, float(output.phase), *output.torques, *left, *right]


def planar_record_from(values: Sequence[float], joints: int) -> PlanarOutput:
    """The record in the numbers of a controller of so many joints.

    Raises:
        UnusableSample: other names than expected.
    """
    fields = len(ESTIMATE_NAMES)
    if len(values) != 5 + joints + 2 * fields:
        what = f"record has {len(values)} values, but must have {5 + joints + 2 * fields}"
        raise UnusableSample(Problem("wrong size", what))
    left, right = 5 + joints, 5 + joints + fields
    return PlanarOutput(
        (FrictionEstimate(*values[left:right]), FrictionEstimate(*values[right:])),
        (values[0], values[1]),
        (values[2], values[3]),
        np.array(values[5:left]),
        int(values[4]),
    )
