# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a recorded foot's estimators: what the recording knows of its sensors."""

from __future__ import annotations

import dataclasses

import numpy as np

from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    IntervalConfig,
    MotionNoise,
)
from biped_slip.friction_estimation.settings import (
    EstimatorSettings,
    PlateauConfig,
    SlipBasedConfig,
)
from biped_slip.recordings.judge.stances import (
    OFF_SHARE,
    ContactLevels,
    contact_level,
    usual_load,
)
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import DIFFERENCED, MARKER, Motion, TimeSeries

# standard deviations of velocity noise that a moving foot must exceed
NOISE_MARGIN = 5.0
LEAST_RECORDED_LOAD = 1e-3  # [N]; of a recording that is never loaded
# [s] over which positions of recordings are differenced, unless a layout sets it
DIFFERENCING_TIME = 0.05


def slip_config(series: TimeSeries, processing: Processing) -> SlipBasedConfig:
    """Build the slip-based estimator's settings for a series.

    Thresholds follow its load and its noise.
    """
    load = usual_load(series.force[:, 2])
    return slip_settings(
        load, processing, series.force_noise, series.motion.velocity_noise
    )


def slip_settings(
    load: float, processing: Processing, force_noise: float, velocity_noise: float
) -> SlipBasedConfig:
    """Build settings for a foot that bears ``load`` [N].

    That is the 99th percentile of its normal force.
    """
    level = contact_level(load, processing.contact_share, force_noise)
    threshold = max(processing.motion.speed_threshold, NOISE_MARGIN * velocity_noise)
    motion = type(processing.motion)(
        **{**processing.motion.to_mapping(), "speed_threshold": threshold}
    )
    force = PlateauConfig(
        **{**processing.force.to_mapping(), "force_noise": force_noise}
    )
    least = processing.slip_load_share * load
    return SlipBasedConfig(
        contact_on=level,
        contact_off=OFF_SHARE * level,
        settle_time=processing.settle_time,
        minimum_load=least,
        motion=motion,
        force=force,
    )


def foot_settings(
    load: float, slip: SlipBasedConfig, motion: Motion, force_noise: float, planar: bool
) -> EstimatorSettings:
    """Build a foot's settings from the facts of a recording.

    The sole of a recorded foot isn't calibrated, so without slip the interval estimator
    answers what the foot has held.

    Args:
        load: 99th percentile of the normal force [N]; stands for the body weight.
        slip: thresholds of contact and slip.
        motion: source and noise of the foot's motion.
        force_noise: standard deviation of a force axis [N]; 0: unknown.
        planar: only the x direction is known.
    """
    defaults = IntervalConfig()
    noise = motion.velocity_noise
    # the position itself was measured
    if motion.source in (DIFFERENCED, MARKER):
        sensor = MotionNoise(
            kind="position",
            sigma=motion.place_noise
            or (noise * DIFFERENCING_TIME if noise else defaults.motion.sigma),
        )
    else:
        sensor = MotionNoise(kind="velocity", sigma=min(noise or 1e-3, 0.1))
    sigma = force_noise or defaults.force.sigma
    interval = IntervalConfig(
        motion=sensor,
        force=ForceNoise(sigma=sigma, offset=sigma),
        axes=1 if planar else 2,
    )
    return EstimatorSettings(
        body_weight=max(load, LEAST_RECORDED_LOAD),
        slip=slip,
        interval=interval,
        slip_counts=True,
    )


def series_settings(series: TimeSeries, processing: Processing) -> EstimatorSettings:
    """Build the estimators' settings that follow from a series' load and noise."""
    slip = slip_config(series, processing)
    load = slip.contact_on / processing.contact_share
    return foot_settings(load, slip, series.motion, series.force_noise, series.planar)


def levels_of(settings: EstimatorSettings) -> ContactLevels:
    """Return the normal forces between which a foot touches down and lifts off."""
    return ContactLevels(
        begins=settings.slip.contact_on, ends=settings.slip.contact_off
    )


def of_the_patch(series: TimeSeries) -> TimeSeries:
    """Drop a displacement that is not that of the patch from a series.

    Its velocity still shows slides.
    """
    if series.motion.source != MARKER:
        return series
    return dataclasses.replace(
        series, displacement=np.full_like(series.displacement, np.nan)
    )
