# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pose and velocity of a floating base from IMU, leg kinematics and contact.

The IMU is integrated from sample to sample; a foot on the floor stands still, so the
legs say where the base is from there [Hartley2020] (``invariant_filter.py`` has the
equations). This file decides what standing still means: the place d of a foot in
contact is a random walk, whose density tells how much the foot is believed::

    load   ____|~~~~~~~~~~~~~~~~~~~~~|____       of one foot
    walk       | slide | creep | slide |         lands, holds, slips or lifts off

With each touchdown place and heading are counted anew: nothing observes them, and their
doubts would grow for ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import copy_matrix, copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.invariant_filter import (
    ACCELEROMETER,
    ERROR_STATES,
    FEET_STATES,
    GYRO,
    POSITION_STATES,
    ROTATION,
    VELOCITY_STATES,
    BaseState,
    ImuNoise,
    correct,
    forget_place,
    lift_off,
    orthonormal,
    propagate,
    quaternion_of,
    rotation_of,
    skew,
    touch_down,
    turned_back,
)
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot


@configuration
class ContactNoiseConfig(Configuration):
    """Noise of a foot in contact: a random walk of its place."""

    creep: float = parameter(
        1e-3,
        unit="m/sqrt(s)",
        above=0.0,
        high=1.0,
        doc="of a loaded foot that holds: presliding and the sole's give (choice)",
    )
    slide: float = parameter(
        0.3,
        unit="m/sqrt(s)",
        above=0.0,
        high=10.0,
        doc="of a foot that slips: 1 m/s for a tenth of a second (choice)",
    )
    full_share: float = parameter(
        0.25,
        above=0.0,
        high=1.0,
        doc="of body weight on a foot from which it holds as well as it ever does "
        "(choice)",
    )
    on_share: float = parameter(
        0.10, above=0.0, below=1.0, doc="of body weight that begins a contact (choice)"
    )
    off_share: float = parameter(
        0.05, above=0.0, below=1.0, doc="of body weight below which it ends (choice)"
    )
    margin: float = parameter(
        0.9,
        above=0.0,
        high=1.0,
        doc="force ratio over mu_low, once usable, from which a foot counts as about "
        "to slip",
    )
    settling_time: float = parameter(
        0.03,
        unit="s",
        low=0.0,
        high=0.5,
        doc="after touchdown, while the sole rolls and rings, it slides (choice)",
    )

    def check(self) -> None:
        """Check hysteresis, and that a sliding foot moves more than a holding one."""
        if self.off_share >= self.on_share:
            raise InvalidParameter(
                "ContactNoiseConfig.off_share",
                self.off_share,
                f"below on_share, {self.on_share:g}",
            )
        if self.slide < self.creep:
            raise InvalidParameter(
                "ContactNoiseConfig.slide",
                self.slide,
                f"at least creep, {self.creep:g} m/sqrt(s)",
            )


@configuration
class FloatingBaseConfig(Configuration):
    """Noise of IMU and legs; densities per square root of hertz."""

    gyro_density: float = parameter(
        1.7e-4,
        unit="rad/s/sqrt(Hz)",
        above=0.0,
        high=1.0,
        doc="0.01 deg/s/sqrt(Hz), a MEMS gyro (choice)",
    )
    accelerometer_density: float = parameter(
        1e-3,
        unit="m/s^2/sqrt(Hz)",
        above=0.0,
        high=10.0,
        source="study 2: I1",
        doc="white noise",
    )
    gyro_bias_walk: float = parameter(
        1e-5,
        unit="rad/s/sqrt(s)",
        low=0.0,
        high=1.0,
        doc="of the gyro's bias (choice: MEMS)",
    )
    accelerometer_bias_walk: float = parameter(
        1e-4,
        unit="m/s^2/sqrt(s)",
        low=0.0,
        high=1.0,
        doc="of the accelerometer's bias (choice: MEMS)",
    )
    start_time: float = parameter(
        0.2,
        unit="s",
        low=0.0,
        high=10.0,
        doc="of standing still: gives tilt and gyro bias about the vertical (choice)",
    )
    start_tilt: float = parameter(
        0.02, unit="rad", above=0.0, high=1.0, doc="sd of roll and pitch at the start"
    )
    start_yaw: float = parameter(
        1e-3, unit="rad", above=0.0, high=3.2, doc="sd of yaw, which nothing observes"
    )
    start_velocity: float = parameter(
        0.05, unit="m/s", above=0.0, high=10.0, doc="sd of the velocity at the start"
    )
    start_position: float = parameter(
        1e-3, unit="m", above=0.0, high=10.0, doc="sd of the place: the world's origin"
    )
    start_gyro_bias: float = parameter(
        5e-3, unit="rad/s", above=0.0, high=1.0, doc="sd of the gyro's bias"
    )
    start_accelerometer_bias: float = parameter(
        0.05,
        unit="m/s^2",
        above=0.0,
        high=10.0,
        doc="sd of the accelerometer's bias (0.02 in study 2, and mounting)",
    )
    kinematics: float = parameter(
        1e-3,
        unit="m",
        above=0.0,
        high=0.1,
        doc="rms of a foot's place against the base: encoders, give of the leg",
    )
    force_age: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.05,
        doc="by which force/torque sensors in the ankles lag the feet's IMUs",
    )
    force_lag: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="time constant of those sensors' low pass: what a foot's inertia takes "
        "must have passed the same one",
    )
    contact: ContactNoiseConfig = section(ContactNoiseConfig)


