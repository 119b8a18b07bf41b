# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Watches the sensors of a humanoid, which speak in frames of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import (
    BALANCED,
    UNBALANCED,
    WELL,
    Balance,
    Both,
    Frame,
    HealthConfig,
    WatchState,
    fresh_memory,
    gravest_of_all,
    health_problem,
    unbalanced,
)
from biped_slip.estimation.invariant_filter import cross, rotation_of
from biped_slip.estimation.readings import HumanoidReadings, Problem
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU, SOLES, Humanoid

PULLED = 1.0  # [s] over which accelerations of walking cancel and a gyroscope's bias of 1 deg/s makes 1 deg (choice)
FASTEST = 20.0  # [rad/s] faster turns are not believed (choice)
LIGHTEST = 0.5 * GRAVITY  # [m/s^2] less says nothing about the weight (choice)


@kernel
def upward(before: Array, turning: Array, felt: Array, dt: float) -> Array:
    """Update the unit vector against gravity (3,) by a reading; implausible numbers change nothing.

    Where up is for a robot that nobody tells its attitude: turned on by the gyroscope, pulled to what the IMU feels.
    Humanoids roll with every step; taken for upright, a foot in the air may look lower than the one that carries.

    Args:
        before: unit vector at the last reading (3,).
        turning: angular velocity of the axes that all are given in (3,) [rad/s].
        felt: specific force (3,) [m/s^2].
        dt: time since the last reading [s].
    """
    rate = math.sqrt(turning[0] ** 2 + turning[1] ** 2 + turning[2] ** 2)
    pull = math.sqrt(felt[0] ** 2 + felt[1] ** 2 + felt[2] ** 2)
    if not (rate <= FASTEST and pull < math.inf):
        return before
    x = before[0] - (turning[1] * before[2] - turning[2] * before[1]) * dt
    y = before[1] - (turning[2] * before[0] - turning[0] * before[2]) * dt
    z = before[2] - (turning[0] * before[1] - turning[1] * before[0]) * dt
    if pull > LIGHTEST:
        new = dt / (PULLED + dt)
        x += new * (felt[0] / pull - x)
        y += new * (felt[1] / pull - y)
        z += new * (felt[2] / pull - z)
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        return before
    return np.array([x / length, y / length, z / length])


@kernel
def carried_balance(
    imu: Array, axes: Array, away: Array, moving: Array, motion: Array, mass: float, sensors: Array, wrenches: Array
) -> tuple[Balance, Array]:
    """Compute the balance of all above the force sensors in the axes of the base, and the base's rate (3,) [rad/s].

    From rate and specific force (6,) of the IMU, whose ``axes`` (3, 3) ``away`` from the centre of mass are ``moving``
    (6,) with a base that turns as before; that rate, the centre's velocity and the angular momentum of such a base are
    its ``motion`` (9,). ``sensors`` (2, 4, 3): rotations and places from the centre; ``wrenches`` (2, 6).
    """
    load, carried, momentum, up = np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(3)
    rate = axes @ imu[:3] - moving[3:] + motion[:3]
    more = rate - motion[:3]
    up[:] = axes @ imu[3:]
    for i in range(2):
        force = sensors[i, :3] @ wrenches[i, :3]
        load[:3] += force
        load[3:] += sensors[i, :3] @ wrenches[i, 3:] + cross(sensors[i, 3], force)
    carried[:3] = mass * up
    carried[3:] = cross(rate, motion[6:])
    momentum[:3] = mass * (motion[3:6] - moving[:3] - cross(more, away))
    momentum[3:] = motion[6:]
    return Balance(load, carried, momentum, up), rate


