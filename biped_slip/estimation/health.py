# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Watches whether sensors can be believed and whether the robot still stands; every finding has a name.

Each check looks for something that a working sensor does not do: a number that stands still while the joints move, a
floor that pulls, a load on the foot that is in the air.

Arguments of all kernels: ``memory`` of the watch, which they fill; ``q`` and ``v`` (nv,); ``wrench`` (2, 6) of the
ground on each foot, in its sensor's frame; ``imu`` (6,) specific force and angular velocity; ``odometry`` (6,) position
and velocity of the base, as they were told; ``frame`` of robot and floor; ``config``, the packed ``HealthConfig``;
``rates`` (k, 2) of the feet, left first, each as two sensors tell it; ``dt`` since the last reading [s].
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.judge import ReadingsJudge
from biped_slip.estimation.readings import Problem, SensorReadings, sagittal_state
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.robot import Robot

SMOOTHED = 0.025  # [s] time constant of each of two low passes: a landing's bounce is over, a step is not (choice)
UPRIGHT = 0.5  # [s] over which the direction of the weight is averaged: longer than a push (choice)


class BalanceState(NamedTuple):
    """Memory of the force balance, in the axes of the base; the kernel fills it in place."""

    known: Array  # (1,) 0 before the first reading
    speed: Array  # (3,) low-passed [m/s]
    excess: Array  # (2, 3) of the force, low-passed once and twice [N]
    felt: Array  # (3,) mean specific force [m/s^2]
    sideways: Array  # (1,) for how long the excess across the weight has been large [s]


def fresh_balance() -> BalanceState:
    """Return the memory before the first reading."""
    return BalanceState(np.zeros(1), np.zeros(3), np.zeros((2, 3)), np.zeros(3), np.zeros(1))


@kernel
def force_excess(
    state: BalanceState, force: Array, felt: Array, speed: Array, mass: float, dt: float
) -> tuple[float, float]:
    """Compare wrenches with IMU and encoders: force [N] that the motion does not explain, along and across the weight.

    The ground alone pushes a walking robot, so the sum of its forces F is the mass times what the centre of mass feels:
    F = m (f + d(u)/dt), with the specific force f at the IMU and the velocity u of the centre of mass relative to it.
    A wrench that drifts, comes late or is stuck breaks that sum. Both sides are low-passed twice, so that u need not be
    differenced: d(u)/dt, low-passed once, is (u - u low-passed) / time constant. No attitude is needed: along the mean
    specific force stands the weight, which no push from the side changes.

    Args:
        state: of this watch.
        force: sum of the ground's forces (3,) [N].
        felt: specific force at a point of the base (3,) [m/s^2].
        speed: of the centre of mass relative to that point, in axes that do not turn (3,) [m/s].
        mass: that the forces carry [kg].
        dt: time since the last reading [s].
    """
    if state.known[0] == 0.0:
        state.known[0] = 1.0
        copy_vector(speed, state.speed, 0)
        copy_vector(felt, state.felt, 0)
        return 0.0, 0.0
    new, lasting = dt / (SMOOTHED + dt), dt / (UPRIGHT + dt)
    along = square = whole = 0.0
    for i in range(3):
        state.speed[i] += new * (speed[i] - state.speed[i])
        state.felt[i] += lasting * (felt[i] - state.felt[i])
        once = new * (force[i] - mass * felt[i]) + (1.0 - new) * state.excess[0, i]
        state.excess[0, i] = once
        state.excess[1, i] += new * (once - mass * (speed[i] - state.speed[i]) / SMOOTHED - state.excess[1, i])
        along += state.excess[1, i] * state.felt[i]
        square += state.felt[i] * state.felt[i]
        whole += state.excess[1, i] * state.excess[1, i]
    along /= max(math.sqrt(square), 1e-9)
    return along, math.sqrt(max(whole - along * along, 0.0))


#: Findings, by code; the second number of an answer says which foot, joint or sensor.
WELL, JOINT_LIMIT, JOINT_SPEED, FALL = range(4)
CONSTANT_WRENCH, SATURATED_WRENCH, CONSTANT_IMU, SATURATED_IMU, CONSTANT_ODOMETRY = range(4, 9)
WRONG_SIGN, SWAPPED_FEET, ZERO_WRENCH, UNBALANCED, WRONG_VELOCITY, WRONG_TWIST, WRONG_LEG, UNANSWERED = range(9, 17)

