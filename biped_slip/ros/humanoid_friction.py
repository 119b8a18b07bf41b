# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid behind the node that estimates friction: joint states and one IMU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

import numpy as np

from biped_slip.estimation.readings import RawReadings
from biped_slip.friction_estimation.types import ForceSource
from biped_slip.ros.messages import FOOT_SENSORS, InputTopic
from biped_slip.ros.sensor_inputs import JointStateInput, foot_sensor_input
from biped_slip.walking.felt_friction import FeltFriction
from biped_slip.walking.humanoid_friction import (
    NO_FOOT_READING,
    HumanoidFriction,
    walking_by_currents,
)

if TYPE_CHECKING:
    from biped_slip.ros.nodes.friction_estimator import EstimatorNodeConfig


class JointsAndImu:
    """Inputs of a robot that has nothing but joints and one IMU.

    Args:
        joints: of the robot, in its order.
    """

    def __init__(self, joints: tuple[str, ...]) -> None:
        self._joint_states = JointStateInput(
            "joint_states", joints, optional=("velocity", "effort")
        )
        # as in a foot: without an orientation
        self._imu = foot_sensor_input("imu/data", FOOT_SENSORS["imu"], raw=True)
        both = (self._imu, self._joint_states)
        self.topics: Mapping[str, InputTopic] = {topic.name: topic for topic in both}

    def readings(self, stamp_ns: int) -> RawReadings:
        """Return the newest readings, stamped, in new arrays."""
        joints = self._joint_states
        imu = self._imu.numbers
        return RawReadings(
            stamp_ns=stamp_ns,
            joint_position=joints.position,
            joint_velocity=joints.velocity,
            imu=np.concatenate((imu["angular_velocity"], imu["linear_acceleration"])),
            foot_imus=NO_FOOT_READING,
            force_torque=NO_FOOT_READING,
            joint_torque=joints.effort,
        )


class ListeningHumanoid:
    """Friction under a humanoid that others walk.

    Args:
        robot: name of a shipped walk, or the .yaml file of a walk or a robot.
    """

    base = "base_link"
    force_source = int(ForceSource.JOINT_TORQUES)

    def __init__(self, robot: str) -> None:
        self._robot = robot

    def build(self, config: EstimatorNodeConfig) -> None:
        """Build the robot's senses, and compile them."""
        self._friction = HumanoidFriction(
            walking_by_currents(self._robot), config.estimator, config.period or None
        )
        self._friction.try_out()
        robot = self._friction.humanoid.robot
        self._inputs = JointsAndImu(robot.joints)
        self.soles = robot.soles

    @property
    def topics(self) -> Mapping[str, InputTopic]:
        """Return the topics of the sensors in the order of publication."""
        return self._inputs.topics

    def reset(self) -> None:
        """Reset the senses; what was learnt of the gears is forgotten."""
        self._friction.reset()

    def passed_over(self, stamp_ns: int) -> None:
        """Ignore an instant whose sensors cannot be used."""

    def step(self, stamp_ns: int) -> FeltFriction:
        """Estimate friction from the newest readings of all sensors."""
        return self._friction.step(self._inputs.readings(stamp_ns))

    def faults(self) -> tuple[str, str]:
        """Return no reasons: the problem of the sample says it."""
        return "", ""

    def notes(self) -> dict[str, str]:
        """List what a reader of diagnostics should know beside the estimates."""
        period = self._friction.period
        found = "not found yet" if period is None else f"{1e3 * period:.2f} ms"
        notes = {"period": found}
        if not self._friction.trusted:
            notes["torques"] = "not judged yet: each leg has to swing once"
        if self._friction.differentiated:
            notes["velocities"] = "not sent: differences of positions"
        return notes
