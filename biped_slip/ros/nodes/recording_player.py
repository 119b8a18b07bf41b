# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: plays a recording of any format as topics.

It does so at a scaled rate or in lockstep with its listeners.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import islice
from typing import Any, Callable, Iterable, NamedTuple

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import Problem
from biped_slip.recordings.messages import (
    WRENCH,
    Playback,
    SerializedMessage,
    header_stamp_ns,
)
from biped_slip.ros.dds import PLAYED, RECORDS, PolledSubscription, message_class
from biped_slip.ros.graph import unheard
from biped_slip.ros.messages import set_time, stamp_ns
from biped_slip.ros.nodes.foot_estimator import answer_topic
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode

LARGEST_DELAY = 0.1  # [s] behind the pace that is made up for


class PlayHead:
    """Map of recorded stamps to steady time.

    Every change of pace begins at the stamp played last.

    Args:
        stamp_ns: the first stamp.
        now: steady time at which it is due [s].
        rate: recorded seconds a second; 0: everything is due at once.
    """

    def __init__(self, stamp_ns: int, now: float, rate: float) -> None:
        self._stamp_ns = stamp_ns
        self._time = now
        self._rate = rate
        self.paused = False

    def due(self, stamp_ns: int) -> float:
        """Return the steady time at which a stamp is due [s]."""
        if self.paused:
            return float("inf")
        return self._time + (
            1e-9 * (stamp_ns - self._stamp_ns) / self._rate if self._rate else 0.0
        )

    def played(self, stamp_ns: int, now: float) -> None:
        """Record that a stamp was played.

        A player that cannot keep up does not hurry afterwards.
        """
        self._time = max(self.due(stamp_ns), now - LARGEST_DELAY)
        self._stamp_ns = stamp_ns

    def set_paused(self, paused: bool, now: float) -> None:
        """Pause or resume at the stamp played last."""
        if self.paused and not paused:
            self._time = now
        self.paused = paused

    def set_rate(self, rate: float, now: float) -> None:
        """Set the playing rate."""
        self._rate = rate
        self._time = max(self._time, now) if rate else now


class _Asked(NamedTuple):
    topic: str
    answers: PolledSubscription
    stamp_ns: int


class AwaitedAnswers:
    """Answers that a player in lockstep waits for.

    They carry the stamp of what they answer.

    Args:
        node: who waits.
        pairs: topics and the topics (sensor_msgs/JointState) on which each message is
            answered.
        patience: without an answer before it is given up [s].
        half_period: stamps that differ by less are one instant [ns].
    """

    def __init__(
        self,
        node: RobotNode,
        pairs: Iterable[tuple[str, str]],
        patience: float,
        half_period: int,
    ) -> None:
        self._pairs = [
            (topic, node.subscribe(JointState, answer, RECORDS))
            for topic, answer in pairs
        ]
        self._patience = patience
        self._half_period = half_period
        self.forget()

    @property
    def topics(self) -> tuple[str, ...]:
        """Return the topics whose messages are answered."""
        return tuple(topic for topic, _ in self._pairs)

    @property
    def names(self) -> set[str]:
        """Return the topics on which answers come."""
        return {box.topic for _, box in self._pairs}

    def forget(self) -> None:
        """Clear the awaited answers."""
        self._asked: list[_Asked] = []

    def ask(self, topic: str, stamp: int) -> None:
        """Record a message with a stamp [ns] that went out."""
        self._since = time.monotonic()
        self._asked += [
            _Asked(topic, box, stamp) for asked, box in self._pairs if asked == topic
        ]

    def holds(self, stamp: int) -> bool:
        """Return whether a message with this stamp [ns] must wait.

        Messages of one instant go together.
        """
        came = {
            (id(box), stamp_ns(message.header))
            for _, box in self._pairs
            for message in box.take()
        }
        self._asked = [
            asked
            for asked in self._asked
            if (id(asked.answers), asked.stamp_ns) not in came
        ]
        return any(stamp - asked.stamp_ns >= self._half_period for asked in self._asked)

    def late(self) -> Problem | None:
        """Name the missing answers after the timeout, and stop waiting for them."""
        if not self._asked or time.monotonic() - self._since < self._patience:
            return None
        topic, box, _ = self._asked[0]
        self.forget()
        return Problem(
            "missing answer",
            f"{topic} is not answered on {box.topic} after {self._patience:g} s",
        )


MESSAGES_AT_ONCE = 200  # messages between two looks at services
FIRST_MESSAGES = 200  # that tell a recording's period
SHORT_NAP = 5e-5  # [s] while answers are awaited
PAUSE_AT_JUMP = 0.1  # [s] so that listeners have taken what came before the jump


