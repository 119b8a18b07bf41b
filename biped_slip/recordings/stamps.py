# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps of a recording: integer nanoseconds, strictly increasing; what disturbs that is dropped and counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.series import FloatArray

GAP_FACTOR = 5.0  # steps longer than this many median steps are reported as gaps
LATEST = 9.2e9  # [s]; what 64 bits of nanoseconds hold


def regular_stamps(count: int, rate: float) -> NDArray[np.int64]:
    """Stamps of ``count`` samples at ``rate`` [Hz], exact to a nanosecond."""
    return np.round(np.arange(count) * (1e9 / rate)).astype(np.int64)


def stamps_from_seconds(path: object, seconds: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Stamps of a time column and which rows have one.

    Raises:
        InvalidRecording: no usable time, or a time beyond the range of nanoseconds.
    """
    usable = np.isfinite(seconds)
    if not usable.any():
        raise InvalidRecording(path, "the time column holds no number")
    if np.abs(seconds[usable]).max() > LATEST:
        raise InvalidRecording(
            path, f"a time is {np.abs(seconds[usable]).max():g} s", "check the unit of the time column"
        )
    return np.round(np.where(usable, seconds, 0.0) * 1e9).astype(np.int64), usable


def increasing(
    path: object, stamps: NDArray[np.int64], usable: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Which rows to keep so that stamps increase strictly, and what was dropped.

    Raises:
        InvalidRecording: fewer than two rows remain, or more than half would be dropped.
    """
    keep = usable.copy()
    highest = np.maximum.accumulate(np.where(usable, stamps, np.iinfo(np.int64).min))
    keep[1:] &= stamps[1:] > highest[:-1]
    dropped = len(stamps) - int(keep.sum())
    if keep.sum() < 2:
        raise InvalidRecording(path, f"has {int(keep.sum())} row(s) with an increasing time", "two are the least")
    if dropped > 0.5 * len(stamps):
        raise InvalidRecording(
            path, f"the time doesn't increase in {dropped} of {len(stamps)} rows", "check which column is the time"
        )
    notes = [f"{dropped} rows dropped: their time is missing, repeated or runs backward"] if dropped else []
    steps = np.diff(stamps[keep])
    gaps = steps > GAP_FACTOR * np.median(steps)
    if gaps.any():
        notes.append(f"{int(gaps.sum())} gaps, the longest {steps.max() * 1e-9:.3g} s")
    return keep, tuple(notes)
