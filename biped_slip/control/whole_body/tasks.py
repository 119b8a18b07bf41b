# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks: the robot's dynamics at one state, and the accelerations that it shall have.

A task is a wanted acceleration of something that a step needs in a place: the base's
turn, the swing sole, joints. All errors are fed back with critical damping, ``a = k e -
2 sqrt(k) e'``. The program of the tick (:mod:`~biped_slip.control.whole_body.
tick_program`) weighs them against each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, hold, kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.swing_path import SwingPoint
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import Robot


class Terms(NamedTuple):
    """Dynamics and kinematics at one state.

    The feet are left, right; velocities are as Pinocchio's (base in base).
    """

    mass_matrix: Array  # (nv, nv)
    bias: Array  # (nv,) Coriolis, centrifugal and gravity [N, N m]
    jacobians: Array  # (2, 6, nv) of the soles, linear over angular, world axes
    drift: Array  # (2, 6) their acceleration at zero joint acceleration
    position: Array  # (2, 3) of the soles [m], world
    rotation: Array  # (2, 3, 3) sole to world
    velocity: Array  # (2, 6) linear [m/s] over angular [rad/s], world axes
    centre_of_mass: Array  # (3,) [m]
    centre_velocity: Array  # (3,) [m/s]
    angular_momentum: Array  # (3,) about the centre of mass [kg m^2/s]


class TermsSource:
    """Computation of the terms of one floating-base robot, in arrays of its own.

    Attributes:
        terms: of the last state.
        held: the same, for kernels.
    """

    def __init__(self, robot: Robot) -> None:
        functions = floating_functions(robot)
        nv = robot.model.nv
        self._robot = functions.generated
        self.terms = Terms(
            mass_matrix=np.zeros((nv, nv)),
            bias=np.zeros(nv),
            jacobians=np.zeros((2, 6, nv)),
            drift=np.zeros((2, 6)),
            position=np.zeros((2, 3)),
            rotation=np.zeros((2, 3, 3)),
            velocity=np.zeros((2, 6)),
            centre_of_mass=np.zeros(3),
            centre_velocity=np.zeros(3),
            angular_momentum=np.zeros(3),
        )
        self.held = hold(self.terms)
        self._fill = OfOneType(functions.whole_body_terms)

    def at(self, q: Array, v: Array) -> Terms:
        """Compute the terms at a state; the arrays are overwritten by the next call."""
        self._fill(self._robot, (q, v), self.terms)
        return self.terms


@configuration
class GainConfig(Configuration):
    """Feedback gains, all damped critically.

    All are choices that let a step settle within a tenth of it.
    """

    dcm: float = parameter(
        4.0, unit="1/s", low=0.0, high=50.0, doc="decay of the error of the DCM"
    )
    beyond: float = parameter(
        0.05,
        unit="m",
        low=0.0,
        high=0.5,
        doc="how far outside of the soles the force may point from where no ZMP "
        "under them corrects the DCM: the trunk turns (choice)",
    )
    height: float = parameter(
        100.0, unit="1/s^2", low=0.0, high=1e4, doc="of the centre of mass"
    )
    base: float = parameter(
        150.0, unit="1/s^2", low=0.0, high=1e4, doc="orientation of the base"
    )
    swing: float = parameter(900.0, unit="1/s^2", low=0.0, high=1e4, doc="swing sole")
    posture: float = parameter(
        100.0, unit="1/s^2", low=0.0, high=1e4, doc="joints that do not walk"
    )
    waist_damping: float = parameter(
        20.0,
        unit="1/s",
        low=0.0,
        high=1e3,
        doc="decay of a waist's speed: with little weight it comes back as on a "
        "soft spring, and swings up from step to step unless it is damped as much more",
    )
    joint_range: float = parameter(
        400.0,
        unit="1/s^2",
        low=0.0,
        high=1e4,
        doc="approach to the end of a joint's range",
    )
    joint_speed: float = parameter(
        50.0, unit="1/s", low=0.0, high=1e3, doc="approach to a joint's largest speed"
    )
    speed_share: float = parameter(
        0.8,
        above=0.0,
        high=1.0,
        doc="of a joint's speed limit that is used: near the limit its motor loses "
        "torque",
    )
    momentum: float = parameter(
        5.0, unit="1/s", low=0.0, high=100.0, doc="decay of angular momentum"
    )


@kernel
def rotation_vector(turn: Array) -> Array:
    """Compute axis times angle (3,) [rad] of a rotation matrix.

    The matrix turns by less than half a turn.
    """
    twice = np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine = 0.5 * math.sqrt(twice[0] ** 2 + twice[1] ** 2 + twice[2] ** 2)
    cosine = 0.5 * (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1.0)
    if sine < 1e-9:
        return 0.5 * twice
    return twice * (0.5 * math.atan2(sine, cosine) / sine)


@kernel
def about_z(yaw: float) -> Array:
    """Build the rotation matrix (3, 3) about the vertical."""
    c = math.cos(yaw)
    s = math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@kernel
def about_y(pitch: float) -> Array:
    """Build the rotation matrix (3, 3) about the axis to the left."""
    c = math.cos(pitch)
    s = math.sin(pitch)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


@kernel
def predicted(q: Array, v: Array, time: float) -> Array:
    """Predict coordinates (nq,) after a short time [s] at constant rates (nv,).

    The base's rates are in the base.
    """
    later = np.empty(q.shape[0])
    later[:3] = q[:3] + time * (rotation_of(q[3:7]) @ v[:3])
    x = q[3]
    y = q[4]
    z = q[5]
    w = q[6]
    a = 0.5 * time * v[3]
    b = 0.5 * time * v[4]
    c = 0.5 * time * v[5]
    later[3] = x + w * a + y * c - z * b
    later[4] = y + w * b + z * a - x * c
    later[5] = z + w * c + x * b - y * a
    later[6] = w - x * a - y * b - z * c
    later[3:7] /= math.sqrt(
        later[3] ** 2 + later[4] ** 2 + later[5] ** 2 + later[6] ** 2
    )
    later[7:] = q[7:] + time * v[6:]
    return later


@kernel
def turned_up(up: Array) -> Array:
    """Compute the smallest turn (3, 3) of the third axis to a direction (3,).

    The direction does not point down.
    """
    x = up[0]
    y = up[1]
    z = up[2]
    share = 1.0 / (1.0 + z)
    return np.array([
        [1.0 - share * x * x, -share * x * y, x],
        [-share * x * y, 1.0 - share * y * y, y],
        [-x, -y, z],
    ])  # fmt: skip


@kernel
def base_acceleration(
    quaternion: Array, rate: Array, up: Array, yaw: float, lean: float, stiffness: float
) -> Array:
    """Compute the angular acceleration (3,) that holds the base in its attitude.

    The base is held ``lean`` [rad] forward of ``up``, along ``yaw``.
    """
    error = rotation_vector(
        rotation_of(quaternion).T @ turned_up(up) @ about_z(yaw) @ about_y(lean)
    )
    return stiffness * error - 2.0 * math.sqrt(stiffness) * rate


@kernel
def sole_acceleration(
    point: SwingPoint, terms: Terms, foot: int, stiffness: float
) -> Array:
    """Compute the acceleration (6,) of the swing sole on its path.

    The sole is level; the axes are the world's [m/s^2, rad/s^2].
    """
    damping = 2.0 * math.sqrt(stiffness)
    result = np.empty(6)
    for k in range(3):
        gap = point.position[k] - terms.position[foot, k]
        speed = point.velocity[k] - terms.velocity[foot, k]
        result[k] = point.acceleration[k] + stiffness * gap + damping * speed
    turn = rotation_vector(about_z(point.position[3]) @ terms.rotation[foot].T)
    result[3:] = stiffness * turn - damping * terms.velocity[foot, 3:]
    result[5] += point.acceleration[3] + damping * point.velocity[3]
    return result


@kernel
def posture_acceleration(
    posture: Array, position: Array, rate: Array, waists: Array, gains: GainConfig
) -> Array:
    """Compute accelerations (n,) back to a posture (n,) [rad/s^2].

    They are critically damped but for ``waists``.

    ``posture`` and ``position`` are in [rad], ``rate`` in [rad/s]; ``waists`` are
    indices, ``gains`` packed.
    """
    damping = np.full(rate.shape[0], 2.0 * math.sqrt(gains.posture))
    damping[waists] = gains.waist_damping
    return gains.posture * (posture - position) - damping * rate


@kernel
def joint_bounds(
    position: Array,
    rate: Array,
    lowest: Array,
    highest: Array,
    fastest: Array,
    stiffness: float,
    gain: float,
) -> tuple[Array, Array]:
    """Bound joint accelerations by the ends of the range and the largest speed.

    These are to be approached, not passed.

    Args:
        position: of the joints [rad].
        rate: of the joints [rad/s].
        lowest: lower ends of the ranges [rad].
        highest: upper ends [rad].
        fastest: largest speed [rad/s].
        stiffness: of the approach to the ends [1/s^2], critically damped.
        gain: of the approach to the speed [1/s].
    """
    low = np.empty_like(rate)
    high = np.empty_like(rate)
    for k in range(rate.shape[0]):
        drag = 2.0 * math.sqrt(stiffness) * rate[k]
        low[k] = max(
            stiffness * (lowest[k] - position[k]) - drag, gain * (-fastest[k] - rate[k])
        )
        high[k] = min(
            stiffness * (highest[k] - position[k]) - drag, gain * (fastest[k] - rate[k])
        )
        # beyond an end at full speed back: the range is what matters
        if low[k] > high[k]:
            low[k] = high[k] = 0.5 * (low[k] + high[k])
    return low, high


class Turning(NamedTuple):
    """What swings and counters about the vertical while one foot carries.

    Zeros mean that nothing does, or something else.
    """

    lever: (
        float  # momentum about the vertical per forward speed of the swing foot [kg m]
    )
    inertia: float  # the same per turn rate of the base over soles that stay [kg m^2]
    most: float  # turn of the base to either side that the hips follow with ease [rad]


@kernel
def counter_turn(turning: Turning, length: float) -> float:
    """Compute the turn of the base, in steps of a length.

    It is per distance of the left foot ahead of the right one [rad/m].

    The base then has the swing leg's momentum, as far as the hips' range allows; the
    floor bears the rest.
    """
    if turning.lever <= 0.0:
        return 0.0
    return min(turning.lever / turning.inertia, turning.most / max(abs(length), 1e-6))


def level_points(terms: Terms, heading: float) -> None:
    """Level point feet, which have no orientation, with the walk's heading [rad]."""
    terms.rotation[:] = about_z(heading)
