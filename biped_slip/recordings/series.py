# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The one in-memory form of every recording.

It is a series of one foot's force and motion over time.
"""

from __future__ import annotations

import dataclasses
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import InvalidRecording
from biped_slip.estimation.magnitudes import (
    IMPLAUSIBLE_ACCELERATION,
    IMPLAUSIBLE_PLACE,
    IMPLAUSIBLE_SPIN,
)

FloatArray = NDArray[np.float64]
Progress = Callable[[int], None]  # takes the number of rows or messages so far
#: Columns of a measurement table, the fields of ``FootMeasurement``; the stamps stand
#: beside it.
COLUMNS = (
    "force_x",
    "force_y",
    "force_normal",
    "displacement_x",
    "displacement_y",
    "velocity_x",
    "velocity_y",
    "moment_normal",
    "centre_of_pressure_x",
    "centre_of_pressure_y",
    "angular_rate",
)


class Stance(NamedTuple):
    """Samples first … last − 1 of a series."""

    first: int
    last: int

    @property
    def middle(self) -> slice:
        """Return samples from 30 to 70 % of the stance."""
        length = self.last - self.first
        return slice(self.first + int(0.3 * length), self.first + int(0.7 * length) + 1)


class Standing(NamedTuple):
    """Stance with its foot, or the reason why that is unknown."""

    stance: Stance
    foot: str  # left, right, or unknown
    refusal: str = ""  # why no estimate is made of it; empty when it is fine


# sources of a foot's motion that are judged with more care
DIFFERENCED = "differenced"  # positions over a time
MARKER = "marker"  # not of the patch that carries: feet roll and shoes give way


@dataclasses.dataclass(frozen=True)
class Motion:
    """Source of the foot's motion, and its noise."""

    source: str = "none"  # measured, differenced, integrated, marker, none
    velocity_noise: float = 0.0  # standard deviation of the velocity [m/s]
    note: str = ""  # the reason when motion is absent or was refused
    place_noise: float = 0.0  # of a single place; 0: unknown [m]
    window: float = 0.0  # over which the velocity is averaged [s]
    # shortest slide that it can show: one shorter than the window is a blip where that
    # had to be widened for noise [s]
    shortest_slide: float = 0.0


#: Largest magnitudes of what a foot measures, by field; forces also in counts of 24
#: bits (choice).
MOST_BY_QUANTITY = {
    "force": 1e9,
    "moment": 1e9,
    "displacement": IMPLAUSIBLE_PLACE,
    "velocity": IMPLAUSIBLE_ACCELERATION,
    "angular_rate": IMPLAUSIBLE_SPIN,
}


