# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Health checks of sensors and robot, each finding with a name.

Each check looks for something that a working sensor does not do: a number that stands
still while the joints move, a floor that pulls, a load on the foot that is in the air.

Arguments of all kernels: ``memory`` of the watch, which they fill; ``q`` and ``v``
(nv,); ``wrench`` (2, 6) of the ground on each foot, in its sensor's frame; ``imu`` (6,)
specific force and angular velocity; ``odometry`` (6,) position and velocity of the
base, as measured; ``frame`` of robot and floor; ``config``, the packed
``HealthConfig``; ``rates`` (k, 2) of the feet, left first, each as two sensors tell it;
``dt`` since the last reading [s].
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import (
    Problem,
    ReadingsJudge,
    SensorReadings,
    robot_state,
    trial_readings,
)
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.robot import Robot

#: Findings, by code; the second number of an answer says which foot, joint or sensor.
WELL, JOINT_LIMIT, JOINT_SPEED, FALL = range(4)
CONSTANT_WRENCH, SATURATED_WRENCH, CONSTANT_IMU, SATURATED_IMU, CONSTANT_ODOMETRY = (
    range(4, 9)
)
(
    WRONG_SIGN,
    SWAPPED_FEET,
    ZERO_WRENCH,
    UNBALANCED,
    WRONG_VELOCITY,
    WRONG_TWIST,
    WRONG_LEG,
    UNANSWERED,
) = range(9, 17)

TICK = 1e-3  # [s] up to which nothing happens between two readings (choice)
FORGOTTEN = 0.1  # [s] over which two accounts of one motion are compared (choice)
IMPULSE = 0.05  # [s] over which torques are, and what they move (choice)
# of a gain that its mean over that time [s] leaves: moments leak, feet differ (choice)
LEARNT = 0.7
LEARNING = 1.0
MOST_LEARNT = 1.5  # gains: mass and force sensors err together (choice)
LONG_TICK = (
    0.005  # [s] over a longer one nothing is compared: a foot may have landed in it
)
# [s] that one reading proves at most, however long the gap before it: the longest
# period
ONE_READING = 0.004
# other accounts of a sagittal robot's motion, feet first; of what moves it
FEET_RATES = 4
ACCOUNTS = 6
BALANCED = 6
# share of a joint's unanswered torque: what asks for more is a wrong force (choice)
EXPLAINED = 0.5
SLIPPERY = 0.03  # least friction of a floor that a foot slides on (choice)
SATURATION = (
    2.0 * GRAVITY
)  # [m/s^2, rad/s] an axis of the IMU that stays above it is saturated

Both = tuple[float, float]  # of left and right foot


class Frame(NamedTuple):
    """Robot and floor of the checks."""

    root: int  # coordinates of the base
    lower: Array  # (n,) [rad]
    upper: Array  # (n,) [rad]
    speed: Array  # (n,) [rad/s]
    effort: Array  # (n,) [N m]
    weight: float  # [N]
    height: float  # of the base over the soles with straight legs [m]
    slope: float  # of the floor [rad]
    offset: float  # of a foot's force sensor [N]
    feet: int  # other accounts of a motion that are the feet's: the first ones


class WatchState(NamedTuple):
    """Memory of a watch; the kernels fill it in place."""

    wrench: Array  # (2, 6) last
    wrench_still: Array  # (2, 6) since it changed, while the joints moved [s]
    imu: Array  # (1, 6) last: specific force, angular velocity
    imu_still: Array  # (1, 6) [s]
    lasted: Array  # (4,) wrong sign left, right, swapped feet, no load [s]
    place: Array  # (nv,) last coordinates, the base's and the joints'
    velocity: Array  # (nv,) last
    rate: Array  # (k,) last of the other accounts
    # (nv + k,) lately: way of coordinates beyond that of velocities, of k other
    # accounts beyond theirs
    apart: Array
    # (nv + k, 4) way that the others say, change of their rate, its largest, way
    # between late ticks
    claimed: Array
    doubt: Array  # (nv + k,) 1 where they diverge
    odometry: Array  # (1, 6) last: position, linear velocity
    odometry_still: Array  # (1, 6) [s]
    load: Array  # (6,) last of the ground
    momentum: Array  # (6,) last
    sideways: Array  # (1,) for how long the excess across the weight has been large [s]
    # (2,) share of the load by which it exceeds what it carries, and for how long that
    # is learnt [s]
    gain: Array


