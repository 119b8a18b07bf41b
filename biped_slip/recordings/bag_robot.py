# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag from a robot's own topics: joints, IMU, odometry and wrenches.

They go through the robot's model.

The same functions that run on the robot turn its messages into foot measurements, so a
bag recorded from a walk gives the estimates that the walk had.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.constants import FEET, GRAVITY
from biped_slip.errors import InvalidRecording, UnknownName
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.estimation.readings import (
    SensorReadings,
    half_period,
    one_instant,
    robot_state,
)
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.friction_estimation.settings import EstimatorSettings, SlipBasedConfig
from biped_slip.friction_estimation.types import (
    FootContext,
    FootMeasurement,
    FrictionEstimator,
    floor_context,
)
from biped_slip.recordings.bag_feet import RobotTopics, Sample, header_ns
from biped_slip.recordings.bags import Bag
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.walking.planar import PlanarWalkingConfig
from biped_slip.walking.stances import BRIDGED_GAP

REQUIRED_TOPICS = 5  # topics that every robot has
MOST_PENDING = 1000  # stamps that may wait for their other messages


class RobotSource:
    """Source of both feet of the planar biped.

    Stamps within half a control period are one instant.
    """

    def __init__(self, bag: Bag, topics: RobotTopics) -> None:
        self.path = str(bag.path)
        self.names: tuple[str, ...] = FEET
        self.origins: tuple[str, ...] = (topics.left_wrench, topics.right_wrench)
        self.stated: tuple[EstimatorSettings | None, ...] = (None, None)
        self.bridged = BRIDGED_GAP
        self.remarks: tuple[str, ...] = ()
        self._bag = bag
        self._topics = topics
        self._robot = planar_biped(topics.variant)
        self._motion = motion_source(
            self._robot, topics.motion, FloorConfig(slope=topics.slope)
        )

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield two samples, left and right, per complete set of messages."""
        self._motion.reset()
        feet = self._feet(estimator)
        for readings in self.readings():
            state = robot_state(readings, self._robot.root_size)
            for foot, measured in enumerate(self._motion.measure(state, readings)):
                answer = feet[foot].step(measured) if feet else ()
                yield sample_of(foot, measured, answer)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the settings that the nodes give to this robot's estimators."""
        topics = self._topics
        walking = PlanarWalkingConfig(
            motion=topics.motion,
            interval=topics.interval,
            rls=topics.rls,
            touchdown=topics.touchdown,
        )
        settings = walking.policy_settings(self._robot.mass * GRAVITY).estimator
        return replace(settings, slip=slip)

    def _feet(self, estimator: str) -> list[AnsweringFoot]:
        """Make an estimator under each foot, if one is named."""
        if not estimator:
            return []
        settings = self.settings(SlipBasedConfig(), planar=True)
        made = make_estimator(estimator, settings)
        context = floor_context(self._topics.slope)
        return [AnsweringFoot(made, context), AnsweringFoot(made, context)]

    def readings(self) -> Iterator[SensorReadings]:
        """Yield the robot's sensor readings at each instant, with the joints' stamp.

        Every message of the instant has come.
        """
        wanted = self._topics.wanted
        for contents in instants(self._bag, wanted, self._topics.control_period):
            readings = _readings(
                self._robot, header_ns(contents[0]), *contents[:REQUIRED_TOPICS]
            )
            yield _with_feet(readings, contents[REQUIRED_TOPICS:])


class AnsweringFoot:
    """Estimator of one foot with its state and the stamp of its last sample."""

    def __init__(self, estimator: FrictionEstimator[Any], context: FootContext) -> None:
        self._estimator = estimator
        self._context = context
        self._state = estimator.initial_state()
        self._stamp_ns: int | None = None

    def step(self, measured: FootMeasurement) -> tuple[float, ...]:
        """Answer one sample, as the robot's loop does."""
        before = measured.stamp_ns if self._stamp_ns is None else self._stamp_ns
        dt = 1e-9 * (measured.stamp_ns - before)
        self._stamp_ns = measured.stamp_ns
        self._state, answer = self._estimator.step(
            self._state, measured, dt, self._context
        )
        return tuple(map(float, answer))


