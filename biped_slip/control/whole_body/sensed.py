# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a tick knows of the feet and their floors, from measurements and estimates.

A foot that carries tells of the floor under it; one in the air may have an estimate of
where it will land (a preview). Where nothing is estimated, the friction that a foot has
demonstrated is what its floor holds at least.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.sole_motion import SolePair
from biped_slip.friction_estimation.types import NO_CONTACT, FrictionEstimate

# body weights on a foot that did not ask its floor, from which its limit is believed
# (choice)
OWN_FLOOR_LOAD = 0.25
AIRBORNE_LOAD = 0.01  # body weights on a foot that carries nothing (choice)


class SoleInputs(NamedTuple):
    """Inputs of a tick; feet left, right."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    limits: tuple[float, float]  # on the force ratio
    measured: SolePair
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    up: Array  # (3,) the vertical in the axes of the floor


class Sensed(NamedTuple):
    """Measurements of a tick beside the dynamics; feet left, right."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    load: tuple[float, float]  # normal forces in body weights
    limits: tuple[float, float]  # on the force ratio
    # estimated under each foot; the limit where nothing is
    friction: tuple[float, float]
    certain: tuple[float, float]  # ratio that each foot's floor is known to hold
    known: tuple[bool, bool]  # whether there is an estimate of the floor under the foot
    # whether the limit is that of the floor under the foot, not of any floor
    own_floor: tuple[bool, bool]
    # friction and limit known of where feet in the air will land; infinite: not known
    preview: tuple[float, float]
    up: Array  # (3,) the vertical in the axes of the floor, which all places are in
    force: Array  # (2, 3) of the ground on each foot, in the same axes [N]


@kernel
def sensed_of(inputs: SoleInputs, weight: float) -> Sensed:
    """Interpret a tick's inputs for a robot of a weight [N]."""
    measured = inputs.measured
    left, right = inputs.estimates
    low, high = inputs.limits
    force = np.zeros((2, 3))
    for foot in range(2):
        one = measured[foot]
        for k, value in enumerate((one.force_x, one.force_y, one.force_normal)):
            if math.isfinite(value):
                force[foot, k] = value
    load = measured[0].force_normal / weight, measured[1].force_normal / weight
    return Sensed(
        q=inputs.q,
        v=inputs.v,
        load=load,
        limits=inputs.limits,
        friction=(_friction(left, low), _friction(right, high)),
        certain=(_certain(left, low), _certain(right, high)),
        known=(bool(left.usable), bool(right.usable)),
        own_floor=(
            _of_own_floor(left, load[0]),
            _of_own_floor(right, load[1]),
        ),
        preview=_preview(measured, inputs.estimates, inputs.limits, weight),
        up=inputs.up,
        force=force,
    )


@kernel
def _certain(estimate: FrictionEstimate, limit: float) -> float:
    """Return the certain friction under a foot.

    It is the foot's limit if that is certain, or demonstrated friction.
    """
    if estimate.usable:
        return limit
    # NaN demonstrates nothing
    return estimate.mu_demonstrated if estimate.mu_demonstrated > 0.0 else 0.0


@kernel
def _of_own_floor(estimate: FrictionEstimate, load: float) -> bool:
    """Return whether a foot's limit is that of the floor under it.

    A bouncing foot may still have the limit of the way ahead.
    """
    return load >= OWN_FLOOR_LOAD or (bool(estimate.usable) and load >= AIRBORNE_LOAD)


@kernel
def _friction(estimate: FrictionEstimate, limit: float) -> float:
    """Return the friction under a foot.

    It is the estimate, no less than its limit; the limit without an estimate.
    """
    return (
        max(estimate.mu_median, limit)
        if estimate.usable and math.isfinite(estimate.mu_median)
        else limit
    )


@kernel
def _preview(
    measurements: SolePair,
    estimates: tuple[FrictionEstimate, FrictionEstimate],
    limits: tuple[float, float],
    weight: float,
) -> tuple[float, float]:
    """Return friction and limit of the floor ahead of swing feet.

    They are infinite where nothing is known.

    A foot that bounces in its landing tells of the floor under it, not of the way
    ahead.
    """
    limit = math.inf
    mu = math.inf
    for foot in range(2):
        estimate = estimates[foot]
        friction = _friction(estimates[foot], limits[foot])
        light = measurements[foot].force_normal < AIRBORNE_LOAD * weight
        known = estimate.usable and estimate.state_code != NO_CONTACT and light
        if known and (limits[foot], friction) < (limit, mu):
            limit = limits[foot]
            mu = friction
    return mu, limit
