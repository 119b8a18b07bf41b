# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Signals of a robot's health: what its sensors say of each other, by name.

Each is a record with what one sensor measures beside what others, or the robot's model,
say of the same thing. Planar biped (``planar_health.py``) and humanoids
(``humanoid_health.py``) fill the same records from their own readings; the residuals
(``residuals.py``) look at nothing else. What a robot does not measure has no rows.
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.health import HealthConfig

Both = tuple[float, float]  # of left and right foot


class WatchedRobot(NamedTuple):
    """What the watch knows of a robot and its floor."""

    lower: Array  # (n,) [rad]
    upper: Array  # (n,) [rad]
    speed: Array  # (n,) [rad/s]
    effort: Array  # (n,) [N m]
    weight: float  # [N]
    height: float  # of the base over the soles with straight legs [m]
    slope: float  # of the floor [rad]
    force_offset: float  # that a foot's force sensor may have [N]


class WatchLimits(NamedTuple):
    """From when on something is a finding."""

    robot: WatchedRobot
    config: HealthConfig  # packed


class Tracked(NamedTuple):
    """Quantities at an instant, each beside its rate as another sensor has it."""

    value: Array  # (k,)
    rate: Array  # (k,) per second


class LoadedJoints(NamedTuple):
    """Joints at an instant, each beside its velocity, and what bends their legs."""

    moved: Tracked  # (n,) [rad], [rad/s]
    pull: Array  # (2, 3) force on each sole along the floor, in any axes of it [N]
    load: Both  # along the normal of each sole [N]


class TwoRates(NamedTuple):
    """Rates at an instant, each as two sensors have it."""

    measured: Array  # (k,)
    expected: Array  # (k,) of the other sensor, or of the floor


class Numbers(NamedTuple):
    """Numbers of k sensors of one kind."""

    values: Array  # (k, 6)
    moved: bool  # whether any joint has moved since the last reading


class Loads(NamedTuple):
    """Loads of both feet, and what they are held against."""

    load: Both  # along the normal of each sole [N]
    crossed: Both  # with the wrenches of the feet exchanged [N]
    sole_height: Both  # [m] over what the base's is over
    base_height: float  # [m]
    specific_force_squared: float  # of the IMU's specific force [m^2/s^4]


class TorqueAnswer(NamedTuple):
    """Torques of the joints, and what is left of them when the motion is paid for."""

    torque: Array  # (n,) [N m]
    # (n,) less what mass, gravity and the ground's forces take of it [N m]
    unanswered: Array
    # (n, 2) torque that a force on the soles would ask, along the weight and ahead [m]
    lever: Array


class Balance(NamedTuple):
    """Balance of a body: wrench of the ground and change of momentum.

    Forces stand first, then moments about the body's centre of mass.

    The ground alone pushes a walking robot, so of forces F and moments M holds F = m (f
    + du/dt) and M = dL/dt, with the specific force f at the IMU, the velocity u of the
    centre of mass relative to it, and the angular momentum L.
    """

    load: Array  # (6,) of the ground [N, N m]
    carried: Array  # (6,) m f, and what turns L with the axes
    momentum: Array  # (6,) m u, L
    up: Array  # (3,) unit vector against the weight


class Signals(NamedTuple):
    """All signals of an instant."""

    base: Tracked  # place of the base [m, rad], its twist
    joints: LoadedJoints
    # (6,) velocity of the base's IMU against each foot's as gyroscope and joints say
    # [m/s], its change as the accelerometers of both say
    swing: Tracked
    # of the feet, left before right: [m/s] along the floor and its normal against a
    # floor that stands, or [rad/s] of the foot's gyroscope against base and joints
    foot_rates: TwoRates
    acceleration: TwoRates  # of the base, as the twist changes, as its IMU feels
    torques: TorqueAnswer
    balance: Balance
    wrenches: Numbers  # (2, 6) of the ground on each foot, in its frame [N, N m]
    imu: Numbers  # (1, 6) specific force [m/s^2], angular velocity [rad/s]
    odometry: Numbers  # (1, 6) position and velocity of the base, as measured
    loads: Loads


class Rows(NamedTuple):
    """Numbers of rows that a robot's signals have."""

    base: int
    joints: int
    swing: int
    foot_rates: int
    acceleration: int
    torques: int


@kernel
def any_moved(now: Array, last: Array) -> bool:
    """Return whether any joint position (n,) differs from that of the last reading."""
    for i in range(now.shape[0]):
        if now[i] != last[i]:
            return True
    return False