NEVER = -1.0


@kernel
def contact_step(
    age: float,
    normal: float,
    weight: float,
    slipping: bool,
    share: float,
    config: ContactNoiseConfig,
    dt: float,
) -> tuple[float, float]:
    r"""Update the contact's age [s] and the foot's random walk by one sample.

    The random walk [m/sqrt(s)] is that of the foot's place.

    A foot is believed less to stay where it is when it is lightly loaded, near its
    limit or known to slip:

    .. math::

       \sigma = \max(\text{creep},\ \text{creep}\,(f F_g / F_n)^2)\ \text{up to slide}

    with f = full_share; ``slide`` while the foot slips, settles, or uses more than
    ``margin`` of its friction. A force that is NaN is no contact.

    Args:
        age: before, negative in the air.
        normal: force of the ground along its normal [N].
        weight: of the robot [N].
        slipping: as friction estimation says.
        share: force ratio over what friction allows; NaN or negative where that is not
            known.
        config: packed ContactNoiseConfig.
        dt: time since the sample before [s].
    """
    if age < 0.0:
        if not normal > config.on_share * weight:
            return NEVER, config.slide
        age = 0.0
    elif not normal >= config.off_share * weight:
        return NEVER, config.slide
    else:
        age += dt
    if slipping or age < config.settling_time or share > config.margin:
        return age, config.slide
    light = config.full_share * weight / normal
    return age, min(config.creep * max(1.0, light * light), config.slide)


@kernel
def share_of_limit(estimate: FrictionEstimate) -> float:
    """Compute the force ratio over the certified friction.

    It is negative while the estimate is not usable.
    """
    if not estimate.usable or not estimate.mu_low > 0.0:
        return -1.0
    return estimate.force_ratio / estimate.mu_low


class Legs(NamedTuple):
    """Leg kinematics of both feet."""

    places: Array  # (2, 3) of the contact points in the base [m]
    # (2, 3, 3) their covariance there [m^2]: J Sigma J^T of the joints, and the give of
    # the leg
    spreads: Array


class FloatingBase(NamedTuple):
    """Estimate: pose and velocity of the base, as ``SensorReadings`` states them."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    position_base_in_world: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]
    angular_velocity_in_base: Array  # (3,) [rad/s], without bias
    velocity_sd: Array  # (3,) in the world [m/s]


class FilterState(NamedTuple):
    """State between two samples."""

    base: BaseState
    ages: Array  # (2,) of the contacts [s], negative in the air
    # (3,) from which the base's and the feet's places are counted: the base at the last
    # touchdown [m]
    origin: Array


class ContactInputs(NamedTuple):
    """Contact inputs of both feet, each (2,)."""

    normal: Array  # force of the ground along the floor's normal [N]
    slipping: Any  # bool
    share_of_limit: Array  # of the friction that is certified; negative: not known


class FilterSettings(NamedTuple):
    """Settings that do not change from sample to sample."""

    weight: float  # of the robot [N]
    noise: ImuNoise
    contact: Any  # packed ContactNoiseConfig


class MeanImu(NamedTuple):
    """Reading of the base's IMU, mean since the sample before."""

    angular_velocity: Array  # (3,) [rad/s]
    specific_force: Array  # (3,) [m/s^2]


