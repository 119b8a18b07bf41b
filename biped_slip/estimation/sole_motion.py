# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of a humanoid's soles over the floor, and the floor's slope under them.

Friction acts on the material of a sole at its centre of pressure c, so that is whose
motion is measured: with the sole's origin x and rotation R, its velocity v, and the yaw
rate w with which it twists about its load::

    c = (-M_y, M_x) / F_z        in the sole
    velocity = v + w x R c       place = x + integral of (w x R c) dt since touchdown

Where the base's motion is an estimate that assumes resting feet, kinematics of a loaded
foot would say nothing but that assumption: then displacement is one foot against the
other (the base cancels), or a foot's IMU, integrated from rest after the ringing of its
touchdown until the integral has drifted too far (:class:`UnseenSoles`). The slope of
the floor is that of soles that lie flat on it (:class:`FloorRise`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, hold, kernel
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.planar_feet import (
    AIRBORNE,
    UNSTEADY,
    StanceLoads,
    Steadiness,
    at_rest,
    moved,
    speed_against,
    stance_age,
    stance_loads,
    steadiness,
)
from biped_slip.estimation.readings import RobotState, SensorReadings
from biped_slip.friction_estimation.types import NAN, FootMeasurement
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import Robot

LEAST_PRESSING = 1.0  # [N] below it a centre of pressure means nothing
LEVEL_FLOOR = np.zeros((2, 2))
LEVEL_RISE = (
    0.06  # rise of a sole that counts as level: it rolls and sinks by as much (choice)
)
COS_LEVEL = math.cos(LEVEL_RISE)


def floating_state(readings: SensorReadings) -> RobotState:
    """Build q (position, quaternion x y z w, joints) and v (twist in the base, joints).

    Both are as Pinocchio's free-flyer has them.
    """
    joints = readings.joint_position.shape[0]
    state = RobotState(np.empty(7 + joints), np.empty(6 + joints))
    floating_coordinates(
        readings.position_base_in_odom,
        readings.orientation_base_in_world,
        readings.joint_position,
        readings.linear_velocity_in_base,
        readings.angular_velocity_in_base,
        readings.joint_velocity,
        *state,
    )
    return state


@kernel
def floating_coordinates(
    position: Array,
    orientation: Array,
    joint_position: Array,
    velocity: Array,
    rate: Array,
    joint_velocity: Array,
    q: Array,
    v: Array,
) -> None:
    """Fill q (7 + n,) and v (6 + n,)."""
    copy_vector(position, q, 0)
    copy_vector(orientation, q, 3)
    copy_vector(joint_position, q, 7)
    copy_vector(velocity, v, 0)
    copy_vector(rate, v, 3)
    copy_vector(joint_velocity, v, 6)


class SoleFrames(NamedTuple):
    """Poses and velocities of both soles in the world, and twist since touchdown."""

    position: Array  # (2, 3) [m]
    rotation: Array  # (2, 3, 3)
    velocity: Array  # (2, 6) linear [m/s], angular [rad/s]
    turned: Array  # (2,) heading of each sole a reading before [rad]
    # (2, 2) motion of the material at the centre of pressure against the origin [m]
    twist: Array
    # (2, 2) of length and width of each sole seen from above at the reading before; 1:
    # (nearly) level
    reach: Array


class MovingSole(NamedTuple):
    """Pose and velocity of one sole in the world."""

    rotation: Array  # (3, 3) sole to world
    position: Array  # (3,) [m]
    velocity: Array  # (6,) linear [m/s], angular [rad/s]


class SoleMemory(NamedTuple):
    """What is remembered of one sole from reading to reading; overwritten."""

    turned: Array  # (1,) heading at the reading before [rad]
    # (2,) of the material at the centre of pressure against the origin [m]
    twist: Array
    reach: Array  # (2,) of length and width seen from above at the reading before


class SoleMotion:
    """Force and motion of both feet of a floating-base robot.

    Tangential forces are along the world's axes as they lie on the floor, which do not
    turn during a contact, motion is horizontal; the centre of pressure is in the sole.
    The motion is that of the sole's material at the centre of pressure, not at its
    origin: a sole that twists under a yaw moment would otherwise seem to slide by lever
    times twist. A sensor of the soles' place goes before kinematics, whose base may be
    estimated on the assumption that feet don't move.

    Attributes:
        soles: of the last measurement.
    """

    def __init__(self, robot: Robot) -> None:
        functions = floating_functions(robot)
        self._robot: Any = functions.generated
        self.soles = SoleFrames(
            position=np.zeros((2, 3)),
            rotation=np.zeros((2, 3, 3)),
            velocity=np.zeros((2, 6)),
            turned=np.zeros(2),
            twist=np.zeros((2, 2)),
            reach=np.ones((2, 2)),
        )
        self._kinematics = OfOneType(functions.sole_kinematics)
        self._measured = OfOneType(sole_measurements)
        self.reset()

    def reset(self) -> None:
        """Reset the twist of the soles."""
        self.soles.turned[:] = math.nan
        self.soles.twist[:] = 0.0
        self.soles.reach[:] = 1.0

    def measure(
        self,
        state: RobotState,
        readings: SensorReadings,
        base_measured: bool = True,
        rise: Array = LEVEL_FLOOR,
    ) -> tuple[FootMeasurement, FootMeasurement]:
        """Measure force and motion of the left and the right foot.

        Args:
            state: of base and joints.
            readings: wrenches in the soles, and where sensors see the soles.
            base_measured: whether the base's motion is measured. Its estimate assumes
                loaded feet at rest: then the motion of a sole without a sensor is
                unknown, NaN.
            rise: (2, 2) of the floor under each foot, along x and y.
        """
        self._kinematics(self._robot, state.q, state.v, *self.soles[:3])
        wrenches = np.ascontiguousarray(
            readings.wrench_ground_on_foot_in_sole, dtype=float
        )
        sensed = np.ascontiguousarray(readings.foot_position_in_world, dtype=float)
        found: tuple[FootMeasurement, FootMeasurement] = self._measured(
            readings.stamp_ns, wrenches, sensed, base_measured, rise, self.soles
        )
        return found

    def accelerations(self, specific_force: Array) -> Array:
        """Compute accelerations (2, 3) of the soles in the world at the last sample.

        They are computed from the soles' IMUs (2, 3) [m/s^2].
        """
        return sole_accelerations(self.soles.rotation, specific_force)


@kernel
def sole_accelerations(rotation: Array, specific_force: Array) -> Array:
    """Compute accelerations (2, 3) of the soles in the world [m/s^2].

    Args:
        rotation: (2, 3, 3) soles to world.
        specific_force: (2, 3) of the soles' IMUs, in the soles [m/s^2].
    """
    found = np.empty((2, 3))
    for foot in range(2):
        found[foot] = rotation[foot] @ specific_force[foot]
        found[foot, 2] -= GRAVITY
    return found


@kernel
def sole_measurements(
    stamp_ns: int,
    wrenches: Array,
    sensed: Array,
    base_measured: bool,
    rise: Array,
    soles: SoleFrames,
) -> tuple[FootMeasurement, FootMeasurement]:
    """Measure both feet.

    ``sensed`` (2, 3) are the soles' places by a sensor, NaN without one.
    """
    unseen = math.isnan(sensed[0, 0]), math.isnan(sensed[1, 0])
    left = soles.position[0] if base_measured and unseen[0] else sensed[0]
    right = soles.position[1] if base_measured and unseen[1] else sensed[1]
    speed = soles.velocity.copy()
    if not base_measured:
        for foot in range(2):
            if unseen[foot]:
                speed[foot, :3] = math.nan
    return _measured_of(0, stamp_ns, wrenches, left, speed, rise, soles), _measured_of(
        1, stamp_ns, wrenches, right, speed, rise, soles
    )


@kernel
def _measured_of(
    foot: int,
    stamp_ns: int,
    wrenches: Array,
    place: Array,
    speed: Array,
    rise: Array,
    soles: SoleFrames,
) -> FootMeasurement:
    sole = MovingSole(
        rotation=soles.rotation[foot], position=place, velocity=speed[foot]
    )
    memory = SoleMemory(
        turned=soles.turned[foot : foot + 1],
        twist=soles.twist[foot],
        reach=soles.reach[foot],
    )
    return sole_measurement(stamp_ns, wrenches[foot], sole, rise[foot], memory)


@kernel
def tip_over(rotation: Array, x: float, y: float, twist: Array, reach: Array) -> None:
    """Compensate the motion of the sole's middle as it tips onto the floor.

    That is 1.5 mm on a ramp of 10 degrees.

    Args:
        rotation: (3, 3) sole to world.
        x: centre of pressure along the sole [m]; 0 in the air.
        y: centre of pressure across the sole [m]; 0 in the air.
        twist: (2,) of ``sole_measurement`` [m]; overwritten.
        reach: (2,) of ``sole_measurement``; overwritten.
    """
    place = (x, y)
    for k in range(2):
        length = math.hypot(rotation[0, k], rotation[1, k])
        extent = min(1.0, length / COS_LEVEL)
        change = (extent - reach[k]) * COS_LEVEL * place[k] / max(length, 0.5)
        reach[k] = extent
        twist[0] += change * rotation[0, k]
        twist[1] += change * rotation[1, k]


@kernel
def along_floor(force: Array, rise: Array) -> Array:
    """Project a force (3,) on x, y along a floor that rises (2,), and on its normal."""
    along = math.sqrt(1.0 + rise[0] ** 2)
    normal = math.sqrt(1.0 + rise[0] ** 2 + rise[1] ** 2)
    x = (force[0] + rise[0] * force[2]) / along
    z = (force[2] - rise[0] * force[0] - rise[1] * force[1]) / normal
    left = along * along * force[1] - rise[0] * rise[1] * force[0] + rise[1] * force[2]
    return np.array([x, left / (along * normal), z])


@kernel(inline="code")
def force_on_floor(rotation: Array, wrench: Array, rise: Array) -> Array:
    """Turn the force of a wrench (6,) in the sole to the floor's axes (3,) [N]."""
    force = np.empty(3)
    for k in range(3):
        force[k] = (
            rotation[k, 0] * wrench[0]
            + rotation[k, 1] * wrench[1]
            + rotation[k, 2] * wrench[2]
        )
    if rise[0] != 0.0 or rise[1] != 0.0:
        force = along_floor(force, rise)
    return force


@kernel(inline="code")
def turn_about_pressure(
    rotation: Array, lever_x: float, lever_y: float, loaded: bool, memory: SoleMemory
) -> None:
    """Add how the material at the centre of pressure moves as a loaded sole turns.

    Args:
        rotation: (3, 3) sole to world.
        lever_x: from the sole's origin to the centre of pressure, in the world [m].
        lever_y: the same along y.
        loaded: whether there is such a centre.
        memory: heading and twist; overwritten.
    """
    heading = math.atan2(rotation[1, 0], rotation[0, 0])
    change = heading - memory.turned[0]
    memory.turned[0] = heading
    if loaded and math.isfinite(change):
        change -= math.tau * math.floor(change / math.tau + 0.5)
        memory.twist[0] -= change * lever_y
        memory.twist[1] += change * lever_x


@kernel
def sole_measurement(
    stamp_ns: int,
    wrench: Array,
    sole: MovingSole,
    rise: Array,
    memory: SoleMemory,
) -> FootMeasurement:
    """Measure one foot.

    Args:
        stamp_ns: of the readings [ns].
        wrench: (6,) of the ground, in the sole [N, N m].
        sole: its pose and velocity.
        rise: (2,) of the floor along x and y.
        memory: of the readings before; overwritten.
    """
    rotation = sole.rotation
    velocity = sole.velocity
    force = force_on_floor(rotation, wrench, rise)
    loaded = wrench[2] > LEAST_PRESSING
    pressure_x = -wrench[4] / wrench[2] if loaded else 0.0
    pressure_y = wrench[3] / wrench[2] if loaded else 0.0
    moment = wrench[5] - pressure_x * wrench[1] + pressure_y * wrench[0]
    lever_x = rotation[0, 0] * pressure_x + rotation[0, 1] * pressure_y
    lever_y = rotation[1, 0] * pressure_x + rotation[1, 1] * pressure_y
    turn_about_pressure(rotation, lever_x, lever_y, loaded, memory)
    tip_over(rotation, pressure_x, pressure_y, memory.twist, memory.reach)
    return FootMeasurement(
        stamp_ns=stamp_ns,
        force_x=force[0],
        force_y=force[1],
        force_normal=force[2],
        displacement_x=sole.position[0] + memory.twist[0],
        displacement_y=sole.position[1] + memory.twist[1],
        velocity_x=velocity[0] - velocity[5] * lever_y,
        velocity_y=velocity[1] + velocity[5] * lever_x,
        moment_normal=moment,
        centre_of_pressure_x=pressure_x,
        centre_of_pressure_y=pressure_y,
        angular_rate=math.hypot(velocity[3], velocity[4]),
    )


# [m] by which one rim of a sole may be lower than its middle on a level floor (choice)
SINKS = 0.004
STEEPEST_RISE = 0.6  # rise that no sole stands on (choice)
CHANGED = 0.03  # by which a rise must differ from the known one to be another (choice)
CARRIES = 0.2  # body weights on a sole that lies flat (choice)
AIR = 0.02  # body weights on a sole in the air (choice)
# of half a sole: with its pressure further out it may stand on an edge (choice)
INSIDE_SOLE_LENGTH = 0.8
FLAT_RATE = 0.5  # [rad/s] a sole that turns faster lies flat on nothing (choice)
FLAT_TIME = 0.03  # [s] for which all that must hold (choice)


class SoleShapes(NamedTuple):
    """Shapes of both soles."""

    middle: Array  # (2, 2) along length and width [m]
    half: Array  # (2, 2) of length and width [m]
    # (2, 2) largest rise along length and width that still counts as level
    level: Array


class FloorRise:
    """Gradient of the floor's height under each sole, world axes; 0 where it is level.

    A sole that carries, does not turn and has its pressure inside lies flat: its floor
    is as tilted as it is, or level where the sole may just have sunk on one side, which
    tilts a narrow one further than a long one. A foot in the air expects the floor of
    the other. Points lie flat on nothing.

    Attributes:
        rise: (2, 2) of the left and the right foot, along x and y.
        flat: (2,) for how long each sole has lain flat [s].
        shapes: of both soles.
        weight: of the robot [N].
    """

    def __init__(self, humanoid: Humanoid) -> None:
        corners = np.array([humanoid.polygon(foot) for foot in (0, 1)], dtype=float)
        half = 0.5 * np.ptp(corners, axis=1)
        self.shapes = SoleShapes(
            middle=0.5 * (corners.min(axis=1) + corners.max(axis=1)),
            half=half,
            level=np.maximum(LEVEL_RISE, SINKS / np.maximum(half, 1e-6)),
        )
        self.weight = humanoid.weight
        self.rise = np.zeros((2, 2))
        self.flat = np.zeros(2)
        self._step = OfOneType(rise_step)

    def reset(self) -> None:
        """Reset the slope to level."""
        self.rise[:] = 0.0
        self.flat[:] = 0.0

    def step(
        self,
        soles: SoleFrames,
        measured: tuple[FootMeasurement, FootMeasurement],
        dt: float,
    ) -> None:
        """Update the slope by one sample of dt [s]."""
        self._step(
            self.rise,
            self.flat,
            soles,
            measured,
            self.shapes,
            self.weight,
            dt,
        )


@kernel(inline="code")
def pressed_inside(one: FootMeasurement, middle: Array, half: Array) -> bool:
    """Return whether the centre of pressure is inside a sole, not near its rim.

    ``middle`` and ``half`` (2,) of its length and width [m].
    """
    x = abs(one.centre_of_pressure_x - middle[0])
    y = abs(one.centre_of_pressure_y - middle[1])
    return x < INSIDE_SOLE_LENGTH * half[0] and y < INSIDE_SOLE_LENGTH * half[1]


@kernel(inline="code")
def rise_under(turn: Array, level: Array, rise: Array) -> None:
    """Update the slope gradient (2,) of the floor under a sole that lies flat on it.

    Args:
        turn: (3, 3) sole to world.
        level: (2,) largest rise along length and width that still counts as level.
        rise: (2,) along x and y; overwritten.
    """
    x = -turn[0, 2] / turn[2, 2]
    y = -turn[1, 2] / turn[2, 2]
    heading = math.atan2(turn[1, 0], turn[0, 0])
    along = math.cos(heading) * x + math.sin(heading) * y
    across = math.cos(heading) * y - math.sin(heading) * x
    stands = math.hypot(x, y) < STEEPEST_RISE
    if math.hypot(along / level[0], across / level[1]) < 1.0:
        rise[0] = 0.0
        rise[1] = 0.0
    elif stands and math.hypot(x - rise[0], y - rise[1]) > CHANGED:
        rise[0] = x
        rise[1] = y


@kernel
def rise_step(
    rise: Array,
    flat: Array,
    soles: SoleFrames,
    measured: tuple[FootMeasurement, FootMeasurement],
    shapes: SoleShapes,
    weight: float,
    dt: float,
) -> None:
    """Update the slopes ``rise`` (2, 2) and the times ``flat`` (2,) [s].

    The times are those for which each sole has lain flat.

    Args:
        rise: (2, 2) slope gradient under each sole along x and y; overwritten.
        flat: (2,) for how long each sole has lain flat [s]; overwritten.
        soles: frames of this instant.
        measured: measurements of both feet at this instant.
        shapes: of both soles.
        weight: of the robot [N].
        dt: of the sample [s].
    """
    for foot in range(2):
        one = measured[foot]
        inside = pressed_inside(one, shapes.middle[foot], shapes.half[foot])
        calm = math.hypot(soles.velocity[foot, 3], soles.velocity[foot, 4]) < FLAT_RATE
        lies = inside and calm and one.force_normal > CARRIES * weight
        flat[foot] = flat[foot] + dt if lies else 0.0
        if flat[foot] >= FLAT_TIME:
            rise_under(soles.rotation[foot], shapes.level[foot], rise[foot])
        elif one.force_normal < AIR * weight:
            rise[foot, 0], rise[foot, 1] = rise[1 - foot, 0], rise[1 - foot, 1]


HUMANOID_SOURCES = ("odometry", "both_feet", "foot_imu")  # of a humanoid

SolePair = tuple[FootMeasurement, FootMeasurement]
Horizontal = tuple[float, float]  # along x and y


class ImuMotion(NamedTuple):
    """Motion of a foot within a stance by its IMU."""

    age: float  # of the contact [s]
    speed_x: float  # gathered since touchdown [m/s]
    speed_y: float
    along: Steadiness  # of speed_x
    across: Steadiness  # of speed_y
    left: float  # time for which the integration is good enough [s]
    x: float  # place [m]; NaN until the foot may be taken for one at rest
    y: float
    velocity_x: float  # [m/s]
    velocity_y: float


class UnseenSettings(NamedTuple):
    """Settings of both feet's motion for the kernel."""

    loads: StanceLoads
    settling_time: float  # [s]
    horizon: float  # [s]
    creep_speed: float  # [m/s]
    against_each_other: (
        bool  # displacement: one foot against the other; else as its IMU says
    )
    lighter_moves: bool  # of two loaded feet that move against each other


@kernel
def imu_motion_step(
    state: ImuMotion,
    normal: float,
    acceleration_x: float,
    acceleration_y: float,
    settings: UnseenSettings,
    dt: float,
) -> ImuMotion:
    """Integrate the IMU of one foot by a sample.

    It begins from rest after the ringing of a touchdown without slide.
    """
    age = stance_age(state.age, normal, dt, settings.loads)
    if age < 0.0:
        return ImuMotion(
            age=age,
            speed_x=0.0,
            speed_y=0.0,
            along=UNSTEADY,
            across=UNSTEADY,
            left=settings.horizon,
            x=NAN,
            y=NAN,
            velocity_x=NAN,
            velocity_y=NAN,
        )
    speed_x = state.speed_x + dt * acceleration_x
    speed_y = state.speed_y + dt * acceleration_y
    settled = age > settings.settling_time
    along = steadiness(state.along, speed_x, settled, settings.creep_speed, dt)
    across = steadiness(state.across, speed_y, settled, settings.creep_speed, dt)
    if math.isnan(state.x):
        origin = 0.0 if at_rest(along) and at_rest(across) else NAN
        return ImuMotion(
            age=age,
            speed_x=speed_x,
            speed_y=speed_y,
            along=along,
            across=across,
            left=settings.horizon,
            x=origin,
            y=origin,
            velocity_x=origin,
            velocity_y=origin,
        )
    x = state.x + dt * (state.velocity_x + 0.5 * dt * acceleration_x)
    y = state.y + dt * (state.velocity_y + 0.5 * dt * acceleration_y)
    velocity_x = state.velocity_x + dt * acceleration_x
    velocity_y = state.velocity_y + dt * acceleration_y
    return ImuMotion(
        age=age,
        speed_x=speed_x,
        speed_y=speed_y,
        along=along,
        across=across,
        left=state.left - dt,
        x=x,
        y=y,
        velocity_x=velocity_x,
        velocity_y=velocity_y,
    )


class Braking(NamedTuple):
    """How a foot has slowed down under load."""

    heavier: float  # time for which it has borne more than the other one [s]
    slowest: float  # speed after REBOUND of it [m/s]; infinite before


NOT_BRAKING = Braking(heavier=0.0, slowest=math.inf)
REBOUND = 0.01  # [s] within which a foot that hits the floor slides back (choice)
SPEEDING = 0.03  # [m/s] above the slowest, from which the other foot moves (choice)


@kernel
def braking_step(
    before: Braking,
    foot: FootMeasurement,
    other: FootMeasurement,
    speed: Horizontal,
    dt: float,
) -> Braking:
    """Update how a foot has slowed down.

    Args:
        before: after the sample before.
        foot: force on it.
        other: force on the other foot.
        speed: against the other one [m/s]; NaN: not known.
        dt: since the sample before [s].
    """
    if not foot.force_normal > other.force_normal:
        return Braking(heavier=0.0, slowest=math.inf)
    heavier = before.heavier + dt
    now = math.hypot(speed[0], speed[1])
    slower = heavier > REBOUND and now < before.slowest  # false for NaN
    return Braking(heavier=heavier, slowest=now if slower else before.slowest)


@kernel
def unless_the_other_moves(braking: Braking, speed: Horizontal) -> Horizontal:
    """Return a foot's speed, NaN where the lighter foot is the one that moves.

    Of two loaded feet the one that bears more slows down or stands. What moves faster
    again is the other one, which rolls and drags as it is lifted.

    Args:
        braking: of the foot.
        speed: against the other one [m/s].
    """
    if math.hypot(speed[0], speed[1]) > braking.slowest + SPEEDING:
        return NAN, NAN
    return speed


@kernel(inline="code")
def unseen_places(
    feet: tuple[ImuMotion, ImuMotion], measured: SolePair, settings: UnseenSettings
) -> tuple[Horizontal, Horizontal]:
    """Return where both soles are [m]: against each other, or by their IMUs."""
    one, two = feet
    if settings.against_each_other:
        x = NAN
        y = NAN
        if min(one.age, two.age) >= settings.settling_time:
            left, right = measured
            x = left.displacement_x - right.displacement_x
            y = left.displacement_y - right.displacement_y
        return (x, y), (-x, -y)
    first = (NAN, NAN) if one.left < 0.0 else (one.x, one.y)
    second = (NAN, NAN) if two.left < 0.0 else (two.x, two.y)
    return first, second


@kernel(inline="code")
def unseen_speeds(
    feet: tuple[ImuMotion, ImuMotion], measured: SolePair, settings: UnseenSettings
) -> tuple[Horizontal, Horizontal]:
    """Return how both soles move [m/s].

    Joints tell the speed of a foot in the air, or landing, against the one that stands;
    the base's cancels. What they don't tell, an IMU may.
    """
    one, two = feet
    left, right = measured
    time = settings.settling_time
    first = (one.velocity_x, one.velocity_y) if one.left >= 0.0 else (NAN, NAN)
    second = (two.velocity_x, two.velocity_y) if two.left >= 0.0 else (NAN, NAN)
    x, other_x = speed_against(
        one.age, two.age, left.velocity_x - right.velocity_x, time
    )
    y, other_y = speed_against(
        one.age, two.age, left.velocity_y - right.velocity_y, time
    )
    if settings.against_each_other or not math.isnan(x):
        first = (x, y)
    if settings.against_each_other or not math.isnan(other_x):
        second = (other_x, other_y)
    return first, second


class UnseenState(NamedTuple):
    """State of both feet between two samples."""

    feet: tuple[ImuMotion, ImuMotion]
    braking: tuple[Braking, Braking]


@kernel
def unseen_step(
    state: UnseenState,
    measured: SolePair,
    acceleration: Array,
    settings: UnseenSettings,
    dt: float,
) -> tuple[UnseenState, SolePair]:
    """Update the motion of both soles by one sample, from joints and IMUs alone.

    Args:
        state: of both feet.
        measured: forces, and the soles' places by joints from the estimated base.
        acceleration: (2, 3) of the soles in the world, without gravity [m/s^2].
        settings: of the sources.
        dt: since the sample before [s].
    """
    left, right = measured
    one = imu_motion_step(
        state.feet[0],
        left.force_normal,
        acceleration[0, 0],
        acceleration[0, 1],
        settings,
        dt,
    )
    two = imu_motion_step(
        state.feet[1],
        right.force_normal,
        acceleration[1, 0],
        acceleration[1, 1],
        settings,
        dt,
    )
    feet = (one, two)
    first, second = unseen_places(feet, measured, settings)
    speed, other = unseen_speeds(feet, measured, settings)
    slowing, others = state.braking
    if settings.lighter_moves:
        slowing = braking_step(slowing, left, right, speed, dt)
        others = braking_step(others, right, left, other, dt)
        speed = unless_the_other_moves(slowing, speed)
        other = unless_the_other_moves(others, other)
    return UnseenState(feet=feet, braking=(slowing, others)), (
        moved(left, first[0], first[1], speed[0], speed[1]),
        moved(right, second[0], second[1], other[0], other[1]),
    )


@kernel
def unseen_in_place(
    held: Any,
    measured: SolePair,
    acceleration: Array,
    settings: UnseenSettings,
    dt: float,
) -> SolePair:
    """Measure both feet by :func:`unseen_step`, whose state is held."""
    held.value, found = unseen_step(held.value, measured, acceleration, settings, dt)
    return found


class UnseenSoles:
    """Displacement by one foot against the other or by its IMU, speed by its IMU.

    They are NaN where neither says anything.

    The base is believed on the assumption that loaded feet stay: of its estimate only
    the attitude is used, and the place not at all, for it cancels between the feet.

    Attributes:
        held: state of both feet, for kernels.
        settings: of the sources.
    """

    def __init__(self, robot: Robot, config: MotionConfig) -> None:
        if config.source not in HUMANOID_SOURCES:
            raise InvalidParameter(
                "motion.source",
                config.source,
                f"for a humanoid one of {', '.join(HUMANOID_SOURCES)}",
            )
        self.settings = UnseenSettings(
            loads=stance_loads(robot),
            settling_time=config.settling_time,
            horizon=config.horizon,
            creep_speed=config.creep_speed,
            against_each_other=config.source == "both_feet",
            lighter_moves=config.lighter_moves,
        )
        self.reset()
        self._step = OfOneType(unseen_in_place)

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        unknown = ImuMotion(
            age=AIRBORNE,
            speed_x=0.0,
            speed_y=0.0,
            along=UNSTEADY,
            across=UNSTEADY,
            left=self.settings.horizon,
            x=NAN,
            y=NAN,
            velocity_x=NAN,
            velocity_y=NAN,
        )
        self.held = hold(
            UnseenState(feet=(unknown, unknown), braking=(NOT_BRAKING, NOT_BRAKING))
        )

    def measure(self, measured: SolePair, acceleration: Array, dt: float) -> SolePair:
        """Measure both feet.

        ``acceleration`` (2, 3) is that of the soles in the world without gravity
        [m/s^2].
        """
        found: SolePair = self._step(
            self.held, measured, acceleration, self.settings, dt
        )
        return found
