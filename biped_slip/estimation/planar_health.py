# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Health watch of the planar biped: its sensors in the terms of the residuals.

The model of the robot says what its sensors should say of each other: where the soles
are and how they move, q and v of base and joints -> soles; and what forces and torques
move it, by its equation of motion in the sagittal plane [Featherstone2008]::

    M(q) dv/dt + h(q, v) = S tau + J(q)^T f

with the forces f of the ground on both feet and the torques tau of the joints. Its
upper rows, those of the base, hold the wrenches against IMU and encoders; its lower
rows hold the torques against them.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import Found, HealthConfig, health_problem
from biped_slip.estimation.readings import (
    Problem,
    RobotState,
    SensorReadings,
    robot_state,
    trial_readings,
)
from biped_slip.estimation.residuals import (
    GravestFinding,
    gravest_finding,
    new_memory,
)
from biped_slip.estimation.signals import (
    Balance,
    Both,
    LoadedJoints,
    Loads,
    Numbers,
    Rows,
    Signals,
    TorqueAnswer,
    Tracked,
    TwoRates,
    WatchedRobot,
    WatchLimits,
    any_moved,
)
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.robot import Robot

LEAST_FRICTION = 0.03  # of a floor that a foot slides on (choice)
FOOT_RATES = 4  # along the floor and its normal, of the left and the right foot
ACCELERATIONS = 2  # ahead and up
PITCHING = 3  # coordinates of a base that pitches

#: (held memory and limits, judged readings, torques, dt) -> finding
HealthCheck = Callable[..., Found]


class LastMotion(NamedTuple):
    """Motion of base and joints at the last reading."""

    base: Tracked
    joints: Tracked


class GroundForces(NamedTuple):
    """Forces of the ground on both feet."""

    force: Array  # (2, 3) in the world [N]
    load: Both  # along the floor's normal [N]
    crossed_load: Both  # with the wrenches of the feet exchanged [N]


@kernel
def ground_forces(turn: Array, wrench: Array, slope: float) -> GroundForces:
    """Turn forces of wrenches (2, 6) in the soles by the rotations (6, 3) of both."""
    c = math.cos(slope)
    s = math.sin(slope)
    force = np.zeros((2, 3))
    # of the wrench of a foot (row) in the frame of a foot (column)
    load = np.zeros((2, 2))
    for k in range(3):
        for foot in range(2):
            for i in range(3):
                force[foot, i] += turn[3 * foot + i, k] * wrench[foot, k]
            load[foot, 0] += (c * turn[2, k] - s * turn[0, k]) * wrench[foot, k]
            load[foot, 1] += (c * turn[5, k] - s * turn[3, k]) * wrench[foot, k]
    return GroundForces(
        force=force,
        load=(load[0, 0], load[1, 1]),
        crossed_load=(load[1, 0], load[0, 1]),
    )


@kernel
def along_floor(ground: GroundForces, slope: float) -> Array:
    """Return the forces on both feet along the floor (2, 3), in the world [N]."""
    along = np.zeros((2, 3))
    for foot in range(2):
        along[foot, 0] = ground.force[foot, 0] + math.sin(slope) * ground.load[foot]
        along[foot, 1] = ground.force[foot, 1]
        along[foot, 2] = ground.force[foot, 2] - math.cos(slope) * ground.load[foot]
    return along


@kernel
def specific_force_in_world(specific_force: Array, pitch: float) -> Array:
    """Turn the specific force (3,) of a base that pitches into the world [m/s^2]."""
    c = math.cos(pitch)
    s = math.sin(pitch)
    specific = np.zeros(3)
    specific[0] = c * specific_force[0] + s * specific_force[2]
    specific[1] = specific_force[1]
    specific[2] = c * specific_force[2] - s * specific_force[0]
    return specific


@kernel
def body_balance(
    mass: Array, v: Array, ground: GroundForces, specific: Array
) -> Balance:
    """Make the balance of forces of the whole body; moments are not watched.

    Args:
        mass: matrix (nv, nv) at this posture.
        v: velocities (nv,) of base and joints.
        ground: its forces.
        specific: force (3,) at the IMU, in the world [m/s^2].
    """
    load = np.zeros(6)
    carried = np.zeros(6)
    momentum = np.zeros(6)
    up = np.zeros(3)
    up[2] = 1.0
    for k in range(3):
        load[k] = ground.force[0, k] + ground.force[1, k]
        carried[k] = mass[0, 0] * specific[k]
    for i in range(2, v.shape[0]):
        momentum[0] += mass[0, i] * v[i]
        momentum[2] += mass[1, i] * v[i]
    return Balance(load=load, carried=carried, momentum=momentum, up=up)


