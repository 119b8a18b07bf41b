# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a force/torque sensor in the ankle to the ground's wrench on the sole: the foot below has mass and moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.floating_base.lie import cross, turned


class FootBody(NamedTuple):
    """What lies below a foot's sensor, in the sole frame, and where the sensor is."""

    mass: float  # of everything between sensor and ground [kg]
    centre_of_mass: Array  # (3,) [m]
    inertia: Array  # (3, 3) about the centre of mass [kg m^2]
    sensor_rotation: Array  # (3, 3) sensor axes in the sole frame
    sensor_position: Array  # (3,) of the sensor's origin [m]


class FootMotion(NamedTuple):
    """How the sole frame moves, in its own axes, each (3,)."""

    specific_force: Array  # acceleration of the sole's origin minus gravity [m/s^2]; +g up at rest
    angular_velocity: Array  # [rad/s]
    angular_acceleration: Array  # [rad/s^2]


@kernel
def ground_wrench_in_sole(reading: Array, foot: FootBody, motion: FootMotion) -> Array:
    r"""Wrench (6,) of the ground on the foot in the sole frame, about its origin [N, N m].

    Newton and Euler for the body below the sensor, whose specific force at the centre of mass is
    :math:`s_c = s + \alpha\times c + \omega\times(\omega\times c)`:

    .. math:: f_g = f_s + m s_c,\qquad \tau_g = \tau_s + p_s\times f_s + c\times m s_c + I\alpha + \omega\times I\omega

    Args:
        reading: (6,) wrench that the foot passes on to the ankle, in the sensor's axes about its origin [N, N m]:
            of a foot without mass at rest this is the ground's.
        foot: body below the sensor.
        motion: of the sole; at rest only +g.
    """
    omega, alpha, com = motion.angular_velocity, motion.angular_acceleration, foot.centre_of_mass
    inertial = foot.mass * (motion.specific_force + cross(alpha, com) + cross(omega, cross(omega, com)))
    force = turned(foot.sensor_rotation, reading[:3])
    moment = turned(foot.sensor_rotation, reading[3:]) + cross(foot.sensor_position, force)
    spin = turned(foot.inertia, alpha) + cross(omega, turned(foot.inertia, omega))
    wrench = np.empty(6)
    wrench[:3] = force + inertial
    wrench[3:] = moment + cross(com, inertial) + spin
    return wrench


@kernel
def centre_of_pressure(wrench: Array, least_force: float) -> Array:
    """Where on the sole's plane the normal force acts, (2,) x and y [m]; NaN below the least normal force [N]."""
    if not wrench[2] > least_force:
        return np.array([np.nan, np.nan])
    return np.array([-wrench[4] / wrench[2], wrench[3] / wrench[2]])