@kernel
def filter_step(
    state: FilterState,
    imu: MeanImu,
    legs: Legs,
    contacts: ContactInputs,
    settings: FilterSettings,
    dt: float,
) -> FilterState:
    """Update the filter by one sample ([Hartley2020], section 5).

    The IMU propagates, feet in contact correct.

    Args:
        state: base, contacts and origin before the sample.
        imu: of the base.
        legs: places of the soles in the base and their covariances.
        contacts: normal force, slip and used share of friction of both feet.
        settings: weight of the robot and noise.
        dt: time since the sample before [s].
    """
    walk = np.empty(2)
    ages = np.empty(2)
    for foot in range(2):
        ages[foot], walk[foot] = contact_step(
            state.ages[foot],
            contacts.normal[foot],
            settings.weight,
            contacts.slipping[foot],
            contacts.share_of_limit[foot],
            settings.contact,
            dt,
        )
    base = propagate(
        state.base, imu.angular_velocity, imu.specific_force, walk, settings.noise, dt
    )
    for foot in range(2):
        if ages[foot] < 0.0:
            if base.in_contact[foot]:
                base = lift_off(base, foot)
        elif base.in_contact[foot]:
            base = correct(base, foot, legs.places[foot], legs.spreads[foot])
        else:
            base = touch_down(base, foot, legs.places[foot], legs.spreads[foot])
    return FilterState(base, ages, state.origin)


@kernel
def step_in_place(
    state: FilterState,
    found: FloatingBase,
    imu: MeanImu,
    legs: Legs,
    normal: Array,
    friction: tuple[FrictionEstimate, FrictionEstimate],
    settings: FilterSettings,
    dt: float,
) -> None:
    """Update the filter by :func:`filter_step` in the arrays of ``state`` and ``base``.

    With each touchdown the place and the heading so far become the ones that are
    counted from.

    Args:
        state: filter's arrays, overwritten.
        found: estimate, overwritten.
        imu: of the base.
        legs: places of the soles in the base and their covariances.
        normal: (2,) force of the ground on each foot along the floor's normal [N].
        friction: the last estimates under both feet.
        settings: weight of the robot and noise.
        dt: time since the sample before [s].
    """
    slipping = np.empty(2, dtype=np.bool_)
    share = np.empty(2)
    slipping[0], slipping[1] = friction[0].slipping, friction[1].slipping
    share[0], share[1] = share_of_limit(friction[0]), share_of_limit(friction[1])
    contacts = ContactInputs(normal, slipping, share)
    moved = filter_step(state, imu, legs, contacts, settings, dt)
    new = moved.base
    base = state.base
    if (new.in_contact[0] and not base.in_contact[0]) or (
        new.in_contact[1] and not base.in_contact[1]
    ):
        new, way = forget_place(new)
        for i in range(3):
            state.origin[i] += way[i]
    copy_matrix(orthonormal(new.rotation), base.rotation)
    copy_vector(new.velocity, base.velocity, 0)
    copy_vector(new.position, base.position, 0)
    copy_matrix(new.feet, base.feet)
    copy_vector(new.gyro_bias, base.gyro_bias, 0)
    copy_vector(new.accelerometer_bias, base.accelerometer_bias, 0)
    copy_matrix(new.covariance, base.covariance)
    for foot in range(2):
        base.in_contact[foot], state.ages[foot] = new.in_contact[foot], moved.ages[foot]
    answer(state, imu.angular_velocity, found)


@kernel
def answer(state: FilterState, angular_velocity: Array, found: FloatingBase) -> None:
    """Write the estimate of a filter state into a base's arrays."""
    base = state.base
    copy_vector(quaternion_of(base.rotation), found.orientation_base_in_world, 0)
    copy_vector(
        turned_back(base.rotation, base.velocity), found.linear_velocity_in_base, 0
    )
    for i in range(3):
        found.position_base_in_world[i] = state.origin[i] + base.position[i]
        found.angular_velocity_in_base[i] = angular_velocity[i] - base.gyro_bias[i]
        found.velocity_sd[i] = (
            max(base.covariance[VELOCITY_STATES + i, VELOCITY_STATES + i], 0.0) ** 0.5
        )


def new_answer() -> FloatingBase:
    """Allocate an estimate."""
    return FloatingBase(
        orientation_base_in_world=np.empty(4),
        position_base_in_world=np.empty(3),
        linear_velocity_in_base=np.empty(3),
        angular_velocity_in_base=np.empty(3),
        velocity_sd=np.empty(3),
    )


