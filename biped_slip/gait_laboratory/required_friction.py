# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required coefficient of friction (RCOF) of a step; force curves on a common scale."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.gait_laboratory.smoothing import local_parabola, prominent_maxima
from biped_slip.recordings.series import FloatArray

# RCOF is the ratio of shear to normal force at its local maximum after heel contact,
# and again before toe-off [Redfern2001]_. There is no standard rule; seven were
# compared in [Chang2012]_, and one that combines a threshold of normal force, time and
# the direction of increase was found the soundest. Here, too, all three count:
#
# - only samples with enough normal force: a ratio of small forces is mostly noise and
#   spikes of the first contact;
# - weight acceptance is the first quarter of the stance [Fong2009]_ while the shear
#   brakes, push-off the second half
#   while it pushes;
# - the ratio must have risen to its maximum: a maximum at the edge of the admitted
#   samples is none, and neither is a lower bump beside it at push-off, where the ratio
#   of many steps only grows until lift-off. (At weight acceptance a spike of the first
#   contact stands at the edge, and the maximum comes after it.)
#
# Where no such maximum exists, the value is unknown (NaN), never the edge.

Flags = NDArray[np.bool_]


@configuration
class RequiredFrictionConfig(Configuration):
    """Definition of RCOF: the samples of a stance that count, and what a maximum is."""

    least_normal: float = parameter(
        100.0,
        unit="N",
        above=0.0,
        high=1e4,
        source="choice",
        doc="normal force below which a ratio doesn't count",
    )
    least_share: float = parameter(
        0.15,
        above=0.0,
        below=1.0,
        source="choice",
        doc="… but no more than this share of the stance's largest normal force: "
        "children and small robots",
    )
    acceptance_end: float = parameter(
        0.25,
        above=0.0,
        below=1.0,
        source="[Fong2009]",
        doc="share of the stance that is weight acceptance",
    )
    push_off_begin: float = parameter(
        0.5,
        above=0.0,
        below=1.0,
        source="choice",
        doc="share of the stance from which on push-off may be",
    )
    fraction_begin: float = parameter(
        0.0,
        low=0.0,
        below=1.0,
        source="choice",
        doc="begin of the stated fraction of the stance, for definitions that have one",
    )
    fraction_end: float = parameter(
        0.25,
        above=0.0,
        high=1.0,
        source="[Fong2009]",
        doc="its end",
    )
    prominence: float = parameter(
        0.01,
        above=0.0,
        below=1.0,
        source="choice",
        doc="how far a maximum must stand out on both sides",
    )
    smoothing: float = parameter(
        0.01,
        unit="s",
        low=0.0,
        high=0.1,
        source="choice",
        doc="window of the local parabola (Savitzky-Golay); 0: none",
    )


class Maximum(NamedTuple):
    """A local maximum of the force ratio; NaN where there is none."""

    ratio: float = math.nan  # |shear| / normal [-]
    share: float = math.nan  # of the stance [-]
    normal: float = math.nan  # [N]
    shear: float = math.nan  # [N]


class RequiredFriction(NamedTuple):
    """Required friction of one stance."""

    acceptance: Maximum  # of the resultant shear
    push_off: Maximum
    acceptance_fore_aft: Maximum  # of the shear along the walk
    push_off_fore_aft: Maximum
    # over all admitted samples, edges included: for ramps and flat-footed robots
    largest: Maximum
    least_normal: float  # that was used [N]


def required_friction(
    time: FloatArray, force: FloatArray, config: RequiredFrictionConfig
) -> RequiredFriction:
    """Compute the RCOF of one whole stance.

    Args:
        time: shape (n,) [s].
        force: of the ground on the foot, x along the walk, y left, z normal to the
            floor, shape (n, 3) [N].
        config: the rule.
    """
    count = 2 * int(0.5 * config.smoothing / float(np.median(np.diff(time)))) + 1
    # too few samples for a parabola: as they are
    smooth = local_parabola(force, count) if 5 <= count <= len(force) else force
    normal = smooth[:, 2]
    share = (time - time[0]) / max(float(time[-1] - time[0]), 1e-9)
    least = min(config.least_normal, config.least_share * float(np.max(normal)))
    admitted = normal >= least
    total, fore_aft = _shears(smooth)

    def at(index: int | None, shear: _Shear) -> Maximum:
        if index is None:
            return Maximum()
        return Maximum(
            ratio=float(shear.ratio[index]),
            share=float(share[index]),
            normal=float(normal[index]),
            shear=float(shear.force[index]),
        )

    def maximum(shear: _Shear, where: Flags) -> Maximum:
        index = _local_maximum(shear.ratio, admitted, where, config.prominence)
        return at(index, shear)

    braking = admitted & (share <= config.acceptance_end) & (smooth[:, 0] < 0.0)
    pushing = admitted & (share >= config.push_off_begin) & (smooth[:, 0] > 0.0)

    def late(shear: _Shear) -> Maximum:
        found = maximum(shear, pushing)
        after = pushing & (share > found.share)
        highest = float(np.max(np.where(after, np.nan_to_num(shear.ratio), 0.0)))
        # the ratio only grows until lift-off
        return Maximum() if highest > found.ratio + config.prominence else found

    edge = int(np.argmax(np.where(admitted, np.nan_to_num(total.ratio), -1.0)))
    return RequiredFriction(
        acceptance=maximum(total, braking),
        push_off=late(total),
        acceptance_fore_aft=maximum(fore_aft, braking),
        push_off_fore_aft=late(fore_aft),
        largest=at(edge, total),
        least_normal=least,
    )


