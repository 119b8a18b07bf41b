# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators by name, told what a recording knows of its sensors."""

from __future__ import annotations

from typing import Any, Callable

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import UnknownName
from biped_slip.friction_estimation.interval import ForceNoise, IntervalConfig, IntervalEstimator, MotionNoise
from biped_slip.friction_estimation.interval_or_slip import IntervalOrSlipEstimator
from biped_slip.friction_estimation.rls import RlsConfig, ThesisEstimator
from biped_slip.friction_estimation.slip_based import SlipBasedConfig, SlipBasedEstimator
from biped_slip.friction_estimation.types import FrictionEstimator
from biped_slip.recordings.series import Motion

LEAST_LOAD = 1e-3  # [N]; of a recording that is never loaded
DIFFERENCING_TIME = 0.05  # [s] over which positions of recordings are differenced, unless a layout says otherwise


@configuration
class FootSettings(Configuration):
    """All that the estimators are told of one foot."""

    body_weight: float = parameter(700.0, unit="N", above=0.0, high=1e6, doc="usual load of the foot")
    slip: SlipBasedConfig = section(SlipBasedConfig)
    interval: IntervalConfig = section(IntervalConfig)
    rls: RlsConfig = section(RlsConfig)
    slip_counts: bool = parameter(True, doc="where the interval can't know, a sliding foot's ratio is the answer")


def foot_settings(load: float, slip: SlipBasedConfig, motion: Motion, force_noise: float, planar: bool) -> FootSettings:
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
    if motion.source == "differenced":  # the position itself was measured
        sensor = MotionNoise(kind="position", sigma=noise * DIFFERENCING_TIME if noise else defaults.motion.sigma)
    else:
        sensor = MotionNoise(kind="velocity", sigma=min(noise or 1e-3, 0.1))
    sigma = force_noise or defaults.force.sigma
    interval = IntervalConfig(motion=sensor, force=ForceNoise(sigma=sigma, offset=sigma), axes=1 if planar else 2)
    return FootSettings(max(load, LEAST_LOAD), slip, interval)


def make_estimator(name: str, settings: FootSettings) -> FrictionEstimator[Any]:
    """A fresh estimator for a foot.

    Raises:
        UnknownName: no such estimator.
    """
    if name not in ESTIMATORS:
        raise UnknownName("estimator", name, list(ESTIMATORS))
    return ESTIMATORS[name](settings)


def _interval(settings: FootSettings) -> FrictionEstimator[Any]:
    """A foot whose motion isn't recorded is not identifiable until it slides."""
    interval = IntervalEstimator(settings.interval, body_weight=settings.body_weight)
    if not settings.slip_counts:
        return interval
    return IntervalOrSlipEstimator(interval, SlipBasedEstimator(settings.slip))


ESTIMATORS: dict[str, Callable[[FootSettings], FrictionEstimator[Any]]] = {
    "slip": lambda settings: SlipBasedEstimator(settings.slip),
    "thesis": lambda settings: ThesisEstimator(settings.rls),
    "interval": _interval,
}
