# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps, gains and weights of a humanoid from its own numbers.

They follow from dynamic similarity, and from what its legs can do.

Robots of one shape move alike if lengths go with the height h of the centre of mass
over the soles, times with ``sqrt(h/g)`` and thus feedback with ``omega^2 = g/h``
[Hof1996]. The shares are what TALOS, SURENA III and G1 had in common after each had
been tuned by itself; on points they are Bolt's. The rest follows from legs, soles and
motors.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.balance import balances
from biped_slip.control.whole_body.body import Body, Leg, leg_of, within_reach
from biped_slip.control.whole_body.swing_path import LEVEL_OFF
from biped_slip.errors import InvalidParameter

BENT = 0.84  # of the straight leg: length of a leg under the hip
TRANSFER = 0.35  # double support, over sqrt(h/g)
SLOWEST_TRANSFER = 1.0  # the same where the hips are weak (choice)
SINGLE = 2.7  # single support, over sqrt(h/g)
HIP_ROLL = 0.7  # of a hip's torque that holds the body beside the stance leg (choice)
KNEE = 0.5  # of a knee's torque on one leg: a step takes half as much again
# of an ankle's torque, which holds the centre of pressure of one foot away from it
ANKLE = 0.86
SOLE = 0.8  # of a sole's length, where the ankle is strong: it rolls over its toe
BEYOND_SOLES = 1.0  # [m] reach of an ankle, beyond any sole
PEAK = 6.0  # of a cubic swing: acceleration at its ends, over way by squared time


class LegMotors(NamedTuple):
    """Limits of a leg's motors."""

    hip: float  # torque [N m]
    knee: float
    ankle: float
    ankle_roll: float  # infinite where there is none: the edge of the sole holds
    hip_roll: float
    speed: float  # of the hip [rad/s]


def walking_length(leg: Leg, weight: float, torque: float) -> float:
    """Choose the vertical distance of hip and ankle [m].

    Bent legs reach far, but a knee bears ``weight`` x its offset.

    ``weight`` [N] is the robot's, ``torque`` [N m] the knee's limit.
    """
    for length in np.linspace(BENT, 1.0, 161) * leg.longest:
        if weight * abs(leg.forward * leg.offset(length) - leg.ahead) <= KNEE * torque:
            return float(length)
    return leg.longest


def leg_reach(leg: Leg, length: float) -> float:
    """Compute how far [m] behind the centre of mass a flat foot may lift off.

    Hip and ankle are ``length`` [m] apart.

    The square of the leg's length is then half-way to that of the straight leg.
    """
    return (
        leg.ahead - leg.middle + math.sqrt(max(0.5 * (leg.longest**2 - length**2), 0.0))
    )


def shortest_lift(leg: Leg, length: float, height: float, torque: float) -> float:
    """Compute the shortest single support [s] in which a hip lifts its foot.

    A straight leg has no lever to lift with.

    A swing to ``height`` [m] begins with ``2 LEVEL_OFF height / T^2``; hip and knee
    lift by twice the knee's offset.
    """
    lever = 2.0 * leg.offset(length)
    return (
        math.sqrt(2.0 * LEVEL_OFF * height * leg.moment / (torque * lever))
        if lever > 0.0
        else math.inf
    )


def lift_off_place(single: float, double: float) -> float:
    """Compute where a robot that steps in place is as a foot lifts off.

    The place is that of the centre of mass, from the middle of the feet, over that of
    the foot that is to carry.

    The centre of mass of a linear inverted pendulum swings between the feet; the ZMP
    stands under one for ``single`` / omega and goes over to the other in ``double`` /
    omega. With s and d half of both,

        y / y_foot = 1 - cosh(s) sinh(d) / (d cosh(s + d))
    """
    s = 0.5 * single
    d = 0.5 * double
    return 1.0 - math.cosh(s) * math.sinh(d) / (d * math.cosh(s + d))


