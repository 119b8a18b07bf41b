# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: joint torques from sensors and friction estimates.

The estimator runs beside it or inside it.
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any, Callable, Sequence

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray
from std_srvs.srv import Trigger

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode, SupervisorConfig
from biped_slip.control.tick_time import OwnStall, Steady
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import Problem
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.ros.controlled_robot import ControllerNodeConfig, RobotInterface
from biped_slip.ros.dds import (
    COMMAND_QOS,
    LOCKSTEP_INPUTS,
    NO_EVENTS,
    OUTPUTS,
    RECORDS,
    SENSOR_INPUTS,
    SerialisedPublisher,
    message_class,
)
from biped_slip.ros.diagnostics import SAID, LateTicks, Status
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    FOOT_NAMES,
    FrictionInput,
    SerialisedCommand,
    SerialisedScalars,
    ValuesPublisher,
    estimate_in_words,
)
from biped_slip.ros.parameters import (
    declare_configuration,
)
from biped_slip.ros.rehearsal import (
    AUTO,
    CHOSEN_PERIODS,
    rehearsed,
)
from biped_slip.ros.robot_node import SERVICE_PERIOD, RobotNode
from biped_slip.ros.sensor_inputs import (
    TRIGGER,
    Due,
    EventDriven,
    Lockstep,
    PacedNode,
    Pacing,
)
from biped_slip.ros.stamps import StampedPeriod
from biped_slip.ros.velocity_input import VelocityInput
from biped_slip.walking.controller import (
    PERIOD,
    FootEstimates,
    WaitsForJoints,
)
from biped_slip.walking.slip_policies import estimator_of
from biped_slip.walking.steering import Steerable, Steering

ACTIVITY_TYPE = "controller_manager_msgs/msg/ControllerManagerActivity"
TOPIC = "controller_manager/activity"
TOLD_LATE = QoSProfile(
    depth=1,
    reliability=QoSReliabilityPolicy.RELIABLE,
    durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
)


def controller_behind(command_topic: str) -> str:
    """Name the controller that listens on a topic of commands."""
    return command_topic.strip("/").removesuffix("/commands").rpartition("/")[2]


class ControllerActivity:
    """Monitor of a ros2_control controller, where there is a controller manager.

    The manager deactivates a controller after one command that it can't use; from then
    on the joints keep their last torque, and whatever is sent is lost.
    """

    def __init__(self, node: Node, controller: str) -> None:
        self._node = node
        self._controller = controller
        self.problem: Problem | None = None
        self._was_active = self._told = False
        kind = message_class(ACTIVITY_TYPE)
        self._subscription = (
            None
            if kind is None
            else node.create_subscription(
                kind, TOPIC, self.take, TOLD_LATE, event_callbacks=NO_EVENTS
            )
        )

    @property
    def held(self) -> bool:
        """Return whether the controller has not yet been given the joints.

        A controller manager gives them to it.
        """
        return self._told and not self._was_active

    def take(self, message: Any) -> None:
        """Take the states of all controllers."""
        states = [
            one.state.label
            for one in message.controllers
            if one.name == self._controller
        ]
        state = states[0] if states else "not loaded"
        self._told = True
        self._was_active = self._was_active or state == "active"
        lost = self._was_active and state != "active"
        what = f"{self._controller} is {state}: the joints keep their last torque"
        self.problem = (
            Problem("controller not active", what, severe=True) if lost else None
        )

    def close(self) -> None:
        """End the subscription."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None


class ControllerOutputs:
    """Publishers of the controller.

    Commands are published always, records and estimates for listeners.

    Args:
        node: publishes.
        robot: says what robot it is and what a record says.
        topic: of the commands.
        qos: of the commands.
        estimates: whether estimates are published here.
        lossless: every record counts, whether anybody listens or not.
    """

    def __init__(
        self,
        node: RobotNode,
        robot: RobotInterface,
        topic: str,
        qos: QoSProfile,
        estimates: bool,
        lossless: bool,
    ) -> None:
        self._command = SerialisedCommand(len(robot.joints))
        self._values: Callable[[Any], Sequence[float]] = robot.record_values
        self._record = SerialisedScalars("base_link", robot.record_names)
        self._friction = [
            SerialisedScalars(sole, ESTIMATE_NAMES) for sole in robot.soles
        ]
        self._commands = node.opened(
            SerialisedPublisher(node, Float64MultiArray, topic, qos)
        )
        self._records = node.opened(
            SerialisedPublisher(node, JointState, "~/record", RECORDS)
        )
        self._estimates = [
            node.opened(ValuesPublisher(node, f"~/{foot}"))
            for foot in FOOT_NAMES
            if estimates
        ]
        self._lossless = lossless

    @property
    def heard(self) -> bool:
        """Return whether the commands have a subscriber."""
        return self._commands.listeners() > 0

    @property
    def rivals(self) -> int:
        """Count other publishers that command the same joints."""
        return self._commands.rivals()

    @property
    def estimate_topics(self) -> list[str]:
        """Return the topics of the estimates that are made here."""
        return [output.full_name for output in self._estimates]

    def look_for_listeners(self) -> None:
        """Look for subscribers of records and estimates."""
        self._recorded = self._lossless or self._records.listeners() > 0
        self._estimated = any(output.listeners() for output in self._estimates)

    def command(self, stamp: int, efforts: Array) -> None:
        """Publish joint efforts (n,) [N m] that answer an instant [ns]."""
        self._commands.publish(self._command.fill(stamp, efforts))

    def report(self, stamp: int, record: Any) -> None:
        """Publish the controller's record at an instant [ns]."""
        if self._recorded:
            self._records.publish(self._record.fill(stamp, self._values(record)))
        if self._estimated:
            for output, message, estimate in zip(
                self._estimates, self._friction, record.estimates, strict=True
            ):
                output.publish(message.fill(stamp, estimate))

    def deliver(self) -> None:
        """Wait until the last command has arrived."""
        self._commands.deliver()


