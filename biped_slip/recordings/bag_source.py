# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Source of a bag's feet: their own topics, or a robot's model; and their zero.

The zero of a bag's sensors is found as that of a table's, over as many samples of each
foot as are held at once.
"""

from __future__ import annotations

from array import array
from typing import Iterator

import numpy as np

from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.settings import EstimatorSettings, SlipBasedConfig
from biped_slip.recordings.bag_feet import (
    LONGEST_PIECE,
    BagLayout,
    Sample,
    SampleSource,
    TopicSource,
)
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.judge.stances import ContactLevels, stances
from biped_slip.recordings.plates import find_zero
from biped_slip.recordings.series import FloatArray, Stance, Standing, TimeSeries
from biped_slip.walking.stances import steps_of


def sample_source(bag: Bag, layout: BagLayout) -> SampleSource:
    """Choose the source of a bag's feet: their own topics, or a robot's model."""
    if layout.processing.remove_zero:
        if not layout.feet:
            raise InvalidParameter(
                "bag.processing.remove_zero",
                True,
                "left out where a robot is named",
                "its own software takes the zero off",
            )
        return ZeroedFeet(TopicSource(bag, layout))
    # only robots need their model's libraries
    if layout.robot is not None:
        from biped_slip.recordings.bag_robot import RobotSource

        return RobotSource(bag, layout.robot)
    if layout.humanoid is not None and layout.humanoid.by_currents:
        from biped_slip.recordings.bag_currents import CurrentFeet

        return CurrentFeet(bag, layout.humanoid)
    if layout.humanoid is not None:
        from biped_slip.recordings.bag_humanoid import HumanoidFeet

        return HumanoidFeet(bag, layout.humanoid)
    return TopicSource(bag, layout)


CHANNELS = 6  # of a wrench


class ZeroedFeet:
    """Feet whose sensors' readings without load are taken off every sample."""

    def __init__(self, source: TopicSource) -> None:
        self.path = source.path
        self.names = source.names
        self.origins = source.origins
        self.stated = source.stated
        self.bridged = source.bridged
        self._source = source
        wrenches = [array("d") for _ in source.names]
        stamps = [array("q") for _ in source.names]
        for sample in source.samples():
            if len(stamps[sample.foot]) < LONGEST_PIECE:
                stamps[sample.foot].append(sample.stamp_ns)
                wrenches[sample.foot].extend(sample.values[:CHANNELS])
        found = [
            _zero(np.array(stamp, dtype=np.int64), np.array(rows).reshape(-1, CHANNELS))
            for stamp, rows in zip(stamps, wrenches, strict=True)
        ]
        self._zeros = [zero for zero, _ in found]
        notes = (f"{n}: {note}" for n, (_, note) in zip(self.names, found, strict=True))
        self.remarks = (*source.remarks, *notes)

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield the samples of the feet, their zero taken off."""
        for sample in self._source.samples(estimator):
            begin_ns, reading, slope = self._zeros[sample.foot]
            seconds = (sample.stamp_ns - begin_ns) * 1e-9
            wrench = sample.values[:CHANNELS] - (reading + slope * seconds)
            values = (*wrench.tolist(), *sample.values[CHANNELS:])
            yield sample._replace(values=values)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the estimators' settings for a foot with these thresholds."""
        return self._source.settings(slip, planar)


def _zero(
    stamps: np.ndarray, wrench: FloatArray
) -> tuple[tuple[int, FloatArray, FloatArray], str]:
    """Find the zero of a sensor: begin, reading there, its change a second; a note."""
    none = np.zeros(CHANNELS)
    if len(stamps) < 2:
        return (0, none, none), "too few samples to find what it reads without load"
    order = np.unique(stamps, return_index=True)[1]
    time = (stamps[order] - stamps[order[0]]) * 1e-9
    channels = wrench[order]
    channels[:, np.isnan(channels).all(axis=0)] = 0.0
    zero = find_zero(time, channels, channels[:, 2])
    slope = (zero.reading[-1] - zero.reading[0]) / time[-1]
    return (int(stamps[order[0]]), zero.reading[0], slope), zero.note


def robot_standings(
    series: TimeSeries, source: SampleSource, levels: ContactLevels
) -> tuple[Standing, ...] | None:
    """Find the stances of a robot's foot as its walk counts them; None of others.

    Args:
        series: of the foot.
        source: of its samples.
        levels: of contact.
    """
    if source.bridged == 0.0:
        return None
    found = stances(series.force[:, 2], levels.begins)
    period = float(np.median(np.diff(series.stamp_ns))) * 1e-9
    steps = steps_of(found, period, source.bridged)
    return tuple(Standing(Stance(*step), series.name) for step in steps)
