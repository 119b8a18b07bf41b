# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: odometry of a sagittal robot that has none.

It comes from joints, IMU and the wrenches under its feet.
"""

from __future__ import annotations

from nav_msgs.msg import Odometry

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.floating_base import FloatingBaseConfig, SagittalBase
from biped_slip.estimation.health import judge_of
from biped_slip.estimation.readings import Problem, trial_readings
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.dds import (
    LOCKSTEP_INPUTS,
    OUTPUTS,
    SENSOR_INPUTS,
    SerialisedPublisher,
)
from biped_slip.ros.messages import Frames, SerialisedSensors
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.planar_parameters import RobotConfig, robot_from
from biped_slip.ros.sensor_inputs import (
    Due,
    EventDriven,
    Lockstep,
    PacedNode,
    SensorInputs,
)

ODOMETRY_TOPIC = "odom"


@configuration
class BaseEstimatorConfig(Configuration):
    """Parameters of this node alone."""

    variant: str = parameter(
        "thesis",
        choices=tuple(ROOTS),
        doc="robot variant: torso without pitch, or with",
    )
    odom_frame: str = parameter("odom", doc="in which the base moves")
    base_frame: str = parameter("base_link", doc="of the base")
    age_limit: float = parameter(
        0.02, unit="s", above=0.0, high=10.0, doc="older inputs are skipped"
    )
    silence_limit: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=60.0,
        doc="silence of joint_states before it is reported",
    )


class BaseEstimatorNode(PacedNode):
    """Base estimator: every joint_states is answered by one odometry with its stamp."""

    starts_anew = "the base's estimate starts anew"

    def __init__(self, **options: object) -> None:
        super().__init__("base_estimator", **options)
        self._robot_config = declare_configuration(self, RobotConfig())
        self._config = declare_configuration(self, BaseEstimatorConfig())
        self._noise = declare_configuration(self, FloatingBaseConfig(), "noise.")

    def build(self) -> None:
        """Build robot, filter and topics."""
        config = self._config
        robot = robot_from(self._robot_config, self._config.variant)
        self._base = SagittalBase(robot, self._noise)
        # compiles now, not at the first sample
        for readings in trial_readings(len(robot.joints)):
            self._base.step(readings)
        self._judge = judge_of(robot)
        self._sensors = SensorInputs(robot.joints, robot.soles)
        topics = {
            name: topic
            for name, topic in self._sensors.topics.items()
            if name != ODOMETRY_TOPIC
        }
        if self.settings.mode == "lockstep":
            self.hear(
                topics, LOCKSTEP_INPUTS, Lockstep(self.settings.timeout), in_order=True
            )
        else:
            self.hear(
                topics,
                SENSOR_INPUTS,
                EventDriven(config.age_limit, silence=config.silence_limit),
            )
        frames = Frames(base=config.base_frame, odom=config.odom_frame)
        self._messages = SerialisedSensors(robot.joints, robot.soles, frames)
        self._output = self.opened(
            SerialisedPublisher(self, Odometry, ODOMETRY_TOPIC, OUTPUTS)
        )

    def restart(self) -> None:
        """Reset the filter of the base's motion."""
        self._base.reset()
        super().restart()

    def step_at(self, due: Due) -> None:
        """Estimate the base's motion."""
        judged = due.problem or self._judge.judge(self._sensors.readings(due.stamp_ns))
        if isinstance(judged, Problem):
            self.skip(judged)
            return
        readings = judged.record
        base = self._base.step(readings)
        estimated = readings._replace(
            orientation_base_in_world=base.orientation_base_in_world,
            angular_velocity_in_base=base.angular_velocity_in_base,
            position_base_in_odom=base.position_base_in_world,
            linear_velocity_in_base=base.linear_velocity_in_base,
        )
        self._output.publish(self._messages.fill(estimated)[ODOMETRY_TOPIC])
        self.well("estimating")
