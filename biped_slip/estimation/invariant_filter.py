# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Contact-aided right-invariant extended Kalman filter of a floating base.

The base has two feet; the filter is written as pure kernels.

The state X = (R, v, p, d_left, d_right) lives on SE_4(3), beside the biases of gyro and
accelerometer. The error :math:`\hat X X^{-1} = \exp \xi` obeys a linear equation that
does not depend on the state (but for the biases), so the filter keeps being right after
a large tilt error and under any choice of the world's origin and heading.

Source: [Hartley2020], sections 3, 4 (43-46), 5 and 6; the closed forms of its appendix
A.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY

SMALL = 1e-2  # [rad] below which a series is more exact than the closed form


@kernel
def product(a: Array, b: Array) -> Array:
    """Multiply two matrices (3, 3).

    NumPy's call costs more than its work at this size, and so it does for the next
    three.
    """
    result = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            result[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return result


@kernel
def turned(rotation: Array, x: Array) -> Array:
    """Rotate a vector (3,) by a rotation (3, 3)."""
    result = np.empty(3)
    for i in range(3):
        result[i] = (
            rotation[i, 0] * x[0] + rotation[i, 1] * x[1] + rotation[i, 2] * x[2]
        )
    return result


@kernel
def turned_back(rotation: Array, x: Array) -> Array:
    """Rotate a vector (3,) by the inverse of a rotation (3, 3)."""
    return turned(rotation.T, x)


@kernel
def cross(a: Array, b: Array) -> Array:
    """Multiply two vectors (3,) crosswise."""
    return np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )


