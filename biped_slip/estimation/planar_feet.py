# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Measurement of each foot: force and motion in the floor frame under it.

The measurement is by named motion sources.

The motion of the foot comes from odometry, joints and the robot model, never from "the
stance foot is still": that would make every displacement zero by construction, and
friction is visible only through displacement (study 4).
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.readings import RobotState, SensorReadings
from biped_slip.friction_estimation.types import NAN, FootMeasurement
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.robot import Robot


@configuration
class FloorConfig(Configuration):
    """Shape of the floor, as far as it is known."""

    slope: float = parameter(
        0.0,
        unit="rad",
        low=-0.5,
        high=0.5,
        doc="incline of the floor along x, positive uphill",
    )


class FeetMeasurements(NamedTuple):
    """Measurements of both feet."""

    left: FootMeasurement
    right: FootMeasurement


Odometry = Callable[
    [SensorReadings, Array, Array, float], FeetMeasurements
]  # (readings, q, v, slope)
Source = Callable[
    [Any, SensorReadings, Array, Array, FeetMeasurements, Any, float],
    tuple[Any, FeetMeasurements],
]
"""(state, readings, q, v, feet by odometry, settings, dt) -> (state, feet)."""
MeasureFeet = Callable[
    [Any, SensorReadings, Array, Array, Any, float, float], tuple[Any, FeetMeasurements]
]
"""(state, readings, q, v, settings, slope, dt) -> (state, feet)."""


def feet_by_odometry(robot: ModelFunctions) -> Odometry:
    """Make a robot's kernel that rotates its soles' data into the floor frame.

    The data are the soles' wrenches and motion.
    """
    sole_motion = robot.sole_motion
    sole_rotations = robot.sole_rotations

    @kernel
    def feet(
        readings: SensorReadings, q: Array, v: Array, slope: float
    ) -> FeetMeasurements:
        """Rotate sole wrenches (2, 6) and sole motion into the floor frame.

        Ratio and u are about its normal.
        """
        position, velocity = sole_motion(q, v)
        rotations = sole_rotations(q)
        wrenches = readings.wrench_ground_on_foot_in_sole
        c = math.cos(slope)
        s = math.sin(slope)
        left = _foot(
            0, readings.stamp_ns, rotations, wrenches, position, velocity, c, s
        )
        return FeetMeasurements(
            left,
            _foot(1, readings.stamp_ns, rotations, wrenches, position, velocity, c, s),
        )

    return feet


def measured_feet(odometry: Odometry, source: Source) -> MeasureFeet:
    """Make the kernel of force and odometry, then of a motion source on top."""

    @kernel(inline="text")
    def measure(
        state: Any,
        readings: SensorReadings,
        q: Array,
        v: Array,
        settings: Any,
        slope: float,
        dt: float,
    ) -> tuple[Any, FeetMeasurements]:
        """Measure both feet dt [s] after the last reading (0 at the first)."""
        return source(
            state, readings, q, v, odometry(readings, q, v, slope), settings, dt
        )

    return measure


@kernel
def _foot(
    foot: int,
    stamp_ns: int,
    rotations: Array,
    wrenches: Array,
    position: Array,
    velocity: Array,
    c: float,
    s: float,
) -> FootMeasurement:
    fx = fz = mx = mz = 0.0
    for k in range(3):
        fx += rotations[3 * foot, k] * wrenches[foot, k]
        fz += rotations[3 * foot + 2, k] * wrenches[foot, k]
        mx += rotations[3 * foot, k] * wrenches[foot, 3 + k]
        mz += rotations[3 * foot + 2, k] * wrenches[foot, 3 + k]
    place = position[foot, 0] * c + position[foot, 2] * s
    speed = velocity[foot, 0] * c + velocity[foot, 2] * s
    # a point foot pivots with its shank: no heel or toe to roll over, so its angular
    # rate is 0
    return FootMeasurement(
        stamp_ns=stamp_ns,
        force_x=fx * c + fz * s,
        force_y=0.0,
        force_normal=fz * c - fx * s,
        displacement_x=place,
        displacement_y=0.0,
        velocity_x=speed,
        velocity_y=0.0,
        moment_normal=mz * c - mx * s,
        centre_of_pressure_x=0.0,
        centre_of_pressure_y=0.0,
        angular_rate=0.0,
    )


@kernel
def moved(
    measured: FootMeasurement, x: float, y: float, velocity_x: float, velocity_y: float
) -> FootMeasurement:
    """Replace the motion of a foot's measurement; the force stays."""
    return FootMeasurement(
        stamp_ns=measured.stamp_ns,
        force_x=measured.force_x,
        force_y=measured.force_y,
        force_normal=measured.force_normal,
        displacement_x=x,
        displacement_y=y,
        velocity_x=velocity_x,
        velocity_y=velocity_y,
        moment_normal=measured.moment_normal,
        centre_of_pressure_x=measured.centre_of_pressure_x,
        centre_of_pressure_y=measured.centre_of_pressure_y,
        angular_rate=measured.angular_rate,
    )


