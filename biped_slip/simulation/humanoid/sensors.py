# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of a humanoid, and compliant legs between encoders and soles.

Each sensor is a channel: true numbers, a bias of the run, noise of each sample, counts,
a rate and an age. Channels are read together once per control period, and draw their
noise in a fixed order. Errors of forces (``force_sensor.py``) come before the noise.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.random import Generator
from numpy.typing import NDArray

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.estimation.readings import RawReadings, SensorReadings, whole_periods
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.sensor_config import (
    DeliveryConfig,
    EncoderConfig,
    FloatingSensorConfig,
    FootPositionConfig,
    ForceTorqueConfig,
    ImuConfig,
    MotorTorqueConfig,
)
from biped_slip.simulation.force_sensor import (
    ForceErrors,
    ForceMemory,
    counted,
    force_errors,
    force_memory,
    rotation,
    sensed_forces,
)
from biped_slip.simulation.humanoid.plant import (
    FloatingPlant,
    FloatingState,
    Truth,
    specific_force,
)

# Legs that give way along the floor between their encoders and their soles, as no
# encoder sees.

# of the smallest joint angles that explain a motion: keeps that of a straight leg
# finite
LEG_DAMPING = 1e-6


class LegGive:
    """Error of the encoders by the legs' compliance.

    It is for the force of the ground on each sole.
    """

    def __init__(
        self, humanoid: Humanoid, config: EncoderConfig, rng: Generator
    ) -> None:
        self._model = humanoid.model
        self._data = humanoid.model.createData()
        self._frames = [self._model.getFrameId(one) for one in humanoid.robot.soles]
        self.compliance = (
            np.maximum(1.0 + config.leg_spread * rng.standard_normal(2), 0.0)
            / config.leg_stiffness
        )
        self._give = OfOneType(leg_give)

    def shown(self, q: Array, forces: Array) -> Array:
        """Compute the error (n,) of the joint readings [rad] by the legs' compliance.

        Args:
            q: coordinates (nq,).
            forces: (2, 3) of the ground on the soles, in the world [N].
        """
        pin.computeJointJacobians(self._model, self._data, q)
        left, right = (
            pin.getFrameJacobian(
                self._model, self._data, frame, pin.LOCAL_WORLD_ALIGNED
            )
            for frame in self._frames
        )
        error: Array = self._give(left, right, self.compliance, forces)
        return error


@kernel
def leg_give(left: Array, right: Array, compliance: Array, forces: Array) -> Array:
    """Compute the error (n,) of the joint readings [rad] by both legs' compliance.

    Args:
        left: Jacobian (6, 6 + n) of the left sole, in the world's axes.
        right: likewise of the right one.
        compliance: of both legs (2,) [m/N].
        forces: (2, 3) of the ground on the soles, in the world [N].
    """
    error = np.zeros(left.shape[1] - 6)
    add_give(left, compliance[0], forces[0], error)
    add_give(right, compliance[1], forces[1], error)
    return error


@kernel
def add_give(jacobian: Array, compliance: float, force: Array, error: Array) -> None:
    """Add the least change of the joints that moves a sole as its leg gives way.

    It is ``J^T (J J^T + d 1)^-1 m`` for the motion m along the floor (damped least
    squares).

    Args:
        jacobian: of the sole (6, 6 + n), in the world's axes.
        compliance: of the leg [m/N].
        force: of the ground on the sole (3,), in the world [N].
        error: of the joints (n,) [rad], added to.
    """
    square = np.zeros((6, 6))
    for k in range(6, jacobian.shape[1]):
        for i in range(6):
            for j in range(i + 1):
                square[i, j] += jacobian[i, k] * jacobian[j, k]
    for i in range(6):
        square[i, i] += LEG_DAMPING
        for j in range(i):
            square[j, i] = square[i, j]
    moved = np.zeros(6)
    moved[0] = -compliance * force[0]
    moved[1] = -compliance * force[1]
    pull = np.linalg.solve(square, moved)
    for k in range(error.shape[0]):
        for i in range(6):
            error[k] += jacobian[i, 6 + k] * pull[i]


def ideal_readings(plant: FloatingPlant, truth: Truth) -> SensorReadings:
    """Compute readings without error, of sensors in the base and in the soles."""
    q = plant.state.q
    v = plant.state.v
    soles = truth.soles
    # (Rᵀ f)ᵀ = fᵀ R
    wrenches = np.matmul(soles.wrench.reshape(2, 2, 3), soles.rotation)
    return SensorReadings(
        stamp_ns=plant.stamp_ns,
        joint_position=q[7:].copy(),
        joint_velocity=v[6:].copy(),
        orientation_base_in_world=q[3:7].copy(),
        angular_velocity_in_base=v[3:6].copy(),
        specific_force_in_base=specific_force(q, v, truth.acceleration),
        position_base_in_odom=q[:3].copy(),
        linear_velocity_in_base=v[:3].copy(),
        wrench_ground_on_foot_in_sole=wrenches.reshape(2, 6),
    )