@kernel
def skew(x: Array) -> Array:
    """Build the matrix (3, 3) of the cross product from the left."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


@kernel
def gammas(phi: Array) -> tuple[Array, Array, Array]:
    r"""Compute three matrices (3, 3) of a rotation vector.

    They are ``exp``, its left Jacobian, and the double integral.

    .. math::

       \Gamma_m(\phi) = \sum_{n} \frac{1}{(n + m)!}\,\phi_\times^n,\quad m = 0, 1, 2

    Source: [Hartley2020], appendix A.
    """
    angle = math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    square = angle * angle
    if angle < SMALL:
        a = 1.0 - square / 6.0 + square * square / 120.0
        b = 0.5 - square / 24.0 + square * square / 720.0
        c = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
        d = 1.0 / 24.0 - square / 720.0 + square**2 / 40320.0
    else:
        a = math.sin(angle) / angle
        b = (1.0 - math.cos(angle)) / square
        c = (angle - math.sin(angle)) / (square * angle)
        d = (square + 2.0 * math.cos(angle) - 2.0) / (2.0 * square * square)
    zero = np.empty((3, 3))
    one = np.empty((3, 3))
    two = np.empty((3, 3))
    cross = skew(phi)
    for i in range(3):
        for j in range(3):
            unit = 1.0 if i == j else 0.0
            twice = phi[i] * phi[j] - unit * square
            zero[i, j] = unit + a * cross[i, j] + b * twice
            one[i, j] = unit + b * cross[i, j] + c * twice
            two[i, j] = 0.5 * unit + c * cross[i, j] + d * twice
    return zero, one, two


@kernel
def rotation_of(quaternion: Array) -> Array:
    """Build the rotation matrix of a quaternion (x, y, z, w), normalised."""
    x, y, z, w = quaternion / math.sqrt((quaternion * quaternion).sum())
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


@kernel
def quaternion_of(rotation: Array) -> Array:
    """Compute the quaternion (x, y, z, w) with w >= 0 of a rotation matrix.

    It is computed from its largest component (Shepperd).
    """
    a = rotation[0, 0]
    b = rotation[1, 1]
    c = rotation[2, 2]
    # times four
    squares = np.array(
        [1.0 + a - b - c, 1.0 + b - c - a, 1.0 + c - a - b, 1.0 + a + b + c]
    )
    i = int(np.argmax(squares))
    j = (i + 1) % 3
    k = (i + 2) % 3
    found = np.empty(4)
    if i == 3:
        found[0], found[1] = (
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
        )
        found[2] = rotation[1, 0] - rotation[0, 1]
    else:
        found[j], found[k] = (
            rotation[j, i] + rotation[i, j],
            rotation[k, i] + rotation[i, k],
        )
        found[3] = rotation[k, j] - rotation[j, k]
    found[i] = squares[i]
    return found * (math.copysign(0.5, found[3]) / math.sqrt(squares[i]))


# error order in the covariance, each (3,); two feet
ROTATION = 0
VELOCITY_STATES = 3
POSITION_STATES = 6
FEET_STATES = 9
GYRO = 15
ACCELEROMETER = 18
ERROR_STATES = 21


class BaseState(NamedTuple):
    """Estimate of base and feet in the world."""

    rotation: Array  # (3, 3) base to world
    velocity: Array  # (3,) of the base's origin [m/s]
    position: Array  # (3,) [m]
    feet: Array  # (2, 3) places of the contacts [m]
    gyro_bias: Array  # (3,) [rad/s]
    accelerometer_bias: Array  # (3,) [m/s^2]
    covariance: Array  # (21, 21) of the right-invariant error
    in_contact: Array  # (2,) bool


class ImuNoise(NamedTuple):
    """Densities of the IMU, per square root of hertz.

    They are the white noise of both sensors and the walks of their biases.
    """

    gyro: float
    accelerometer: float
    gyro_walk: float
    accelerometer_walk: float


@kernel
def propagate(
    state: BaseState,
    angular_velocity: Array,
    specific_force: Array,
    contact_walk: Array,
    noise: ImuNoise,
    dt: float,
) -> BaseState:
    """Propagate the base by the IMU's mean over the next ``dt`` [s].

    The feet stay where they are.

    Args:
        state: of the base and the feet.
        angular_velocity: (3,) in the base [rad/s].
        specific_force: (3,) in the base, +g up at rest [m/s^2].
        contact_walk: (2,) random walk of each foot's place [m/sqrt(s)].
        noise: densities of the IMU.
        dt: time step [s].
    """
    turn = angular_velocity - state.gyro_bias
    unbiased = specific_force - state.accelerometer_bias
    whole, once, twice = gammas(turn * dt)
    rotation = state.rotation
    velocity = np.empty(3)
    position = np.empty(3)
    for i in range(3):
        fall = -GRAVITY if i == 2 else 0.0
        gained = fall
        moved = 0.5 * fall
        for j in range(3):
            for k in range(3):
                gained += rotation[i, j] * once[j, k] * unbiased[k]
                moved += rotation[i, j] * twice[j, k] * unbiased[k]
        velocity[i] = state.velocity[i] + dt * gained
        position[i] = state.position[i] + dt * state.velocity[i] + dt * dt * moved
    covariance = _on_both_sides(_error_step(state, dt), state.covariance)
    _add_noise(covariance, state, contact_walk, noise, dt)
    return BaseState(
        rotation=product(rotation, whole),
        velocity=velocity,
        position=position,
        feet=state.feet,
        gyro_bias=state.gyro_bias,
        accelerometer_bias=state.accelerometer_bias,
        covariance=covariance,
        in_contact=state.in_contact,
    )


@kernel
def _on_both_sides(step: Array, covariance: Array) -> Array:
    """Multiply step P step^T (21, 21) for a step that is mostly zeros."""
    left = np.zeros((ERROR_STATES, ERROR_STATES))
    for i in range(ERROR_STATES):
        for k in range(ERROR_STATES):
            share = step[i, k]
            if share != 0.0:
                for j in range(ERROR_STATES):
                    left[i, j] += share * covariance[k, j]
    result = np.zeros((ERROR_STATES, ERROR_STATES))
    for i in range(ERROR_STATES):
        for k in range(ERROR_STATES):
            share = step[i, k]
            if share != 0.0:
                for j in range(ERROR_STATES):
                    result[i, j] += share * left[j, k]
    return result


@kernel
def _error_step(state: BaseState, dt: float) -> Array:
    """Build the transition (21, 21) of the error.

    It is exact but for the turn of the bias columns within a step.
    """
    step = np.zeros((ERROR_STATES, ERROR_STATES))
    for i in range(ERROR_STATES):
        step[i, i] = 1.0
    gravity = skew(np.array([0.0, 0.0, -GRAVITY]))
    rotation = state.rotation
    by_velocity = product(skew(state.velocity), rotation)
    by_place = product(skew(state.position), rotation)
    fall = product(gravity, rotation)
    for i in range(3):
        step[POSITION_STATES + i, VELOCITY_STATES + i] = dt
        for j in range(3):
            step[VELOCITY_STATES + i, ROTATION + j] = dt * gravity[i, j]
            step[POSITION_STATES + i, ROTATION + j] = 0.5 * dt * dt * gravity[i, j]
            step[ROTATION + i, GYRO + j] = -dt * rotation[i, j]
            step[VELOCITY_STATES + i, GYRO + j] = (
                -dt * by_velocity[i, j] - 0.5 * dt * dt * fall[i, j]
            )
            step[POSITION_STATES + i, GYRO + j] = (
                -dt * by_place[i, j]
                - 0.5 * dt * dt * by_velocity[i, j]
                - dt**3 / 6.0 * fall[i, j]
            )
            step[VELOCITY_STATES + i, ACCELEROMETER + j] = -dt * rotation[i, j]
            step[POSITION_STATES + i, ACCELEROMETER + j] = (
                -0.5 * dt * dt * rotation[i, j]
            )
    for foot in range(2):
        by_foot = product(skew(state.feet[foot]), rotation)
        for i in range(3):
            for j in range(3):
                step[FEET_STATES + 3 * foot + i, GYRO + j] = -dt * by_foot[i, j]
    return step


@kernel
def _add_noise(
    covariance: Array, state: BaseState, contact_walk: Array, noise: ImuNoise, dt: float
) -> None:
    """Add the noise of a step, first order in it.

    The gyro's noise turns the whole picture about the world's origin.
    """
    arms = np.zeros((GYRO, 3))
    for i in range(3):
        arms[ROTATION + i, i] = 1.0
    arms[VELOCITY_STATES : VELOCITY_STATES + 3] = skew(state.velocity)
    arms[POSITION_STATES : POSITION_STATES + 3] = skew(state.position)
    for foot in range(2):
        arms[FEET_STATES + 3 * foot : FEET_STATES + 3 * foot + 3] = skew(
            state.feet[foot]
        )
    gyro = noise.gyro**2 * dt
    for i in range(GYRO):
        for j in range(GYRO):
            covariance[i, j] += gyro * (
                arms[i, 0] * arms[j, 0]
                + arms[i, 1] * arms[j, 1]
                + arms[i, 2] * arms[j, 2]
            )
    for i in range(3):
        covariance[VELOCITY_STATES + i, VELOCITY_STATES + i] += (
            noise.accelerometer**2 * dt
        )
        covariance[GYRO + i, GYRO + i] += noise.gyro_walk**2 * dt
        covariance[ACCELEROMETER + i, ACCELEROMETER + i] += (
            noise.accelerometer_walk**2 * dt
        )
        for foot in range(2):
            covariance[FEET_STATES + 3 * foot + i, FEET_STATES + 3 * foot + i] += (
                contact_walk[foot] ** 2 * dt
            )


@kernel
def touch_down(state: BaseState, foot: int, place: Array, spread: Array) -> BaseState:
    """Begin a foot's contact where leg kinematics place it from the base.

    This is as in [Hartley2020], section 5.2.

    Args:
        state: of the base and the feet.
        foot: 0 or 1.
        place: (3,) of the foot in the base [m].
        spread: (3, 3) its covariance in the base [m^2].
    """
    feet = state.feet.copy()
    in_contact = state.in_contact.copy()
    covariance = state.covariance.copy()
    feet[foot] = state.position + turned(state.rotation, place)
    in_contact[foot] = True
    rows = FEET_STATES + 3 * foot
    covariance[rows : rows + 3, :] = covariance[
        POSITION_STATES : POSITION_STATES + 3, :
    ]
    covariance[:, rows : rows + 3] = covariance[
        :, POSITION_STATES : POSITION_STATES + 3
    ]
    covariance[rows : rows + 3, rows : rows + 3] += product(
        product(state.rotation, spread), state.rotation.T
    )
    return BaseState(
        rotation=state.rotation,
        velocity=state.velocity,
        position=state.position,
        feet=feet,
        gyro_bias=state.gyro_bias,
        accelerometer_bias=state.accelerometer_bias,
        covariance=covariance,
        in_contact=in_contact,
    )


@kernel
def forget_place(state: BaseState) -> tuple[BaseState, Array]:
    r"""Move the origin to the base and return the old place (3,) [m].

    The base's place and heading get zero covariance.

    Nothing observes them (4 directions: place, and a turn about the vertical), so their
    doubts grow for ever, and each correction of the gyro's bias turns the whole way
    from the origin: after 300 m the place went aside at 2 m/s. :math:`\xi_p` and the
    turn about the vertical become 0, :math:`\xi_d - \xi_p` stays: what is observable is
    estimated as before.
    """
    covariance = state.covariance.copy()
    feet = state.feet.copy()
    way = state.position.copy()
    for i in range(3):
        for foot in range(2):
            feet[foot, i] -= way[i]
            row = FEET_STATES + 3 * foot + i
            for k in range(ERROR_STATES):
                covariance[row, k] -= covariance[POSITION_STATES + i, k]
            for k in range(ERROR_STATES):
                covariance[k, row] -= covariance[k, POSITION_STATES + i]
    for k in range(ERROR_STATES):
        covariance[ROTATION + 2, k] = covariance[k, ROTATION + 2] = 0.0
        for i in range(3):
            covariance[POSITION_STATES + i, k] = covariance[k, POSITION_STATES + i] = (
                0.0
            )
    return BaseState(
        rotation=state.rotation,
        velocity=state.velocity,
        position=np.zeros(3),
        feet=feet,
        gyro_bias=state.gyro_bias,
        accelerometer_bias=state.accelerometer_bias,
        covariance=covariance,
        in_contact=state.in_contact,
    ), way


@kernel
def lift_off(state: BaseState, foot: int) -> BaseState:
    """End the contact of a foot in the state."""
    in_contact = state.in_contact.copy()
    in_contact[foot] = False
    return BaseState(
        rotation=state.rotation,
        velocity=state.velocity,
        position=state.position,
        feet=state.feet,
        gyro_bias=state.gyro_bias,
        accelerometer_bias=state.accelerometer_bias,
        covariance=state.covariance,
        in_contact=in_contact,
    )


@kernel
def correct(state: BaseState, foot: int, place: Array, spread: Array) -> BaseState:
    r"""Correct by leg kinematics of a foot in contact.

    The equation is :math:`\hat R h + \hat p - \hat d = \xi_p - \xi_d + \hat R n`.

    Args as of ``touch_down``.
    """
    rotation = state.rotation
    rows = FEET_STATES + 3 * foot
    residual = turned(rotation, place) + state.position - state.feet[foot]
    sight = _sight(state.covariance, rows)
    innovation = product(product(rotation, spread), rotation.T)
    for i in range(3):
        for j in range(3):
            innovation[i, j] += sight[POSITION_STATES + i, j] - sight[rows + i, j]
    gain = _gain(sight, _inverse(innovation))
    error = np.empty(ERROR_STATES)
    for i in range(ERROR_STATES):
        error[i] = -(
            gain[i, 0] * residual[0]
            + gain[i, 1] * residual[1]
            + gain[i, 2] * residual[2]
        )
    return _moved(state, error, _less_doubt(state.covariance, gain, sight))


@kernel(inline="code")
def _sight(covariance: Array, rows: int) -> Array:
    """Compute P H^T (ERROR_STATES, 3) of the foot whose place begins at ``rows``."""
    sight = np.empty((ERROR_STATES, 3))
    for i in range(ERROR_STATES):
        for j in range(3):
            sight[i, j] = covariance[i, POSITION_STATES + j] - covariance[i, rows + j]
    return sight


@kernel(inline="code")
def _gain(sight: Array, inverse: Array) -> Array:
    """Compute the Kalman gain P H^T S^-1 (ERROR_STATES, 3)."""
    gain = np.empty((ERROR_STATES, 3))
    for i in range(ERROR_STATES):
        for j in range(3):
            gain[i, j] = (
                sight[i, 0] * inverse[0, j]
                + sight[i, 1] * inverse[1, j]
                + sight[i, 2] * inverse[2, j]
            )
    return gain


@kernel(inline="code")
def _less_doubt(prior: Array, gain: Array, sight: Array) -> Array:
    """Compute the symmetric covariance after a correction, P - K H P."""
    covariance = np.empty((ERROR_STATES, ERROR_STATES))
    for i in range(ERROR_STATES):
        for j in range(i + 1):
            less = (
                gain[i, 0] * sight[j, 0]
                + gain[i, 1] * sight[j, 1]
                + gain[i, 2] * sight[j, 2]
            )
            covariance[i, j] = covariance[j, i] = (
                0.5 * (prior[i, j] + prior[j, i]) - less
            )
    return covariance


@kernel
def _moved(state: BaseState, error: Array, covariance: Array) -> BaseState:
    """Apply the group's exponential of an error from the left; biases by addition."""
    turn, carry, _ = gammas(error[:3])
    feet = np.empty((2, 3))
    for foot in range(2):
        rows = FEET_STATES + 3 * foot
        feet[foot] = turned(turn, state.feet[foot]) + turned(
            carry, error[rows : rows + 3]
        )
    return BaseState(
        rotation=product(turn, state.rotation),
        velocity=turned(turn, state.velocity)
        + turned(carry, error[VELOCITY_STATES : VELOCITY_STATES + 3]),
        position=turned(turn, state.position)
        + turned(carry, error[POSITION_STATES : POSITION_STATES + 3]),
        feet=feet,
        gyro_bias=state.gyro_bias + error[GYRO : GYRO + 3],
        accelerometer_bias=state.accelerometer_bias
        + error[ACCELEROMETER : ACCELEROMETER + 3],
        covariance=covariance,
        in_contact=state.in_contact,
    )


@kernel
def _inverse(m: Array) -> Array:
    """Invert a symmetric positive matrix (3, 3), by cofactors."""
    a = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    b = m[0, 2] * m[2, 1] - m[0, 1] * m[2, 2]
    c = 0.0
    c = m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1]
    d = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
    e = m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]
    f = m[0, 2] * m[1, 0] - m[0, 0] * m[1, 2]
    g = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
    h = m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]
    i = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    return np.array([[a, b, c], [d, e, f], [g, h, i]]) / (
        m[0, 0] * a + m[0, 1] * d + m[0, 2] * g
    )


@kernel
def orthonormal(rotation: Array) -> Array:
    """Return the nearest rotation, by one Newton step.

    Rounding piles up over millions of products.
    """
    return product(rotation, 1.5 * np.eye(3) - 0.5 * product(rotation.T, rotation))
