# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Trials of a gait laboratory as small CSV files: forces of two feet in time.

``config/recordings/gait_trial.yaml`` reads them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biped_slip.recordings.series import FloatArray
from synthetic.slipping_steps import normal_force, shear_ratio

HEADER = "time,left_fx,left_fy,left_fz,right_fx,right_fy,right_fz"
STANCE_SHARE = (
    0.61  # of the stride; both feet together then carry the weight on the mean
)
LATERAL = 0.03  # force across the walk, as a share of the normal force


def write_trial(
    path: Path, time: FloatArray, left: FloatArray, right: FloatArray
) -> None:
    """Store forces of the ground on both feet, shape (n, 3) each [N].

    x is along the walk, y left, z up.
    """
    table = np.column_stack([time, left, right])
    np.savetxt(path, table, fmt="%.5g", delimiter=",", header=HEADER, comments="")


def walked_forces(
    rng: np.random.Generator,
    strides: int = 4,
    rate: float = 250.0,
    weight: float = 700.0,
    stride: float = 1.1,
    acceptance: float = 0.2,
    scatter: float = 0.02,
    noise: float = 1.0,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Generate the forces of a person who walks over endless plates.

    Returns:
        Time (n,) [s], left and right force (n, 3) [N], and the RCOF at weight
        acceptance of each stance, left first.
    """
    time = np.arange(0.0, (strides + 1.2) * stride, 1.0 / rate)
    forces = [rng.normal(0.0, noise, (len(time), 3)) for _ in range(2)]
    asked = np.maximum(rng.normal(acceptance, scatter, 2 * strides), 0.05)
    duration = STANCE_SHARE * stride
    for number in range(2 * strides):
        begin = 0.2 * stride + 0.5 * stride * number
        share = (time - begin) / duration
        on = (share > 0.0) & (share < 1.0)
        normal = normal_force(share[on], weight)
        side = 1.0 if number % 2 == 0 else -1.0
        along = shear_ratio(share[on], float(asked[number]), acceptance + 0.02) * normal
        across = -side * LATERAL * np.sin(np.pi * share[on]) * normal
        forces[number % 2][on] += np.column_stack([along, across, normal])
    return time, forces[0], forces[1], asked
