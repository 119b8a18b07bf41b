# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a step taught about the sole, taken to the next one with inflation (study 7.8; study 5)."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import Filters, Model, SolePrior

SMALLEST_SPREAD = 0.5  # of ln s_p: a sole believed better than this and wrong breaks the bound (study 5)
INFLATION = 0.3  # sd of ln s_p that a step forgets (choice)
COMPLIANCE_INFLATION = 2.0  # on its sd, a step (choice)
SHAPE_FORGOTTEN = 0.2  # share of the belief about the shape that a step gives back to all shapes alike (choice)


@kernel
def carry_over(filters: Filters, model: Model, first: SolePrior, foot: Any) -> None:
    """Write the belief about the sole for the next contact into the foot's record.

    Args:
        filters: of the contact that ends.
        first: belief before any step; doubt never grows beyond it.
        foot: record with the posterior ``s_p`` and ``s_p_sd`` [mm]; its ``sole_*`` fields are overwritten.

    The belief about the shape goes into ``filters.shape_weight``, which outlives the contact.
    """
    shapes = filters.shape_weight.size
    for v in range(shapes):
        filters.shape_weight[v] = SHAPE_FORGOTTEN * model.belief[v]
    for n in range(filters.probability.size):
        filters.shape_weight[n % shapes] += (1.0 - SHAPE_FORGOTTEN) * filters.probability[n]
    relative = 1.0 + (foot["s_p_sd"] / foot["s_p"]) ** 2  # moments of a log-normal
    if math.isfinite(relative):
        spread = math.sqrt(math.log(relative) + INFLATION**2)
        foot["sole_s_p"] = foot["s_p"] / math.sqrt(relative)
        foot["sole_s_p_spread"] = min(max(spread, SMALLEST_SPREAD), first.s_p_spread)
    if model.has_compliance:
        index = model.axes + 1
        mean = second = 0.0
        for n in range(filters.probability.size):
            value = filters.mean[index, n]
            mean += filters.probability[n] * value
            second += filters.probability[n] * (value * value + filters.covariance[index, index, n])
        sd = math.sqrt(max(second - mean * mean, 0.0))
        foot["sole_compliance"] = mean
        foot["sole_compliance_sd"] = min(COMPLIANCE_INFLATION * sd, first.compliance_sd)
