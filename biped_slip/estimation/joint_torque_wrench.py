# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Wrenches of the floor on both feet from encoders, motor currents and one IMU.

A robot without sensors in its ankles feels the floor in its joints. The body's motion
says which torques it needs, by inverse dynamics about a base whose gravity and
acceleration the accelerometer has together; what it needs and the motors do not give is
the floor's:

.. math::

   n_{base} = X_l^T w_l + X_r^T w_r,\qquad
   r_{leg} = n_{leg} - \tau + \varphi\cdot\theta - b = J^T w

with w the wrench in a sole, X and J the parts of the sole's Jacobian for the base and
for the leg, and :math:`\varphi\cdot\theta` the friction of the gears as it is known
(``gear_friction.py``). These are 18 equations for the 12 numbers of both wrenches, by
weighted least squares; no posture of a leg leaves a direction without one.

Gears err by as much as the friction sought, but nearly as a function of the sign of
speed and of the load, the same 10 ms before contact as 10 ms after it. So the **zero**
b of each joint is taken while its foot is in the air::

    load of the foot   ~~~\                       /~~~~~~
                           \_____________________/
    zero, swinging leg         |<-- r_leg -->|          up to 12 ms before contact
    zero, carrying leg         |<-- r_leg - J^T X^-T n_base -->|

It removes Coulomb, viscous and load-dependent friction, gravity, errors of masses and
of the IMU, as long as the joint keeps the sign of its speed. One that has reversed
since errs by what is not known of its friction, and is weighed so. In a landing posture
friction is seen by knee and ankle and load by the hip: a wrong torque constant makes no
friction out of load.

The residual's low pass (LOW_PASS) is that of the observer of generalised momentum
[DeLuca2006]: differences of noisy speeds add up to that of two samples. Where other
contacts carry, a gantry, a chair, a rail, base and legs contradict each other by more
than they err (``contradiction``): then the wrenches are not the floor's.

No publication is known that measures friction so; what the gears do to it was measured
in simulation only.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import copy_matrix, copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.base_noise import base_noise
from biped_slip.estimation.effort_check import (
    OLD,
    TIPPING,
    WITNESS_SPEED,
    EffortCheck,
    EffortSample,
)
from biped_slip.estimation.gear_friction import (
    GEAR_LEARNING_TIME,
    SIGN_SPEED,
    STICKING,
    STICKING_SPEED,
    TERMS,
    GearFriction,
    LegGears,
    friction_terms,
    friction_torque,
    friction_variance,
    learn_joint,
    makers_friction,
)
from biped_slip.estimation.swing_finder import (
    CARRIED_TIME,
    SoleRectangles,
    SwingEvidence,
    SwingState,
    carried_alone,
    grounded,
    may_carry,
    swing_step,
)
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.model_functions import (
    Generated,
    floating_functions,
    leg_dynamics,
    leg_joints,
)

LOW_PASS = 5e-3  # [s] of residuals: at 4 ms alike in simulation
ZERO_TIME = 0.04  # [s] over which a zero is taken
ZERO_AGE = 0.012  # [s] of its samples: contact is found 5 to 9 ms after it is made
SETTLED = 0.03  # [s] of samples, from which a zero is known
# standard deviations of the base's equations, by masses and IMU, in weights and weights
# times one metre; their noise where it is larger
BASE_FORCE = 0.01
BASE_MOMENT = 0.005
# of a leg's, in the Coulomb friction of its joints: with a zero from its own swing, and
# with one from standing on it
FRESH = 0.18
CARRYING = 0.42
# of a joint that has reversed since, by which its friction differs both ways (choice)
REVERSED = 0.2
CONTRADICTION_TIME = 0.05  # [s] over which base and legs are compared
# times what they err, from which something else carries, too: walks stay below 2.4,
# one that hangs with slack legs is at 4.4
CONTRADICTED = 3.5
# of an age of torques: standard deviations and [s] from which it is compensated
# (choice: whole samples are)
CERTAIN_AGE = 3.0
LEAST_AGE = 1.5e-3
MOST_FORCE = 3.0  # weights on a sole (choice)
LEAST_ARM = 0.02  # [m] at which it presses, on points, too
LEAST_SPAN = 1e-5  # [s] between two samples
# feet in the air, beside 0 and 1
BOTH = 2
NONE = -1


