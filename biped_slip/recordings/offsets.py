# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Zero of a force plate: what it reads while nobody stands on it, and how that drifts."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from biped_slip.recordings.contacts import stances
from biped_slip.recordings.series import FloatArray

LEAST_SPAN = 1e-3  # [N] between unloaded and loaded; less is no load
LOW_SHARE = 0.15  # of the span of the vertical force: the unloaded reading lies in the lowest part
BAND_SHARE = 0.03  # of the span: how far unloaded readings scatter
LARGEST_SHARE = 0.25  # of the span: an offset beyond this would be a load
SHORTEST = 0.05  # [s] of unloaded time that count
MARGIN = 0.02  # [s] cut from both ends of an unloaded stretch: the foot is just leaving or coming
CLIP_SHARE = 0.3  # of the range of a channel; a limit lies further than this from the unloaded reading
DRIFT_SIGNIFICANCE = 5.0  # standard errors that a change between first and last unloaded stretch must reach


@dataclasses.dataclass(frozen=True)
class Zero:
    """The unloaded reading of some channels over time."""

    reading: FloatArray  # shape (n, k), to be subtracted
    noise: float  # standard deviation of the noisiest force axis while unloaded; 0 when unknown [N]
    unloaded: NDArray[np.bool_]  # shape (n,)
    note: str


def find_zero(time: FloatArray, channels: FloatArray, vertical: FloatArray) -> Zero:
    """Offset of every channel from the unloaded stretches.

    Args:
        time: shape (n,) [s].
        channels: shape (n, k), the first three are the forces [N].
        vertical: shape (n,), the vertical force, positive when loaded [N].

    Returns:
        A constant reading per channel (median over all unloaded samples), or a straight line in time where the
        vertical force drifts significantly; zeros where the plate is never unloaded.
    """
    unloaded = _unloaded(time, vertical)
    if not unloaded.any():
        note = "never unloaded: offsets can't be found and are left in"
        return Zero(np.zeros_like(channels), 0.0, unloaded, note)
    quiet = channels[unloaded]
    reading = np.tile(np.nanmedian(quiet, axis=0), (len(time), 1))
    drift = _drift(time, vertical, unloaded)
    words = f"offsets ({', '.join(f'{value:.1f}' for value in reading[0, :3])}) N removed"
    if drift:
        clock = time - time[unloaded].mean()
        fits = np.polyfit(clock[unloaded], np.nan_to_num(quiet), 1)
        reading = clock[:, None] * fits[0] + fits[1]
        words += f" with a drift of {drift * 60.0:.3g} N per minute"
    noise = float(np.nanmax(np.nanstd(quiet[:, :3] - reading[unloaded, :3], axis=0)))
    return Zero(
        reading, noise, unloaded, f"{words}; unloaded for {unloaded.sum() * _step(time):.2f} s, noise {noise:.2g} N"
    )


def _step(time: FloatArray) -> float:
    return float(np.median(np.diff(time)))


def _unloaded(time: FloatArray, vertical: FloatArray) -> NDArray[np.bool_]:
    """Samples near the densest reading in the lowest part of the span, ends of stretches cut off."""
    none = np.zeros(len(time), dtype=bool)
    finite = vertical[np.isfinite(vertical)]
    if len(finite) < 10:
        return none
    low, high = np.quantile(finite, [0.001, 0.995])
    span = high - low
    lowest = finite[finite < low + LOW_SHARE * span]
    if not span > LEAST_SPAN or not len(lowest):
        return none
    counts, edges = np.histogram(lowest, bins=max(5, int(LOW_SHARE / BAND_SHARE * 4)))
    level = float(np.mean(edges[np.argmax(counts) : np.argmax(counts) + 2]))
    if abs(level) > LARGEST_SHARE * max(high, 0.0) or span < 0.5 * max(high, 0.0):
        return none  # somebody stands on it all the time
    near = np.abs(vertical - level) < BAND_SHARE * span
    margin = round(MARGIN / _step(time))
    mask = none
    for first, last in stances(near.astype(float), 0.5, max(2, round(SHORTEST / _step(time)))):
        inner_first = first + (margin if first > 0 else 0)
        inner_last = last - (margin if last < len(time) else 0)
        mask[inner_first:inner_last] = True
    return mask


def _drift(time: FloatArray, vertical: FloatArray, unloaded: NDArray[np.bool_]) -> float:
    """Slope of the vertical force between first and last unloaded stretch if it is significant, else 0 [N/s]."""
    index = np.flatnonzero(unloaded)
    third = len(index) // 3
    if third < 20 or time[index[-1]] - time[index[0]] < 1.0:
        return 0.0
    early, late = vertical[index[:third]], vertical[index[-third:]]
    blocks = max(2, third // 10)  # neighbouring samples aren't independent
    error = float(np.hypot(np.nanstd(early), np.nanstd(late)) / np.sqrt(third / blocks))
    change = float(np.nanmean(late) - np.nanmean(early))
    if abs(change) < max(DRIFT_SIGNIFICANCE * error, 1e-9):
        return 0.0
    return change / float(time[index[-third:]].mean() - time[index[:third]].mean())


def clipped(channels: FloatArray | None, unloaded: NDArray[np.bool_], shortest: int = 5) -> list[int]:
    """Channels (counted from 0) that stay at their very extreme for several samples in a row.

    Args:
        channels: shape (n, k), raw.
        unloaded: shape (n,); what the channel reads there is no limit.
        shortest: samples in a row that count.
    """
    if channels is None or len(channels) < shortest:
        return []
    quiet = channels[unloaded] if unloaded.any() else np.zeros((1, channels.shape[1]))
    zero, found = np.nanmedian(quiet, axis=0), []
    for column in range(channels.shape[1]):
        values = channels[:, column]
        for extreme in (np.nanmax(values), np.nanmin(values)):
            if abs(extreme - zero[column]) < CLIP_SHARE * np.ptp(values[np.isfinite(values)]):
                continue  # the reading without load
            at_limit = values == extreme
            runs = [last - first for first, last in stances(at_limit.astype(float), 0.5, shortest)]
            if runs and np.nanmax(values) > np.nanmin(values):
                found.append(column)
                break
    return found
