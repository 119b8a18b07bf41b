# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One row of the table of steps: every column with its unit and meaning."""

from __future__ import annotations

import dataclasses
import math
from typing import Any


def column(meaning: str, default: Any = dataclasses.MISSING) -> Any:
    """A field whose metadata says what it is."""
    return dataclasses.field(default=default, metadata={"meaning": meaning})


@dataclasses.dataclass(frozen=True)
class Step:
    """One step; NaN or an empty text where something isn't known."""

    trial: str = column("name of the trial: the file's, or the study table's")
    person: str = column("who walked")
    shoe: str = column("in which shoe")
    floor: str = column("on which floor")
    condition: str = column("under which condition")
    subject: str = column("person, robot or insoles")
    step: int = column("number of the step in its trial, in the order of touchdowns, from 1")
    foot: str = column("left, right, both or unknown")
    sensor: str = column("plate, column group, insole or foot sensor")
    activity: str = column("walking, running or standing")
    excluded: str = column("why the step isn't judged; empty: it is")
    touchdown_s: float = column("first contact, in the recording's own time [s]")
    lift_off_s: float = column("last contact [s]")
    stance_s: float = column("duration of the stance [s]")
    weight_n: float = column("body weight [N]")
    weight_from: str = column("how it was found")
    speed_m_s: float = column("of the walk, over the laboratory's floor [m/s]")
    peak_normal_bw: float = column("largest normal force over body weight")
    required: float = column("the required friction that a slip is judged by [-]")
    required_from: str = column("weight acceptance, largest over the step, or why it isn't known")
    rcof_acceptance: float = column("RCOF at weight acceptance, resultant shear [-]")
    acceptance_percent: float = column("when, in percent of the stance")
    acceptance_normal_n: float = column("normal force then [N]")
    acceptance_shear_n: float = column("shear force then [N]")
    rcof_acceptance_fore_aft: float = column("RCOF at weight acceptance, shear along the walk alone [-]")
    rcof_push_off: float = column("RCOF at push-off, resultant shear [-]")
    push_off_percent: float = column("when, in percent of the stance")
    push_off_normal_n: float = column("normal force then [N]")
    push_off_shear_n: float = column("shear force then [N]")
    rcof_push_off_fore_aft: float = column("RCOF at push-off, shear along the walk alone [-]")
    rcof_largest: float = column("largest ratio wherever the normal force suffices, edges included [-]")
    rcof_10_90: float = column("largest ratio between 10 and 90 % of the stance [-]")
    least_normal_n: float = column("normal force from which on a ratio counted [N]")
    slip_class: str = column("none, micro-slip, slide, fall-like; empty: motion isn't known")
    slip_onset_s: float = column("begin of the longest slip [s]")
    slip_onset_by: str = column("force, motion or contact")
    slip_end_s: float = column("its end [s]")
    slip_distance_m: float = column("from its begin to its end [m]; 0: no slip")
    slip_peak_velocity_m_s: float = column("its largest velocity [m/s]")
    slip_direction: str = column("forward or backward")
    slip_friction: float = column("force ratio while sliding [-]")
    slips: int = column("number of slips in the stance")
    landing_skid_m: float = column("way of the landing foot until it rested; no slip [m]")
    motion_from: str = column("markers, the foot's own motion, or why motion isn't known")


COLUMNS: dict[str, str] = {field.name: field.metadata["meaning"] for field in dataclasses.fields(Step)}
NUMBERS = tuple(field.name for field in dataclasses.fields(Step) if field.type == "float")


def as_row(step: Step) -> dict[str, Any]:
    """The step as JSON, CSV and Parquet take it: None for unknown."""
    row = dataclasses.asdict(step)
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


def from_row(row: dict[str, Any]) -> Step:
    """The step of a row."""
    values: dict[str, Any] = {name: row[name] for name in COLUMNS}
    values |= {name: math.nan for name in NUMBERS if values[name] is None}
    return Step(**values)
