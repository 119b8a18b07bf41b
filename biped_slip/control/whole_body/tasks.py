# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's dynamics at one instant, and the accelerations that the tasks ask for."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import SwingPoint
from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.robot import Robot


class Terms(NamedTuple):
    """Dynamics and kinematics at one state; feet left, right; velocities as Pinocchio has them (base in base)."""

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
    """Computes the terms of one robot, into arrays of its own.

    Args:
        robot: with a floating base.
    """

    def __init__(self, robot: Robot) -> None:
        functions, nv = floating_functions(robot), robot.model.nv
        self._robot = functions.generated
        self.terms = Terms(
            np.zeros((nv, nv)), np.zeros(nv), np.zeros((2, 6, nv)), np.zeros((2, 6)), np.zeros((2, 3)),
            np.zeros((2, 3, 3)), np.zeros((2, 6)), np.zeros(3), np.zeros(3), np.zeros(3),
        )  # fmt: skip
        example = self._robot, np.zeros(robot.model.nq), np.zeros(nv), *self.terms
        self._fill: Any = without_dispatch(functions.whole_body_terms, *example)

    def at(self, q: Array, v: Array) -> Terms:
        """Terms at a state; the arrays are overwritten by the next call."""
        self._fill(self._robot, q, v, *self.terms)
        return self.terms


@configuration
class GainConfig(Configuration):
    """Feedback gains, all damped critically; all are choices that let a step settle within a tenth of it."""

    dcm: float = parameter(4.0, unit="1/s", low=0.0, high=50.0, doc="decay of the error of the DCM")
    beyond: float = parameter(
        0.05, unit="m", low=0.0, high=0.5, doc="how far outside of the soles the force may point from where no ZMP "
        "under them corrects the DCM: the trunk turns (choice)"
    )  # fmt: skip
    height: float = parameter(100.0, unit="1/s^2", low=0.0, high=1e4, doc="of the centre of mass")
    base: float = parameter(150.0, unit="1/s^2", low=0.0, high=1e4, doc="orientation of the base")
    swing: float = parameter(900.0, unit="1/s^2", low=0.0, high=1e4, doc="swing sole")
    posture: float = parameter(100.0, unit="1/s^2", low=0.0, high=1e4, doc="joints that do not walk")
    waist_damping: float = parameter(
        20.0, unit="1/s", low=0.0, high=1e3, doc="decay of a waist's speed: with little weight it comes back as on a "
        "soft spring, and swings up from step to step unless it is damped as much more"
    )  # fmt: skip
    joint_range: float = parameter(400.0, unit="1/s^2", low=0.0, high=1e4, doc="approach to the end of a joint's range")
    joint_speed: float = parameter(50.0, unit="1/s", low=0.0, high=1e3, doc="approach to a joint's largest speed")
    speed_share: float = parameter(
        0.8, above=0.0, high=1.0, doc="of a joint's speed limit that is used: near the limit its motor loses torque"
    )
    momentum: float = parameter(5.0, unit="1/s", low=0.0, high=100.0, doc="decay of angular momentum")


@kernel
def rotation_vector(rotation: Array) -> Array:
    """Axis times angle (3,) [rad] of a rotation matrix that turns by less than half a turn."""
    twice = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine = 0.5 * math.sqrt(twice[0] ** 2 + twice[1] ** 2 + twice[2] ** 2)
    cosine = 0.5 * (rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0)
    if sine < 1e-9:
        return 0.5 * twice
    return twice * (0.5 * math.atan2(sine, cosine) / sine)


@kernel
def about_z(yaw: float) -> Array:
    """Rotation matrix (3, 3) about the vertical."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@kernel
def about_y(pitch: float) -> Array:
    """Rotation matrix (3, 3) about the axis to the left."""
    c, s = math.cos(pitch), math.sin(pitch)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


@kernel
def rotation_of(quaternion: Array) -> Array:
    """Rotation matrix (3, 3) of a unit quaternion x, y, z, w."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


