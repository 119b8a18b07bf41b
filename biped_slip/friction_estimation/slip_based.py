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
    CompiledEstimator,
    FootMeasurement,
    FrictionEstimate,
    ignoring_context,
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

    Args:
        state: after the sample before.
        config: thresholds, packed.
        measurement: of the foot.
        dt: time since the sample before [s].
    """
    fx = measurement.force_x
    fn = measurement.force_normal
    # a planar recording has no y
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
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
        resting = Detection(
            sliding=AT_REST, plateau=plateau, by_motion=False, slip_time=0.0
        )
        state = _contact(state, contact_time, resting, fx, fy, fn)
        return state, _answer(state, ratio, SETTLING)
    detection = _detection(state, config, measurement, fy, dt)
    state = _contact(state, contact_time, detection, fx, fy, fn)
    if detection.slip_time > 0.0:
        return state, _answer(state, ratio, SLIPPING)
    return state, _answer(
        state, ratio, NOT_IDENTIFIABLE if math.isnan(state.mu) else USABLE
    )


class Detection(NamedTuple):
    """What the two detectors of slip say of one sample."""

    sliding: SlidingState
    plateau: PlateauState
    by_motion: bool  # whether the motion was measured, and counts
    slip_time: float  # since the onset of the slip [s]; 0 without one


@kernel
def _detection(
    state: SlipBasedState,
    config: SlipBasedConfig,
    measurement: FootMeasurement,
    force_y: float,
    dt: float,
) -> Detection:
    """Ask the detector by motion where that is measured, else the one by force.

    Args:
        state: after the sample before.
        config: thresholds, packed.
        measurement: of the foot.
        force_y: of the ground on the foot; 0 where it is not measured [N].
        dt: time since the sample before [s].
    """
    fx = measurement.force_x
    fn = measurement.force_normal
    vx = measurement.velocity_x
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    by_motion = math.isfinite(vx) and math.isfinite(vy)
    sliding = state.sliding
    plateau = state.plateau
    slip_time = 0.0
    if by_motion:
        sliding = sliding_step(sliding, fx, force_y, fn, vx, vy, dt, config.motion)
        slip_time = state.slip_time + dt if sliding.sliding else 0.0
    else:
        plateau = plateau_step(plateau, fx, force_y, fn, dt, config.force)
        slip_time = plateau.plateau.time if plateau.plateau.sliding else 0.0
    return Detection(
        sliding=sliding, plateau=plateau, by_motion=by_motion, slip_time=slip_time
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
    detection: Detection,
    fx: float,
    fy: float,
    fn: float,
) -> SlipBasedState:
    """Account for one sample in contact.

    mu is the ratio of the sums over the slip: low loads count little.

    Args:
        state: after the sample before.
        contact_time: since touchdown [s].
        detection: of a slip.
        fx: force of the ground on the foot [N].
        fy: likewise [N].
        fn: likewise [N].
    """
    plateau = detection.plateau
    tangential = 0.0
    normal = 0.0
    mu = state.mu
    mu_demonstrated = state.mu_demonstrated
    if detection.slip_time == 0.0:
        mu_demonstrated = max(mu_demonstrated, math.hypot(fx, fy) / fn)
    elif detection.by_motion:
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
        sliding=detection.sliding,
        plateau=plateau,
        by_motion=detection.by_motion,
        slip_time=detection.slip_time,
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


class SlipBasedEstimator(CompiledEstimator[SlipBasedState]):
    """Slip-based estimator of mu: |F_friction|/F_n while the foot slips (A.3).

    Slip is found by motion where the measurement has a velocity, and as a plateau of
    the force ratio where it hasn't (:mod:`.sliding`). Within a contact the last value
    is kept.
    """

    kernel = staticmethod(ignoring_context(slip_based_step))
    raw_forces = True
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