def transfer_time(single: float, needed: float) -> float:
    """Choose the double support, times omega, that brings the body over a foot.

    It is the shortest with which the body is at a ``needed`` share of the way to the
    foot when the other one lifts off, and ``SLOWEST_TRANSFER`` at most.
    """
    for double in np.linspace(TRANSFER, SLOWEST_TRANSFER, 27):
        if lift_off_place(single, double) >= needed:
            return float(double)
    return SLOWEST_TRANSFER


def scaled_gait(body: Body, efforts: Any, weight: float) -> dict[str, Any]:
    """Derive speed and controller settings of a robot, as nested mappings.

    The robot has joint torques (n,) [N m].
    """
    if not balances(body.half_size):
        return on_points(body.centre_height, body.width)
    leg = leg_of(body)
    if leg.ankle == 0:
        raise InvalidParameter(
            "legs of the robot",
            "no joint that pitches the foot",
            "an ankle, for soles with an area",
            "give the sole one corner if the foot is a point",
        )
    model = body.model

    def torque(*joints: int) -> float:
        places = [model.idx_vs[joint] - 6 for joint in joints]
        return float(np.min(efforts[places], initial=math.inf))

    motors = LegMotors(
        hip=torque(leg.hip),
        knee=torque(*leg.knees),
        ankle=torque(leg.ankle),
        ankle_roll=torque(*leg.rolls),
        hip_roll=torque(*leg.hip_rolls),
        speed=float(model.velocityLimit[model.idx_vs[leg.hip]]),
    )
    return on_soles(leg, motors, body.centre_height, body.half_size, weight)


class Walker(NamedTuple):
    """A robot on flat feet in its own scales: the height h of its centre of mass."""

    height: float  # h: of the centre of mass over the soles as it walks [m]
    length: float  # vertical distance of hip and ankle as it walks [m]
    width: float  # between the soles [m]
    sole: float  # width of a sole [m]
    lifted: float  # shortest single support in which a hip lifts its foot [s]

    @property
    def time(self) -> float:
        """Return sqrt(h/g) [s]."""
        return math.sqrt(self.height / GRAVITY)

    @property
    def speed(self) -> float:
        """Return sqrt(g h) [m/s]."""
        return math.sqrt(GRAVITY * self.height)

    @property
    def omega(self) -> float:
        """Return sqrt(g/h) [1/s]."""
        return math.sqrt(GRAVITY / self.height)


def on_soles(
    leg: Leg, motors: LegMotors, standing: float, half_size: Array, weight: float
) -> dict[str, Any]:
    """Derive the settings of a robot on flat feet.

    Args:
        leg: of the robot.
        motors: of the leg.
        standing: height of the centre of mass over the soles in the standing posture
            [m].
        half_size: length and width (2,) of a sole, halved [m].
        weight: [N].
    """
    length = walking_length(leg, weight, motors.knee)
    sole = 2.0 * float(half_size[1])
    reach = ANKLE * motors.ankle / weight
    half = SOLE * float(half_size[0])
    used = within_reach(leg.middle - half, leg.middle + half, 0.0, reach)
    leg = leg._replace(middle=0.5 * (used[0] + used[1]))
    h = standing + length - leg.vertical
    walker = Walker(
        height=h,
        length=length,
        width=max(0.21 * h, sole + 0.03 * h),
        sole=sole,
        lifted=shortest_lift(leg, length, 0.075 * h, motors.hip),
    )
    return {
        "speed": 0.08 * walker.speed,
        "controller": {
            "height_share": h / standing,
            "sole_share": SOLE,
            "ankle_reach": min(reach, BEYOND_SOLES),
            "ankle_reach_across": min(ANKLE * motors.ankle_roll / weight, BEYOND_SOLES),
            "steps": _steps(walker, leg, HIP_ROLL * motors.hip_roll / weight),
            "pattern": _pattern(walker, leg, motors),
            "stepping": _stepping(walker),
            "gains": _gains(walker.omega),
            "weights": {"base": 0.16 * h**2, "waist": 1e-4},
        },
    }


