# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller of the planar biped did in a tick, as named scalars."""

from __future__ import annotations

from typing import Sequence

import numpy as np
from rclpy.node import Node

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import Problem
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.ros.messages import UnusableSample
from biped_slip.ros.named_scalars import ESTIMATE_NAMES
from biped_slip.ros.nodes.walking_controller import ControllerChoice
from biped_slip.ros.parameters import declare_robot, declare_walking, robot_from
from biped_slip.ros.sensor_inputs import SensorInputs
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.planar import DEFAULT, PlanarOutput, guarded_planar, planar_output


def planar_record_names(joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a output."""
    feet = ("l", "r")
    return [
        *(f"{foot}_{name}" for name in ("wanted_ratio", "limit") for foot in feet),
        "phase",
        *(f"{joint}_effort" for joint in joints),
        *(f"{foot}_{name}" for foot in feet for name in ESTIMATE_NAMES),
    ]


def planar_record_values(output: PlanarOutput) -> list[float]:
    """Its scalars in the order of their names."""
    left, right = output.estimates
    return [*output.wanted_ratio, *output.limits, float(output.phase), *output.torques, *left, *right]


def planar_record_from(values: Sequence[float], joints: int) -> PlanarOutput:
    """The record in the numbers of a controller of so many joints.

    Raises:
        UnusableSample: other names than expected.
    """
    fields = len(ESTIMATE_NAMES)
    if len(values) != 5 + joints + 2 * fields:
        what = f"record has {len(values)} values, but must have {5 + joints + 2 * fields}"
        raise UnusableSample(Problem("wrong size", what))
    left, right = 5 + joints, 5 + joints + fields
    return PlanarOutput(
        (FrictionEstimate(*values[left:right]), FrictionEstimate(*values[right:])),
        (values[0], values[1]),
        (values[2], values[3]),
        np.array(values[5:left]),
        int(values[4]),
    )


# What the controller node knows of the planar biped: its parameters, its sensors, its controller.


class PlanarRobot:
    """The planar biped; ``estimates_itself`` is for the node to choose.

    Args:
        node: where parameters are declared.
    """

    estimates_itself = False

    def __init__(self, node: Node) -> None:
        self._walking, slope = declare_walking(node)
        self._config, self._floor = declare_robot(node, slope)

    def build(self, choice: ControllerChoice, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Controller and sensors."""
        walking = self._walking
        robot = robot_from(self._config, walking.variant)
        weight = self._config.body_weight
        self.guarded = guarded_planar(
            robot,
            walking,
            choice.limit,
            self._floor,
            supervision,
            health,
            weight,
            choice.name or DEFAULT,
            choice.told_estimates,
        )
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = SensorInputs(robot.joints, robot.soles, walking.motion.source, choice.raw_messages)
        self.record_names = planar_record_names(robot.joints)

    def record_values(self, output: ControlOutput) -> list[float]:
        """What the controller did, in the order of the names."""
        return planar_record_values(planar_output(output))