@configuration
class PlayerConfig(Configuration):
    """Parameters of this node alone.

    ``rate``, ``loop`` and ``position`` may be set while it plays.
    """

    recording: str = parameter(
        "", doc="C3D, .mot, .sto, table (CSV or text, also .gz) or rosbag2"
    )
    layout: str = parameter(
        "", doc="YAML that names a table's columns, units, signs and rate"
    )
    rate: float = parameter(
        1.0,
        low=0.0,
        high=1000.0,
        read_only=False,
        doc="share of real time; 0: as fast as possible",
    )
    loop: bool = parameter(False, read_only=False, doc="begin again at the end")
    position: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1e9,
        read_only=False,
        doc="begin here after the first sample; setting it seeks",
    )
    start_paused: bool = parameter(False, doc="wait for ~/resume")
    publish_clock: bool = parameter(False, doc="the recording's time on /clock")
    lead_in: float = parameter(
        0.5, unit="s", low=0.0, high=60.0, doc="between listener and first sample"
    )
    topics: tuple[str, ...] = parameter(
        ("",),
        doc="of a bag, what is played; empty: all but commands and what the listeners "
        "publish themselves",
    )
    wait_for: tuple[str, ...] = parameter(
        ("",),
        doc="TOPIC=ANSWER: in lockstep, each message on TOPIC is answered before the "
        "next; empty: every wrench",
    )