def _steps(walker: Walker, leg: Leg, lever: float) -> dict[str, Any]:
    """Derive places and times of steps.

    The force of the ground points from the stance foot to the centre of mass, and
    passes inside of the hip, which holds it at a ``lever`` [m] at most: weak hips wait
    in double support until the body is further over the foot.
    """
    h = walker.height
    half = 0.5 * walker.width
    single = max(SINGLE, walker.lifted / walker.time)
    # of the way up the leg, on which the force leads from the foot to the body
    up = min((leg.above - leg.vertical + walker.length) / h, 1.0)
    needed = 1.0 - (half - leg.aside + lever) / (up * half)
    reach = math.sqrt(max(leg.longest**2 - walker.length**2, 0.0))
    return {
        "width": walker.width,
        "inward": min(0.04 * h, walker.width - walker.sole - 0.015 * h),
        "outward": 0.25 * h,
        "length": 2.0 * reach,
        "single_support": max(SINGLE * walker.time, walker.lifted),
        "double_support": transfer_time(single, needed) * walker.time,
    }


def _pattern(walker: Walker, leg: Leg, motors: LegMotors) -> dict[str, Any]:
    """Derive the limits of footsteps: how soon, how far, how fast a foot swings."""
    fastest = 0.46 * motors.speed * leg.radius
    return {
        "shortest_single_support": max(1.4 * walker.time, walker.lifted),
        "leg_reach": leg_reach(leg, walker.length) / walker.height,
        "swing_speed": min(fastest, 0.75 * walker.speed),
        "swing_acceleration": 0.56 * motors.hip * leg.radius / (PEAK * leg.moment),
    }


def _stepping(walker: Walker) -> dict[str, Any]:
    """Derive how a foot swings and lands."""
    return {
        "swing_height": 0.075 * walker.height,
        "sinking_speed": 0.12 * walker.speed,
        "settle_time": 2.8 * walker.time,
        "first_transfer": 2.8 * walker.time,
        # for the milliseconds of the slide (study of the sliding touchdown)
        "touchdown": {"lead": 0.04},
    }


def _gains(omega: float) -> dict[str, Any]:
    """Derive the feedback from omega = sqrt(g/h) [1/s]."""
    return {
        "base": 4.0 * omega**2,
        "height": 8.4 * omega**2,
        "posture": 8.4 * omega**2,
        "swing": 75.0 * omega**2,
        "dcm": 1.4 * omega,
        "momentum": 1.4 * omega,
        "waist_damping": 23.0 * omega,
    }


def on_points(standing: float, apart: float) -> dict[str, Any]:
    """Derive the steps of a robot on two points, without double support.

    The trunk is held, and the swing foot lands on time.

    ``standing`` and ``apart`` [m] are the height of the centre of mass and the width
    between the points, standing.
    """
    h = 0.97 * standing
    time = math.sqrt(h / GRAVITY)
    speed = math.sqrt(GRAVITY * h)
    omega = math.sqrt(GRAVITY / h)
    return {
        "speed": 0.08 * speed,
        "controller": {
            "height_share": 0.97,
            "acceleration": 0.1,
            "steps": {
                "width": max(apart, 0.3 * h),
                "length": 0.6 * h,
                "inward": 0.22 * h,
                "outward": 0.6 * h,
                "single_support": 1.2 * time,
                "double_support": 0.0,
            },
            "stepping": {
                "swing_height": 0.11 * h,
                "inset": 0.0,
                "sinking_speed": 0.3 * speed,
                "smooth_swing": True,
                "touchdown": {"lead": 0.0},  # a late step is a fall
                # swings exceed a fortieth in the air, too: Bolt landed too soon
                "landing_force": 0.05,
            },
            "gains": {"base": 5.5 * omega**2, "swing": 69.0 * omega**2},
            "weights": {"base": 1.0, "momentum": 0.0, "force": 1e-4, "swing": 10.0},
            "pattern": {
                "shortest_single_support": 1.2 * time,
                "longest_double_support": 1e-3,
            },
        },
    }
