# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: joint torques from sensors and friction estimates; the estimator runs beside it or inside it."""

from __future__ import annotations

import time

import numpy as np
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.motion import motion_source
from biped_slip.estimation.readings import Array, trial_readings
from biped_slip.friction.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.nodes.inbox import Inbox
from biped_slip.nodes.mailbox import Waiter
from biped_slip.nodes.messages import FEET, CommandMessage, SensorDecoder, UnusableSample, sensor_topics
from biped_slip.nodes.named_scalars import (
    ESTIMATE_NAMES,
    NamedScalars,
    control_record_names,
    control_record_values,
    estimate_from,
    estimate_in_words,
)
from biped_slip.nodes.pacing import Due, EventDriven, Lockstep, Pacing
from biped_slip.nodes.parameters import declare_configuration
from biped_slip.nodes.qos import COMMANDS, LOCKSTEP_INPUTS, OUTPUTS, RECORDS, SENSOR_INPUTS, overridable
from biped_slip.nodes.robot_node import RobotNode, serve
from biped_slip.nodes.robot_parameters import declare_robot, robot_from
from biped_slip.nodes.scenario_parameters import declare_brain
from biped_slip.simulation.prevention import prevention
from biped_slip.simulation.walker import ControlRecord, Walker

DELIVERY = Duration(seconds=0.1)  # for the last command


@configuration
class ControllerNodeConfig(Configuration):
    """Parameters of this node alone."""

    limit: str = parameter("interval", doc="slip prevention: none, constant:RATIO, oracle or an estimator's name")
    embedded_estimator: bool = parameter(False, doc="estimate inside this process instead of listening to estimates")
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction" for foot in FEET), doc="estimates of the left and right foot"
    )
    command_topic: str = parameter("effort_controller/commands", doc="joint efforts")
    age_limit: float = parameter(
        0.004, unit="s", above=0.0, high=1.0, source="5 control ticks", doc="older sensors mean zero effort (real time)"
    )
    estimate_age_limit: float = parameter(
        0.05, unit="s", above=0.0, high=10.0, source="choice", doc="older estimates mean zero effort (real time)"
    )


