# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One control tick of the walking robot: posture, gait phase, foot forces, joint torques (A.8–A.9)."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, section
from biped_slip.control.planar.forces import (
    BodyForce,
    FloorsKnown,
    FootForces,
    Posture,
    ProbeState,
    ProbingConfig,
    VirtualModelConfig,
    before_landing,
    posture_in_floor_frame,
    probing_step,
    virtual_force,
)
from biped_slip.control.planar.gait import (
    DOUBLE_SUPPORT,
    LEFT_SWING,
    GaitConfig,
    GaitState,
    Pitch,
    SwingConfig,
    double_support_speed,
    joint_acceleration_towards,
    next_phase,
    swing_path,
    swing_torques,
)
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.robots.planar_biped import LegLengths


@configuration
class WalkingConfig(Configuration):
    """Everything that the walking controller can be told."""

    virtual_model: VirtualModelConfig = section(VirtualModelConfig)
    gait: GaitConfig = section(GaitConfig)
    swing: SwingConfig = section(SwingConfig)
    probing: ProbingConfig = section(ProbingConfig)


class WalkingState(NamedTuple):
    """What one control tick hands to the next."""

    gait: GaitState
    probe: ProbeState


class WalkingInputs(NamedTuple):
    """What one control tick needs to know."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    foot_normal: tuple[float, float]  # measured [N]
    limits: tuple[float, float]  # on |tangential|/normal per foot; inf: none
    known: FloorsKnown
    speed: float  # command along the floor [m/s]
    slope: float  # of the floor [rad]


class Body(NamedTuple):
    """What the controller knows of the robot beside its model functions."""

    mass: float  # [kg]
    legs: LegLengths
    effort_limits: Array  # (4,) [N m]


class WalkingOutput(NamedTuple):
    """What one control tick answers."""

    torques: Array  # (4,) left hip, left knee, right hip, right knee [N m]
    forces: FootForces


@kernel
def _damped(
    forces: FootForces, posture: Posture, stance: tuple[bool, bool], foot: int, damping: float
) -> tuple[float, float]:
    """Force on the robot at a foot, plus what keeps a stance foot from bouncing (choice)."""
    if not stance[foot]:
        return 0.0, 0.0
    along = forces.tangential[foot]
    up = forces.normal[foot] + damping * posture.foot_velocity_n[foot]
    return along, max(up, 0.0)


class Torso(NamedTuple):
    """What a torso decides: kernels of a posture."""

    distribute: Callable[[Posture, BodyForce, tuple[bool, bool], tuple[float, float], float], FootForces]
    """(posture, force on the body, stance, limits, minimum load) -> foot forces."""
    falling_rate: Callable[[Posture], float]
    """Rate [1/s] at which the hip falls away from a single stance foot; 0 where it is driven."""


WalkingStep = Callable[[WalkingState, WalkingInputs, WalkingConfig, Body, float], tuple[WalkingState, WalkingOutput]]


def walking_step(robot: ModelFunctions, torso: Torso) -> WalkingStep:
    """Kernel of one tick for a robot and the torso that it carries."""
    sole_motion, sole_jacobians, dynamics_terms = robot.sole_motion, robot.sole_jacobians, robot.dynamics_terms
    distribute, falling_rate = torso

    @kernel
    def step(
        state: WalkingState, inputs: WalkingInputs, config: WalkingConfig, body: Body, dt: float
    ) -> tuple[WalkingState, WalkingOutput]:
        """One tick; ``config`` is packed."""
        q, v = inputs.q, inputs.v
        position, velocity = sole_motion(q, v)
        posture = posture_in_floor_frame(q, v, position, velocity, inputs.slope)
        rate = falling_rate(posture)
        gait = next_phase(state.gait, posture, inputs.foot_normal, inputs.speed, rate, config.gait, dt)
        speed = inputs.speed
        if gait.phase == DOUBLE_SUPPORT:
            speed = double_support_speed(posture, speed, rate, config.gait)
        force = virtual_force(posture, speed, body.mass, config.virtual_model)
        swing = gait.phase - LEFT_SWING  # foot in the air, or −1
        stance = (swing != 0, swing != 1)
        forces = distribute(posture, force, stance, inputs.limits, config.gait.minimum_load)
        if gait.phase == DOUBLE_SUPPORT:
            probe, forces = probing_step(
                state.probe, forces, inputs.limits, inputs.known, gait.time, config.probing, dt
            )
        else:
            probe = before_landing(swing)

        c, s = math.cos(inputs.slope), math.sin(inputs.slope)
        jacobian, first = sole_jacobians(q), q.shape[0] - 4
        generalized = np.zeros(q.shape[0])  # J^T F of both feet
        for k in range(q.shape[0]):
            for foot in range(2):
                along, up = _damped(forces, posture, stance, foot, config.gait.foot_damping)
                fx, fz = along * c - up * s, along * s + up * c
                generalized[k] += jacobian[3 * foot, k] * fx + jacobian[3 * foot + 2, k] * fz
        torques = np.empty(4)
        for i in range(4):
            torques[i] = -generalized[first + i]  # a stance leg pushes the ground with the opposite force (6.20)–(6.28)
        if gait.phase != DOUBLE_SUPPORT:
            mass_matrix, bias = dynamics_terms(q, v)
            load = np.empty(q.shape[0])
            for k in range(q.shape[0]):
                load[k] = generalized[k] - bias[k] + (torques[k - first] if k >= first else 0.0)
            hip = first + 2 * swing
            pitch = Pitch(-posture.lean, -posture.lean_rate)
            point = swing_path(gait, config.gait, config.swing)
            wanted = joint_acceleration_towards(
                point, posture, pitch, (q[hip], q[hip + 1]), (v[hip], v[hip + 1]), config.swing, body.legs
            )
            torques[2 * swing], torques[2 * swing + 1] = swing_torques(mass_matrix, load, wanted, hip)
        for i in range(4):
            torques[i] = min(max(torques[i], -body.effort_limits[i]), body.effort_limits[i])
        return WalkingState(gait, probe), WalkingOutput(torques, forces)

    return step
