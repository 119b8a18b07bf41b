# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of one foot for the estimators, sample by sample."""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np

from biped_slip.friction_estimation.types import FootMeasurement


def foot_measurement(
    stamp_ns: int, values: Sequence[float], planar: bool
) -> FootMeasurement:
    """Build one row of ``TimeSeries.table`` from 13 numbers.

    They are force, moment, displacement, velocity and rate of turn.
    """
    fx, fy, fz, mx, my, mz, x, y, vx, vy, turn_x, turn_y, _ = values
    loaded = fz if fz > 0.0 else math.nan
    cop_x = -my / loaded
    cop_y = mx / loaded
    twist = mz - (cop_x * (0.0 if math.isnan(fy) else fy) - cop_y * fx)
    if planar:
        fy = y = vy = 0.0
    rolling = float(np.hypot(turn_x, turn_y))
    return FootMeasurement(
        stamp_ns=stamp_ns,
        force_x=fx,
        force_y=fy,
        force_normal=fz,
        displacement_x=x,
        displacement_y=y,
        velocity_x=vx,
        velocity_y=vy,
        moment_normal=twist,
        centre_of_pressure_x=cop_x,
        centre_of_pressure_y=cop_y,
        angular_rate=rolling,
    )
