# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the force ratio of a foot: the one interface between what is known of the floor and the controller."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, TypeVar

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction.types import EstimateState, FootMeasurement, FrictionEstimate

State = TypeVar("State")


class RatioLimit(Protocol[State]):
    """Turns the estimate and the measurement of one foot into a limit on |tangential|/normal; infinity: none."""

    def initial_state(self) -> State:
        """State before the first estimate."""
        ...

    def step(
        self, state: State, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[State, float]:
        """New state and the limit [-] for this tick."""
        ...


class NoLimit:
    """No slip prevention."""

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(
        self, state: None, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[None, float]:
        """Never a limit."""
        return None, math.inf


@configuration
class ConstantLimitConfig(Configuration):
    """The same limit on every floor: what other controllers assume."""

    ratio: float = parameter(0.2, above=0.0, high=5.0, source="choice", doc="limit on the force ratio")


class ConstantLimit:
    """The same limit on every floor."""

    def __init__(self, config: ConstantLimitConfig) -> None:
        self.config = config

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(
        self, state: None, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[None, float]:
        """Always the constant."""
        return None, self.config.ratio


@configuration
class EstimateLimitConfig(Configuration):
    """Slip prevention of the thesis (A.9)."""

    safety: float = parameter(0.90, above=0.0, high=1.0, source="A.9", doc="K_safety, share of the estimate in use")


class EstimateLimitState(NamedTuple):
    """The limit that is held while the flag is down."""

    limit: float


class EstimateLimit:
    """K_safety times a flagged estimate: none before the flag, held when it falls, cleared in flight (A.9)."""

    def __init__(self, config: EstimateLimitConfig | None = None) -> None:
        self.config = config or EstimateLimitConfig()

    def initial_state(self) -> EstimateLimitState:
        """No limit yet."""
        return EstimateLimitState(math.inf)

    def step(
        self, state: EstimateLimitState, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[EstimateLimitState, float]:
        """Follow the estimate while it is flagged."""
        if estimate.state_code == EstimateState.NO_CONTACT:
            state = self.initial_state()
        elif estimate.flag and math.isfinite(estimate.mu):
            state = EstimateLimitState(self.config.safety * estimate.mu)
        return state, state.limit
