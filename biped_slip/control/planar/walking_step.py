# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking step of the planar biped: one control tick from posture to joint torques.

Posture, gait phase, force on the body, foot forces, joint torques (A.8–A.9), in this
order; a stance leg pushes with ``tau = -J^T F`` (6.20)–(6.28).
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, section
from biped_slip.control.actuation import (
    ActuationConfig,
    MotorState,
    delay,
    lead_compensated,
)
from biped_slip.control.planar.foot_forces import FootForces
from biped_slip.control.planar.gait import (
    DOUBLE_SUPPORT,
    LEFT_SWING,
    GaitConfig,
    GaitState,
    double_support_speed,
    next_phase,
)
from biped_slip.control.planar.pace import (
    Pace,
    next_pace,
    stands,
)
from biped_slip.control.planar.posture import Posture, posture_in_floor_frame
from biped_slip.control.planar.swing_leg import (
    Pitch,
    SwingConfig,
    joint_acceleration_towards,
    swing_target,
    swing_torques,
)
from biped_slip.control.planar.virtual_model import (
    BodyForce,
    VirtualModelConfig,
    virtual_force,
)
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.robots.planar_biped import LegLengths


@configuration
class WalkingConfig(Configuration):
    """Configuration of the planar walking controller."""

    virtual_model: VirtualModelConfig = section(VirtualModelConfig)
    gait: GaitConfig = section(GaitConfig)
    swing: SwingConfig = section(SwingConfig)
    actuation: ActuationConfig = section(ActuationConfig)


class WalkingState(NamedTuple):
    """State of the gait from one control tick to the next."""

    gait: GaitState
    motors: MotorState
    pace: Pace = Pace()