@kernel
def with_motion(
    measured: FootMeasurement, displacement: float, velocity: float
) -> FootMeasurement:
    """Replace the motion along x of a foot's measurement; the force stays."""
    return moved(
        measured, displacement, measured.displacement_y, velocity, measured.velocity_y
    )


class SagittalMotion:
    """Motion source of a sagittal robot with point feet: kernel and state.

    Args:
        robot: the robot.
        floor: its slope.
        source: what it makes of force and odometry.
        state: before the first reading.
        settings: of the source.
    """

    def __init__(
        self,
        robot: Robot,
        floor: FloorConfig,
        source: Source,
        state: Any,
        settings: Any,
    ) -> None:
        self.kernel = measured_feet(feet_by_odometry(model_functions(robot)), source)
        self.fresh = state
        self.settings = settings
        self.slope = floor.slope
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._state = self.fresh
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> FeetMeasurements:
        """Measure force and motion of the left and the right foot."""
        dt = (
            0.0
            if self._stamp_ns is None
            else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        )
        self._stamp_ns = readings.stamp_ns
        feet: FeetMeasurements
        self._state, feet = self.kernel(
            self._state, readings, state.q, state.v, self.settings, self.slope, dt
        )
        return feet


@kernel(inline="text")
def as_odometry_says(
    state: None,
    readings: SensorReadings,
    q: Array,
    v: Array,
    feet: FeetMeasurements,
    settings: None,
    dt: float,
) -> tuple[None, FeetMeasurements]:
    """Measure both feet from odometry, IMU, joints and wrenches alone."""
    return None, feet


def odometry_motion(robot: Robot, floor: FloorConfig | None = None) -> SagittalMotion:
    """Make the motion source of odometry, IMU and joints."""
    return SagittalMotion(robot, floor or FloorConfig(), as_odometry_says, None, None)


# of body weight (study 7.8; the lower one so that it doesn't chatter)
CONTACT_SHARE = 0.2
LEAVE_LOAD_SHARE = 0.15
AIRBORNE = -1.0


class Pair(NamedTuple):
    """States of both feet."""

    left: Any
    right: Any


class StanceLoads(NamedTuple):
    """Normal forces [N] that begin and end a contact."""

    begin: float
    end: float


def stance_loads(robot: Robot) -> StanceLoads:
    """Compute the loads of a contact from shares of a robot's weight."""
    weight = robot.mass * GRAVITY
    return StanceLoads(CONTACT_SHARE * weight, LEAVE_LOAD_SHARE * weight)


@kernel
def stance_age(age: float, normal: float, dt: float, loads: StanceLoads) -> float:
    """Advance the age of one foot's contact [s] by a sample.

    It is negative in the air, 0 at touchdown; NaN ends it.
    """
    if age < 0.0:
        return 0.0 if normal > loads.begin else AIRBORNE
    return age + dt if normal >= loads.end else AIRBORNE


# [s] of the two averages (choice: above a joint's speed noise; half a load change)
FAST_AVERAGE = 5e-3
SLOW = 50e-3
STEADY_TIME = (
    0.03  # [s] of steady speed before a foot is taken for one at rest (choice)
)
CREEPS = 3.0  # times the sd of a creeping foot's speed: more is a slide (choice)


class Steadiness(NamedTuple):
    """Speed of a foot against an unknown constant; a foot at rest has a constant one.

    A foot that creeps before it slips changes its speed by millimetres a second; one
    that lands sliding is braked, and one that begins to slide gathers speed. A slide at
    a constant speed looks like rest: no accelerometer feels it.
    """

    fast: float  # average [m/s]
    slow: float  # average [m/s]
    steady: float  # for how long they have been together [s]


UNSTEADY = Steadiness(0.0, 0.0, 0.0)


@kernel
def steadiness(
    state: Steadiness, speed: float, settled: bool, creep_speed: float, dt: float
) -> Steadiness:
    """Update a foot's steadiness by one sample; unknown while the touchdown rings."""
    if not settled:
        return Steadiness(speed, speed, 0.0)
    fast = state.fast + dt / (FAST_AVERAGE + dt) * (speed - state.fast)
    slow = state.slow + dt / (SLOW + dt) * (speed - state.slow)
    together = abs(fast - slow) <= CREEPS * creep_speed
    return Steadiness(fast, slow, state.steady + dt if together else 0.0)


@kernel
def at_rest(state: Steadiness) -> bool:
    """Return whether the foot counts as at rest."""
    return state.steady >= STEADY_TIME


