# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forces of a trial as an OpenSim force file: zeroed, in the walk's axes, foot by foot instead of plate by plate."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.stances import RecordedStance, recorded_stances
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.series import FloatArray

FEET = ("right", "left")
TO_OPENSIM = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # x forward, y up, z right


def write_opensim_forces(path: str | Path, recording: Recording, info: TrialInfo) -> int:
    """Write every stance of a known foot; returns their number.

    Columns are ``ground_force_r_vx`` … ``ground_torque_l_z``: force [N], point [m], and the free moment about the
    vertical [N m]. A foot that stands on two plates at once is their sum, at the point of the larger force.

    Raises:
        BipedSlipError: no stance of a known foot.
    """
    stances = [one for one in recorded_stances(recording, info) if one.foot in FEET and not one.standing.refusal]
    if not stances:
        raise BipedSlipError(f"{recording.path}: no stance of a foot that is known")
    stamps = recording.series[0].stamp_ns
    time = np.asarray(stamps * 1e-9, dtype=float)
    feet = [_foot(time, [one for one in stances if one.foot == foot]) for foot in FEET]
    names = ["time"]
    for letter in (foot[0] for foot in FEET):
        names += [f"ground_force_{letter}_v{axis}" for axis in "xyz"] + [
            f"ground_force_{letter}_p{axis}" for axis in "xyz"
        ]
        names += [f"ground_torque_{letter}_{axis}" for axis in "xyz"]
    table = np.column_stack([time, *feet])
    head = [Path(path).stem, "version=1", f"nRows={len(table)}", f"nColumns={len(names)}", "inDegrees=no", "endheader"]
    np.savetxt(path, table, fmt="%.6g", delimiter="\t", header="\n".join([*head, "\t".join(names)]), comments="")
    return len(stances)


def _foot(time: FloatArray, stances: list[RecordedStance]) -> FloatArray:
    """Force, point and torque of one foot in OpenSim's axes, shape (n, 9)."""
    force, point, torque, largest = (np.zeros((len(time), k)) for k in (3, 3, 3, 1))
    for one in stances:
        on = (time >= one.time[0]) & (time <= one.time[-1])
        own = np.column_stack([np.interp(time[on], one.time, np.nan_to_num(one.force[:, k])) for k in range(3)])
        centre, twist = _point_and_twist(one)
        larger = own[:, 2] > largest[on, 0]
        for target, values in ((point, centre), (torque, twist)):
            here = np.column_stack([np.interp(time[on], one.time, values[:, k]) for k in range(3)])
            target[on] = np.where(larger[:, None], here, target[on])
        force[on] += own
        largest[on, 0] = np.maximum(largest[on, 0], own[:, 2])
    return np.hstack([values @ TO_OPENSIM.T for values in (force, point, torque)])


def _point_and_twist(one: RecordedStance) -> tuple[FloatArray, FloatArray]:
    """Point of application and free moment, shape (n, 3) each; zero where no plate tells them."""
    level = np.nan_to_num(one.pressure)
    point, twist = np.column_stack([level, np.zeros(len(level))]), np.zeros((len(level), 3))
    if len(one.series.outline) == 4:
        centre = one.series.outline.mean(axis=0)
        point[:, 2] = centre[2]
        arm = level - centre[:2]
        moment = one.series.moment[slice(*one.standing.stance), 2]
        twist[:, 2] = np.nan_to_num(moment - (arm[:, 0] * one.force[:, 1] - arm[:, 1] * one.force[:, 0]))
    return point, twist
