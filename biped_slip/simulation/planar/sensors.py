# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of the planar biped: encoders, IMUs, forces under the feet, odometry.

A reading is the truth of an instant in the sensors' axes, then errors in this order:
legs that give way between encoders and soles, the force sensors' errors
(``force_sensor.py``), noise, offsets, biases, counts; forces arrive late. IMUs
integrate inside: they say the mean acceleration since the last reading.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from biped_slip.compile.array_kernels import copy_matrix
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings, whole_periods
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.simulation.force_sensor import (
    ForceErrors,
    ForceMemory,
    counted,
    force_errors,
    force_memory,
    sensed_forces,
)
from biped_slip.simulation.planar.physics import PlantState
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import SensorConfig

EPSILON = 1e-9  # [m^2] keeps the angle of a straight leg finite


class PlanarTruth(NamedTuple):
    """What the sensors look at in one instant."""

    state: PlantState
    tick: int  # control periods since the start
    motion: tuple[Array, Array]  # positions (2, 3) and velocities (2, 6) of the soles
    forces: Array  # (2, 2) of the ground on the feet, x and z in the world [N]
    # (nv,) of this instant; looked at in the first reading alone
    acceleration: Array


class SensorState(NamedTuple):
    """Buffers of the sensors, which a reading overwrites."""

    velocities: Array  # (3, 3) of torso, left and right foot at the last reading
    # (latency + 1, 2, 6) wrenches, the last one at ``counts[1]`` modulo their number
    held: Array
    counts: NDArray[np.int64]  # (2,) tick of the last reading or -1, readings so far
    force: ForceMemory


class SensorSettings(NamedTuple):
    """Settings of the simulated sensors for the kernel."""

    root: int  # coordinates of the base
    period_ns: int  # control period
    config: Any  # packed SensorConfig
    offset: Array  # (2, 3) of the force sensors in this run
    bias: Array  # (3, 3) of the accelerometers in this run: torso, left, right foot
    give: Array  # (2,) compliance of the legs along x in this run [m/N]; 0: rigid
    errors: ForceErrors


#: (truth, memory, noise, settings, into) -> readings
Sense = Callable[
    [PlanarTruth, SensorState, Array, SensorSettings, SensorReadings], SensorReadings
]


def noise_count(config: SensorConfig, joints: int) -> int:
    """Return the number of normal deviates that one reading uses."""
    numbers = (
        (config.joint_position_noise, joints),
        (config.joint_velocity_noise, joints),
        (config.gyro_noise, 9),
        (config.accelerometer_noise, 9),
        (config.odometry_noise, 3),
        (config.force_noise + config.force_offset, 6),
        (config.foot_displacement_noise, 6),
    )
    return sum(count for sigma, count in numbers if sigma > 0.0)


@kernel
def blank_readings(joints: int) -> SensorReadings:
    """Allocate readings to be filled."""
    return SensorReadings(
        stamp_ns=0,
        joint_position=np.empty(joints),
        joint_velocity=np.empty(joints),
        orientation_base_in_world=np.zeros(4),
        angular_velocity_in_base=np.zeros(3),
        specific_force_in_base=np.zeros(3),
        position_base_in_odom=np.zeros(3),
        linear_velocity_in_base=np.zeros(3),
        wrench_ground_on_foot_in_sole=np.zeros((2, 6)),
        foot_specific_force_in_sole=np.zeros((2, 3)),
        foot_angular_velocity_in_sole=np.zeros((2, 3)),
        foot_position_in_world=np.zeros((2, 3)),
    )


def true_readings_of(functions: ModelFunctions) -> Callable[..., None]:
    """Make the kernel of ideal sensors; a point foot has no moment."""
    sole_rotations = functions.sole_rotations

    @kernel(inline="text")
    def true_readings(
        root: int, truth: PlanarTruth, accelerations: Array, into: SensorReadings
    ) -> None:
        """Fill all but the stamp, for accelerations in the world.

        ``accelerations`` (3, 3) are those of torso and soles.
        """
        rotations = sole_rotations(truth.state.q)
        joint_readings(root, truth.state, into)
        sole_readings(rotations, truth, accelerations, into)
        base_readings(root, truth.state, accelerations[0], into)

    return true_readings


@kernel
def joint_readings(root: int, state: PlantState, into: SensorReadings) -> None:
    """Fill the encoders' positions and rates (n,).

    Args:
        root: coordinates of the base.
        state: of the plant.
        into: filled.
    """
    for i in range(state.q.shape[0] - root):
        into.joint_position[i] = state.q[root + i]
        into.joint_velocity[i] = state.v[root + i]