CUT_OFF = (
    30.0  # [Hz] second-order Butterworth on the differenced displacement (study 2)
)


class Differenced(NamedTuple):
    """Memory of the differentiation of one position."""

    before: float  # last position [m]; NaN when there is none
    first: float  # memory of the transposed direct form
    second: float


class Along(NamedTuple):
    """The floor's tangent in the world."""

    x: float
    z: float


UNSEEN = Differenced(math.nan, 0.0, 0.0)


@kernel
def differenced(
    state: Differenced, position: float, dt: float
) -> tuple[Differenced, float]:
    """Differentiate a noisy position [m/s]; 0 at first.

    It takes the first difference and a causal second-order Butterworth (study 2).
    """
    rate = (
        0.0 if math.isnan(state.before) or dt <= 0.0 else (position - state.before) / dt
    )
    # bilinear; coarser samples hardly need it
    k = math.tan(math.pi * min(CUT_OFF * dt, 0.4))
    scale = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b = k * k * scale
    a1 = 2.0 * (k * k - 1.0) * scale
    a2 = (1.0 - math.sqrt(2.0) * k + k * k) * scale
    velocity = b * rate + state.first
    return Differenced(
        position,
        2.0 * b * rate - a1 * velocity + state.second,
        b * rate - a2 * velocity,
    ), velocity


@kernel
def _seen(
    state: Differenced, place: Array, along: Along, dt: float
) -> tuple[Differenced, float, float]:
    """Compute displacement and velocity of one foot.

    A position that is lost begins anew.
    """
    x = place[0] * along.x + place[2] * along.z
    state, velocity = differenced(state, x, dt)
    return (UNSEEN if math.isnan(velocity) else state), x, velocity


@kernel(inline="text")
def as_seen_from_outside(
    state: Pair,
    readings: SensorReadings,
    q: Array,
    v: Array,
    feet: FeetMeasurements,
    along: Along,
    dt: float,
) -> tuple[Pair, FeetMeasurements]:
    """Differentiate external positions.

    They are from motion capture, a force-plate rig or a cable sensor.

    Force comes from the feet's own sensors, motion from ``foot_position_in_world``; a
    lost position is not measured.
    """
    left, x_left, v_left = _seen(
        state.left, readings.foot_position_in_world[0], along, dt
    )
    right, x_right, v_right = _seen(
        state.right, readings.foot_position_in_world[1], along, dt
    )
    first = with_motion(feet.left, x_left, v_left)
    second = with_motion(feet.right, x_right, v_right)
    return Pair(left, right), FeetMeasurements(first, second)


class JointsAlone(NamedTuple):
    """Settings of feet measured against each other."""

    loads: StanceLoads
    settling_time: (
        float  # from touchdown until a foot may be taken for one that stands [s]
    )


@kernel(inline="text")
def against_each_other(
    state: Pair,
    readings: SensorReadings,
    q: Array,
    v: Array,
    feet: FeetMeasurements,
    settings: JointsAlone,
    dt: float,
) -> tuple[Pair, FeetMeasurements]:
    """Measure each foot against the other, by the joints between them.

    The base's pose cancels.

    No base, no drift, but the creep of both feet in one: on one floor under both the
    sum of their creeps has the shape of each, with about twice its s_p. On two
    different floors the foot on the better one takes the other's creep for its own, and
    looks weaker than it is. So the displacement is measured in double support, and the
    speed of a foot in the air or landing against the one that stands; of two standing
    feet it is unknown which one slides.
    """
    left, right = feet
    ages = Pair(
        stance_age(state.left, left.force_normal, dt, settings.loads),
        stance_age(state.right, right.force_normal, dt, settings.loads),
    )
    apart = left.displacement_x - right.displacement_x
    speed = left.velocity_x - right.velocity_x
    if min(ages.left, ages.right) < 0.0 or not math.isfinite(apart):
        apart = NAN
    v_left, v_right = speed_against(
        ages.left, ages.right, speed, settings.settling_time
    )
    return ages, FeetMeasurements(
        with_motion(left, apart, v_left), with_motion(right, -apart, v_right)
    )


@kernel
def speed_against(
    age: float, other_age: float, speed: float, settling_time: float
) -> tuple[float, float]:
    """Split speeds of a foot and the other.

    ``speed`` [m/s] is that of the first against the other; NaN: unknown.

    Ages are those of the contacts [s], negative in the air.
    """
    if age < settling_time and other_age >= settling_time:
        return speed, NAN
    if other_age < settling_time and age >= settling_time:
        return NAN, -speed
    return NAN, NAN


class Integrated(NamedTuple):
    """Motion of one foot within its stance."""

    age: float  # of the contact [s]
    gained: float  # speed gathered since touchdown [m/s]
    steadiness: Steadiness  # of that
    left: float  # time for which the integration is good enough [s]
    position: (
        float  # along the floor [m]; NaN until the foot may be taken for one at rest
    )
    velocity: float  # [m/s]