class FloatingBaseEstimator:
    """Estimator with the filter's state.

    The world begins at the base at the first sample, heading as its IMU.

    Args:
        weight: of the robot [N].
        config: noise of sensors and contacts.

    Attributes:
        settings: weight and noise for kernels.
        state: which each step overwrites; None before the first sample.
    """

    def __init__(self, weight: float, config: FloatingBaseConfig | None = None) -> None:
        if not 0.0 < weight < np.inf:
            raise InvalidParameter(
                "weight", weight, "finite and > 0 [N]", "mass times 9.81"
            )
        self.config = config or FloatingBaseConfig()
        noise = ImuNoise(
            self.config.gyro_density,
            self.config.accelerometer_density,
            self.config.gyro_bias_walk,
            self.config.accelerometer_bias_walk,
        )
        self.settings = FilterSettings(
            weight=float(weight), noise=noise, contact=self.config.contact.packed
        )
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self.state: FilterState | None = None
        self._stamp_ns = 0

    def begin(self, readings: SensorReadings, spin: float = np.inf) -> FloatingBase:
        """Begin at the first sample: place of the base, and its IMU.

        Odometry may say 0 for the place; ``spin`` is as of ``start``.
        """
        self.state = start(readings, self.config, spin)
        self._stamp_ns = readings.stamp_ns
        found = new_answer()
        answer(self.state, readings.angular_velocity_in_base, found)
        return found

    def elapsed(self, stamp_ns: int) -> float:
        """Return the time [s] since the last sample, and store this stamp."""
        dt = 1e-9 * (stamp_ns - self._stamp_ns)
        if dt <= 0.0:
            raise InvalidParameter(
                "stamp_ns", stamp_ns, f"after the last sample's, {self._stamp_ns} ns"
            )
        self._stamp_ns = stamp_ns
        return dt

    def step(
        self,
        readings: SensorReadings,
        legs: Legs,
        normal: Array,
        friction: tuple[FrictionEstimate, FrictionEstimate] = (
            NO_ESTIMATE,
            NO_ESTIMATE,
        ),
    ) -> FloatingBase:
        """Update the filter by one sample.

        Args:
            readings: IMU and stamp; at the first sample also where the base is
                (odometry may say 0).
            legs: feet by joints.
            normal: (2,) force of the ground on each foot along the floor's normal [N].
            friction: the last estimates under both feet: a slipping foot is believed
                less.
        """
        if self.state is None:
            return self.begin(readings)
        found = new_answer()
        dt = self.elapsed(readings.stamp_ns)
        step_in_place(
            self.state,
            found,
            MeanImu(
                contiguous(readings.angular_velocity_in_base),
                contiguous(readings.specific_force_in_base),
            ),
            Legs(contiguous(legs.places), contiguous(legs.spreads)),
            contiguous(normal),
            friction,
            self.settings,
            dt,
        )
        return found


def contiguous(values: Array) -> Array:
    """Convert numbers to a contiguous array for the compiled step."""
    return np.ascontiguousarray(values, dtype=float)


def start(
    readings: SensorReadings, config: FloatingBaseConfig, spin: float = np.inf
) -> FilterState:
    """Initialise the filter: feet in the air, base from the readings.

    The covariances are from the configuration.

    ``spin`` is the gyroscope's mean about the vertical [rad/s] over ``start_time`` of
    standing still: its bias there, which later only feet that twist a little under
    their load would tell. More than 4 sd of it is a turn.
    """
    rotation = rotation_of(readings.orientation_base_in_world)
    position = readings.position_base_in_odom.astype(float)
    velocity = rotation @ readings.linear_velocity_in_base
    covariance = start_covariance(position, velocity, config)
    gyro_bias, less = start_bias(rotation[2], spin, config)
    covariance[GYRO : GYRO + 3, GYRO : GYRO + 3] -= less
    base = BaseState(
        rotation=rotation,
        velocity=velocity,
        position=position,
        feet=np.tile(position, (2, 1)),
        gyro_bias=gyro_bias,
        accelerometer_bias=np.zeros(3),
        covariance=covariance,
        in_contact=np.zeros(2, dtype=np.bool_),
    )
    return FilterState(base, np.full(2, -1.0), np.zeros(3))


