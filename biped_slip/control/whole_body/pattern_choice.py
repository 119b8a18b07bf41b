# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The steps that ask least of the floor at each speed, and the speed that a floor allows.

Along the walk short steps need least, across it a long double support: at a given speed both can't be had, and the
swing foot must be in time. What is left is chosen once per robot, on a grid of both supports, as a table over speed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.footsteps import FootstepConfig
from biped_slip.control.whole_body.gait_ratio import Pendulum, peak_ratio, transfer_offset
from biped_slip.control.whole_body.stepping import SteppingConfig
from biped_slip.errors import InvalidParameter

SLOWEST, FASTEST, SPEEDS = 0.02, 1.5, 75  # [m/s], [m/s], of the table
SINGLES, DOUBLES = 9, 29  # of the grid
BRISK = 0.01  # [1/s] ratio that is given away for each second by which a step gets quicker (choice)


@configuration
class PatternConfig(Configuration):
    """Which steps may be chosen."""

    shortest_single_support: float = parameter(
        0.5, unit="s", above=0.0, high=3.0, doc="of the steps to choose from; the longest is ``steps.single_support``"
    )
    quick_from: float = parameter(
        0.2, unit="m/s", low=0.0, high=2.0, doc="speed from which on a single support is no longer than "
        "``quick_single_support``; slower walks are those on ice, which bears no quicker steps (choice)"
    )  # fmt: skip
    quick_single_support: float = parameter(
        3.0, unit="s", above=0.0, high=3.0, doc="longest single support that stands pushes: a longer one begins with "
        "the DCM nearer to the outer edge of the stance sole"
    )  # fmt: skip
    longest_double_support: float = parameter(
        1.5, unit="s", above=0.0, high=3.0, doc="likewise; the shortest is ``steps.double_support``"
    )
    swing_speed: float = parameter(
        1.8, unit="m/s", above=0.0, high=10.0, doc="mean speed of a swing foot that the joints follow with ease"
    )
    swing_acceleration: float = parameter(
        10.0, unit="m/s^2", above=0.0, high=100.0, doc="way of a swing foot over the square of its time, likewise: of "
        "the hips' torque"
    )  # fmt: skip
    leg_reach: float = parameter(
        0.33, above=0.0, high=2.0, doc="of the centre of mass' height: how far behind it a flat foot may lift off; a "
        "leg that is straight by then pulls the trunk along"
    )  # fmt: skip
    sole_use: float = parameter(
        0.5, low=0.0, high=1.0, doc="of the sole's length that the ZMP rolls along, from heel to toe"
    )


class LegLimits(NamedTuple):
    """What a leg can follow."""

    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    lift_behind: float  # how far behind the centre of mass a foot may lift off [m]
    roll: float  # that the ZMP may go under the sole [m]


class Patterns(NamedTuple):
    """Steady gaits over speed, arrays (n,)."""

    speed: Array  # [m/s]
    single_support: Array  # [s]
    double_support: Array  # [s]
    roll: Array  # of a step's length that the ZMP goes under the stance foot
    ratio: Array  # largest that the gait needs; not falling with speed


class Pattern(NamedTuple):
    """One of them."""

    single_support: float  # [s]
    double_support: float  # [s]
    roll: float
    ratio: float


@kernel
def rolled(length: float, single_support: float, double_support: float, reach: float) -> float:
    """Share of a step's length that the ZMP rolls: all that evens its way out, within ``reach`` [m] of the sole."""
    return min(single_support / (single_support + double_support), reach / max(length, 1e-6))


