# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One control tick of the walking robot, composed of the modules of this room (A.8–A.9)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.config import Configuration, configuration, section
from biped_slip.control.force_distribution import FootForces
from biped_slip.control.gait import DOUBLE_SUPPORT, LEFT_SWING, Gait, GaitConfig, GaitState, next_phase
from biped_slip.control.posture import Posture, posture_in_floor_frame
from biped_slip.control.swing_leg import PathPoint, Swing, SwingConfig, swing_path, swing_torques
from biped_slip.control.virtual_model import BodyForce, VirtualModel, VirtualModelConfig, virtual_force
from biped_slip.kernels import kernel
from biped_slip.robots.model_functions import Array, dynamics_terms, sole_jacobians, sole_motion


@configuration
class WalkingConfig(Configuration):
    """Everything that the walking controller can be told."""

    virtual_model: VirtualModelConfig = section(VirtualModelConfig)
    gait: GaitConfig = section(GaitConfig)
    swing: SwingConfig = section(SwingConfig)


class Walking(NamedTuple):
    """The packed configuration, for type hints."""

    virtual_model: VirtualModel
    gait: Gait
    swing: Swing


class WalkingInputs(NamedTuple):
    """What one control tick needs to know."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    foot_normal: tuple[float, float]  # measured [N]
    limits: tuple[float, float]  # on |tangential|/normal per foot; inf: none
    speed: float  # command along the floor [m/s]
    slope: float  # of the floor [rad]


class WalkingOutput(NamedTuple):
    """What one control tick answers."""

    torques: Array  # (4,) left hip, left knee, right hip, right knee [N m]
    forces: FootForces


@kernel
def foot_acceleration(path: PathPoint, posture: Posture, swing: int, gains: Swing) -> Array:
    """Wanted acceleration of the swing foot along world x and z, shape (2,)."""
    along = (
        path.acceleration_s
        + gains.stiffness * (path.s - posture.foot_s[swing])
        + gains.damping * (path.velocity_s - posture.foot_velocity_s[swing])
    )
    up = (
        path.acceleration_n
        + gains.stiffness * (path.n - posture.foot_n[swing])
        + gains.damping * (path.velocity_n - posture.foot_velocity_n[swing])
    )
    c, s = math.cos(posture.slope), math.sin(posture.slope)
    wanted = np.empty(2)
    wanted[0], wanted[1] = along * c - up * s, along * s + up * c
    return wanted


def distribute(
    posture: Posture, force: BodyForce, stance: tuple[bool, bool], limits: tuple[float, float]
) -> FootForces:
    """Bound per robot: through the hip, or with the moment that holds a pitching torso."""
    raise NotImplementedError("bound per robot")


def walking_step(
    state: GaitState,
    inputs: WalkingInputs,
    config: Walking,
    mass: float,
    effort_limits: Array,
    dt: float,
) -> tuple[GaitState, WalkingOutput]:
    """One tick: posture, wanted force on the body, gait phase, foot forces inside their cones, joint torques."""
    q, v = inputs.q, inputs.v
    position, velocity = sole_motion(q, v)
    posture = posture_in_floor_frame(q, v, position, velocity, inputs.slope)
    force = virtual_force(posture, inputs.speed, mass, config.virtual_model)
    state = next_phase(state, posture, inputs.foot_normal, inputs.speed, config.gait, dt)
    swing = state.phase - LEFT_SWING  # foot in the air, or −1
    stance = (swing != 0, swing != 1)
    forces = distribute(posture, force, stance, inputs.limits)

    c, s = math.cos(inputs.slope), math.sin(inputs.slope)
    jacobian, first = sole_jacobians(q), q.shape[0] - 4
    generalized = np.zeros(q.shape[0])  # J^T F of both feet
    for k in range(q.shape[0]):
        for foot in range(2):
            fx = forces.tangential[foot] * c - forces.normal[foot] * s
            fz = forces.tangential[foot] * s + forces.normal[foot] * c
            generalized[k] += jacobian[3 * foot, k] * fx + jacobian[3 * foot + 2, k] * fz
    torques = -generalized[first:]  # a stance leg pushes the ground with the opposite force (6.20)–(6.28)
    if state.phase != DOUBLE_SUPPORT:
        mass_matrix, bias, sole_bias = dynamics_terms(q, v)
        load = generalized - bias
        load[first:] += torques
        rows = np.empty((2, q.shape[0]))
        rows[0], rows[1] = jacobian[3 * swing], jacobian[3 * swing + 2]
        path = swing_path(state, config.gait, config.swing)
        wanted = foot_acceleration(path, posture, swing, config.swing)
        hip = first + 2 * swing
        sole_xz = np.empty(2)
        sole_xz[0], sole_xz[1] = sole_bias[swing, 0], sole_bias[swing, 2]
        torques[2 * swing : 2 * swing + 2] = swing_torques(mass_matrix, load, rows, sole_xz, wanted, hip)
    for i in range(4):
        torques[i] = min(max(torques[i], -effort_limits[i]), effort_limits[i])
    return state, WalkingOutput(torques, forces)
