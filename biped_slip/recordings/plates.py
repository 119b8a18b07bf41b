# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force plates: from channels to force and moment in the laboratory frame.

Their zero is found, too.
"""

from __future__ import annotations

import dataclasses
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import UnknownName
from biped_slip.recordings.judge.stances import stances
from biped_slip.recordings.series import FloatArray, Stance

# Plate axes follow from the corners (C3D manual): x from corner 2 to corner 1, y from
# corner 4 to corner 1, and z = x × y. Moments are first about the sensor's origin, then
# about the centre of the top surface.


@dataclasses.dataclass(frozen=True)
class Plate:
    """Measurements of one plate in the laboratory's own axes; n samples.

    The plate may be one foot of a force file.

    Force and moment are as recorded: sign, offset and vertical axis are found later.

    Attributes:
        name: of the plate, or of the foot.
        stamp_ns: times, shape (n,) [ns].
        force: shape (n, 3) [N].
        moment: shape (n, 3), about ``centre`` [N m].
        centre: shape (3,), centre of the top surface, or the laboratory's origin [m].
        corners: of the top surface, shape (4, 3) [m]; None: unknown.
        point: shape (n, 3), recorded point of application [m].
        channels: as recorded, shape (n, k), to see which are clipped; None: unknown.
        converter: shape (2, k), least and largest value that each channel's converter
            gives.
        sensing: of the channels, those that measure forces and moments; None: all do.
    """

    name: str
    stamp_ns: NDArray[np.int64]
    force: FloatArray
    moment: FloatArray
    centre: FloatArray
    corners: FloatArray | None = None
    point: FloatArray | None = None
    channels: FloatArray | None = None
    converter: FloatArray | None = None
    sensing: tuple[int, ...] | None = None


def plate_axes(corners: FloatArray) -> FloatArray:
    """Build the rotation from plate to laboratory, shape (3, 3), axes as columns.

    ``corners`` has shape (4, 3).
    """
    x = corners[0] - corners[1]
    z = np.cross(x, corners[0] - corners[3])
    y = np.cross(z, x)
    return np.column_stack([axis / np.linalg.norm(axis) for axis in (x, y, z)])


def plate_wrench(
    kind: int,
    channels: FloatArray,
    corners: FloatArray,
    origin: FloatArray,
    calibration: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Compute force and moment about the surface's centre, in the laboratory frame.

    Args:
        kind: C3D type 1 (Fx Fy Fz Px Py Tz), 2 (Fx Fy Fz Mx My Mz), 3 (Fx12 Fx34 Fy14
            Fy23 Fz1 … Fz4) or 4 (type 2 after a 6 × 6 calibration matrix).
        channels: shape (n, 6) or (n, 8) [N, m, N m; volts for type 4].
        corners: shape (4, 3) [m].
        origin: shape (3,) [m]; for type 3 the sensor distances a, b and the depth.
        calibration: shape (6, 6) for type 4, giving N and N m.

    Returns:
        (force [N], moment [N m]), each of shape (n, 3).

    Raises:
        UnknownName: the type has no conversion here.
    """
    if kind not in CONVERSIONS:
        raise UnknownName(
            "force plate type", str(kind), [str(known) for known in CONVERSIONS]
        )
    if kind == 4 and calibration is not None:
        channels = channels[:, :6] @ calibration.T
    force, moment = CONVERSIONS[kind](channels, np.asarray(origin, dtype=float))
    axes = plate_axes(corners)
    return force @ axes.T, moment @ axes.T