class WalkingControllerNode(RobotNode):
    """Sensors and estimates in, joint efforts out: one command per step, zero effort whenever something is wrong."""

    def __init__(self, **options: object) -> None:
        super().__init__("walking_controller", **options)
        self._choice, self._scenario = declare_brain(self)
        self._robot_config, self._floor = declare_robot(self, self._scenario)
        self._config = declare_configuration(self, ControllerNodeConfig())
        self._inbox: Inbox | None = None

    def build(self) -> None:
        """Robot, walker, topics."""
        config, scenario = self._config, self._scenario
        robot = robot_from(self._robot_config, scenario.variant)
        motion = motion_source(robot, scenario.motion, self._floor)
        chosen = prevention(config.limit, scenario, robot, self._robot_config.body_weight)
        self._walker = Walker(robot, scenario, chosen, motion, self._floor.slope)
        for readings in trial_readings(len(robot.joints)):  # compiles now, not at the first sample
            self._walker.step(readings)
            self._walker.step(readings._replace(stamp_ns=readings.stamp_ns + 1), (NO_ESTIMATE, NO_ESTIMATE))
        self._joints, self._effort_limits = len(robot.joints), robot.effort_limits
        self._decoder = SensorDecoder(robot.joints, robot.soles)
        self._command = CommandMessage(self._joints)
        self._record_message = NamedScalars("base_link", control_record_names(robot.joints))
        self._estimate_messages = [NamedScalars(sole, ESTIMATE_NAMES) for sole in robot.soles]
        self._connect()

    def _connect(self) -> None:
        config, lockstep = self._config, self.settings.mode == "lockstep"
        friction = () if config.embedded_estimator else config.friction_topics
        limits = dict.fromkeys(friction, config.estimate_age_limit)
        self._pacing: Pacing = Lockstep(self.settings.patience) if lockstep else EventDriven(config.age_limit, limits)
        topics = {**sensor_topics(self._scenario.motion.source), **dict.fromkeys(friction, JointState)}
        self._inbox = Inbox(self, topics, LOCKSTEP_INPUTS if lockstep else SENSOR_INPUTS, self.skipped)
        self._waiter = Waiter(self, len(topics))

        def publisher(kind: type, topic: str, qos: object) -> object:
            return self.create_lifecycle_publisher(kind, topic, qos, qos_overriding_options=overridable())

        self._commands = publisher(Float64MultiArray, config.command_topic, OUTPUTS if lockstep else COMMANDS)
        self._records = publisher(JointState, "~/record", RECORDS)
        self._estimates = [
            publisher(JointState, f"~/{foot}/friction", OUTPUTS) for foot in FEET if config.embedded_estimator
        ]

    def begin(self) -> None:
        """Start standing, without memory."""
        self._restart()
        self._inbox.forget()
        self._heard = self.settings.mode == "lockstep"
        self._last = (NO_ESTIMATE, NO_ESTIMATE)

    def _restart(self) -> None:
        self._walker.reset()
        self._pacing.restart()

    def wait(self, timeout: float) -> None:
        """Wait for the input that is due, no longer than the watchdog may."""
        watch = min(timeout, 0.25 * self._config.age_limit)
        self._waiter.wait([self._inbox.boxes[topic] for topic in self._pacing.awaited(self._inbox)], watch)

    def work(self) -> None:
        """Control when a step is due; watch for input that has stopped."""
        if not self._heard:  # the first command must not be lost: begin when somebody listens
            self._heard = self._commands.get_subscription_count() > 0
            return
        if self._inbox.take():
            self.get_logger().warning("the clock of the inputs jumped; estimators and gait start anew")
            self._restart()
        due = self._pacing.due(self._inbox)
        if due is not None:
            self._diagnostics.period.tick()
            self._send(due.stamp_ns, self._efforts(due))
        elif missing := self._pacing.late(self._inbox, time.monotonic()):
            if self.settings.mode == "lockstep":  # the simulator stands still and waits: no answer is the right one
                self.report(missing, "input missing")
            else:
                self._send(max(self._inbox.stamps.values()), np.zeros(self._joints))
                self.skip(missing)

    def _efforts(self, due: Due) -> Array:
        try:
            if due.problem:
                raise UnusableSample(due.problem)
            record = self._walker.step(self._decoder.decode(self._inbox.messages), self._external_estimates())
            if not np.isfinite(record.torques).all():
                raise UnusableSample("the controller's efforts are not finite")
        except UnusableSample as problem:
            self.skip(str(problem))
            return np.zeros(self._joints)
        self._last = record.estimates
        self._publish_record(due.stamp_ns, record)
        self.well("walking")
        return np.clip(record.torques, -self._effort_limits, self._effort_limits)

    def _external_estimates(self) -> tuple[FrictionEstimate, FrictionEstimate] | None:
        if self._config.embedded_estimator:
            return None
        messages = (self._inbox.messages.get(topic) for topic in self._config.friction_topics)
        left, right = (NO_ESTIMATE if message is None else estimate_from(message) for message in messages)
        return left, right

    def _publish_record(self, stamp: int, record: ControlRecord) -> None:
        self._records.publish(self._record_message.fill(stamp, control_record_values(record)))
        for publisher, message, estimate in zip(
            self._estimates, self._estimate_messages, record.estimates, strict=False
        ):
            publisher.publish(message.fill(stamp, estimate))

    def _send(self, stamp: int, efforts: Array) -> None:
        self._commands.publish(self._command.fill(stamp, efforts))

    def counters(self) -> dict[str, int | str]:
        """What is known under each foot."""
        return dict(zip(FEET, map(estimate_in_words, self._last), strict=True)) if self.active else {}

    def make_safe(self) -> None:
        """Zero effort."""
        self._send(max(self._inbox.stamps.values(), default=0), np.zeros(self._joints))
        self._commands.wait_for_all_acked(DELIVERY)

    def release(self) -> None:
        """Topics."""
        if self._inbox is not None:
            self._inbox.close()
            for publisher in (self._commands, self._records, *self._estimates):
                self.destroy_lifecycle_publisher(publisher)
            self._inbox = None


def main() -> int:
    """Run the node as a process."""
    return serve(WalkingControllerNode)


if __name__ == "__main__":
    raise SystemExit(main())
