# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a humanoid's raw sensors to readings in base and soles.

A force sensor sits above the foot and does not feel what moves and carries the foot
itself: the ground's force is f = f_s + m s, with what the sensor shows and the specific
force s of the foot's IMU (:func:`ground_wrench_in_sole`), in the sole's frame. The
IMU's reading is turned to its link; the filter of the floating base
(``floating_base.py``) makes pose and velocity of it and the legs, and the joints
between IMU and base give the base's.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.array_kernels import copy_matrix, copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.felt_soles import FeltSoles
from biped_slip.estimation.floating_base import (
    FilterSettings,
    FilterState,
    FloatingBase,
    FloatingBaseConfig,
    FloatingBaseEstimator,
    Legs,
    MeanImu,
    contiguous,
    new_answer,
    step_in_place,
)
from biped_slip.estimation.invariant_filter import (
    cross,
    product,
    quaternion_of,
    rotation_of,
    turned,
    turned_back,
)
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.estimation.readings import RawReadings, SensorReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import Robot


class FootBody(NamedTuple):
    """Mass below a foot's sensor, in the sole frame, and the place of the sensor."""

    mass: float  # of everything between sensor and ground [kg]
    centre_of_mass: Array  # (3,) [m]
    inertia: Array  # (3, 3) about the centre of mass [kg m^2]
    sensor_rotation: Array  # (3, 3) sensor axes in the sole frame
    sensor_position: Array  # (3,) of the sensor's origin [m]


class FootMotion(NamedTuple):
    """Motion of the sole frame, in its own axes, each (3,)."""

    specific_force: (
        Array  # acceleration of the sole's origin minus gravity [m/s^2]; +g up at rest
    )
    angular_velocity: Array  # [rad/s]
    angular_acceleration: Array  # [rad/s^2]


@kernel
def ground_wrench_in_sole(reading: Array, foot: FootBody, motion: FootMotion) -> Array:
    r"""Compute the wrench (6,) of the ground on the foot in the sole frame [N, N m].

    It is about the frame's origin.

    Newton and Euler for the body below the sensor, whose specific force at the centre
    of mass is :math:`s_c = s + \alpha\times c + \omega\times(\omega\times c)`:

    .. math::

       f_g = f_s + m s_c,\qquad
       \tau_g = \tau_s + p_s\times f_s + c\times m s_c + I\alpha + \omega\times I\omega

    Args:
        reading: (6,) wrench that the foot passes on to the ankle, in the sensor's axes
            about its origin [N, N m]: of a foot without mass at rest this is the
            ground's.
        foot: body below the sensor.
        motion: of the sole; at rest only +g.
    """
    omega = motion.angular_velocity
    alpha = motion.angular_acceleration
    com = foot.centre_of_mass
    inertial = foot.mass * (
        motion.specific_force + cross(alpha, com) + cross(omega, cross(omega, com))
    )
    force = turned(foot.sensor_rotation, reading[:3])
    moment = turned(foot.sensor_rotation, reading[3:]) + cross(
        foot.sensor_position, force
    )
    spin = turned(foot.inertia, alpha) + cross(omega, turned(foot.inertia, omega))
    wrench = np.empty(6)
    wrench[:3] = force + inertial
    wrench[3:] = moment + cross(com, inertial) + spin
    return wrench


class InBody(NamedTuple):
    """Readings of inertial and force sensors.

    They are in the axes of the IMU's link and of the soles.
    """

    angular_velocity: Array  # (3,) of the IMU's link, in its axes [rad/s]
    specific_force: Array  # (3,) at the IMU, in its link's axes [m/s^2]
    wrench_ground_on_foot_in_sole: Array  # (2, 6)
    foot_specific_force_in_sole: Array  # (2, 3) at the sole's origin [m/s^2]
    foot_angular_velocity_in_sole: Array  # (2, 3) [rad/s]


class Mount(NamedTuple):
    """Position and rotation of an IMU in a sole frame."""

    rotation: Array  # (3, 3) to the sole
    position: Array  # (3,) of its origin [m]


class SensorFrames(NamedTuple):
    """Places of all sensors and the mass below them, for kernels; feet left, right."""

    imu_turn: Array  # (3, 3) from the IMU to its link
    feet: tuple[FootBody, FootBody]
    foot_imus: tuple[Mount, Mount]