class FootImuSettings(NamedTuple):
    """Settings of a foot's IMU for the kernel."""

    loads: StanceLoads
    settling_time: float  # [s]
    horizon: float  # [s]
    creep_speed: float  # [m/s]
    slope: float  # [rad]


@kernel
def _acceleration(rotation: Array, specific: Array, slope: float) -> float:
    """Compute the acceleration along the floor [m/s^2].

    It is from the sole's rotation (3, 3) and its accelerometer (3,).
    """
    c = math.cos(slope)
    s = math.sin(slope)
    acceleration = -GRAVITY * s
    for k in range(3):
        acceleration += (c * rotation[0, k] + s * rotation[2, k]) * specific[k]
    return acceleration


@kernel
def _integrated(
    state: Integrated,
    one: FootMeasurement,
    acceleration: float,
    settings: FootImuSettings,
    dt: float,
) -> tuple[Integrated, FootMeasurement]:
    """Integrate one foot."""
    age = stance_age(state.age, one.force_normal, dt, settings.loads)
    if age < 0.0:
        return Integrated(
            age=age,
            gained=0.0,
            steadiness=UNSTEADY,
            left=settings.horizon,
            position=NAN,
            velocity=0.0,
        ), with_motion(one, NAN, NAN)
    gained = state.gained + dt * acceleration
    left = state.left
    steady = steadiness(
        state.steadiness, gained, age > settings.settling_time, settings.creep_speed, dt
    )
    position = state.position + dt * (state.velocity + 0.5 * dt * acceleration)
    velocity = state.velocity + dt * acceleration
    if not math.isnan(position):
        left -= dt
    elif at_rest(steady):
        # the origin is odometry's, so that the foot stays on the map
        position = one.displacement_x
        velocity = 0.0
    foot = (
        with_motion(one, NAN, NAN)
        if math.isnan(position) or left < 0.0
        else with_motion(one, position, velocity)
    )
    return Integrated(
        age=age,
        gained=gained,
        steadiness=steady,
        left=left,
        position=position,
        velocity=velocity,
    ), foot


def by_foot_imus(sole_rotations: Callable[[Array], Array]) -> Source:
    """Make the kernel that integrates each foot's acceleration twice.

    It does so within a stance, from the end of the foot's slide on.

    Zero speed is assumed at one instant, when touchdown has rung off and nothing feels
    a slide. What the foot crept then stays as an error. Its attitude,
    ``sole_rotations`` of the coordinates, comes from the base's and the joints. After
    ``horizon`` seconds motion is not measured any more: drift would hide a slip.
    """

    @kernel(inline="text")
    def integrate(
        state: Pair,
        readings: SensorReadings,
        q: Array,
        v: Array,
        feet: FeetMeasurements,
        settings: FootImuSettings,
        dt: float,
    ) -> tuple[Pair, FeetMeasurements]:
        """Integrate within a stance.

        In the air and late in a stance motion is not measured.
        """
        rotations = sole_rotations(q)
        specific = readings.foot_specific_force_in_sole
        along_left = _acceleration(rotations[:3], specific[0], settings.slope)
        along_right = _acceleration(rotations[3:], specific[1], settings.slope)
        left, first = _integrated(state.left, feet.left, along_left, settings, dt)
        right, second = _integrated(state.right, feet.right, along_right, settings, dt)
        return Pair(left, right), FeetMeasurements(first, second)

    return integrate


def motion_source(
    robot: Robot, config: MotionConfig, floor: FloorConfig
) -> SagittalMotion:
    """Make the source that a configuration names.

    It is its kernel, its state before the first reading, and its settings.
    """
    slope = floor.slope
    loads = stance_loads(robot)
    if config.source == "both_feet":
        parts: tuple[Source, Any, Any] = (
            against_each_other,
            AIRBORNE,
            JointsAlone(loads, config.settling_time),
        )
    elif config.source == "foot_imu":
        still = Integrated(
            age=AIRBORNE,
            gained=0.0,
            steadiness=UNSTEADY,
            left=config.horizon,
            position=NAN,
            velocity=0.0,
        )
        integrate = by_foot_imus(model_functions(robot).sole_rotations)
        settings = FootImuSettings(
            loads=loads,
            settling_time=config.settling_time,
            horizon=config.horizon,
            creep_speed=config.creep_speed,
            slope=slope,
        )
        parts = integrate, still, settings
    elif config.source == "external":
        parts = as_seen_from_outside, UNSEEN, Along(math.cos(slope), math.sin(slope))
    else:
        return odometry_motion(robot, floor)
    kernel_of_source, foot, settings = parts
    return SagittalMotion(robot, floor, kernel_of_source, Pair(foot, foot), settings)