class BodySample(NamedTuple):
    """What encoders, motors and IMU say at one instant."""

    position: Array  # (n,) of the joints [rad]
    velocity: Array  # (n,) [rad/s]
    torque: Array  # (2, k) of the legs' motors, at their joints [N m]
    rate: Array  # (3,) of the base, in its axes [rad/s]
    felt: Array  # (3,) specific force in the IMU's axes [m/s^2]


class SoleWrenches(NamedTuple):
    """Wrenches of the floor, and what is known beside them; feet are left, right."""

    wrench: Array  # (2, 6) on the soles, in their axes about their origins [N, N m]
    covariance: Array  # (2, 3, 3) of its force [N^2]
    speed: Array  # (2, 3) of each sole against the other one, in its axes [m/s]
    in_air: Array  # (2,) bool
    # (1,) by which base and legs contradict each other, in their standard deviations
    contradiction: Array


class BodyTorques(NamedTuple):
    """What ``leg_dynamics`` fills, for the middle between two samples."""

    base: Array  # n (6,)
    legs: Array  # n_leg (2, k)
    base_share: Array  # X (2, 6, 6)
    leg_share: Array  # J (2, 6, k)
    sole_velocity: Array  # (2, 6), but for the base's linear one
    sole_felt: Array  # (2, 6) what IMUs in the soles would read


class Unexplained(NamedTuple):
    """What the motors do not explain, as low-passed sums; overwritten."""

    base: Array  # (6,) n of the base [N, N m]
    steady: Array  # (6,) the same, low-passed once more by CARRIED_TIME
    legs: Array  # (2, k) n_leg - tau [N m]
    terms: Array  # (2, k, 5) phi of ``gear_friction``


class Zero(NamedTuple):
    """Zeros b of both legs; overwritten."""

    torque: Array  # (2, k) [N m]
    terms: Array  # (2, k, 5) phi as they were taken
    speed: Array  # (2, k) of the joints then [rad/s]
    time: Array  # (2,) for which they were taken since the leg's last change [s]
    from_air: Array  # (2,) bool: from the leg's own swing, not from standing on it


class Aged(NamedTuple):
    """Samples of the last milliseconds, a ring of m."""

    swing: Array  # (m,) int: foot in the air, BOTH, or NONE
    legs: Array  # (m, 2, k) n_leg - tau, less the floor's share where it is known [N m]
    unknown: Array  # (m, 2, k) variance of that share [N^2 m^2]
    terms: Array  # (m, 2, k, 5)
    speed: Array  # (m, 2, k) [rad/s]
    next: Array  # (1,) int: place of the oldest


class WrenchState(NamedTuple):
    """State between two samples; overwritten."""

    before: BodySample
    middle: BodySample  # work
    change: BodySample  # work
    body: BodyTorques
    unexplained: Unexplained
    zero: Zero
    aged: Aged
    gears: GearFriction
    swing: SwingState
    learnt: Array  # (1,) time since the last sample that was learnt from [s]
    started: Array  # (1,) bool


class WrenchSettings(NamedTuple):
    """Robot and gears for the kernel."""

    robot: Generated
    joints: Array  # (2, k) int: places of both legs' joints among all
    gears: LegGears
    shapes: SoleRectangles
    weight: float  # [N]
    # (12,) sd of both wrenches before anything is measured [N, N m]: they press on
    # soles, which tells legs that lack a joint what their torques do not
    bounds: Array
    low_pass: float  # [s] of what the motors do not explain
    base_sd: Array  # (6,) of the base's equations [N, N m]


@kernel
def copy_sample(source: BodySample, into: BodySample) -> None:
    """Copy a sample into the arrays of another."""
    copy_vector(source.position, into.position, 0)
    copy_vector(source.velocity, into.velocity, 0)
    copy_vector(source.rate, into.rate, 0)
    copy_vector(source.felt, into.felt, 0)
    copy_matrix(source.torque, into.torque)


