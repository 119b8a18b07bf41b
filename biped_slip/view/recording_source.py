# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Source of a replayed recording.

It has forces at their centres of pressure, plates, and friction estimates.
"""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.types import NAN
from biped_slip.recordings.answer import Answer, Replay
from biped_slip.recordings.replay import FIELDS
from biped_slip.view.scene import (
    FloorPiece,
    FootNumbers,
    Scene,
    SceneInstant,
    zero_moment_point,
)

MARK = 0.06  # [m] half the size of the square under a force
FEET_APART = 0.4  # [m] between feet whose places are not known
PERSON_HEIGHT = 1.75  # [m] of a person, for the size of arrows
# [s] beyond the last sample of a foot after which nothing is drawn of it
DRAWN_GAP = 0.1
FACING = np.array([1.0, 0.0, 0.0, 0.0])


class RecordingSource:
    """Instants at the stamps of the foot with most samples.

    The middle of all plates is the origin.

    Args:
        answer: of a replay; of a long bag its first piece.
        name: of the scene.
    """

    ended = True

    def __init__(self, answer: Answer, name: str) -> None:
        self._feet = [_RecordedFoot(foot, k) for k, foot in enumerate(answer.feet)]
        self._begin = min(float(foot.time[0]) for foot in self._feet)
        longest = max(self._feet, key=lambda foot: len(foot.time))
        self.times: Array = np.asarray(longest.time - self._begin, dtype=np.float64)
        largest = max(
            float(np.nanmax(foot.force[:, 2], initial=1.0)) for foot in self._feet
        )
        weight = answer.weight if math.isfinite(answer.weight) else largest
        mark = MARK * np.array(
            [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
        )
        middle = _middle(self._feet)
        for foot in self._feet:
            foot.shift(middle)
        plates = tuple(foot.plate for foot in self._feet if foot.plate is not None)
        self.scene = Scene(
            name=name,
            joints=(),
            parents=(),
            shapes=(),
            soles=tuple(mark for _ in self._feet),
            floor=plates,
            weight=weight,
            height=PERSON_HEIGHT,
        )

    def instant(self, i: int) -> SceneInstant:
        """Return the instant of the i-th sample."""
        time = self.times[i] + self._begin
        states = [foot.at(time) for foot in self._feet]
        forces = np.array([state[0] for state in states])
        points = np.array([state[1] for state in states])
        soles = np.column_stack([points, np.tile(FACING, (len(states), 1))])
        numbers = FootNumbers._make(values[0] for values in self.numbers(np.array([i])))
        middle = zero_moment_point(forces[:, 2], points)
        return SceneInstant(
            time=float(self.times[i]),
            places=np.empty((0, 7)),
            soles=soles,
            forces=forces,
            pressure=points,
            numbers=numbers,
            centre=np.full(3, NAN),
            zmp=middle,
            footholds=np.empty((0, 3)),
        )

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Return friction estimates of samples.

        A recording has no limit, and its true mu is unknown.
        """
        times = self.times[indices] + self._begin
        columns = [foot.numbers(times) for foot in self._feet]
        ratio, low, high = (
            np.column_stack([column[k] for column in columns]) for k in range(3)
        )
        nothing = np.full_like(ratio, NAN)
        return FootNumbers(ratio=ratio, limit=nothing, low=low, high=high, mu=nothing)


def _middle(feet: Sequence[_RecordedFoot]) -> Array:
    """Compute the middle (3,) [m] of the plates.

    Where there are none, it is that of the places where forces act.
    """
    corners = [foot.plate.corners for foot in feet if foot.plate is not None]
    places = np.concatenate(
        corners or [foot.points[np.isfinite(foot.points).all(axis=1)] for foot in feet]
    )
    return (
        0.5 * (places.min(axis=0) + places.max(axis=0)) if len(places) else np.zeros(3)
    )


class _RecordedFoot:
    """One series: its forces, and where they act."""

    def __init__(self, foot: Replay, number: int) -> None:
        series = foot.series
        self.time: Array = np.asarray(series.stamp_ns * 1e-9, dtype=np.float64)
        self.force = np.nan_to_num(series.force)
        self.plate = (
            FloorPiece(series.outline, NAN, series.name)
            if len(series.outline)
            else None
        )
        aside = np.array([0.0, -FEET_APART * number, 0.0])
        height = float(series.outline[:, 2].mean()) if len(series.outline) else 0.0
        if len(series.pressure):
            self.points = np.column_stack(
                [series.pressure, np.full(len(self.time), height)]
            )
        else:
            self.points = np.tile(aside, (len(self.time), 1))
        self._ratio = series.ratio
        usable = foot.answers[:, FIELDS.index("usable")] > 0.0
        self._low = foot.answers[:, FIELDS.index("mu_low")]
        self._high = np.where(usable, foot.answers[:, FIELDS.index("mu_high")], NAN)

    def shift(self, origin: Array) -> None:
        """Shift places to an origin (3,) [m]."""
        self.points = self.points - origin
        if self.plate is not None:
            self.plate = self.plate._replace(corners=self.plate.corners - origin)

    def _index(self, times: Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Find samples at times [s], and whether the foot was recorded then."""
        inside = (times >= self.time[0] - DRAWN_GAP) & (
            times <= self.time[-1] + DRAWN_GAP
        )
        return np.minimum(np.searchsorted(self.time, times), len(self.time) - 1), inside

    def at(self, time: float) -> tuple[Array, Array]:
        """Return the force (3,) and where it acts (3,)."""
        index, inside = self._index(np.array([time]))
        i = int(index[0])
        point = self.points[i]
        if not (inside[0] and np.all(np.isfinite(point))):
            return np.zeros(3), np.zeros(3)
        return self.force[i], point

    def numbers(self, times: Array) -> tuple[Array, Array, Array]:
        """Return ratio, lower and upper bound at times [s]."""
        index, inside = self._index(times)
        loaded = inside & (self.force[index, 2] > 0.0)
        ratio, low, high = (
            np.where(loaded, v[index], NAN)
            for v in (self._ratio, self._low, self._high)
        )
        return ratio, low, high