@kernel
def sole_readings(
    rotations: Array, truth: PlanarTruth, accelerations: Array, into: SensorReadings
) -> None:
    """Fill forces, specific forces and rates in the soles' axes, and their places.

    Args:
        rotations: (6, 3) of the soles; their columns are the soles' axes in the world.
        truth: of this instant.
        accelerations: (3, 3) of torso and soles.
        into: filled.
    """
    soles, twists = truth.motion
    forces = truth.forces
    for foot in range(2):
        wrench = into.wrench_ground_on_foot_in_sole[foot]
        ax = accelerations[1 + foot, 0]
        ay = accelerations[1 + foot, 1]
        az = accelerations[1 + foot, 2] + GRAVITY
        for axis in range(3):
            x = rotations[3 * foot, axis]
            y = rotations[3 * foot + 1, axis]
            z = rotations[3 * foot + 2, axis]
            wrench[axis] = x * forces[foot, 0] + z * forces[foot, 1]
            wrench[3 + axis] = 0.0  # cross-talk has left one of the reading before
            into.foot_specific_force_in_sole[foot, axis] = x * ax + y * ay + z * az
            into.foot_angular_velocity_in_sole[foot, axis] = (
                x * twists[foot, 3] + y * twists[foot, 4] + z * twists[foot, 5]
            )
            into.foot_position_in_world[foot, axis] = soles[foot, axis]


@kernel
def base_readings(
    root: int, state: PlantState, acceleration: Array, into: SensorReadings
) -> None:
    """Fill attitude, IMU and odometry of the torso, for its acceleration (3,).

    Args:
        root: coordinates of the base.
        state: of the plant.
        acceleration: (3,) in the world [m/s^2].
        into: filled.
    """
    q = state.q
    v = state.v
    pitch = 0.0
    pitch_rate = 0.0
    if root == 3:
        pitch = q[2]
        pitch_rate = v[2]
    c = math.cos(pitch)
    s = math.sin(pitch)
    ax = acceleration[0]
    az = acceleration[2] + GRAVITY
    orientation = into.orientation_base_in_world
    orientation[1] = math.sin(0.5 * pitch)
    orientation[3] = math.cos(0.5 * pitch)
    into.angular_velocity_in_base[0] = 0.0
    into.angular_velocity_in_base[1] = pitch_rate
    into.angular_velocity_in_base[2] = 0.0
    force = into.specific_force_in_base
    force[0] = c * ax - s * az
    force[1] = 0.0
    force[2] = s * ax + c * az
    place = into.position_base_in_odom
    place[0] = q[0]
    place[1] = 0.0
    place[2] = q[1]
    speed = into.linear_velocity_in_base
    speed[0] = c * v[0] - s * v[1]
    speed[2] = s * v[0] + c * v[1]


def leg_give_of(functions: ModelFunctions) -> Callable[..., None]:
    """Make the kernel of compliant legs between encoders and soles."""
    sole_jacobians = functions.sole_jacobians

    @kernel
    def leg_give(
        root: int, q: Array, forces: Array, give: Array, into: SensorReadings
    ) -> None:
        """Shift the joints' readings by the give of the legs.

        The shift is the give (2,) of each leg times the force (2, 2) along x on its
        sole.
        """
        if give[0] == 0.0 and give[1] == 0.0:
            return
        jacobians = sole_jacobians(q)
        for foot in range(2):
            x = jacobians[3 * foot, root:]
            z = jacobians[3 * foot + 2, root:]
            xx = EPSILON
            xz = 0.0
            zz = EPSILON
            for i in range(x.shape[0]):
                xx = xx + x[i] * x[i]
                xz = xz + x[i] * z[i]
                zz = zz + z[i] * z[i]
            moved = -give[foot] * forces[foot, 0] / (xx * zz - xz * xz)
            for i in range(x.shape[0]):
                into.joint_position[i] += moved * (zz * x[i] - xz * z[i])

    return leg_give


@kernel
def add_noise(values: Array, sigma: float, noise: Array, used: int) -> int:
    """Add noise to a vector (n,) of readings, from unused deviates.

    Return how many are used now.

    Args:
        values: (n,).
        sigma: standard deviation.
        noise: deviates of this reading.
        used: how many of them are.
    """
    if sigma == 0.0:
        return used
    for i in range(values.shape[0]):
        values[i] += sigma * noise[used + i]
    return used + values.shape[0]


@kernel
def disturb(readings: SensorReadings, noise: Array, settings: SensorSettings) -> None:
    """Add noise, offsets and biases to true readings, and round them to counts.

    Args:
        readings: of one instant, disturbed.
        noise: deviates of this reading.
        settings: of the sensors.
    """
    used = add_joint_and_base_noise(readings, noise, settings)
    add_foot_noise(readings, noise, settings, used)
    add_biases(readings, settings.bias)
    round_to_counts(readings, settings)


