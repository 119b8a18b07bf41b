# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that stays fixed while an estimator runs, as compiled code reads it and as Python hands it over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.config import GateConfig, IntervalConfig
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.types import Model, SolePrior
from biped_slip.friction_estimation.slip_detection import SlipConfig

Gate: Any = GateConfig.Packed  # type: ignore[attr-defined]
Slip: Any = SlipConfig.Packed  # type: ignore[attr-defined]


class Settings(NamedTuple):
    """For compiled code: the model of the grid, the gates and the body weight."""

    model: Model
    gate: Any  # packed GateConfig
    slip: Any  # packed SlipConfig
    sole: SolePrior  # before the first step
    body_weight: float  # [N]
    block_time: float  # [s]


class Compact(NamedTuple):
    """The same in few objects: each number of a tuple that crosses from Python costs some 25 ns."""

    mu: Array
    prior: Array
    exponents: Array
    belief: Array
    thresholds: Array
    weights: Array
    model: NDArray[Any]  # records of one element, fields named as in the tuples
    gate: NDArray[Any]
    slip: NDArray[Any]
    sole: NDArray[Any]
    general: NDArray[Any]


def settings(config: IntervalConfig, body_weight: float) -> Settings:
    """From the configuration; ``body_weight`` in [N]."""
    return Settings(
        model=build(config, body_weight),
        gate=config.gate.packed,
        slip=config.slip.packed,
        sole=sole_prior(config.sole, body_weight),
        body_weight=body_weight,
        block_time=config.block_time,
    )


def compact(full: Settings) -> Compact:
    """Pack the numbers into records."""
    return Compact(
        full.model.mu,
        full.model.prior,
        full.model.exponents,
        full.model.belief,
        full.model.thresholds,
        full.model.weights,
        _record(full.model),
        _record(full.gate),
        _record(full.slip),
        _record(full.sole),
        _record(full),
    )


def _record(numbers: Any) -> NDArray[Any]:
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    fields = [(name, kinds[type(value)]) for name, value in numbers._asdict().items() if type(value) in kinds]
    record = np.recarray(1, dtype=fields)
    for name, _ in fields:
        record[name] = getattr(numbers, name)
    return record


@kernel
def expand(packed: Compact) -> Settings:
    """Unpack inside compiled code, where it costs nothing."""
    m, sole, general = packed.model[0], packed.sole[0], packed.general[0]
    model = Model(
        packed.mu, packed.prior, packed.exponents, packed.belief, packed.thresholds, packed.weights, m.local,
        m.log_step, m.temper, m.kind, m.axes, m.sigma, m.quantisation,
        m.noise_density, m.bias, m.latency, m.start_speed, m.shared, m.force_sigma, m.force_offset, m.cross_talk,
        m.has_compliance,
        m.has_lag, m.held_blocks, m.level, m.release_share, m.release_sigmas, m.usable_ratio,
    )  # fmt: skip
    prior = SolePrior(sole.s_p, sole.s_p_spread, sole.compliance, sole.compliance_sd, sole.lag_sd)
    g, s = packed.gate[0], packed.slip[0]
    gate = Gate(g.contact_load, g.settling_time, g.rolling_rate, g.sole_half_length, g.longest_gap, g.carry_sole)
    slip = Slip(s.sigmas, s.share_of_s_p, s.flatness, s.smallest_ratio, s.end_share, s.moment_arm)
    return Settings(model, gate, slip, prior, general.body_weight, general.block_time)