def start_covariance(
    position: Array, velocity: Array, config: FloatingBaseConfig
) -> Array:
    """Compute the covariance (SIZE, SIZE) at the first sample.

    Doubts about velocity (3,) and position (3,) are about themselves, not about the
    world turned with the tilt.
    """
    covariance = np.zeros((ERROR_STATES, ERROR_STATES))
    tilt = np.array([config.start_tilt, config.start_tilt, config.start_yaw])
    place = config.start_position
    blocks = (
        (ROTATION, tilt),
        (VELOCITY_STATES, config.start_velocity),
        (POSITION_STATES, place),
        (FEET_STATES, place),
        (FEET_STATES + 3, place),
        (GYRO, config.start_gyro_bias),
        (ACCELEROMETER, config.start_accelerometer_bias),
    )
    for first, sd in blocks:
        covariance[range(first, first + 3), range(first, first + 3)] = np.square(sd)
    tilted = np.eye(ERROR_STATES)
    for first, arm in (
        (VELOCITY_STATES, velocity),
        (POSITION_STATES, position),
        (FEET_STATES, position),
        (FEET_STATES + 3, position),
    ):
        tilted[first : first + 3, :3] = skew(arm)
    turned_covariance: Array = tilted @ covariance @ tilted.T
    return turned_covariance


def start_bias(
    up: Array, spin: float, config: FloatingBaseConfig
) -> tuple[Array, Array]:
    """Compute the gyroscope's bias (3,) at the first sample [rad/s].

    Args:
        up: vertical (3,) in the base.
        spin: mean about it while the robot stood still [rad/s].
        config: noise, and for how long it stood.

    Returns:
        Bias, and what its covariance (3, 3) is less for it.
    """
    bias = np.zeros(3)
    less = np.zeros((3, 3))
    noise = config.gyro_density / max(config.start_time, 1e-3) ** 0.5
    prior = config.start_gyro_bias
    if config.start_time > 0.0 and abs(spin) < 4.0 * np.hypot(noise, prior):
        share = prior**2 / (noise**2 + prior**2)
        bias[:] = share * spin * up
        less[:] = share * prior**2 * np.outer(up, up)
    return bias, less


class SagittalBase:
    """Filter of humanoids with the planar model's legs.

    It is for sagittal robots without odometry.

    The world begins under the base, on the floor that the lower sole stands on. The
    filter believes a loaded foot to creep like a random walk, so its odometry carries
    little of what a foot does before it slips: let friction be estimated from
    ``both_feet``, not from this.

    Args:
        robot: sagittal; its IMU sits in the base and gives the orientation.
        config: noise of IMU, legs and contacts.
    """

    def __init__(self, robot: Robot, config: FloatingBaseConfig | None = None) -> None:
        config = config or FloatingBaseConfig()
        self._root = robot.root_size
        self._functions = model_functions(robot)
        self._filter = FloatingBaseEstimator(robot.mass * GRAVITY, config)
        self._spreads = np.tile(config.kinematics**2 * np.eye(3), (2, 1, 1))

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._filter.reset()

    def step(
        self,
        readings: SensorReadings,
        friction: tuple[FrictionEstimate, FrictionEstimate] = (
            NO_ESTIMATE,
            NO_ESTIMATE,
        ),
    ) -> FloatingBase:
        """Update the filter by one reading, whose base position is ignored.

        Args:
            readings: joints, IMU and wrenches.
            friction: the last estimates under both feet: a slipping foot is believed
                less.
        """
        still = np.zeros(self._root)
        q, v = (
            np.concatenate((still, joints))
            for joints in (readings.joint_position, readings.joint_velocity)
        )
        # in the base, which stands at the origin of q
        places, motion = self._functions.sole_motion(q, v)
        turn = rotation_of(readings.orientation_base_in_world)
        soles = self._functions.sole_rotations(q)
        if self._filter.state is None:
            return self._filter.begin(
                self._standing(readings, turn, places, motion[:, :3])
            )
        wrench = readings.wrench_ground_on_foot_in_sole
        loads = np.array(
            [
                turn[2] @ (soles[3 * foot : 3 * foot + 3] @ wrench[foot, :3])
                for foot in range(2)
            ]
        )
        return self._filter.step(readings, Legs(places, self._spreads), loads, friction)

    def _standing(
        self, readings: SensorReadings, turn: Array, places: Array, speeds: Array
    ) -> SensorReadings:
        """Return the first reading with the base over its lower sole.

        That sole does not move.
        """
        heights = places @ turn[2]
        lower = int(np.argmin(heights))
        speed = -speeds[lower] - np.cross(
            readings.angular_velocity_in_base, places[lower]
        )
        place = np.array([0.0, 0.0, -heights[lower]])
        return readings._replace(
            position_base_in_odom=place, linear_velocity_in_base=speed
        )
