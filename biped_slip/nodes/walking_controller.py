# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: joint torques from sensors and friction estimates; the estimator runs beside it or inside it."""

from __future__ import annotations

import contextlib
import math
import time

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import Mode, SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.motion import motion_source
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import Array, trial_readings
from biped_slip.friction.types import NO_ESTIMATE
from biped_slip.nodes.diagnostics import Status
from biped_slip.nodes.inbox import Inbox
from biped_slip.nodes.mailbox import Waiter
from biped_slip.nodes.messages import FEET, SerialisedCommand
from biped_slip.nodes.named_scalars import (
    ESTIMATE_NAMES,
    FrictionInput,
    SerialisedScalars,
    control_record_names,
    control_record_values,
    estimate_in_words,
)
from biped_slip.nodes.outbox import Outbox
from biped_slip.nodes.pacing import TRIGGER, Due, EventDriven, Lockstep, Pacing
from biped_slip.nodes.parameters import declare_configuration
from biped_slip.nodes.qos import COMMANDS, LOCKSTEP_INPUTS, OUTPUTS, RECORDS, SENSOR_INPUTS
from biped_slip.nodes.robot_node import SERVICE_PERIOD, RobotNode, serve
from biped_slip.nodes.robot_parameters import declare_robot, robot_from
from biped_slip.nodes.scenario_parameters import declare_brain
from biped_slip.nodes.sensor_inputs import SensorInputs
from biped_slip.simulation.guarded_walker import Estimates, GuardedWalker
from biped_slip.simulation.prevention import prevention
from biped_slip.simulation.walker import ControlRecord, Walker

WORDS = {mode: mode.name.lower().replace("_", " ") for mode in Mode}  # of /diagnostics
WATCH_MARGIN = 1e-4  # [s] after the age limit, so that the watchdog looks once


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
        0.004,
        unit="s",
        above=0.0,
        high=1.0,
        source="5 control ticks",
        doc="older sensors are a problem (real time)",
        caution="lower",
    )
    estimate_age_limit: float = parameter(
        0.05,
        unit="s",
        above=0.0,
        high=10.0,
        source="choice",
        doc="older estimates are a problem (real time)",
        caution="lower",
    )
    speed_scale: float = parameter(
        1.0, low=0.0, high=1.0, doc="of the scenario's speed command; 0: stand when the step is over", read_only=False
    )
    raw_messages: bool = parameter(True, doc="decode sensors from their bytes; otherwise always through typed messages")


