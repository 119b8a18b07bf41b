# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Cross-talk of both ankles' force sensors, learnt while walking from momentum.

A sensor that shows a share :math:`c_i` of its normal force along the foot, by
cross-talk, by its mounting or because the base is thought to be tilted, makes the sum
of the forces wrong. From one touchdown to the next

.. math::

   \sum_t (F_l + F_r)\,\Delta t - m\,\Delta v
   = c_l \sum_t N_l\,\Delta t + c_r \sum_t N_r\,\Delta t + m\,\epsilon

with the forces along the heading, and the change of the centre of mass's speed
(:mod:`.centre_speed`); across likewise. Each step carries on one foot, so a few steps
tell all numbers, by recursive least squares with the sensors' bounds as the prior.

How well a step's change of speed is known, :math:`\sigma_\epsilon`, goes with the gait:
1 to 9 mm/s under most, 80 mm/s where a foot lands with six weights. It is the scatter
of the steps themselves, with the weight of a few steps at ``SPEED_ERROR`` before the
first (an inverse gamma prior):

.. math::

   \sigma_\epsilon^2 = \frac{n_0 \sigma_0^2 + \sum r^2}{n_0 + n},\qquad
   r = \text{what the learnt shares leave of a step}/m
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, hold, kernel
from biped_slip.estimation.sole_motion import SolePair
from biped_slip.friction_estimation.force_zero import (
    NO_SOLE_CONTACT,
    SoleContact,
    SoleContactSettings,
    footing_step,
)
from biped_slip.friction_estimation.types import NAN

SPEED_ERROR = 0.014  # sigma_0 [m/s] of the change of speed over a step (choice)
PRIOR_STEPS = 2.0  # n_0 (choice)
LEAST_CROSS_TALK = (
    0.003  # that no number of steps improves (measured on TALOS, 0.001 to 0.003)
)
CROSS_TALK_FORGETTING = (
    0.98  # of what was learnt, from step to step: offsets and mountings drift (choice)
)
CERTAIN = (
    4.0  # sigmas by which a step may differ; further it was pushed, or slid (choice)
)
# [s] of a step (choice)
SHORTEST_STEP_TIME = 0.2
LONGEST_STEP_TIME = 3.0


class CrossTalk(NamedTuple):
    """Buffers that a sample overwrites.

    The feet are left, right; the axes are along and across the heading.
    """

    share: Array  # (2, 2) of each foot's normal force that is shown in each axis
    sigma: Array  # (2,) standard deviation of each foot's
    contact: Array  # (2,) whether each foot was in contact
    information: Array  # (2, 2) sums of products of the loads' impulses [N^2 s^2]
    seen: Array  # (2, 2) in each axis, of each foot's load [N^2 s^2]
    scatter: Array  # (2,) steps, and their squares of what is left in an axis [N^2 s^2]
    # (2,) sums of both feet's forces in the world since the last touchdown [N s]
    force: Array
    speed: Array  # (2,) then [m/s]
    window: Array  # (3,) time since then [s], sums of both loads [N s]


class CrossTalkSettings(NamedTuple):
    """Settings of the filter for the kernel."""

    mass: float  # of the robot [kg]
    prior: float  # standard deviation of the shares before anything is learnt
    footing: SoleContactSettings  # contacts of the feet, zeros of their sensors


@kernel
def step_sigma(state: CrossTalk, mass: float) -> float:
    """Compute the sd [N s] of a step's change of momentum, by the steps' scatter."""
    before = PRIOR_STEPS * (mass * SPEED_ERROR) ** 2
    return math.sqrt((before + state.scatter[1]) / (PRIOR_STEPS + state.scatter[0]))


@kernel
def count_scatter(state: CrossTalk, square: float) -> None:
    """Count one step, with the square of what is left of it [N^2 s^2], in place."""
    state.scatter[0] = CROSS_TALK_FORGETTING * state.scatter[0] + 1.0
    state.scatter[1] = CROSS_TALK_FORGETTING * state.scatter[1] + square


@kernel
def learn(
    state: CrossTalk, speed: Array, heading: Array, settings: CrossTalkSettings
) -> None:
    """Update the cross-talk by the step that ends now, and begin another.

    Args:
        state: is overwritten.
        speed: (2,) of the centre of mass in the world [m/s].
        heading: (2, 2) cosine and sine of each foot's yaw.
        settings: mass and bounds.
    """
    yaw = heading[0] + heading[1]
    along = yaw / math.hypot(yaw[0], yaw[1])
    window = state.window
    load = window[1:]
    # in the world: the heading turns within a step
    x, y = state.force - settings.mass * (speed - state.speed)
    # beyond the known shares
    left = np.array([along[0] * x + along[1] * y, along[0] * y - along[1] * x])
    sigma = step_sigma(state, settings.mass)
    most = CERTAIN * math.sqrt(sigma**2 + ((load * state.sigma) ** 2).sum())
    size = np.abs(left).max()
    whole = SHORTEST_STEP_TIME < window[0] < LONGEST_STEP_TIME
    if whole and size < most:  # false for NaN
        learn_shares(state, load, left, settings)
    elif whole and size >= most:
        # one push teaches little; a gait of pushes widens what counts as certain
        count_scatter(state, 0.25 * most * most)
    window[:] = 0.0
    state.force[:] = 0.0
    state.speed[:] = speed


