# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator (study 7).

It has a grid over mu with a Kalman filter per node, and an anytime-valid interval.
"""

from biped_slip.friction_estimation.interval.config import (
    FloorPrior,
    ForceNoise,
    GateConfig,
    IntervalConfig,
    MotionNoise,
    SoleModel,
)
from biped_slip.friction_estimation.interval.estimator import (
    IntervalEstimator,
    IntervalState,
    copy_state,
)

__all__ = [
    "FloorPrior",
    "ForceNoise",
    "GateConfig",
    "IntervalConfig",
    "IntervalEstimator",
    "IntervalState",
    "MotionNoise",
    "SoleModel",
    "copy_state",
]
