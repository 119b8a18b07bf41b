# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction by definition: what differs is force, part of the stance, rule.

Papers that say "required coefficient of friction" differ in three axes, so their
numbers do not compare unless the definition is stated::

    u = S / F_n        S: fore-aft |F_x|, transverse |F_y|, or resultant |(F_x, F_y)|
    part of the stance: 10 to 90 %, a stated fraction, all with F_n >= N_0
    direction: any, against the progression (F_x < 0, braking), or with it (F_x > 0)

The value is the largest ratio of the samples that count, or their first maximum. The
names are this package's own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.gait_laboratory.smoothing import prominent_maxima
from biped_slip.recordings.judge.force_ratio import EDGE_SHARE
from biped_slip.recordings.series import FloatArray

RESULTANT = "resultant"
FORE_AFT = "fore-aft"
TRANSVERSE = "transverse"
MIDDLE_PART = "10 to 90 %"
FRACTION = "stated fraction"
LOADED = "F_n >= N_0"
FIRST_PEAK = "first maximum after F_n >= N_0"
ANY = "any"
AGAINST = "against progression"
WITH = "with progression"


class FrictionDefinition(NamedTuple):
    """One definition of required friction."""

    name: str  # of its column
    shear: str
    part: str
    direction: str


DEFINITIONS = (
    FrictionDefinition("friction_resultant_10_90", RESULTANT, MIDDLE_PART, ANY),
    FrictionDefinition("friction_fore_aft_10_90", FORE_AFT, MIDDLE_PART, ANY),
    FrictionDefinition("friction_transverse_10_90", TRANSVERSE, MIDDLE_PART, ANY),
    FrictionDefinition("friction_resultant_fraction", RESULTANT, FRACTION, ANY),
    FrictionDefinition("friction_fore_aft_fraction", FORE_AFT, FRACTION, AGAINST),
    FrictionDefinition("friction_resultant_first_peak", RESULTANT, FIRST_PEAK, AGAINST),
    FrictionDefinition("friction_fore_aft_first_peak", FORE_AFT, FIRST_PEAK, AGAINST),
    FrictionDefinition("friction_fore_aft_against", FORE_AFT, LOADED, AGAINST),
    FrictionDefinition("friction_fore_aft_with", FORE_AFT, LOADED, WITH),
)


class Admission(NamedTuple):
    """Numbers that a definition leaves open."""

    least_normal: float  # N_0 [N]
    fraction: tuple[float, float]  # begin and end of the stated one, of the stance
    prominence: float  # by which a maximum stands out on both sides [-]


def friction_by_definition(
    time: FloatArray, force: FloatArray, admission: Admission
) -> dict[str, float]:
    """Compute the required friction of one stance by every definition.

    Args:
        time: shape (n,) [s].
        force: of the ground on the foot, x along the walk, y left, z normal to the
            floor, shape (n, 3) [N]; as recorded, without smoothing.
        admission: what the definitions leave open.

    Returns:
        Ratio by name; NaN where no sample counts.
    """
    share = (time - time[0]) / max(float(time[-1] - time[0]), 1e-9)
    return {one.name: _value(one, share, force, admission) for one in DEFINITIONS}


def _value(
    one: FrictionDefinition, share: FloatArray, force: FloatArray, admission: Admission
) -> float:
    normal = np.where(force[:, 2] > 0.0, force[:, 2], np.nan)
    ratio = _shear(one.shear, force) / normal
    counts = _direction(one.direction, force) & _part(one.part, share, force, admission)
    if one.part == FIRST_PEAK:
        loaded = force[:, 2] >= admission.least_normal
        return _first_maximum(ratio, loaded, counts, admission.prominence)
    known = ratio[counts & np.isfinite(ratio)]
    return float(known.max()) if len(known) else math.nan


def _shear(name: str, force: FloatArray) -> FloatArray:
    """Return a shear force, shape (n,) [N]."""
    across = np.nan_to_num(force[:, 1])
    if name == RESULTANT:
        return np.hypot(force[:, 0], across)
    return np.abs(force[:, 0] if name == FORE_AFT else across)


def _direction(name: str, force: FloatArray) -> NDArray[np.bool_]:
    """Return the samples in a direction, shape (n,)."""
    if name == ANY:
        return np.ones(len(force), dtype=bool)
    return np.asarray(force[:, 0] < 0.0 if name == AGAINST else force[:, 0] > 0.0)


def _part(
    name: str, share: FloatArray, force: FloatArray, admission: Admission
) -> NDArray[np.bool_]:
    """Return the samples in a part of the stance, shape (n,)."""
    if name == MIDDLE_PART:
        edge = math.ceil(EDGE_SHARE * len(force))
        inside = np.zeros(len(force), dtype=bool)
        inside[edge : len(force) - edge] = True
        return inside
    loaded = force[:, 2] >= admission.least_normal
    if name == FRACTION:
        begin, end = admission.fraction
        return np.asarray(loaded & (share >= begin) & (share <= end))
    return np.asarray(loaded)


def _first_maximum(
    ratio: FloatArray,
    loaded: NDArray[np.bool_],
    counts: NDArray[np.bool_],
    prominence: float,
) -> float:
    """Return the first maximum among the samples that count; NaN without one.

    It stands out on both sides among the loaded samples around it.
    """
    edges = np.flatnonzero(np.diff(loaded.astype(int), prepend=0, append=0))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        for peak in sorted(prominent_maxima(ratio[first:last], prominence)):
            if counts[first + peak]:
                return float(ratio[first + peak])
    return math.nan