@kernel
def between(
    before: BodySample,
    now: BodySample,
    span: float,
    middle: BodySample,
    change: BodySample,
) -> None:
    """Compute the mean of two samples and their rate of change over a span [s]."""
    for i in range(now.position.shape[0]):
        middle.position[i] = 0.5 * (before.position[i] + now.position[i])
        middle.velocity[i] = 0.5 * (before.velocity[i] + now.velocity[i])
        change.velocity[i] = (now.velocity[i] - before.velocity[i]) / span
    for i in range(3):
        middle.rate[i] = 0.5 * (before.rate[i] + now.rate[i])
        middle.felt[i] = 0.5 * (before.felt[i] + now.felt[i])
        change.rate[i] = (now.rate[i] - before.rate[i]) / span
    for foot in range(2):
        for i in range(now.torque.shape[1]):
            middle.torque[foot, i] = 0.5 * (
                before.torque[foot, i] + now.torque[foot, i]
            )


@kernel
def relative_speed(body: BodyTorques, speed: Array) -> float:
    """Compute how fast each sole moves against the other [m/s].

    Args:
        body: of the middle.
        speed: (2, 3) in the sole's own axes, filled.
    """
    apart = np.zeros(3)  # in the base
    for j in range(3):
        for i in range(3):
            apart[j] += body.base_share[0, i, j] * body.sole_velocity[0, i]
            apart[j] -= body.base_share[1, i, j] * body.sole_velocity[1, i]
    for i in range(3):
        speed[0, i] = 0.0
        speed[1, i] = 0.0
        for j in range(3):
            speed[0, i] += body.base_share[0, i, j] * apart[j]
            speed[1, i] -= body.base_share[1, i, j] * apart[j]
    return math.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)


@kernel
def low_pass(state: WrenchState, joints: Array, share: float, steady: float) -> None:
    """Renew the low-passed sums by a share of what the middle of two samples says.

    Args:
        state: is overwritten.
        joints: (2, k) places of both legs' joints.
        share: of the new sample.
        steady: share of the new sum, of the base's steady wrench.
    """
    kept = state.unexplained
    terms = np.empty(TERMS)
    for i in range(6):
        kept.base[i] += share * (state.body.base[i] - kept.base[i])
        kept.steady[i] += steady * (kept.base[i] - kept.steady[i])
    for foot in range(2):
        for i in range(joints.shape[1]):
            torque = state.middle.torque[foot, i]
            bare = state.body.legs[foot, i] - torque
            kept.legs[foot, i] += share * (bare - kept.legs[foot, i])
            friction_terms(torque, state.middle.velocity[joints[foot, i]], terms)
            for term in range(TERMS):
                kept.terms[foot, i, term] += share * (
                    terms[term] - kept.terms[foot, i, term]
                )


@kernel
def base_variance(share: Array, column: Array, weight: float) -> float:
    """Compute how uncertain a joint's torque is by the base of a leg that carries.

    It is the diagonal of ``J^T X^-T P X^-1 J`` [N^2 m^2], with the variances P of the
    base's equations.

    Args:
        share: X (6, 6) of the sole.
        column: of J, (6,) of the joint.
        weight: of the robot [N].
    """
    force = (weight * BASE_FORCE) ** 2
    moment = (weight * BASE_MOMENT) ** 2
    total = 0.0
    for j in range(3):
        by_force = 0.0
        by_moment = 0.0
        for i in range(3):
            by_force += column[i] * share[i, j] + column[3 + i] * share[i, 3 + j]
            by_moment += column[3 + i] * share[i, j]
        total += by_force**2 * force + by_moment**2 * moment
    return total