FORGOTTEN = 0.1  # [s] over which two accounts of one motion are compared (choice)
IMPULSE = 0.05  # [s] over which torques are, and what they move (choice)
LONG_TICK = 0.005  # [s] over a longer one nothing is compared: a foot may have landed in it
SLIPPERY = 0.03  # least friction of a floor that a foot slides on (choice)
SATURATION = 2.0 * GRAVITY  # [m/s^2, rad/s] an axis of the IMU that stays above it is saturated


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


class WatchState(NamedTuple):
    """Memory of a watch; the kernels fill it in place."""

    wrench: Array  # (2, 6) last
    wrench_still: Array  # (2, 6) since it changed, while the joints moved [s]
    imu: Array  # (1, 6) last: specific force, angular velocity
    imu_still: Array  # (1, 6) [s]
    lasted: Array  # (4,) wrong sign left, right, swapped feet, no load [s]
    place: Array  # (nv,) last coordinates, the base's and the joints'
    velocity: Array  # (nv,) last
    apart: Array  # (nv + k,) lately: way of coordinates beyond that of velocities, of k other accounts beyond theirs
    claimed: Array  # (nv + k,) way that the others say, lately
    odometry: Array  # (1, 6) last: position, linear velocity
    odometry_still: Array  # (1, 6) [s]
    balance: BalanceState


def fresh_memory(coordinates: int, rates: int) -> WatchState:
    """Allocate the memory before the first reading, for coordinates and rates that are measured twice."""
    unknown, six, every = math.nan, (1, 6), coordinates + rates
    return WatchState(
        np.full((2, 6), unknown), np.zeros((2, 6)), np.full(six, unknown), np.zeros(six), np.zeros(4),
        np.full(coordinates, unknown), np.zeros(coordinates), np.zeros(every), np.zeros(every), np.full(six, unknown),
        np.zeros(six), fresh_balance(),
    )  # fmt: skip


@kernel
def beyond_limits(q: Array, v: Array, up: Both, frame: Frame, config: Any) -> tuple[int, int]:
    """Find a joint past its range or speed, or a base that has come down; ``up``: height of each sole [m]."""
    root = frame.root
    base = math.cos(frame.slope) * q[1] - math.sin(frame.slope) * q[0]
    if base - min(up[0], up[1]) < config.fall_height * frame.height:
        return FALL, 0
    for i in range(q.shape[0] - root):
        if not frame.lower[i] - config.joint_margin <= q[root + i] <= frame.upper[i] + config.joint_margin:
            return JOINT_LIMIT, i
        if abs(v[root + i]) > frame.speed[i]:
            return JOINT_SPEED, i
    return WELL, 0


@kernel
def strays(
    memory: WatchState, i: int, excess: float, claimed: float, least: float, lasting: float, config: Any, dt: float
) -> bool:  # fmt: skip
    """Return whether two accounts of a quantity lately diverged, by ``excess`` in a tick of ``claimed``.

    The one test of all that is told twice; ``least`` passes, and a share of the way; forgotten within ``lasting`` [s].
    """
    if dt > LONG_TICK or not math.isfinite(excess):
        memory.apart[i] = memory.claimed[i] = 0.0
        return False
    kept = max(0.0, 1.0 - dt / lasting)
    memory.claimed[i] = kept * memory.claimed[i] + abs(claimed)
    most = least + config.disagreeing_share * memory.claimed[i]
    if abs(memory.apart[i]) > most:  # joints that have been stopped disagree no more: only the way back is forgiven
        kept = 1.0
    memory.apart[i] = kept * memory.apart[i] + excess
    return abs(memory.apart[i]) > most


@kernel
def stray(memory: WatchState, q: Array, v: Array, rates: Array, config: Any, dt: float) -> int:
    """Find the coordinate that moves otherwise than its velocity, or the rate measured twice; −1: none."""
    found = -1
    for i in range(q.shape[0]):
        moved, mean = q[i] - memory.place[i], 0.5 * (memory.velocity[i] + v[i])
        memory.place[i], memory.velocity[i] = q[i], v[i]
        if strays(memory, i, moved - mean * dt, mean * dt, config.disagreement, FORGOTTEN, config, dt):
            found = i
    for i in range(rates.shape[0]):
        difference = (rates[i, 0] - rates[i, 1]) * dt
        if strays(memory, q.shape[0] + i, difference, rates[i, 1] * dt, config.disagreement, FORGOTTEN, config, dt):
            found = q.shape[0] + i
    return found