# of a motor's torque limit that lies firmly on one flank of its gear's play (choice)
FIRM_SHARE = 0.01


class GearGive(NamedTuple):
    """Error of encoders that sit before the gears, by twist and play.

    A motor of the torque tau twists a gear of the stiffness k, and lies on one flank of
    its play b. Its encoder shows the joint's angle and

        tau / k + b/2 min(max(tau / tau_f, -1), 1)

    with the torque tau_f that lies firmly. The motor's own inertia crosses the play at
    once.
    """

    compliance: float  # 1/k [rad/(N m)]
    play: float  # b/2 [rad]
    firm: Array  # tau_f (n,) [N m]
    rigid: bool  # neither twists nor plays


def gear_give(efforts: Array, config: EncoderConfig) -> GearGive:
    """Make the give of gears.

    Args:
        efforts: torque limits (n,) [N m].
        config: stiffness and play.
    """
    stiffness = config.gear_stiffness
    compliance = 1.0 / stiffness if stiffness > 0.0 else 0.0
    play = 0.5 * config.backlash
    return GearGive(
        compliance=compliance,
        play=play,
        firm=FIRM_SHARE * efforts,
        rigid=compliance == 0.0 and play == 0.0,
    )


class Channel:
    """Sensor with its bias of the run, noise of each sample, age and rate.

    Args:
        noise: standard deviation of each number, in the shape of a sample.
        bias: half width of the uniform distribution that each number's bias is drawn
            from.
        delivery: when samples arrive.
        rng: where the bias comes from.
        count: of each number, in which it is shown; 0: endlessly fine.
        largest: of each number.
    """

    def __init__(
        self,
        noise: Array,
        bias: Array,
        delivery: DeliveryConfig,
        rng: Generator,
        count: float | Array = 0.0,
        largest: float | Array = math.inf,
    ) -> None:
        self.noise = noise
        self.delivery = delivery
        self.count = np.broadcast_to(count, noise.shape)
        self.largest = np.broadcast_to(largest, noise.shape)
        self.bias = bias * rng.uniform(-1.0, 1.0, bias.shape)


class ChannelNumbers(NamedTuple):
    """Errors and delivery of each number (n,) of sensors that are read together."""

    bias: Array
    noise: Array  # standard deviation
    resolution: Array  # in which it is shown; 0: endlessly fine
    largest: Array
    every: NDArray[np.int64]  # control period it is sampled in
    latency: NDArray[np.int64]  # [control periods]


class ChannelRow(NamedTuple):
    """Numbers (n,) of sensors that are read together, with their noise and past."""

    numbers: ChannelNumbers
    normal: Array  # (n,) noise of standard deviation 1, drawn for each period
    samples: Array  # (depth, n) ring of the last ones


class Channels:
    """Sensors that are read together, once per control period.

    Noise is drawn in their order.

    Args:
        channels: the sensors.
        rng: where the noise comes from.
        period: of control [s].

    Attributes:
        row: their numbers, for kernels.
    """

    def __init__(
        self, channels: Sequence[Channel], rng: Generator, period: float
    ) -> None:
        self._rng = rng
        self._tick = 0
        sizes = [one.noise.size for one in channels]
        every = [
            max(whole_periods(one.delivery.sample_period, period), 1)
            for one in channels
        ]
        latency = [whole_periods(one.delivery.latency, period) for one in channels]
        numbers = ChannelNumbers(
            bias=np.concatenate([one.bias.ravel() for one in channels]),
            noise=np.concatenate([one.noise.ravel() for one in channels]),
            resolution=np.concatenate([one.count.ravel() for one in channels]),
            largest=np.concatenate([one.largest.ravel() for one in channels]),
            every=np.repeat(every, sizes),
            latency=np.repeat(latency, sizes),
        )
        self.row = ChannelRow(
            numbers=numbers,
            normal=np.zeros(sum(sizes)),
            samples=np.zeros((max(latency) + 1, sum(sizes))),
        )
        self._noisy: list[list[int]] = []  # parts [first, last, every] of the row
        ends = np.cumsum(sizes)
        for end, size, one, periods in zip(ends, sizes, channels, every, strict=True):
            if np.any(one.noise > 0.0):
                self._add_noisy(int(end - size), int(end), periods)
        self._sample = OfOneType(sample)

    def _add_noisy(self, first: int, last: int, every: int) -> None:
        """Draw noise once for neighbours that are sampled together.

        The numbers are the same as with one draw for each.
        """
        if self._noisy and self._noisy[-1][1:] == [first, every]:
            self._noisy[-1][1] = last
        else:
            self._noisy.append([first, last, every])

    def draw(self) -> int:
        """Draw the noise of a control period; return how many there were before."""
        tick = self._tick
        for first, last, every in self._noisy:
            if tick % every == 0:
                self._rng.standard_normal(out=self.row.normal[first:last])
        self._tick = tick + 1
        return tick

    def read(self, true: Array) -> Array:
        """Read the delayed numbers (n,) of all sensors.

        Before the first sample has aged, the first is read.
        """
        read: Array = self._sample(true, self.row, self.draw())
        return read