@kernel
def remember(state: WrenchState, settings: WrenchSettings, in_air: int) -> None:
    """Put the sums of now into the ring, as a later zero will take them.

    Args:
        state: is overwritten.
        settings: of the robot.
        in_air: foot in the air, BOTH or NONE.
    """
    aged = state.aged
    joints = settings.joints
    place = aged.next[0]
    aged.swing[place] = in_air
    for foot in range(2):
        alone = carried_alone(state.unexplained.base, state.body.base_share[foot])
        for i in range(joints.shape[1]):
            left = state.unexplained.legs[foot, i]
            unknown = 0.0
            if in_air == 1 - foot:
                column = state.body.leg_share[foot, :, i]
                for j in range(6):
                    left -= column[j] * alone[j]
                unknown = base_variance(
                    state.body.base_share[foot], column, settings.weight
                )
            aged.legs[place, foot, i] = left
            aged.unknown[place, foot, i] = unknown
            aged.speed[place, foot, i] = state.middle.velocity[joints[foot, i]]
            copy_vector(state.unexplained.terms[foot, i], aged.terms[place, foot, i], 0)
    aged.next[0] = (place + 1) % aged.swing.shape[0]


@kernel
def take_zeros(state: WrenchState, dt: float) -> None:
    """Take the zeros of both legs from the oldest sample of the ring.

    Args:
        state: is overwritten.
        dt: since the sample before [s].
    """
    zero = state.zero
    aged = state.aged
    oldest = aged.next[0]
    for foot in range(2):
        flies = aged.swing[oldest] == BOTH or aged.swing[oldest] == foot
        if flies != zero.from_air[foot]:
            zero.from_air[foot] = flies
            zero.time[foot] = 0.0
        zero.time[foot] += dt
        gain = dt / min(zero.time[foot], max(ZERO_TIME, dt))
        for i in range(zero.torque.shape[1]):
            target = aged.legs[oldest, foot, i] + friction_torque(
                aged.terms[oldest, foot, i], state.gears.theta[foot, i]
            )
            zero.torque[foot, i] += gain * (target - zero.torque[foot, i])
            zero.speed[foot, i] += gain * (
                aged.speed[oldest, foot, i] - zero.speed[foot, i]
            )
            for term in range(TERMS):
                zero.terms[foot, i, term] += gain * (
                    aged.terms[oldest, foot, i, term] - zero.terms[foot, i, term]
                )


@kernel
def learn_gears(state: WrenchState, gears: LegGears) -> None:
    """Learn from the oldest sample of the ring.

    A zero loses what the friction then explains.
    """
    aged = state.aged
    oldest = aged.next[0]
    for foot in range(2):
        for i in range(gears.coulomb.shape[1]):
            state.zero.torque[foot, i] += learn_joint(
                state.gears.theta[foot, i],
                state.gears.covariance[foot, i],
                aged.terms[oldest, foot, i],
                -aged.legs[oldest, foot, i],
                gears.coulomb[foot, i],
                aged.unknown[oldest, foot, i],
            )


@kernel
def torque_sd(
    state: WrenchState, settings: WrenchSettings, foot: int, joint: int
) -> float:
    """Compute by what a joint's torque errs after its zero (sd) [N m].

    What a zero does not remove is the friction that differs from that of the zero, as
    far as it is not known; that of both directions of a joint that has reversed; and
    static peak and presliding of a joint that is slow.
    """
    coulomb = settings.gears.coulomb[foot, joint]
    share = FRESH if state.swing.last[0] == foot else CARRYING
    now = math.tanh(
        state.middle.velocity[settings.joints[foot, joint]] / STICKING_SPEED
    )
    then = math.tanh(state.zero.speed[foot, joint] / STICKING_SPEED)
    reversed_share = 0.5 * REVERSED * (1.0 - now * then)
    slow_share = STICKING * (1.0 - abs(now))
    unknown = friction_variance(
        state.unexplained.terms[foot, joint],
        state.zero.terms[foot, joint],
        state.gears.covariance[foot, joint],
    )
    known = share**2 + reversed_share**2 + slow_share**2
    return math.sqrt(coulomb**2 * known + unknown)


