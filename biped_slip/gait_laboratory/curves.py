# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force-time curves of stances on a common scale: 101 points of the stance, forces in body weights; mean and band."""

from __future__ import annotations

import dataclasses

import numpy as np

from biped_slip.recordings.series import FloatArray

POINTS = 101  # 0 … 100 % of the stance
NAMES = ("fore_aft", "lateral", "normal", "ratio")


def normalised(time: FloatArray, force: FloatArray, weight: float, least_normal: float) -> FloatArray:
    """Curves of one stance, shape (4, 101): forces over body weight, and |shear| / normal.

    Args:
        time: shape (n,) [s].
        force: x along the walk, y left, z normal, shape (n, 3) [N].
        weight: [N]; NaN leaves the forces unknown.
        least_normal: below it the ratio is unknown [N].
    """
    share = np.linspace(float(time[0]), float(time[-1]), POINTS)
    on_grid = np.column_stack([np.interp(share, time, force[:, k]) for k in range(3)])
    shear = np.hypot(on_grid[:, 0], np.nan_to_num(on_grid[:, 1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(on_grid[:, 2] >= least_normal, shear / on_grid[:, 2], np.nan)
    return np.vstack([on_grid.T / weight, ratio])


@dataclasses.dataclass(frozen=True)
class Band:
    """Mean and scatter of curves, one added at a time, so that any number of them needs no memory.

    Welford's sums per point; unknown points of a curve don't count.
    """

    count: FloatArray = dataclasses.field(default_factory=lambda: np.zeros((len(NAMES), POINTS)))
    mean: FloatArray = dataclasses.field(default_factory=lambda: np.zeros((len(NAMES), POINTS)))
    squares: FloatArray = dataclasses.field(default_factory=lambda: np.zeros((len(NAMES), POINTS)))

    def with_curve(self, curve: FloatArray) -> Band:
        """The band with one more curve, shape (4, 101)."""
        known = np.isfinite(curve)
        count = self.count + known
        gap = np.where(known, np.nan_to_num(curve) - self.mean, 0.0)
        mean = self.mean + gap / np.maximum(count, 1.0)
        squares = self.squares + gap * np.where(known, np.nan_to_num(curve) - mean, 0.0)
        return Band(count, mean, squares)

    @property
    def spread(self) -> FloatArray:
        """Standard deviation, shape (4, 101); NaN where fewer than two curves are known."""
        return np.where(self.count > 1, np.sqrt(self.squares / np.maximum(self.count - 1.0, 1.0)), np.nan)

    @property
    def middle(self) -> FloatArray:
        """Mean, shape (4, 101); NaN where no curve is known."""
        return np.where(self.count > 0, self.mean, np.nan)