@kernel
def joints_moved(memory: WatchState, q: Array, root: int) -> bool:
    """Return whether any joint position has changed since the last reading; before ``stray``."""
    for i in range(root, q.shape[0]):
        if q[i] != memory.place[i]:
            return True
    return False


@kernel
def standing_still(
    last: Array, still: Array, values: Array, row: int, moved: bool, large: float, config: Any, dt: float
) -> int:
    """Return 2 when all six values of a sensor have stood still for too long, 1 when a large one has, else 0."""
    stuck, saturated, any_value = 0, 0, False
    for k in range(6):
        if values[k] != last[row, k]:
            still[row, k] = 0.0
        elif moved:
            still[row, k] += dt
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
    memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, odometry: Array, rates: Array, frame: Frame,
    config: Any, dt: float,
) -> tuple[int, int]:  # fmt: skip
    """Find a sensor whose numbers stand still while the joints move, or two that measure one motion differently."""
    moved = joints_moved(memory, q, frame.root)
    wrong = stray(memory, q, v, rates, config, dt)
    left = standing_still(memory.wrench, memory.wrench_still, wrench[0], 0, moved, frame.weight, config, dt)
    right = standing_still(memory.wrench, memory.wrench_still, wrench[1], 1, moved, frame.weight, config, dt)
    inertial = standing_still(memory.imu, memory.imu_still, imu, 0, moved, SATURATION, config, dt)
    for k in range(6):
        if memory.imu_still[0, k] > FORGOTTEN and imu[k] != 0.0:  # one axis; in the plane some are always zero
            inertial = 2
    told = standing_still(memory.odometry, memory.odometry_still, odometry, 0, moved, math.inf, config, dt)
    if max(left, right) > 0:
        foot = 0 if left >= right else 1
        return (CONSTANT_WRENCH if max(left, right) == 2 else SATURATED_WRENCH), foot
    if inertial > 0:
        return (CONSTANT_IMU if inertial == 2 else SATURATED_IMU), 0
    if told == 2:
        return CONSTANT_ODOMETRY, 0
    if wrong < 0:
        return WELL, 0
    if wrong < frame.root:
        return WRONG_TWIST, 0
    if wrong < q.shape[0]:
        return WRONG_VELOCITY, wrong - frame.root
    return WRONG_LEG, 2 * (wrong - q.shape[0]) // rates.shape[0]


@kernel
def unbalanced(
    memory: WatchState, force: Array, felt: Array, speed: Array, mass: float, frame: Frame, config: Any, dt: float
) -> bool:
    """Return whether the ground's forces are not those that move the body; arguments as of ``force_excess``."""
    along, across = force_excess(memory.balance, force, felt, speed, mass, dt)
    lasting = memory.balance.sideways
    lasting[0] = lasting[0] + dt if across > config.sideways * frame.weight else 0.0
    return abs(along) > config.imbalance * frame.weight or lasting[0] > config.push_time


@kernel
def contradiction(
    memory: WatchState, load: Both, crossed: Both, up: Both, imu: Array, frame: Frame, config: Any, dt: float
) -> tuple[int, int]:
    """Find loads [N] that contradict posture, floor or IMU; ``crossed``: with the wrenches exchanged."""
    light, high = config.light * frame.weight, 0 if up[0] > up[1] else 1
    apart = up[high] - up[1 - high] > config.clearance
    held = imu[0] * imu[0] + imu[1] * imu[1] + imu[2] * imu[2] > (0.5 * GRAVITY) ** 2
    wrong = (
        load[0] < -light,
        load[1] < -light,
        apart and load[1 - high] < light and load[high] > config.heavy * frame.weight,
        held and abs(load[0]) + abs(load[1]) < light,
    )
    for i in range(4):
        memory.lasted[i] = memory.lasted[i] + dt if wrong[i] else 0.0
    if memory.lasted[2] > config.contradiction_time:
        return SWAPPED_FEET, high
    for foot in range(2):
        if memory.lasted[foot] > config.contradiction_time:
            if crossed[0] > -light and crossed[1] > -light:  # in each other's frame they make sense
                return SWAPPED_FEET, high
            return WRONG_SIGN, foot
    if memory.lasted[3] > config.unloaded_time:
        return ZERO_WRENCH, 0
    return WELL, 0


