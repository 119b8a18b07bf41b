# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: odometry of a sagittal robot that has none, from joints, IMU and the wrenches under its feet."""

from __future__ import annotations

from nav_msgs.msg import Odometry

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.floating_base import FloatingBaseConfig, SagittalBase
from biped_slip.estimation.readings import Problem, trial_readings
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.dds import LOCKSTEP_INPUTS, OUTPUTS, SENSOR_INPUTS, SerialisedPublisher, Waiter
from biped_slip.ros.messages import Frames, SerialisedSensors
from biped_slip.ros.pacing import Due, EventDriven, Lockstep, Pacing
from biped_slip.ros.parameters import RobotConfig, declare_configuration, robot_from
from biped_slip.ros.robot_node import RobotNode, serve
from biped_slip.ros.sensor_inputs import InputSet, SensorInputs

ODOMETRY = "odom"


@configuration
class BaseEstimatorConfig(Configuration):
    """Parameters of this node alone."""

    variant: str = parameter("thesis", choices=tuple(ROOTS), doc="robot variant: torso without pitch, or with")
    odom_frame: str = parameter("odom", doc="in which the base moves")
    base_frame: str = parameter("base_link", doc="of the base")
    age_limit: float = parameter(0.02, unit="s", above=0.0, high=10.0, doc="older inputs are skipped")
    silence_limit: float = parameter(
        1.0, unit="s", above=0.0, high=60.0, doc="joint_states may be silent for so long before it is said"
    )


class BaseEstimatorNode(RobotNode):
    """Every joint_states is answered by one odometry with its stamp."""

    def __init__(self, **options: object) -> None:
        super().__init__("base_estimator", **options)
        self._robot_config = declare_configuration(self, RobotConfig())
        self._config = declare_configuration(self, BaseEstimatorConfig())
        self._noise = declare_configuration(self, FloatingBaseConfig(), "noise.")
        self._input_set: InputSet | None = None

    def build(self) -> None:
        """Robot, filter, topics."""
        config, lockstep = self._config, self.settings.mode == "lockstep"
        robot = robot_from(self._robot_config, config.variant)
        self._base = SagittalBase(robot, self._noise)
        for readings in trial_readings(len(robot.joints)):  # compiles now, not at the first sample
            self._base.step(readings)
        self._sensors = SensorInputs(robot.joints, robot.soles)
        topics = {name: topic for name, topic in self._sensors.topics.items() if name != ODOMETRY}
        self._pacing: Pacing = (
            Lockstep(self.settings.patience)
            if lockstep
            else EventDriven(config.age_limit, silence=config.silence_limit)
        )
        self._input_set = InputSet(
            self, topics, LOCKSTEP_INPUTS if lockstep else SENSOR_INPUTS, self.skipped, in_order=lockstep
        )
        self._waiter = Waiter(self, len(topics))
        frames = Frames(base=config.base_frame, odom=config.odom_frame)
        self._messages = SerialisedSensors(robot.joints, robot.soles, frames)
        self._output = SerialisedPublisher(self, Odometry, ODOMETRY, OUTPUTS)

    def begin(self) -> None:
        """Start without memory."""
        self._restart()
        self._input_set.forget()

    def _restart(self) -> None:
        self._base.reset()
        self._pacing.restart()

    def wait(self, timeout: float) -> None:
        """Wait for the input that is due."""
        self._waiter.wait(self._pacing.awaited(self._input_set), timeout)

    def work(self) -> None:
        """Estimate when a step is due."""
        if jump := self._input_set.take():
            self.get_logger().warning(f"{jump}; the base's estimate starts anew")
            self._restart()
        due = self._pacing.due(self._input_set)
        if due is not None:
            self._diagnostics.period.tick()
            self.hears(self._input_set.stamps)
            self._estimate(due)
        elif (missing := self._pacing.late(self._input_set, self.clock())) and self.status.sentence != str(missing):
            self.skip(missing)
        elif absent := self._pacing.absent(self._input_set):
            self.awaits(absent)

    def _estimate(self, due: Due) -> None:
        readings = self._sensors.readings(due.stamp_ns)
        problem = due.problem
        if problem is None and not readings.is_finite():
            problem = Problem("input not finite", "a number of the sensors")
        if problem is not None:
            self.skip(problem)
            return
        base = self._base.step(readings)
        told = readings._replace(
            orientation_base_in_world=base.orientation_base_in_world,
            angular_velocity_in_base=base.angular_velocity_in_base,
            position_base_in_odom=base.position_base_in_world,
            linear_velocity_in_base=base.linear_velocity_in_base,
        )
        self._output.publish(self._messages.fill(told)[ODOMETRY])
        self.well("estimating")

    def release(self) -> None:
        """Topics."""
        if self._input_set is not None:
            self._input_set.close()
            self._output.close()
            self._input_set = None


def main() -> int:
    """Run the node as a process."""
    return serve(BaseEstimatorNode)


if __name__ == "__main__":
    raise SystemExit(main())