@kernel
def sample(true: Array, row: ChannelRow, tick: int) -> Array:
    """Take a sample of each number that is due, and read (n,) those that have aged.

    Args:
        true: numbers (n,).
        row: errors, noise and delivery of each; the row of this tick is filled.
        tick: control periods so far.
    """
    numbers, normal, samples = row
    read = np.empty_like(true)
    depth = samples.shape[0]
    now = tick % depth
    before = (tick - 1) % depth
    for i in range(true.shape[0]):
        if tick % numbers.every[i] == 0:
            noisy = true[i] + numbers.bias[i] + numbers.noise[i] * normal[i]
            if numbers.resolution[i] > 0.0 or math.isfinite(numbers.largest[i]):
                noisy = counted(noisy, numbers.largest[i], numbers.resolution[i])
            samples[now, i] = noisy
        else:
            samples[now, i] = samples[before, i]
        age = min(tick, numbers.latency[i])
        read[i] = samples[(tick - age) % depth, i]
    return read


def encoder_channel(config: EncoderConfig, joints: int, rng: Generator) -> Channel:
    """Make the encoders: positions (n,), then velocities (n,).

    Args:
        config: noise, bias, counts, delivery.
        joints: number of joints.
        rng: where the biases come from.
    """
    return Channel(
        noise=np.repeat(
            [[config.position_noise], [config.velocity_noise]], joints, axis=1
        ),
        bias=np.repeat([[config.position_bias], [0.0]], joints, axis=1),
        delivery=config.delivery,
        rng=rng,
        count=np.array([[config.position_resolution], [0.0]]),
    )


def imu_channel(config: ImuConfig, count: int, rng: Generator) -> Channel:
    """Make a number of IMUs: angular velocity, then specific force.

    Args:
        config: noise, bias, delivery.
        count: number of IMUs.
        rng: where the biases come from.
    """
    return Channel(
        noise=triples(config.gyro_noise, config.accelerometer_noise, count),
        bias=triples(config.gyro_bias, config.accelerometer_bias, count),
        delivery=config.delivery,
        rng=rng,
    )


def force_channel(
    config: ForceTorqueConfig, weight: float, errors: ForceErrors, rng: Generator
) -> Channel:
    """Make the force/torque sensors of both feet, with their range and counts.

    Args:
        config: noise and offsets, as shares of the weight.
        weight: of the robot [N].
        errors: with range and counts.
        rng: where the offsets come from.
    """
    return Channel(
        noise=weight * triples(config.force_noise, config.moment_noise, 2),
        bias=weight * triples(config.force_bias, config.moment_bias, 2),
        delivery=config.delivery,
        rng=rng,
        count=errors.resolution,
        largest=errors.largest,
    )


def place_channel(config: FootPositionConfig, rng: Generator) -> Channel:
    """Make the measurement of both soles' places (2, 3), as of motion capture."""
    return Channel(
        noise=np.full((2, 3), config.noise),
        bias=np.zeros((2, 3)),
        delivery=config.delivery,
        rng=rng,
    )


