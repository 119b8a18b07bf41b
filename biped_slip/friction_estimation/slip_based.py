# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kinetic friction of a sliding foot: mu = |F_friction| / F_n.

The estimator works alone, or behind the interval estimator.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.settings import (
    SlipBasedConfig,
)
from biped_slip.friction_estimation.sliding import (
    AT_REST,
    PlateauState,
    SlidingState,
    initial_plateau,
    plateau_step,
    restart_plateau,
    sliding_step,
    watch_ratio,
)
from biped_slip.friction_estimation.types import (
    INVALID_INPUT,
    NAN,
    NO_CONTACT,
    NOT_IDENTIFIABLE,
    SETTLING,
    SLIPPING,
    USABLE,
    CompiledRule,
    FootMeasurement,
    FrictionEstimate,
)

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings


class SlipBasedState(NamedTuple):
    """Contact, the two detectors and the sums of the present slip."""

    in_contact: bool
    contact_time: float  # [s]
    sliding: SlidingState
    plateau: PlateauState
    by_motion: bool  # whether the present slip was found by motion
    slip_time: float  # since the onset of the present slip [s]; 0 without one
    slip_tangential: float  # sum over the slip [N]
    slip_normal: float  # [N]
    mu: float  # of the present or last slip of this contact [-]
    mu_demonstrated: float  # largest ratio held without slip in this contact [-]


@kernel
def slip_based_step(
    state: SlipBasedState,
    config: SlipBasedConfig,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[SlipBasedState, FrictionEstimate]:
    """Update the slip-based estimate by one sample (A.3).

    ``config`` is packed, ``dt`` is in seconds.
    """
    fx = measurement.force_x
    fn = measurement.force_normal
    fy = (
        0.0 if math.isnan(measurement.force_y) else measurement.force_y
    )  # a planar recording has no y
    if not (math.isfinite(fx) and math.isfinite(fy) and math.isfinite(fn) and dt > 0.0):
        return state, _answer(state, NAN, INVALID_INPUT)
    if fn < (config.contact_off if state.in_contact else config.contact_on):
        empty = _restart(state, False)
        return empty, _answer(empty, NAN, NO_CONTACT)
    if not state.in_contact:
        state = _restart(state, True)
    ratio = math.hypot(fx, fy) / fn
    contact_time = state.contact_time + dt
    if contact_time <= config.settle_time or fn < config.minimum_load:
        plateau = watch_ratio(state.plateau, fx, fy, fn, dt, config.force)
        state = _contact(state, contact_time, AT_REST, plateau, 0.0, False, fx, fy, fn)
        return state, _answer(state, ratio, SETTLING)
    vx = measurement.velocity_x
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    by_motion = math.isfinite(vx) and math.isfinite(vy)
    sliding = state.sliding
    plateau = state.plateau
    slip_time = 0.0
    if by_motion:
        sliding = sliding_step(sliding, fx, fy, fn, vx, vy, dt, config.motion)
        slip_time = state.slip_time + dt if sliding.sliding else 0.0
    else:
        plateau = plateau_step(plateau, fx, fy, fn, dt, config.force)
        slip_time = plateau.plateau.time if plateau.plateau.sliding else 0.0
    state = _contact(
        state, contact_time, sliding, plateau, slip_time, by_motion, fx, fy, fn
    )
    if slip_time > 0.0:
        return state, _answer(state, ratio, SLIPPING)
    return state, _answer(
        state, ratio, NOT_IDENTIFIABLE if math.isnan(state.mu) else USABLE
    )


@kernel
def _restart(state: SlipBasedState, in_contact: bool) -> SlipBasedState:
    """Reset to the beginning or the end of a contact, in the same buffers."""
    return SlipBasedState(
        in_contact=in_contact,
        contact_time=0.0,
        sliding=AT_REST,
        plateau=restart_plateau(state.plateau),
        by_motion=False,
        slip_time=0.0,
        slip_tangential=0.0,
        slip_normal=0.0,
        mu=NAN,
        mu_demonstrated=0.0,
    )


@kernel
def _contact(
    state: SlipBasedState,
    contact_time: float,
    sliding: SlidingState,
    plateau: PlateauState,
    slip_time: float,
    by_motion: bool,
    fx: float,
    fy: float,
    fn: float,
) -> SlipBasedState:
    """Account for one sample in contact.

    mu is the ratio of the sums over the slip: low loads count little.
    """
    tangential = 0.0
    normal = 0.0
    mu = state.mu
    mu_demonstrated = state.mu_demonstrated
    if slip_time == 0.0:
        mu_demonstrated = max(mu_demonstrated, math.hypot(fx, fy) / fn)
    elif by_motion:
        tangential = state.slip_tangential + math.hypot(fx, fy)
        normal = state.slip_normal + fn
        mu = tangential / normal
    else:
        tangential = plateau.plateau.tangential
        normal = plateau.plateau.normal
        mu = tangential / normal
    return SlipBasedState(
        in_contact=True,
        contact_time=contact_time,
        sliding=sliding,
        plateau=plateau,
        by_motion=by_motion,
        slip_time=slip_time,
        slip_tangential=tangential,
        slip_normal=normal,
        mu=mu,
        mu_demonstrated=mu_demonstrated,
    )


@kernel
def _answer(state: SlipBasedState, ratio: float, word: int) -> FrictionEstimate:
    known = not math.isnan(state.mu)
    return FrictionEstimate(
        mu=state.mu,
        mu_low=NAN,
        mu_q05=NAN,
        mu_median=NAN,
        mu_high=NAN,
        usable=known,
        flag=known,
        mu_demonstrated=state.mu_demonstrated,
        s_p=NAN,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=ratio,
        slipping=word == SLIPPING,
        state_code=word,
    )


class SlipBasedEstimator(CompiledRule[SlipBasedState]):
    """Slip-based estimator of mu: |F_friction|/F_n while the foot slips (A.3).

    Slip is found by motion where the measurement has a velocity, and as a plateau of
    the force ratio where it hasn't (:mod:`.sliding`). Within a contact the last value
    is kept.
    """

    kernel = staticmethod(slip_based_step)
    Config = SlipBasedConfig

    def initial_state(self) -> SlipBasedState:
        """Return the state of a foot in the air."""
        return SlipBasedState(
            in_contact=False,
            contact_time=0.0,
            sliding=AT_REST,
            plateau=initial_plateau(),
            by_motion=False,
            slip_time=0.0,
            slip_tangential=0.0,
            slip_normal=0.0,
            mu=NAN,
            mu_demonstrated=0.0,
        )


def slip_estimator(settings: EstimatorSettings) -> SlipBasedEstimator:
    """Make the slip-based estimator of a foot."""
    return SlipBasedEstimator(settings.slip)