def fresh_memory(coordinates: int, rates: int) -> WatchState:
    """Allocate the memory before the first reading.

    It is for coordinates and rates that are measured twice.
    """
    unknown = math.nan
    six = (1, 6)
    every = coordinates + rates
    return WatchState(
        wrench=np.full((2, 6), unknown),
        wrench_still=np.zeros((2, 6)),
        imu=np.full(six, unknown),
        imu_still=np.zeros(six),
        lasted=np.zeros(4),
        place=np.full(coordinates, unknown),
        velocity=np.zeros(coordinates),
        rate=np.zeros(rates),
        apart=np.zeros(every),
        claimed=np.zeros((every, 4)),
        doubt=np.zeros(every),
        odometry=np.full(six, unknown),
        odometry_still=np.zeros(six),
        load=np.full(6, unknown),
        momentum=np.zeros(6),
        sideways=np.zeros(1),
        gain=np.zeros(2),
    )


@kernel
def beyond_limits(
    q: Array, v: Array, up: Both, frame: Frame, config: Any
) -> tuple[int, int]:
    """Find a joint beyond its range or speed, or a fallen base.

    ``up`` is the height of each sole [m].
    """
    root = frame.root
    base = math.cos(frame.slope) * q[1] - math.sin(frame.slope) * q[0]
    if base - min(up[0], up[1]) < config.fall_height * frame.height:
        return FALL, 0
    for i in range(q.shape[0] - root):
        if (
            not frame.lower[i] - config.joint_margin
            <= q[root + i]
            <= frame.upper[i] + config.joint_margin
        ):
            return JOINT_LIMIT, i
        if abs(v[root + i]) > frame.speed[i]:
            return JOINT_SPEED, i
    return WELL, 0


@kernel
def strays(
    memory: WatchState,
    i: int,
    excess: float,
    rate: float,
    change: float,
    least: float,
    lasting: float,
    keeps: bool,
    config: Any,
    dt: float,
) -> bool:
    """Return whether two measurements of a quantity have diverged.

    They diverge by ``excess`` in a tick of ``rate``.

    ``least`` passes, and what a gain, a lag or a late tick explains: a share of the
    way, the ``change`` of rate within a time, half of it for as long as the tick was
    late. Forgotten within ``lasting`` [s], but for what was found, where it ``keeps``,
    until the way back: joints that have been stopped disagree no more.
    """
    if dt > LONG_TICK or not math.isfinite(excess + change):
        memory.claimed[i, :] = 0.0
        memory.apart[i] = memory.doubt[i] = 0.0
        return False
    kept = max(0.0, 1.0 - dt / lasting)
    memory.claimed[i, 0] = kept * memory.claimed[i, 0] + rate * dt
    memory.claimed[i, 1] = kept * memory.claimed[i, 1] + change
    held = memory.claimed[i, 2] * max(0.0, 1.0 - dt / max(config.disagreeing_lag, dt))
    # what is late comes after the turn
    way = abs(memory.claimed[i, 0])
    turn = max(abs(memory.claimed[i, 1]), held)
    memory.claimed[i, 2] = turn
    memory.claimed[i, 3] = kept * memory.claimed[i, 3] + 0.5 * abs(change) * max(
        dt - TICK, 0.0
    )
    most = (
        least
        + config.disagreeing_gain * way
        + config.disagreeing_lag * turn
        + memory.claimed[i, 3]
    )
    if keeps and abs(memory.apart[i]) > most:
        kept = 1.0
    memory.apart[i] = kept * memory.apart[i] + excess
    memory.doubt[i] = 1.0 if abs(memory.apart[i]) > most else 0.0
    return memory.doubt[i] > 0.0


