# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From weights to an estimate (study 7.5, study 7.6).

It has quantiles, the anytime-valid interval and its release.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.grid import (
    BELIEF_SIZE,
    BELIEF_STEP,
    Filters,
    Interval,
    Model,
    lag_state,
    living,
    overcounting,
)

NEGLIGIBLE = -25.0  # log weight below the best filter's that can't matter now
HOPELESS = -60.0  # and that nothing brings back (choice)
# likelihood of a rule of reversal, of the mixture's, below which it no longer counts
# (choice)
RULED_OUT = 0.002
LEAST_NODES = 4  # nodes that are always computed
S_P_RANGE = (0.05, 6.0)  # [mm] of the reference filter (study 7.3)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
HERMITE_NODES = tuple(float(node) for node in _NODES)  # of the standard normal
HERMITE_WEIGHTS = tuple(float(weight) for weight in _WEIGHTS / math.sqrt(2.0 * math.pi))


@kernel
def read_out(filters: Filters, model: Model, s_u: float) -> Interval:
    """Read out interval and quantiles of mu after a block.

    Choose the filter for the next noise as well.

    ``low`` and ``high`` are the outermost nodes whose likelihood is at least ``level``
    times the mean one, widened by half a cell, the lower end by a whole one (near the
    limit the truth between two nodes is nearer to the upper one's curve): a likelihood
    ratio against the mixture, whose chance of ever rejecting the true mu is at most
    ``level`` (study 7.5). Beyond the study, both move outwards by what the force
    sensor's offset can add to the force ratio: a constant offset shifts the whole
    curve, and mu with it, and no data show it. Whether they are ``usable`` is judged
    before, as in the study. A stated belief about mu shifts the quantiles; in the
    interval it only changes what the mixture is. ``s_u`` is the sd of the last block's
    force ratio.
    """
    contact = filters.contact[0]
    s_p, s_p_sd = _weigh(filters, model)
    lowest, highest = _confidence_nodes(filters, model)
    half = math.exp(0.5 * model.log_step)
    low = model.mu[lowest] / half
    high = model.mu[highest] * half
    q05 = quantile(filters, model, 0.05)
    median = quantile(filters, model, 0.5)
    q95 = quantile(filters, model, 0.95)
    _choose_reference(filters, model, median)
    contact["q05"], contact["low"] = q05, model.mu[lowest]
    inside = model.mu[0] < contact["median"] < model.mu[model.mu.size - 1]
    released = inside and contact["load"] >= max(
        model.release_share * median, model.release_sigmas * s_u
    )
    contact["released"] = released
    mu_demonstrated = contact["mu_demonstrated"]
    if not released or lowest == 0:
        low = 0.0
    if highest == model.mu.size - 1:
        high = math.inf
    usable = released and high < model.usable_ratio * max(low, mu_demonstrated)
    low = max(low / half - contact["shift"], mu_demonstrated)
    refuted = mu_demonstrated > high + contact["shift"]
    high = max(high + contact["shift"], low)
    q05 = cautious_quantile(filters, model, 0.05)
    median = max(cautious_quantile(filters, model, 0.5), low)
    return Interval(
        low=low,
        q05=q05,
        median=median,
        q95=q95,
        high=high,
        released=released,
        usable=usable,
        refuted=refuted,
        mu_demonstrated=mu_demonstrated,
        s_p=s_p,
        s_p_sd=s_p_sd,
    )


