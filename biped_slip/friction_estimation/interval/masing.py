# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""The path of a contact that remembers every reversal of its load: Masing's rule, in the plane.

Springs with sliders in parallel (Iwan) carry a given force with the motion of *plays* in series: each element follows
the force ratio in units of mu, v, once v is farther than the element's threshold rho from it. On a line,

.. math:: \varphi = \phi(|v|_{max})\,\hat m + \sum_j W_j\,(p_j - (|v|_{max} - \rho_j)^+\,\hat m),

is the pull curve phi of a first load and twice its half-scaled copy after every reversal, nested loops included, but
for the interpolation of phi between thresholds (at most 0.006 in 1). Thresholds belong to nodes, weights to shapes.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import Filters, Model

ELEMENTS, RATIO = 12, 0.8  # thresholds 1 - RATIO^j of the limit
LAST = 0.99  # share of the limit beyond which the pull curve goes on straight: the path is steep, not infinite


def thresholds() -> Array:
    """Of the plays, in mu, shape (elements,)."""
    return np.array([1.0 - RATIO**j for j in range(1, ELEMENTS + 1)])


def weights(shapes: Array) -> Array:
    """Of the force ratio and of every play, shape (shapes, elements + 1): second differences of the pull curve."""
    knots = np.concatenate([[0.0], thresholds(), [LAST]])
    found = np.empty((shapes.size, ELEMENTS + 1))
    for k, shape in enumerate(shapes):
        curve = np.array([pull_curve(knot, 1.0 - shape) for knot in knots])
        slope = np.diff(curve) / np.diff(knots)
        found[k] = np.append(slope[0], np.diff(slope))
    return found


@kernel
def pull_curve(share: float, exponent: float) -> float:
    """phi(v) of a first load: (1 - (1 - v)^(1 - alpha))/(1 - alpha), -ln(1 - v) at alpha = 1 (study 2)."""
    room = max(1.0 - share, 1.0 - LAST)
    beyond = max(share - LAST, 0.0) * (1.0 - LAST) ** (exponent - 1.0)
    if abs(exponent) < 1e-9:
        return beyond - math.log(room)
    return beyond + (1.0 - math.exp(exponent * math.log(room))) / exponent


@kernel
def forget_load(filters: Filters) -> None:
    """A contact that never carried anything."""
    contact = filters.contact[0]
    filters.play[:, :, :] = 0.0
    contact["followed_x"] = contact["followed_y"] = 0.0
    contact["front"] = contact["front_x"] = contact["front_y"] = 0.0


@kernel
def follow_load(filters: Filters, model: Model, u_x: float, u_y: float) -> None:
    """Let the plays follow the force ratio to ``u`` for good."""
    if model.local == model.exponents.size:
        return
    move(filters, filters.play, model, u_x, u_y)
    contact, load = filters.contact[0], math.hypot(u_x, u_y)
    contact["followed_x"], contact["followed_y"] = u_x, u_y
    if load >= contact["front"] and load > 0.0:
        contact["front"] = load
        contact["front_x"], contact["front_y"] = u_x / load, u_y / load


@kernel
def move(filters: Filters, into: Array, model: Model, u_x: float, u_y: float) -> None:
    """Plays (2, elements, nodes) after the force ratio has gone straight to ``u``, written to ``into``."""
    contact, mu = filters.contact[0], model.mu
    first, last = contact["first"], contact["last"]
    for j in range(model.thresholds.size):
        threshold = model.thresholds[j]
        from_x, to_x = filters.play[0, j], into[0, j]
        if model.axes == 1:
            for i in range(first, last):
                away = u_x / mu[i] - from_x[i]
                to_x[i] = from_x[i] + away - min(max(away, -threshold), threshold)
            continue
        from_y, to_y = filters.play[1, j], into[1, j]
        for i in range(first, last):
            away_x, away_y = u_x / mu[i] - from_x[i], u_y / mu[i] - from_y[i]
            scale = max(1.0 - threshold / math.sqrt(away_x * away_x + away_y * away_y + 1e-30), 0.0)
            to_x[i] = from_x[i] + scale * away_x
            to_y[i] = from_y[i] + scale * away_y


@kernel
def masing_path(filters: Filters, model: Model, play: Array, u_x: float, u_y: float, path: Array) -> None:
    """Path at ``u`` since the contact began, of filters that follow Masing's rule; written to ``path`` (2, filters)."""
    contact, count, load = filters.contact[0], model.exponents.size, math.hypot(u_x, u_y)
    front, front_x, front_y = contact["front"], contact["front_x"], contact["front_y"]
    if load >= front and load > 0.0:
        front, front_x, front_y = load, u_x / load, u_y / load
    for i in range(contact["first"], contact["last"]):
        share = front / model.mu[i]
        for v in range(model.local, count):
            weight = model.weights[v - model.local]
            excess = pull_curve(share, model.exponents[v]) - weight[0] * share
            x = y = 0.0
            for j in range(model.thresholds.size):
                excess -= weight[j + 1] * max(share - model.thresholds[j], 0.0)
                x += weight[j + 1] * play[0, j, i]
            path[0, i * count + v] = x + excess * front_x + weight[0] * u_x / model.mu[i]
            if model.axes == 1:
                continue
            for j in range(model.thresholds.size):
                y += weight[j + 1] * play[1, j, i]
            path[1, i * count + v] = y + excess * front_y + weight[0] * u_y / model.mu[i]