class CarriedBody:
    """Kinematics of one humanoid above its force sensors; its base stays at the origin and turns as last measured."""

    def __init__(self, humanoid: Humanoid) -> None:
        self._model = humanoid.model.copy()
        self._sensors = [self._model.getFrameId(name) for name in FORCE_SENSORS]
        for sensor in self._sensors:  # the foot's link is what hangs below, as for the observer
            self._model.inertias[self._model.frames[sensor].parentJoint] = pin.Inertia.Zero()
        self._data, self._imu = self._model.createData(), self._model.getFrameId(IMU)
        feet = (self._model.frames[self._model.getFrameId(name)] for name in FOOT_IMUS)
        self._feet = [(foot.parentJoint, np.array(foot.placement.rotation)) for foot in feet]
        self._soles = [self._model.getFrameId(name) for name in SOLES]
        self._q, self._v = pin.neutral(self._model), np.zeros(self._model.nv)
        self._places, self._motion = np.zeros((2, 4, 3)), np.zeros(9)
        self._mass = float(pin.computeTotalMass(self._model))

    def place(self, position: Array, velocity: Array) -> None:
        """Move the joints (n,) [rad, rad/s]."""
        self._q[7:], self._v[6:] = position, velocity
        pin.computeCentroidalMomentum(self._model, self._data, self._q, self._v)

    def turn(self, rate: Array | float) -> None:
        """Set how the base turns (3,) from the next placing on [rad/s]."""
        self._v[3:6] = rate

    def heights(self, up: Array) -> tuple[float, float]:
        """Compute the soles' heights over the base's origin [m], along a unit vector (3,)."""
        left, right = (up @ self._frame(sole).translation for sole in self._soles)
        return float(left), float(right)

    def carried(self, imu: Array, force_torque: Array) -> tuple[Balance, Array]:
        """Compute the balance by the IMU (6,) and wrenches (2, 6), ``up`` as felt; and the rate (3,) of the base."""
        data, place, centre = self._data, self._frame(self._imu), self._data.com[0]
        moving = pin.getFrameVelocity(self._model, data, self._imu, pin.LOCAL_WORLD_ALIGNED)
        self._motion[:3], self._motion[3:6], self._motion[6:] = self._v[3:6], data.vcom[0], data.hg.angular
        for i, sensor in enumerate(self._sensors):
            there = self._frame(sensor)
            self._places[i, :3], self._places[i, 3] = there.rotation, there.translation - centre
        away = place.translation - centre
        axes = np.ascontiguousarray(place.rotation)
        return carried_balance(imu, axes, away, moving.vector, self._motion, self._mass, self._places, force_torque)

    def foot_rates(self, gyros: Array, turning: Array) -> Array:
        """Compute both feet's angular velocities (6, 2) [rad/s]: as IMUs (2, 3) say, and of a base that turns (3,)."""
        rates, more = np.empty((6, 2)), turning - self._v[3:6]
        for i, (joint, turn) in enumerate(self._feet):
            spin = more @ self._data.oMi[joint].rotation + self._data.v[joint].angular
            rates[3 * i : 3 * i + 3, 0], rates[3 * i : 3 * i + 3, 1] = gyros[i], spin @ turn
        return rates

    def _frame(self, frame: int) -> pin.SE3:
        return pin.updateFramePlacement(self._model, self._data, frame)


THROWN = 50.0  # [m/s^2] with which a swinging leg throws its foot up: no floor pulls, the foot's own mass does (choice)
UPRIGHT = np.array([0.0, 0.0, 1.0])  # as long as nothing else is known
ROOT, FEET_RATES = 6, 6  # coordinates of the base: forward, up, left, and no angles; turn rates of both feet


@kernel
def humanoid_health(
    memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, odometry: Array, rates: Array, load: Both,
    up: Both, balance: Balance, frame: Frame, config: Any, dt: float,
) -> tuple[int, int]:  # fmt: skip
    """Return the code of the gravest finding and its foot, joint or sensor; wrenches and IMU in their own frames.

    Args as of :mod:`.health`, and:
        load: force along the normal of each sole [N].
        up: height of each sole over the origin that q has the base's height over [m].
        balance: of what the sensors carry.
    """
    out = unbalanced(memory, balance, q.shape[0] + rates.shape[0], frame, config, dt)
    unexplained = (UNBALANCED if out else WELL), 0
    return gravest_of_all(
        memory, q, v, wrench, imu, odometry, rates, load, (load[1], load[0]), up, unexplained, frame, config, dt
    )


def without_foot(load: float, thrown: float) -> float:
    """Subtract from a pull on a sole [N] what a foot in the air explains that is thrown up."""
    return max(load, min(load + thrown, 0.0))


