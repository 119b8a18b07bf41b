# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The model that the interval estimator's kernels read: grid, shapes and units.

It is made once, from a configuration in SI units and the body weight; inside, lengths
are millimetres and compliances millimetres per 100 N, in which the grid's numbers are
near one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.interval.config import (
    MOTION_KINDS,
    FloorPrior,
    IntervalConfig,
    SoleModel,
)
from biped_slip.friction_estimation.interval.grid import (
    Model,
    SolePrior,
    thresholds,
    weights,
)

MM = 1e3  # mm in a metre
MM_PER_100N = 1e5  # [mm/100 N] in [m/N]
SMALLEST_PRIOR = (
    1e-6  # of a node, relative to the most likely one: a stated belief can be overruled
)
SMALLEST_LATENCY = 1e-3  # [s] (study 7.2)
# study 7
UNKNOWN_SHAPES = np.geomspace(0.3, 2.2, 9)
UNKNOWN_TEMPER = 0.3
HELD_TIME = 0.02  # [s] that a force ratio must last to be held (choice)
# study 7
SCATTERED_SHAPES = 5
SCATTERED_TEMPER = 0.6
SMALLER = (
    0.9  # of the smallest other shape that makes the least one worth carrying (choice)
)
SMALL_SCATTER = 0.05  # one shape is enough below (study 7)
COMPLIANCE_PER_LOAD = 1e-3 / 0.3  # [m] per body weight: 1 mm per 0.3 m g


def build(config: IntervalConfig, body_weight: float) -> Model:
    """Build grid and thresholds of a configuration.

    ``body_weight`` [N] scales nothing here but the compliance.
    """
    mu = np.geomspace(config.mu_min, config.mu_max, config.nodes)
    shapes, temper = sole_shapes(config.sole)
    rules = reversal_rules(shapes, config.sole.masing)
    motion = config.motion
    return Model(
        mu=mu,
        prior=floor_prior(mu, config.floor),
        exponents=1.0 - np.append(rules.local, rules.masing),
        belief=rules.belief,
        thresholds=thresholds(),
        weights=weights(rules.masing),
        local=rules.local.size,
        log_step=math.log(mu[1] / mu[0]),
        temper=temper,
        kind=MOTION_KINDS.index(motion.kind),
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


def floor_prior(mu: Array, floor: FloorPrior) -> Array:
    """Compute the prior of each mu of the grid; flat where nothing is stated."""
    prior = np.ones(mu.size)
    if floor.spread > 0.0:
        distance = np.log(mu / floor.mu) / floor.spread
        prior = np.exp(-0.5 * distance**2) + SMALLEST_PRIOR
    return np.asarray(prior / prior.sum())


class ReversalRules(NamedTuple):
    """Shapes of the curve, by what the contact remembers of a reversal of its load."""

    local: Array  # shapes without memory (Dahl)
    masing: Array  # shapes with full memory (Masing)
    belief: Array  # prior of each of both


def reversal_rules(shapes: Array, masing: float) -> ReversalRules:
    """Carry each shape by both rules; ``masing`` is the belief in full memory [-]."""
    without = shapes[: shapes.size * (masing < 1.0)]
    with_memory = shapes[: shapes.size * (masing > 0.0)]
    belief = np.append(
        np.full(without.size, (1.0 - masing) / shapes.size),
        np.full(with_memory.size, masing / shapes.size),
    )
    return ReversalRules(local=without, masing=with_memory, belief=belief)


def sole_shapes(sole: SoleModel) -> tuple[Array, float]:
    """Choose the shapes to carry and the weight of a block's evidence (study 7).

    The weight is less if the curve is in doubt.
    """
    if not sole.calibrated:
        return UNKNOWN_SHAPES, UNKNOWN_TEMPER
    shapes = np.array([sole.shape])
    temper = 1.0
    if sole.shape_scatter > SMALL_SCATTER:
        spread = np.linspace(-sole.shape_scatter, sole.shape_scatter, SCATTERED_SHAPES)
        shapes = sole.shape * np.exp(spread)
        temper = SCATTERED_TEMPER
    if 0.0 < sole.least_shape < SMALLER * shapes[0]:
        shapes = np.append(sole.least_shape, shapes)
    return shapes, temper


def compliance_sd(sole: SoleModel, body_weight: float) -> float:
    """Return the standard deviation of the series compliance [mm/100 N]."""
    spread = (
        COMPLIANCE_PER_LOAD / body_weight
        if sole.compliance_spread < 0.0
        else sole.compliance_spread
    )
    return MM_PER_100N * spread


def sole_prior(sole: SoleModel, body_weight: float) -> SolePrior:
    """Build the belief about the sole before the first step."""
    return SolePrior(
        s_p=MM * sole.s_p,
        s_p_spread=sole.s_p_spread,
        compliance=MM_PER_100N * sole.compliance,
        compliance_sd=compliance_sd(sole, body_weight),
        lag_sd=sole.lag_spread,
    )


class Settings(NamedTuple):
    """Settings for compiled code: model of the grid, the gates and the body weight."""

    model: Model
    gate: Any  # packed GateConfig
    slip: Any  # packed SlipConfig
    sole: SolePrior  # before the first step
    body_weight: float  # [N]
    block_time: float  # [s]


def settings(config: IntervalConfig, body_weight: float) -> Settings:
    """Pack a configuration's settings; ``body_weight`` in [N]."""
    model = build(config, body_weight)
    prior = sole_prior(config.sole, body_weight)
    return Settings(
        model=model,
        gate=config.gate.packed,
        slip=config.slip.packed,
        sole=prior,
        body_weight=body_weight,
        block_time=config.block_time,
    )
