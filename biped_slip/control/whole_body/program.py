# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of whole-body control, assembled densely ([Escande2014], [Herzog2016]).

Unknowns: accelerations of the base, the legs and a waist that can counter them, then the force at every corner of the
stance soles over the robot's mass. The rest of the body follows its posture, its accelerations are known. ::

    min  sum of w_k |task_k|^2
    s.t. base rows of  M a + h = J^T f          the base has no motor
         J a + J' v = -d J v                    stance soles stay
         C f <= 0                               unilateral, inside the friction pyramid; corners bound the CoP
         |M a + h - J^T f| <= effort limits     leg joints; these rows may give way, as the next ones
         low <= a <= high                       leg joints stay inside their range, knees stay bent
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter

EQUALITY, SOFT = 5, 8  # daqp's kinds of rows
FREE = 1e30  # no bound


@configuration
class WeightConfig(Configuration):
    """Weights of the tasks; all errors are accelerations, so the numbers compare directly."""

    centre_of_mass: float = parameter(10.0, low=0.0, high=1e4, doc="acceleration of the centre of mass [m/s^2]")
    base: float = parameter(
        0.02, low=0.0, high=1e4, doc="angular acceleration of the base [rad/s^2]: it leans while a leg swings"
    )
    base_turn: float = parameter(
        0.1,
        low=0.0,
        high=10.0,
        doc="of that weight, about the base's vertical axis: where nothing else counters the legs",
    )
    swing: float = parameter(1.0, low=0.0, high=1e4, doc="acceleration of the swing sole [m/s^2, rad/s^2]")
    swing_turn: float = parameter(
        0.1, unit="m", low=0.0, high=10.0, doc="lever at which its turning counts: a late ankle is no harm in the air"
    )
    momentum: float = parameter(0.01, low=0.0, high=1e4, doc="rate of angular momentum over mass [m^2/s^2]")
    posture: float = parameter(1e-4, above=0.0, high=1e4, doc="accelerations of the legs: fixes what no task does")
    waist: float = parameter(
        0.002, above=0.0, high=1e4, doc="acceleration of a waist, likewise: it counters the legs, but comes back"
    )
    force: float = parameter(
        0.3, above=0.0, high=1e4, doc="corner forces over mass against their planned shares [m/s^2]"
    )
    stance_damping: float = parameter(40.0, unit="1/s", low=0.0, high=500.0, doc="decay of a stance sole's velocity")
    stance_level: float = parameter(
        400.0, unit="1/s^2", low=0.0, high=1e4, doc="turns a stance sole that tips back onto the floor"
    )


UPWARDS = np.array([0.0, 0.0, 1.0])


class Wanted(NamedTuple):
    """What the tasks want at one instant."""

    centre_acceleration: Array  # (3,) [m/s^2]
    momentum_rate: Array  # (3,) about the centre of mass [N m]
    base_acceleration: Array  # (3,) angular, in the base [rad/s^2]
    swing_acceleration: Array  # (2, 6) of the soles; only a swing foot's row is looked at
    joint_acceleration: Array  # (nv - 6,) of all joints [rad/s^2]
    foot_force: Array  # (2, 3) planned share of each stance foot [N], world
    foot_moment: Array  # (2,) planned about the vertical at each stance foot [N m]
    pressure: Array  # (2, 2) where it acts, from the middle of the foot's corners, in the sole [m]
    lowest_acceleration: Array  # (nl,) of the joints it moves [rad/s^2]
    highest_acceleration: Array  # (nl,)
    up: Array = UPWARDS  # (3,) the vertical


class Robot(NamedTuple):
    """What the program knows of the robot beside its terms."""

    mass: float  # [kg]
    moved: Array  # (nl,) velocity indices of the joints it moves, as integers: legs, and a waist that counters them
    waists: int  # how many of them, at the end, are no legs
    rest: Array  # velocity indices of the other joints
    effort: Array  # (nl,) [N m]
    corners: Array  # (2, n, 3) of the soles, in the sole [m]: where the normal forces act
    force_points: (
        Array  # (2, n, 3) where the tangential forces act: a sole holds less moment than its corners would [m]
    )


class Program(NamedTuple):
    """``min 1/2 x'Hx + g'x`` with ``lower <= [x; A x] <= upper``; the first bounds are on the accelerations."""

    hessian: Array
    gradient: Array
    rows: Array
    upper: Array
    lower: Array
    kind: Array  # (rows,) int32
    torque_rows: Array  # (nl, n) and
    torque_bias: Array  # (nl,): torques of these joints are ``rows x + bias`` [N m]
