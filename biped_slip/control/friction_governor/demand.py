# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What force ratio a command asks for, learnt from stances: least squares with a prior, never falling with speed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from biped_slip.compile.arrays import Array
from biped_slip.control.friction_governor.config import DemandConfig


class Demand(NamedTuple):
    """Ratio = stand + per_speed |v| + per_turn |w|, all non-negative, and the sums that they come from."""

    coefficients: Array  # (3,)
    information: Array  # (3, 3) of the stances, without the prior
    evidence: Array  # (3,)
    stances: int = 0


def first_demand(config: DemandConfig) -> Demand:
    """The prior's."""
    return Demand(_prior(config), np.zeros((3, 3)), np.zeros(3))


def asked(demand: Demand, speed: float, turn: float) -> float:
    """Force ratio [-] that a speed [m/s] and a rate of turning [rad/s] ask for."""
    stand, per_speed, per_turn = demand.coefficients
    return float(stand + per_speed * abs(speed) + per_turn * abs(turn))


def learnt(demand: Demand, config: DemandConfig, speed: float, turn: float, ratio: float, slid: bool) -> Demand:
    """The demand after one more stance at a command whose force ratio was ``ratio``.

    A stance that slid says only that at least so much was asked for; one below the prediction teaches nothing then.
    """
    if slid and ratio <= asked(demand, speed, turn):
        return demand
    row, kept = np.array([1.0, abs(speed), abs(turn)]), np.exp(-1.0 / config.memory)
    information = kept * demand.information + np.outer(row, row)
    evidence = kept * demand.evidence + ratio * row
    root = np.linalg.cholesky(information + config.weight * np.eye(3))
    found, _ = nnls(root.T, np.linalg.solve(root, evidence + config.weight * _prior(config)))
    return Demand(found, information, evidence, demand.stances + 1)


def _prior(config: DemandConfig) -> Array:
    return np.array([config.stand, config.per_speed, config.per_turn])