@kernel
def gravest(contradicted: tuple[int, int], stuck: tuple[int, int], unexplained: tuple[int, int]) -> tuple[int, int]:
    """Return the gravest finding."""
    if contradicted[0] != WELL:
        return contradicted
    return stuck if stuck[0] != WELL else unexplained


@kernel
def gravest_of_all(
    memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, odometry: Array, rates: Array, load: Both,
    crossed: Both, up: Both, unexplained: tuple[int, int], frame: Frame, config: Any, dt: float,
) -> tuple[int, int]:  # fmt: skip
    """Return the code of the gravest finding of a plausible reading, and its foot, joint or sensor.

    Args as of the checks before; ``unexplained``: what is found of the forces that move the body.
    """
    stuck = stuck_sensor(memory, q, v, wrench, imu, odometry, rates, frame, config, dt)
    contradicted = contradiction(memory, load, crossed, up, imu, frame, config, dt)
    beyond = beyond_limits(q, v, up, frame, config)
    return beyond if beyond[0] != WELL else gravest(contradicted, stuck, unexplained)


HealthCheck = Callable[[WatchState, Array, Array, Array, Array, Array, Array, Frame, Any, float], tuple[int, int]]
"""(memory, q, v, wrenches in the soles, IMU, odometry, torques, frame, config, dt) -> (finding, what it is about)."""


