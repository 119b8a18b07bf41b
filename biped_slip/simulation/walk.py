# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Common parts of walks of any robot.

They are world, log, stances, slips, summary, and time series as files.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array, Columns
from biped_slip.errors import (
    InvalidParameter,
    InvalidRecording,
    MissingExtra,
    SimulationDiverged,
)
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate

if TYPE_CHECKING:
    from typing_extensions import Self


class Joints(NamedTuple):
    """Limits of a robot's joints."""

    names: Sequence[str]
    efforts: Array  # largest torques (n,) [N m]
    ranges: Array  # (2, n) lowest and highest position [rad]


class Log(Columns):
    """Log of a walk: arrays over ticks as attributes.

    Of each, the first ``length`` rows are filled.

    ::

    log["normal_left"], log["estimates_right_mu_low"]         # arrays (ticks,)
    log["state_left"] == bs.EstimateState.USABLE              # states of the estimate,
    compared log.to_pandas().set_index("time")                         # with pandas
    installed
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
    wanted_ratio: (
        Any  # (ticks, 2) before any limit; NaN where the controller does not tell it
    )
    torques: Array  # (ticks, n) [N m]
    solved: Any  # (ticks,) whether the controller's program had an answer

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
            with np.load(path) as archive:
                vars(self).update({name: archive[name] for name in self.filled()})
        except (OSError, KeyError, ValueError) as error:
            raise InvalidRecording(path, f"not the log of a walk ({error})") from error
        self.length = vars(self)["time"].size
        return self


class World(ABC):
    """World of a robot: readings out, torques in, once a control period.

    It ends when the time is over or the robot has fallen.

    Args:
        scenario: its duration, pushes and control period.
        plant: the robot on its floor, in place.
        lowest: height [m] of the base over the floor below which the robot has fallen.
    """

    log: Any

    def __init__(self, scenario: Any, plant: Any, lowest: float) -> None:
        self.scenario = scenario
        self.plant = plant
        self.lowest = lowest
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.fell = False

    @property
    def ended(self) -> bool:
        """Return whether the robot fell or the time is over."""
        return self.fell or self.plant.ticks >= self.ticks

    @abstractmethod
    def measure(self) -> Any:
        """Measure this instant without logging it.

        This is for a loop that waits for the readings.
        """

    @abstractmethod
    def record(self) -> Any:
        """Log the truth of this instant, once per control period."""

    def read(self) -> Any:
        """Read the sensors at this instant and log its truth.

        Call this once per control period.
        """
        readings = self.measure()
        self.record()
        return readings

    @abstractmethod
    def height(self) -> float:
        """Compute the height of the base over the floor below it [m]."""

    def advance(self, torques: Array, push: Any = 0.0) -> None:
        """Advance one control period under joint torques (n,) and another push.

        A fall ends the walk.
        """
        try:
            self.plant.advance(
                torques, self.scenario.pushes.at(1e-9 * self.plant.stamp_ns) + push
            )
        except SimulationDiverged:
            self.fell = True
        self.fell = self.fell or self.height() < self.lowest


# Stances of a foot and how far it slid in them.

FEET = ("left", "right")
CONTACT_FORCE = 1.0  # [N] normal force that counts as stance
BRIDGED_GAP = 0.020  # [s] shorter losses of contact do not end a stance
SHORTEST_STANCE = 0.100  # [s]
# [s] left out when a slide is measured
AFTER_LANDING = 0.050
BEFORE_LIFT_OFF = 0.020
SLIP_LIMIT = 0.01  # [m] a walk in which no stance foot slid this far has not slipped


@dataclass(frozen=True)
class Slip:
    """One slide of a stance foot."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    distance: float  # [m]