@kernel
def _weigh(filters: Filters, model: Model) -> tuple[float, float]:
    """Fill ``filters.probability``; return mean and sd of s_p [mm].

    Each filter's weight is multiplied by the expectation of the log-normal belief about
    s_p under the filter's Gaussian, by 7-point Gauss-Hermite quadrature (study 7.5).
    """
    probability = filters.probability
    shapes = model.exponents.size
    sole = model.axes
    first, last = living(filters, model)
    best = filters.log_weight[first]
    for n in range(first, last):
        best = max(best, filters.log_weight[n])
    _lay_to_rest(filters, model, best)
    probability[:] = 0.0
    total = once = twice = 0.0
    share = 1.0 / overcounting(filters)
    for n in range(first, last):
        log_weight = share * (filters.log_weight[n] - best)
        if log_weight < NEGLIGIBLE:
            continue
        mean = filters.mean[sole, n]
        sd = math.sqrt(max(filters.covariance[sole, sole, n], 0.0))
        weight = (
            model.prior[n // shapes]
            * filters.shape_weight[n % shapes]
            * math.exp(log_weight)
        )
        here = moment = square = 0.0
        for k in range(7):
            s_p = mean + sd * HERMITE_NODES[k]
            density = HERMITE_WEIGHTS[k] * _belief(filters, s_p)
            here += density
            moment += density * s_p
            square += density * s_p * s_p
        if here > 0.0:
            weight *= _possible(
                filters, model, n, moment / here, square / here - (moment / here) ** 2
            )
        probability[n] = weight * here
        once += weight * moment
        twice += weight * square
        total += probability[n]
    if not total > 0.0:  # no filter can explain the data: nothing is known
        for n in range(probability.size):
            probability[n] = model.prior[n // shapes] * filters.shape_weight[n % shapes]
        return math.nan, math.nan
    for n in range(first, last):
        probability[n] /= total
    return once / total, math.sqrt(max(twice / total - (once / total) ** 2, 0.0))


@kernel
def _lay_to_rest(filters: Filters, model: Model, best: float) -> None:
    """Stop computing nodes at either end that no evidence brings back."""
    contact = filters.contact[0]
    count = model.exponents.size
    while contact["last"] - contact["first"] > LEAST_NODES and _hopeless(
        filters, contact["first"] * count, count, best
    ):
        contact["first"] += 1
    while contact["last"] - contact["first"] > LEAST_NODES and _hopeless(
        filters, contact["last"] * count - count, count, best
    ):
        contact["last"] -= 1


@kernel
def _hopeless(filters: Filters, first: int, count: int, best: float) -> bool:
    for n in range(first, first + count):
        if filters.log_weight[n] > best + HOPELESS:
            return False
    return True


@kernel
def _possible(
    filters: Filters, model: Model, n: int, s_p: float, spread: float
) -> float:
    """Compute the chance that compliance and lag of filter n have the right sign.

    It is the sign that they must have; the chance is that at a given s_p [mm].

    No leg gives way against its load; motion lags force, but for what the latency bound
    allows.
    """
    chance = 1.0
    sole = model.axes
    if model.has_compliance:
        chance = _positive(filters, sole + 1, sole, n, s_p, spread, 0.0)
    if model.has_lag:
        chance *= _positive(
            filters, lag_state(model), sole, n, s_p, spread, model.latency * s_p
        )
    return chance


@kernel
def _positive(
    filters: Filters,
    index: int,
    sole: int,
    n: int,
    s_p: float,
    spread: float,
    margin: float,
) -> float:
    """Compute the chance that a state plus ``margin`` is positive.

    Given are mean [mm] and variance [mm^2] of s_p.
    """
    covariance = filters.covariance
    own = max(filters.covariance[sole, sole, n], 1e-18)
    slope = covariance[index, sole, n] / own
    variance = max(covariance[index, index, n] - slope * slope * (own - spread), 1e-18)
    z = (
        filters.mean[index, n] + slope * (s_p - filters.mean[sole, n]) + margin
    ) / math.sqrt(variance)
    if z > 4.0:
        return 1.0
    # normal to 2e-4 ([Page1977])
    return 1.0 / (
        1.0 + math.exp(-min(max(z * (1.5976 + 0.07056 * z * z), -40.0), 40.0))
    )


@kernel
def _belief(filters: Filters, s_p: float) -> float:
    """Interpolate the density of s_p from the table."""
    if s_p <= 0.0:
        return 0.0
    place = min(math.sqrt(s_p) / BELIEF_STEP, BELIEF_SIZE - 1.001)
    index = int(place)
    share = place - index
    return (1.0 - share) * filters.belief[index] + share * filters.belief[index + 1]


@kernel
def _confidence_nodes(filters: Filters, model: Model) -> tuple[int, int]:
    """Find the first and last node with a shape that is likely enough (study 7.5).

    The shape's likelihood is at least ``level`` of the mixture's.

    What a calibration or earlier steps taught about shape and rule counts against what
    they make unlikely, never for the others: a variant believed k times less than its
    even share must be k times likelier than ``level``.
    """
    shapes = model.exponents.size
    lowest = model.mu.size - 1
    highest = 0
    first, last = living(filters, model)
    for n in range(first, last):
        node = n // shapes
        variant = n % shapes
        expected = max(filters.shape_weight[variant], 1.0 / shapes)
        if filters.probability[n] >= model.level * model.prior[node] * expected:
            lowest = min(lowest, node)
            highest = max(highest, node)
    return min(lowest, highest), highest


@kernel
def quantile(filters: Filters, model: Model, share: float) -> float:
    """Compute a quantile of mu, linear in ln mu inside a node's cell."""
    return _quantile(filters, model, share, 0, model.exponents.size)


@kernel
def cautious_quantile(filters: Filters, model: Model, share: float) -> float:
    """Compute the lowest quantile of mu over the rules of reversal still possible.

    Data seldom distinguish the rules before the limit, and a contact that remembers is
    put up to twice as far from it by the rule that doesn't: of a mixture of both the
    quantile is neither's.
    """
    lowest = quantile(filters, model, share)
    local = model.local
    count = model.exponents.size
    for first, last in ((0, local), (local, count)):
        believed = 0.0
        for v in range(first, last):
            believed += max(filters.shape_weight[v], 1.0 / count)
        likely = _probability(filters, model, first, last)
        if likely >= RULED_OUT * believed and likely > 0.0:
            lowest = min(lowest, _quantile(filters, model, share * likely, first, last))
    return lowest


@kernel
def _probability(filters: Filters, model: Model, first: int, last: int) -> float:
    """Sum the probability of a range of the shapes over all nodes."""
    count = model.exponents.size
    total = 0.0
    for i in range(filters.contact[0]["first"], filters.contact[0]["last"]):
        for v in range(first, last):
            total += filters.probability[i * count + v]
    return total


@kernel
def _quantile(
    filters: Filters, model: Model, share: float, first: int, last: int
) -> float:
    """Find where the probability of a range of the shapes passes ``share``."""
    count = model.exponents.size
    below = 0.0
    for i in range(filters.contact[0]["first"], filters.contact[0]["last"]):
        here = 0.0
        for v in range(first, last):
            here += filters.probability[i * count + v]
        if below + here >= share:
            return model.mu[i] * math.exp(
                model.log_step * ((share - below) / max(here, 1e-300) - 0.5)
            )
        below += here
    return model.mu[model.mu.size - 1]


@kernel
def _choose_reference(filters: Filters, model: Model, median: float) -> None:
    """Choose the node nearest the median with its most probable shape (study 7.3)."""
    contact = filters.contact[0]
    shapes = model.exponents.size
    node = int(math.log(median / model.mu[0]) / model.log_step + 0.5)
    node = min(max(node, 0), model.mu.size - 1)
    best = node * shapes
    for n in range(node * shapes, (node + 1) * shapes):
        if filters.probability[n] > filters.probability[best]:
            best = n
    contact["reference"] = best
    contact["median"] = model.mu[node]
    contact["s_p_reference"] = min(
        max(filters.mean[model.axes, best], S_P_RANGE[0]), S_P_RANGE[1]
    )
