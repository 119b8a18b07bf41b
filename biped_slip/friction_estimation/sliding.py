# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding found by motion: the foot moves against its friction and the friction has stopped growing.

Presliding also moves the foot, but there the force ratio u still grows with the travel x: as fast as a spring at
first (d ln u/d ln x = 1), not at all once the contact slides (0). On the Bliman–Sorine curve
u = mu (1 − exp(−3x/s_p)) (A.2) a growth of 0.25 is reached at u = 0.9 mu, whatever mu and s_p are.

And its opposite, grip: a force ratio that a foot has borne for a while without sliding is one that its floor has. No
model of the contact and no statistics, so that is true also where an interval has been led astray.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.types import NAN

SUSTAINED = 0.02  # [s] time constant with which a ratio that is borne counts (choice)
HEAVIER = 2.0  # times the load: what was held under less is forgotten, force sensors are off by some newtons (choice)


@configuration
class SlidingConfig(Configuration):
    """When a moving foot slides."""

    speed_threshold: float = parameter(
        0.02, unit="m/s", above=0.0, high=10.0, doc="above it the foot moves; well above the velocity noise"
    )
    release_share: float = parameter(0.5, above=0.0, high=1.0, doc="share of the threshold at which sliding ends")
    opposition: float = parameter(0.9, low=0.0, high=1.0, doc="least cosine between velocity and resisting force")
    minimum_travel: float = parameter(1e-3, unit="m", above=0.0, high=1.0, doc="travel before sliding is considered")
    growth_limit: float = parameter(0.25, above=0.0, below=1.0, source="A.2", doc="largest d ln u/d ln x of sliding")
    growth_step: float = parameter(1.25, above=1.0, high=10.0, doc="travel ratio over which the growth is taken")


class SlidingState(NamedTuple):
    """Travel of the present movement and the point from which the growth of the ratio is taken."""

    travel: float  # [m]
    anchor_travel: float  # [m]; NaN before the minimum travel
    anchor_ratio: float  # [-]
    sliding: bool


AT_REST = SlidingState(0.0, NAN, NAN, False)


@kernel
def sliding_step(
    state: SlidingState,
    force_x: float,
    force_y: float,
    force_normal: float,
    velocity_x: float,
    velocity_y: float,
    dt: float,
    config: SlidingConfig,
) -> SlidingState:
    """One sample later.

    Args:
        state: state before.
        force_x, force_y: tangential force of the ground on the foot [N].
        force_normal: normal force, positive [N].
        velocity_x, velocity_y: of the foot relative to the ground [m/s].
        dt: time since the previous sample [s].
        config: packed SlidingConfig.
    """
    speed = math.hypot(velocity_x, velocity_y)
    tangential = math.hypot(force_x, force_y)
    resisting = -(force_x * velocity_x + force_y * velocity_y)  # [W], positive when friction brakes
    threshold = config.speed_threshold * (config.release_share if state.sliding else 1.0)
    if not (speed > threshold and resisting >= config.opposition * tangential * speed):
        return SlidingState(0.0, NAN, NAN, False)
    travel = state.travel + speed * dt
    ratio = resisting / (speed * force_normal)
    if travel < config.minimum_travel or ratio <= 0.0:
        return SlidingState(travel, NAN, NAN, False)
    if math.isnan(state.anchor_travel):
        return SlidingState(travel, travel, ratio, state.sliding)
    if travel < config.growth_step * state.anchor_travel:
        return SlidingState(travel, state.anchor_travel, state.anchor_ratio, state.sliding)
    growth = math.log(ratio / state.anchor_ratio) / math.log(travel / state.anchor_travel)
    return SlidingState(travel, travel, ratio, growth < config.growth_limit)


class GripState(NamedTuple):
    """Of one contact, since it slid last."""

    bears: float  # ratio borne now: falls at once, rises slowly
    held: float  # the largest of those
    load: float  # under which that was [N]


NO_GRIP = GripState(0.0, 0.0, 0.0)


@kernel
def grip_step(state: GripState, tangential: float, normal: float, sliding: bool, dt: float) -> GripState:
    """One sample later; forces in [N], ``dt`` in [s]."""
    if sliding or not normal > 0.0:
        return NO_GRIP
    ratio = tangential / normal
    bears = min(ratio, state.bears + min(dt / SUSTAINED, 1.0) * (ratio - state.bears))
    if bears > state.held or normal > HEAVIER * state.load:
        return GripState(bears, bears, normal)
    return GripState(bears, state.held, state.load)