def health_check(robot: ModelFunctions) -> HealthCheck:
    """Make the kernel of all checks for a sagittal robot."""
    sole_motion, sole_rotations, dynamics_terms = robot.sole_motion, robot.sole_rotations, robot.dynamics_terms
    sole_jacobians = robot.sole_jacobians

    @kernel
    def unexplained(
        memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, torques: Array, frame: Frame, config: Any,
        dt: float,
    ) -> tuple[int, int]:  # fmt: skip
        """Return whether torques (n,) and wrenches (in the world) are not what moves body and joints."""
        root, nv = frame.root, q.shape[0]
        mass, bias = dynamics_terms(q, v)
        pitch = q[2] if root == 3 else 0.0
        c, s = math.cos(pitch), math.sin(pitch)
        felt, speed = np.zeros(3), np.zeros(3)
        felt[0], felt[1], felt[2] = c * imu[0] + s * imu[2], imu[1], c * imu[2] - s * imu[0]
        for i in range(2, nv):
            speed[0] += mass[0, i] * v[i] / mass[0, 0]
            speed[2] += mass[1, i] * v[i] / mass[0, 0]
        out = unbalanced(memory, wrench[0, :3] + wrench[1, :3], felt, speed, mass[0, 0], frame, config, dt)
        jacobians, lazy, joints = sole_jacobians(q), -1, memory.apart.shape[0] - nv + root
        for i in range(root, nv):
            torque = torques[i - root]
            excess, most = torque - bias[i], config.unanswered * IMPULSE * frame.effort[i - root]
            for k in range(6):
                excess += jacobians[k, i] * wrench[k // 3, k % 3]
            for k in range(nv):
                excess -= mass[i, k] * (v[k] - memory.velocity[k]) / max(dt, 1e-9)
            if math.isnan(memory.place[i]):  # before the second reading
                excess = math.nan
            if strays(memory, joints + i - root, excess * dt, torque * dt, most, IMPULSE, config, dt):
                lazy = i - root
        if lazy >= 0:
            return UNANSWERED, lazy
        return (UNBALANCED if out else WELL), 0

    @kernel
    def health(
        memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, odometry: Array, torques: Array,
        frame: Frame, config: Any, dt: float,
    ) -> tuple[int, int]:  # fmt: skip
        """Return the code of the gravest finding and its foot or joint; wrenches are in the soles."""
        position, velocity = sole_motion(q, v)
        turn = sole_rotations(q)
        c, s = math.cos(frame.slope), math.sin(frame.slope)
        up = (c * position[0, 2] - s * position[0, 0], c * position[1, 2] - s * position[1, 0])
        load = np.zeros((2, 2))  # of the wrench of a foot (row) in the frame of a foot (column)
        force = np.zeros((2, 3))  # in the world
        for k in range(3):
            for foot in range(2):
                for i in range(3):
                    force[foot, i] += turn[3 * foot + i, k] * wrench[foot, k]
                load[foot, 0] += (c * turn[2, k] - s * turn[0, k]) * wrench[foot, k]
                load[foot, 1] += (c * turn[5, k] - s * turn[3, k]) * wrench[foot, k]
        straight, crossed = (load[0, 0], load[1, 1]), (load[1, 0], load[0, 1])
        strange = unexplained(memory, q, v, force, imu, torques, frame, config, dt)
        rates = np.zeros((4, 2))  # of each foot along the floor and its normal, where it stands or slides on it
        for foot in range(2):
            along = c * velocity[foot, 0] + s * velocity[foot, 2]
            pull = c * force[foot, 0] + s * force[foot, 2]
            if straight[foot] > config.heavy * frame.weight:
                rates[2 * foot + 1, 0] = c * velocity[foot, 2] - s * velocity[foot, 0]
                if pull * along > -SLIPPERY * straight[foot] * abs(along):  # a floor brakes what slides over it
                    rates[2 * foot, 0] = along
        return gravest_of_all(
            memory, q, v, wrench, imu, odometry, rates, straight, crossed, up, strange, frame, config, dt
        )

    return health


class FrozenInputs:
    """Detector of sensors whose numbers never change: mock hardware, or a driver that repeats its last values.

    A robot that stands still does not do that: its sensors have noise, and its forces tremble in the last digit.

    Args:
        limit: for how long every number may stand still [s].
    """

    def __init__(self, limit: float = 0.1) -> None:
        self._limit = limit
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._last: Array | None = None
        self._still = 0.0  # [s]

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
        self._still, self._last = self._still + dt if same else 0.0, numbers
        if self._still <= self._limit:
            return None
        return Problem("frozen input", f"no number of joints, IMU and wrenches has changed for {self._limit:g} s")


FEET = ("left", "right")
_WORDS: dict[int, tuple[str, str, bool]] = {  # name, detail, severe
    JOINT_LIMIT: ("joint limit", "{joint} is past the end of its range", True),
    JOINT_SPEED: ("joint speed", "{joint} is faster than its limit", True),
    FALL: ("fall", "the base has come too close to the floor", True),
    CONSTANT_WRENCH: ("constant wrench", "the {foot} foot's stands still while the joints move", False),
    SATURATED_WRENCH: ("saturated sensor", "an axis of the {foot} foot's wrench stays at one large value", False),
    CONSTANT_IMU: ("constant IMU", "it, or an axis of it, stands still while the joints move", False),
    SATURATED_IMU: ("saturated sensor", "an axis of the IMU stays at one large value", False),
    WRONG_VELOCITY: ("wrong velocity", "{joint} moves otherwise than its velocity says", False),
    WRONG_SIGN: ("wrong sign", "the floor pulls at the {foot} foot", False),
    SWAPPED_FEET: ("swapped feet", "the wrenches fit each other's foot; the {foot} one is higher", False),
    CONSTANT_ODOMETRY: ("constant odometry", "stands still while the joints move", False),
    UNANSWERED: ("unanswered torque", "{joint} moves otherwise than its torque and the ground's forces ask", False),
    WRONG_LEG: (
        "wrong leg",
        "load or gyroscope of the {foot} foot and its encoders and the base say different motions of it",
        False,
    ),
    WRONG_TWIST: ("wrong twist", "the base moves otherwise than odometry's twist or the gyroscope says", False),
    UNBALANCED: ("unbalanced forces", "the wrenches are not what moves the body, say IMU and encoders", False),
    ZERO_WRENCH: ("zero wrench", "no foot carries a load, yet the robot is held up", False),
}


@configuration
class HealthConfig(Configuration):
    """Thresholds from which a sensor is called wrong."""

    stuck_time: float = parameter(
        0.004, unit="s", low=0.0, high=10.0, doc="a number that stands still for longer is stuck",
        safe_direction="lower",
    )  # fmt: skip
    contradiction_time: float = parameter(
        0.004, unit="s", low=0.0, high=10.0, doc="wrong sign and swapped feet must last longer", safe_direction="lower"
    )
    unloaded_time: float = parameter(
        0.02, unit="s", low=0.0, high=10.0, doc="no load at all must last longer", safe_direction="lower"
    )
    clearance: float = parameter(
        0.03, unit="m", low=0.0, high=1.0, doc="a foot that is higher than the other is in the air"
    )
    light: float = parameter(0.05, above=0.0, high=1.0, doc="share of the body weight that counts as no load")
    heavy: float = parameter(0.3, above=0.0, high=1.0, doc="share that counts as a load")
    largest_force: float = parameter(
        50.0, above=0.0, high=1e6, doc="body weights; a larger force is implausible", safe_direction="lower"
    )
    joint_margin: float = parameter(
        0.2, unit="rad", low=0.0, high=10.0, doc="past the description's range before it is a fault",
        safe_direction="lower",
    )  # fmt: skip
    fall_height: float = parameter(
        0.55, low=0.0, high=1.0, doc="share of the height over straight legs; lower is a fall", safe_direction="higher"
    )
    disagreement: float = parameter(
        0.007, unit="rad", above=0.0, high=1.0, safe_direction="lower",
        doc="or m, by which a joint, the base or a foot may move otherwise within 0.1 s than another sensor says",
    )  # fmt: skip
    disagreeing_share: float = parameter(
        0.15, low=0.0, high=1.0, doc="of the way that the velocity says, on top: velocities may lag",
        safe_direction="lower",
    )  # fmt: skip
    unanswered: float = parameter(
        0.06, above=0.0, high=100.0, safe_direction="lower",
        doc="share of a joint's torque limit by which its torque may differ from what moves it, about 50 ms long",
    )  # fmt: skip
    imbalance: float = parameter(
        0.08, above=0.0, high=100.0, safe_direction="lower",
        doc="body weights along the weight by which the wrenches may differ from what moves the body",
    )  # fmt: skip
    sideways: float = parameter(
        0.15, above=0.0, high=100.0, doc="the same across the weight, for longer than a push", safe_direction="lower"
    )
    push_time: float = parameter(
        0.5, unit="s", above=0.0, high=10.0, doc="a longer push from the side is none",
        safe_direction="lower",
    )  # fmt: skip


def judge_of(robot: Robot, config: HealthConfig | None = None) -> ReadingsJudge:
    """Make the judge of all readings of a robot's sensors."""
    return ReadingsJudge(robot.velocity_limits, robot.mass * GRAVITY, (config or HealthConfig()).largest_force)


class HealthWatch:
    """Health watch of one robot's readings.

    Args:
        robot: whose sensors.
        config: thresholds.
        height: of the base over the soles with straight legs [m]; 0: falls are not watched for.
        slope: of the floor [rad].
    """

    def __init__(self, robot: Robot, config: HealthConfig, height: float, slope: float = 0.0) -> None:
        lower, upper = robot.position_limits
        limits = lower, upper, robot.velocity_limits, robot.effort_limits
        self._frame = Frame(robot.root_size, *limits, robot.mass * GRAVITY, height, slope)
        self._unknown = np.full(len(robot.joints), np.nan)
        self._joints, self._config = robot.joints, config.packed
        self._imu, self._odometry, self._wrench = np.zeros(6), np.zeros(6), np.zeros((2, 6))
        self.reset()
        coordinates = np.zeros(robot.root_size + len(robot.joints))
        told = (self._wrench, self._imu, self._odometry, self._unknown)
        example = (self._memory, coordinates, coordinates, *told, self._frame, self._config, 0.0)
        self._kernel: Any = without_dispatch(health_check(model_functions(robot)), *example)

    def retune(self, config: HealthConfig) -> None:
        """Set other thresholds from now on."""
        self._config = config.packed

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._memory = fresh_memory(self._frame.root + len(self._joints), 4 + len(self._joints))

    def step(self, readings: SensorReadings, dt: float, torques: Array | None = None) -> Problem | None:
        """Check a reading, dt [s] after the last one, while the joints had torques (n,) [N m]."""
        self._imu[:3] = readings.specific_force_in_base
        self._imu[3:] = readings.angular_velocity_in_base
        q, v = sagittal_state(
            self._frame.root, readings.joint_position, readings.joint_velocity, readings.orientation_base_in_world,
            readings.angular_velocity_in_base, readings.position_base_in_odom, readings.linear_velocity_in_base,
        )  # fmt: skip
        self._wrench[:] = readings.wrench_ground_on_foot_in_sole
        self._odometry[:3], self._odometry[3:] = readings.position_base_in_odom, readings.linear_velocity_in_base
        told = (self._wrench, self._imu, self._odometry, self._unknown if torques is None else torques)
        code, which = self._kernel(self._memory, q, v, *told, self._frame, self._config, dt)
        return None if code == WELL else health_problem(code, which, self._joints)


def health_problem(code: int, which: int, joints: Sequence[str]) -> Problem:
    """Describe a finding of the kernels."""
    name, detail, severe = _WORDS[code]
    joint, foot = joints[which % len(joints)], FEET[which % 2]
    return Problem(name, detail.format(joint=joint, foot=foot), severe)