class RecordingPlayerNode(RobotNode):
    """Player of recorded messages as they are.

    The process ends with the recording unless it loops.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("recording_player", **options)
        self._config = declare_configuration(self, PlayerConfig())
        self._rate = self._config.rate
        self._loop = self._config.loop
        self._head: PlayHead | None = None
        self.add_on_set_parameters_callback(self._set)
        for name in ("pause", "resume", "toggle_paused"):
            self.create_service(Trigger, f"~/{name}", self._service(name))

    def build(self) -> None:
        """Build the recording and its topics."""
        if not self._config.recording:
            raise InvalidParameter(
                "recording",
                "",
                "the file or folder to play",
                "set it with -p recording:=FILE",
            )
        self._playback = Playback(self._config.recording, self._config.layout or None)
        pairs = self._pairs()
        half_period = self._half_period({topic for topic, _ in pairs})
        self._answers = AwaitedAnswers(self, pairs, self.settings.timeout, half_period)
        self._outputs: dict[str, Any] = {}
        self._stamped: set[str] = set()
        for topic in self._chosen(self._answers.names):
            kind = message_class(self._playback.topics[topic])
            if kind is None:
                self.get_logger().warning(
                    f"{topic} is left out: {self._playback.topics[topic]} is not "
                    "installed"
                )
                continue
            if "header" in kind.get_fields_and_field_types():
                self._stamped.add(topic)
            self._outputs[topic] = self.advertise(kind, topic.strip("/"), PLAYED)
        self._clock_output = None
        if self._config.publish_clock:
            self._clock_output = self.advertise(
                Clock, "/clock", 10, qos_overriding_options=None
            )
        self._first_ns = next(
            (message.stamp_ns for message in self._playback.messages()), 0
        )

    def _chosen(self, answers: set[str]) -> list[str]:
        """Choose topics to play.

        Joint commands must not reach a robot unasked, and answers come from the
        listeners.
        """
        held = self._playback.topics
        wanted = [f"/{name.strip('/')}" for name in self._config.topics if name]
        unknown = [name for name in wanted if name not in held]
        if unknown:
            raise InvalidParameter("topics", unknown[0], f"among {', '.join(held)}")
        own = {f"/{name}" for name in answers}
        return wanted or [
            name for name in held if name not in own and not name.endswith("/commands")
        ]

    def _pairs(self) -> list[tuple[str, str]]:
        """Pair topics with those of their answers."""
        held = self._playback.topics
        pairs = [pair for pair in self._config.wait_for if pair]
        if not pairs:
            wrenches = [topic for topic, kind in held.items() if kind == WRENCH]
            return [
                (topic, f"foot_estimator/{answer_topic(topic)}") for topic in wrenches
            ]
        split = [
            (f"/{topic.strip('/')}", answer)
            for topic, _, answer in (pair.partition("=") for pair in pairs)
        ]
        for pair, (topic, answer) in zip(pairs, split, strict=True):
            if topic not in held or not answer:
                raise InvalidParameter(
                    "wait_for", pair, f"TOPIC=ANSWER with one of {', '.join(held)}"
                )
        return split

    def _half_period(self, topics: set[str]) -> int:
        """Compute half the shortest time [ns] between these topics' first messages.

        Stamps that differ by less are one instant.
        """
        last: dict[str, int] = {}
        steps = []
        for message in islice(
            (one for one in self._playback.messages() if one.topic in topics),
            FIRST_MESSAGES,
        ):
            stamp = header_stamp_ns(message.cdr)
            steps.append(stamp - last.get(message.topic, stamp))
            last[message.topic] = stamp
        return max(min((step for step in steps if step > 0), default=0) // 2, 1)

    def begin(self) -> None:
        """Start at ``position``, once there is a listener."""
        self._played = 0
        self._clock_ns = -1
        self._head = None
        self._paused = self._config.start_paused
        self._go_to(self._config.position)

    def wait(self, now: float, timeout: float) -> None:
        """Wait until the next message is due."""
        due = (
            now + timeout
            if self._head is None or self._next is None
            else self._head.due(self._next.stamp_ns)
        )
        time.sleep(min(max(due - now, SHORT_NAP), timeout))

    def work(self, now: float) -> None:
        """Publish the messages that are due."""
        if self._head is None and not self._listened():
            return
        for _ in range(MESSAGES_AT_ONCE):
            if self._next is None:
                self._end()
                return
            now = time.monotonic()
            if self._head.due(self._next.stamp_ns) > now or self._held_back(self._next):
                return
            self._publish(self._next, now)
            self._next = next(self._messages, None)

    def _listened(self) -> bool:
        """Return whether there are listeners, in lockstep to all awaited topics.

        Playing begins a moment later.
        """
        lockstep = self.settings.mode == "lockstep"
        topics = self._awaited_listeners()
        heard = [self._outputs[topic].get_subscription_count() > 0 for topic in topics]
        if self._next is not None and (all(heard) if lockstep else any(heard)):
            self._new_head(self._config.lead_in)
        else:
            self.awaits([f"a listener to {topic}" for topic in topics])
        return self._next is None or self._head is not None

    def _awaited_listeners(self) -> list[str]:
        """List topics that must have a listener: in lockstep each, else one of them."""
        if self.settings.mode != "lockstep":
            return list(self._outputs)
        return [topic for topic in self._answers.topics if topic in self._outputs]

    def without_partner(self) -> dict[str, Callable[[], str]]:
        """Return topics without listeners, and those of missing answers.

        While it waits for listeners alone: a listener may leave.
        """
        if self._head is not None:
            return {}
        found = super().without_partner() if self.settings.mode == "lockstep" else {}
        for topic in self._awaited_listeners():
            output = self._outputs[topic]
            if not output.get_subscription_count():
                kind = self._playback.topics[topic]
                name = output.topic_name
                found[name] = partial(unheard, self, name, kind)
        return found

    def _new_head(self, delay: float) -> None:
        self._head = PlayHead(self._next.stamp_ns, time.monotonic() + delay, self._rate)
        self._head.paused = self._paused

    def _publish(self, message: SerializedMessage, now: float) -> None:
        if self._clock_output is not None and message.stamp_ns != self._clock_ns:
            clock = Clock()
            self._clock_ns = message.stamp_ns
            set_time(clock.clock, message.stamp_ns)
            self._clock_output.publish(clock)
        if message.topic in self._outputs:
            self._outputs[message.topic].publish(message.cdr)
            if self.settings.mode == "lockstep" and message.topic in self._stamped:
                self._answers.ask(message.topic, header_stamp_ns(message.cdr))
            self._played += 1
        self._head.played(message.stamp_ns, now)
        self.well("playing")

    def _held_back(self, message: SerializedMessage) -> bool:
        """Return whether answers are missing in lockstep.

        These are answers from before this message's own stamp.
        """
        if self.settings.mode != "lockstep" or message.topic not in self._stamped:
            return False
        if not self._answers.holds(header_stamp_ns(message.cdr)):
            return False
        if missing := self._answers.late():
            self.skip(missing)
        return True

    def fail(self, sentence: str) -> None:
        """End the process at an unreadable part of the recording."""
        self.report(sentence, "fault")
        self.exit_code = 1

    def _end(self) -> None:
        if self._loop:
            self._go_to(0.0)
        else:
            self.get_logger().info(f"{self._played} messages played")
            self.exit_code = 0

    def _go_to(self, seconds: float) -> None:
        """Continue at a number of seconds after the beginning."""
        self._answers.forget()
        self._messages = self._playback.messages(
            self._first_ns + round(seconds * 1e9) if seconds else None
        )
        self._next = next(self._messages, None)
        if self._head is not None and self._next is not None:
            self._new_head(PAUSE_AT_JUMP)

    def _set(self, changes: list[Parameter]) -> SetParametersResult:
        """Apply live changes; ranges are checked by the parameters' own descriptors."""
        for change in changes:
            if change.name == "rate":
                self._rate = change.value
                if self._head is not None:
                    self._head.set_rate(change.value, time.monotonic())
            elif change.name == "loop":
                self._loop = change.value
            elif change.name == "position" and self.active:
                self._go_to(change.value)
        return SetParametersResult(successful=True)

    def _service(self, name: str) -> Callable[[Any, Any], Any]:
        def serve_it(request: Any, response: Any) -> Any:
            self._paused = (
                not self._paused if name == "toggle_paused" else name == "pause"
            )
            if self._head is not None:
                self._head.set_paused(self._paused, time.monotonic())
            response.success = self.active
            response.message = "paused" if self._paused else "playing"
            return response

        return serve_it

    def counters(self) -> dict[str, int | str]:
        """Return the position in the recording."""
        return {"messages played": getattr(self, "_played", 0)}
