# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Cross-talk of both ankles' force sensors, estimated while walking from the change of momentum.

A sensor that shows a share :math:`c_i` of its normal force along the foot, by cross-talk, by its mounting or because
the base is thought to be tilted, makes the sum of the forces wrong. From one touchdown to the next

.. math:: \sum_t (F_l + F_r)\,\Delta t - m\,\Delta v = c_l \sum_t N_l\,\Delta t + c_r \sum_t N_r\,\Delta t

with the forces along the heading, and the change of the centre of mass's speed. Each step carries on one foot, so a
few steps tell both numbers, by recursive least squares with the sensors' bounds as the prior.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.estimation.sole_motion import SolePair
from biped_slip.friction_estimation.touchdown import TouchdownEstimator, TouchdownState
from biped_slip.friction_estimation.types import NAN, NO_MEASUREMENT, FootMeasurement

SPEED_ERROR = 0.014  # [m/s] of the change of speed over a step (choice)
LEFT = 0.003  # that no number of steps improves (measured on TALOS, 0.001 to 0.003)
KEPT = 0.98  # of what was learnt, from step to step: offsets and mountings drift (choice)
CERTAIN = 4.0  # sigmas by which a step may differ; further it was pushed, or slid (choice)
SHORTEST, LONGEST = 0.2, 3.0  # [s] of a step (choice)


class CrossTalk(NamedTuple):
    """Buffers that a sample overwrites; feet left, right."""

    share: Array  # (2,) of the normal force that is shown along the foot
    sigma: Array  # (2,) its standard deviation
    contact: Array  # (2,) whether each foot was on the floor
    information: Array  # (2, 2) learnt so far, without the prior
    seen: Array  # (2,)
    window: Array  # (5,) since the last touchdown: time [s], sums of force and of both loads [N s], speed then [m/s]


@kernel
def learn(state: CrossTalk, speed: float, mass: float, prior: float) -> None:
    """Update the cross-talk by the step that ends with a touchdown at a speed [m/s]; ``prior`` is the bound's sd."""
    window, sigma = state.window, mass * SPEED_ERROR
    if SHORTEST < window[0] < LONGEST:  # false for NaN
        change = window[1] - mass * (speed - window[4])
        left, right = window[2], window[3]
        expected = left * state.share[0] + right * state.share[1]
        spread = math.hypot(sigma, math.hypot(left * state.sigma[0], right * state.sigma[1]))
        if abs(change - expected) < CERTAIN * spread:
            load, weight = window[2:4], 1.0 / (sigma * sigma)
            for i in range(2):
                state.seen[i] = KEPT * state.seen[i] + weight * load[i] * change
                for j in range(2):
                    state.information[i, j] = KEPT * state.information[i, j] + weight * load[i] * load[j]
            a = state.information[0, 0] + 1.0 / prior**2
            b, d = state.information[0, 1], state.information[1, 1] + 1.0 / prior**2
            size = a * d - b * b
            state.share[0] = (d * state.seen[0] - b * state.seen[1]) / size
            state.share[1] = (a * state.seen[1] - b * state.seen[0]) / size
            state.sigma[0], state.sigma[1] = (
                math.hypot(math.sqrt(d / size), LEFT),
                math.hypot(math.sqrt(a / size), LEFT),
            )
    window[:4], window[4] = 0.0, speed


@kernel
def cross_talk_step(
    state: CrossTalk, measured: SolePair, feet: tuple[TouchdownState, TouchdownState], heading: Array, velocity: Array,
    level: bool, mass: float, prior: float, dt: float,
) -> SolePair:  # fmt: skip
    """Update the cross-talk by one sample, and correct its forces.

    Args:
        state: is overwritten.
        measured: of both feet, in the world.
        feet: contacts and the sensors' zeros, as the touchdown estimators have them.
        heading: (2, 2) cosine and sine of each foot's yaw.
        velocity: (3,) of the centre of mass in the world [m/s]; NaN: not known.
        level: whether both floors are level: on a slope the weight pulls along.
        mass: of the robot [kg].
        prior: standard deviation of the shares before anything is learnt.
        dt: since the sample before [s].
    """
    window, landed = state.window, False
    for foot in range(2):
        one, zero = measured[foot], feet[foot].zero
        window[1] += dt * (heading[foot, 0] * (one.force_x - zero.x) + heading[foot, 1] * (one.force_y - zero.y))
        window[2 + foot] += dt * (one.force_normal - zero.normal)
        landed = landed or (feet[foot].in_contact and not state.contact[foot] and zero.time > 0.0)
        state.contact[foot] = feet[foot].in_contact
    window[0] += dt
    if not (level and math.isfinite(window[1] + velocity[0])):
        window[0] = math.nan
    if landed:
        yaw = heading[0] + heading[1]
        learn(state, (yaw[0] * velocity[0] + yaw[1] * velocity[1]) / math.hypot(yaw[0], yaw[1]), mass, prior)
    left = _without(measured[0], feet[0].zero.normal, state, 0, heading)
    return left, _without(measured[1], feet[1].zero.normal, state, 1, heading)


@kernel
def _without(one: FootMeasurement, zero: float, state: CrossTalk, foot: int, heading: Array) -> FootMeasurement:
    shown = state.share[foot] * (one.force_normal - zero)
    return FootMeasurement(
        one.stamp_ns, one.force_x - heading[foot, 0] * shown, one.force_y - heading[foot, 1] * shown, one.force_normal,
        one.displacement_x, one.displacement_y, one.velocity_x, one.velocity_y, one.moment_normal,
        one.centre_of_pressure_x, one.centre_of_pressure_y, one.angular_rate,
    )  # fmt: skip


class CrossTalkFilter:
    """Filter that estimates the cross-talk of both force sensors while walking and corrects it.

    Args:
        mass: of the robot [kg].
        bound: of cross-talk and alignment together.
    """

    def __init__(self, mass: float, bound: float) -> None:
        self._mass, self._bound = mass, bound
        self.reset()
        foot = TouchdownEstimator.start
        example = (NO_MEASUREMENT, NO_MEASUREMENT), (foot, foot), np.ones((2, 2)), np.zeros(3), True, mass, 1.0, 1e-3
        self._step: Any = without_dispatch(cross_talk_step, self.state, *example)

    def reset(self) -> None:
        """Reset the cross-talk to its prior."""
        sigma = np.full(2, self._bound / math.sqrt(3.0))
        self.state = CrossTalk(np.zeros(2), sigma, np.zeros(2, bool), np.zeros((2, 2)), np.zeros(2), np.full(5, NAN))

    def step(
        self, measured: SolePair, feet: tuple[TouchdownState, TouchdownState], rotation: Array, velocity: Array,
        level: bool, dt: float,
    ) -> SolePair:  # fmt: skip
        """Correct one sample, of soles turned by ``rotation`` (2, 3, 3) to the world; see :func:`cross_talk_step`."""
        heading = np.ascontiguousarray(rotation[:, :2, 0])
        found: SolePair = self._step(self.state, measured, feet, heading, velocity, level, self._mass,
                                     self._bound / math.sqrt(3.0), dt)  # fmt: skip
        return found