@kernel
def stray(
    memory: WatchState, q: Array, v: Array, rates: Array, config: Any, dt: float
) -> int:
    """Find the first coordinate that contradicts its velocity, or else rate.

    The rate is one that is measured twice; −1: none.
    """
    found = -1
    nv = q.shape[0]
    least = config.disagreement
    for i in range(nv + rates.shape[0]):
        if i < nv:
            rate = 0.5 * (memory.velocity[i] + v[i])
            change = v[i] - memory.velocity[i]
            excess = q[i] - memory.place[i] - rate * dt
            memory.place[i], memory.velocity[i] = q[i], v[i]
        else:
            rate = rates[i - nv, 1]
            change = rates[i - nv, 1] - memory.rate[i - nv]
            excess = (rates[i - nv, 0] - rate) * dt
            memory.rate[i - nv] = rate
        if (
            strays(memory, i, excess, rate, change, least, FORGOTTEN, True, config, dt)
            and found < 0
        ):
            found = i
    return found


@kernel
def joints_moved(memory: WatchState, q: Array, root: int) -> bool:
    """Return whether any joint position has changed since the last reading.

    Call it before ``stray``.
    """
    for i in range(root, q.shape[0]):
        if q[i] != memory.place[i]:
            return True
    return False


@kernel
def standing_still(
    last: Array,
    still: Array,
    values: Array,
    row: int,
    moved: bool,
    large: float,
    config: Any,
    dt: float,
) -> int:
    """Return 2 if all six values of a sensor have been constant for too long.

    Return 1 if a large one has been, else 0.
    """
    stuck = 0
    saturated = 0
    any_value = False
    for k in range(6):
        if values[k] != last[row, k]:
            still[row, k] = 0.0
        elif moved:
            still[row, k] += min(dt, ONE_READING)
        last[row, k] = values[k]
        any_value = any_value or values[k] != 0.0
        if still[row, k] > config.stuck_time:
            stuck += 1
            saturated += abs(values[k]) > large
    if stuck == 6 and any_value:
        return 2
    return 1 if saturated > 0 else 0


@kernel
def stuck_sensor(
    memory: WatchState,
    q: Array,
    v: Array,
    wrench: Array,
    imu: Array,
    odometry: Array,
    rates: Array,
    frame: Frame,
    config: Any,
    dt: float,
) -> tuple[int, int]:
    """Find a sensor that is constant while the joints move.

    Or find two that contradict each other.
    """
    moved = joints_moved(memory, q, frame.root)
    wrong = stray(memory, q, v, rates, config, dt)
    left = standing_still(
        memory.wrench,
        memory.wrench_still,
        wrench[0],
        0,
        moved,
        frame.weight,
        config,
        dt,
    )
    right = standing_still(
        memory.wrench,
        memory.wrench_still,
        wrench[1],
        1,
        moved,
        frame.weight,
        config,
        dt,
    )
    inertial = standing_still(
        memory.imu, memory.imu_still, imu, 0, moved, SATURATION, config, dt
    )
    for k in range(6):
        if (
            memory.imu_still[0, k] > FORGOTTEN and imu[k] != 0.0
        ):  # one axis; in the plane some are always zero
            inertial = 2
    pose = standing_still(
        memory.odometry, memory.odometry_still, odometry, 0, moved, math.inf, config, dt
    )
    if max(left, right) > 0:
        foot = 0 if left >= right else 1
        return (CONSTANT_WRENCH if max(left, right) == 2 else SATURATED_WRENCH), foot
    if inertial > 0:
        return (CONSTANT_IMU if inertial == 2 else SATURATED_IMU), 0
    if pose == 2:
        return CONSTANT_ODOMETRY, 0
    if wrong < 0:
        return WELL, 0
    if wrong < frame.root or wrong >= q.shape[0] + frame.feet:
        return WRONG_TWIST, 0
    if wrong < q.shape[0]:
        return WRONG_VELOCITY, wrong - frame.root
    return WRONG_LEG, 2 * (wrong - q.shape[0]) // frame.feet