@kernel
def add_joint_and_base_noise(
    readings: SensorReadings, noise: Array, settings: SensorSettings
) -> int:
    """Add noise to encoders, torso IMU and odometry; return the deviates used.

    Args:
        readings: disturbed.
        noise: deviates of this reading.
        settings: of the sensors.
    """
    config = settings.config
    used = add_noise(readings.joint_position, config.joint_position_noise, noise, 0)
    used = add_noise(readings.joint_velocity, config.joint_velocity_noise, noise, used)
    used = add_noise(readings.angular_velocity_in_base, config.gyro_noise, noise, used)
    used = add_noise(
        readings.specific_force_in_base, config.accelerometer_noise, noise, used
    )
    return add_noise(readings.position_base_in_odom, config.odometry_noise, noise, used)


@kernel
def add_foot_noise(
    readings: SensorReadings, noise: Array, settings: SensorSettings, used: int
) -> None:
    """Add noise to forces, with their offsets, and to IMUs and places of the feet.

    Args:
        readings: disturbed.
        noise: deviates of this reading.
        settings: of the sensors.
        used: how many deviates are.
    """
    config = settings.config
    wrenches = readings.wrench_ground_on_foot_in_sole
    if config.force_noise > 0.0 or config.force_offset > 0.0:
        for foot in range(2):
            for axis in range(3):
                wrenches[foot, axis] += (
                    settings.offset[foot, axis] + config.force_noise * noise[used]
                )
                used += 1
    sigma = config.accelerometer_noise
    for foot in range(2):
        forces = readings.foot_specific_force_in_sole[foot]
        used = add_noise(forces, sigma, noise, used)
    for foot in range(2):
        rates = readings.foot_angular_velocity_in_sole[foot]
        used = add_noise(rates, config.gyro_noise, noise, used)
    for foot in range(2):
        places = readings.foot_position_in_world[foot]
        used = add_noise(places, config.foot_displacement_noise, noise, used)


@kernel
def add_biases(readings: SensorReadings, bias: Array) -> None:
    """Add the biases (3, 3) of the accelerometers of torso and feet."""
    for axis in range(3):
        readings.specific_force_in_base[axis] += bias[0, axis]
        for foot in range(2):
            readings.foot_specific_force_in_sole[foot, axis] += bias[1 + foot, axis]


@kernel
def round_to_counts(readings: SensorReadings, settings: SensorSettings) -> None:
    """Round forces, cut off at their range, and positions to counts."""
    wrenches = readings.wrench_ground_on_foot_in_sole
    if not settings.errors.exact:
        for foot in range(2):
            for axis in range(6):
                largest = settings.errors.largest[axis]
                count = settings.errors.resolution[axis]
                wrenches[foot, axis] = counted(wrenches[foot, axis], largest, count)
    resolution = settings.config.joint_position_resolution
    if resolution > 0.0:
        for i in range(readings.joint_position.shape[0]):
            position = readings.joint_position[i]
            readings.joint_position[i] = counted(position, math.inf, resolution)


@kernel
def delay(memory: SensorState, wrenches: Array) -> None:
    """Delay the wrenches by the sensors' delay.

    At first the oldest ones are returned.
    """
    ages = memory.held.shape[0]
    readings = memory.counts[1]
    copy_matrix(wrenches, memory.held[readings % ages])
    memory.counts[1] = readings + 1
    copy_matrix(memory.held[(readings + 1) % ages if readings >= ages else 0], wrenches)


def mean_accelerations_of(functions: ModelFunctions) -> Callable[..., Array]:
    """Make the kernel of mean accelerations (3, 3) since the last reading.

    They are of torso and soles; at the first reading, those of the instant are taken.

    IMUs that integrate inside say the mean: what happens between two readings is not
    lost.
    """
    sole_drift = functions.sole_drift
    sole_jacobians = functions.sole_jacobians

    @kernel(inline="text")
    def mean_accelerations(
        truth: PlanarTruth, memory: SensorState, settings: SensorSettings
    ) -> Array:
        state = truth.state
        tick = truth.tick
        now = truth.acceleration
        _, twists = truth.motion
        velocities = np.zeros((3, 3))
        mean = np.zeros((3, 3))
        velocities[0, 0] = state.v[0]
        velocities[0, 2] = state.v[1]
        for foot in range(2):
            for axis in range(3):
                velocities[1 + foot, axis] = twists[foot, axis]
        ticks = tick - memory.counts[0]
        if memory.counts[0] < 0 or ticks <= 0:
            drift = sole_drift(state.q, state.v)
            jacobian = sole_jacobians(state.q)
            mean[0, 0] = now[0]
            mean[0, 2] = now[1]
            for foot in range(2):
                for axis in range(3):
                    mean[1 + foot, axis] = drift[foot, axis]
                    for k in range(now.shape[0]):
                        mean[1 + foot, axis] += jacobian[3 * foot + axis, k] * now[k]
        else:
            time = 1e-9 * settings.period_ns * ticks
            for body in range(3):
                for axis in range(3):
                    mean[body, axis] = (
                        velocities[body, axis] - memory.velocities[body, axis]
                    ) / time
        copy_matrix(velocities, memory.velocities)
        memory.counts[0] = tick
        return mean

    return mean_accelerations