class HumanoidWatch:
    """Health watch of one humanoid's readings on a level floor.

    A fall is the base nearer to the lower sole than ``fall_height`` of its height when standing; as long as nobody
    says how the base is turned, its IMU does (:mod:`.upward`), from upright on.

    Args:
        humanoid: whose sensors.
        config: thresholds.
        offset: that a foot's force sensor may have [N].
    """

    def __init__(self, humanoid: Humanoid, config: HealthConfig, offset: float = 0.0) -> None:
        robot, model = humanoid.robot, humanoid.model
        self._body, self._joints = CarriedBody(humanoid), robot.joints
        soles, sensors = ([model.frames[model.getFrameId(name)] for name in names] for names in (SOLES, FORCE_SENSORS))
        self._turns = [
            sole.placement.rotation.T @ sensor.placement.rotation for sole, sensor in zip(soles, sensors, strict=True)
        ]
        self._thrown = [THROWN * model.inertias[sensor.parentJoint].mass for sensor in sensors]
        self._config = config.packed
        q, joints = np.zeros(ROOT + len(robot.joints)), np.zeros(len(robot.joints))
        self._body.place(humanoid.posture, joints)
        height = -min(self._body.heights(UPRIGHT))
        lower, upper = robot.position_limits
        limits = lower, upper, robot.velocity_limits, humanoid.efforts
        self._frame = Frame(ROOT, *limits, robot.mass * GRAVITY, height, 0.0, offset, FEET_RATES)
        self.reset()
        both, wrenches, six = (0.0, 0.0), np.zeros((2, 6)), np.zeros(6)
        balance, _ = self._body.carried(six, wrenches)
        self._kernel: Any = without_dispatch(
            humanoid_health, self._memory, q, q, wrenches, six, six, np.zeros((FEET_RATES, 2)), both, both, balance,
            self._frame, self._config, 0.0,
        )  # fmt: skip

    def retune(self, config: HealthConfig) -> None:
        """Set other thresholds from now on."""
        self._config = config.packed

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._body.turn(0.0)
        self._fresh = True
        self._memory = fresh_memory(ROOT + len(self._joints), FEET_RATES + BALANCED)
        self.doubted = self._memory.doubt[ROOT : ROOT + len(self._joints)]  # 1: an encoder does not say how it moves
        self._up = UPRIGHT

    def step(self, readings: HumanoidReadings, dt: float, torques: Array | None = None) -> Problem | None:
        """Check a reading, dt [s] after the last one; torques are ignored."""
        raw, base = readings
        place, speed, odometry = np.zeros(ROOT), np.zeros(ROOT), np.zeros(6)
        self._body.place(raw.joint_position, raw.joint_velocity)
        balance, turning = self._body.carried(raw.imu, raw.force_torque)
        if self._fresh:  # now it is known how the base turns
            self._fresh = False
            self._body.turn(turning)
            self._body.place(raw.joint_position, raw.joint_velocity)
            balance, turning = self._body.carried(raw.imu, raw.force_torque)
        self._up = upward(self._up, turning, balance.up, dt)
        if base is not None:
            turn = rotation_of(base.orientation_base_in_world)
            place[[0, 2]], speed[[0, 2]] = base.position_base_in_odom[:2], (turn @ base.linear_velocity_in_base)[:2]
            self._up = turn[2]
            odometry[:3], odometry[3:] = base.position_base_in_odom, base.linear_velocity_in_base
        joints = np.concatenate((place, raw.joint_position))
        rates = np.concatenate((speed, raw.joint_velocity))
        turns = self._body.foot_rates(raw.foot_imus[:, :3], turning)
        self._body.turn(turning)
        imu = np.concatenate((raw.imu[3:], raw.imu[:3]))
        left, right = (
            without_foot(float(turned[2] @ wrench[:3]), thrown)
            for turned, wrench, thrown in zip(self._turns, raw.force_torque, self._thrown, strict=True)
        )
        found = self._kernel(
            self._memory, joints, rates, raw.force_torque, imu, odometry, turns, (left, right),
            self._body.heights(self._up), balance._replace(up=self._up), self._frame, self._config, dt,
        )  # fmt: skip
        return None if found[0] == WELL else health_problem(found[0], found[1], self._joints)