class Balance(NamedTuple):
    """Balance of a body: wrench of the ground and change of momentum.

    Forces come first, then moments about its centre of mass.

    The ground alone pushes a walking robot, so of forces F and moments M holds F = m (f
    + du/dt) and M = dL/dt, with the specific force f at the IMU, the velocity u of the
    centre of mass relative to it, and the angular momentum L.
    """

    load: Array  # (6,) of the ground [N, N m]
    carried: Array  # (6,) m f, and what turns L with the axes
    momentum: Array  # (6,) m u, L
    up: Array  # (3,) unit vector against the weight


@kernel
def unbalanced(
    memory: WatchState,
    balance: Balance,
    first: int,
    frame: Frame,
    config: Any,
    dt: float,
) -> bool:
    """Return whether the ground's wrench contradicts the body's motion.

    Six sums are kept from ``first`` on.

    A push is no fault of a sensor: across the weight it is given its time. Mass and
    force sensors err by a constant share of the load, which is learnt along the weight
    while a foot carries.
    """
    excess = (balance.load - balance.carried) * dt - (
        balance.momentum - memory.momentum
    )
    rate = balance.load.copy()
    change = balance.load - memory.load
    up = balance.up
    copy_vector(balance.load, memory.load, 0)
    copy_vector(balance.momentum, memory.momentum, 0)
    for vector in (excess, rate, change):  # the first of each is that along the weight
        along = vector[0] * up[0] + vector[1] * up[1] + vector[2] * up[2]
        for k in (2, 1):
            vector[k] = vector[k - 1] - along * up[k - 1]
        vector[0] = along
    if dt <= LONG_TICK and math.isfinite(excess[0]):
        excess[0] -= memory.gain[0] * rate[0] * dt
        memory.gain[1] = min(
            memory.gain[1] + max(rate[0], 0.0) / frame.weight * dt, LEARNING
        )
        gain = excess[0] / frame.weight / max(memory.gain[1], IMPULSE)
        most = MOST_LEARNT * config.disagreeing_gain
        memory.gain[0] = min(max(memory.gain[0] + gain, -most), most)
    rate[0] *= LEARNT
    impulse = frame.weight * IMPULSE
    offset = 2.0 * frame.offset / frame.weight
    out = False
    across = False
    for k in range(6):
        lever = (config.turning + 2.0 * offset) * frame.height
        share = (
            config.imbalance + offset if k == 0 else config.sideways if k < 3 else lever
        )
        along = not 0 < k < 3
        beyond = strays(
            memory,
            first + k,
            excess[k],
            rate[k],
            change[k],
            share * impulse,
            IMPULSE,
            False,
            config,
            dt,
        )
        out = out or (beyond and along)
        across = across or (beyond and not along)
    memory.sideways[0] = memory.sideways[0] + min(dt, ONE_READING) if across else 0.0
    return out or memory.sideways[0] > config.push_time


@kernel
def contradiction(
    memory: WatchState,
    load: Both,
    crossed: Both,
    up: Both,
    imu: Array,
    frame: Frame,
    config: Any,
    dt: float,
) -> tuple[int, int]:
    """Find loads [N] that contradict posture, floor or IMU.

    ``crossed`` are those with the wrenches exchanged.
    """
    light = config.light * frame.weight + frame.offset
    high = 0 if up[0] > up[1] else 1
    apart = up[high] - up[1 - high] > config.clearance
    held = imu[0] * imu[0] + imu[1] * imu[1] + imu[2] * imu[2] > (0.5 * GRAVITY) ** 2
    wrong = (
        load[0] < -light,
        load[1] < -light,
        apart and load[1 - high] < light and load[high] > config.heavy * frame.weight,
        held and abs(load[0]) + abs(load[1]) < light,
    )
    for i in range(4):
        memory.lasted[i] = memory.lasted[i] + min(dt, ONE_READING) if wrong[i] else 0.0
    if memory.lasted[2] > config.contradiction_time:
        return SWAPPED_FEET, high
    for foot in range(2):
        if memory.lasted[foot] > config.contradiction_time:
            if (
                crossed[0] > -light and crossed[1] > -light
            ):  # in each other's frame they make sense
                return SWAPPED_FEET, high
            return WRONG_SIGN, foot
    if memory.lasted[3] > config.unloaded_time:
        return ZERO_WRENCH, 0
    return WELL, 0