def body_frames(
    model: Any,
    soles: tuple[str, str],
    force_sensors: tuple[str, str],
    foot_imus: tuple[str, str],
    imu: str,
) -> SensorFrames:
    """Look up the place of each sensor and the mass below it.

    Both are from the robot's description.

    Args:
        model: Pinocchio model with a free-flyer at its root.
        soles: names of their frames, left and right.
        force_sensors: names of the ankle sensors' frames, left and right.
        foot_imus: names of their frames, left and right.
        imu: name of the IMU's frame.
    """
    left, right = (
        _foot_body(model, *names) for names in zip(soles, force_sensors, strict=True)
    )
    imus = _mount(model, soles[0], foot_imus[0]), _mount(model, soles[1], foot_imus[1])
    return SensorFrames(np.array(_placement(model, imu).rotation), (left, right), imus)


class FootImus(NamedTuple):
    """The feet's IMUs, each (2, 6) as in ``RawReadings``.

    They are as of now, as the force sensors' samples were taken, and before.
    """

    now: Array
    then: Array
    before: Array


@kernel
def in_body(
    imu: Array,
    foot_imus: FootImus,
    force_torque: Array,
    frames: SensorFrames,
    dt: float,
    body: InBody,
) -> None:
    """Convert the sensors' readings to base and soles.

    ``dt`` [s] lies between ``foot_imus.before`` and ``then``.

    The wrench at the sole takes the foot's motion at the instant of the force, its
    angular acceleration included: as a foot lands it pitches by 0.5 rad/s within 15 ms,
    and without that term the friction of ice reads twice as high. Differences of noisy
    gyros add up to that of two samples over a landing.
    """
    copy_vector(turned(frames.imu_turn, imu[:3]), body.angular_velocity, 0)
    copy_vector(turned(frames.imu_turn, imu[3:]), body.specific_force, 0)
    for foot in range(2):
        mount = frames.foot_imus[foot]
        turning = turned(mount.rotation, foot_imus.now[foot, :3])
        force = turned(mount.rotation, foot_imus.now[foot, 3:]) - cross(
            turning, cross(turning, mount.position)
        )
        copy_vector(turning, body.foot_angular_velocity_in_sole[foot], 0)
        copy_vector(force, body.foot_specific_force_in_sole[foot], 0)
        motion = motion_then(foot_imus, foot, mount, dt)
        wrench = ground_wrench_in_sole(force_torque[foot], frames.feet[foot], motion)
        copy_vector(wrench, body.wrench_ground_on_foot_in_sole[foot], 0)


@kernel
def motion_then(foot_imus: FootImus, foot: int, mount: Mount, dt: float) -> FootMotion:
    """Compute the motion of a sole at the time of its force sensor's sample."""
    turning = turned(mount.rotation, foot_imus.then[foot, :3])
    spin = np.zeros(3)
    if dt > 0.0:
        spin = (turning - turned(mount.rotation, foot_imus.before[foot, :3])) / dt
    arm = mount.position
    force = (
        turned(mount.rotation, foot_imus.then[foot, 3:])
        - cross(spin, arm)
        - cross(turning, cross(turning, arm))
    )
    return FootMotion(force, turning, spin)


def _placement(model: Any, name: str) -> Any:
    """Return a frame's placement in its joint."""
    return model.frames[model.getFrameId(name)].placement


def _mount(model: Any, sole: str, imu: str) -> Mount:
    place = _placement(model, sole).inverse() * _placement(model, imu)
    return Mount(np.array(place.rotation), np.array(place.translation))


def _foot_body(model: Any, sole: str, sensor: str) -> FootBody:
    """Return the foot's link as the mass below the sensor, in the sole frame."""
    frame = model.frames[model.getFrameId(sole)]
    inertia = frame.placement.actInv(model.inertias[frame.parentJoint])
    place = frame.placement.inverse() * _placement(model, sensor)
    return FootBody(
        mass=float(inertia.mass),
        centre_of_mass=np.array(inertia.lever),
        inertia=np.array(inertia.inertia),
        sensor_rotation=np.array(place.rotation),
        sensor_position=np.array(place.translation),
    )