def sample_of(
    foot: int, measured: FootMeasurement, answer: tuple[float, ...]
) -> Sample:
    """Build a foot's sample from its measurement and the answer to it."""
    values = (
        measured.force_x,
        measured.force_y,
        measured.force_normal,
        0.0,
        0.0,
        measured.moment_normal,
        measured.displacement_x,
        measured.displacement_y,
        measured.velocity_x,
        measured.velocity_y,
        0.0,
        measured.angular_rate,
        0.0,
    )
    return Sample(foot, measured.stamp_ns, values, answer)


def instants(bag: Bag, wanted: Sequence[str], period: float) -> Iterator[list[Any]]:
    """Yield the messages of each instant of which every wanted one has come.

    Args:
        bag: is read from its beginning.
        wanted: topics, in the order in which their messages are yielded.
        period: of control; stamps within half of it are one instant [s].

    Raises:
        InvalidRecording: there is no such instant.
    """
    half = half_period(period)
    pending: dict[int, dict[str, Any]] = {}
    complete = False
    for message in bag.messages(set(wanted)):
        now_ns = header_ns(message.content)
        if now_ns not in pending:
            near = (one for one in reversed(pending) if one_instant(one, now_ns, half))
            now_ns = next(near, now_ns)
        parts = pending.setdefault(now_ns, {})
        parts[message.topic] = message.content
        if len(parts) == len(wanted):
            complete = True
            del pending[now_ns]
            yield [parts[topic] for topic in wanted]
        elif len(pending) > MOST_PENDING:
            pending.pop(next(iter(pending)))
    if not complete:
        words = f"has no instant with a message on each of {', '.join(wanted)}"
        raise InvalidRecording(
            str(bag.path), words, "stamps must agree to half a period"
        )


def joint_order(robot: Robot, joints: Any) -> list[int]:
    """Find the robot's joints in a message, since their order may vary.

    Raises:
        UnknownName: the message lacks a joint.
    """
    place = {name: index for index, name in enumerate(joints.name)}
    for name in robot.joints:
        if name not in place:
            raise UnknownName("joint", name, list(place))
    return [place[name] for name in robot.joints]


def _readings(
    robot: Robot,
    now_ns: int,
    joints: Any,
    imu: Any,
    odometry: Any,
    left: Any,
    right: Any,
) -> SensorReadings:
    """Convert messages to arrays; joints by name, since their order may vary."""
    order = joint_order(robot, joints)
    wrenches = [
        np.concatenate([_row(one.wrench.force), _row(one.wrench.torque)])
        for one in (left, right)
    ]
    attitude = imu.orientation
    return SensorReadings(
        stamp_ns=now_ns,
        joint_position=np.asarray(joints.position, dtype=float)[order],
        joint_velocity=np.asarray(joints.velocity, dtype=float)[order],
        orientation_base_in_world=np.array(
            [attitude.x, attitude.y, attitude.z, attitude.w]
        ),
        angular_velocity_in_base=_row(imu.angular_velocity),
        specific_force_in_base=_row(imu.linear_acceleration),
        position_base_in_odom=_row(odometry.pose.pose.position),
        linear_velocity_in_base=_row(odometry.twist.twist.linear),
        wrench_ground_on_foot_in_sole=np.array(wrenches),
    )


def _with_feet(readings: SensorReadings, messages: list[Any]) -> SensorReadings:
    """Add the readings of the feet's sensors, left and right, where there are such."""
    if not messages:
        return readings
    if hasattr(messages[0], "point"):
        return readings._replace(
            foot_position_in_world=np.array(
                [_row(message.point) for message in messages]
            )
        )
    return readings._replace(
        foot_specific_force_in_sole=np.array(
            [_row(message.linear_acceleration) for message in messages]
        ),
        foot_angular_velocity_in_sole=np.array(
            [_row(message.angular_velocity) for message in messages]
        ),
    )


def _row(vector: Any) -> NDArray[np.float64]:
    return np.array([vector.x, vector.y, vector.z])
