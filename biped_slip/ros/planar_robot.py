# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Planar biped of a node: its sensors, its controller and the record of a tick."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from typing import Sequence

import numpy as np
from rclpy.node import Node

from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import trial_readings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.planar_biped import leg_lengths, standing_coordinates
from biped_slip.ros.controlled_robot import ControllerNodeConfig
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    Frames,
    SerialisedSensors,
    UnusableSample,
    record_names,
    record_values,
)
from biped_slip.ros.planar_parameters import declare_robot, declare_walking, robot_from
from biped_slip.ros.rehearsal import (
    Rehearsal,
    wavering,
)
from biped_slip.ros.sensor_inputs import (
    SensorInputs,
)
from biped_slip.walking.controller import (
    ControlOutput,
)
from biped_slip.walking.planar import PlanarOutput, guarded_planar, planar_output
from biped_slip.walking.registry import PLANAR_DEFAULT

OWN_FIELDS = (
    "l_wanted_ratio",
    "r_wanted_ratio",
    "l_limit",
    "r_limit",
    "phase",
)  # scalars of a record


def planar_record_values(output: PlanarOutput) -> list[float]:
    """List a record's scalars in the order of their names."""
    return record_values(
        [*output.wanted_ratio, *output.limits, float(output.phase)], output
    )


def planar_record_from(values: Sequence[float], joints: int) -> PlanarOutput:
    """Build the record from the numbers of a controller of a number of joints.

    Raises:
        UnusableSample: other names than expected.
    """
    left = len(OWN_FIELDS) + joints
    right = left + len(ESTIMATE_NAMES)
    expected = right + len(ESTIMATE_NAMES)
    if len(values) != expected:
        raise UnusableSample(
            "wrong size", f"record has {len(values)} values, but must have {expected}"
        )
    return PlanarOutput(
        estimates=(
            FrictionEstimate._make(values[left:right]),
            FrictionEstimate._make(values[right:]),
        ),
        wanted_ratio=(values[0], values[1]),
        limits=(values[2], values[3]),
        torques=np.array(values[len(OWN_FIELDS) : left]),
        phase=int(values[4]),
    )


class PlanarRobot:
    """Planar biped of a node; the node chooses ``estimates_itself``."""

    estimates_itself = False

    def __init__(self, node: Node) -> None:
        self._walking, slope = declare_walking(node)
        self._config, self._floor = declare_robot(node, slope)

    def build(
        self,
        config: ControllerNodeConfig,
        supervision: SupervisorConfig,
        health: HealthConfig,
        period: float | None = None,
    ) -> None:
        """Build controller and sensors."""
        walking = (
            self._walking if period is None else replace(self._walking, period=period)
        )
        self._robot = robot = robot_from(self._config, walking.variant)
        self.guarded = guarded_planar(
            robot,
            walking,
            config.limit,
            self._floor,
            supervision,
            health,
            self._config.body_weight,
            config.controller or PLANAR_DEFAULT,
        )
        self.joints = robot.joints
        self.soles = robot.soles
        self.period = walking.period
        self._inputs = partial(
            SensorInputs,
            robot.joints,
            robot.soles,
            walking.motion.source,
            config.raw_messages,
        )
        self.sensors = self._inputs()
        self.record_names = record_names(OWN_FIELDS, robot.joints)

    def rehearsal(self) -> Rehearsal:
        """Return the readings of a standing robot for the rehearsal."""
        rng = np.random.default_rng(0)
        (still, *_) = trial_readings(len(self.joints))
        robot = self._robot
        hip = 0.9 * sum(leg_lengths(self._robot))
        still = still._replace(
            joint_position=standing_coordinates(
                robot, (0.0, hip), ((0.1, 0.0), (-0.1, 0.0))
            )[robot.root_size :],
            joint_velocity=np.zeros(len(self.joints)),
            position_base_in_odom=np.array([0.0, 0.0, hip]),
            wrench_ground_on_foot_in_sole=np.array(
                [[0.0, 0.0, 0.5 * robot.mass * GRAVITY, 0.0, 0.0, 0.0]] * 2
            ),
        )
        period = round(1e9 * self.period)
        readings = (
            wavering(still._replace(stamp_ns=period * tick), rng) for tick in count()
        )
        messages = SerialisedSensors(
            self.joints, self.soles, Frames(), self._walking.motion.source
        )
        return Rehearsal(self._inputs(), readings, messages.fill)

    def record_values(self, output: ControlOutput) -> list[float]:
        """List the controller's outputs in the order of the names."""
        return planar_record_values(planar_output(output))
