# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a foot: where its normal force says that it stands, with hysteresis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biped_slip.recordings.series import FloatArray, Stance

OFF_SHARE = 0.5  # of the level that begins a contact; below it the contact ends
NOISE_FACTOR = 5.0  # standard deviations of force noise that a contact must exceed


def usual_load(normal: FloatArray) -> float:
    """99th percentile of the finite normal forces; 0 where nothing is loaded [N]."""
    finite = normal[np.isfinite(normal)]
    return max(float(np.quantile(finite, 0.99)), 0.0) if len(finite) else 0.0


def contact_level(load: float, share: float, noise: float) -> float:
    """Normal force that begins a contact: a share of the usual load, but well above the noise [N]."""
    return max(share * load, NOISE_FACTOR * noise, 1e-9)


def stances(normal: FloatArray, level: float, shortest: int = 2) -> list[Stance]:
    """Stretches from the first to the last sample above ``level`` that don't fall below half of it between.

    NaN ends a stance.

    Args:
        normal: shape (n,) [N].
        level: [N].
        shortest: fewest samples of a stance.
    """
    above = normal >= level
    below = ~(normal >= OFF_SHARE * level)
    known = np.where(above, 1, np.where(below, 0, -1))  # -1: between the levels, as before
    last_known = np.maximum.accumulate(np.where(known >= 0, np.arange(len(known)), 0))
    standing = np.clip(known[last_known], 0, 1) if len(known) else known
    edges = np.flatnonzero(np.diff(standing, prepend=0, append=0))
    found = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        last = int(first + np.flatnonzero(above[first:end])[-1]) + 1
        if last - first >= shortest:
            found.append(Stance(int(first), last))
    return found


def standing_mask(count: int, found: list[Stance]) -> NDArray[np.bool_]:
    """The stances as a mask of shape (count,)."""
    mask = np.zeros(count, dtype=bool)
    for stance in found:
        mask[stance.first : stance.last] = True
    return mask
