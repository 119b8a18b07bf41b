# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped behind the node that estimates friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import FrozenInputs, HealthConfig, judge_of
from biped_slip.estimation.planar_feet import motion_source
from biped_slip.estimation.planar_health import HealthWatch
from biped_slip.estimation.readings import Judged, Problem
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.friction_estimation.types import ForceSource
from biped_slip.ros.messages import InputTopic
from biped_slip.ros.planar_parameters import declare_robot, declare_walking, robot_from
from biped_slip.ros.sensor_inputs import SensorInputs
from biped_slip.walking.felt_friction import FeltFriction, nothing_felt
from biped_slip.walking.planar import FrictionObserver

if TYPE_CHECKING:
    from biped_slip.ros.nodes.friction_estimator import EstimatorNodeConfig
    from biped_slip.ros.robot_node import RobotNode


class PlanarFriction:
    """Friction under a sagittal robot: its sensors, and the health of those.

    Args:
        node: where parameters are declared.
    """

    base = "base_link"
    force_source = int(ForceSource.FORCE_SENSOR)

    def __init__(self, node: RobotNode) -> None:
        self._walking, slope = declare_walking(node, without=("controller", "speed"))
        self._robot_config, self._floor = declare_robot(node, slope)

    def build(self, config: EstimatorNodeConfig) -> None:
        """Build robot and observer."""
        walking = self._walking
        robot = robot_from(self._robot_config, walking.variant)
        weight = self._robot_config.body_weight or robot.mass * GRAVITY
        estimator = make_estimator(
            config.estimator, walking.policy_settings(weight).estimator
        )
        motion = motion_source(robot, walking.motion, self._floor)
        self._observer = FrictionObserver(robot, estimator, motion)
        self._observer.try_out(len(robot.joints))
        self._sensors = SensorInputs(robot.joints, robot.soles, walking.motion.source)
        self._watch = HealthWatch(
            robot, HealthConfig(), height=0.0, slope=self._floor.slope
        )
        self._frozen = FrozenInputs()
        self._judge = judge_of(robot)
        self._believes = not config.judge_sensors
        self.soles = robot.soles

    @property
    def topics(self) -> Mapping[str, InputTopic]:
        """Return the topics of the sensors in the order of publication."""
        return self._sensors.topics

    def reset(self) -> None:
        """Reset the estimators."""
        self._observer.reset()
        self._watch.reset()
        self._frozen.reset()
        self._stamp_ns: int | None = None

    def passed_over(self, stamp_ns: int) -> None:
        """Note an instant [ns] whose sensors cannot be used."""
        self._stamp_ns = stamp_ns

    def step(self, stamp_ns: int) -> FeltFriction:
        """Estimate friction from the newest readings of all sensors."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (stamp_ns - self._stamp_ns)
        self._stamp_ns = stamp_ns
        judged = self._judge.judge(self._sensors.readings(stamp_ns))
        if not self._believes and isinstance(judged, Judged):
            judged = self._frozen.step(judged.record, dt) or judged
        if isinstance(judged, Problem):
            return nothing_felt(judged)
        readings = judged.record
        doubt = None if self._believes else self._watch.step(readings, dt)
        observed = self._observer.step(readings)
        return FeltFriction(
            estimates=observed.estimates,
            measurements=observed.measurements,
            problem=None if doubt is None or doubt.severe else doubt,
        )

    def faults(self) -> tuple[str, str]:
        """Explain why the last sample of each foot was invalid, where it is known."""
        return self._observer.faults()

    def notes(self) -> dict[str, str]:
        """List what a reader of diagnostics should know beside the estimates."""
        return {}