@kernel
def fill_equations(
    state: WrenchState, settings: WrenchSettings, matrix: Array, right: Array
) -> None:
    """Fill the equations of both wrenches, each in its standard deviations.

    Args:
        state: of the sample.
        settings: of the robot.
        matrix: (6 + 2 k, 12), filled; must be zero.
        right: (6 + 2 k,), filled.
    """
    joints = settings.joints.shape[1]
    for i in range(6):
        sd = settings.base_sd[i]
        right[i] = state.unexplained.base[i] / sd
        for foot in range(2):
            for j in range(6):
                matrix[i, 6 * foot + j] = state.body.base_share[foot, j, i] / sd
    for foot in range(2):
        for i in range(joints):
            row = 6 + joints * foot + i
            sd = torque_sd(state, settings, foot, i)
            taken = friction_torque(
                state.unexplained.terms[foot, i], state.gears.theta[foot, i]
            )
            left = state.unexplained.legs[foot, i] + taken - state.zero.torque[foot, i]
            right[row] = left / sd
            for j in range(6):
                matrix[row, 6 * foot + j] = state.body.leg_share[foot, j, i] / sd


@kernel
def solve_wrenches(
    state: WrenchState, settings: WrenchSettings, dt: float, found: SoleWrenches
) -> None:
    """Solve for both wrenches, and compare base and legs.

    Args:
        state: of the sample.
        settings: of the robot.
        dt: since the sample before [s].
        found: is filled.
    """
    rows = 6 + 2 * settings.joints.shape[1]
    matrix = np.zeros((rows, 12))
    right = np.empty(rows)
    fill_equations(state, settings, matrix, right)
    normal = matrix.T @ matrix
    for i in range(12):
        normal[i, i] += 1.0 / settings.bounds[i] ** 2
    covariance = np.linalg.inv(normal)
    wrenches = covariance @ (matrix.T @ right)
    misfit = 0.0
    for row in range(rows):
        left = right[row]
        for j in range(12):
            left -= matrix[row, j] * wrenches[j]
        misfit += left * left
    spare = max(rows - 12, 1)
    share = min(dt / CONTRADICTION_TIME, 1.0)
    found.contradiction[0] += share * (
        math.sqrt(misfit / spare) - found.contradiction[0]
    )
    for foot in range(2):
        for i in range(6):
            found.wrench[foot, i] = wrenches[6 * foot + i]
        for i in range(3):
            for j in range(3):
                found.covariance[foot, i, j] = covariance[6 * foot + i, 6 * foot + j]


@kernel
def foot_in_air(swing: SwingState) -> int:
    """Return the foot that is in the air, BOTH or NONE."""
    if swing.in_air[0] and swing.in_air[1]:
        return BOTH
    if swing.in_air[0]:
        return 0
    return 1 if swing.in_air[1] else NONE


@kernel
def body_torques(state: Any, robot: Generated) -> None:
    """Compute what the middle of two samples asks of base and legs.

    Args:
        state: with ``middle``, ``change`` and ``body``, which is filled.
        robot: addresses of its functions.
    """
    middle = state.middle
    body = state.body
    leg_dynamics(
        robot,
        (
            middle.position,
            middle.velocity,
            state.change.velocity,
            middle.rate,
            state.change.rate,
            middle.felt,
        ),
        (
            body.base,
            body.legs,
            body.base_share,
            body.leg_share,
            body.sole_velocity,
            body.sole_felt,
        ),
    )


@kernel
def swing_evidence(state: WrenchState, found: SoleWrenches) -> SwingEvidence:
    """Collect what the sample says of both feet; fills the soles' speeds."""
    alone = np.empty((2, 6))
    settled = np.empty(2, np.bool_)
    for foot in range(2):
        alone[foot] = carried_alone(
            state.unexplained.steady, state.body.base_share[foot]
        )
        settled[foot] = state.zero.from_air[foot] and state.zero.time[foot] > SETTLED
    return SwingEvidence(
        alone=alone,
        load=found.wrench[:, 2].copy(),
        settled=settled,
        speed=relative_speed(state.body, found.speed),
    )