class Dynamics(NamedTuple):
    """Equation of motion at an instant."""

    mass: Array  # (nv, nv) M
    bias: Array  # (nv,) h
    jacobians: Array  # (6, nv) J, of both soles


@kernel
def torque_answer_of(
    dynamics: Dynamics,
    v: Array,
    last: LastMotion,
    ground: GroundForces,
    torques: Array,
    dt: float,
) -> TorqueAnswer:
    """Compute what of each joint's torque (n,) neither motion nor ground takes.

    Before the second reading it is NaN.
    """
    jacobians = dynamics.jacobians
    n = torques.shape[0]
    root = v.shape[0] - n
    unanswered = np.empty(n)
    lever = np.empty((n, 2))
    for joint in range(n):
        i = root + joint
        excess = torques[joint] - dynamics.bias[i]
        for k in range(6):
            excess += jacobians[k, i] * ground.force[k // 3, k % 3]
        for k in range(v.shape[0]):
            before = last.base.rate[k] if k < root else last.joints.rate[k - root]
            excess -= dynamics.mass[i, k] * (v[k] - before) / max(dt, 1e-9)
        unanswered[joint] = math.nan if math.isnan(last.joints.value[joint]) else excess
        lever[joint, 0] = jacobians[2, i] + jacobians[5, i]
        lever[joint, 1] = jacobians[0, i] + jacobians[3, i]
    return TorqueAnswer(torque=torques, unanswered=unanswered, lever=lever)


@kernel
def acceleration_of_base(
    v: Array, last: LastMotion, specific: Array, dt: float
) -> TwoRates:
    """Compute the acceleration of the base, ahead and up, by twist and by IMU.

    Before the second reading the twist's is NaN.
    """
    measured = np.empty(ACCELERATIONS)
    expected = np.empty(ACCELERATIONS)
    for k in range(ACCELERATIONS):
        measured[k] = (v[k] - last.base.rate[k]) / max(dt, 1e-9)
        expected[k] = specific[2 * k] - k * GRAVITY
    if math.isnan(last.base.value[0]):
        measured[:] = math.nan
    return TwoRates(measured=measured, expected=expected)


@kernel
def speeds_on_floor(
    velocity: Array, ground: GroundForces, limits: WatchLimits
) -> TwoRates:
    """Compute how a loaded foot moves along the floor and its normal [m/s].

    The floor says that it stands. Along the floor it may slide; then the floor brakes
    it, and that is no residual. ``velocity`` (2, 3 or more) of the soles, in the world.
    """
    robot = limits.robot
    c = math.cos(robot.slope)
    s = math.sin(robot.slope)
    measured = np.zeros(FOOT_RATES)
    for foot in range(2):
        load = ground.load[foot]
        if not load > limits.config.heavy * robot.weight:
            continue
        along = c * velocity[foot, 0] + s * velocity[foot, 2]
        pull = c * ground.force[foot, 0] + s * ground.force[foot, 2]
        measured[2 * foot + 1] = c * velocity[foot, 2] - s * velocity[foot, 0]
        if pull * along > -LEAST_FRICTION * load * abs(along):
            measured[2 * foot] = along
    return TwoRates(measured=measured, expected=np.zeros(FOOT_RATES))


@kernel
def loads_on_floor(
    q: Array, position: Array, ground: GroundForces, specific_force: Array, slope: float
) -> Loads:
    """Gather the loads of both feet, and what they are held against.

    Args:
        q: coordinates of base and joints (nv,).
        position: of the soles, in the world (2, 3) [m].
        ground: its forces.
        specific_force: specific force of the IMU (3,) [m/s^2].
        slope: of the floor [rad].
    """
    c = math.cos(slope)
    s = math.sin(slope)
    left = c * position[0, 2] - s * position[0, 0]
    right = c * position[1, 2] - s * position[1, 0]
    return Loads(
        load=ground.load,
        crossed=ground.crossed_load,
        sole_height=(left, right),
        base_height=c * q[1] - s * q[0],
        specific_force_squared=specific_force[0] * specific_force[0]
        + specific_force[1] * specific_force[1]
        + specific_force[2] * specific_force[2],
    )


@kernel
def side_by_side(first: Array, second: Array) -> Array:
    """Put the three numbers of two sensors beside each other (1, 6)."""
    both = np.empty((1, 6))
    for k in range(3):
        both[0, k] = first[k]
        both[0, 3 + k] = second[k]
    return both


#: (motion before, state, readings, torques, limits, dt) -> signals
PlanarSignals = Callable[..., Signals]


def planar_signals(model: ModelFunctions) -> PlanarSignals:
    """Make the kernel from readings of a sagittal robot to the residuals' signals."""
    sole_motion = model.sole_motion
    sole_rotations = model.sole_rotations
    dynamics_terms = model.dynamics_terms
    sole_jacobians = model.sole_jacobians

    @kernel(inline="code")
    def signals_of(
        last: LastMotion,
        state: RobotState,
        readings: SensorReadings,
        torques: Array,
        limits: WatchLimits,
        dt: float,
    ) -> Signals:
        """Compute all signals under joint torques (n,), dt [s] after the last ones."""
        q, v = state
        root = q.shape[0] - torques.shape[0]
        joints = Tracked(q[root:], v[root:])
        moved = any_moved(joints.value, last.joints.value)
        position, velocity = sole_motion(q, v)
        wrench = readings.wrench_ground_on_foot_in_sole
        ground = ground_forces(sole_rotations(q), wrench, limits.robot.slope)
        specific_force = readings.specific_force_in_base
        turning = readings.angular_velocity_in_base
        place = readings.position_base_in_odom
        speed = readings.linear_velocity_in_base
        pitch = q[2] if root == PITCHING else 0.0
        specific = specific_force_in_world(specific_force, pitch)
        mass, bias = dynamics_terms(q, v)
        dynamics = Dynamics(mass, bias, sole_jacobians(q))
        return Signals(
            base=Tracked(q[:root], v[:root]),
            joints=LoadedJoints(
                moved=joints,
                pull=along_floor(ground, limits.robot.slope),
                load=ground.load,
            ),
            swing=Tracked(q[:0], v[:0]),
            foot_rates=speeds_on_floor(velocity, ground, limits),
            acceleration=acceleration_of_base(v, last, specific, dt),
            torques=torque_answer_of(dynamics, v, last, ground, torques, dt),
            balance=body_balance(mass, v, ground, specific),
            wrenches=Numbers(wrench, moved),
            imu=Numbers(side_by_side(specific_force, turning), moved),
            odometry=Numbers(side_by_side(place, speed), moved),
            loads=loads_on_floor(
                q, position, ground, specific_force, limits.robot.slope
            ),
        )

    return signals_of


def planar_check(
    signals_of: PlanarSignals, find: GravestFinding, root: int
) -> HealthCheck:
    """Make the kernel of a watch whose base has ``root`` coordinates."""

    @kernel
    def check(held: Held, readings: SensorReadings, torques: Array, dt: float) -> Found:
        memory, limits = held.value
        last = LastMotion(memory.base_way.last, memory.joint_way.joints.last)
        state = robot_state(readings, root)
        signals = signals_of(last, state, readings, torques, limits, dt)
        return find(memory, signals, limits, dt)

    return check


class HealthWatch:
    """Health watch of one planar biped's readings.

    Args:
        robot: whose sensors.
        config: thresholds.
        height: of the base over the soles with straight legs [m]; 0: falls are not
            watched for.
        slope: of the floor [rad].
        offset: that a foot's force sensor may have [N].
    """

    def __init__(
        self,
        robot: Robot,
        config: HealthConfig,
        height: float,
        slope: float = 0.0,
        offset: float = 0.0,
    ) -> None:
        lower, upper = robot.position_limits
        watched = WatchedRobot(
            lower=lower,
            upper=upper,
            speed=robot.velocity_limits,
            effort=robot.effort_limits,
            weight=robot.mass * GRAVITY,
            height=height,
            slope=slope,
            force_offset=offset,
        )
        joints = len(robot.joints)
        self._rows = Rows(
            base=robot.root_size,
            joints=joints,
            swing=0,
            foot_rates=FOOT_RATES,
            acceleration=ACCELERATIONS,
            torques=joints,
        )
        self.unknown = np.full(joints, np.nan)
        self.joints = robot.joints
        self._limits = WatchLimits(watched, config.packed)
        signals_of = planar_signals(model_functions(robot))
        self.kernel = planar_check(signals_of, gravest_finding(), robot.root_size)
        self._health = OfOneType(self.kernel)
        self.reset()
        self.step(next(trial_readings(joints)), 0.0)  # compiled now
        self.reset()

    def retune(self, config: HealthConfig) -> None:
        """Set the thresholds of the health checks."""
        self._limits = self._limits._replace(config=config.packed)
        self.held = hold((self._memory, self._limits))

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._memory = new_memory(self._rows)
        self.held = hold((self._memory, self._limits))
        # 1: an encoder does not say how its joint moves
        self.doubted = self._memory.joint_way.joints.account.doubt

    def step(
        self, readings: SensorReadings, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Check a judged reading.

        Args:
            readings: of this instant.
            dt: since the last one [s].
            torques: of the joints (n,), where they are known [N m].

        Returns:
            What is wrong, or None.
        """
        torques = self.unknown if torques is None else torques
        return health_problem(
            self._health(self.held, readings, torques, float(dt)), self.joints
        )
