# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up walks: alternating stances on a line of patches, with or without a slide."""

import math

import numpy as np

from biped_slip.contact.ground import GroundConfig, friction_at
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.planar_biped import planar_biped, standing_coordinates
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import WalkResult

# [s], [m], [s]
STEP = 1.0
STRIDE = 0.8
PERIOD = 0.01


def made_up_walk(
    ticks: int,
    ground: GroundConfig,
    *,
    slide: float = 0.0,
    fell: bool = False,
    interval: bool = False,
) -> WalkResult:
    """Feet that take turns of one second; each stance ends with a slide of the given
    length [m]."""
    robot = planar_biped("thesis")
    log = WalkLog(robot, ticks)
    floor = ground.ground()
    for i in range(ticks):
        t = i * PERIOD
        turn, share = divmod(t / STEP, 1.0)
        stance = int(turn) % 2
        sliding = slide * max(0.0, (share - 0.5) / 0.5)
        x = {
            stance: 0.5 * STRIDE * turn - sliding,
            1 - stance: 0.5 * STRIDE * (turn - 1.0 + 2.0 * share),
        }
        hip = 0.5 * (x[0] + x[1])
        log.time[i] = t
        for foot in (0, 1):
            log.foot_x[i, foot] = x[foot]
            log.foot_z[i, foot] = np.tan(ground.slope) * x[foot] + (
                0.05 if foot != stance else 0.0
            )
            log.mu_true[i, foot] = friction_at(floor, x[foot])
        log.q[i] = standing_coordinates(
            robot,
            (hip, 0.7 + np.tan(ground.slope) * hip),
            tuple((log.foot_x[i, foot], log.foot_z[i, foot]) for foot in (0, 1)),
        )
        log.foot_vx[i, stance] = -slide / (0.5 * STEP) if share > 0.5 else 0.0
        log.foot_vx[i, 1 - stance] = STRIDE / STEP
        log.normal[i, stance], log.tangential[i, stance] = (
            35.0,
            35.0 * log.mu_true[i, stance] * share,
        )
        log.wanted_ratio[i, stance] = 1.2 * log.mu_true[i, stance] * share
        if interval:
            mu = log.mu_true[i, stance]
            log.estimates[i, stance] = FrictionEstimate(
                mu,
                0.8 * mu,
                0.9 * mu,
                mu,
                1.1 * mu,
                share > 0.3,
                share > 0.3,
                0.0,
                1e-3,
                *[math.nan] * 4,
                share * mu,
                False,
                3,
            )
    log.length = ticks
    return WalkResult(log, summarise(log, fell, 0.0))