@kernel
def turned_up(up: Array) -> Array:
    """The smallest turn (3, 3) that takes the third axis to a direction (3,), which does not point down."""
    x, y, z = up[0], up[1], up[2]
    share = 1.0 / (1.0 + z)
    return np.array([
        [1.0 - share * x * x, -share * x * y, x],
        [-share * x * y, 1.0 - share * y * y, y],
        [-x, -y, z],
    ])  # fmt: skip


@kernel
def base_acceleration(quaternion: Array, rate: Array, up: Array, yaw: float, lean: float, stiffness: float) -> Array:
    """Angular acceleration (3,) in the base that holds it ``lean`` [rad] forward of ``up``, heading along ``yaw``."""
    error = rotation_vector(rotation_of(quaternion).T @ turned_up(up) @ about_z(yaw) @ about_y(lean))
    return stiffness * error - 2.0 * math.sqrt(stiffness) * rate


@kernel
def sole_acceleration(point: SwingPoint, terms: Terms, foot: int, stiffness: float) -> Array:
    """Acceleration (6,) of the swing sole on its path, level, world axes [m/s^2, rad/s^2]."""
    damping = 2.0 * math.sqrt(stiffness)
    result = np.empty(6)
    for k in range(3):
        gap, speed = point.position[k] - terms.position[foot, k], point.velocity[k] - terms.velocity[foot, k]
        result[k] = point.acceleration[k] + stiffness * gap + damping * speed
    turn = rotation_vector(about_z(point.position[3]) @ terms.rotation[foot].T)
    result[3:] = stiffness * turn - damping * terms.velocity[foot, 3:]
    result[5] += point.acceleration[3] + damping * point.velocity[3]
    return result


@kernel
def centre_acceleration(centre: Array, velocity: Array, zmp: Array, height: float, omega: float,
                        stiffness: float) -> Array:  # fmt: skip
    """Acceleration (3,) of the centre of mass: away from the ZMP, and to a height [m] over the world's zero."""
    result = np.empty(3)
    result[0] = omega * omega * (centre[0] - zmp[0])
    result[1] = omega * omega * (centre[1] - zmp[1])
    up = stiffness * (height - centre[2]) - 2.0 * math.sqrt(stiffness) * velocity[2]
    result[2] = min(max(up, -0.5 * GRAVITY), 0.5 * GRAVITY)
    return result


@kernel
def posture_acceleration(posture: Array, position: Array, rate: Array, waists: Array, gains: GainConfig) -> Array:
    """Accelerations (n,) that bring joints back to a posture (n,), critically damped but for ``waists`` [rad/s^2].

    ``posture`` and ``position`` are in [rad], ``rate`` in [rad/s]; ``waists`` are indices, ``gains`` packed.
    """
    damping = np.full(rate.shape[0], 2.0 * math.sqrt(gains.posture))
    damping[waists] = gains.waist_damping
    return gains.posture * (posture - position) - damping * rate


@kernel
def joint_bounds(position: Array, rate: Array, lowest: Array, highest: Array, fastest: Array, stiffness: float,
                 gain: float) -> tuple[Array, Array]:  # fmt: skip
    """Bounds on joint accelerations that approach the ends of the range and the largest speed without passing them.

    Args:
        position, rate: of the joints [rad], [rad/s].
        lowest, highest: ends of the range [rad].
        fastest: largest speed [rad/s].
        stiffness: of the approach to the ends [1/s^2], critically damped.
        gain: of the approach to the speed [1/s].
    """
    low, high = np.empty_like(rate), np.empty_like(rate)
    for k in range(rate.shape[0]):
        drag = 2.0 * math.sqrt(stiffness) * rate[k]
        low[k] = max(stiffness * (lowest[k] - position[k]) - drag, gain * (-fastest[k] - rate[k]))
        high[k] = min(stiffness * (highest[k] - position[k]) - drag, gain * (fastest[k] - rate[k]))
        if low[k] > high[k]:  # beyond an end at full speed back: the range is what matters
            low[k] = high[k] = 0.5 * (low[k] + high[k])
    return low, high
