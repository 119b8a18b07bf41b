# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From weights to an answer: quantiles, the anytime-valid interval and whether to release it (study 7.5, 7.6)."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.friction.interval.types import Array, Filters, Interval, Model
from biped_slip.kernels import kernel

SMALLEST_S_P = 0.02  # [mm] (study 7.5)
NEGLIGIBLE = -45.0  # log weight below the best node's that can't matter
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
HERMITE_NODES = tuple(float(node) for node in _NODES)  # of the standard normal
HERMITE_WEIGHTS = tuple(float(weight) for weight in _WEIGHTS / math.sqrt(2.0 * math.pi))


@kernel
def read_out(filters: Filters, model: Model, s_u: float) -> Interval:
    """Interval, quantiles and release after a block; also chooses the node at which the next noise is evaluated.

    ``low`` and ``high`` are the outermost nodes whose likelihood is at least ``level`` times the mean one,
    widened by half a cell: a likelihood ratio against the mixture, whose chance of ever rejecting the true
    mu is at most ``level`` (study 7.5). A stated belief about mu shifts the quantiles; in the interval
    it only changes what the mixture is.

    Args:
        s_u: sd of the last block's force ratio [-].
    """
    contact = filters.contact[0]
    s_p_log, _ = sole_moments(filters, model)
    lowest, highest = _confidence_nodes(filters, model)
    half = math.exp(0.5 * model.log_step)
    low, high = model.mu[lowest] / half, model.mu[highest] * half
    q05, median, q95 = quantile(filters, model, 0.05), quantile(filters, model, 0.5), quantile(filters, model, 0.95)
    _choose_reference(filters, model, median)
    contact["released"] = contact["load"] >= max(model.release_share * median, model.release_sigmas * s_u)
    witnessed = contact["witnessed"]
    if not contact["released"]:
        low = min(low, model.prior_low)
    low = max(low, witnessed)
    high = max(high, low)
    usable = contact["released"] and high < model.usable_ratio * low
    return Interval(low, q05, median, q95, high, contact["released"], usable, witnessed, math.exp(s_p_log))


@kernel
def sole_moments(filters: Filters, model: Model) -> tuple[float, float]:
    """Fill ``filters.probability``; return mean and sd of ln s_p [ln mm].

    Each node's weight is multiplied by the expectation of the log-normal belief about s_p under the node's
    Gaussian, by 7-point Gauss-Hermite quadrature (study 7.5).
    """
    contact, probability = filters.contact[0], filters.probability
    middle, spread = math.log(contact["prior_s_p"]), contact["prior_s_p_spread"]
    best = -math.inf
    for i in range(model.mu.size):
        for j in range(model.exponents.size):
            best = max(best, filters.log_weight[i, j] + model.log_prior[i])
    total = first = second = 0.0
    for i in range(model.mu.size):
        for j in range(model.exponents.size):
            probability[i, j] = 0.0
            log_weight = filters.log_weight[i, j] + model.log_prior[i] - best
            if log_weight < NEGLIGIBLE:
                continue
            weight = math.exp(log_weight)
            mean = filters.mean[i, j, model.axes]
            sd = math.sqrt(max(filters.covariance[i, j, model.axes, model.axes], 0.0))
            for node, share in zip(HERMITE_NODES, HERMITE_WEIGHTS):  # noqa: B905 (numba knows no strict)
                s_p = mean + sd * node
                if s_p > SMALLEST_S_P:
                    log_s_p = math.log(s_p)
                    density = weight * share * math.exp(-0.5 * ((log_s_p - middle) / spread) ** 2) / s_p
                    probability[i, j] += density
                    first += density * log_s_p
                    second += density * log_s_p * log_s_p
            total += probability[i, j]
    if not total > 0.0:  # no node can explain the data: nothing is known
        probability[:, :] = 1.0 / probability.size
        return middle, spread
    probability /= total
    return first / total, math.sqrt(max(second / total - (first / total) ** 2, 0.0))


@kernel
def _confidence_nodes(filters: Filters, model: Model) -> tuple[int, int]:
    """First and last node with a shape whose likelihood is at least ``level`` of the mixture's (study 7.5)."""
    lowest, highest = model.mu.size - 1, 0
    for i in range(model.mu.size):
        bar = model.level * math.exp(model.log_prior[i]) / model.exponents.size
        for j in range(model.exponents.size):
            if filters.probability[i, j] >= bar:
                lowest, highest = min(lowest, i), max(highest, i)
    return lowest, max(lowest, highest)


@kernel
def quantile(filters: Filters, model: Model, share: float) -> float:
    """Quantile of mu, linear in ln mu inside a node's cell."""
    below = 0.0
    for i in range(model.mu.size):
        here = 0.0
        for j in range(model.exponents.size):
            here += filters.probability[i, j]
        if below + here >= share:
            return model.mu[i] * math.exp(model.log_step * ((share - below) / max(here, 1e-300) - 0.5))
        below += here
    return model.mu[model.mu.size - 1]


@kernel
def _choose_reference(filters: Filters, model: Model, median: float) -> None:
    contact = filters.contact[0]
    node = int(round(math.log(median / model.mu[0]) / model.log_step))
    node = min(max(node, 0), model.mu.size - 1)
    contact["node"], contact["median"] = node, model.mu[node]
    contact["shape"] = _most_probable(filters.probability[node])
    s_p = filters.mean[node, contact["shape"], model.axes]
    contact["s_p_reference"] = min(max(s_p, 0.05), 6.0)


@kernel
def _most_probable(probability: Array) -> int:
    best = 0
    for j in range(probability.size):
        if probability[j] > probability[best]:
            best = j
    return best
