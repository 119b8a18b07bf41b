# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the estimators are told of a recorded foot: what the recording knows of its sensors."""

from __future__ import annotations

import dataclasses

import numpy as np

from biped_slip.friction_estimation.interval import ForceNoise, IntervalConfig, MotionNoise
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.slip_based import SlipBasedConfig
from biped_slip.recordings.series import Motion, TimeSeries

LEAST_LOAD = 1e-3  # [N]; of a recording that is never loaded
NOT_THE_PATCH = "marker"  # a source whose motion is not that of the patch that carries: feet roll and shoes give way
DIFFERENCING_TIME = 0.05  # [s] over which positions of recordings are differenced, unless a layout says otherwise


def foot_settings(
    load: float, slip: SlipBasedConfig, motion: Motion, force_noise: float, planar: bool
) -> EstimatorSettings:
    """Settings from what a recording knows of a foot.

    The sole of a recorded foot isn't calibrated, so without slip the interval estimator answers what the foot has held.

    Args:
        load: 99th percentile of the normal force [N]; stands for the body weight.
        slip: thresholds of contact and slip.
        motion: source and noise of the foot's motion.
        force_noise: standard deviation of a force axis [N]; 0: unknown.
        planar: only the x direction is known.
    """
    defaults, noise = IntervalConfig(), motion.velocity_noise
    if motion.source in ("differenced", NOT_THE_PATCH):  # the position itself was measured
        sensor = MotionNoise(kind="position", sigma=noise * DIFFERENCING_TIME if noise else defaults.motion.sigma)
    else:
        sensor = MotionNoise(kind="velocity", sigma=min(noise or 1e-3, 0.1))
    sigma = force_noise or defaults.force.sigma
    interval = IntervalConfig(motion=sensor, force=ForceNoise(sigma=sigma, offset=sigma), axes=1 if planar else 2)
    return EstimatorSettings(max(load, LEAST_LOAD), slip, interval, slip_counts=True)


def of_the_patch(series: TimeSeries) -> TimeSeries:
    """The series without a displacement that isn't that of the patch; its velocity still tells of slides."""
    if series.motion.source != NOT_THE_PATCH:
        return series
    return dataclasses.replace(series, displacement=np.full_like(series.displacement, np.nan))
