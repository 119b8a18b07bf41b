# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under both feet of a humanoid: what its walk knows, and the estimators.

What a walk knows of a foot beyond the foot's own measurement is its context: slope of
the floor before and after the sample, cross-talk that is left, friction behind, errors
of the force. Contexts and estimators of both feet are one kernel where the estimator is
one; an estimator with a step of its own is asked foot by foot.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.estimation.sole_motion import (
    FloorRise,
    SoleFrames,
    SolePair,
    SoleShapes,
    rise_step,
)
from biped_slip.friction_estimation.former import taking_context
from biped_slip.friction_estimation.types import (
    NAN,
    NO_ESTIMATE,
    CompiledEstimator,
    EstimatorStep,
    FootContext,
    ForceCovariance,
    FrictionEstimate,
    FrictionEstimator,
    Rise,
)

Contexts = tuple[FootContext, FootContext]
EstimatePair = tuple[FrictionEstimate, FrictionEstimate]


class FeetKnown(NamedTuple):
    """What a walk knows of both feet beyond their measurements; feet left, right."""

    cross_talk: tuple[float, float]  # sd of what is left of it [-]; NaN: not known
    medians: tuple[float, float]  # friction under each, so far [-]; NaN: not known
    # (2, 3, 3) of the errors of the forces, in the world [N^2]; NaN: not known
    covariance: Array
    source: int  # a ForceSource
    in_air: Array  # (2,) bool, whether something else tells that a foot is


NO_COVARIANCE = np.full((2, 3, 3), np.nan)
NOT_IN_AIR: Array = np.zeros(2, np.bool_)


class FloorParts(NamedTuple):
    """Slope of the floor under both soles; its arrays are overwritten."""

    rise: Array  # (2, 2) under each sole, along x and y
    flat: Array  # (2,) for how long each sole has lain flat [s]
    soles: SoleFrames
    shapes: SoleShapes
    weight: float  # of the robot [N]


@kernel
def contexts_of(
    floor: FloorParts, measured: SolePair, known: FeetKnown, dt: float
) -> Contexts:
    """Find the floor under both soles, and what their estimators are told of it.

    Args:
        floor: its slope, updated in place.
        measured: of both feet.
        known: beyond that.
        dt: since the sample before [s].
    """
    before = floor.rise.copy()
    rise_step(
        floor.rise,
        floor.flat,
        floor.soles,
        measured,
        floor.shapes,
        floor.weight,
        dt,
    )
    turn = floor.soles.rotation
    place = floor.soles.position
    lead = 0.0  # of the left foot before the right one, along the left one [m]
    for k in range(3):
        lead += turn[0, k, 0] * (place[0, k] - place[1, k])
    left, right = known.medians
    behind_left = right if lead > 0.0 else NAN
    behind_right = left if -lead > 0.0 else NAN
    return (
        _context(0, before, floor.rise, behind_left, known),
        _context(1, before, floor.rise, behind_right, known),
    )


@kernel
def _context(
    foot: int, before: Array, after: Array, behind: float, known: FeetKnown
) -> FootContext:
    """Put together what is told of one foot.

    Args:
        foot: 0 left, 1 right.
        before: (2, 2) slopes before the sample.
        after: (2, 2) slopes with it.
        behind: friction of the floor behind.
        known: of both feet.
    """
    covariance = known.covariance[foot]
    return FootContext(
        rise_before=Rise(x=float(before[foot, 0]), y=float(before[foot, 1])),
        rise=Rise(x=float(after[foot, 0]), y=float(after[foot, 1])),
        cross_talk=known.cross_talk[foot],
        friction_behind=behind,
        phase=NAN,
        force_covariance=ForceCovariance(
            xx=float(covariance[0, 0]),
            xy=float(covariance[0, 1]),
            xz=float(covariance[0, 2]),
            yy=float(covariance[1, 1]),
            yz=float(covariance[1, 2]),
            zz=float(covariance[2, 2]),
        ),
        force_source=known.source,
        in_air=bool(known.in_air[foot]),
    )


def friction_by(step: EstimatorStep) -> Callable[..., EstimatePair]:
    """Make the kernel of both feet's contexts and estimators.

    Args:
        step: of one foot's estimator.
    """

    @kernel
    def friction(
        states: Any,
        settings: Held,
        floor: Held,
        measured: SolePair,
        known: FeetKnown,
        dt: float,
    ) -> EstimatePair:
        first, second = contexts_of(floor.value, measured, known, dt)
        left, right = states.value
        left, one = step(left, settings.value, measured[0], dt, first)
        right, two = step(right, settings.value, measured[1], dt, second)
        states.value = (left, right)
        return one, two

    return friction


@kernel
def held_contexts(
    floor: Held, measured: SolePair, known: FeetKnown, dt: float
) -> Contexts:
    """Find both contexts by :func:`contexts_of`, whose floor is held."""
    return contexts_of(floor.value, measured, known, dt)


class FrictionOfFeet:
    """One friction estimator under each foot, and the slope of the floor.

    Args:
        estimator: of one foot.
        floor: its slope.
        soles: frames of both soles, which others overwrite.

    Attributes:
        estimates: of the last sample.
        estimator: in use.
    """

    def __init__(
        self, estimator: FrictionEstimator[Any], floor: FloorRise, soles: SoleFrames
    ) -> None:
        self._floor = hold(
            FloorParts(
                rise=floor.rise,
                flat=floor.flat,
                soles=soles,
                shapes=floor.shapes,
                weight=floor.weight,
            )
        )
        self._contexts = OfOneType(held_contexts)
        self.ask(estimator)

    def ask(self, estimator: FrictionEstimator[Any]) -> None:
        """Ask an estimator from now on, from its first state."""
        own: Any = taking_context(estimator)
        self.estimator: FrictionEstimator[Any] = own
        # one that has a step of its own is asked foot by foot
        self._friction: Any = None
        if getattr(type(own), "step", None) is CompiledEstimator.step:
            friction = friction_by(own.kernel)
            # a kernel that closes over a plain function is plain
            self._compiled = hasattr(friction, "get_compile_result")
            self._friction = OfOneType(friction)
            self._settings = hold(own.settings, self._compiled)
        self.forget()

    def forget(self) -> None:
        """Forget what was known of the floor's friction."""
        first = self.estimator.initial_state(), self.estimator.initial_state()
        self._states: Any = (
            first if self._friction is None else hold(first, self._compiled)
        )
        self.estimates: EstimatePair = (NO_ESTIMATE, NO_ESTIMATE)

    @property
    def states(self) -> tuple[Any, Any]:
        """Return the states of both estimators."""
        held = self._friction is not None
        states: tuple[Any, Any] = self._states.value if held else self._states
        return states

    def step(self, measured: SolePair, known: FeetKnown, dt: float) -> EstimatePair:
        """Update slope and friction by one sample.

        Args:
            measured: of both feet.
            known: beyond that.
            dt: since the sample before [s].
        """
        if self._friction is not None:
            self.estimates = self._friction(
                self._states, self._settings, self._floor, measured, known, dt
            )
            return self.estimates
        contexts = self._contexts(self._floor, measured, known, dt)
        found = [
            self.estimator.step(state, one, dt, context)
            for state, one, context in zip(
                self._states, measured, contexts, strict=True
            )
        ]
        (first, left), (second, right) = found
        self._states = (first, second)
        self.estimates = (left, right)
        return self.estimates
