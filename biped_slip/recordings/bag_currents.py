# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag from joint states with efforts and one IMU of a humanoid.

The senses that listen to the robot live (:class:`.HumanoidFriction`) run over its
messages, so a replay gives the estimates that they gave, or would have given.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import Any, Iterator

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.errors import InvalidRecording
from biped_slip.estimation.readings import RawReadings
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR
from biped_slip.friction_estimation.settings import EstimatorSettings, SlipBasedConfig
from biped_slip.recordings.bag_feet import HumanoidTopics, Sample, header_ns
from biped_slip.recordings.bag_humanoid import inertial
from biped_slip.recordings.bag_robot import instants, joint_order, sample_of
from biped_slip.recordings.bags import Bag
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid_friction import (
    COUNTED_SAMPLES,
    NO_FOOT_READING,
    HumanoidFriction,
    slow,
    walking_by_currents,
)
from biped_slip.walking.stances import BRIDGED_GAP

FINEST_PERIOD = 1e-3  # [s] stamps within half of it are one instant


class CurrentFeet:
    """Source of both feet of a humanoid without force sensors."""

    def __init__(self, bag: Bag, topics: HumanoidTopics) -> None:
        self.path = str(bag.path)
        self.names: tuple[str, ...] = FEET
        self.origins: tuple[str, ...] = (f"efforts of {topics.joints}",) * 2
        self.stated: tuple[EstimatorSettings | None, ...] = (None, None)
        self.bridged = BRIDGED_GAP
        self.remarks: tuple[str, ...] = ()
        self._bag = bag
        self._topics = topics
        self._walking = walking_by_currents(topics.walk)
        self._humanoid = load_humanoid(self._walking.robot)

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield two samples, left and right, per instant of joints and IMU.

        Raises:
            InvalidRecording: without efforts, or too slow.
        """
        friction = HumanoidFriction(
            self._walking, estimator or LANDING_ESTIMATOR, self._period()
        )
        for raw in self.readings():
            felt = friction.step(raw)
            if felt.problem is not None and felt.problem.severe:
                raise InvalidRecording(self.path, felt.problem.detail)
            if math.isnan(felt.measurements[0].force_normal):
                continue  # a sample that cannot be used
            for foot in (0, 1):
                answer = tuple(map(float, felt.estimates[foot])) if estimator else ()
                yield sample_of(foot, felt.measurements[foot], answer)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the settings that the walk gives to its estimators."""
        settings = self._walking.policy_settings(self._humanoid.weight).estimator
        return replace(settings, slip=slip)

    def readings(self) -> Iterator[RawReadings]:
        """Yield the readings of each instant of which both messages have come."""
        for joints, imu in instants(self._bag, self._topics.wanted, FINEST_PERIOD):
            order = joint_order(self._humanoid.robot, joints)
            yield RawReadings(
                stamp_ns=header_ns(joints),
                joint_position=np.asarray(joints.position, dtype=float)[order],
                joint_velocity=sent(joints, joints.velocity)[order],
                imu=inertial(imu),
                foot_imus=NO_FOOT_READING,
                force_torque=NO_FOOT_READING,
                joint_torque=sent(joints, joints.effort)[order],
            )

    def _period(self) -> float:
        """Find the period of the joint states from their first stamps.

        Raises:
            InvalidRecording: they come too slowly, or there is but one.
        """
        messages = self._bag.messages({self._topics.joints})
        first = [header_ns(one.content) for one in islice(messages, COUNTED_SAMPLES)]
        if len(first) < 2:
            raise InvalidRecording(
                self.path, f"has one message on {self._topics.joints}"
            )
        period = 1e-9 * float(np.median(np.diff(first)))
        if problem := slow(period):
            raise InvalidRecording(self.path, problem.detail)
        return period


def sent(joints: Any, values: Any) -> Array:
    """Return numbers of the joints in the message's order, NaN where none were sent."""
    if len(values) == len(joints.name):
        return np.asarray(values, dtype=float)
    return np.full(len(joints.name), np.nan)
