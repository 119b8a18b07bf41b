# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pose and velocity of a floating base from IMU, legs and contact, with slipping feet believed less."""

from biped_slip.estimation.floating_base.config import ContactNoiseConfig, FloatingBaseConfig
from biped_slip.estimation.floating_base.estimator import FloatingBaseEstimator
from biped_slip.estimation.floating_base.step import FloatingBase, Legs

__all__ = ["ContactNoiseConfig", "FloatingBase", "FloatingBaseConfig", "FloatingBaseEstimator", "Legs"]