class MotorTorques:
    """Torques at the joints as the motors' currents say them.

    A motor of the torque tau at the joint's angle q shows, with the error e of its
    constant and a ripple of the amplitude r over the angle p,

        (1 + e) tau + r sin(2 pi q / p + phase)

    and noise, in counts. The torque is the motor's: the joint gets it less the friction
    of its gear, which the currents hold as well.

    Args:
        efforts: torque limits (n,) [N m].
        config: sizes of the errors.
        period: between two readings [s].
        rng: draws the errors and the noise.
    """

    def __init__(
        self, efforts: Array, config: MotorTorqueConfig, period: float, rng: Generator
    ) -> None:
        self.gain = 1.0 + config.constant * rng.uniform(-1.0, 1.0, efforts.size)
        self.ripple = config.ripple * efforts
        self.turn = config.ripple_angle * rng.uniform(0.2, 1.0, efforts.size)
        self.phase = rng.uniform(0.0, 2.0 * math.pi, efforts.size)
        channel = Channel(
            noise=config.noise * efforts,
            bias=np.zeros(efforts.size),
            delivery=config.delivery,
            rng=rng,
            count=config.resolution,
        )
        self._channels = Channels([channel], rng, period)

    def read(self, torque: Array, position: Array) -> Array:
        """Read the delayed torques (n,) [N m], once per control period.

        Args:
            torque: of the motors (n,) [N m].
            position: of the joints (n,) [rad].
        """
        wave = np.sin(2.0 * math.pi * position / self.turn + self.phase)
        return self._channels.read(self.gain * torque + self.ripple * wave)


class Mountings(NamedTuple):
    """IMUs that are mounted a little askew, base's and feet's."""

    # (3, 6, 6) of a body's axes into its sensor's, angular velocity and specific force
    # alike; base, left and right foot
    turns: Array
    askew: bool


def mountings(base: ImuConfig, feet: ImuConfig, rng: Generator) -> Mountings:
    """Draw how IMUs are mounted.

    Args:
        base: of the one in the base.
        feet: of those in the feet.
        rng: draws the turns.
    """
    sizes = np.array([base.alignment, feet.alignment, feet.alignment])
    turns = sizes[:, None] * rng.uniform(-1.0, 1.0, (3, 3))
    return Mountings(
        turns=np.array([np.kron(np.eye(2), rotation(-turn)) for turn in turns]),
        askew=bool(turns.any()),
    )


class SensorErrors(NamedTuple):
    """What stands between true numbers and those that the sensors show."""

    mountings: Mountings
    gears: GearGive
    forces: ForceErrors
    memory: ForceMemory  # of the force sensors, overwritten
    row: ChannelRow
    legs: bool  # whether they give way


class TrueBody(NamedTuple):
    """True numbers of all sensors but the encoders, each in its sensor's frame."""

    imu: Array  # (6,)
    foot_imus: Array  # (2, 6)
    force_torque: Array  # (2, 6), overwritten
    soles: Array  # (2, 3) places [m]


@kernel
def fill_angles(
    state: FloatingState, give: Array, errors: SensorErrors, into: Array
) -> None:
    """Fill angles and velocities (2 n,) of the joints as their encoders have them.

    Args:
        state: of the plant.
        give: error of the angles by the legs (n,) [rad].
        errors: of the gears.
        into: filled.
    """
    gears = errors.gears
    joints = give.shape[0]
    for i in range(joints):
        shown = state.q[7 + i]
        if errors.legs:
            shown = shown + give[i]
        if not gears.rigid:
            torque = state.torque[i]
            flank = min(max(torque / gears.firm[i], -1.0), 1.0)
            shown = shown + (gears.compliance * torque + gears.play * flank)
        into[i] = shown
        into[joints + i] = state.v[6 + i]


@kernel
def fill_body(body: TrueBody, mounted: Mountings, into: Array) -> None:
    """Fill the numbers (36,) of IMUs, force sensors and the soles' places.

    Args:
        body: true numbers, those of force sensors with their errors.
        mounted: how the IMUs are.
        into: filled.
    """
    own = body.imu
    left = body.foot_imus[0]
    right = body.foot_imus[1]
    if mounted.askew:
        own = mounted.turns[0] @ own
        left = mounted.turns[1] @ left
        right = mounted.turns[2] @ right
    copy_vector(own, into, 0)
    copy_vector(left, into, 6)
    copy_vector(right, into, 12)
    for foot in range(2):
        copy_vector(body.force_torque[foot], into, 18 + 6 * foot)
        copy_vector(body.soles[foot], into, 30 + 3 * foot)


@kernel
def sensed(
    held: Held,
    state: FloatingState,
    give: Array,
    body: TrueBody,
    time: float,
    tick: int,
) -> Array:
    """Read all sensors: angles, velocities, IMUs, force sensors, soles' places.

    Args:
        held: ``SensorErrors``.
        state: of the plant.
        give: error of the angles by the legs (n,) [rad].
        body: true numbers of the other sensors.
        time: [s].
        tick: control periods so far.
    """
    errors = held.value
    joints = 2 * give.shape[0]
    true = np.empty(errors.row.normal.shape[0])
    fill_angles(state, give, errors, true[:joints])
    if not errors.forces.exact:
        sensed_forces(body.force_torque, errors.forces, errors.memory, time)
    fill_body(body, errors.mountings, true[joints:])
    return sample(true, errors.row, tick)