def _from_point(
    channels: FloatArray, origin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Convert type 1: force, point of application on the surface, free moment."""
    force = channels[:, :3]
    zero = np.zeros(len(channels))
    point = np.column_stack([channels[:, 3], channels[:, 4], zero])
    return force, np.cross(point, force) + np.column_stack([zero, zero, channels[:, 5]])


def _from_moments(
    channels: FloatArray, origin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Convert types 2 and 4.

    Files store the sensor's depth with either sign; it is always below the surface.
    """
    force = channels[:, :3]
    arm = -origin if origin[2] > 0.0 else origin
    return force, channels[:, 3:6] + np.cross(force, arm)


def _from_four_sensors(
    channels: FloatArray, origin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Convert type 3: four triaxial sensors at (±a, ±b)."""
    x12, x34, y14, y23, z1, z2, z3, z4 = channels[:, :8].T
    a = abs(origin[0])
    b = abs(origin[1])
    force = np.column_stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4])
    moment = np.column_stack(
        [
            b * (z1 + z2 - z3 - z4),
            a * (-z1 + z2 + z3 - z4),
            b * (-x12 + x34) + a * (y14 - y23),
        ]
    )
    return force, moment + np.cross(force, [0.0, 0.0, -abs(origin[2])])


Conversion = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
CONVERSIONS: dict[int, Conversion] = {
    1: _from_point,
    2: _from_moments,
    3: _from_four_sensors,
    4: _from_moments,
}
CHANNEL_COUNT = {1: 6, 2: 6, 3: 8, 4: 6}


def centre_of_pressure(
    plate: Plate, force: FloatArray, moment: FloatArray, up: int
) -> FloatArray:
    """Compute where the force meets the surface, shape (n, 3) [m]; NaN without load.

    Args:
        plate: gives the centre.
        force: shape (n, 3), offset removed [N].
        moment: shape (n, 3), about the centre [N m].
        up: index of the vertical axis.
    """
    # right-handed with up
    first = (up + 1) % 3
    second = (up + 2) % 3
    with np.errstate(divide="ignore", invalid="ignore"):
        load = np.where(np.abs(force[:, up]) > 1e-9, force[:, up], np.nan)
        point = np.tile(plate.centre, (len(force), 1))
        point[:, first] += -moment[:, second] / load
        point[:, second] += moment[:, first] / load
    return point


# Zero of a force plate: its reading without load, and how that drifts.

LEAST_LOAD_RANGE = 1e-3  # [N] between unloaded and loaded; less is no load
# of the span of the vertical force: the unloaded reading lies in the lowest part
LOW_SHARE = 0.15
BAND_SHARE = 0.03  # of the span: how far unloaded readings scatter
LARGEST_SHARE = 0.25  # of the span: an offset beyond this would be a load
SHORTEST_UNLOADED = 0.05  # [s] of unloaded time that count
# [s] cut from both ends of an unloaded stretch: the foot is just leaving or coming
MARGIN = 0.02
# standard errors that a change between first and last unloaded stretch must reach
DRIFT_SIGNIFICANCE = 5.0


@dataclasses.dataclass(frozen=True)
class PlateZero:
    """The unloaded reading of some channels over time."""

    reading: FloatArray  # shape (n, k), to be subtracted
    # standard deviation of the noisiest force axis while unloaded; 0 when unknown [N]
    noise: float
    unloaded: NDArray[np.bool_]  # shape (n,)
    note: str


def find_zero(
    time: FloatArray, channels: FloatArray, vertical: FloatArray
) -> PlateZero:
    """Estimate the offset of every channel from the unloaded stretches.

    Args:
        time: shape (n,) [s].
        channels: shape (n, k), the first three are the forces [N].
        vertical: shape (n,), the vertical force, positive when loaded [N].

    Returns:
        A constant reading per channel (median over all unloaded samples), or a straight
        line in time where the vertical force drifts significantly; zeros where the
        plate is never unloaded.
    """
    unloaded = _unloaded(time, vertical)
    if not unloaded.any():
        note = "never unloaded: offsets can't be found and are left in"
        return PlateZero(np.zeros_like(channels), 0.0, unloaded, note)
    quiet = channels[unloaded]
    reading = np.tile(np.nanmedian(quiet, axis=0), (len(time), 1))
    drift = _drift(time, vertical, unloaded)
    words = (
        f"offsets ({', '.join(f'{value:.1f}' for value in reading[0, :3])}) N removed"
    )
    if drift:
        clock = time - time[unloaded].mean()
        fits = np.polyfit(clock[unloaded], np.nan_to_num(quiet), 1)
        reading = clock[:, None] * fits[0] + fits[1]
        words += f" with a drift of {drift * 60.0:.3g} N per minute"
    noise = float(np.nanmax(np.nanstd(quiet[:, :3] - reading[unloaded, :3], axis=0)))
    words += f"; unloaded for {unloaded.sum() * _step(time):.2f} s, noise {noise:.2g} N"
    return PlateZero(reading, noise, unloaded, words)


def _step(time: FloatArray) -> float:
    return float(np.median(np.diff(time)))


def _unloaded(time: FloatArray, vertical: FloatArray) -> NDArray[np.bool_]:
    """Find samples near the densest reading in the lowest part of the span.

    The ends of stretches are cut off.
    """
    none = np.zeros(len(time), dtype=bool)
    finite = vertical[np.isfinite(vertical)]
    if len(finite) < 10:
        return none
    low, high = np.quantile(finite, [0.001, 0.995])
    span = high - low
    lowest = finite[finite < low + LOW_SHARE * span]
    if not span > LEAST_LOAD_RANGE or not len(lowest):
        return none
    counts, edges = np.histogram(lowest, bins=max(5, int(LOW_SHARE / BAND_SHARE * 4)))
    level = float(np.mean(edges[np.argmax(counts) : np.argmax(counts) + 2]))
    if abs(level) > LARGEST_SHARE * max(high, 0.0) or span < 0.5 * max(high, 0.0):
        return none  # loaded all the time
    near = np.abs(vertical - level) < BAND_SHARE * span
    margin = round(MARGIN / _step(time))
    mask = none
    for first, last in stances(
        near.astype(float), 0.5, max(2, round(SHORTEST_UNLOADED / _step(time)))
    ):
        inner_first = first + (margin if first > 0 else 0)
        inner_last = last - (margin if last < len(time) else 0)
        mask[inner_first:inner_last] = True
    return mask


def _drift(
    time: FloatArray, vertical: FloatArray, unloaded: NDArray[np.bool_]
) -> float:
    """Estimate the slope of the vertical force [N/s]; 0 unless it is significant.

    It is that between first and last unloaded stretch.
    """
    index = np.flatnonzero(unloaded)
    third = len(index) // 3
    if third < 20 or time[index[-1]] - time[index[0]] < 1.0:
        return 0.0
    early = vertical[index[:third]]
    late = vertical[index[-third:]]
    blocks = max(2, third // 10)  # neighbouring samples aren't independent
    error = float(np.hypot(np.nanstd(early), np.nanstd(late)) / np.sqrt(third / blocks))
    change = float(np.nanmean(late) - np.nanmean(early))
    if abs(change) < max(DRIFT_SIGNIFICANCE * error, 1e-9):
        return 0.0
    return change / float(time[index[-third:]].mean() - time[index[:third]].mean())


# Clipping: a channel that stays at a limit though its force goes on.
#
# A smooth force stays at its top, too, where its numbers are coarse or drawn between
# few samples. At the top of a parabola that reaches one step q of the resolution in n
# samples, the tangents meet 3 q above it; at a limit they meet where the force went.

SHORTEST_CLIP = 5  # samples in a row
AT_CONVERTER = 2  # samples in a row at the end of the converter's own range
# of the range of a channel; a limit lies further than this from the unloaded reading
CLIP_SHARE = 0.3
CUT_STEPS = 6.0  # steps of resolution by which the tangents of a cut force exceed it
CUT_SHARE = 0.02  # of the range, below which a cut does not matter
OTHERS_SHARE = 0.03  # of its range, by which another channel moves meanwhile
SMOOTH_SHARE = 1e-6  # of the range; smaller changes of slope are rounding


def clipped(
    channels: FloatArray | None,
    unloaded: NDArray[np.bool_],
    converter: FloatArray | None = None,
    sensing: tuple[int, ...] | None = None,
) -> list[int]:
    """List channels (counted from 0) that stay at a limit.

    That is the end of the converter's range, or one value at which the channel stops
    with a corner while others move on.

    Args:
        channels: shape (n, k), raw.
        unloaded: shape (n,); what the channel reads there is no limit.
        converter: shape (2, k), least and largest value that can be stored.
        sensing: channels of forces and moments; None: all. A place is no force.
    """
    if channels is None or len(channels) < SHORTEST_CLIP:
        return []
    quiet = channels[unloaded] if unloaded.any() else np.zeros((1, channels.shape[1]))
    zero = np.nanmedian(quiet, axis=0)
    watched = range(channels.shape[1]) if sensing is None else sensing
    found = []
    for column in watched:
        values = channels[:, column]
        span = float(np.ptp(values[np.isfinite(values)])) if len(values) else 0.0
        others = channels[:, [k for k in watched if k != column]]
        for end, extreme in enumerate((np.nanmin(values), np.nanmax(values))):
            if not span > 0.0 or abs(extreme - zero[column]) < CLIP_SHARE * span:
                continue  # the reading without load
            stays = (values == extreme).astype(float)
            full = converter is not None and extreme == converter[end, column]
            if (full and stances(stays, 0.5, AT_CONVERTER)) or any(
                _cut(values, zero[column], run, others)
                for run in stances(stays, 0.5, SHORTEST_CLIP)
            ):
                found.append(column)
                break
    return found


def _cut(values: FloatArray, zero: float, run: Stance, others: FloatArray) -> bool:
    """Return whether a channel is cut off while it stays at its extreme.

    Args:
        values: of the channel, shape (n,).
        zero: its reading without load.
        run: samples at the extreme.
        others: channels of the same plate, shape (n, k - 1).
    """
    known = values[np.isfinite(values)]
    span = float(np.ptp(known))
    loaded = np.abs(values - zero) > 0.05 * span
    bends = np.abs(np.diff(values, 2)) > SMOOTH_SHARE * span
    # samples drawn between others, or held, count once
    drawn = loaded.sum() / max(int((bends & loaded[1:-1]).sum()), 1)
    length = run.last - run.first
    if length < SHORTEST_CLIP * drawn:
        return False
    reach = min(max(round(3 * drawn), length // 2), run.first, len(values) - run.last)
    if not reach:
        return False  # the recording begins or ends with it
    extreme = values[run.first]
    before = abs(extreme - values[run.first - reach]) / reach
    after = abs(extreme - values[run.last - 1 + reach]) / reach
    beyond = length * before * after / max(before + after, 1e-300)
    step = float(np.min(np.diff(np.unique(known)), initial=span))
    if not beyond > max(CUT_STEPS * step, CUT_SHARE * span):
        return False
    within = np.ptp(others[run.first : run.last], axis=0)
    return bool((within > OTHERS_SHARE * np.ptp(others, axis=0)).any())