@kernel
def lifts_behind(length: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """How far [m] behind the centre of mass the rear sole lifts off."""
    ahead = transfer_offset(length, single_support, double_support, pendulum)
    return length * (1.0 - 0.5 * pendulum.roll) - ahead


@kernel
def least_demand(speed: float, width: float, singles: Array, doubles: Array, legs: LegLimits,
                 pendulum: Pendulum) -> Pattern:  # fmt: skip
    """The supports that ask least at a speed, among those with which the swing foot is in time and legs stay bent.

    Args:
        speed: of the body [m/s].
        width: between the ZMPs of both feet [m].
        singles, doubles: to choose from [s], rising.
        legs: where no steps keep to these limits the ratio is infinite.
        pendulum: for the ratio; its roll is not looked at.
    """
    best, cost = Pattern(singles[-1], doubles[0], 0.0, np.inf), np.inf
    chosen = singles.shape[0] > 1 or doubles.shape[0] > 1
    for single in singles:
        for double in doubles:
            length = speed * (single + double)
            roll = rolled(length, single, double, legs.roll)
            rolling = Pendulum(pendulum.height, pendulum.omega, roll, pendulum.turning, pendulum.smooth)
            late = 2.0 * length > single * min(legs.swing_speed, legs.swing_acceleration * single)
            if chosen and (late or lifts_behind(length, single, double, rolling) > legs.lift_behind):
                continue
            ratio = peak_ratio(length, width, single, double, rolling)
            if ratio + BRISK * (single + double) < cost:
                best, cost = Pattern(single, double, roll, ratio), ratio + BRISK * (single + double)
    return best


@kernel
def _table(speeds: Array, quick_from: float, quick: Array, width: float, singles: Array, doubles: Array,
           legs: LegLimits, pendulum: Pendulum) -> Array:  # fmt: skip
    rows = np.empty((4, speeds.shape[0]))
    for k in range(speeds.shape[0]):
        allowed = singles if speeds[k] < quick_from else quick
        best = least_demand(speeds[k], width, allowed, doubles, legs, pendulum)
        rows[0, k], rows[1, k], rows[2, k], rows[3, k] = best.single_support, best.double_support, best.roll, best.ratio
        if k > 0:
            rows[3, k] = max(rows[3, k], rows[3, k - 1])
    return rows


def patterns_for(steps: FootstepConfig, stepping: SteppingConfig, config: PatternConfig, half_length: float,
                 pendulum: Pendulum) -> Patterns:  # fmt: skip
    """The table of a robot whose soles have a half length [m]; 0 for points, whose supports are not chosen.

    It ends at the speed above which no steps keep to swing speed and reach.

    Raises:
        InvalidParameter: for limits that allow none at all.
    """
    shortest, longest = min(config.shortest_single_support, steps.single_support), config.longest_double_support
    single, double = steps.single_support, steps.double_support
    singles, doubles = np.array([single]), np.array([double])
    if half_length > 0.0:
        singles = np.linspace(shortest, single, SINGLES)
        doubles = np.linspace(double, max(longest, double), DOUBLES)
    speeds = np.linspace(SLOWEST, FASTEST, SPEEDS)
    width = max(steps.width - 2.0 * stepping.inset, 0.0)
    legs = LegLimits(config.swing_speed, config.swing_acceleration, config.leg_reach * pendulum.height,
                     2.0 * config.sole_use * half_length)  # fmt: skip
    quick = singles[: max(1, int(np.sum(singles <= config.quick_single_support)))]
    table = _table(speeds, config.quick_from, quick, width, singles, doubles, legs, pendulum)
    walked = int(np.argmax(~np.isfinite(np.append(table[3], np.inf))))
    if walked < 2:
        remedy = "raise it, pattern.swing_acceleration, pattern.leg_reach or steps.single_support"
        raise InvalidParameter("pattern.swing_speed", config.swing_speed, "enough for the slowest steps", remedy)
    return Patterns(speeds[:walked], *np.ascontiguousarray(table[:, :walked]))


@kernel
def pattern_at(patterns: Patterns, speed: float) -> Pattern:
    """The gait at a speed [m/s]."""
    last = patterns.speed.shape[0] - 1
    place = (speed - patterns.speed[0]) / (patterns.speed[last] - patterns.speed[0]) * last
    place = min(max(place, 0.0), float(last))
    k = min(int(place), last - 1)
    b = place - k
    a = 1.0 - b
    return Pattern(
        a * patterns.single_support[k] + b * patterns.single_support[k + 1],
        a * patterns.double_support[k] + b * patterns.double_support[k + 1],
        a * patterns.roll[k] + b * patterns.roll[k + 1],
        a * patterns.ratio[k] + b * patterns.ratio[k + 1],
    )


@kernel
def fastest_within(patterns: Patterns, ratio: float) -> float:
    """The largest speed [m/s] of the table whose gait needs no more than ``ratio``; 0 where not even the sway fits."""
    if ratio < patterns.ratio[0]:
        return 0.0
    last = patterns.speed.shape[0] - 1
    for k in range(last):
        if patterns.ratio[k + 1] > ratio:
            rise = patterns.ratio[k + 1] - patterns.ratio[k]
            return patterns.speed[k] + (ratio - patterns.ratio[k]) / rise * (patterns.speed[k + 1] - patterns.speed[k])
    return patterns.speed[last]