STAMP_JITTER = (
    1e-4  # [s] by which a sample may be younger than the force it belongs to (choice)
)
# [s] of the base's rate: gyro and waist encoders are noisy, stance legs are stiff
# (choice)
RATE_SMOOTHING = 2e-3
NONE = np.zeros(0)


class Mounted(NamedTuple):
    """IMU and soles in the base, from the joints."""

    rotation: Array  # (3, 3) of the IMU's link
    position: Array  # (3,) of the IMU [m]
    velocity: Array  # (6,) of the IMU, linear over angular [m/s, rad/s]
    sole_position: Array  # (2, 3) [m]
    sole_rotation: Array  # (2, 3, 3)


class Base(NamedTuple):
    """Motion of the base, as ``SensorReadings`` states it."""

    orientation: Array  # (4,) quaternion x, y, z, w
    rate: Array  # (3,) in the base [rad/s]
    specific_force: Array  # (3,) at the IMU, in the base's axes [m/s^2]
    position: Array  # (3,) [m]
    velocity: Array  # (3,) in the base [m/s]


class ObserverWork(NamedTuple):
    """Arrays that a sample overwrites."""

    mounted: Mounted
    found: FloatingBase
    rate: Array  # (3,) smooth angular velocity of the base, in the base [rad/s]


@kernel
def sole_loads(up: Array, wrenches: Array, mounted: Mounted) -> Array:
    """Sum forces (2,) of the ground along a direction of the base [N].

    They are from wrenches (2, 6) in the soles.
    """
    normal = np.empty(2)
    for foot in range(2):
        force = turned(mounted.sole_rotation[foot], wrenches[foot, :3])
        normal[foot] = up[0] * force[0] + up[1] * force[1] + up[2] * force[2]
    return normal


@kernel
def into_base(work: ObserverWork, share: float, base: Base) -> None:
    """Transform the IMU's reading to the base; ``share`` filters the angular rate."""
    mounted = work.mounted
    found = work.found
    turn = mounted.rotation
    place = mounted.position
    rate = turned(turn, found.angular_velocity_in_base)
    for i in range(3):
        work.rate[i] += share * (rate[i] - mounted.velocity[3 + i] - work.rate[i])
    rotation = product(rotation_of(found.orientation_base_in_world), turn.T)
    swing = cross(work.rate, place)
    arm = turned(rotation, place)
    speed = turned(turn, found.linear_velocity_in_base)
    copy_vector(quaternion_of(rotation), base.orientation, 0)
    copy_vector(work.rate, base.rate, 0)
    for i in range(3):
        base.position[i] = found.position_base_in_world[i] - arm[i]
        base.velocity[i] = speed[i] - mounted.velocity[i] - swing[i]


class RawSample(NamedTuple):
    """Sample of all sensors, each in its own frame."""

    imu: Array  # (6,)
    foot_imus: FootImus
    force_torque: Array  # (2, 6)


class GroundWrenches(NamedTuple):
    """Wrenches of the ground that come from elsewhere than force sensors."""

    known: bool
    wrench: Array  # (2, 6) on the soles, in their axes


class RunningFilter(NamedTuple):
    """Filter that has begun."""

    state: FilterState
    spreads: Array  # (2, 3, 3) covariances of leg kinematics [m^2]
    settings: FilterSettings
    frames: SensorFrames
    work: ObserverWork


class Elapsed(NamedTuple):
    """Time since the sample before."""

    dt: float  # [s]
    share: float  # by which it renews a smooth angular rate


class JointSample(NamedTuple):
    """Joints of a sample, and what an outside sensor says of the soles."""

    stamp_ns: int
    position: Array  # (n,) [rad]
    velocity: Array  # (n,) [rad/s]
    soles: Array  # (2, 3) places [m]; NaN: no such sensor


@kernel
def new_body() -> InBody:
    """Allocate readings in base and soles."""
    return InBody(
        angular_velocity=np.empty(3),
        specific_force=np.empty(3),
        wrench_ground_on_foot_in_sole=np.empty((2, 6)),
        foot_specific_force_in_sole=np.empty((2, 3)),
        foot_angular_velocity_in_sole=np.empty((2, 3)),
    )