@kernel
def wrench_step(
    state: WrenchState,
    sample: BodySample,
    settings: WrenchSettings,
    dt: float,
    found: SoleWrenches,
) -> None:
    """Update the wrenches of both feet by one sample.

    Args:
        state: is overwritten.
        sample: of encoders, motors, IMU.
        settings: of the robot.
        dt: since the sample before [s].
        found: is overwritten.
    """
    if not state.started[0] or not dt > LEAST_SPAN:
        copy_sample(sample, state.before)
        state.started[0] = True
        return
    middle = state.middle
    between(state.before, sample, dt, middle, state.change)
    copy_sample(sample, state.before)
    body_torques(state, settings.robot)
    share = 1.0 - math.exp(-dt / settings.low_pass)
    low_pass(state, settings.joints, share, 1.0 - math.exp(-dt / CARRIED_TIME))
    solve_wrenches(state, settings, dt, found)
    evidence = swing_evidence(state, found)
    swing_step(state.swing, evidence, settings.shapes, settings.weight, dt)
    in_air = foot_in_air(state.swing)
    state.learnt[0] += dt
    oldest = state.aged.swing[state.aged.next[0]]
    if in_air != NONE and oldest == in_air:
        take_zeros(state, dt)
        if state.learnt[0] >= GEAR_LEARNING_TIME:
            learn_gears(state, settings.gears)
            state.learnt[0] = 0.0
    remember(state, settings, in_air)
    found.in_air[:] = state.swing.in_air


@kernel
def witnessed_swing(
    state: WrenchState, settings: WrenchSettings, found: SoleWrenches
) -> int:
    """Return the foot in the air as base and encoders tell it without torques, or NONE.

    It is the one without which the other can carry alone.
    """
    shapes = settings.shapes
    alone = np.empty(2, np.bool_)
    for foot in range(2):
        wrench = carried_alone(state.unexplained.steady, state.body.base_share[foot])
        alone[foot] = may_carry(wrench, shapes.middle[foot], shapes.half[foot])
    speed = 0.0
    for i in range(3):
        speed += found.speed[0, i] ** 2
    if alone[0] == alone[1] or speed < WITNESS_SPEED**2:
        return NONE
    return 1 if alone[0] else 0


@kernel
def expected_torques(
    state: WrenchState, settings: WrenchSettings, foot: int, into: EffortSample
) -> None:
    """Fill in the torques (2, k) that the body asks of the motors, and their gears.

    Args:
        state: of the sample.
        settings: of the robot.
        foot: in the air, so that the other one carries alone; NONE: the floor's share
            is left out.
        into: what is asked, friction and share of the load are filled.
    """
    body = state.body
    gears = settings.gears
    for leg in range(2):
        wrench = np.zeros(6)
        if foot == 1 - leg:
            wrench = carried_alone(body.base, body.base_share[leg])
        for i in range(settings.joints.shape[1]):
            asked = body.legs[leg, i]
            for j in range(6):
                asked -= body.leg_share[leg, j, i] * wrench[j]
            speed = state.middle.velocity[settings.joints[leg, i]]
            sign = math.tanh(speed / SIGN_SPEED)
            into.asked[leg, i] = asked
            into.friction[leg, i] = (
                gears.coulomb[leg, i] * sign + gears.viscous[leg, i] * speed
            )
            into.by_load[leg, i] = gears.load[leg, i] * sign


@kernel
def effort_sample(
    state: WrenchState,
    settings: WrenchSettings,
    found: SoleWrenches,
    under_way: int,
    sample: EffortSample,
) -> int:
    """Fill a sample of the check of torques; return the foot in the air, or NONE.

    Args:
        state: of the sample.
        settings: of the robot.
        found: with the soles' speeds.
        under_way: foot whose swing the check follows, or NONE.
        sample: its arrays are filled.
    """
    foot = witnessed_swing(state, settings, found)
    # a witness of single samples is noise of the base: where it chose the leg that
    # carries, it would choose which part of that noise is asked of its joints
    expected_torques(state, settings, foot if under_way == NONE else under_way, sample)
    copy_matrix(state.middle.torque, sample.torque)
    body = state.body
    for i in range(3):
        sample.felt[i] = body.base[i] / settings.weight * GRAVITY
        turned = 0.0
        for j in range(3):
            turned += body.base_share[0, i, j] * state.middle.rate[j]
        sample.turn[0, i] = body.sole_velocity[0, 3 + i]
        sample.turn[1, i] = body.sole_velocity[0, 3 + i] - turned
    for leg in range(2):
        for i in range(3):
            sample.normals[leg, i] = body.base_share[leg, 2, i]
        for i in range(settings.joints.shape[1]):
            sample.speed[leg, i] = state.before.velocity[settings.joints[leg, i]]
    return foot