@dataclasses.dataclass(frozen=True)
class TimeSeries:
    """One foot (or one force plate under one foot) over time; n samples.

    Forces and moments are those of the ground on the foot in the sole frame (x forward,
    y left, z up, the floor's normal). NaN means not measured. ``normal_unit`` is N
    unless the sensor was never calibrated (``counts``).

    Attributes:
        name: of the foot or plate.
        stamp_ns: shape (n,) [ns], strictly increasing.
        force: shape (n, 3) [N].
        moment: shape (n, 3), about the sole's origin [N m].
        displacement: shape (n, 2), from an arbitrary origin [m].
        velocity: shape (n, 2), relative to the ground [m/s].
        angular_rate: shape (n, 3) [rad/s].
        motion: what the motion is measured by.
        force_noise: standard deviation of each force axis [N].
        normal_unit: N, or ``counts`` where the sensor was never calibrated.
        pressure: centre of pressure, shape (n, 2) or (0, 2) [m].
        outline: corners of the plate, shape (4, 3) or (0, 3), in the axes of
            ``pressure`` [m].
        rotation: rows: x, y, z in the laboratory.
        clipped: channels (counted from 1) that stay at their limit.
        standings: stances where they are known; None: found from the normal force.
        provenance: file, layout and everything that was done to the data, in order.
    """

    name: str
    stamp_ns: NDArray[np.int64]
    force: FloatArray
    moment: FloatArray
    displacement: FloatArray
    velocity: FloatArray
    angular_rate: FloatArray
    motion: Motion = Motion()
    force_noise: float = 0.0
    normal_unit: str = "N"
    pressure: FloatArray = dataclasses.field(default_factory=lambda: np.empty((0, 2)))
    outline: FloatArray = dataclasses.field(default_factory=lambda: np.empty((0, 3)))
    rotation: FloatArray = dataclasses.field(default_factory=lambda: np.eye(3))
    clipped: tuple[int, ...] = ()
    standings: tuple[Standing, ...] | None = None
    provenance: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse magnitudes that no foot has."""
        for field, most in MOST_BY_QUANTITY.items():
            values = getattr(self, field)
            for row, at in np.argwhere(np.isfinite(values) & (np.abs(values) > most))[
                :1
            ]:
                words = (
                    f"{self.name}: {field.replace('_', ' ')} of "
                    f"{values[row, at]:g} in sample {row + 1}"
                )
                raise InvalidRecording(
                    (*self.provenance, "series")[0],
                    f"{words}, at most {most:g} is plausible",
                )

    @property
    def time(self) -> FloatArray:
        """Return the seconds since the first sample, shape (n,)."""
        return (self.stamp_ns - self.stamp_ns[0]) * 1e-9

    @property
    def step(self) -> float:
        """Return the median time between samples [s]."""
        return float(np.median(np.diff(self.stamp_ns))) * 1e-9

    @property
    def ratio(self) -> FloatArray:
        """Return |tangential| / normal, shape (n,).

        It is NaN where the normal force isn't positive.
        """
        tangential = np.hypot(self.force[:, 0], np.nan_to_num(self.force[:, 1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                self.force[:, 2] > 0.0, tangential / self.force[:, 2], np.nan
            )

    def table(self) -> FloatArray:
        """Return the measurements as rows for the estimators.

        They have shape (n, 11), columns ``COLUMNS``.
        """
        fx, fy, fz = self.force.T
        mx, my, mz = self.moment.T
        with np.errstate(divide="ignore", invalid="ignore"):
            loaded = np.where(fz > 0.0, fz, np.nan)
            cop_x = -my / loaded
            cop_y = mx / loaded
        twist = mz - (cop_x * np.nan_to_num(fy) - cop_y * fx)
        rolling = np.hypot(self.angular_rate[:, 0], self.angular_rate[:, 1])
        table = np.column_stack(
            [fx, fy, fz, self.displacement, self.velocity, twist, cop_x, cop_y, rolling]
        )
        if self.planar:
            table[
                :,
                [
                    COLUMNS.index(name)
                    for name in ("force_y", "displacement_y", "velocity_y")
                ],
            ] = 0.0
        return table

    @property
    def planar(self) -> bool:
        """Return whether the recording has only the x direction.

        Then it is from a rig that pulls along one line.
        """
        return not bool(np.isfinite(self.force[:, 1]).any())


def absent(count: int, width: int) -> FloatArray:
    """Fill a quantity that was not recorded with NaN, shape (count, width)."""
    return np.full((count, width), np.nan)


# Stamps of a recording: integer nanoseconds, strictly increasing; what disturbs that is
# dropped and counted.

GAP_FACTOR = 5.0  # steps longer than this many median steps are reported as gaps
LATEST_TIME = 9.2e9  # [s]; what 64 bits of nanoseconds hold


def regular_stamps(count: int, rate: float) -> NDArray[np.int64]:
    """Make the stamps of ``count`` samples at ``rate`` [Hz], exact to a nanosecond."""
    return np.round(np.arange(count) * (1e9 / rate)).astype(np.int64)


def stamps_from_seconds(
    path: object, seconds: FloatArray
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Convert a time column to stamps, and mark the rows that have one.

    Raises:
        InvalidRecording: no usable time, or a time beyond the range of nanoseconds.
    """
    usable = np.isfinite(seconds)
    if not usable.any():
        raise InvalidRecording(path, "the time column holds no number")
    if (latest := np.abs(seconds[usable]).max()) > LATEST_TIME:
        raise InvalidRecording(
            path, f"a time is {latest:g} s", "check the unit of the time column"
        )
    return np.round(np.where(usable, seconds, 0.0) * 1e9).astype(np.int64), usable