@kernel
def new_base() -> Base:
    """Allocate the motion of a base."""
    return Base(
        orientation=np.empty(4),
        rate=np.empty(3),
        specific_force=np.empty(3),
        position=np.empty(3),
        velocity=np.empty(3),
    )


@kernel
def observe(
    joints: JointSample,
    sample: RawSample,
    ground: GroundWrenches,
    held: Held,
    friction: tuple[FrictionEstimate, FrictionEstimate],
    elapsed: Elapsed,
) -> SensorReadings:
    """Update a running filter by one sample; return readings in base and soles.

    Args:
        joints: of the robot.
        sample: of the sensors.
        ground: wrenches that go before those of force sensors.
        held: ``RunningFilter``, whose state and work are overwritten.
        friction: the last estimates under both feet.
        elapsed: time since the sample before.
    """
    body = new_body()
    base = new_base()
    running = held.value
    imu, foot_imus, force_torque = sample
    in_body(imu, foot_imus, force_torque, running.frames, elapsed.dt, body)
    if ground.known:
        copy_matrix(ground.wrench, body.wrench_ground_on_foot_in_sole)
    state = running.state
    work = running.work
    turn = work.mounted.rotation
    mounted = work.mounted
    up = turned(turn, state.base.rotation[2])
    normal = sole_loads(up, body.wrench_ground_on_foot_in_sole, mounted)
    places = np.empty((2, 3))
    for foot in range(2):
        places[foot] = turned_back(turn, mounted.sole_position[foot] - mounted.position)
    step_in_place(
        state,
        work.found,
        MeanImu(body.angular_velocity, body.specific_force),
        Legs(places, running.spreads),
        normal,
        friction,
        running.settings,
        elapsed.dt,
    )
    copy_vector(turned(turn, body.specific_force), base.specific_force, 0)
    into_base(work, elapsed.share, base)
    return readings_of(joints, body, base)


@kernel
def readings_of(joints: JointSample, body: InBody, base: Base) -> SensorReadings:
    """Put readings together from joints, sensors and the motion of the base."""
    return SensorReadings(
        stamp_ns=joints.stamp_ns,
        joint_position=joints.position,
        joint_velocity=joints.velocity,
        orientation_base_in_world=base.orientation,
        angular_velocity_in_base=base.rate,
        specific_force_in_base=base.specific_force,
        position_base_in_odom=base.position,
        linear_velocity_in_base=base.velocity,
        wrench_ground_on_foot_in_sole=body.wrench_ground_on_foot_in_sole,
        foot_specific_force_in_sole=body.foot_specific_force_in_sole,
        foot_angular_velocity_in_sole=body.foot_angular_velocity_in_sole,
        foot_position_in_world=joints.soles,
    )


