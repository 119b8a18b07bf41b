# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forces of a trial as an OpenSim force file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import judged_trial
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.recording import JudgedStance
from biped_slip.recordings.series import FloatArray

RIGHT_LEFT = ("right", "left")
# x forward, y up, z right
TO_OPENSIM = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def write_opensim_forces(
    path: str | Path, recording: Recording, info: TrialInfo
) -> int:
    """Write forces as OpenSim takes them; return the number of stances.

    They are zeroed, in the walk's axes, foot by foot. Columns are
    ``ground_force_r_vx`` … ``ground_torque_l_z``: force [N], point [m], and the free
    moment about the vertical [N m]. A foot that stands on two plates at once
    is their sum, at the point of the larger force.

    Raises:
        BipedSlipError: no stance of a known foot.
    """
    # two feet on one plate are neither
    stances = [
        one for one in judged_trial(recording, info).stances if one.foot in RIGHT_LEFT
    ]
    if not stances:
        raise BipedSlipError(f"{recording.path}: no stance of a foot that is known")
    stamps = recording.series[0].stamp_ns
    time = np.asarray(stamps * 1e-9, dtype=float)
    feet = [
        _opensim_foot(time, [one for one in stances if one.foot == foot])
        for foot in RIGHT_LEFT
    ]
    kinds = [
        kind.format(foot[0])
        for foot in RIGHT_LEFT
        for kind in ("force_{}_v", "force_{}_p", "torque_{}_")
    ]
    names = ["time", *(f"ground_{kind}{axis}" for kind in kinds for axis in "xyz")]
    table = np.column_stack([time, *feet])
    head = [
        Path(path).stem,
        "version=1",
        f"nRows={len(table)}",
        f"nColumns={len(names)}",
        "inDegrees=no",
        "endheader",
    ]
    np.savetxt(
        path,
        table,
        fmt="%.6g",
        delimiter="\t",
        header="\n".join([*head, "\t".join(names)]),
        comments="",
    )
    return len(stances)


def _opensim_foot(time: FloatArray, stances: list[JudgedStance]) -> FloatArray:
    """Compute force, point and torque of one foot in OpenSim's axes, shape (n, 9)."""
    force, point, torque, largest = (np.zeros((len(time), k)) for k in (3, 3, 3, 1))
    for one in stances:
        on = (time >= one.time[0]) & (time <= one.time[-1])
        own = np.column_stack(
            [
                np.interp(time[on], one.time, np.nan_to_num(one.force[:, k]))
                for k in range(3)
            ]
        )
        centre, twist = _point_and_twist(one)
        larger = own[:, 2] > largest[on, 0]
        for target, values in ((point, centre), (torque, twist)):
            here = np.column_stack(
                [np.interp(time[on], one.time, values[:, k]) for k in range(3)]
            )
            target[on] = np.where(larger[:, None], here, target[on])
        force[on] += own
        largest[on, 0] = np.maximum(largest[on, 0], own[:, 2])
    return np.hstack([values @ TO_OPENSIM.T for values in (force, point, torque)])


def _point_and_twist(one: JudgedStance) -> tuple[FloatArray, FloatArray]:
    """Compute point of application and free moment, shape (n, 3) each.

    They are zero where no plate shows them.
    """
    level = np.nan_to_num(one.pressure)
    point = np.column_stack([level, np.zeros(len(level))])
    twist = np.zeros((len(level), 3))
    if len(one.series.outline) == 4:
        centre = one.series.outline.mean(axis=0)
        point[:, 2] = centre[2]
        arm = level - centre[:2]
        moment = one.series.moment[slice(*one.standing.stance), 2]
        twist[:, 2] = np.nan_to_num(
            moment - (arm[:, 0] * one.force[:, 1] - arm[:, 1] * one.force[:, 0])
        )
    return point, twist
