# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One row of the table of steps: every column with its unit and meaning.

The module also has the table as CSV and Parquet.
"""

from __future__ import annotations

import csv
import dataclasses
import itertools
import math
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from biped_slip.bounded_files import check_regular, csv_rows
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    InvalidRecording,
    MissingExtra,
)
from biped_slip.gait_laboratory.made import Made

# Classes of slips, each limit with its source (docs/gait_laboratory.md).

NONE, MICRO, SLIDE, FALL_LIKE = CLASSES = ("none", "micro-slip", "slide", "fall-like")


@configuration
class SlipLimits(Configuration):
    """Limits between the classes of slips.

    The limits of a fall-like slip are those of induced slips that ended in falls;
    people do recover from longer and faster ones [Brady2000]_, so the class describes
    what a slip looks like, not how it ended.
    """

    noticed: float = parameter(
        0.03,
        unit="m",
        above=0.0,
        high=1.0,
        source="[Leamon1990]",
        doc="shorter slips are mostly not perceived",
    )
    fall_distance: float = parameter(
        0.10,
        unit="m",
        above=0.0,
        high=2.0,
        source="[Perkins1978], [Strandberg1981]",
        doc="longer slips look like falls",
    )
    fall_velocity: float = parameter(
        0.5,
        unit="m/s",
        above=0.0,
        high=10.0,
        source="[Strandberg1981]",
        doc="faster slips look like falls",
    )


def slip_class(distance: float, peak_velocity: float, limits: SlipLimits) -> str:
    """Classify a slip as one of ``CLASSES``; a distance of 0 is no slip."""
    if not distance > 0.0:
        return NONE
    if distance > limits.fall_distance or peak_velocity > limits.fall_velocity:
        return FALL_LIKE
    return MICRO if distance < limits.noticed else SLIDE


# Facts of a trial from a study's table, which the recording itself does not hold.

SUBJECTS = PERSON, ROBOT, INSOLES = ("person", "robot", "insoles")
AXES = FLOOR, GRAVITY = ("floor", "gravity")
STEEPEST_ANGLE = math.radians(45.0)


@dataclasses.dataclass(frozen=True)
class TrialInfo:
    """Description of one trial; empty texts where unknown."""

    trial: str
    person: str = ""
    shoe: str = ""
    floor: str = ""
    condition: str = ""
    subject: str = PERSON
    slope: float = 0.0  # of the floor along the walk, positive uphill [rad]
    # of the recorded forces: along and normal to the floor, or level and plumb
    axes: str = FLOOR
    mass: float = math.nan  # of the subject [kg]

    def __post_init__(self) -> None:
        if self.subject not in SUBJECTS:
            raise InvalidParameter(
                "subject", self.subject, f"one of {', '.join(SUBJECTS)}"
            )
        if self.axes not in AXES:
            raise InvalidParameter("axes", self.axes, f"one of {', '.join(AXES)}")
        if not abs(self.slope) <= STEEPEST_ANGLE:
            raise InvalidParameter(
                "slope", math.degrees(self.slope), "from -45 to 45 [deg]"
            )
        if not (math.isnan(self.mass) or 0.0 < self.mass < 1e4):
            raise InvalidParameter("mass", self.mass, "positive and below 10000 [kg]")


def column(meaning: str, default: Any = "") -> Any:
    """Declare a field with its meaning as metadata."""
    return dataclasses.field(default=default, metadata={"meaning": meaning})


def number(meaning: str) -> Any:
    """Declare a column of numbers, NaN where unknown."""
    return column(meaning, math.nan)


def added(meaning: str, default: Any = math.nan) -> Any:
    """Declare a column that tables of an earlier version lack."""
    return dataclasses.field(
        default=default, metadata={"meaning": meaning, "added": True}
    )


@dataclasses.dataclass(frozen=True)
class Step:
    """Row of one step; NaN or an empty text where a value is unknown."""

    trial: str = column("name of the trial: the file's, or the study table's")
    person: str = column("person who walked")
    shoe: str = column("in which shoe")
    floor: str = column("on which floor")
    condition: str = column("under which condition")
    subject: str = column("person, robot or insoles")
    step: int = column(
        "number of the step in its trial, in the order of touchdowns, from 1", 0
    )
    foot: str = column("left, right, both or unknown")
    sensor: str = column("plate, column group, insole or foot sensor")
    activity: str = column("walking, running or standing")
    excluded: str = column("why the step isn't judged; empty: it is")
    touchdown_s: float = number("first contact, in the recording's own time [s]")
    lift_off_s: float = number("last contact [s]")
    stance_s: float = number("duration of the stance [s]")
    weight_n: float = number("body weight [N]")
    weight_from: str = column("how it was found")
    speed_m_s: float = number("of the walk, over the laboratory's floor [m/s]")
    belt_m_s: float = added(
        "speed of the belt under the foot, by markers or, to 0.1 m/s, by the pressure "
        "that goes back [m/s]"
    )
    peak_normal_bw: float = number("largest normal force over body weight")
    required: float = number(
        "required friction: largest ratio between 10 and 90 % of the stance, as in "
        "`replay` [-]"
    )
    rcof: float = number(
        "the required coefficient of friction that a chance of slipping compares [-]"
    )
    rcof_from: str = column(
        "weight acceptance, largest over the step, required friction, or why it isn't "
        "known"
    )
    rcof_acceptance: float = number("RCOF at weight acceptance, resultant shear [-]")
    acceptance_percent: float = number("when, in percent of the stance")
    acceptance_normal_n: float = number("normal force then [N]")
    acceptance_shear_n: float = number("shear force then [N]")
    rcof_acceptance_fore_aft: float = number(
        "RCOF at weight acceptance, shear along the walk alone [-]"
    )
    rcof_push_off: float = number("RCOF at push-off, resultant shear [-]")
    push_off_percent: float = number("when, in percent of the stance")
    push_off_normal_n: float = number("normal force then [N]")
    push_off_shear_n: float = number("shear force then [N]")
    rcof_push_off_fore_aft: float = number(
        "RCOF at push-off, shear along the walk alone [-]"
    )
    rcof_largest: float = number(
        "largest ratio wherever the normal force suffices, edges included [-]"
    )
    least_normal_n: float = number("normal force from which on a ratio counted [N]")
    slip_class: str = column(
        "none, micro-slip, slide, fall-like; empty: motion isn't known"
    )
    slip_onset_s: float = number("begin of the longest slip [s]")
    slip_onset_by: str = column("force, motion or contact")
    slip_end_s: float = number("its end [s]")
    slip_distance_m: float = number("from its begin to its end [m]; 0: no slip")
    slip_peak_velocity_m_s: float = number("its largest velocity [m/s]")
    slip_direction: str = column("forward or backward")
    slip_friction: float = number("force ratio while sliding [-]")
    held: float = number(
        "largest ratio that lasted without slip, less noise: friction is at least "
        "that [-]"
    )
    slips: int = column("number of slips in the stance", 0)
    withheld: str = column(
        "slides and their friction that what the foot held contradicts, each with the "
        "reason"
    )
    landing_skid_m: float = number(
        "way of the landing foot until it rested; no slip [m]"
    )
    motion_from: str = column(
        "markers, the foot's own motion, or why motion isn't known"
    )
    subject_id: str = added("the person, by the field's name of that column", "")
    friction_resultant_10_90: float = added("resultant, 10 to 90 % of the stance [-]")
    friction_fore_aft_10_90: float = added("fore-aft, 10 to 90 % of the stance [-]")
    friction_transverse_10_90: float = added("transverse, 10 to 90 % of the stance [-]")
    friction_resultant_fraction: float = added("resultant, the stated fraction [-]")
    friction_fore_aft_fraction: float = added(
        "fore-aft against the progression, the stated fraction [-]"
    )
    friction_resultant_first_peak: float = added(
        "resultant, first maximum against the progression [-]"
    )
    friction_fore_aft_first_peak: float = added(
        "fore-aft, first maximum against the progression [-]"
    )
    friction_fore_aft_against: float = added(
        "fore-aft against the progression, wherever the normal force suffices [-]"
    )
    friction_fore_aft_with: float = added(
        "fore-aft with the progression, wherever the normal force suffices [-]"
    )


COLUMNS: dict[str, str] = {
    field.name: field.metadata["meaning"] for field in dataclasses.fields(Step)
}
ADDED = tuple(
    field.name for field in dataclasses.fields(Step) if field.metadata.get("added")
)
FLOAT_FIELDS = tuple(
    field.name for field in dataclasses.fields(Step) if field.type == "float"
)
INTEGER_FIELDS = tuple(
    field.name for field in dataclasses.fields(Step) if field.type == "int"
)


def as_row(step: Step) -> dict[str, Any]:
    """Convert the step for JSON, CSV and Parquet: None for unknown."""
    row = dataclasses.asdict(step)
    return {
        name: None if name in FLOAT_FIELDS and not math.isfinite(value) else value
        for name, value in row.items()
    }


def from_row(row: dict[str, Any]) -> Step:
    """Build a step from a table's row."""
    values: dict[str, Any] = {name: row[name] for name in COLUMNS if name in row}
    unknown = [name for name in FLOAT_FIELDS if values.get(name, 0.0) is None]
    return Step(**values | dict.fromkeys(unknown, math.nan))


