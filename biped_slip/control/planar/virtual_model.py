# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Virtual model: springs and dampers that would pull the body along (A.8) [Pratt2001].

``F_s = K_dx (v - s')`` along the floor, ``F_n = K_py (h - n) - K_dy n'`` across it, and
a moment that holds a torso that can pitch (6.4)–(6.5). The legs push so that the floor
gives this force (:mod:`~biped_slip.control.planar.foot_forces`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.planar.posture import Posture


@configuration
class VirtualModelConfig(Configuration):
    """Gains of springs and dampers that would pull the body along (A.8)."""

    speed_gain: float = parameter(
        50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dx"
    )
    largest_acceleration: float = parameter(
        50.0,
        unit="m/s^2",
        above=0.0,
        high=100.0,
        doc="bound on what the speed gain asks for",
    )
    height: float = parameter(
        0.96,
        unit="m",
        above=0.0,
        high=5.0,
        source="A.8",
        doc="y_des, of the hip over the floor",
    )
    height_stiffness: float = parameter(
        130.0, unit="N/m", low=0.0, high=1e5, source="A.8", doc="K_py"
    )
    height_damping: float = parameter(
        50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dy"
    )
    pitch_stiffness: float = parameter(
        60.0,
        unit="N m/rad",
        low=0.0,
        high=1e4,
        doc="holds a torso that can pitch; 14 rad/s alone",
    )
    pitch_damping: float = parameter(
        8.0,
        unit="N m s/rad",
        low=0.0,
        high=1e3,
        doc="near critical for the torso's pitch inertia",
    )
    gravity_term: bool = parameter(
        False,
        source="A.8",
        doc="feed the weight forward; the thesis most probably ran without it",
    )


class BodyForce(NamedTuple):
    """Force wanted on the body, in the floor frame."""

    tangential: float  # uphill [N]
    normal: float  # [N]
    moment: float  # about the hip, turning x towards z [N m]


@kernel
def virtual_force(
    posture: Posture, speed: float, mass: float, model: VirtualModelConfig
) -> BodyForce:
    """Compute the desired force on the body (6.4)–(6.5).

    It is for a speed along the floor [m/s] and a mass [kg].
    """
    most = mass * model.largest_acceleration
    tangential = min(
        max(model.speed_gain * (speed - posture.hip_velocity_s), -most), most
    )
    normal = (
        model.height_stiffness * (model.height - posture.hip_n)
        - model.height_damping * posture.hip_velocity_n
    )
    if model.gravity_term:
        tangential += mass * GRAVITY * math.sin(posture.slope)
        normal += mass * GRAVITY * math.cos(posture.slope)
    moment = (
        -model.pitch_stiffness * posture.lean - model.pitch_damping * posture.lean_rate
    )
    return BodyForce(tangential, max(normal, 0.0), moment)
