# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag from a humanoid's own topics: joints, IMUs and ankle wrenches.

The controller of the walk runs over them once more, without a robot: it finds the base
and the soles, learns its sensors' cross-talk and the slope of the floor, and tells the
estimators all that it told them when it walked. So a replay gives the estimates that
the walk had.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from biped_slip.constants import FEET
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR, make_estimator
from biped_slip.friction_estimation.settings import EstimatorSettings, SlipBasedConfig
from biped_slip.friction_estimation.types import (
    NO_CONTEXT,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
    takes_raw_forces,
)
from biped_slip.recordings.bag_feet import HumanoidTopics, Sample, header_ns
from biped_slip.recordings.bag_robot import instants, joint_order, sample_of
from biped_slip.recordings.bags import Bag
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import HumanoidSequencer, chosen_walking
from biped_slip.walking.slip_policies import SlipPolicy, slip_policy
from biped_slip.walking.stances import BRIDGED_GAP

STAND_IN = "touchdown"  # policy whose limit the controller follows in a replay
OF_ALL = 6  # topics that every humanoid has: joints, IMU, wrenches, IMUs of the feet


class HumanoidFeet:
    """Source of both feet of a humanoid.

    Stamps within half a control period are one instant.
    """

    def __init__(self, bag: Bag, topics: HumanoidTopics) -> None:
        self.path = str(bag.path)
        self.names: tuple[str, ...] = FEET
        self.origins: tuple[str, ...] = (topics.left_wrench, topics.right_wrench)
        self.stated: tuple[EstimatorSettings | None, ...] = (None, None)
        self.bridged = BRIDGED_GAP
        self.remarks: tuple[str, ...] = ()
        self._bag = bag
        self._topics = topics
        self._walking = chosen_walking(topics.walk)
        self._humanoid = load_humanoid(self._walking.robot)

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield two samples, left and right, per complete set of messages."""
        settings = self._walking.policy_settings(self._humanoid.weight)
        made = make_estimator(estimator or LANDING_ESTIMATOR, settings.estimator)
        heard = Overheard(made)
        limit = slip_policy(STAND_IN, settings).limit
        controller = HumanoidSequencer(
            self._walking, SlipPolicy(STAND_IN, heard, limit)
        )
        for readings in self.readings():
            heard.said.clear()
            controller.step(readings)
            for foot, (measured, answer) in enumerate(heard.said):
                told = tuple(map(float, answer)) if estimator else ()
                yield sample_of(foot, measured, told)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the settings that the walk gives to its estimators."""
        settings = self._walking.policy_settings(self._humanoid.weight).estimator
        return replace(settings, slip=slip)

    def readings(self) -> Iterator[HumanoidReadings]:
        """Yield the readings of each instant of which every message has come."""
        topics = self._topics
        robot = self._humanoid.robot
        for contents in instants(self._bag, topics.wanted, self._walking.period):
            joints, imu, *feet = contents[:OF_ALL]
            more = contents[OF_ALL:]
            order = joint_order(robot, joints)
            raw = RawReadings(
                stamp_ns=header_ns(joints),
                joint_position=np.asarray(joints.position, dtype=float)[order],
                joint_velocity=np.asarray(joints.velocity, dtype=float)[order],
                imu=inertial(imu),
                foot_imus=np.array([inertial(feet[2]), inertial(feet[3])]),
                force_torque=np.array([_wrench(feet[0]), _wrench(feet[1])]),
                joint_torque=_torques(joints)[order],
            )
            if topics.foot_positions:
                places = np.array([_row(more[0].point), _row(more[1].point)])
                raw = raw._replace(foot_position=places)
            base = _base(more[-1]) if topics.base == "odom" else None
            yield HumanoidReadings(raw, base)


class Overheard:
    """Estimator that keeps what both feet measured and what was answered."""

    def __init__(self, estimator: FrictionEstimator[Any]) -> None:
        self._estimator = estimator
        self.raw_forces = takes_raw_forces(estimator)
        self.said: list[tuple[FootMeasurement, FrictionEstimate]] = []

    def initial_state(self) -> Any:
        """Return the state before the first sample."""
        return self._estimator.initial_state()

    def step(
        self,
        state: Any,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[Any, FrictionEstimate]:
        """Update the estimate by one sample, and keep both."""
        state, answer = self._estimator.step(state, measurement, dt, context)
        self.said.append((measurement, answer))
        return state, answer


def _row(vector: Any) -> NDArray[np.float64]:
    return np.array([vector.x, vector.y, vector.z])


def inertial(message: Any) -> NDArray[np.float64]:
    """Return angular velocity and specific force (6,) of an IMU."""
    return np.concatenate(
        [_row(message.angular_velocity), _row(message.linear_acceleration)]
    )


def _torques(joints: Any) -> NDArray[np.float64]:
    """Return the joints' torques in the order of the message, NaN where none."""
    if len(joints.effort) == len(joints.name):
        return np.asarray(joints.effort, dtype=float)
    return np.full(len(joints.name), np.nan)


def _wrench(message: Any) -> NDArray[np.float64]:
    return np.concatenate([_row(message.wrench.force), _row(message.wrench.torque)])


def _base(odometry: Any) -> BaseMotion:
    """Return the motion of the base."""
    attitude = odometry.pose.pose.orientation
    return BaseMotion(
        np.array([attitude.x, attitude.y, attitude.z, attitude.w]),
        _row(odometry.twist.twist.angular),
        _row(odometry.pose.pose.position),
        _row(odometry.twist.twist.linear),
    )