# Tables as CSV and Parquet, written as the rows come and read one row at a time.

LARGEST_TABLE = 1 << 30  # bytes
STEPS_AT_ONCE = 2000


def write_table(
    path: Path, columns: Iterable[str], rows: Iterable[Iterable[Any]]
) -> None:
    """Write rows as CSV; unknown values (None, NaN) are empty cells."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in rows:
            writer.writerow(
                [
                    "" if isinstance(cell, float) and math.isnan(cell) else cell
                    for cell in row
                ]
            )


def write_csv(path: Path, steps: Iterable[Step]) -> None:
    """Write the steps as CSV."""
    write_table(path, COLUMNS, (as_row(step).values() for step in steps))


def write_parquet(path: Path, steps: Iterable[Step], made: Made | None = None) -> None:
    """Write the steps as Parquet; every column carries its meaning as metadata.

    The table carries how it was made.

    Raises:
        MissingExtra: without pyarrow.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    kinds = dict.fromkeys(FLOAT_FIELDS, pyarrow.float64()) | dict.fromkeys(
        INTEGER_FIELDS, pyarrow.int64()
    )
    schema = pyarrow.schema(
        pyarrow.field(
            name, kinds.get(name, pyarrow.string()), metadata={"meaning": meaning}
        )
        for name, meaning in COLUMNS.items()
    )
    if made is not None:
        schema = schema.with_metadata({"made": made.words, "settings": made.changed})
    rows = map(as_row, steps)
    with ParquetWriter(path, schema) as writer:
        while chunk := list(itertools.islice(rows, STEPS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema=schema))


