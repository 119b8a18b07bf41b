# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction estimation on arrays: columns in, a table of estimates out.

Forces are those of the ground on the foot, motion is that of the foot along the ground,
in axes x along the foot, y to its left, z up, the floor's normal: a foot that is
dragged forward has a positive velocity and a negative force.
"""

from __future__ import annotations

import dataclasses
import warnings
from itertools import pairwise
from typing import Any, Mapping

import numpy as np

from biped_slip.compile.arrays import Columns
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.friction_estimation.registry import DEFAULT
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate
from biped_slip.recordings.contact import Contact
from biped_slip.recordings.judge.stances import (
    contact_level,
    contact_levels,
    stances,
    usual_load,
)
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.motion_noise import differenced_places
from biped_slip.recordings.plausibility import check_plausible, unit_doubts
from biped_slip.recordings.replay import replay
from biped_slip.recordings.series import (
    FloatArray,
    Motion,
    TimeSeries,
    absent,
    travelled,
)

REQUIRED_COLUMNS = ("time", "force_x", "force_normal")
LEVEL_COLUMNS = [
    f"{name}_{axis}" for name in ("displacement", "velocity") for axis in "xy"
]
COLUMNS = (
    *REQUIRED_COLUMNS,
    "force_y",
    *LEVEL_COLUMNS,
    *(f"{name}_{axis}" for name in ("moment", "angular_rate") for axis in "xyz"),
)
COLUMN_KINDS: dict[str, type[Any]] = {
    "usable": bool,
    "flag": bool,
    "slipping": bool,
    "state_code": int,
}
BLOCKS = 32  # of a stance, over which the work of friction is summed
# of all work exchanged, beyond which friction that drives the foot is no accident
CLEAR_SHARE = 0.5
CLEAR_NOISE = 6.0  # standard deviations of what the noise of the displacement explains


@dataclasses.dataclass(frozen=True, repr=False)
class EstimateTable(Columns):
    """Estimates over time, one row a sample.

    Columns are ``time``, the fields of ``FrictionEstimate`` and ``state``.

    ::

        columns = {"time": t, "force_x": fx, "force_normal": fn, "displacement_x": x}
        table = bs.estimate_friction(columns)
        table["mu_low"]  # array (n,) [-], NaN where nothing is certified
        table["state"] == bs.EstimateState.USABLE  # array (n,) of bool
        table.to_pandas().set_index("time").plot()        # with pandas installed

    Attributes:
        time: (n,) as it was given [s].
        values: (n, fields), columns ``FrictionEstimate._fields``.
        contacts: one per stance, with what was known of the floor in it.
        notes: what is doubted, and what was done to the data.
    """

    time: FloatArray
    values: FloatArray
    contacts: tuple[Contact, ...]
    notes: tuple[str, ...] = ()

    names = ("time", *FrictionEstimate._fields, "state")

    def column(self, name: str) -> Any:
        """Return a column, shape (n,).

        It holds numbers, flags, or in the case of ``state`` members of
        ``EstimateState``.

        Args:
            name: one of ``names``; ``[name]`` refuses any other in a sentence.
        """
        if name == "time":
            return self.time
        if name == "state":
            return np.array(
                [EstimateState(code) for code in self["state_code"]], dtype=object
            )
        return self.values[:, FrictionEstimate._fields.index(name)].astype(
            COLUMN_KINDS.get(name, float)
        )


def estimate_friction(
    columns: Mapping[str, Any],
    estimator: str = DEFAULT,
    settings: EstimatorSettings | None = None,
    processing: Processing | None = None,
) -> EstimateTable:
    """Estimate the friction of one foot from arrays.

    Args:
        columns: arrays (n,) by name, a data frame as well: ``time`` [s], ``force_x``,
            ``force_normal`` [N] of the ground on the foot, and the motion of the foot,
            ``displacement_x`` [m] or ``velocity_x`` [m/s] or both. May be there:
            ``force_y``, ``displacement_y``, ``velocity_y``, ``moment_x`` … ``z`` [N m],
            ``angular_rate_x`` … ``z`` [rad/s].
        estimator: name, or ``FILE.py:NAME``.
        settings: of the estimators; without them they follow from the load and from
            ``processing``.
        processing: noise of force and motion, and how slips are judged.

    Returns:
        One row a sample; NaN where unknown. ``contacts`` has one entry a stance,
        ``notes`` what is doubted; a doubted unit is warned of, too.

    Raises:
        InvalidParameter: a column can't be used.
        InvalidRecording: a sign or a unit must be wrong.
        BipedSlipError: force and motion have one sign.
        UnknownName: a column or an estimator that is not known.
    """
    processing = processing or Processing()
    series = foot_series(columns, processing)
    result = replay(series, processing, estimator, settings)
    doubted = unit_doubts(series)
    for doubt in doubted:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    return EstimateTable(
        time=np.asarray(columns["time"], dtype=float),
        values=result.answers,
        contacts=result.contacts,
        notes=(*doubted, *series.provenance[1:]),
    )


def foot_series(
    columns: Mapping[str, Any], processing: Processing | None = None
) -> TimeSeries:
    """Convert the arrays of :func:`estimate_friction` to a series.

    The series is for :func:`replay` and pictures.

    Args:
        columns: arrays (n,) by name, in SI units, as :func:`estimate_friction` takes
            them.
        processing: noise of force and motion, and how slips are judged.

    Raises:
        InvalidParameter: a column can't be used.
        InvalidRecording: a sign or a unit must be wrong.
        UnknownName: a column that is not known.
    """
    processing = processing or Processing()
    values = _checked(columns)
    time = values["time"]

    def vector(name: str, axes: str) -> FloatArray:
        missing = np.full(len(time), np.nan)
        return np.column_stack([values.get(f"{name}_{axis}", missing) for axis in axes])

    displacement = vector("displacement", "xy")
    velocity = vector("velocity", "xy")
    motion = Motion("measured", processing.velocity_noise)
    if "displacement_x" not in values and "velocity_x" not in values:
        displacement = absent(len(time), 2)
        motion = Motion(note="not given")
    elif "velocity_x" not in values:
        normal = values["force_normal"]
        level = contact_level(
            usual_load(normal), processing.contact_share, processing.force_noise
        )
        velocity, motion = differenced_places(
            time, displacement, stances(normal, level), processing
        )
    elif "displacement_x" not in values:
        displacement = travelled(time, velocity)
    series = TimeSeries(
        name="foot",
        stamp_ns=np.round(1e9 * time).astype(np.int64),
        force=np.column_stack([vector("force", "xy"), values["force_normal"]]),
        moment=vector("moment", "xyz"),
        displacement=displacement,
        velocity=velocity,
        angular_rate=vector("angular_rate", "xyz"),
        motion=motion,
        force_noise=processing.force_noise,
        provenance=("arrays", f"motion: {motion.source} {motion.note}".strip()),
    )
    check_plausible("arrays", series)
    _refuse_one_sign(series, processing)
    return series


def _checked(columns: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Check all columns: arrays of one length, time rising."""
    for name in columns:
        if name not in COLUMNS:
            raise UnknownName("column", str(name), list(COLUMNS))
    missing = [name for name in REQUIRED_COLUMNS if name not in columns]
    if missing:
        raise InvalidParameter(
            "columns", sorted(columns), f"complete; missing: {', '.join(missing)}"
        )
    values = {str(name): np.asarray(columns[name], dtype=float) for name in columns}
    count = len(values["time"]) if values["time"].ndim == 1 else 0
    for name, value in values.items():
        if value.shape != (count,) or count < 2:
            wanted = "one number a sample, as many as in time (>= 2)"
            raise InvalidParameter(name, f"array of shape {value.shape}", wanted)
    steps = np.diff(values["time"])
    if not (steps >= 1e-9).all():
        place = int(np.argmin(steps >= 1e-9)) + 1
        raise InvalidParameter(
            f"time[{place}]",
            float(values["time"][place]),
            "later than the sample before [s]",
        )
    return values