def empty_sample(joints: int, leg: int) -> BodySample:
    """Return a sample of zeros, for a number of joints in all and in a leg."""
    return BodySample(
        position=np.zeros(joints),
        velocity=np.zeros(joints),
        torque=np.zeros((2, leg)),
        rate=np.zeros(3),
        felt=np.zeros(3),
    )


def empty_body(leg: int) -> BodyTorques:
    """Return what ``leg_dynamics`` fills, for a number of joints in a leg."""
    return BodyTorques(
        base=np.zeros(6),
        legs=np.zeros((2, leg)),
        base_share=np.zeros((2, 6, 6)),
        leg_share=np.zeros((2, 6, leg)),
        sole_velocity=np.zeros((2, 6)),
        sole_felt=np.zeros((2, 6)),
    )


def initial_state(joints: int, gears: LegGears, period: float) -> WrenchState:
    """Return the state before the first sample.

    Args:
        joints: number of the robot's joints.
        gears: of both legs.
        period: between samples [s], which the ring of old ones is for.
    """
    leg = gears.coulomb.shape[1]
    ring = max(round(ZERO_AGE / period), 1)
    return WrenchState(
        before=empty_sample(joints, leg),
        middle=empty_sample(joints, leg),
        change=empty_sample(joints, leg),
        body=empty_body(leg),
        unexplained=Unexplained(
            base=np.zeros(6),
            steady=np.zeros(6),
            legs=np.zeros((2, leg)),
            terms=np.zeros((2, leg, TERMS)),
        ),
        zero=Zero(
            torque=np.zeros((2, leg)),
            terms=np.zeros((2, leg, TERMS)),
            speed=np.zeros((2, leg)),
            time=np.zeros(2),
            from_air=np.zeros(2, np.bool_),
        ),
        aged=Aged(
            swing=np.full(ring, NONE),
            legs=np.zeros((ring, 2, leg)),
            unknown=np.zeros((ring, 2, leg)),
            terms=np.zeros((ring, 2, leg, TERMS)),
            speed=np.zeros((ring, 2, leg)),
            next=np.zeros(1, int),
        ),
        gears=makers_friction(gears),
        swing=grounded(),
        learnt=np.zeros(1),
        started=np.zeros(1, np.bool_),
    )


def _bounds(corners: Array, weight: float) -> Array:
    """Return what the wrench (6,) on a sole does not exceed [N, N m].

    Forces are some weights; moments are a weight at the sole's rim.

    Args:
        corners: (k, 2) of the sole, in its frame [m].
        weight: of the robot [N].
    """
    along, across = np.maximum(np.abs(corners).max(axis=0), LEAST_ARM)
    force = MOST_FORCE * np.ones(3)
    return weight * np.concatenate([force, [across, along, along]])


def _base_sd(humanoid: Humanoid, leg: int) -> Array:
    """Return by what the base's equations err (6,) [N, N m]."""
    noise = base_noise(floating_functions(humanoid.robot), humanoid.posture, leg)
    model = humanoid.weight * np.repeat([BASE_FORCE, BASE_MOMENT], 3)
    # what masses and IMU leave was found on a G1, whose noise is in it
    return np.maximum(model, noise)


