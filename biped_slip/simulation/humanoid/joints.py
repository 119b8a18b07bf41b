# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a humanoid in simulation: motors with limits and lag, friction, stops.

A motor gives the commanded torque within its limit; above a share of its speed limit
the torque that drives fades, at the limit it is zero. A lag lets it follow its command
exponentially. A stop is a spring and a damper that never pull.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.humanoid import Humanoid


class JointPhysics(NamedTuple):
    """Motors, friction and stops of the joints."""

    effort: Array  # (n,) largest torque of the motor [N m]
    speed: Array  # (n,) speed at which the motor has no torque left to drive [rad/s]
    fading: Array  # (n,) how fast its torque falls to that point, per torque [s/rad]
    # time constant with which the motors' torques follow their commands [s]; 0 at once
    lag: float
    viscous: Array  # (n,) [N m s/rad]
    coulomb: Array  # (n,) [N m]
    static: Array  # (n,) peak at rest over the Coulomb torque
    static_rate: Array  # (n,) over which the peak fades [rad/s]
    load: Array  # (n,) share of the motor's torque that its gear rubs with
    # (n,) 3/s_p of the friction, s_p the angle at 95 % of the Coulomb torque [1/rad]
    per_angle: Array
    low: Array  # (n,) lower stop [rad]
    high: Array  # (n,) upper stop [rad]
    stiffness: Array  # (n,) of the stops [N m/rad]
    stop_time: float  # damping of the stops over their stiffness [s]


@kernel
def motor_torque(
    command: float, rate: float, effort: float, speed: float, fading: float
) -> float:
    """Limit a command to the torque [N m] of a motor at a joint rate.

    Args:
        command: [N m].
        rate: of the joint [rad/s].
        effort: largest torque [N m].
        speed: at which no torque is left to drive [rad/s].
        fading: how fast the torque falls to that point, per torque [s/rad].
    """
    torque = min(max(command, -effort), effort)
    if torque * rate > 0.0:
        torque *= min(max((speed - abs(rate)) * fading, 0.0), 1.0)
    return torque


@kernel
def motors(
    command: Array,
    v: Array,
    joints: JointPhysics,
    kept: float,
    before: Array,
    after: Array,
) -> None:
    """Compute the motors' torques (n,) when only ``kept`` of their way is left.

    The way leads to their limits at the velocities v.

    Args:
        command: (n,) [N m].
        v: velocities (nv,).
        joints: their physics.
        kept: share of the way to the aim that is left.
        before: torques (n,) [N m].
        after: torques (n,) [N m], filled.
    """
    for i in range(command.shape[0]):
        aim = motor_torque(
            command[i], v[6 + i], joints.effort[i], joints.speed[i], joints.fading[i]
        )
        after[i] = aim + kept * (before[i] - aim)


@kernel
def stop_torque(
    position: float, rate: float, low: float, high: float, stiffness: float, time: float
) -> float:
    """Compute the torque [N m] of a joint's stops.

    Beyond each there is a spring and a damper, which never pull.

    Args:
        position: of the joint [rad].
        rate: of the joint [rad/s].
        low: lower stop [rad].
        high: upper stop [rad].
        stiffness: of the stops [N m/rad].
        time: their damping over their stiffness [s].
    """
    if position < low:
        return max(0.0, stiffness * (low - position - time * rate))
    if position > high:
        return min(0.0, stiffness * (high - position - time * rate))
    return 0.0


@configuration
class JointConfig(Configuration):
    """Joint properties beside the description.

    Limits of torque, speed and range, and friction, come from the URDF.
    """

    motor_lag: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="time constant with which the motors' torques follow their commands",
    )
    full_torque: float = parameter(
        0.8,
        low=0.0,
        below=1.0,
        doc="part of its speed limit up to which a motor has full torque; at the "
        "limit none",
    )
    presliding: float = parameter(
        1e-3,
        unit="rad",
        above=0.0,
        high=0.1,
        doc="angle at 95 % of a joint's Coulomb friction",
    )
    stop_give: float = parameter(
        0.02,
        unit="rad",
        above=0.0,
        high=1.0,
        doc="how far a joint's largest torque presses it into its stop",
    )
    stop_time: float = parameter(
        5e-3,
        unit="s",
        low=0.0,
        high=0.1,
        doc="damping of the stops over their stiffness",
    )


def joint_physics(humanoid: Humanoid, config: JointConfig) -> JointPhysics:
    """Build the joints for kernels."""
    model = humanoid.model
    efforts = humanoid.efforts
    speeds = np.array(humanoid.model.velocityLimit[6:])
    return JointPhysics(
        effort=efforts,
        speed=speeds,
        fading=1.0 / (speeds * (1.0 - config.full_torque)),
        lag=config.motor_lag,
        viscous=np.array(model.damping[6:]),
        coulomb=np.array(model.friction[6:]),
        static=np.ones(efforts.size),
        static_rate=np.ones(efforts.size),
        load=np.zeros(efforts.size),
        per_angle=np.full(efforts.size, 3.0 / config.presliding),
        low=np.array(model.lowerPositionLimit[7:]),
        high=np.array(model.upperPositionLimit[7:]),
        stiffness=efforts / config.stop_give,
        stop_time=config.stop_time,
    )
