# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Health watch of a humanoid: its sensors in the terms of the residuals.

Every sensor stays in its own frame; what two of them say of one thing is brought into
one frame by the joints between. The body whose forces are balanced is all above the
force sensors, in the axes of the base: F = m (f + du/dt), M = dL/dt
(:class:`.residuals.Balance`). A velocity between base and foot, as gyroscope and joints
say it, changes as the accelerometers of both feel: two integrals of one motion. A
gyroscope in a foot turns as the base's and the joints of its leg do.

The attitude of the base, where it is not measured, is known by its IMU alone::

    up(t) = up - turning x up dt + dt / (T + dt) (f / |f| - up),   T = 1 s

a complementary filter [Mahony2008] of the direction against gravity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.floating_base import contiguous
from biped_slip.estimation.health import Found, HealthConfig, health_problem
from biped_slip.estimation.invariant_filter import cross, rotation_of
from biped_slip.estimation.readings import (
    BaseMotion,
    HumanoidReadings,
    Problem,
    RawReadings,
)
from biped_slip.estimation.residuals import (
    FOOT_IMU_FIELD,
    WRENCH_SENSORS,
    gravest_finding,
    new_memory,
    unwatched,
)
from biped_slip.estimation.signals import (
    Balance,
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
from biped_slip.robots.humanoid import FORCE_SENSORS, Humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import SOLES

# [s] over which accelerations of walking cancel and a gyroscope's bias of 1 deg/s makes
# 1 deg (choice)
PULLED = 1.0
FASTEST_TURN = 20.0  # [rad/s] faster turns are not believed (choice)
LIGHTEST = 0.5 * GRAVITY  # [m/s^2] less says nothing about the weight (choice)


@kernel
def upward(before: Array, turning: Array, specific: Array, dt: float) -> Array:
    """Update the unit vector against gravity (3,) by a reading.

    Implausible numbers are ignored.

    Up, for a robot without a measured attitude: turned on by the gyroscope, pulled to
    the specific force of the IMU. Humanoids roll with every step; taken for upright, a
    foot in the air may look lower than the one that carries.

    ``before``: at the last reading (3,); ``turning``: angular velocity of the axes that
    all are given in (3,) [rad/s]; ``specific`` force (3,) [m/s^2]; ``dt`` since the
    last reading [s].
    """
    rate = math.sqrt(turning @ turning)
    pull = math.sqrt(specific @ specific)
    if not (rate <= FASTEST_TURN and pull < math.inf):
        return before
    after = before - cross(turning, before) * dt
    if pull > LIGHTEST:
        after += dt / (PULLED + dt) * (specific / pull - after)
    length = math.sqrt(after @ after)
    return after / length if length > 0.0 else before


class CarriedBody(NamedTuple):
    """Measured motion and forces of the body above the force sensors.

    They are in the axes of the base.
    """

    balance: Balance  # ``up`` is the specific force at the IMU [m/s^2]
    turning: Array  # (3,) of the base [rad/s]
    soles: Array  # (2, 3) [m]
    # (2, 3) of the feet's IMUs, in their axes, as base and joints turn them [rad/s]
    foot_rates: Array
    # (2, 3) velocity of the IMU against that of each foot's, as gyroscope and joints
    # say [m/s]
    swing: Array
    pull: Array  # (2, 3) its change, as the accelerometers of both say [m/s^2]


def no_carried_body() -> CarriedBody:
    """Allocate what ``model_functions.carried_body`` fills."""
    return CarriedBody(
        balance=Balance(
            load=np.zeros(6), carried=np.zeros(6), momentum=np.zeros(6), up=np.zeros(3)
        ),
        turning=np.zeros(3),
        soles=np.zeros((2, 3)),
        foot_rates=np.zeros((2, 3)),
        swing=np.zeros((2, 3)),
        pull=np.zeros((2, 3)),
    )


class SensedFeet(NamedTuple):
    """Soles and masses below the force sensors."""

    normal: Array  # (2, 3) unit vector of each sole in the axes of its force sensor
    thrown: Array  # (2,) largest pull of a foot's own mass [N]
    points: bool  # whose landings ring faster than an accelerometer is read


# [m/s^2] with which a swinging leg throws its foot up: no floor pulls, the foot's own
# mass does (choice)
THROWN = 50.0
NO_BASE = BaseMotion(np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(3))
PLACE_COORDINATES = 2  # coordinates of the base that odometry has: ahead and left
PER_FOOT = 3  # axes of an IMU in a foot


@kernel
def without_foot(load: float, thrown: float) -> float:
    """Subtract the inertia of a foot in the air from the pull on its sole [N]."""
    return max(load, min(load + thrown, 0.0))


class OuterBase(NamedTuple):
    """Motion of the base from outside the robot."""

    measured: bool  # whether there is such a sensor
    motion: BaseMotion


@kernel
def base_of(base: OuterBase, up: Array) -> tuple[Tracked, Array]:
    """Return place and velocity of the base, ahead and left, and its odometry (1, 6).

    They are zero where there is no such sensor; where there is one, ``up`` (3,), the
    unit vector against gravity in the axes of the base, is its attitude's.
    """
    place = Tracked(np.zeros(PLACE_COORDINATES), np.zeros(PLACE_COORDINATES))
    odometry = np.zeros((1, 6))
    if base.measured:
        motion = base.motion
        turn = rotation_of(motion.orientation_base_in_world)
        velocity = turn @ motion.linear_velocity_in_base
        copy_vector(turn[2], up, 0)
        for k in range(PLACE_COORDINATES):
            place.value[k] = motion.position_base_in_odom[k]
            place.rate[k] = velocity[k]
        copy_vector(motion.position_base_in_odom, odometry[0], 0)
        copy_vector(motion.linear_velocity_in_base, odometry[0], 3)
    return place, odometry


@kernel
def swing_of(body: CarriedBody, feet: SensedFeet) -> Tracked:
    """Return how base and feet move against each other; NaN where feet are points."""
    rows = 2 * PER_FOOT
    swing = Tracked(np.empty(rows), np.empty(rows))
    for row in range(rows):
        foot = row // PER_FOOT
        axis = row % PER_FOOT
        swing.value[row] = math.nan if feet.points else body.swing[foot, axis]
        swing.rate[row] = body.pull[foot, axis]
    return swing


@kernel
def turns_of_feet(body: CarriedBody, foot_imus: Array) -> TwoRates:
    """Return the turn rates of both feet, as their gyroscopes and as the base's say."""
    rows = 2 * PER_FOOT
    rates = TwoRates(np.empty(rows), np.empty(rows))
    for row in range(rows):
        foot = row // PER_FOOT
        axis = row % PER_FOOT
        rates.measured[row] = foot_imus[foot, axis]
        rates.expected[row] = body.foot_rates[foot, axis]
    return rates


@kernel
def along_normals(force_torque: Array, feet: SensedFeet) -> Array:
    """Return the forces (2,) along the normals of both soles [N]."""
    along = np.zeros(2)
    for foot in range(2):
        for k in range(3):
            along[foot] += feet.normal[foot, k] * force_torque[foot, k]
    return along


@kernel
def loads_of(
    along: Array,
    specific_force: Array,
    body: CarriedBody,
    feet: SensedFeet,
    up: Array,
) -> Loads:
    """Compute loads and heights of both soles.

    Args:
        along: forces on both feet (2,) along the normals of their soles [N].
        specific_force: specific force of the IMU (3,) [m/s^2].
        body: what the sensors above the feet say.
        feet: normals and masses.
        up: unit vector against gravity (3,), in the axes of the base.
    """
    load = along.copy()
    height = np.zeros(2)
    for foot in range(2):
        for k in range(3):
            height[foot] += up[k] * body.soles[foot, k]
        if not math.isnan(load[foot]):  # else there is no sensor
            load[foot] = without_foot(load[foot], feet.thrown[foot])
    return Loads(
        load=(load[0], load[1]),
        crossed=(load[1], load[0]),
        sole_height=(height[0], height[1]),
        base_height=0.0,
        specific_force_squared=specific_force[0] * specific_force[0]
        + specific_force[1] * specific_force[1]
        + specific_force[2] * specific_force[2],
    )


@kernel
def loaded_joints(raw: RawReadings, along: Array, feet: SensedFeet) -> LoadedJoints:
    """Return joints and legs' forces, of which (2,) are along the normals [N]."""
    pull = np.empty((2, 3))
    for foot in range(2):
        for k in range(3):
            pull[foot, k] = (
                raw.force_torque[foot, k] - along[foot] * feet.normal[foot, k]
            )
    return LoadedJoints(
        moved=Tracked(raw.joint_position, raw.joint_velocity),
        pull=pull,
        load=(along[0], along[1]),
    )


@kernel
def humanoid_signals(
    last_position: Array,
    raw: RawReadings,
    base: OuterBase,
    body: CarriedBody,
    feet: SensedFeet,
    up: Array,
    dt: float,
) -> Signals:
    """Compute all signals of raw readings.

    Args:
        last_position: of the joints (n,) at the last reading [rad].
        raw: readings of this instant.
        base: its motion, where it is measured otherwise.
        body: what the sensors above the feet say.
        feet: normals and masses.
        up: unit vector against gravity (3,) at the last reading, in the axes of the
            base; renewed.
        dt: since the last reading [s].
    """
    copy_vector(upward(up, body.turning, body.balance.up, dt), up, 0)
    place, odometry = base_of(base, up)
    imu = np.empty((1, 6))
    copy_vector(raw.imu[3:], imu[0], 0)
    copy_vector(raw.imu[:3], imu[0], 3)
    balance = Balance(
        load=body.balance.load,
        carried=body.balance.carried,
        momentum=body.balance.momentum,
        up=up,
    )
    moved = any_moved(raw.joint_position, last_position)
    along = along_normals(raw.force_torque, feet)
    none = np.empty(0)
    return Signals(
        base=place,
        joints=loaded_joints(raw, along, feet),
        swing=swing_of(body, feet),
        foot_rates=turns_of_feet(body, raw.foot_imus),
        acceleration=TwoRates(none, none),
        torques=TorqueAnswer(torque=none, unanswered=none, lever=np.empty((0, 2))),
        balance=balance,
        wrenches=Numbers(raw.force_torque, moved),
        imu=Numbers(imu, moved),
        odometry=Numbers(odometry, moved),
        loads=loads_of(along, imu[0], body, feet, up),
    )


_find = gravest_finding()


@kernel
def humanoid_check(
    held: Held,
    raw: RawReadings,
    base: OuterBase,
    body: CarriedBody,
    feet: SensedFeet,
    up: Array,
    dt: float,
) -> Found:
    """Return the gravest finding of raw readings; renews ``up`` and what is held."""
    memory, limits = held.value
    last_position = memory.joint_way.joints.last.value
    signals = humanoid_signals(last_position, raw, base, body, feet, up, dt)
    return _find(memory, signals, limits, dt)


def without_sensors(raw: RawReadings, absent: frozenset[str]) -> RawReadings:
    """Return readings in which the sensors of the feet that are absent read NaN."""
    nothing = np.full((2, 6), math.nan)
    return raw._replace(
        foot_imus=nothing if FOOT_IMU_FIELD in absent else raw.foot_imus,
        force_torque=nothing if WRENCH_SENSORS in absent else raw.force_torque,
    )


def sensed_feet(humanoid: Humanoid) -> SensedFeet:
    """Return soles and masses below a humanoid's force sensors."""
    model = humanoid.model
    soles, sensors = (
        [model.frames[model.getFrameId(name)] for name in names]
        for names in (SOLES, FORCE_SENSORS)
    )
    normals = [
        sensor.placement.rotation.T @ sole.placement.rotation[:, 2]
        for sole, sensor in zip(soles, sensors, strict=True)
    ]
    thrown = [THROWN * model.inertias[sensor.parentJoint].mass for sensor in sensors]
    return SensedFeet(
        normal=np.array(normals),
        thrown=np.array(thrown),
        points=len(humanoid.config.contact.polygon) == 1,
    )


class HumanoidWatch:
    """Health watch of one humanoid's readings on a level floor.

    A fall is the base nearer to the lower sole than ``fall_height`` of its height when
    standing; where the attitude of the base is not measured, its IMU's gives it, from
    upright on.

    Args:
        humanoid: whose sensors.
        config: thresholds.
        offset: that a foot's force sensor may have [N].
        absent: fields of sensors that the robot has not; whatever they read, nothing is
            found in them.

    Attributes:
        unwatched: in words, what is not watched without them, a sentence a sensor.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        config: HealthConfig,
        offset: float = 0.0,
        absent: frozenset[str] = frozenset(),
    ) -> None:
        self._absent = absent
        self.unwatched = unwatched(absent)
        robot = humanoid.robot
        self._feet = sensed_feet(humanoid)
        self._joints = robot.joints
        functions = floating_functions(robot)
        self._body = no_carried_body()
        self._model = functions.generated
        self._carried = OfOneType(functions.carried_body)
        self._check = OfOneType(humanoid_check)
        joints = len(robot.joints)
        self._rows = Rows(
            base=PLACE_COORDINATES,
            joints=joints,
            swing=2 * PER_FOOT,
            foot_rates=2 * PER_FOOT,
            acceleration=0,
            torques=0,
        )
        self._carry(
            RawReadings(
                stamp_ns=0,
                joint_position=contiguous(humanoid.posture),
                joint_velocity=np.zeros(joints),
                imu=np.zeros(6),
                foot_imus=np.zeros((2, 6)),
                force_torque=np.zeros((2, 6)),
            )
        )
        lower, upper = robot.position_limits
        watched = WatchedRobot(
            lower=lower,
            upper=upper,
            speed=robot.velocity_limits,
            effort=humanoid.efforts,
            weight=robot.mass * GRAVITY,
            height=-float(self._body.soles[:, 2].min()),
            slope=0.0,
            force_offset=offset,
        )
        self._limits = WatchLimits(watched, config.packed)
        self.reset()

    def _carry(self, raw: RawReadings) -> None:
        """Compute motion and forces of the body above the force sensors."""
        sensed = (
            raw.joint_position,
            raw.joint_velocity,
            raw.imu,
            raw.force_torque,
            raw.foot_imus,
        )
        filled = (*self._body.balance, *self._body[1:])
        self._carried(self._model, sensed, filled)

    def retune(self, config: HealthConfig) -> None:
        """Set the thresholds of the health checks."""
        self._limits = self._limits._replace(config=config.packed)
        self._held = hold((self._memory, self._limits))

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._memory = new_memory(self._rows)
        self._held = hold((self._memory, self._limits))
        # 1: an encoder does not say how its joint moves
        self.doubted = self._memory.joint_way.joints.account.doubt
        self._up = np.array([0.0, 0.0, 1.0])  # as long as nothing else is known

    def step(
        self, readings: HumanoidReadings, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Check a reading, dt [s] after the last one; torques are ignored."""
        found = self._check(self._held, *self.given(readings), float(dt))
        return health_problem(found, self._joints)

    def given(
        self, readings: HumanoidReadings
    ) -> tuple[RawReadings, OuterBase, CarriedBody, SensedFeet, Array]:
        """Return what the signals of readings are computed from."""
        sent = without_sensors(readings.raw, self._absent)
        raw = RawReadings(
            stamp_ns=sent.stamp_ns,
            joint_position=contiguous(sent.joint_position),
            joint_velocity=contiguous(sent.joint_velocity),
            imu=contiguous(sent.imu),
            foot_imus=contiguous(sent.foot_imus),
            force_torque=contiguous(sent.force_torque),
        )
        self._carry(raw)
        motion = readings.base or NO_BASE
        base = OuterBase(
            measured=readings.base is not None,
            motion=BaseMotion(*map(contiguous, motion)),
        )
        return raw, base, self._body, self._feet, self._up