class HumanoidObserver:
    """Observer from raw readings to SensorReadings with an estimated base.

    The world begins at the IMU.

    The filter follows the IMU, not the base's origin: so no angular acceleration is
    needed, and the IMU may sit on any link, such as a torso that turns against the
    base.

    Args:
        robot: with a floating base, joints in the readings' order.
        frames: where the sensors sit.
        config: noise of IMU, legs and contacts.
        currents: wrenches of the ground by the torques of motors; None: by sensors.
        feet_felt: whether there are IMUs in the feet; else joints and the body's IMU
            tell how feet below force sensors move.
    """

    def __init__(
        self,
        robot: Robot,
        frames: SensorFrames,
        config: FloatingBaseConfig | None = None,
        currents: JointTorqueWrenches | None = None,
        feet_felt: bool = True,
    ) -> None:
        functions = floating_functions(robot)
        self._felt_soles = None if feet_felt or currents else FeltSoles(robot)
        if self._felt_soles is not None:
            in_sole = Mount(np.eye(3), np.zeros(3))
            frames = frames._replace(foot_imus=(in_sole, in_sole))
        self._robot = functions.generated
        self._frames = frames
        self._currents = currents
        self._no_ground = GroundWrenches(known=False, wrench=np.zeros((2, 6)))
        self._config = config or FloatingBaseConfig()
        self._filter = FloatingBaseEstimator(robot.mass * GRAVITY, self._config)
        self._spreads = np.tile(self._config.kinematics**2 * np.eye(3), (2, 1, 1))
        mounted = Mounted(
            rotation=np.eye(3),
            position=np.zeros(3),
            velocity=np.zeros(6),
            sole_position=np.zeros((2, 3)),
            sole_rotation=np.zeros((2, 3, 3)),
        )
        self._work = ObserverWork(mounted, new_answer(), np.zeros(3))
        self._kinematics = OfOneType(functions.body_kinematics)
        self._observe = OfOneType(observe)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._filter.reset()
        self._running: Any = None  # ``RunningFilter``, held, once it has begun
        self._last_ns: int | None = None
        for part in (self._currents, self._felt_soles):
            if part is not None:
                part.reset()
        self._first_ns: int | None = None
        # stamps [ns] and samples of the feet's IMUs
        self._past: deque[tuple[int, Array]] = deque()
        # sums: specific force, turn rate up, samples
        self._felt = np.zeros(3)
        self._spun = 0.0
        self._samples = 0
        self._work.rate[:] = 0.0

    @property
    def ready(self) -> bool:
        """Return whether the base's state is estimated.

        Before, it is taken as at rest.
        """
        return self._filter.state is not None

    @property
    def tilt_sd(self) -> float:
        """Return the standard deviation of the base's tilt [rad].

        It is the one about the base's less certain axis; 0 before the filter.
        """
        state = self._filter.state
        return (
            0.0
            if state is None
            else math.sqrt(
                max(state.base.covariance[0, 0], state.base.covariance[1, 1], 0.0)
            )
        )

    def step(
        self,
        raw: RawReadings,
        friction: tuple[FrictionEstimate, FrictionEstimate] = (
            NO_ESTIMATE,
            NO_ESTIMATE,
        ),
    ) -> SensorReadings:
        """Estimate the base from one sample.

        During ``start_time`` the robot stands still, its IMU at the origin.

        Args:
            raw: what the sensors say.
            friction: the last estimates under both feet.
        """
        joint_position = contiguous(raw.joint_position)
        joint_velocity = contiguous(raw.joint_velocity)
        self._kinematics(
            self._robot, joint_position, joint_velocity, *self._work.mounted
        )
        foot_imus = self._foot_imus(raw.stamp_ns, contiguous(self._feet_felt(raw)))
        sensed = RawSample(
            imu=contiguous(raw.imu),
            foot_imus=foot_imus,
            force_torque=contiguous(raw.force_torque),
        )
        joints = JointSample(
            stamp_ns=raw.stamp_ns,
            position=joint_position,
            velocity=joint_velocity,
            soles=contiguous(raw.foot_position),
        )
        ground = self._ground(raw)
        if self._running is None:
            readings = self._stand(joints, sensed, ground)
        else:
            dt = self._filter.elapsed(raw.stamp_ns)
            elapsed = Elapsed(dt=dt, share=1.0 - math.exp(-dt / RATE_SMOOTHING))
            readings = self._observe(
                joints, sensed, ground, self._running, friction, elapsed
            )
        if self._felt_soles is not None:
            readings.foot_specific_force_in_sole[:] = math.nan
            readings.foot_angular_velocity_in_sole[:] = math.nan
        return readings

    def _turning(self, raw: RawReadings) -> tuple[float, Array]:
        """Return the time since the sample before [s] and the base's turn rate (3,).

        The base turns as the IMU's gyroscope and the joints below it say.
        """
        last = raw.stamp_ns if self._last_ns is None else self._last_ns
        self._last_ns = raw.stamp_ns
        mounted = self._work.mounted
        rate = mounted.rotation @ (self._frames.imu_turn @ raw.imu[:3])
        return 1e-9 * (raw.stamp_ns - last), rate - mounted.velocity[3:]

    def _feet_felt(self, raw: RawReadings) -> Array:
        """Return what the feet's IMUs say (2, 6), or would say where there are none."""
        if self._felt_soles is None:
            return raw.foot_imus
        dt, rate = self._turning(raw)
        return self._felt_soles.step(
            raw.joint_position, raw.joint_velocity, rate, raw.imu[3:], dt
        )

    def _ground(self, raw: RawReadings) -> GroundWrenches:
        """Find the ground's wrenches by the motors' torques, if that is their source.

        Args:
            raw: what the sensors say.
        """
        if self._currents is None:
            return self._no_ground
        dt, rate = self._turning(raw)
        found = self._currents.step(
            raw.joint_position,
            raw.joint_velocity,
            raw.joint_torque,
            rate,
            raw.imu[3:],
            dt,
        )
        return GroundWrenches(known=True, wrench=found.wrench)

    def _foot_imus(self, stamp_ns: int, now: Array) -> FootImus:
        """Append a sample as the force sensors' low pass has it.

        The oldest sample stands for those before it.

        A foot that meets the floor at 0.25 m/s is stopped with 50 N within some
        milliseconds, of which a sensor that lags by one of them shows half: with
        inertia that does not lag, friction would be lost.
        """
        passed = now
        past = self._past
        late = 1e9 * (self._config.force_age - STAMP_JITTER)
        if past and self._config.force_lag > 0.0:
            kept = math.exp(-1e-9 * (stamp_ns - past[-1][0]) / self._config.force_lag)
            passed = now + kept * (past[-1][1] - now)
        past.append((stamp_ns, passed))
        while len(past) > 2 and stamp_ns - past[2][0] >= late:
            past.popleft()
        return FootImus(now, past[min(1, len(past) - 1)][1], past[0][1])

    def _stand(
        self, joints: JointSample, sensed: RawSample, ground: GroundWrenches
    ) -> SensorReadings:
        """Find the tilt from the mean of the accelerometer, and the turn.

        When the time is over, the filter begins.
        """
        body = new_body()
        base = new_base()
        stamp_ns = joints.stamp_ns
        mounted = self._work.mounted
        in_body(*sensed, self._frames, 0.0, body)
        if ground.known:
            body.wrench_ground_on_foot_in_sole[:] = ground.wrench
        self._first_ns = stamp_ns if self._first_ns is None else self._first_ns
        self._felt += body.specific_force
        up = mounted.rotation @ (self._felt / np.linalg.norm(self._felt))
        upright = np.asarray(
            pin.Quaternion.FromTwoVectors(up, np.array([0.0, 0.0, 1.0])).coeffs()
        )
        base.specific_force[:] = mounted.rotation @ body.specific_force
        base.rate[:] = mounted.rotation @ body.angular_velocity - mounted.velocity[3:]
        # else it may hang
        stands = (
            body.wrench_ground_on_foot_in_sole[:, 2].sum()
            > 0.5 * self._filter.settings.weight
        )
        self._spun = self._spun + (float(up @ base.rate) if stands else np.inf)
        self._samples = self._samples + 1
        if 1e-9 * (stamp_ns - self._first_ns) < self._config.start_time:
            base.orientation[:] = upright
            base.velocity[:] = 0.0
            base.position[:] = -rotation_of(upright) @ mounted.position
            return readings_of(joints, body, base)
        link = quaternion_of(rotation_of(upright) @ mounted.rotation)
        self._begin(stamp_ns, body, link)
        into_base(self._work, 1.0, base)
        return readings_of(joints, body, base)

    def _begin(self, stamp_ns: int, body: InBody, link: Array) -> None:
        """Begin the filter at the IMU.

        Args:
            stamp_ns: of the sample [ns].
            body: what it says.
            link: attitude of the IMU's link (4,).
        """
        origin = np.zeros(3)
        begin = SensorReadings(
            stamp_ns=stamp_ns,
            joint_position=NONE,
            joint_velocity=NONE,
            orientation_base_in_world=link,
            angular_velocity_in_base=body.angular_velocity,
            specific_force_in_base=body.specific_force,
            position_base_in_odom=origin,
            linear_velocity_in_base=origin,
            wrench_ground_on_foot_in_sole=body.wrench_ground_on_foot_in_sole,
        )
        found = self._filter.begin(begin, self._spun / self._samples)
        assert self._filter.state is not None
        self._work = self._work._replace(found=found)
        self._running = hold(
            RunningFilter(
                state=self._filter.state,
                spreads=self._spreads,
                settings=self._filter.settings,
                frames=self._frames,
                work=self._work,
            )
        )
