# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet out of a bag as series in pieces: memory stays bounded however long the bag is."""

from __future__ import annotations

import math
from array import array
from typing import Callable, Iterator, NamedTuple, Protocol

import numpy as np

from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.slip_based import SlipBasedConfig
from biped_slip.recordings.bags import TopicStatistics
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, Motion, TimeSeries, absent
from biped_slip.recordings.slips import slip_settings

PIECE = 20_000  # samples after which a piece ends with the foot in the air
LONGEST_PIECE = 200_000  # samples after which it ends anyway
BINS = np.geomspace(1e-3, 1e6, 3000)  # of the normal force [N], 0.7 % wide
LOWEST = float(BINS[0])
BINS_PER_E = (len(BINS) - 1) / math.log(float(BINS[-1]) / LOWEST)
Progress = Callable[[int], None]


class Sample(NamedTuple):
    """One sample of one foot; NaN where not measured."""

    foot: int
    stamp_ns: int
    values: tuple[float, ...]  # force, moment (3 each), displacement, velocity (2 each), rate of turn (3)


WIDTH = 13


class SampleSource(Protocol):
    """Feet of a bag, sample by sample; every call of ``samples`` walks through the bag anew."""

    path: str
    names: tuple[str, ...]  # of the feet
    origins: tuple[str, ...]  # topics of each foot, for notes
    told: tuple[EstimatorSettings | None, ...]  # what is said of each foot beforehand

    def samples(self) -> Iterator[Sample]:
        """All samples in the order of the bag."""
        ...

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Settings of the estimators for a foot with these thresholds; planar: only x is known."""
        ...


class Survey:
    """First walk through a bag: per foot the 99th percentile of its normal force and the order of its stamps."""

    def __init__(self, source: SampleSource, progress: Progress | None = None) -> None:
        feet = len(source.names)
        self.statistics = [TopicStatistics("samples") for _ in range(feet)]
        self.invalid = [0] * feet
        self.planar = [True] * feet  # no force across the foot is known
        counts = [[0] * len(BINS) for _ in range(feet)]
        for number, sample in enumerate(source.samples()):
            self.statistics[sample.foot].add(sample.stamp_ns)
            force_x, force_y, normal = sample.values[:3]
            if math.isfinite(force_x + normal):
                counts[sample.foot][_bin(normal)] += 1
                self.planar[sample.foot] &= not math.isfinite(force_y)
            else:
                self.invalid[sample.foot] += 1
            if progress is not None and number % 10_000 == 0:
                progress(number)
        self._load = [_quantile(np.array(row), 0.99) for row in counts]

    def settings(self, source: SampleSource, processing: Processing) -> list[EstimatorSettings]:
        """Of the estimators, per foot."""
        noise = processing.force_noise, processing.velocity_noise
        slips = [slip_settings(load, processing, *noise) for load in self._load]
        learnt = [source.settings(slip, planar) for slip, planar in zip(slips, self.planar, strict=True)]
        return [own if told is None else told for own, told in zip(learnt, source.told, strict=True)]

    def notes(self, source: SampleSource) -> list[str]:
        """One line per foot."""
        return [
            statistics.note(origin) + (f", {bad} samples not finite" if bad else "")
            for origin, statistics, bad in zip(source.origins, self.statistics, self.invalid, strict=True)
        ]


def _bin(normal: float) -> int:
    if normal <= LOWEST:
        return 0
    return min(round(math.log(normal / LOWEST) * BINS_PER_E), len(BINS) - 1)


def _quantile(counts: np.ndarray, share: float) -> float:
    total = counts.sum()
    if not total:
        return 0.0
    index = int(np.searchsorted(np.cumsum(counts), share * total))
    return float(BINS[min(index, len(BINS) - 1)])


class _FootBuffer:
    """Samples of one foot since its last piece."""

    def __init__(self, contact_off: float) -> None:
        self._contact_off = contact_off
        self.stamps, self._rows = array("q"), array("d")
        self._last_ns = -(1 << 62)

    def take(self, sample: Sample) -> bool:
        """Store a sample; whether a piece is complete."""
        if sample.stamp_ns <= self._last_ns:
            return False  # repeated or backward: counted by the survey
        self._last_ns = sample.stamp_ns
        self.stamps.append(sample.stamp_ns)
        self._rows.extend(sample.values)
        full = len(self.stamps)
        return full >= LONGEST_PIECE or (full >= PIECE and sample.values[2] < self._contact_off)

    def series(self, source: SampleSource, foot: int) -> TimeSeries:
        """The stored samples as a series; the buffer is empty afterwards."""
        rows: FloatArray = np.array(self._rows).reshape(-1, WIDTH)
        stamps = np.array(self.stamps, dtype=np.int64)
        self.stamps, self._rows = array("q"), array("d")
        moving = bool(np.isfinite(rows[:, 8]).any())
        return TimeSeries(
            name=source.names[foot],
            stamp_ns=stamps,
            force=rows[:, 0:3],
            moment=rows[:, 3:6],
            displacement=rows[:, 6:8],
            velocity=rows[:, 8:10] if moving else absent(len(rows), 2),
            angular_rate=rows[:, 10:13],
            motion=Motion("measured") if moving else Motion(note="no velocity in the bag"),
            provenance=(source.path, f"{source.names[foot]}: {source.origins[foot]}"),
        )


def bag_pieces(
    source: SampleSource, contact_off: list[float], progress: Progress | None = None
) -> Iterator[tuple[int, TimeSeries]]:
    """Pieces of every foot as (index of the foot, series); a piece ends in the air where it can.

    Args:
        source: feet of a bag.
        contact_off: per foot, normal force below which it is in the air [N].
        progress: told how many samples have been read.
    """
    buffers = [_FootBuffer(level) for level in contact_off]
    for number, sample in enumerate(source.samples()):
        if buffers[sample.foot].take(sample):
            yield sample.foot, buffers[sample.foot].series(source, sample.foot)
        if progress is not None and number % 10_000 == 0:
            progress(number)
    for foot, buffer in enumerate(buffers):
        if len(buffer.stamps) > 1:
            yield foot, buffer.series(source, foot)