def _refuse_one_sign(series: TimeSeries, processing: Processing) -> None:
    """Refuse a sign by which friction gives a sliding foot more work than it stored."""
    force = np.nan_to_num(series.force[:, :2])
    moved = np.nan_to_num(series.displacement)
    noise = np.array([_noise(moved[:, axis]) for axis in (0, 1)])
    work = exchanged = variance = 0.0
    level = contact_levels(series, processing).begins
    for first, last in stances(series.force[:, 2], level):
        edges = np.unique(np.linspace(first, last - 1, BLOCKS + 1).astype(int))
        steps = np.diff(moved[edges], axis=0)
        mean = np.array([force[a : b + 1].mean(axis=0) for a, b in pairwise(edges)])
        each = (mean.reshape(-1, 2) * steps).sum(axis=1)
        work = work + float(each.sum())
        exchanged = exchanged + float(np.abs(each).sum())
        variance += float((2.0 * (mean.reshape(-1, 2) * noise) ** 2).sum())
    if work > CLEAR_SHARE * exchanged and work > CLEAR_NOISE * np.sqrt(variance):
        raise BipedSlipError(
            f"force and motion have one sign: friction would give the foot {work:.3g} "
            "J, but can only take work; "
            "force is that of the ground on the foot, motion that of the foot: change "
            "the sign of one of them"
        )


def _noise(values: FloatArray) -> float:
    """Estimate the standard deviation of white noise on a smooth signal.

    It comes from the signal's second differences.
    """
    second = np.diff(values, 2)
    return (
        float(1.4826 * np.median(np.abs(second)) / np.sqrt(6.0)) if len(second) else 0.0
    )
