# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators by name, told what a recording knows of its sensors."""

from __future__ import annotations

from typing import Any, Callable

from biped_slip.errors import UnknownName
from biped_slip.friction.interval import ForceNoise, IntervalConfig, IntervalEstimator, MotionNoise
from biped_slip.friction.interval_or_slip import IntervalOrSlipEstimator
from biped_slip.friction.rls import ThesisEstimator
from biped_slip.friction.slip_based import SlipBasedConfig, SlipBasedEstimator
from biped_slip.friction.types import FrictionEstimator
from biped_slip.recordings.series import TimeSeries

LEAST_LOAD = 1e-3  # [N]; of a recording that is never loaded
DIFFERENCING_TIME = 0.05  # [s] over which positions of recordings are differenced, unless a layout says otherwise


def make_estimator(name: str, series: TimeSeries, config: SlipBasedConfig, load: float) -> FrictionEstimator[Any]:
    """A fresh estimator for a series.

    Args:
        name: a key of ``ESTIMATORS``.
        series: gives the noise of its sensors.
        config: thresholds of contact and slip.
        load: 99th percentile of the normal force [N]; stands for the body weight.

    Raises:
        UnknownName: no such estimator.
    """
    if name not in ESTIMATORS:
        raise UnknownName("estimator", name, list(ESTIMATORS))
    return ESTIMATORS[name](series, config, max(load, LEAST_LOAD))


def _slip(series: TimeSeries, config: SlipBasedConfig, load: float) -> FrictionEstimator[Any]:
    return SlipBasedEstimator(config)


def _thesis(series: TimeSeries, config: SlipBasedConfig, load: float) -> FrictionEstimator[Any]:
    return ThesisEstimator()


def _interval(series: TimeSeries, config: SlipBasedConfig, load: float) -> FrictionEstimator[Any]:
    """The sole of a recorded foot isn't calibrated, so without slip its answer is what the foot has held.

    A foot whose motion isn't recorded is not identifiable until it slides.
    """
    defaults = IntervalConfig()
    noise = series.motion.velocity_noise
    if series.motion.source == "differenced":  # the position itself was measured
        motion = MotionNoise(kind="position", sigma=noise * DIFFERENCING_TIME if noise else defaults.motion.sigma)
    else:
        motion = MotionNoise(kind="velocity", sigma=min(noise or 1e-3, 0.1))
    sigma = series.force_noise or defaults.force.sigma
    settings = IntervalConfig(
        motion=motion, force=ForceNoise(sigma=sigma, offset=sigma), axes=1 if series.planar else 2
    )
    return IntervalOrSlipEstimator(IntervalEstimator(settings, body_weight=load), SlipBasedEstimator(config))


Factory = Callable[[TimeSeries, SlipBasedConfig, float], FrictionEstimator[Any]]
ESTIMATORS: dict[str, Factory] = {"slip": _slip, "thesis": _thesis, "interval": _interval}
