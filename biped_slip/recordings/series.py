# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The one in-memory form of every recording: a series of one foot's force and motion over time."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.friction_estimation.types import FootMeasurement

FloatArray = NDArray[np.float64]
COLUMNS = FootMeasurement._fields[1:]  # columns of a measurement table; the stamps stand beside it


class Stance(NamedTuple):
    """Samples first … last − 1 of a series."""

    first: int
    last: int


class Standing(NamedTuple):
    """One stance and who stands there."""

    stance: Stance
    foot: str  # left, right, or unknown
    refusal: str = ""  # why no estimate is made of it; empty when it is fine


@dataclasses.dataclass(frozen=True)
class Motion:
    """Where the foot's motion comes from and how noisy it is."""

    source: str = "none"  # measured, differenced, integrated, marker, none
    velocity_noise: float = 0.0  # standard deviation of the velocity [m/s]
    note: str = ""  # the reason when motion is absent or was refused


@dataclasses.dataclass(frozen=True)
class TimeSeries:
    """One foot (or one force plate under one foot) over time; n samples.

    Forces and moments are those of the ground on the foot in the sole frame (x forward, y left, z up, the floor's
    normal). NaN means not measured. ``normal_unit`` is N unless the sensor was never calibrated (``counts``).
    """

    name: str
    stamp_ns: NDArray[np.int64]  # shape (n,) [ns], strictly increasing
    force: FloatArray  # shape (n, 3) [N]
    moment: FloatArray  # shape (n, 3), about the sole's origin [N m]
    displacement: FloatArray  # shape (n, 2), from an arbitrary origin [m]
    velocity: FloatArray  # shape (n, 2), relative to the ground [m/s]
    angular_rate: FloatArray  # shape (n, 3) [rad/s]
    motion: Motion = Motion()
    force_noise: float = 0.0  # standard deviation of each force axis [N]
    normal_unit: str = "N"
    pressure: FloatArray = dataclasses.field(
        default_factory=lambda: np.empty((0, 2))
    )  # CoP, shape (n, 2) or (0, 2) [m]
    outline: FloatArray = dataclasses.field(
        default_factory=lambda: np.empty((0, 3))
    )  # corners of the plate, shape (4, 3) or (0, 3), in the axes of ``pressure`` [m]
    rotation: FloatArray = dataclasses.field(default_factory=lambda: np.eye(3))  # rows: x, y, z in the laboratory
    clipped: tuple[int, ...] = ()  # channels (counted from 1) that stay at their limit
    standings: tuple[Standing, ...] | None = None  # stances where they are known; None: found from the normal force
    provenance: tuple[str, ...] = ()  # file, layout and everything that was done to the data, in order

    @property
    def time(self) -> FloatArray:
        """Seconds since the first sample, shape (n,)."""
        return (self.stamp_ns - self.stamp_ns[0]) * 1e-9

    @property
    def step(self) -> float:
        """Median time between samples [s]."""
        return float(np.median(np.diff(self.stamp_ns))) * 1e-9

    @property
    def ratio(self) -> FloatArray:
        """|tangential| / normal, shape (n,); NaN where the normal force isn't positive."""
        tangential = np.hypot(self.force[:, 0], np.nan_to_num(self.force[:, 1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.force[:, 2] > 0.0, tangential / self.force[:, 2], np.nan)

    def table(self) -> FloatArray:
        """Measurements as rows for the estimators: shape (n, 11), columns ``COLUMNS``."""
        fx, fy, fz = self.force.T
        mx, my, mz = self.moment.T
        with np.errstate(divide="ignore", invalid="ignore"):
            loaded = np.where(fz > 0.0, fz, np.nan)
            cop_x, cop_y = -my / loaded, mx / loaded
        twist = mz - (cop_x * np.nan_to_num(fy) - cop_y * fx)
        rolling = np.hypot(self.angular_rate[:, 0], self.angular_rate[:, 1])
        table = np.column_stack([fx, fy, fz, self.displacement, self.velocity, twist, cop_x, cop_y, rolling])
        if self.planar:
            table[:, [COLUMNS.index(name) for name in ("force_y", "displacement_y", "velocity_y")]] = 0.0
        return table

    @property
    def planar(self) -> bool:
        """Whether the recording knows only the x direction: a rig that pulls along one line."""
        return not bool(np.isfinite(self.force[:, 1]).any())


def foot_measurement(stamp_ns: int, values: Sequence[float], planar: bool) -> FootMeasurement:
    """One row of ``TimeSeries.table``, from force, moment, displacement, velocity and rate of turn (13 numbers)."""
    fx, fy, fz, mx, my, mz, x, y, vx, vy, turn_x, turn_y, _ = values
    loaded = fz if fz > 0.0 else math.nan
    cop_x, cop_y = -my / loaded, mx / loaded
    twist = mz - (cop_x * (0.0 if math.isnan(fy) else fy) - cop_y * fx)
    if planar:
        fy = y = vy = 0.0
    rolling = float(np.hypot(turn_x, turn_y))
    return FootMeasurement(stamp_ns, fx, fy, fz, x, y, vx, vy, twist, cop_x, cop_y, rolling)


def piece(series: TimeSeries, window: slice) -> TimeSeries:
    """A stretch of a series; its stances are to be found anew."""
    names = ("stamp_ns", "force", "moment", "displacement", "velocity", "angular_rate", "pressure")
    parts = {name: getattr(series, name)[window] for name in names}
    return dataclasses.replace(series, **parts, standings=None)


def absent(count: int, width: int) -> FloatArray:
    """A quantity that wasn't recorded: NaN of shape (count, width)."""
    return np.full((count, width), np.nan)
