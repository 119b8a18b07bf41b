# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of a humanoid: motors, friction and stops, from its description and a configuration."""

from __future__ import annotations

import numpy as np

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.step import JointPhysics


@configuration
class JointConfig(Configuration):
    """What a description does not say; limits of torque, speed and range, and friction, come from the URDF."""

    motor_lag: float = parameter(
        0.0, unit="s", low=0.0, high=0.1, doc="time constant with which the motors' torques follow their commands"
    )
    full_torque: float = parameter(
        0.8, low=0.0, below=1.0, doc="part of its speed limit up to which a motor has full torque; at the limit none"
    )
    presliding: float = parameter(
        1e-3, unit="rad", above=0.0, high=0.1, doc="angle at 95 % of a joint's Coulomb friction"
    )
    stop_give: float = parameter(
        0.02, unit="rad", above=0.0, high=1.0, doc="how far a joint's largest torque presses it into its stop"
    )
    stop_time: float = parameter(5e-3, unit="s", low=0.0, high=0.1, doc="damping of the stops over their stiffness")


def joint_physics(humanoid: Humanoid, config: JointConfig) -> JointPhysics:
    """The joints for kernels."""
    model, efforts, speeds = humanoid.model, humanoid.efforts, np.array(humanoid.model.velocityLimit[6:])
    return JointPhysics(
        efforts,
        speeds,
        1.0 / (speeds * (1.0 - config.full_torque)),
        config.motor_lag,
        np.array(model.damping[6:]),
        np.array(model.friction[6:]),
        3.0 / config.presliding,
        np.array(model.lowerPositionLimit[7:]),
        np.array(model.upperPositionLimit[7:]),
        efforts / config.stop_give,
        config.stop_time,
    )