def read_steps(path: str | Path) -> Iterator[Step]:
    """Yield the steps of a CSV or Parquet table, one at a time.

    Raises:
        InvalidRecording: it isn't a table of steps.
        BipedSlipError: it can't be read.
    """
    place = Path(path)
    return map(
        from_row,
        _parquet_rows(place)
        if place.suffix.lower() == ".parquet"
        else _csv_rows(place),
    )


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    try:
        check_regular(path, LARGEST_TABLE)
        with ParquetFile(path) as file:
            _check_names(path, file.schema_arrow.names)
            for batch in file.iter_batches(STEPS_AT_ONCE):
                yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error


def _csv_rows(path: Path) -> Iterator[dict[str, Any]]:
    with csv_rows(path, LARGEST_TABLE) as rows:
        _check_names(path, rows.fieldnames or ())
        for line, row in enumerate(rows, start=2):
            yield {
                name: _value(path, line, name, row[name])
                for name in COLUMNS
                if name in row
            }


def _check_names(path: Path, names: Sequence[str]) -> None:
    missing = [name for name in COLUMNS if name not in names and name not in ADDED]
    if missing:
        raise InvalidRecording(
            path,
            f"no column {', '.join(missing[:5])}",
            "it must be a table of `biped-slip gait`",
        )


def _value(path: Path, line: int, name: str, text: str | None) -> object:
    if name not in FLOAT_FIELDS and name not in INTEGER_FIELDS:
        return text or ""
    try:
        return (
            int(text or 0)
            if name in INTEGER_FIELDS
            else float(text)
            if text
            else math.nan
        )
    except ValueError as error:
        raise InvalidRecording(
            path, f"line {line}, {name}: {text!r} isn't a number"
        ) from error
