# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: scales velocity commands down to the floor's friction.

It stands between a planner and any walking controller.
"""

from __future__ import annotations

from typing import Any, Callable

from geometry_msgs.msg import Twist as TwistMessage
from geometry_msgs.msg import TwistStamped, WrenchStamped
from sensor_msgs.msg import JointState

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import FEET as SIDES
from biped_slip.control import friction_governor
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import (
    LONGEST_SENTENCE,
    SECOND,
    Judge,
    Problem,
    within,
)
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.ros.dds import COMMAND_QOS, SENSOR_INPUTS, message_class
from biped_slip.ros.diagnostics import Status
from biped_slip.ros.friction_messages import ESTIMATE_TYPE, FootReport, report_from
from biped_slip.ros.messages import (
    FOOT_NAMES,
    UnusableSample,
    check_topic_per_foot,
    estimate_in_words,
    time_in,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.stamps import CLOCK_TOLERANCE, ClockRange, Sender, clock_range

NO_FORCE = (float("nan"),) * 3
NO_REPORT = FootReport(NO_ESTIMATE, float("nan"))


@configuration
class GovernorNodeConfig(Configuration):
    """Parameters of this node alone."""

    rate: float = parameter(
        50.0, unit="Hz", low=5.0, high=1000.0, doc="of the commands that go out"
    )
    body_weight: float = parameter(
        0.0, unit="N", low=0.0, high=1e6, doc="of the robot; must be given"
    )
    stamped: bool = parameter(True, doc="commands are TwistStamped; otherwise Twist")
    cmd_vel_in_topic: str = parameter(
        "cmd_vel_smoothed", doc="commands, as a velocity smoother sends them"
    )
    cmd_vel_out_topic: str = parameter("cmd_vel", doc="what goes through")
    velocity_timeout: float = parameter(
        0.5,
        unit="s",
        above=0.0,
        high=60.0,
        doc="without a command: one of zero goes out, then none",
    )
    age_limit: float = parameter(
        0.1,
        unit="s",
        above=0.0,
        high=10.0,
        doc="older wrenches and estimates are not used",
    )
    clock_tolerance: float = parameter(
        CLOCK_TOLERANCE,
        unit="s",
        low=0.0,
        high=3600.0,
        doc="by which stamps may differ from the node's clock; 0: they are of another "
        "clock, and age counts by arrival and against each other",
    )
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES),
        doc="estimates of the left and right foot",
    )
    typed_estimates: bool = parameter(
        False,
        doc="estimates are biped_slip_msgs/FrictionEstimate; otherwise named scalars",
    )
    loads_in_estimates: bool = parameter(
        False,
        doc="estimates say the loads of the feet, too, as those by currents do; "
        "wrenches are not listened to",
    )
    wrench_topics: tuple[str, ...] = parameter(
        tuple(f"{foot}/wrench" for foot in FOOT_NAMES),
        doc="forces of the ground on the left and right foot, in its sole",
    )

    def check(self) -> None:
        """Check for one topic per foot."""
        for name in ("friction_topics", "wrench_topics"):
            check_topic_per_foot(name, getattr(self, name))


class Newest:
    """The newest good content of a topic, and when it came.

    Args:
        node: listens.
        kind: of message.
        topic: its name.
        read: makes the content of a message; UnusableSample refuses it.
        commands: whether it commands.
    """

    def __init__(
        self,
        node: RobotNode,
        kind: type[Any],
        topic: str,
        read: Callable[[Any], Any],
        commands: bool = False,
    ) -> None:
        self._box = node.subscribe(kind, topic, SENSOR_INPUTS)
        node.of_one_sender([self._box])
        self._node = node
        self._stamped = "header" in kind.get_fields_and_field_types()
        self._read = read
        self._commands = commands
        self.topic = topic
        self.full_name = self._box.full_name
        self.forget()

    def forget(self) -> None:
        """Reset to the state before the first message."""
        self.content: Any = None
        self.came = -float("inf")
        self.problem: Problem | None = None  # of the newest message
        self.sender = Sender(self.topic, commands=self._commands)

    def take(self, now: float, clock: ClockRange) -> None:
        """Take the newest message; skip and count what can't be used.

        It is named in ``problem`` until a sound one comes.
        """
        for message in self._box.take():
            try:
                self.content = self._sound(message, clock)
            except UnusableSample as unusable:
                self.problem = unusable.problem
                self._node.skip(unusable.problem)
            else:
                self.problem = None
                self.came = now

    def _sound(self, message: Any, clock: ClockRange) -> Any:
        """Return the content of a message.

        Raises:
            UnusableSample: its header or a number is wrong.
        """
        if self._stamped:
            stamp = time_in(self.topic, message)
            frame = message.header.frame_id
            if problem := self.sender.problem(stamp, frame, clock):
                raise UnusableSample(*problem[:2])
        return self._read(message)


class FrictionGovernorNode(RobotNode):
    """Friction governor: velocity commands in and out, at its own rate.

    Wrenches and estimates of both feet come in, too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("friction_governor", **options)
        self._config = declare_configuration(self, GovernorNodeConfig())
        self._governing = declare_configuration(
            self, friction_governor.FrictionGovernorConfig(), "governor."
        )
        self._answer: friction_governor.GovernorAnswer | None = None

    def build(self) -> None:
        """Build governor and topics."""
        config = self._config
        if config.body_weight <= 0.0:
            raise InvalidParameter(
                "body_weight", config.body_weight, "> 0 [N]", "give the robot's weight"
            )
        self._governor = friction_governor.FrictionGovernor(self._governing)
        self._forces = Judge(
            dict.fromkeys(
                "xyz", within(HealthConfig().largest_force * config.body_weight)
            ),
            "wrench",
        )
        kind = TwistStamped if config.stamped else TwistMessage
        wrenches = () if config.loads_in_estimates else config.wrench_topics
        self._wrenches = [
            Newest(self, WrenchStamped, topic, self._force) for topic in wrenches
        ]
        estimates = self._estimate_class()
        self._friction = [
            Newest(self, estimates, topic, report_from)
            for topic in config.friction_topics
        ]
        self._commands = Newest(
            self, kind, config.cmd_vel_in_topic, self._twist, commands=True
        )
        self._output = self.advertise(kind, config.cmd_vel_out_topic, COMMAND_QOS)
        # as the graph has them, after all remappings
        if self._output.topic_name == self._commands.full_name:
            raise InvalidParameter(
                "cmd_vel_out_topic",
                config.cmd_vel_out_topic,
                "another topic than cmd_vel_in_topic",
                "its own commands would keep the robot going when the planner is gone",
            )

    def _estimate_class(self) -> type[Any]:
        """Return the type of the estimates' messages."""
        if not self._config.typed_estimates:
            return JointState
        found = message_class(ESTIMATE_TYPE)
        if found is None:
            raise BipedSlipError(
                f"message type {ESTIMATE_TYPE} is not installed: build its package, or "
                "set typed_estimates to false"
            )
        return found

    def begin(self) -> None:
        """Start with a reset governor."""
        self._governor.reset()
        for source in (*self._wrenches, *self._friction, self._commands):
            source.forget()
        self._reports = [NO_REPORT, NO_REPORT]
        self._command = friction_governor.STILL_TWIST
        self._silent = True
        self._last = self._due = self.clock()

    def wait(self, now: float, timeout: float) -> None:
        """Wait until the next command is due."""
        self.sleep_until(self._due, timeout)

    def work(self, now: float) -> None:
        """Publish the governed command when it is due."""
        if now < self._due:
            return
        self._due = now + 1.0 / self._config.rate
        self._hear(now)
        feet = self._foot(0, now), self._foot(1, now)
        fresh = now - self._commands.came <= self._config.velocity_timeout
        if not fresh:
            self._command = friction_governor.STILL_TWIST
        dt = now - self._last
        self._last = now
        self._answer = self._governor.step(self._command, feet, dt)
        self._diagnostics.period.tick(now)
        if fresh or not self._silent:
            self._send(self._answer.twist)
            self._silent = not fresh
        self._tell(now)

    def _force(self, message: Any) -> tuple[float, float, float]:
        """Read the force of a wrench [N]; UnusableSample names what is none."""
        vector = message.wrench.force
        if problem := self._forces.problem(vector):
            raise UnusableSample(*problem[:2])
        return (vector.x, vector.y, vector.z)

    def _twist(self, message: Any) -> friction_governor.Twist:
        """Read a command, whatever its numbers: the governor judges them."""
        twist = message.twist if self._config.stamped else message
        return friction_governor.Twist(twist.linear.x, twist.linear.y, twist.angular.z)

    def present(self) -> ClockRange:
        """Return the times that are taken for the present."""
        return clock_range(self.get_clock(), self._config.clock_tolerance)

    def _hear(self, now: float) -> None:
        """Take what has come; age counts by stamp and by arrival."""
        feet = (*self._wrenches, *self._friction)
        present = self.present()
        for source in (*feet, self._commands):
            source.take(now, present)
        newest = max(source.sender.stamp_ns for source in feet)
        for source in feet:  # by their own clock, too
            if newest - source.sender.stamp_ns > SECOND * self._config.age_limit:
                source.came = -float("inf")
        oldest = now - self._config.age_limit
        self._reports = [
            source.content if source.came >= oldest else NO_REPORT
            for source in self._friction
        ]
        if self._commands.content is not None:
            self._command = self._commands.content

    def _foot(self, foot: int, now: float) -> friction_governor.FootLoad:
        """Measure a foot; old messages do not count."""
        known, load = self._reports[foot]
        weight = self._config.body_weight
        if self._config.loads_in_estimates:
            return friction_governor.FootLoad(
                force_ratio=known.force_ratio, load_share=load / weight, estimate=known
            )
        wrench = self._wrenches[foot]
        heard = wrench.came >= now - self._config.age_limit
        force = wrench.content if heard else NO_FORCE
        return friction_governor.foot_load(force, known, weight)

    def _send(self, twist: friction_governor.Twist) -> None:
        message = TwistStamped() if self._config.stamped else TwistMessage()
        inner = message.twist if self._config.stamped else message
        if self._config.stamped:
            message.header.frame_id = self._commands.sender.frame.frame
            message.header.stamp = self.get_clock().now().to_msg()
        inner.linear.x, inner.linear.y, inner.angular.z = twist
        self._output.publish(message)

    def _tell(self, now: float) -> None:
        """Publish the status: the reason of a limit, refused or missing inputs."""
        answer = self._answer
        oldest = now - self._config.age_limit
        feet = (*self._wrenches, *self._friction)
        deaf = [source.topic for source in feet if source.came < oldest]
        refused = [
            source.problem
            for source in (self._commands, *feet)
            if source.problem is not None
        ]
        reason = friction_governor.Reason.NONE if answer is None else answer.reason
        if answer is not None and reason is friction_governor.Reason.NO_NUMBER:
            self.status = Status("refusing", answer.sentence, False, "command")
        elif refused:
            sentence = "; ".join(map(str, refused))[:LONGEST_SENTENCE]
            self.status = Status("refusing input", sentence, False, refused[0].name)
        elif deaf:
            self.status = Status(
                "deaf",
                f"nothing from {', '.join(deaf)}; the floor is unknown{self.instead}",
                False,
                "stale input",
            )
        elif answer is not None and reason is not friction_governor.Reason.NONE:
            self.status = Status("limiting", answer.sentence)
        else:
            self.status = Status("passing")

    def counters(self) -> dict[str, int | str]:
        """List what is known of the floor and of the commands' required friction."""
        if not self.active or self._answer is None:
            return {}
        state = self._governor.state
        answer = self._answer
        rest, per_speed, per_turn = state.required.coefficients
        found: dict[str, int | str] = {
            "reason": answer.reason.value,
            "let through": f"{answer.twist.speed:.2f} m/s, {answer.twist.turn:.2f} "
            "rad/s",
            "required by the command": f"{answer.required_ratio:.2f}",
            "required at rest, per "
            "m/s, per rad/s": f"{rest:.2f}, {per_speed:.2f}, {per_turn:.2f}",
            "stances": state.required.stances,
        }
        for side, floor, report in zip(SIDES, state.floors, self._reports, strict=True):
            word = "known to hold" if floor.known else "taken to hold"
            words = estimate_in_words(report.estimate)
            found[side] = f"{word} {floor.holds:.2f}; {words}"
        return found

    def make_safe(self) -> None:
        """Stop the robot."""
        if self._output.is_activated:
            self._send(friction_governor.STILL_TWIST)
