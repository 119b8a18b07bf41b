# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From weights to an answer: quantiles, the anytime-valid interval and whether to release it (study 7.5, study 7.6)."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import BELIEF_SIZE, BELIEF_STEP, Filters, Interval, Model

NEGLIGIBLE = -45.0  # log weight below the best filter's that can't matter
S_P_RANGE = (0.05, 6.0)  # [mm] of the reference filter (study 7.3)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
HERMITE_NODES = tuple(float(node) for node in _NODES)  # of the standard normal
HERMITE_WEIGHTS = tuple(float(weight) for weight in _WEIGHTS / math.sqrt(2.0 * math.pi))


@kernel
def read_out(filters: Filters, model: Model, s_u: float) -> Interval:
    """Interval, quantiles and release after a block; also chooses the filter at which the next noise is evaluated.

    ``low`` and ``high`` are the outermost nodes whose likelihood is at least ``level`` times the mean one,
    widened by half a cell: a likelihood ratio against the mixture, whose chance of ever rejecting the true
    mu is at most ``level`` (study 7.5). Beyond the study, both move outwards by what the force sensor's offset can
    add to the force ratio: a constant offset shifts the whole curve, and mu with it, and no data show it. Whether
    they are ``usable`` is judged before, as in the study. A stated belief about mu shifts the quantiles; in the
    interval it only changes what the mixture is.

    Args:
        s_u: sd of the last block's force ratio [-].
    """
    contact = filters.contact[0]
    s_p, s_p_sd = _weigh(filters, model)
    lowest, highest = _confidence_nodes(filters, model)
    half = math.exp(0.5 * model.log_step)
    low, high = model.mu[lowest] / half, model.mu[highest] * half
    q05, median, q95 = quantile(filters, model, 0.05), quantile(filters, model, 0.5), quantile(filters, model, 0.95)
    _choose_reference(filters, model, median)
    contact["q05"], contact["low"] = q05, model.mu[lowest]
    released = contact["load"] >= max(model.release_share * median, model.release_sigmas * s_u)
    contact["released"] = released
    witnessed = contact["witnessed"]
    if not released:
        low = min(low, model.mu[0])
    usable = released and high < model.usable_ratio * max(low, witnessed)
    low = max(low - contact["shift"], witnessed)
    high = max(high + contact["shift"], low)
    return Interval(low, q05, median, q95, high, released, usable, witnessed, s_p, s_p_sd)


@kernel
def _weigh(filters: Filters, model: Model) -> tuple[float, float]:
    """Fill ``filters.probability``; return mean and sd of s_p [mm].

    Each filter's weight is multiplied by the expectation of the log-normal belief about s_p under the filter's
    Gaussian, by 7-point Gauss-Hermite quadrature (study 7.5).
    """
    probability, shapes, sole = filters.probability, model.exponents.size, model.axes
    best = filters.log_weight[0]
    for n in range(probability.size):
        best = max(best, filters.log_weight[n])
    total = first = second = 0.0
    for n in range(probability.size):
        probability[n] = 0.0
        log_weight = filters.log_weight[n] - best
        if log_weight < NEGLIGIBLE:
            continue
        mean, sd = filters.mean[sole, n], math.sqrt(max(filters.covariance[sole, sole, n], 0.0))
        weight = model.prior[n // shapes] * filters.shape_weight[n % shapes] * math.exp(log_weight)
        for k in range(7):
            s_p = mean + sd * HERMITE_NODES[k]
            density = weight * HERMITE_WEIGHTS[k] * _belief(filters, s_p)
            probability[n] += density
            first += density * s_p
            second += density * s_p * s_p
        total += probability[n]
    if not total > 0.0:  # no filter can explain the data: nothing is known
        for n in range(probability.size):
            probability[n] = model.prior[n // shapes] * filters.shape_weight[n % shapes]
        return math.nan, math.nan
    for n in range(probability.size):
        probability[n] /= total
    return first / total, math.sqrt(max(second / total - (first / total) ** 2, 0.0))


@kernel
def _belief(filters: Filters, s_p: float) -> float:
    """Density of s_p from the table, linear in between."""
    if s_p <= 0.0:
        return 0.0
    place = min(math.sqrt(s_p) / BELIEF_STEP, BELIEF_SIZE - 1.001)
    index = int(place)
    share = place - index
    return (1.0 - share) * filters.belief[index] + share * filters.belief[index + 1]


@kernel
def _confidence_nodes(filters: Filters, model: Model) -> tuple[int, int]:
    """First and last node with a shape whose likelihood is at least ``level`` of the mixture's (study 7.5).

    What earlier contacts taught about the shape is in the mixture alone: no shape is ruled out by them.
    """
    shapes = model.exponents.size
    lowest, highest = model.mu.size - 1, 0
    for n in range(filters.probability.size):
        node = n // shapes
        if filters.probability[n] >= model.level * model.prior[node] * filters.shape_weight[n % shapes]:
            lowest, highest = min(lowest, node), max(highest, node)
    return min(lowest, highest), highest


@kernel
def quantile(filters: Filters, model: Model, share: float) -> float:
    """Quantile of mu, linear in ln mu inside a node's cell."""
    shapes = model.exponents.size
    below = 0.0
    for i in range(model.mu.size):
        here = 0.0
        for n in range(i * shapes, (i + 1) * shapes):
            here += filters.probability[n]
        if below + here >= share:
            return model.mu[i] * math.exp(model.log_step * ((share - below) / max(here, 1e-300) - 0.5))
        below += here
    return model.mu[model.mu.size - 1]


@kernel
def _choose_reference(filters: Filters, model: Model, median: float) -> None:
    """Node nearest to the median, most probable shape (study 7.3)."""
    contact, shapes = filters.contact[0], model.exponents.size
    node = int(math.log(median / model.mu[0]) / model.log_step + 0.5)
    node = min(max(node, 0), model.mu.size - 1)
    best = node * shapes
    for n in range(node * shapes, (node + 1) * shapes):
        if filters.probability[n] > filters.probability[best]:
            best = n
    contact["reference"] = best
    contact["median"] = model.mu[node]
    contact["s_p_reference"] = min(max(filters.mean[model.axes, best], S_P_RANGE[0]), S_P_RANGE[1])