def spans(condition: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the stretches (stretches, 2) in which a condition (ticks,) holds.

    Each is given by its first tick and the tick after its last.
    """
    edges: Any = np.flatnonzero(
        np.diff(np.concatenate(([0], condition.view(np.int8), [0])))
    )
    return edges.reshape(-1, 2)


def stances(
    time: Array, normal: Array, bridged: float = BRIDGED_GAP
) -> Iterator[slice]:
    """Find the ticks of each stance of one foot.

    In a stance the foot is loaded, for long enough; gaps shorter than ``bridged`` [s]
    are closed.
    """
    if time.size < 2:
        return
    period = float(time[1] - time[0])
    merged: list[list[int]] = []
    for start, end in spans(normal > CONTACT_FORCE):
        if merged and (start - merged[-1][1]) * period < bridged:
            merged[-1][1] = int(end)
        else:
            merged.append([int(start), int(end)])
    for start, end in merged:
        if (end - start) * period >= SHORTEST_STANCE:
            yield slice(start, end)


def steady_part(stance: slice, time: Array) -> slice:
    """Cut landing and lift-off from a stance."""
    period = float(time[1] - time[0])
    return slice(
        stance.start + round(AFTER_LANDING / period),
        stance.stop - round(BEFORE_LIFT_OFF / period),
    )


def extent(places: Array) -> float:
    """Compute the extent of a point's motion [m].

    It is the diagonal of the box around the point's places (ticks[, axes]).
    """
    return float(np.linalg.norm(np.ptp(places, axis=0))) if places.size else 0.0


# bad ends of a walk
FELL = "fell"
LATE = "ran out of time"


class OffPatch(NamedTuple):
    """Walk beside the slippery patch; NaN where it is not measured."""

    peak_ratio: float = float(
        "nan"
    )  # median over the stances of their largest force ratio
    speed: float = float("nan")  # [m/s] mean


@dataclass(frozen=True)
class Summary:
    """Result of one walk."""

    fell: bool
    end_time: float  # [s]
    distance: float  # [m] x of the hip or base at the end
    max_stance_slip: (
        float  # [m] of a foot within one stance, without landing and lift-off
    )
    slips: tuple[Slip, ...]

    @property
    def refused(self) -> bool:
        """Return whether the sensors were found wrong before the first step."""
        return False

    @property
    def end(self) -> str:
        """Describe the end of the walk in a few words."""
        return FELL if self.fell else "still stood"

    def __str__(self) -> str:
        """Describe the walk in a sentence."""
        count = sum(slip.distance >= SLIP_LIMIT for slip in self.slips)
        limit = f"by {1e3 * SLIP_LIMIT:.0f} mm"
        feet = (
            f"a stance foot slid {count} time{'s' * (count != 1)} {limit} or more"
            if count
            else "no stance foot slid " + limit
        )
        ratio, speed = self.off_patch
        pace = (
            f"; {speed:.2f} m/s and required friction {ratio:.2f} off the patch"
            if speed == speed
            else ""
        )
        words = (
            f"the robot {self.end} after {self.end_time:.1f} s and "
            f"{self.distance:.2f} m; {feet}"
        )
        return (
            f"{words} (most in one stance: {1e3 * self.max_stance_slip:.1f} mm){pace}."
        )

    @property
    def off_patch(self) -> OffPatch:
        """Explain how the robot passed beside the slippery patch."""
        return OffPatch()

    def upright_without_slip(self) -> bool:
        """Return whether it ended upright, and no stance foot slid by 1 cm."""
        return not self.fell and self.max_stance_slip < SLIP_LIMIT

    def to_mapping(self) -> dict[str, Any]:
        """Convert the summary to plain dictionaries for JSON.

        Unknown values are None.
        """
        return {
            name: None if value != value else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Build the summary from :meth:`to_mapping`, also after JSON."""
        known: dict[str, Any] = {
            name: float("nan") if value is None else value
            for name, value in mapping.items()
        }
        return cls(
            **{**known, "slips": tuple(Slip(**slip) for slip in mapping["slips"])}
        )


# The time series of a walk for other programs: a table as CSV or Parquet, or the arrays
# as NumPy's .npz.

AXES = ("x", "y", "z")
TWIST = (*AXES, *(f"about_{axis}" for axis in AXES))
NAMED: dict[
    str, tuple[tuple[str, ...], ...]
] = {  # what the further axes of an array are called
    "estimates": (FEET, FrictionEstimate._fields),
    "sole_position": (FEET, AXES),
    "sole_velocity": (FEET, TWIST),
    "sole_rotation": (FEET, AXES, AXES),
    "wrench": (FEET, TWIST),
}
BY_FOOT = (
    "foot_x",
    "foot_z",
    "foot_vx",
    "normal",
    "tangential",
    "mu_true",
    "mu",
    "wanted_ratio",
    "limit",
)
ENDINGS = (".csv", ".parquet", ".npz")


def columns(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Split into one column (ticks,) a number.

    Columns have names such as ``normal_left``, ``estimates_right_mu_low`` or ``q_0``.

    Args:
        arrays: of a log, ticks on their first axis, :meth:`Log.filled`.
    """
    found: dict[str, Any] = {}
    for name, array in arrays.items():
        rows = np.asarray(array)
        if rows.ndim == 1:
            found[name] = rows
            continue
        usual = (
            (FEET,)
            if name in BY_FOOT
            else tuple(tuple(map(str, range(n))) for n in rows.shape[1:])
        )
        for place, words in zip(
            np.ndindex(rows.shape[1:]), product(*NAMED.get(name, usual)), strict=True
        ):
            found["_".join((name, *words))] = np.moveaxis(rows, 0, -1)[place]
    return found


def write_series(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write the arrays of a log as CSV, Parquet or NumPy archive, by the file's ending.

    Raises:
        InvalidParameter: an unknown ending.
        MissingExtra: Parquet without pyarrow.
    """
    target = Path(path)
    ending = Path(path).suffix
    if ending not in ENDINGS:
        raise InvalidParameter(
            "time series", str(path), f"a file that ends in {', '.join(ENDINGS)}"
        )
    if ending == ".npz":
        np.savez_compressed(target, **arrays)
    elif ending == ".parquet":
        write_table(target, columns(arrays))
    else:
        table = columns(arrays)
        with target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(
                zip(*(column.tolist() for column in table.values()), strict=True)
            )


def write_table(path: Path, table: Any) -> None:
    """Write a table as Parquet, from its columns by name or from a list of its rows.

    Raises:
        MissingExtra: without pyarrow.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = isinstance(table, list)
    parquet.write_table(
        pyarrow.Table.from_pylist(table) if rows else pyarrow.table(table), path
    )


KEPT = "kept_time"  # its key in the result of a walk


MOST_LATE = 0.01  # of the ticks (choice)


class KeptTime(NamedTuple):
    """Real-time statistics of one walk."""

    ticks: int  # simulated
    # control periods of the steady clock that passed without a tick: the robot's time
    # went slower
    missed: int
    damped: int  # ticks at zero torque, because the last command was too old
    late: int = 0  # ticks whose command answered an earlier instant than the last

    @property
    def dilation(self) -> float:
        """Share of the steady clock's time by which the robot's was late."""
        return self.missed / max(self.ticks + self.missed, 1)

    @property
    def starved(self) -> bool:
        """Return whether processor time was missing, which may have caused a fall."""
        return max(self.missed, self.damped, self.late) > MOST_LATE * self.ticks

    def __str__(self) -> str:
        cause = (
            "this computer was too slow, so a fall says nothing about the controller: "
            if self.starved
            else ""
        )
        return (
            f"{cause}{self.missed} deadlines missed: time dilated by "
            f"{self.dilation:.2%}; "
            f"{self.late} commands late, {self.damped} ticks damped"
        )
