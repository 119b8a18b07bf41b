# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under both feet as one sample shows it to who listens without commanding."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.estimation.readings import Problem
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    NO_MEASUREMENT,
    EstimateState,
    FootMeasurement,
    FrictionEstimate,
)


class FeltFriction(NamedTuple):
    """What is known of both feet, left and right, and what is wrong with the sample."""

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    measurements: tuple[FootMeasurement, FootMeasurement]
    problem: Problem | None = None


INVALID = NO_ESTIMATE._replace(state_code=int(EstimateState.INVALID_INPUT))


def nothing_felt(problem: Problem | None = None) -> FeltFriction:
    """Return what is felt by a sample that cannot be used."""
    return FeltFriction(
        estimates=(INVALID, INVALID),
        measurements=(NO_MEASUREMENT, NO_MEASUREMENT),
        problem=problem,
    )