def sensor_channels(
    humanoid: Humanoid,
    config: FloatingSensorConfig,
    forces: ForceErrors,
    rng: Generator,
) -> list[Channel]:
    """Make the sensors of a humanoid, in the order in which :func:`sensed` reads them.

    Args:
        humanoid: whose sensors.
        config: of each.
        forces: errors of the force sensors.
        rng: where biases come from.
    """
    weight = humanoid.weight
    return [
        encoder_channel(config.encoders, len(humanoid.robot.joints), rng),
        imu_channel(config.imu, 1, rng),
        imu_channel(config.foot_imu, 2, rng),
        force_channel(config.force_torque, weight, forces, rng),
        place_channel(config.foot_position, rng),
    ]


class FloatingSensors:
    """Sensors of a humanoid; randomness comes from the given generator.

    A sensor that is not there reads NaN.
    """

    def __init__(
        self, plant: FloatingPlant, config: FloatingSensorConfig, rng: Generator
    ) -> None:
        self._plant = plant
        humanoid = plant.humanoid
        joints = len(humanoid.robot.joints)
        encoders = config.encoders
        ft = config.force_torque
        period = 1e-9 * plant.config.control_period_ns
        own = rng.spawn(1)[0]
        forces = force_errors(ft.errors, humanoid.weight, period, own)
        channels = sensor_channels(humanoid, config, forces, rng)
        self._channels = Channels(channels, rng, period)
        ends = np.cumsum([0, joints, joints, 6, 12, 12, 6])
        self._parts = [slice(a, b) for a, b in pairwise(ends)]
        self._legs = (
            LegGive(humanoid, encoders, rng) if encoders.leg_stiffness > 0.0 else None
        )
        self._no_give = np.zeros(joints)
        of_motors, of_mountings = own.spawn(2)
        self._motors = (
            MotorTorques(humanoid.efforts, config.motor_torques, period, of_motors)
            if config.motor_torques.present
            else None
        )
        self._no_torques = np.full(joints, math.nan)
        self._no_feet = None if config.foot_imu.present else np.full((2, 6), math.nan)
        self._no_wrenches = None if ft.present else np.full((2, 6), math.nan)
        self._errors = hold(
            SensorErrors(
                mountings=mountings(config.imu, config.foot_imu, of_mountings),
                gears=gear_give(humanoid.efforts, encoders),
                forces=forces,
                memory=force_memory(),
                row=self._channels.row,
                legs=self._legs is not None,
            )
        )
        self._sensed = OfOneType(sensed)

    def read(self, truth: Truth) -> RawReadings:
        """Read all sensors at this instant, once per control period."""
        plant = self._plant
        state = plant.state
        soles = truth.soles
        imu, foot_imus, force_torque = plant.sensor_readings(truth)
        body = TrueBody(
            imu=imu,
            foot_imus=foot_imus,
            force_torque=force_torque,
            soles=soles.position,
        )
        legs = self._legs
        give = (
            self._no_give if legs is None else legs.shown(state.q, soles.wrench[:, :3])
        )
        tick = self._channels.draw()
        stamp_ns = plant.stamp_ns
        read = self._sensed(self._errors, state, give, body, 1e-9 * stamp_ns, tick)
        position, velocity, base, feet, wrenches, places = (
            read[part] for part in self._parts
        )
        motors = self._motors
        return RawReadings(
            stamp_ns=stamp_ns,
            joint_position=position,
            joint_velocity=velocity,
            imu=base,
            foot_imus=_given(feet.reshape(2, 6), self._no_feet),
            force_torque=_given(wrenches.reshape(2, 6), self._no_wrenches),
            foot_position=places.reshape(2, 3),
            joint_torque=self._no_torques.copy()
            if motors is None
            else motors.read(state.torque, state.q[7:]),
        )


def _given(read: Array, nothing: Array | None) -> Array:
    """Return what a sensor reads, or a copy of nothing where it is not there."""
    return read if nothing is None else nothing.copy()


def triples(first: float, second: float, count: int) -> Array:
    """Fill rows (count, 6) with two numbers.

    One is in the first three columns, the other in the last three.

    Args:
        first: number of the first three columns.
        second: number of the last three columns.
        count: of rows.
    """
    return np.repeat([[first, second]] * count, 3, axis=1)