class WalkingInputs(NamedTuple):
    """Inputs of one control tick."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    foot_normal: tuple[float, float]  # measured [N]
    limits: tuple[float, float]  # on |tangential|/normal per foot; inf: none
    speed: float  # command along the floor [m/s]
    slope: float  # of the floor [rad]


class PlanarBody(NamedTuple):
    """Constants of the robot: mass, legs and torque limits."""

    mass: float  # [kg]
    legs: LegLengths
    effort_limits: Array  # (4,) [N m]


class WalkingOutput(NamedTuple):
    """Output of one control tick."""

    torques: Array  # (4,) left hip, left knee, right hip, right knee [N m]
    forces: FootForces


@kernel
def _damped(
    forces: FootForces,
    posture: Posture,
    stance: tuple[bool, bool],
    foot: int,
    limit: float,
    damping: float,
) -> tuple[float, float]:
    """Add damping to the force on the robot at a stance foot.

    It works against bounces and, where slip is limited, slides.
    """
    if not stance[foot]:
        return 0.0, 0.0
    along = forces.tangential[foot]
    if limit < math.inf:
        along += damping * posture.foot_velocity_s[foot]
    up = forces.normal[foot] + damping * posture.foot_velocity_n[foot]
    return along, max(up, 0.0)


@kernel(inline="code")
def ground_reaction(
    forces: FootForces,
    posture: Posture,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    damping: float,
    jacobian: Array,
) -> Array:
    """Compute the generalized forces (nv,) ``J^T F`` of the ground on both feet.

    Args:
        forces: wanted at the feet.
        posture: of the robot.
        stance: feet that carry.
        limits: on their force ratios; inf: none.
        damping: of their motion [N s/m].
        jacobian: (6, nv) of both soles.
    """
    c = math.cos(posture.slope)
    s = math.sin(posture.slope)
    n = jacobian.shape[1]
    generalized = np.zeros(n)
    for foot in range(2):
        along, up = _damped(forces, posture, stance, foot, limits[foot], damping)
        fx = along * c - up * s
        fz = along * s + up * c
        for k in range(n):
            generalized[k] += (
                jacobian[3 * foot, k] * fx + jacobian[3 * foot + 2, k] * fz
            )
    return generalized


@kernel(inline="code")
def swing_leg_torques(
    q: Array,
    v: Array,
    posture: Posture,
    gait: GaitState,
    generalized: Array,
    dynamics: tuple[Array, Array],
    config: WalkingConfig,
    legs: LegLengths,
) -> tuple[float, float]:
    """Compute hip and knee torques [N m] that keep the swing foot on its path.

    Args:
        q: (nv,) coordinates.
        v: (nv,) velocities.
        posture: of the robot.
        gait: phase and step.
        generalized: (nv,) forces of the ground.
        dynamics: mass matrix (nv, nv) and bias (nv,).
        config: packed.
        legs: their lengths.
    """
    mass_matrix, bias = dynamics
    first = q.shape[0] - 4
    hip = first + 2 * (gait.phase - LEFT_SWING)
    load = np.empty(q.shape[0])
    for k in range(q.shape[0]):
        # a stance leg pushes with the opposite of the ground's force
        push = -generalized[k] if k >= first else 0.0
        load[k] = generalized[k] - bias[k] + push
    point, damping = swing_target(gait, posture, config.gait, config.swing)
    wanted = joint_acceleration_towards(
        point,
        posture,
        Pitch(-posture.lean, -posture.lean_rate),
        (q[hip], q[hip + 1]),
        (v[hip], v[hip + 1]),
        config.swing,
        damping,
        legs,
    )
    return swing_torques(mass_matrix, load, wanted, hip)


@kernel
def bear_legs(torques: Array, bias: Array) -> None:
    """Add what holds the legs' own weight to torques (4,), in place [N m].

    ``bias`` (nv,) is that of the dynamics. Near a straight knee their weight would push
    the hip up or down by more than the height's spring gives.
    """
    first = bias.shape[0] - 4
    for i in range(4):
        torques[i] += bias[first + i]


@kernel(inline="code")
def position_when_torques_act(
    inputs: WalkingInputs, actuation: ActuationConfig, dt: float
) -> Array:
    """Predict the coordinates (nv,) at present rates; ``actuation`` is packed."""
    late = delay(actuation.lag, actuation.dead_time, actuation.sensor_age, dt)
    if late > 0.0:
        return inputs.q + late * inputs.v
    return inputs.q


class Torso(NamedTuple):
    """Kernels of the torso, upright or pitching."""

    distribute: Callable[
        [Posture, BodyForce, tuple[bool, bool], tuple[float, float], float], FootForces
    ]
    """(posture, force on the body, stance, limits, minimum load) -> foot forces."""
    stand: Callable[[Posture, BodyForce, float, tuple[float, float], float], FootForces]
    """(posture, force on the body, mass, limits, minimum load) -> foot forces of
    standing."""
    falling_rate: Callable[[Posture], float]
    """Rate [1/s] at which the hip falls away from a single stance foot; 0 where it is
    driven."""


WalkingStep = Callable[
    [WalkingState, WalkingInputs, WalkingConfig, PlanarBody, float],
    tuple[WalkingState, WalkingOutput],
]


def walking_step(robot: ModelFunctions, torso: Torso) -> WalkingStep:
    """Make the kernel of one tick for a robot and the torso that it carries."""
    sole_motion = robot.sole_motion
    sole_jacobians = robot.sole_jacobians
    dynamics_terms = robot.dynamics_terms
    distribute, stand, falling_rate = torso

    @kernel
    def foot_forces(
        posture: Posture,
        phase: int,
        pace: Pace,
        limits: tuple[float, float],
        config: WalkingConfig,
        mass: float,
    ) -> FootForces:
        """Compute the forces of walking or standing."""
        speed = pace.speed
        if phase == DOUBLE_SUPPORT:
            rate = falling_rate(posture)
            speed = double_support_speed(posture, speed, rate, config.gait)
        force = virtual_force(posture, speed, mass, config.virtual_model)
        minimum = config.gait.minimum_load
        if stands(phase, pace):
            return stand(posture, force, mass, limits, minimum)
        swing = phase - LEFT_SWING  # foot in the air, or −1
        return distribute(posture, force, (swing != 0, swing != 1), limits, minimum)

    @kernel
    def step(
        state: WalkingState,
        inputs: WalkingInputs,
        config: WalkingConfig,
        body: PlanarBody,
        dt: float,
    ) -> tuple[WalkingState, WalkingOutput]:
        """Step one tick; ``config`` is packed."""
        q = position_when_torques_act(inputs, config.actuation, dt)
        v = inputs.v
        position, velocity = sole_motion(q, v)
        posture = posture_in_floor_frame(q, v, position, velocity, inputs.slope)
        rate = falling_rate(posture)
        pace = next_pace(
            state.pace,
            inputs.speed,
            state.gait,
            posture,
            rate,
            config.gait,
            dt,
        )
        gait = next_phase(
            state.gait,
            posture,
            inputs.foot_normal,
            pace.speed,
            rate,
            config.gait,
            config.swing.touchdown,
            dt,
        )
        forces = foot_forces(
            posture, gait.phase, pace, inputs.limits, config, body.mass
        )
        swing = gait.phase - LEFT_SWING  # foot in the air, or −1
        stance = (swing != 0, swing != 1)

        generalized = ground_reaction(
            forces,
            posture,
            stance,
            inputs.limits,
            config.gait.foot_damping,
            sole_jacobians(q),
        )
        first = q.shape[0] - 4
        torques = np.empty(4)
        for i in range(4):
            # a stance leg pushes the ground with the opposite force (6.20)–(6.28)
            torques[i] = -generalized[first + i]
        if stands(gait.phase, pace):
            bear_legs(torques, dynamics_terms(q, v)[1])
        if gait.phase != DOUBLE_SUPPORT:
            torques[2 * swing], torques[2 * swing + 1] = swing_leg_torques(
                q,
                v,
                posture,
                gait,
                generalized,
                dynamics_terms(q, v),
                config,
                body.legs,
            )
        for i in range(4):
            torques[i] = min(
                max(torques[i], -body.effort_limits[i]), body.effort_limits[i]
            )
        motors = lead_compensated(
            state.motors, torques, body.effort_limits, config.actuation.lag, dt
        )
        return WalkingState(gait, motors, pace), WalkingOutput(motors.command, forces)

    return step