class WalkingControllerNode(RobotNode):
    """Sensors and estimates in, joint efforts out: one command per step, damped joints whenever something is wrong."""

    def __init__(self, **options: object) -> None:
        super().__init__("walking_controller", **options)
        self._choice, self._scenario = declare_brain(self)
        self._robot_config, self._floor = declare_robot(self, self._scenario)
        self._config = declare_configuration(self, ControllerNodeConfig())
        self._supervision = declare_configuration(self, SupervisorConfig(), "supervisor.")
        self._health = declare_configuration(self, HealthConfig(), "health.")
        self._inbox: Inbox | None = None
        self.live.watch(self._config, self._reconfigure)
        self.live.watch(self._supervision, self._resupervise, "supervisor.")
        self.live.watch(self._health, self._rejudge, "health.")
        self._recovery = self.create_service(Trigger, "~/recover", self._recover)

    def build(self) -> None:
        """Robot, walker, topics."""
        config, scenario = self._config, self._scenario
        robot = robot_from(self._robot_config, scenario.variant)
        motion = motion_source(robot, scenario.motion, self._floor)
        chosen = prevention(config.limit, scenario, robot, self._robot_config.body_weight)
        walker = Walker(robot, scenario, chosen, motion, self._floor.slope)
        period = 1e-9 * scenario.plant.control_period_ns
        self.walker = GuardedWalker(robot, walker, self._supervision, self._health, self._floor.slope, period)
        self.walker.start()
        walker.speed_scale = config.speed_scale
        for readings in trial_readings(len(robot.joints)):  # compiles now, not at the first sample
            walker.step(readings)
            walker.step(readings._replace(stamp_ns=readings.stamp_ns + 1), (NO_ESTIMATE, NO_ESTIMATE))
            self.walker.step(readings)
        self._joints = len(robot.joints)
        self._sensors = SensorInputs(robot.joints, robot.soles, scenario.motion.source, config.raw_messages)
        self._command = SerialisedCommand(self._joints)
        self._record_message = SerialisedScalars("base_link", control_record_names(robot.joints))
        self._estimate_messages = [SerialisedScalars(sole, ESTIMATE_NAMES) for sole in robot.soles]
        self._connect()

    def _reconfigure(self, config: ControllerNodeConfig) -> None:
        self._config = config
        if self._inbox is not None:
            self.walker.walker.speed_scale = config.speed_scale
            self._pacing.set_limits(*self._age_limits())

    def _resupervise(self, config: SupervisorConfig) -> None:
        self._supervision = config
        self._retune()

    def _rejudge(self, config: HealthConfig) -> None:
        self._health = config
        self._retune()

    def _retune(self) -> None:
        if self._inbox is not None:
            self.walker.retune(self._supervision, self._health)

    def _age_limits(self) -> tuple[float, dict[str, float]]:
        """Of sensors, and of the estimates [s]."""
        return self._config.age_limit, {topic.name: self._config.estimate_age_limit for topic in self._friction}

    def _connect(self) -> None:
        config, lockstep = self._config, self.settings.mode == "lockstep"
        friction = () if config.embedded_estimator else config.friction_topics
        self._friction = [FrictionInput(topic, config.raw_messages) for topic in friction]
        self._pacing: Pacing = Lockstep(self.settings.patience) if lockstep else EventDriven(*self._age_limits())
        topics = {**self._sensors.topics, **{topic.name: topic for topic in self._friction}}
        self._inbox = Inbox(self, topics, LOCKSTEP_INPUTS if lockstep else SENSOR_INPUTS, self.skipped, others=friction)
        self._waiter = Waiter(self, len(topics))
        qos = OUTPUTS if lockstep else COMMANDS
        self._commands = Outbox(self, Float64MultiArray, config.command_topic, qos)
        self._records = Outbox(self, JointState, "~/record", RECORDS)
        estimates = [f"~/{foot}/friction" for foot in FEET if config.embedded_estimator]
        self._estimates = [Outbox(self, JointState, topic, OUTPUTS) for topic in estimates]

    def begin(self) -> None:
        """Start standing, without memory."""
        self._restart()
        self._heard = self.settings.mode == "lockstep"
        self._last = (NO_ESTIMATE, NO_ESTIMATE)
        self._look_for_listeners()

    def _restart(self) -> None:
        self.walker.start()
        self._pacing.restart()
        self._inbox.forget()
        for topic in self._friction:
            topic.estimate = NO_ESTIMATE
        self._silent: float | None = None  # [s] steady clock, when the silence was last looked at

    def _recover(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Service: stand again after a fault."""
        response.success = self.active and self.walker.mode == Mode.FAULT
        response.message = f"recovered from {self.walker.problem}" if response.success else "there is no fault"
        if response.success:
            self._restart()
            self.well("standing")
        return response

    def wait(self, timeout: float) -> None:
        """Wait for the input that is due, no longer than the watchdog may."""
        limit = self._config.age_limit
        left = limit - (self.clock() - self._inbox.arrivals.get(TRIGGER, -math.inf))
        watch = min(timeout, left + WATCH_MARGIN if left > 0.0 else 0.25 * limit)
        self._waiter.wait(self._pacing.awaited(self._inbox), watch)

    def work(self) -> None:
        """Control when a step is due; watch for input that has stopped."""
        if not self._heard:  # the first command must not be lost: begin when somebody listens
            self._heard = self._commands.listeners() > 0
            return
        jump = self._inbox.take()
        if jump is not None:
            self._pacing.restart()
        due = self._pacing.due(self._inbox)
        if due is not None:
            self._step(due._replace(problem=jump) if jump is not None else due)
        elif jump is not None:
            self._missing(jump, self.clock())
        elif missing := self._pacing.late(self._inbox, now := self.clock()):
            if self.settings.mode == "lockstep":  # the simulator stands still and waits: no answer is the right one
                self.report(str(missing), "input missing", missing.name)
            else:
                self._missing(missing, now)

    def _step(self, due: Due) -> None:
        self._diagnostics.period.tick()
        self._silent = None
        begin = time.perf_counter()
        known = self._inbox.topics[TRIGGER].problem is None
        readings = self._sensors.readings(due.stamp_ns)
        answer = self.walker.step(readings, due.problem, self._external_estimates(), known)
        self._diagnostics.compute.add(time.perf_counter() - begin)
        self._send(due.stamp_ns, answer.torques)
        if answer.record is not None:
            self._last = answer.record.estimates
            self._publish_record(due.stamp_ns, answer.record)
        self._tell()

    def _missing(self, problem: Problem, now: float) -> None:
        """Nothing to act upon: the joints are let go, once."""
        first = self._silent is None
        dt = self._config.age_limit if self._silent is None else now - self._silent
        self._silent = now
        torques = self.walker.wait(problem, dt)
        if first:
            self._send(max(self._inbox.stamps.values(), default=0), torques)
            self.skipped[str(problem)] += 1
        self._tell()

    def _tell(self) -> None:
        """State and problem, where they have changed."""
        mode, problem = self.walker.mode, self.walker.problem
        word = WORDS[mode]
        if problem is None:
            self.well(word)
        elif mode == Mode.FAULT:
            self.report(str(problem), word, problem.name)
        elif mode == Mode.SAFE_STOP:
            self.skip(problem)
            self.status = Status(word, str(problem), healthy=False, problem=problem.name)

    def _external_estimates(self) -> Estimates | None:
        if self._config.embedded_estimator:
            return None
        left, right = self._friction
        return left.estimate, right.estimate

    def _publish_record(self, stamp: int, record: ControlRecord) -> None:
        if self._recorded:
            self._records.publish(self._record_message.fill(stamp, control_record_values(record)))
        if self._estimated:
            outputs = zip(self._estimates, self._estimate_messages, record.estimates, strict=True)
            for output, message, estimate in outputs:
                output.publish(message.fill(stamp, estimate))

    def look_around(self) -> None:
        """Whether anybody listens, too."""
        super().look_around()
        if self._inbox is not None:
            self._look_for_listeners()

    def _look_for_listeners(self) -> None:
        """Records and estimates are published where somebody listens; in lockstep every record counts."""
        lockstep = self.settings.mode == "lockstep"
        self._recorded = lockstep or self._records.listeners() > 0
        self._estimated = any(output.listeners() for output in self._estimates)

    def _send(self, stamp: int, efforts: Array) -> None:
        self._commands.publish(self._command.fill(stamp, efforts))

    def make_safe(self) -> None:
        """Damped joints as long as their motion is known, then zero effort."""
        self.walker.stop()
        end = time.monotonic() + self._supervision.damping_time
        with contextlib.suppress(Exception):  # what made it stop may fail here again; zero effort follows anyway
            if self._inbox.stamps and self._silent is None:
                self._step(Due(max(self._inbox.stamps.values()), None))
            while self._inbox.stamps and not self.walker.resting and self._silent is None and time.monotonic() < end:
                self.wait(SERVICE_PERIOD)
                self.work()
        self._send(max(self._inbox.stamps.values(), default=0), np.zeros(self._joints))
        self._commands.deliver()

    def counters(self) -> dict[str, int | str]:
        """Messages that could not be decoded from their bytes, and what is known under each foot."""
        known = dict(zip(FEET, map(estimate_in_words, self._last), strict=True)) if self.active else {}
        return {"messages decoded by type": 0 if self._inbox is None else self._inbox.typed(), **known}

    def release(self) -> None:
        """Topics."""
        if self._inbox is not None:
            self._inbox.close()
            for output in (self._commands, self._records, *self._estimates):
                output.close()
            self._inbox = None


def main() -> int:
    """Run the node as a process."""
    return serve(WalkingControllerNode)


if __name__ == "__main__":
    raise SystemExit(main())