# by mode, without a problem
WELL = tuple(Status(mode.name.lower().replace("_", " ")) for mode in Mode)
NOT_STEERED = Problem("command", "this controller takes no velocity commands")
LOOKS = 3  # at a silence, after each of which the joints are let go
PERIODS_OF_AGE = (
    4.0  # by which a longer period raises the age limit, of what it is longer (choice)
)
CLOCK_LAG = (
    0.5  # [s] that /clock may be behind the sensors: it is looked at now and then
)
# at most, until the period is long enough: other nodes that start up and compile take
# time (choice)
REHEARSALS = 5
WATCH_MARGIN = 1e-4  # [s] after the age limit, so that the watchdog looks once


class WalkingControllerNode(PacedNode):
    """Walking controller: sensors and estimates in, joint efforts out.

    It sends one command per step, and damps joints on faults.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("walking_controller", **options)
        self._config = declare_configuration(self, ControllerNodeConfig())
        self._robot = self._robot_interface()
        self._supervision = declare_configuration(
            self, SupervisorConfig(), "supervisor."
        )
        self._health = declare_configuration(self, HealthConfig(), "health.")
        self._period: float | None = CHOSEN_PERIODS.get(self._config.period)
        self.live.watch(self._config, self._reconfigure)
        self.live.watch(
            self._supervision,
            lambda config: self._retune(config, self._health),
            "supervisor.",
        )
        self.live.watch(
            self._health,
            lambda config: self._retune(self._supervision, config),
            "health.",
        )
        self._recovery = self.create_service(
            Trigger, "~/recover", self._recover, qos_profile=QoSProfile(depth=1000)
        )

    def _robot_interface(self) -> RobotInterface:
        """Make the interface of the chosen robot.

        A humanoid's libraries are loaded for it alone.
        """
        if self._config.humanoid_walk:
            from biped_slip.ros.humanoid_robot import HumanoidRobot

            return HumanoidRobot(self, self._config.humanoid_walk)
        from biped_slip.ros.planar_robot import PlanarRobot

        return PlanarRobot(self)

    def build(self) -> None:
        """Build controller and topics."""
        config = self._config
        robot = self._robot
        self._embedded = (
            config.embedded_estimator
            or robot.estimates_itself
            or estimator_of(config.limit) is None
        )
        robot.build(config, self._supervision, self._health, self._period)
        self._late = LateTicks(robot.period)
        self._stamped_period = StampedPeriod(robot.period)
        self._stall = OwnStall(config.age_limit)
        self._simulated_time = bool(self.get_parameter("use_sim_time").value)
        robot.guarded.controller.speed_scale = config.speed_scale
        self.guarded = robot.guarded
        self._sensors = robot.sensors
        self._joints = len(robot.joints)
        lockstep = self.settings.mode == "lockstep"
        friction = () if self._embedded else config.friction_topics
        self._friction = [
            FrictionInput(topic, config.raw_messages) for topic in friction
        ]
        pacing: Pacing = Lockstep(self.settings.timeout)
        if not lockstep:
            pacing = EventDriven(config.age_limit, company=config.sync_timeout)
        topics = {
            **self._sensors.topics,
            **{topic.name: topic for topic in self._friction},
        }
        self.hear(
            topics,
            LOCKSTEP_INPUTS if lockstep else SENSOR_INPUTS,
            pacing,
            others=friction,
        )
        self._velocities = self.opened(
            VelocityInput(self, config.cmd_vel_topic, config.clock_tolerance)
        )
        controller = self.guarded.controller
        self._steered = controller if isinstance(controller, Steerable) else None
        # a robot that has been steered does not walk off by itself after a fault
        self._steering = (
            None
            if self._steered is None
            else Steering(
                self._steered.twist_limits,
                config.velocity_timeout,
                config.steered,
            )
        )
        self._set_limits()
        qos = OUTPUTS if lockstep else COMMAND_QOS
        self._outputs = ControllerOutputs(
            self, robot, config.command_topic, qos, self._embedded, lockstep
        )
        self._activity = self.opened(
            ControllerActivity(self, controller_behind(config.command_topic))
        )
        self._period_topic = self.opened(
            SerialisedPublisher(self, Float64, "~/period", OUTPUTS)
        )

    def _reconfigure(self, config: ControllerNodeConfig) -> None:
        self._config = config
        if self.configured:
            self._robot.guarded.controller.speed_scale = config.speed_scale
            self._set_limits()

    def _retune(self, supervision: SupervisorConfig, health: HealthConfig) -> None:
        self._supervision = supervision
        self._health = health
        if self.configured:
            self.guarded.retune(supervision, health)

    def _set_limits(self) -> None:
        """Set the age limits of sensors and estimates, and the limit of silence.

        Ages are by stamps [s], silence is by the steady clock [s].
        """
        self._age_limit = self._config.age_limit + PERIODS_OF_AGE * max(
            self._robot.period - PERIOD, 0.0
        )
        self._silence_limit = (
            self._config.silence_limit if self._simulated_time else self._age_limit
        )
        self._stall.tolerance = 0.5 * self._age_limit
        old = {topic.name: self._config.estimate_age_limit for topic in self._friction}
        self._pacing.set_limits(self._age_limit, old, self._silence_limit)

    def begin(self) -> None:
        """Rehearse the controller, then start in standing with a fresh state."""
        if self.settings.mode == "real-time" and self._config.rehearsal > 0.0:
            self._rehearse()
        self._period_topic.publish(serialize_message(Float64(data=self._robot.period)))
        self.restart()
        self._heard = self.settings.mode == "lockstep"
        self._last = (NO_ESTIMATE, NO_ESTIMATE)
        self._outputs.look_for_listeners()
        if topics := self._outputs.estimate_topics:
            self.get_logger().info(f"estimates friction itself: {', '.join(topics)}")

    def _rehearse(self) -> None:
        """Measure the ticks, and say which period is possible.

        Take that period where it may be chosen.
        """
        external = self._external_estimates()
        for _ in range(REHEARSALS):
            check = rehearsed(
                self,
                self.guarded,
                self._robot.rehearsal(),
                self._config.rehearsal,
                external,
            )
            if check.allows(self._robot.period):
                break
        self.get_logger().info(str(check))
        if self._config.period == AUTO and check.possible not in (
            None,
            self._robot.period,
        ):
            self._period = check.possible
            self.release()
            self.build()
            self.configured = True
        if not check.allows(self._robot.period):
            self.get_logger().warning(
                f"the period of {1e3 * self._robot.period:g} ms is too short: {check}"
            )

    def restart(self) -> None:
        """Restart in standing with a fresh state."""
        self.guarded.start()
        super().restart()
        self._stall.reset()
        self._late.reset()
        self._stamped_period = StampedPeriod(self._robot.period)
        self._input_set.forget()
        for topic in self._friction:
            topic.estimate = NO_ESTIMATE
        self._silent: float | None = (
            None  # [s] steady clock, when the silence was last looked at
        )
        self._looks = 0  # at this silence
        self._reserve: Problem | None = None

    def _recover(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Serve the recovery: stand again after a fault."""
        response.success = self.active and self.guarded.mode == Mode.FAULT
        response.message = (
            f"recovered from {self.guarded.problem}"
            if response.success
            else "there is no fault"
        )
        if response.success:
            self.restart()
            self.well("standing")
        return response

    def wait(self, now: float, timeout: float) -> None:
        """Wait for the input that is due, no longer than the watchdog may."""
        limit = self._silence_limit
        left = limit - (
            now - self._stall.lost - self._input_set.arrivals.get(TRIGGER, -math.inf)
        )
        watch = min(timeout, left + WATCH_MARGIN if left > 0.0 else 0.25 * limit)
        self._stall.waits(now, watch)
        self._late.waits(now)
        self._waiter.wait(self._pacing.awaited(self._input_set), watch)

    def work(self, now: float) -> None:
        """Compute and publish torques when a step is due; watch for missing inputs."""
        # the first command must not be lost: begin with a listener, or one that holds
        # the joints
        if not self._heard:
            self._heard = self._outputs.heard or self._activity.held
            return
        self._late.wakes(now)
        self._stall.looks(now)
        jump = self._input_set.take(now, not self.waited)
        if jump is not None:
            self._pacing.restart()
        due = self._pacing.due(self._input_set)
        if due is not None:
            self._step(due._replace(problem=jump) if jump is not None else due, now)
        elif jump is not None:
            self._missing(jump, now)
        elif missing := self._pacing.late(self._input_set, now - self._stall.lost):
            # nothing moves: no answer is the right one
            if self.settings.mode == "lockstep" or self._paused():
                self.report(str(missing), "input missing", missing.name)
            else:
                self._missing(missing, now)
        elif absent := self._pacing.absent(self._input_set):
            self.awaits(absent)

    def _step(self, due: Due, now: float) -> None:
        self._diagnostics.period.tick(now)
        self.hears(self._input_set.stamps)
        self._silent = None
        if other := self._stamped_period.problem(TRIGGER, due.stamp_ns):
            self.skip(other)
        if self._activity.held:
            self._wait_for_joints()
        begin = self.clock()  # what is decoded before is no stall
        known = self._input_set.topics[TRIGGER].problem is None
        readings = self._sensors.readings(due.stamp_ns)
        if self._steered is not None and self._steering is not None:
            self._steered.twist = self._steering.twist(due.stamp_ns)
        answer = self.guarded.step(
            readings,
            due.problem or self._activity.problem,
            self._external_estimates(),
            known,
            self._steady(begin),
        )
        self._diagnostics.compute.add(self.clock() - begin)
        self._outputs.command(due.stamp_ns, answer.torques)
        self._late.answers(self.clock())
        if answer.output is not None:
            self._last = answer.output.estimates
            self._outputs.report(due.stamp_ns, answer.output)
        self._tell()

    def _wait_for_joints(self) -> None:
        """Wait for joints that others still hold: nothing counts as a fault yet."""
        if self.guarded.mode == Mode.FAULT:
            self.guarded.start()
        if isinstance(self.guarded.controller, WaitsForJoints):
            self.guarded.controller.wait_for_joints()

    def _steady(self, now: float) -> Steady | None:
        """Return the clock by which torques build up beside the stamps.

        There is one where both are real time.
        """
        stall = self._stall.longest
        self._stall.answers(now)
        if self.settings.mode == "lockstep" or self._simulated_time:
            return None
        if stall > 0.0:
            self.skipped[
                "own stall ridden through"
                if stall <= self._supervision.ridden_stall
                else "own stall"
            ] += 1
        return Steady(now, stall)

    def _paused(self) -> bool:
        """Return whether simulated time stands still where the newest input is.

        It never does without a /clock.
        """
        now = self.get_clock().now().nanoseconds if self._simulated_time else 0
        beyond = 1e-9 * (now - max(self._input_set.stamps.values()))
        return now > 0 and -CLOCK_LAG < beyond < self._age_limit

    def _missing(self, problem: Problem, now: float) -> None:
        """Release the joints without usable input.

        This is done a few times over, for a command may be lost.
        """
        self._looks = 1 if self._silent is None else self._looks + 1
        dt = self._silence_limit if self._silent is None else now - self._silent
        self._silent = now
        self._stall.answers(now)
        torques = self.guarded.wait(problem, dt)
        if self._looks <= LOOKS:
            self._outputs.command(
                max(self._input_set.stamps.values(), default=0), torques
            )
        if self._looks == 1:
            self.skipped[str(problem)] += 1
        self._tell()

    def _tell(self) -> None:
        """Log state and problem, where they have changed."""
        mode = self.guarded.mode
        problem = self.guarded.problem
        word = WELL[mode].word
        if problem is None and (reserve := self.guarded.controller.reserve) is not None:
            # in the log once, though a sample may be skipped between
            if reserve != self._reserve:
                self.get_logger().error(str(reserve))
            self._reserve = reserve
            self.status = Status(
                word, str(reserve), healthy=False, problem=reserve.name
            )
        elif problem is None:
            self._reserve = None
            self.status = WELL[mode]
        elif self._activity.held:  # not for good, so counted, and in the log once
            self.skip(problem)
        elif mode == Mode.FAULT:
            self.report(str(problem), word, problem.name)
        elif mode == Mode.SAFE_STOP:
            self.skip(problem)
            self.status = Status(
                word, str(problem), healthy=False, problem=problem.name
            )

    def _external_estimates(self) -> FootEstimates | None:
        if self._embedded:
            return None
        left, right = self._friction
        return left.estimate, right.estimate

    def housekeep(self) -> None:
        """Look for listeners besides the other occasional tasks.

        Look for rivals as often as diagnostics are due.
        """
        before = self._diagnosed
        super().housekeep()
        if self.configured:
            self._outputs.look_for_listeners()
            self._hear_commands()
            if self._diagnosed > before:
                self._velocities.look()
                self.note_rivals()

    def _hear_commands(self) -> None:
        """Take the newest velocity command; what is wrong with it is in the log once.

        It counts from the newest instant of the sensors.
        """
        twist = self._velocities.newest()
        refused = self._velocities.problem
        if refused is not None:
            self.note(refused)
        if twist is None:
            return
        problem: Problem | None = NOT_STEERED
        if self._steering is not None:
            self._steering.take(twist, max(self._input_set.stamps.values(), default=0))
            problem = self._steering.problem
        if problem is not None:
            self.note(problem)

    def note_rivals(self) -> None:
        """Report other publishers of the commands, and other nodes of this node's name.

        They are counted and in the log.
        """
        named = self.get_node_names_and_namespaces().count(
            (self.get_name(), self.get_namespace())
        )
        for there, name, what in (
            (
                self._outputs.rivals > 0,
                "second publisher",
                f"another node publishes {self._config.command_topic}",
            ),
            (
                named > 1,
                "second controller",
                f"another node is called {self.get_fully_qualified_name()}",
            ),
        ):
            sentence = f"{name}: {what}"
            if there and not self.skipped[sentence]:
                self.get_logger().error(sentence)
            if there:
                self.skipped[sentence] += 1

    def make_safe(self) -> None:
        """Damp the joints while their motion is known, then send zero effort."""
        try:
            # what made it stop may fail here again
            with contextlib.suppress(Exception):
                self._damp()
        finally:
            self._let_go()

    def _damp(self) -> None:
        self.guarded.stop()
        self.waited = False  # the newest instant counts
        end = time.monotonic() + self._supervision.damping_time
        if self._input_set.stamps and self._silent is None:
            self._step(Due(max(self._input_set.stamps.values()), None), self.clock())
        while (
            self._input_set.stamps
            and not self.guarded.resting
            and self._silent is None
            and time.monotonic() < end
        ):
            self.wait(self.clock(), SERVICE_PERIOD)
            self.work(self.clock())

    def _let_go(self) -> None:
        """Send zero effort, and give it time to arrive."""
        self._outputs.command(
            max(self._input_set.stamps.values(), default=0), np.zeros(self._joints)
        )
        self._outputs.deliver()

    def counters(self) -> dict[str, int | str]:
        """List messages decoded as typed ones, and the estimates of each foot."""
        known = (
            dict(zip(FOOT_NAMES, map(estimate_in_words, self._last), strict=True))
            if self.active
            else {}
        )
        if self.settings.mode == "real-time":
            known |= {
                f"{SAID}{cause}": str(number)
                for cause, number in self._late.causes.items()
            }
        return {
            "messages decoded by type": self._input_set.typed()
            if self.configured
            else 0,
            **known,
        }
