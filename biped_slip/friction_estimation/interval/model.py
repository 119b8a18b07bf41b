# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From the configuration to the numbers of the kernels: grid, shapes, units."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.interval.config import KINDS, IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.masing import thresholds, weights
from biped_slip.friction_estimation.interval.types import Model, SolePrior

MM = 1e3  # mm in a metre
MM_PER_100N = 1e5  # [mm/100 N] in [m/N]
SMALLEST_PRIOR = 1e-6  # of a node, relative to the most likely one: a stated belief can be overruled
SMALLEST_LATENCY = 1e-3  # [s] (study 7.2)
UNKNOWN_SHAPES, UNKNOWN_TEMPER = np.geomspace(0.3, 2.2, 9), 0.3  # study 7
HELD_TIME = 0.02  # [s] that a force ratio must last to be held (choice)
SCATTERED_SHAPES, SCATTERED_TEMPER = 5, 0.6  # study 7
SMALLER = 0.9  # of the smallest other shape that makes the least one worth carrying (choice)
SMALL_SCATTER = 0.05  # one shape is enough below (study 7)
COMPLIANCE_PER_LOAD = 1e-3 / 0.3  # [m] per body weight: 1 mm per 0.3 m g


def build(config: IntervalConfig, body_weight: float) -> Model:
    """Grid and thresholds of a configuration; ``body_weight`` [N] scales nothing here but the compliance."""
    mu = np.geomspace(config.mu_min, config.mu_max, config.nodes)
    prior = np.ones(mu.size)
    if config.floor.spread > 0.0:
        prior = np.exp(-0.5 * (np.log(mu / config.floor.mu) / config.floor.spread) ** 2) + SMALLEST_PRIOR
    shapes, temper = sole_shapes(config.sole)
    local, masing = (
        shapes[: shapes.size * (config.sole.masing < 1.0)],
        shapes[: shapes.size * (config.sole.masing > 0.0)],
    )
    belief = np.append(
        np.full(local.size, (1.0 - config.sole.masing) / shapes.size),
        np.full(masing.size, config.sole.masing / shapes.size),
    )
    motion = config.motion
    return Model(
        mu=mu,
        prior=prior / prior.sum(),
        exponents=1.0 - np.append(local, masing),
        belief=belief,
        thresholds=thresholds(),
        weights=weights(masing),
        local=local.size,
        log_step=math.log(mu[1] / mu[0]),
        temper=temper,
        kind=KINDS.index(motion.kind),
        axes=config.axes,
        sigma=MM * motion.sigma,
        quantisation=MM * motion.quantisation,
        noise_density=MM * motion.noise_density,
        bias=MM * motion.bias,
        latency=max(motion.latency, SMALLEST_LATENCY),
        start_speed=MM * motion.start_speed,
        shared=motion.shared,
        force_sigma=config.force.sigma,
        force_offset=config.force.offset,
        cross_talk=config.force.cross_talk,
        has_compliance=compliance_sd(config.sole, body_weight) > 0.0,
        has_lag=config.sole.lag_spread > 0.0,
        held_blocks=math.ceil(HELD_TIME / config.block_time - 1e-9),
        level=config.level,
        release_share=config.release_share,
        release_sigmas=config.release_sigmas,
        usable_ratio=config.usable_ratio,
    )


def sole_shapes(sole: SoleModel) -> tuple[Array, float]:
    """Shapes to carry and the weight of a block's evidence: more doubt about the curve, less weight (study 7)."""
    if not sole.calibrated:
        return UNKNOWN_SHAPES, UNKNOWN_TEMPER
    shapes, temper = np.array([sole.shape]), 1.0
    if sole.shape_scatter > SMALL_SCATTER:
        spread = np.linspace(-sole.shape_scatter, sole.shape_scatter, SCATTERED_SHAPES)
        shapes, temper = sole.shape * np.exp(spread), SCATTERED_TEMPER
    if 0.0 < sole.least_shape < SMALLER * shapes[0]:
        shapes = np.append(sole.least_shape, shapes)
    return shapes, temper


def compliance_sd(sole: SoleModel, body_weight: float) -> float:
    """Sd of the series compliance [mm/100 N]."""
    spread = COMPLIANCE_PER_LOAD / body_weight if sole.compliance_spread < 0.0 else sole.compliance_spread
    return MM_PER_100N * spread


def sole_prior(sole: SoleModel, body_weight: float) -> SolePrior:
    """Belief about the sole before the first step."""
    series = MM_PER_100N * sole.compliance, compliance_sd(sole, body_weight)
    return SolePrior(MM * sole.s_p, sole.s_p_spread, *series, sole.lag_spread)
