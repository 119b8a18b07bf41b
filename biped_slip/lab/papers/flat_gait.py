# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk on flat feet as functions of time: steps, the zero-moment point they ask for, and the centre of mass.

The papers walk patterns that they do not print (C.3, D.3, E.5); this is the usual one: the zero-moment point rests in
the middle of the standing sole and moves to the other in double support, the centre of mass follows from the
cart-table equation x − z ẍ/(g + z̈) = p over the whole walk, feet swing along fifth-degree polynomials.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_banded

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.lab.papers.human_gait import eased


@configuration
class FlatGaitConfig(Configuration):
    """Steps between two rests; the right foot steps first."""

    steps: int = parameter(5, low=1, high=100, doc="how many; the last brings the feet together")
    step: float = parameter(0.3, unit="m", above=0.0, high=1.0, doc="length of a step")
    first: float = parameter(1.0, above=0.0, high=1.0, doc="length of the first step over that of the others")
    swing: float = parameter(0.6, unit="s", above=0.0, high=5.0, doc="one foot in the air")
    double_support: float = parameter(0.2, unit="s", above=0.0, high=5.0, doc="between two swings")
    rest: float = parameter(0.3, unit="s", low=0.0, high=10.0, doc="stands before and after")
    shift: float = parameter(0.6, unit="s", above=0.0, high=5.0, doc="to the first standing foot, and back")
    clearance: float = parameter(0.04, unit="m", low=0.0, high=0.3, doc="of the swinging sole")
    width: float = parameter(0.0, unit="m", low=0.0, high=1.0, doc="between the soles; 0: as the robot stands")
    lower: float = parameter(0.0, unit="m", low=0.0, high=0.5, doc="of the centre of mass than as the robot stands")
    rise: float = parameter(0.0, unit="m", low=0.0, high=0.1, doc="of the centre of mass from two feet to one")


class Stand(NamedTuple):
    """How the robot stands before the walk."""

    soles: Array  # (2, 3) left, right [m]
    centre: Array  # (2,) middle of the sole's polygon in its frame, x and outwards-positive y of the left one [m]
    height: float  # of the centre of mass [m]


class Pattern(NamedTuple):
    """The walk, every ``period``; n samples."""

    time: Array  # (n,) [s]
    zmp: Array  # (n, 2) [m]
    com: Array  # (n, 3) [m]
    soles: Array  # (n, 2, 3) [m]
    share: Array  # (n, 2) of the load that each foot carries


def pattern(config: FlatGaitConfig, stand: Stand, period: float, correction: Array | None = None) -> Pattern:
    """The whole walk.

    Args:
        correction: (n, 2) added to the zero-moment point that the cart follows [m], for what the cart leaves out.
    """
    begin = config.rest + config.shift
    cycle = config.swing + config.double_support
    end = begin + config.steps * cycle - config.double_support + config.shift + config.rest
    time = np.arange(0.0, end + 0.5 * period, period)
    places = stand.soles.copy()
    if config.width > 0.0:
        places[:, 1] = 0.5 * config.width, -0.5 * config.width
    soles = np.tile(places, (len(time), 1, 1))
    knots, shares, height = [0.0, config.rest], [[0.5, 0.5]] * 2, np.full(len(time), stand.height - config.lower)
    for count in range(config.steps):
        swinging, start = 1 - count % 2, begin + count * cycle
        target = config.step * (config.first + min(count, max(config.steps - 2, 0)))
        share = np.clip((time - start) / config.swing, 0.0, 1.0)
        soles[:, swinging, 0] += eased(share) * (target - places[swinging, 0])
        soles[:, swinging, 2] += config.clearance * 64.0 * (share * (1.0 - share)) ** 3
        places[swinging, 0] = target
        knots += [start, start + config.swing]
        shares += [[1.0 - swinging, float(swinging)][::-1]] * 2
        whole = np.clip((time - start + 0.5 * config.double_support) / cycle, 0.0, 1.0)
        height = height + 0.5 * config.rise * (1.0 - np.cos(2.0 * np.pi * whole))
    knots += [end - config.rest, end]
    shares += [[0.5, 0.5]] * 2
    share = np.column_stack([np.interp(time, knots, column) for column in np.array(shares).T])
    middles = soles[:, :, :2] + np.stack((stand.centre, stand.centre * np.array([1.0, -1.0])))
    zmp = np.einsum("nf,nfk->nk", share, middles)
    followed = zmp if correction is None else zmp + correction
    com = np.column_stack((cart_table(followed, height, period), height))
    return Pattern(time, zmp, com, soles, share)


def cart_table(zmp: Array, height: Array, period: float) -> Array:
    """Centre of mass (n, 2) over a zero-moment point (n, 2) [m]: at rest over it at both ends."""
    lift = np.gradient(np.gradient(height, period), period)
    stiff = height / (GRAVITY + lift) / period**2
    bands = np.zeros((3, len(zmp)))
    bands[0, 1:], bands[1], bands[2, :-1] = -stiff[:-1], 1.0 + 2.0 * stiff, -stiff[1:]
    bands[0, 1] = bands[2, -2] = 0.0
    bands[1, 0] = bands[1, -1] = 1.0
    return np.asarray(solve_banded((1, 1), bands, zmp))