class JointTorqueWrenches:
    """Wrenches of the floor on both feet, from the torques of the legs' motors.

    Args:
        humanoid: whose legs they are.
        gears: what the maker says of them.
        period: between samples [s].

    Attributes:
        found: of the last sample.
        check: whether torques and IMU are what they pass for.
    """

    def __init__(self, humanoid: Humanoid, gears: LegGears, period: float) -> None:
        robot = humanoid.robot
        corners = np.array([humanoid.polygon(foot) for foot in (0, 1)], dtype=float)
        self.legs = np.array(leg_joints(robot))
        self._settings = WrenchSettings(
            robot=floating_functions(robot).generated,
            joints=self.legs,
            gears=gears,
            shapes=SoleRectangles(
                middle=0.5 * (corners.min(axis=1) + corners.max(axis=1)),
                half=0.5 * np.ptp(corners, axis=1),
            ),
            weight=humanoid.weight,
            bounds=np.concatenate([_bounds(one, humanoid.weight) for one in corners]),
            low_pass=LOW_PASS,
            base_sd=_base_sd(humanoid, self.legs.shape[1]),
        )
        self._joints = len(robot.joints)
        self._period = period
        self._step = OfOneType(wrench_step)
        self._checked = OfOneType(effort_sample)
        self._names = tuple(robot.joints[joint] for joint in self.legs.ravel())
        self.check = EffortCheck(self._names, gears.coulomb, period)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample; what was learnt is forgotten."""
        leg = self.legs.shape[1]
        self.state = initial_state(self._joints, self._settings.gears, self._period)
        self.found = SoleWrenches(
            wrench=np.zeros((2, 6)),
            covariance=np.zeros((2, 3, 3)),
            speed=np.zeros((2, 3)),
            in_air=np.zeros(2, np.bool_),
            contradiction=np.zeros(1),
        )
        self._sample = empty_sample(self._joints, leg)
        self._past: deque[BodySample] = deque(maxlen=round(OLD / self._period) + 1)
        self.check.reset()
        self._effort = EffortSample(
            torque=np.zeros((2, leg)),
            asked=np.zeros((2, leg)),
            friction=np.zeros((2, leg)),
            by_load=np.zeros((2, leg)),
            speed=np.zeros((2, leg)),
            felt=np.zeros(3),
            turn=np.zeros((2, 3)),
            normals=np.zeros((2, 3)),
            swinging=NONE,
            resting=True,
        )

    @property
    def trusted(self) -> bool:
        """Return whether torques and IMU have been judged, and nothing is wrong."""
        return self.check.judged and not self.check.faults

    def retime(self, period: float) -> None:
        """Reset for samples that come with another period [s]."""
        self._period = period
        self.check = EffortCheck(self._names, self._settings.gears.coulomb, period)
        self.reset()

    @property
    def contradicted(self) -> bool:
        """Return whether something else than the feet carries, too."""
        return bool(self.found.contradiction[0] > CONTRADICTED)

    def step(
        self,
        position: Array,
        velocity: Array,
        torque: Array,
        rate: Array,
        felt: Array,
        dt: float,
    ) -> SoleWrenches:
        """Find both wrenches from one sample; what is returned is overwritten later.

        Without torques the wrenches stay as they were; torques that are known to be
        late are taken with the body of then.

        Args:
            position: (n,) of the joints [rad].
            velocity: (n,) [rad/s].
            torque: (n,) of the motors, at the joints [N m].
            rate: (3,) of the base, in its axes [rad/s].
            felt: (3,) specific force in the IMU's axes [m/s^2].
            dt: since the sample before [s].
        """
        told = torque[self.legs]
        if not self.check.there(told, dt):
            return self.found
        self._past.append(
            BodySample(
                position=np.array(position),
                velocity=np.array(velocity),
                torque=told,
                rate=np.array(rate),
                felt=np.array(felt),
            )
        )
        sample = self._sample
        then = self._past[-1 - min(self._late, len(self._past) - 1)]
        sample.position[:] = then.position
        sample.velocity[:] = then.velocity
        sample.rate[:] = then.rate
        sample.felt[:] = then.felt
        sample.torque[:] = told
        self._step(self.state, sample, self._settings, dt, self.found)
        if not self.check.judged:
            foot = self._checked(
                self.state,
                self._settings,
                self.found,
                self.check.swinging,
                self._effort,
            )
            speed = float(np.linalg.norm(self.found.speed[0]))
            calm = float(np.linalg.norm(rate)) < TIPPING
            resting = speed < WITNESS_SPEED and calm
            self.check.step(self._effort._replace(swinging=foot, resting=resting), dt)
        return self.found

    @property
    def _late(self) -> int:
        """Return by how many samples torques are late, where that is certain."""
        age = self.check.age
        if age is None or age.value < max(CERTAIN_AGE * age.sd, LEAST_AGE):
            return 0
        return round(min(age.value, OLD) / self._period)