@kernel
def learn_shares(
    state: CrossTalk, load: Array, left: Array, settings: CrossTalkSettings
) -> None:
    """Update the shares by recursive least squares, in place.

    Args:
        state: is overwritten.
        load: (2,) impulses of both feet's normal forces [N s].
        left: (2,) impulse along and across that the shares so far leave [N s].
        settings: mass and bounds.
    """
    total = left + load @ state.share
    state.seen[:] = CROSS_TALK_FORGETTING * state.seen + np.outer(load, total)
    state.information[:] = CROSS_TALK_FORGETTING * state.information + np.outer(
        load, load
    )
    noise = step_sigma(state, settings.mass) ** 2
    a = state.information[0, 0] / noise + 1.0 / settings.prior**2
    b = state.information[0, 1] / noise
    d = state.information[1, 1] / noise + 1.0 / settings.prior**2
    covariance = np.array([[d, -b], [-b, a]]) / (a * d - b * b)
    state.share[:] = covariance @ (state.seen / noise)
    state.sigma[:] = np.sqrt(np.diag(covariance) + LEAST_CROSS_TALK**2)
    unexplained = total - load @ state.share
    count_scatter(state, 0.5 * (unexplained**2).sum())


@kernel
def cross_talk_step(
    state: CrossTalk,
    footings: Any,
    measured: SolePair,
    level: bool,
    settings: CrossTalkSettings,
    dt: float,
) -> bool:
    """Add one sample whose forces were corrected; return whether a step ends with it.

    Args:
        state: is overwritten.
        footings: contacts and the sensors' zeros of both feet; is replaced.
        measured: of both feet, in the world.
        level: whether both floors are level: on a slope the weight pulls along.
        settings: of the filter.
        dt: since the sample before [s].
    """
    window = state.window
    feet = footings.value  # as the sample before left them
    landed = False
    for foot in range(2):
        one = measured[foot]
        zero = feet[foot].zero
        state.force[0] += dt * (one.force_x - zero.x)
        state.force[1] += dt * (one.force_y - zero.y)
        window[1 + foot] += dt * (one.force_normal - zero.normal)
        landed = landed or (
            feet[foot].in_contact and not state.contact[foot] and zero.time > 0.0
        )
        state.contact[foot] = feet[foot].in_contact
    window[0] += dt
    if not (level and math.isfinite(state.force[0] + state.force[1])):
        window[0] = math.nan
    footings.value = (
        footing_step(feet[0], measured[0], settings.footing, dt),
        footing_step(feet[1], measured[1], settings.footing, dt),
    )
    return landed


@kernel
def without_cross_talk(share: Array, wrenches: Array) -> Array:
    """Correct wrenches (2, 6) of the floor on the soles, in the soles [N, N m].

    Args:
        share: (2, 2) of each foot's normal force that is shown in each axis.
        wrenches: as the sensors show them.
    """
    found = wrenches.copy()
    for foot in range(2):
        for axis in range(2):
            found[foot, axis] -= share[foot, axis] * wrenches[foot, 2]
    return found


class CrossTalkFilter:
    """Filter that estimates both force sensors' cross-talk while walking.

    It corrects the cross-talk as well; equations in the module's head.

    Args:
        mass: of the robot [kg].
        bound: of cross-talk and alignment together.
        footing: loads of a contact, times of the sensors' zeros.

    Attributes:
        state: what has been learnt, in arrays that samples overwrite.
        footings: contacts and sensors' zeros of both feet, for kernels.
        settings: mass and bounds.
    """

    def __init__(self, mass: float, bound: float, footing: SoleContactSettings) -> None:
        prior = bound / math.sqrt(3.0)
        self.settings = CrossTalkSettings(mass=mass, prior=prior, footing=footing)
        self._step = OfOneType(cross_talk_step)
        self._learn = OfOneType(learn)
        self.reset()
        # compiled before the first step of a walk, whose first landing asks for it
        self.learn(np.tile(np.eye(3), (2, 1, 1)), np.full(3, NAN))
        self.reset()

    def reset(self) -> None:
        """Reset the cross-talk to its prior."""
        share, information, seen, still = np.zeros((4, 2, 2))
        sigma = np.full(2, self.settings.prior)
        self.stand(NO_SOLE_CONTACT, NO_SOLE_CONTACT)
        self.state = CrossTalk(
            share=share,
            sigma=sigma,
            contact=np.zeros(2, bool),
            information=information,
            seen=seen,
            scatter=np.zeros(2),
            force=still[0],
            speed=still[1],
            window=np.full(3, NAN),
        )

    def stand(self, left: SoleContact, right: SoleContact) -> None:
        """Set contacts and sensors' zeros of both feet."""
        self.footings = hold((left, right))

    def corrected(self, wrenches: Array) -> Array:
        """Correct wrenches (2, 6) of the floor on the soles, in the soles [N, N m]."""
        return without_cross_talk(self.state.share, wrenches)

    def step(self, measured: SolePair, level: bool, dt: float) -> bool:
        """Add one sample of corrected soles; see :func:`cross_talk_step`.

        Returns whether a foot has landed: a step has ended, :meth:`learn` is due.
        """
        landed: bool = self._step(
            self.state, self.footings, measured, level, self.settings, dt
        )
        return landed

    def learn(self, rotation: Array, velocity: Array) -> None:
        """Learn from the step that has ended.

        Args:
            rotation: (2, 3, 3) of the soles to the world.
            velocity: (3,) of the centre of mass in the world [m/s], up to a constant;
                NaN: not known.
        """
        heading = np.ascontiguousarray(rotation[:, :2, 0])
        self._learn(self.state, velocity[:2], heading, self.settings)
