# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' non-slip estimator (A.4).

It is recursive least squares with forgetting and a convergence flag.

It regresses du/dt on [|v|u, v] (Bliman–Sorine, A.2), so mu = −a2/a1 and s_p = −3/a1. It
is the paper's baseline: its flag says little about its error (study 3); the interval
estimator is the one to trust.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.settings import RlsConfig
from biped_slip.friction_estimation.types import (
    INVALID_INPUT,
    NAN,
    NO_CONTACT,
    NOT_IDENTIFIABLE,
    SETTLING,
    USABLE,
    CompiledEstimator,
    FootMeasurement,
    FrictionEstimate,
    ignoring_context,
)

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings


class RlsState(NamedTuple):
    """State of the least squares.

    It has parameters, covariance, counter, and the previous sample.
    """

    a1: float  # −3/s_p [1/m]
    a2: float  # 3 mu/s_p [1/m]
    p11: float
    p12: float
    p22: float
    run_time: float  # [s] of samples in a row with a small residual
    u: float  # previous force ratio [-]; NaN when there is none
    v: float  # previous velocity [m/s]


@kernel
def rls_update(
    state: RlsState, u: float, v: float, dt: float, forgetting: float
) -> tuple[RlsState, float]:
    """Update by one sample of A.4 (4.16)–(4.19).

    Return the new state and the residual e [1/s].

    The backward difference of u belongs to the middle of the interval, so the regressor
    takes the means there (choice).
    """
    mean_u = 0.5 * (u + state.u)
    mean_v = 0.5 * (v + state.v)
    r1 = abs(mean_v) * mean_u
    r2 = mean_v
    residual = (u - state.u) / dt - state.a1 * r1 - state.a2 * r2
    pr1 = state.p11 * r1 + state.p12 * r2
    pr2 = state.p12 * r1 + state.p22 * r2
    scale = forgetting + r1 * pr1 + r2 * pr2
    updated = RlsState(
        a1=state.a1 + pr1 / scale * residual,
        a2=state.a2 + pr2 / scale * residual,
        p11=(state.p11 - pr1 * pr1 / scale) / forgetting,
        p12=(state.p12 - pr1 * pr2 / scale) / forgetting,
        p22=(state.p22 - pr2 * pr2 / scale) / forgetting,
        run_time=state.run_time,
        u=u,
        v=v,
    )
    return updated, residual


@kernel
def rls_start(config: RlsConfig) -> RlsState:
    """Initialise the least squares: theta = 0, P = P_0, counter 0.

    ``config`` is packed, here and below.
    """
    p0 = config.initial_covariance
    return RlsState(a1=0.0, a2=0.0, p11=p0, p12=0.0, p22=p0, run_time=0.0, u=NAN, v=NAN)


@kernel
def rls_step(
    state: RlsState, config: RlsConfig, measurement: FootMeasurement, dt: float
) -> tuple[RlsState, FrictionEstimate]:
    """Update the estimate by one servo tick (A.4).

    The steps are force ratio, derivative, least squares and convergence test.
    """
    if (
        not math.isfinite(
            measurement.force_x + measurement.force_normal + measurement.velocity_x
        )
        or not dt > 0.0
    ):
        return state, _estimate(state, NAN, False, INVALID_INPUT)
    if measurement.force_normal < config.minimum_normal_force:
        return rls_start(config), _estimate(rls_start(config), NAN, False, NO_CONTACT)
    u = -measurement.force_x / measurement.force_normal
    v = measurement.velocity_x
    if math.isnan(state.u):
        state = RlsState(
            a1=state.a1,
            a2=state.a2,
            p11=state.p11,
            p12=state.p12,
            p22=state.p22,
            run_time=state.run_time,
            u=u,
            v=v,
        )
        return state, _estimate(state, u, False, SETTLING)
    new, residual = rls_update(state, u, v, dt, config.forgetting ** (1e3 * dt))
    # P has run away without excitation
    if not math.isfinite(new.a1 + new.a2 + new.p11 + new.p12 + new.p22):
        return rls_start(config), _estimate(rls_start(config), u, False, SETTLING)
    run_time = state.run_time + dt if abs(residual) < config.residual_limit else 0.0
    state = RlsState(
        a1=new.a1,
        a2=new.a2,
        p11=new.p11,
        p12=new.p12,
        p22=new.p22,
        run_time=run_time,
        u=u,
        v=v,
    )
    flag = run_time > config.residual_time - 0.5 * dt
    return state, _estimate(state, u, flag, USABLE if flag else NOT_IDENTIFIABLE)


@kernel
def _estimate(state: RlsState, u: float, flag: bool, word: int) -> FrictionEstimate:
    defined = state.a1 < 0.0 < state.a2
    mu = -state.a2 / state.a1 if defined else NAN
    s_p = -3.0 / state.a1 if defined else NAN
    # numba takes no condition inside a call of this many keywords
    usable = flag and defined
    return FrictionEstimate(
        mu=mu,
        mu_low=NAN,
        mu_q05=NAN,
        mu_median=NAN,
        mu_high=NAN,
        usable=usable,
        flag=flag,
        mu_demonstrated=NAN,
        s_p=s_p,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=abs(u),
        slipping=False,
        state_code=word,
    )


class ThesisEstimator(CompiledEstimator[RlsState]):
    """Thesis' recursive least squares of mu (A.4), along the measurement's x axis."""

    kernel = staticmethod(ignoring_context(rls_step))
    raw_forces = True  # as in the thesis
    Config = RlsConfig

    def initial_state(self) -> RlsState:
        """Return the initial state of the least squares."""
        return rls_start(self.settings)


def thesis_estimator(settings: EstimatorSettings) -> ThesisEstimator:
    """Make the thesis' estimator of a foot."""
    return ThesisEstimator(settings.rls)
