# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The log of a walk: one row a control tick, preallocated, arrays as attributes.

Rows are written at the same instant at which the sensors are read: the truth of the
floor and the robot, then what the controller made of it. Feet are left, right.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.bounded_files import check_regular
from biped_slip.compile.arrays import AnyArray, Array, Columns
from biped_slip.constants import FEET
from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate
from biped_slip.simulation.time_series import columns

if TYPE_CHECKING:
    from typing_extensions import Self


class Joints(NamedTuple):
    """Limits of a robot's joints."""

    names: Sequence[str]
    efforts: Array  # largest torques (n,) [N m]
    ranges: Array  # (2, n) lowest and highest position [rad]


class LogColumn(NamedTuple):
    """What a log keeps of each tick under one name."""

    shape: tuple[int, ...] = ()  # of one tick
    blank: float = 0.0  # where nothing was written
    kind: type = float


FOOT_COLUMN = LogColumn((2,))
#: Estimates of both feet, NaN before the first.
LARGEST_LOG = 1 << 33  # [byte]
ESTIMATES = LogColumn((2, len(FrictionEstimate._fields)), blank=math.nan)


class Log(Columns):
    """Log of a walk: arrays over ticks as attributes.

    Of each, the first ``length`` rows are filled::

        log["normal_left"]  # an array (ticks,)
        log["estimates_right_mu_low"]
        log["state_left"] == bs.EstimateState.USABLE  # compared, tick by tick
        log.to_pandas().set_index("time")  # with pandas installed

    Args:
        ticks: that it has room for.
        weight: of the robot [N].
        joints: their limits.
        columns: what a tick has, by the name of its array.
    """

    length: int = 0
    weight: float  # of the robot [N]
    joints: Joints
    time: Array  # (ticks,) [s]
    q: Array  # (ticks, coordinates), x of the base first [m]
    normal: Array  # (ticks, 2) [N]
    estimates: Array  # (ticks, 2, fields of FrictionEstimate); NaN: none
    mu_true: Any  # (ticks, 2)
    ratio: Any  # (ticks, 2) |tangential| / normal force; NaN without load
    sole_speed: Any  # (ticks, 2) along the floor [m/s]
    yaw: Any  # (ticks, 2) of the soles [rad]
    height: Any  # (ticks,) of the base over the lower sole [m]
    limit: Array  # (ticks, 2) of the controller on the force ratio
    # (ticks, 2) before any limit; NaN where the controller does not tell it
    wanted_ratio: Any
    torques: Array  # (ticks, n) [N m]
    solved: Any  # (ticks,) whether the controller's program had an answer

    def __init__(
        self,
        ticks: int,
        weight: float,
        joints: Joints,
        columns: Mapping[str, LogColumn],
    ) -> None:
        self.weight = weight
        self.joints = joints
        for name, column in columns.items():
            rows: AnyArray = np.zeros((ticks, *column.shape), dtype=column.kind)
            if column.blank != 0.0:
                rows[...] = column.blank
            setattr(self, name, rows)

    def estimate(self, field: str) -> Array:
        """Return one quantity of the estimates over time, (ticks, 2)."""
        values: Array = self.estimates[:, :, FrictionEstimate._fields.index(field)]
        return values

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return (*columns(self.filled()), *(f"state_{foot}" for foot in FEET))

    def column(self, name: str) -> Any:
        """Return one of ``names``, shape (ticks,)."""
        array, _, foot = name.rpartition("_")
        if array == "state" and foot in FEET:
            codes = self.estimate("state_code")[: self.length, FEET.index(foot)]
            return np.array(
                [EstimateState(int(np.nan_to_num(code))) for code in codes],
                dtype=object,
            )
        return columns(self.filled())[name]

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        """Show one line an array."""
        lines = (f"  {name}: {array.shape}" for name, array in self.filled().items())
        return "\n".join(
            (
                f"{type(self).__name__} of {self.length} ticks; arrays, and one "
                "column a number:",
                *lines,
            )
        )

    def answers(self, last: int | None = None) -> tuple[Array, Array, Array]:
        """Return usable value, lower and upper bound of mu (ticks, 2) up to a tick.

        They are NaN where there is none.

        A flagged value counts, or the median of a usable interval; a lower bound stands
        alone, too.
        """
        names = ("flag", "usable", "mu", "mu_median", "mu_low", "mu_high")
        flag, usable, mu, median, low, high = (
            self.estimate(name)[:last] for name in names
        )
        point = np.where(flag > 0.0, mu, np.where(usable > 0.0, median, np.nan))
        return (
            point,
            np.where(low > 0.0, low, np.nan),
            np.where(usable > 0.0, high, np.nan),
        )

    def filled(self) -> dict[str, Any]:
        """Return the filled rows of each array, by its name."""
        return {
            name: rows[: self.length]
            for name, rows in vars(self).items()
            if isinstance(rows, np.ndarray)
        }

    def trim(self) -> Self:
        """Drop the unfilled rows of the log."""
        vars(self).update(self.filled())
        return self

    def save(self, path: str | Path) -> None:
        """Write the filled rows as a NumPy archive (.npz)."""
        with Path(path).open("wb") as file:
            np.savez(file, **self.filled())

    def read(self, path: str | Path) -> Self:
        """Read an archive of :meth:`save`.

        Raises:
            InvalidRecording: not such a file.
        """
        try:
            check_regular(path, LARGEST_LOG)
            with np.load(path) as archive:
                vars(self).update({name: archive[name] for name in self.filled()})
        except (OSError, KeyError, ValueError) as error:
            raise InvalidRecording(path, f"not the log of a walk ({error})") from error
        self.length = vars(self)["time"].size
        return self