def sense_of(functions: ModelFunctions) -> Sense:
    """Make the kernel of one instant's readings: ideal sensors with noise and delay."""
    mean_accelerations = mean_accelerations_of(functions)
    true_readings = true_readings_of(functions)
    leg_give = leg_give_of(functions)

    @kernel(inline="text")
    def sense(
        truth: PlanarTruth,
        memory: SensorState,
        noise: Array,
        settings: SensorSettings,
        into: SensorReadings,
    ) -> SensorReadings:
        """Read one instant into the arrays of ``into``.

        Args:
            truth: of the instant.
            memory: overwritten.
            noise: as many independent normal deviates as :func:`noise_count` says.
            settings: of the sensors.
            into: overwritten.
        """
        tick = truth.tick
        accelerations = mean_accelerations(truth, memory, settings)
        true_readings(settings.root, truth, accelerations, into)
        leg_give(settings.root, truth.state.q, truth.forces, settings.give, into)
        if not settings.errors.exact:
            time = 1e-9 * settings.period_ns * tick
            sensed_forces(
                into.wrench_ground_on_foot_in_sole, settings.errors, memory.force, time
            )
        disturb(into, noise, settings)
        delay(memory, into.wrench_ground_on_foot_in_sole)
        return SensorReadings(
            stamp_ns=tick * settings.period_ns,
            joint_position=into.joint_position,
            joint_velocity=into.joint_velocity,
            orientation_base_in_world=into.orientation_base_in_world,
            angular_velocity_in_base=into.angular_velocity_in_base,
            specific_force_in_base=into.specific_force_in_base,
            position_base_in_odom=into.position_base_in_odom,
            linear_velocity_in_base=into.linear_velocity_in_base,
            wrench_ground_on_foot_in_sole=into.wrench_ground_on_foot_in_sole,
            foot_specific_force_in_sole=into.foot_specific_force_in_sole,
            foot_angular_velocity_in_sole=into.foot_angular_velocity_in_sole,
            foot_position_in_world=into.foot_position_in_world,
        )

    return sense


class Sensors:
    """Sensors of a planar plant; randomness comes from the given generator."""

    def __init__(self, plant: Plant, config: SensorConfig, rng: Generator) -> None:
        self._plant = plant
        self._rng = rng
        robot = plant.robot
        self.kernel = sense_of(model_functions(robot))
        self._sense = OfOneType(self.kernel)
        offset = config.force_offset * rng.uniform(-1.0, 1.0, (2, 3))
        bias = np.zeros((3, 3))
        if config.accelerometer_bias > 0.0:
            bias = config.accelerometer_bias * rng.standard_normal((3, 3))
        give = np.zeros(2)
        if config.leg_stiffness > 0.0:
            give = (
                1.0 + config.leg_spread * rng.standard_normal(2)
            ) / config.leg_stiffness
        period = plant.config.control_period_ns
        drawn = rng.spawn(1)[0]
        errors = force_errors(
            config.force_errors, robot.mass * GRAVITY, 1e-9 * period, drawn
        )
        self.settings = SensorSettings(
            root=robot.root_size,
            period_ns=period,
            config=config.packed,
            offset=offset,
            bias=bias,
            give=give,
            errors=errors,
        )
        held = np.zeros((whole_periods(config.force_latency, 1e-9 * period) + 1, 2, 6))
        self.memory = SensorState(
            velocities=np.zeros((3, 3)),
            held=held,
            counts=np.array([-1, 0]),
            force=force_memory(),
        )
        self._noise_count = noise_count(config, len(robot.joints))

    def noise(self, readings: int) -> Array:
        """Draw normal deviates for a number of readings (readings, count)."""
        return self._rng.standard_normal((readings, self._noise_count))

    def read(self) -> SensorReadings:
        """Read all sensors at this instant."""
        plant = self._plant
        first = self.memory.counts[0] < 0 or plant.ticks <= self.memory.counts[0]
        truth = PlanarTruth(
            state=plant.state,
            tick=plant.ticks,
            motion=plant.motion(plant.state.q, plant.state.v),
            forces=plant.contact().force,
            acceleration=plant.acceleration() if first else plant.state.v,
        )
        return self._sense(
            truth,
            self.memory,
            self.noise(1)[0],
            self.settings,
            blank_readings(len(plant.robot.joints)),
        )