@kernel
def gravest_of_all(
    memory: WatchState,
    q: Array,
    v: Array,
    wrench: Array,
    imu: Array,
    odometry: Array,
    rates: Array,
    load: Both,
    crossed: Both,
    up: Both,
    unexplained: tuple[int, int],
    frame: Frame,
    config: Any,
    dt: float,
) -> tuple[int, int]:
    """Return the gravest finding of a plausible reading.

    It is the code of the finding, and its foot, joint or sensor.

    Args as of the checks before; ``unexplained``: what is found of the forces that move
    the body.
    """
    stuck = stuck_sensor(memory, q, v, wrench, imu, odometry, rates, frame, config, dt)
    contradicted = contradiction(memory, load, crossed, up, imu, frame, config, dt)
    for found in (beyond_limits(q, v, up, frame, config), contradicted, stuck):
        if found[0] != WELL:
            return found
    return unexplained


#: (memory, q, v, wrenches in the soles, IMU, odometry, torques, frame, config, dt) ->
#: (finding, what it is about)
HealthCheck = Callable[..., tuple[int, int]]


def health_check(robot: ModelFunctions) -> HealthCheck:
    """Make the kernel of all checks for a sagittal robot."""
    sole_motion = robot.sole_motion
    sole_rotations = robot.sole_rotations
    dynamics_terms = robot.dynamics_terms
    sole_jacobians = robot.sole_jacobians

    @kernel
    def unexplained(
        memory: WatchState,
        q: Array,
        v: Array,
        wrench: Array,
        specific: Array,
        torques: Array,
        frame: Frame,
        config: Any,
        dt: float,
    ) -> tuple[int, int]:
        """Return whether torques (n,), wrenches and force (3,) contradict the motion.

        The wrenches and the ``specific`` force are in the world.
        """
        root = frame.root
        nv = q.shape[0]
        mass, bias = dynamics_terms(q, v)
        load = np.zeros(6)
        carried = np.zeros(6)
        momentum = np.zeros(6)
        up = np.zeros(3)
        up[2] = 1.0
        copy_vector(wrench[0, :3] + wrench[1, :3], load, 0)
        copy_vector(mass[0, 0] * specific, carried, 0)
        for i in range(2, nv):
            momentum[0] += mass[0, i] * v[i]
            momentum[2] += mass[1, i] * v[i]
        balance = Balance(load, carried, momentum, up)
        out = unbalanced(memory, balance, nv + ACCOUNTS, frame, config, dt)
        jacobians = sole_jacobians(q)
        lazy = -1
        for i in range(root, nv):
            torque = torques[i - root]
            excess = torque - bias[i]
            most = config.unanswered * IMPULSE * frame.effort[i - root]
            for k in range(6):
                excess += jacobians[k, i] * wrench[k // 3, k % 3]
            for k in range(nv):
                excess -= mass[i, k] * (v[k] - memory.velocity[k]) / max(dt, 1e-9)
            if math.isnan(memory.place[i]):  # before the second reading
                excess = math.nan
            k = nv + ACCOUNTS + BALANCED + i - root
            change = torque - memory.rate[k - nv]
            memory.rate[k - nv] = torque
            if strays(
                memory, k, excess * dt, torque, change, most, IMPULSE, True, config, dt
            ):
                asked = (jacobians[0, i] + jacobians[3, i]) * memory.apart[
                    nv + ACCOUNTS + 1
                ]
                asked += (jacobians[2, i] + jacobians[5, i]) * memory.apart[
                    nv + ACCOUNTS
                ]
                if (
                    asked / memory.apart[k] > EXPLAINED
                ):  # by the force that is amiss along floor and weight
                    out = True
                else:
                    lazy = i - root
        if lazy >= 0:
            return UNANSWERED, lazy
        return (UNBALANCED if out else WELL), 0

    @kernel
    def health(
        memory: WatchState,
        q: Array,
        v: Array,
        wrench: Array,
        imu: Array,
        odometry: Array,
        torques: Array,
        frame: Frame,
        config: Any,
        dt: float,
    ) -> tuple[int, int]:
        """Return the code of the gravest finding and its foot or joint.

        Wrenches are in the soles.
        """
        position, velocity = sole_motion(q, v)
        turn = sole_rotations(q)
        c = math.cos(frame.slope)
        s = math.sin(frame.slope)
        up = (
            c * position[0, 2] - s * position[0, 0],
            c * position[1, 2] - s * position[1, 0],
        )
        load = np.zeros(
            (2, 2)
        )  # of the wrench of a foot (row) in the frame of a foot (column)
        force = np.zeros((2, 3))  # in the world
        for k in range(3):
            for foot in range(2):
                for i in range(3):
                    force[foot, i] += turn[3 * foot + i, k] * wrench[foot, k]
                load[foot, 0] += (c * turn[2, k] - s * turn[0, k]) * wrench[foot, k]
                load[foot, 1] += (c * turn[5, k] - s * turn[3, k]) * wrench[foot, k]
        straight = (load[0, 0], load[1, 1])
        crossed = (load[1, 0], load[0, 1])
        # in the world
        pitch = q[2] if frame.root == 3 else 0.0
        specific = np.zeros(3)
        specific[0], specific[1] = (
            math.cos(pitch) * imu[0] + math.sin(pitch) * imu[2],
            imu[1],
        )
        specific[2] = math.cos(pitch) * imu[2] - math.sin(pitch) * imu[0]
        rates = np.zeros((ACCOUNTS, 2))
        for k in range(2):  # a speed that lasts makes a way
            rates[FEET_RATES + k, 0] = (
                FORGOTTEN * (v[k] - memory.velocity[k]) / max(dt, 1e-9)
            )
            rates[FEET_RATES + k, 1] = FORGOTTEN * (specific[2 * k] - k * GRAVITY)
        if math.isnan(memory.place[0]):  # before the second reading
            rates[FEET_RATES:, 0] = math.nan
        strange = unexplained(memory, q, v, force, specific, torques, frame, config, dt)
        # of each foot along the floor and its normal, where it stands or slides on it
        for foot in range(2):
            along = c * velocity[foot, 0] + s * velocity[foot, 2]
            pull = c * force[foot, 0] + s * force[foot, 2]
            if straight[foot] > config.heavy * frame.weight:
                rates[2 * foot + 1, 0] = c * velocity[foot, 2] - s * velocity[foot, 0]
                if pull * along > -SLIPPERY * straight[foot] * abs(
                    along
                ):  # a floor brakes what slides over it
                    rates[2 * foot, 0] = along
        return gravest_of_all(
            memory,
            q,
            v,
            wrench,
            imu,
            odometry,
            rates,
            straight,
            crossed,
            up,
            strange,
            frame,
            config,
            dt,
        )

    return health


def readings_check(health: HealthCheck) -> HealthCheck:
    """Make the kernel that checks judged readings.

    It is (held memory, frame and config, judged readings, torques, dt) -> (finding,
    what it is about).
    """

    @kernel
    def check(
        held: Held, readings: SensorReadings, torques: Array, dt: float
    ) -> tuple[int, int]:
        memory, frame, config = held.value
        q, v = robot_state(readings, frame.root)
        wrenches = readings.wrench_ground_on_foot_in_sole
        imu = np.empty(6)
        odometry = np.empty(6)
        copy_vector(readings.specific_force_in_base, imu, 0)
        copy_vector(readings.angular_velocity_in_base, imu, 3)
        copy_vector(readings.position_base_in_odom, odometry, 0)
        copy_vector(readings.linear_velocity_in_base, odometry, 3)
        return health(memory, q, v, wrenches, imu, odometry, torques, frame, config, dt)

    return check


class FrozenInputs:
    """Detector of numbers that never change, as of mock hardware.

    Those of a robot that stands still have noise.
    """

    _last: Array | None = None
    _still = 0.0  # [s]

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._last = None
        self._still = 0.0

    def step(self, readings: SensorReadings, dt: float) -> Problem | None:
        """Check a reading, dt [s] after the last one."""
        numbers = np.concatenate(
            (
                readings.joint_position,
                readings.joint_velocity,
                readings.specific_force_in_base,
                readings.angular_velocity_in_base,
                readings.wrench_ground_on_foot_in_sole.ravel(),
            )
        )
        same = self._last is not None and np.array_equal(numbers, self._last)
        self._still = self._still + dt if same else 0.0
        self._last = numbers
        if self._still <= FORGOTTEN:
            return None
        return Problem(
            "frozen input",
            f"no number of joints, IMU and wrenches has changed for {FORGOTTEN:g} s",
        )


FEET = ("left", "right")
_WORDS: dict[int, tuple[str, str, bool]] = {  # name, detail, severe
    JOINT_LIMIT: ("joint limit", "{joint} is past the end of its range", True),
    JOINT_SPEED: ("joint speed", "{joint} is faster than its limit", True),
    FALL: ("fall", "the base has come too close to the floor", True),
    CONSTANT_WRENCH: (
        "constant wrench",
        "the {foot} foot's stands still while the joints move",
        False,
    ),
    SATURATED_WRENCH: (
        "saturated sensor",
        "an axis of the {foot} foot's wrench stays at one large value",
        False,
    ),
    CONSTANT_IMU: (
        "constant IMU",
        "it, or an axis of it, stands still while the joints move",
        False,
    ),
    SATURATED_IMU: (
        "saturated sensor",
        "an axis of the IMU stays at one large value",
        False,
    ),
    WRONG_VELOCITY: (
        "wrong velocity",
        "{joint} moves otherwise than its velocity says",
        False,
    ),
    WRONG_SIGN: ("wrong sign", "the floor pulls at the {foot} foot", False),
    SWAPPED_FEET: (
        "swapped feet",
        "the wrenches fit each other's foot; the {foot} one is higher",
        False,
    ),
    CONSTANT_ODOMETRY: (
        "constant odometry",
        "stands still while the joints move",
        False,
    ),
    UNANSWERED: (
        "unanswered torque",
        "{joint} moves otherwise than its torque and the ground's forces ask",
        False,
    ),
    WRONG_LEG: (
        "wrong leg",
        "load or gyroscope of the {foot} foot, its encoders and the base do not agree",
        False,
    ),
    WRONG_TWIST: (
        "wrong twist",
        "the base moves otherwise than twist, gyroscope or accelerometers say",
        False,
    ),
    UNBALANCED: (
        "unbalanced forces",
        "the wrenches are not what moves the body, say IMU and encoders",
        False,
    ),
    ZERO_WRENCH: (
        "zero wrench",
        "no foot carries a load, yet the robot is held up",
        False,
    ),
}


_LOWER: Any = {"safe_direction": "lower"}
_TIME: Any = {"unit": "s", "low": 0.0, "high": 10.0, **_LOWER}
_SHARE: Any = {"above": 0.0, "high": 100.0, **_LOWER}


@configuration
class HealthConfig(Configuration):
    """Thresholds of the health checks."""

    stuck_time: float = parameter(
        0.004, doc="a number that stands still for longer is stuck", **_TIME
    )
    contradiction_time: float = parameter(
        0.004, doc="wrong sign and swapped feet must last longer", **_TIME
    )
    unloaded_time: float = parameter(
        0.02, doc="no load at all must last longer", **_TIME
    )
    clearance: float = parameter(
        0.03,
        unit="m",
        low=0.0,
        high=1.0,
        doc="a foot so much higher than the other is in air",
    )
    light: float = parameter(
        0.05, above=0.0, high=1.0, doc="share of the body weight that counts as no load"
    )
    heavy: float = parameter(
        0.3, above=0.0, high=1.0, doc="share that counts as a load"
    )
    largest_force: float = parameter(
        50.0, above=0.0, high=1e6, doc="body weights; more is implausible", **_LOWER
    )
    joint_margin: float = parameter(
        0.2, unit="rad", low=0.0, high=10.0, doc="past the range is a fault", **_LOWER
    )
    fall_height: float = parameter(
        0.55,
        low=0.0,
        high=1.0,
        doc="share of the height over straight legs; lower is a fall",
        safe_direction="higher",
    )
    disagreement: float = parameter(
        0.005,
        unit="rad",
        above=0.0,
        high=1.0,
        **_LOWER,
        doc="or m, by which a joint, the base or a foot may move otherwise within 0.1 "
        "s than another sensor says",
    )
    disagreeing_gain: float = parameter(
        0.05, low=0.0, high=1.0, doc="share of what the other says, on top", **_LOWER
    )
    disagreeing_lag: float = parameter(
        0.005, unit="s", low=0.0, high=0.1, doc="by which one may be late", **_LOWER
    )
    unanswered: float = parameter(
        0.03,
        doc="of a joint's torque limit by which its torque may differ from what moves "
        "it over 50 ms",
        **_SHARE,
    )
    imbalance: float = parameter(
        0.015,
        doc="body weights by which wrenches may differ from what moves the body along "
        "the weight",
        **_SHARE,
    )
    turning: float = parameter(
        0.05,
        doc="body weights times height by which their moments may, likewise",
        **_SHARE,
    )
    sideways: float = parameter(
        0.1, doc="body weights across the weight, for longer than a push", **_SHARE
    )
    push_time: float = parameter(
        0.5, unit="s", above=0.0, high=10.0, doc="a longer push is none", **_LOWER
    )


def judge_of(robot: Robot, config: HealthConfig | None = None) -> ReadingsJudge:
    """Make the plausibility check of all readings of a robot's sensors."""
    return ReadingsJudge(
        robot.velocity_limits,
        robot.mass * GRAVITY,
        (config or HealthConfig()).largest_force,
    )


class HealthWatch:
    """Health watch of one robot's readings.

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
        limits = lower, upper, robot.velocity_limits, robot.effort_limits
        self._frame = Frame(
            robot.root_size,
            *limits,
            robot.mass * GRAVITY,
            height,
            slope,
            offset,
            FEET_RATES,
        )
        self.unknown = np.full(len(robot.joints), np.nan)
        self.joints = robot.joints
        self._config = config.packed
        self.kernel = readings_check(health_check(model_functions(robot)))
        self._health = OfOneType(self.kernel)
        self.reset()
        self.step(next(trial_readings(len(robot.joints))), 0.0)  # compiled now
        self.reset()

    def retune(self, config: HealthConfig) -> None:
        """Set the thresholds of the health checks."""
        self._config = config.packed
        self.held = hold((self._memory, self._frame, self._config))

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        root = self._frame.root
        joints = len(self.joints)
        self._memory = fresh_memory(root + joints, ACCOUNTS + BALANCED + joints)
        self.held = hold((self._memory, self._frame, self._config))
        self.doubted = self._memory.doubt[
            root : root + joints
        ]  # 1: an encoder does not say how its joint moves

    def step(
        self, readings: SensorReadings, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Check a judged reading, dt [s] after the last one.

        The reading was taken under joint torques (n,) [N m].
        """
        torques = self.unknown if torques is None else torques
        return health_problem(
            self._health(self.held, readings, torques, float(dt)), self.joints
        )


def health_problem(finding: tuple[int, int], joints: Sequence[str]) -> Problem | None:
    """Describe a finding of the kernels."""
    code, which = finding
    if code == WELL:
        return None
    name, detail, severe = _WORDS[code]
    joint = joints[which % len(joints)]
    foot = FEET[which % 2]
    return Problem(name, detail.format(joint=joint, foot=foot), severe)