class _Shear(NamedTuple):
    """Shear of a stance, resultant or along the walk; shape (n,) each."""

    ratio: FloatArray  # to the normal force [-]; NaN where the ground doesn't push
    force: FloatArray  # [N]


def _shears(force: FloatArray) -> tuple[_Shear, _Shear]:
    """Compute the resultant shear, and the one along the walk, from forces (n, 3)."""
    normal = np.where(force[:, 2] > 0.0, force[:, 2], np.nan)
    along = force[:, 0] / normal
    across = np.nan_to_num(force[:, 1])
    resultant = _Shear(
        ratio=np.hypot(along, across / normal), force=np.hypot(force[:, 0], across)
    )
    return resultant, _Shear(ratio=np.abs(along), force=np.abs(force[:, 0]))


def _local_maximum(
    ratio: FloatArray, admitted: Flags, where: Flags, prominence: float
) -> int | None:
    """Find the largest local maximum in ``where``.

    It stands out among the admitted samples around it.
    """
    best = -math.inf
    index = None
    edges = np.flatnonzero(np.diff(admitted.astype(int), prepend=0, append=0))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        for peak in first + prominent_maxima(ratio[first:last], prominence):
            if where[peak] and ratio[peak] > best:
                best = float(ratio[peak])
                index = int(peak)
    return index


# Force curves on a common scale, forces in body weights.

CURVE_POINTS = 101  # 0 … 100 % of the stance
NAMES = ("fore_aft", "lateral", "normal", "ratio")
NO_CURVES = np.zeros((len(NAMES), CURVE_POINTS))


def normalised(
    time: FloatArray, force: FloatArray, weight: float, least_normal: float
) -> FloatArray:
    """Normalise the curves of one stance, shape (4, 101).

    They are the forces over body weight, and |shear| / normal.

    Args:
        time: shape (n,) [s].
        force: x along the walk, y left, z normal, shape (n, 3) [N].
        weight: [N]; NaN leaves the forces unknown.
        least_normal: below it the ratio is unknown [N].
    """
    share = np.linspace(float(time[0]), float(time[-1]), CURVE_POINTS)
    on_grid = np.column_stack([np.interp(share, time, force[:, k]) for k in range(3)])
    shear = np.hypot(on_grid[:, 0], np.nan_to_num(on_grid[:, 1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(on_grid[:, 2] >= least_normal, shear / on_grid[:, 2], np.nan)
    return np.vstack([on_grid.T / weight, ratio])


@dataclasses.dataclass(frozen=True)
class Band:
    """Mean and scatter of curves by Welford's sums per point.

    Unknown points of a curve don't count.
    """

    count: FloatArray = dataclasses.field(default_factory=NO_CURVES.copy)
    mean: FloatArray = dataclasses.field(default_factory=NO_CURVES.copy)
    squares: FloatArray = dataclasses.field(default_factory=NO_CURVES.copy)

    def with_curve(self, curve: FloatArray) -> Band:
        """Add one more curve, shape (4, 101), to the band."""
        known = np.isfinite(curve)
        count = self.count + known
        gap = np.where(known, np.nan_to_num(curve) - self.mean, 0.0)
        mean = self.mean + gap / np.maximum(count, 1.0)
        squares = self.squares + gap * np.where(known, np.nan_to_num(curve) - mean, 0.0)
        return Band(count, mean, squares)

    @property
    def spread(self) -> FloatArray:
        """Return the standard deviation, shape (4, 101).

        It is NaN where fewer than two curves are known.
        """
        return np.where(
            self.count > 1,
            np.sqrt(self.squares / np.maximum(self.count - 1.0, 1.0)),
            np.nan,
        )

    @property
    def middle(self) -> FloatArray:
        """Return the mean, shape (4, 101); NaN where no curve is known."""
        return np.where(self.count > 0, self.mean, np.nan)
