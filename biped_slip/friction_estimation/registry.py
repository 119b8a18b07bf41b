# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Registry of friction estimators, for walks, replays, nodes, campaigns and commands.

A new estimator is its file and a line here, or an entry point of the group
``biped_slip.estimators``, or ``FILE.py:NAME``.
"""

from __future__ import annotations

from typing import Any, Callable

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.rls import RlsConfig, ThesisEstimator
from biped_slip.friction_estimation.slip_based import (
    IntervalOrSlipEstimator,
    SlipBasedConfig,
    SlipBasedEstimator,
)
from biped_slip.friction_estimation.touchdown import TouchdownConfig, TouchdownEstimator
from biped_slip.friction_estimation.types import FrictionEstimator
from biped_slip.plugins import complete, named, names

DEFAULT = "interval"  # of recordings, whose feet land as they like
# of robots that walk with this package's controllers: their feet slide as they land
LANDING = "touchdown"
GROUP = "biped_slip.estimators"


@configuration
class EstimatorSettings(Configuration):
    """Settings of the estimators of one foot."""

    body_weight: float = parameter(
        700.0, unit="N", above=0.0, high=1e6, doc="usual load of the foot"
    )
    slip: SlipBasedConfig = section(SlipBasedConfig)
    interval: IntervalConfig = section(IntervalConfig)
    rls: RlsConfig = section(RlsConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)
    slip_counts: bool = parameter(
        False, doc="where the interval can't know, a sliding foot's ratio is the answer"
    )


EstimatorFactory = Callable[[EstimatorSettings], FrictionEstimator[Any]]


def interval_estimator(settings: EstimatorSettings) -> FrictionEstimator[Any]:
    """Make the interval estimator.

    A foot of unknown motion is not identifiable until it slides.
    """
    interval = IntervalEstimator(settings.interval, body_weight=settings.body_weight)
    if not settings.slip_counts:
        return interval
    return IntervalOrSlipEstimator(interval, SlipBasedEstimator(settings.slip))


ESTIMATORS: dict[str, EstimatorFactory] = {
    "interval": interval_estimator,
    "slip": lambda settings: SlipBasedEstimator(settings.slip),
    "touchdown": lambda settings: TouchdownEstimator(
        settings.touchdown, settings.body_weight
    ),
    "thesis": lambda settings: ThesisEstimator(settings.rls),
}


def estimator_names() -> list[str]:
    """List the names of all estimators, those of installed packages included."""
    return names(GROUP, ESTIMATORS)


def make_estimator(name: str, settings: EstimatorSettings) -> FrictionEstimator[Any]:
    """Make a fresh estimator for a foot.

    Raises:
        UnknownName: no such estimator.
        InvalidParameter: what the name points to makes none.
    """
    made = named("estimator", GROUP, ESTIMATORS, name)(settings)
    return complete(
        "estimator", name, made, "a FrictionEstimator", ("initial_state", "step")
    )