def increasing(
    path: object, stamps: NDArray[np.int64], usable: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Mark rows to keep so that stamps increase strictly; describe what was dropped.

    Raises:
        InvalidRecording: fewer than two rows remain, or more than half would be
            dropped.
    """
    keep = usable.copy()
    highest = np.maximum.accumulate(np.where(usable, stamps, np.iinfo(np.int64).min))
    keep[1:] &= stamps[1:] > highest[:-1]
    dropped = len(stamps) - int(keep.sum())
    if keep.sum() < 2:
        raise InvalidRecording(
            path,
            f"has {int(keep.sum())} row(s) with an increasing time",
            "two are the least",
        )
    if dropped > 0.5 * len(stamps):
        words = f"the time doesn't increase in {dropped} of {len(stamps)} rows"
        raise InvalidRecording(path, words, "check which column is the time")
    notes = (
        [f"{dropped} rows dropped: their time is missing, repeated or runs backward"]
        if dropped
        else []
    )
    steps = np.diff(stamps[keep])
    gaps = steps > GAP_FACTOR * np.median(steps)
    if gaps.any():
        notes.append(f"{int(gaps.sum())} gaps, the longest {steps.max() * 1e-9:.3g} s")
    return keep, tuple(notes)


# The foot's velocity from what was recorded: a position is differenced, an acceleration
# integrated if it can be.

STILL_TIME = 0.05  # [s] a foot must be still to be taken as resting
STILL_RATE = 0.05  # [rad/s]
STILL_ACCELERATION = 0.1  # [m/s^2], mean over the still time
CLOSING_SPEED = 0.01  # [m/s] error at the next rest that is always accepted
CLOSING_RATE = 0.02  # [m/s^2] accepted growth of that error with the time between rests


def differenced(time: FloatArray, position: FloatArray, window: float) -> FloatArray:
    """Differentiate a position by central differences over about ``window`` seconds.

    Args:
        time: shape (n,) [s], increasing, steps may vary.
        position: shape (n, k) [m].
        window: [s]; wide enough that encoder steps vanish, short against a slip.

    Returns:
        Velocity, shape (n, k) [m/s]; one-sided at the ends.
    """
    first = np.searchsorted(time, time - 0.5 * window - 1e-12)
    last = np.minimum(
        np.searchsorted(time, time + 0.5 * window + 1e-12) - 1, len(time) - 1
    )
    single = last == first  # samples further apart than the window
    first = np.where(single, np.maximum(first - 1, 0), first)
    last = np.where(single, np.minimum(last + 1, len(time) - 1), last)
    return (position[last] - position[first]) / np.maximum(
        time[last] - time[first], 1e-12
    )[:, None]


def travelled(time: FloatArray, velocity: FloatArray) -> FloatArray:
    """Sum a velocity to a displacement, shape (n, 2) [m]; NaN where the velocity is."""
    steps = np.diff(time, prepend=time[0])[:, None]
    path = np.cumsum(np.nan_to_num(velocity) * steps, axis=0)
    return np.where(np.isfinite(velocity), path, np.nan)


def integrated(
    time: FloatArray,
    acceleration: FloatArray,
    angular_rate: FloatArray,
    in_contact: NDArray[np.bool_],
) -> tuple[FloatArray, Motion]:
    """Integrate a foot's acceleration (gravity removed) to velocity.

    The velocity is zero where the foot rests.

    Between two rests the integral must come back to zero. Where it nearly does, the
    small closing error is taken out as a constant bias; where it doesn't, that stretch
    has no velocity. If most stretches don't close, the acceleration is unusable
    (impacts sampled too slowly, for instance), and the whole recording has no motion.

    Args:
        time: shape (n,) [s].
        acceleration: shape (n, 2), in the floor plane [m/s^2].
        angular_rate: shape (n, 3) [rad/s].
        in_contact: shape (n,).

    Returns:
        Velocity, shape (n, 2), NaN where unknown, and its description.
    """
    rests = _rests(time, acceleration, angular_rate, in_contact)
    velocity = np.full_like(acceleration, np.nan)
    velocity[rests] = 0.0
    steps = np.diff(time, prepend=time[0])[:, None]
    integral = np.cumsum(np.nan_to_num(acceleration) * steps, axis=0)
    index = np.flatnonzero(rests)
    stretches = [(index[k], index[k + 1]) for k in np.flatnonzero(np.diff(index) > 1)]
    if not stretches:
        return np.full_like(acceleration, np.nan), Motion(
            note="the foot never rests twice: nothing to integrate from"
        )
    errors = np.array(
        [np.hypot(*(integral[last] - integral[first])) for first, last in stretches]
    )
    spans = np.array([time[last] - time[first] for first, last in stretches])
    closes = errors <= CLOSING_SPEED + CLOSING_RATE * spans
    swings = np.array([not in_contact[first:last].all() for first, last in stretches])
    # a swing is the harder test
    judged = swings if swings.any() else np.ones_like(swings)
    if closes[judged].mean() < 0.5:
        note = (
            f"the acceleration integrates to {np.median(errors[judged]):.2g} m/s "
            "from rest to rest, so it isn't used"
        )
        return np.full_like(acceleration, np.nan), Motion(note=note)
    for (first, last), close in zip(stretches, closes, strict=True):
        if close:
            inside = slice(first, last + 1)
            velocity[inside] = _closed(time[inside], integral[inside])
    return velocity, Motion(
        source="integrated",
        velocity_noise=float(np.median(errors[closes])),
        note=f"{closes.sum()} of {len(closes)} stretches between rests close",
    )


def _closed(time: FloatArray, integral: FloatArray) -> FloatArray:
    """Take a constant bias out of an integral, shape (n, 2), between two rests."""
    share = ((time - time[0]) / (time[-1] - time[0]))[:, None]
    raw = integral - integral[0]
    return raw - share * raw[-1]


def _rests(
    time: FloatArray,
    acceleration: FloatArray,
    angular_rate: FloatArray,
    in_contact: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    # only accelerations need it, and it takes long to load
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    count = max(3, round(STILL_TIME / float(np.median(np.diff(time)))))
    turning = maximum_filter1d(
        np.linalg.norm(np.nan_to_num(angular_rate, nan=np.inf), axis=1), count
    )
    mean = uniform_filter1d(np.nan_to_num(acceleration, nan=1e9), count, axis=0)
    pushed = maximum_filter1d(np.hypot(mean[:, 0], mean[:, 1]), count)
    return in_contact & (turning < STILL_RATE) & (pushed < STILL_ACCELERATION)
