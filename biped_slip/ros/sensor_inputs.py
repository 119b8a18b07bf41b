# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Input topics of one robot's sensors, joined by instant, and the schedule of steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from itertools import islice
from typing import Callable, Collection, Mapping, NamedTuple, Sequence

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Imu, JointState

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import without_dispatch
from biped_slip.estimation.readings import (
    WRENCH_FIELD,
    OwnReadings,
    Problem,
    SensorReadings,
    half_period,
    one_instant,
)
from biped_slip.ros.dds import PolledSubscription, Table, Waiter, shown_together
from biped_slip.ros.messages import (
    FOOT_NAMES,
    FOOT_SENSORS,
    Content,
    FootSensor,
    InputTopic,
    UnusableSample,
    sensor_topics,
    wrench_topics,
)
from biped_slip.ros.robot_node import RobotNode
from biped_slip.walking.controller import PERIOD

# messages of a topic that a look takes: a flood must not keep the loop from its
# commands (choice)
MOST_MESSAGES_AT_ONCE = 20
HALF_PERIOD = half_period(PERIOD)  # [ns]
# [ns] stamps that differ by more belong to another time: everything starts anew
CLOCK_JUMP = 500_000_000


class Together(NamedTuple):
    """Interface of a function that takes one message per topic at once."""

    show: Callable[..., bool]  # shown_together
    tables: tuple[Table, ...]
    stamps: NDArray[np.int64]  # [ns] of the newest messages
    judging: list[InputTopic]  # those that look at the numbers of each message


class InputSet:
    """Newest messages of stamped topics.

    Invalid messages and old stamps are skipped and counted.

    Args:
        node: subscribes.
        topics: in the order of publication; the last one comes last.
        qos: of the subscriptions.
        skipped: counts.
        others: topics of another sender, which come at any time.
        in_order: one instant at a time, however many wait; else what is older than the
            newest is passed over.
    """

    def __init__(
        self,
        node: Node,
        topics: Mapping[str, InputTopic],
        qos: QoSProfile,
        skipped: Counter[str],
        others: Collection[str] = (),
        in_order: bool = False,
    ) -> None:
        self.topics = topics
        self.boxes = {
            name: PolledSubscription(node, topic.kind, name, qos, raw=True)
            for name, topic in topics.items()
        }
        self._backwards = [name for name in reversed(self.boxes) if name not in others]
        self._others = list(others)
        self._skipped = skipped
        self._in_order = in_order
        self.forget()

    def forget(self) -> None:
        """Reset to the state before the first message."""
        for topic in self.topics.values():
            topic.forget()
        self._quick: Together | None = None
        self._at_once = 0  # instants whose messages were taken together
        self._left = 0  # [ns] newest instant that was whole, or given up
        self.even: int | None = (
            None  # [ns] stamp of the last topic, where all came together and well
        )
        self.stamps: dict[str, int] = {}
        self.arrivals: dict[str, float] = {}  # [s] steady clock
        self.looked = 0.0  # [s] steady clock, of the last look at the mailboxes

    def take(self, now: float, several: bool = True) -> Problem | None:
        """Read the subscriptions now [s].

        Return a clock jump, after which only later messages are held.

        Not ``several``: the first message has just come; should another wait behind it,
        the next look finds it.
        """
        self.looked = now
        self.even = None
        jump = None
        for name in self._others:
            for raw in islice(self.boxes[name].take(), MOST_MESSAGES_AT_ONCE):
                jump = self._keep(name, raw, now) or jump
        return (
            self._next_instant(now)
            if self._in_order
            else self._newest_instant(now, several)
        ) or jump

    def _newest_instant(self, now: float, several: bool) -> Problem | None:
        """Take the newest instant.

        The last topic is published last; the others are read until they are as new.
        """
        jump = None
        first = [self.boxes[name].next() for name in self._backwards]
        more = (
            self.boxes[self._backwards[0]].next()
            if several and first[0] is not None
            else None
        )
        if more is None and self._all_together(first, now):
            return jump
        for name, raw in zip(self._backwards, first, strict=True):
            newest = max(self.stamps.values(), default=None)
            taken = 0
            while raw is not None:
                jump = self._keep(name, raw, now) or jump
                taken = taken + 1
                if more is not None:
                    raw = more
                    more = None
                elif taken == MOST_MESSAGES_AT_ONCE or (
                    newest is not None and self.holds(name, newest)
                ):
                    break
                else:
                    raw = self.boxes[name].next()
        self._quick = self._learnt()
        return jump

    def _next_instant(self, now: float) -> Problem | None:
        """Take one message of each topic once all hold an instant.

        Then read on those behind the newest.
        """
        jump = None
        if not self._behind():
            first = [self.boxes[name].next() for name in self._backwards]
            if self._all_together(first, now):
                return None
            for name, raw in zip(self._backwards, first, strict=True):
                jump = (None if raw is None else self._read_on(name, raw, now)) or jump
        for _ in range(MOST_MESSAGES_AT_ONCE):
            found = [
                (name, raw)
                for name in self._behind()
                if (raw := self.boxes[name].next()) is not None
            ]
            if not found:
                break
            for name, raw in found:
                jump = self._read_on(name, raw, now) or jump
        self._quick = self._learnt()
        return jump

    def _read_on(self, name: str, raw: bytes, now: float) -> Problem | None:
        """Keep a message, and count an instant left before all topics held it."""
        if not self._behind():
            self._left = max(self.stamps.values())
        before = self.stamps.get(name, self._left)
        jump = self._keep(name, raw, now)
        if self.stamps.get(name, before) > before >= self._left + HALF_PERIOD:
            self._skipped["incomplete instant"] += 1
            self._left = before
        return jump

    def _behind(self) -> list[str]:
        """List topics that do not hold the newest instant."""
        newest = max(self.stamps.values(), default=0)
        return [name for name in self._backwards if not self.holds(name, newest)]

    def holds(self, name: str, stamp: int) -> bool:
        """Return whether the newest message of a topic is of this instant [ns]."""
        return name in self.stamps and one_instant(
            self.stamps[name], stamp, HALF_PERIOD
        )

    def _all_together(self, raws: list[bytes | None], now: float) -> bool:
        """Take one message of every topic at once, or none.

        All must be well and of one new instant.
        """
        quick = self._quick
        if quick is None or None in raws:
            return False
        if not quick.show(
            tuple(raws), quick.tables, quick.stamps, CLOCK_JUMP, HALF_PERIOD
        ):
            return False
        self.stamps.update(
            zip(self._backwards, stamps := quick.stamps.tolist(), strict=True)
        )
        self.arrivals.update(dict.fromkeys(self._backwards, now))
        self._at_once += 1
        problems = [topic.take_shown() for topic in quick.judging]
        if any(problems):
            self._quick = None
        elif not self._others:
            self.even = stamps[0]
        return True

    def _learnt(self) -> Together | None:
        """Build the function that takes messages together.

        It is built once every layout is known and nothing is wrong.
        """
        topics = [self.topics[name] for name in self._backwards]
        known = all(topic.layout and topic.problem is None for topic in topics)
        if not known or not all(name in self.stamps for name in self._backwards):
            return None
        stamps = np.array([self.stamps[name] for name in self._backwards])
        tables = tuple(topic.layout.table for topic in topics)
        if self._quick is not None and all(
            new is old for new, old in zip(tables, self._quick.tables, strict=True)
        ):
            # to learn it again takes a third of a millisecond
            return self._quick._replace(stamps=stamps)
        for topic in topics:
            topic.take_shown()
        show = without_dispatch(
            shown_together,
            (b"",) * len(topics),
            tables,
            stamps,
            CLOCK_JUMP,
            HALF_PERIOD,
        )
        return Together(
            show, tables, stamps, [topic for topic in topics if topic.judges]
        )

    def _keep(self, name: str, raw: bytes, now: float) -> Problem | None:
        for one in self._backwards if self._at_once else ():
            self.topics[one].agreed += self._at_once
        self._at_once = 0
        topic = self.topics[name]
        before = self.stamps.get(name)
        jump = None
        try:
            stamp = topic.open(raw)
        except UnusableSample as unusable:
            self._skipped[str(unusable)] += 1
            return None
        if before is not None and not before < stamp <= before + CLOCK_JUMP:
            if abs(stamp - before) <= CLOCK_JUMP:
                self._skipped[
                    f"{'duplicated' if stamp == before else 'reordered'} stamp: {name}"
                ] += 1
                return None
            jump = Problem(
                "clock jump", f"{name}: by {1e-9 * (stamp - before):.3f} s", severe=True
            )
            self.forget()
        topic.keep()
        self.stamps[name] = stamp
        self.arrivals[name] = now
        return jump

    def problem(self) -> Problem | None:
        """Name the problem of the newest messages, if there is one."""
        return next(
            (
                topic.problem
                for topic in self.topics.values()
                if topic.problem is not None
            ),
            None,
        )

    def typed(self) -> int:
        """Count messages that were decoded as typed ones, by their type."""
        return sum(topic.by_type for topic in self.topics.values())

    def close(self) -> None:
        """Close all subscriptions."""
        for box in self.boxes.values():
            box.close()


#: Covariances of an IMU that say whether it has a quantity.
ORIENTATION = {"orientation_covariance": "orientation"}
ANGULAR_VELOCITY = {"angular_velocity_covariance": "angular velocity"}


def foot_sensor_input(topic: str, sensor: FootSensor, raw: bool) -> InputTopic:
    """Declare the input of a foot sensor with its vectors (3,).

    They are NaN before the first message.
    """
    flags = ANGULAR_VELOCITY if sensor.kind is Imu else {}
    return InputTopic(
        topic, sensor.kind, sensor.fields, raw, flags=flags, unknown=np.nan
    )


def foot_sensor_inputs(name: str, raw: bool) -> list[InputTopic]:
    """Declare the inputs of a sensor at both feet."""
    return [
        foot_sensor_input(f"{foot}/{name}", FOOT_SENSORS[name], raw)
        for foot in FOOT_NAMES
    ]


def wrench_inputs(
    motion_source: str, frames: Sequence[str], raw: bool, unknown: float = 0.0
) -> list[InputTopic]:
    """Declare ``wrench`` (6,) of the ground on each foot: force [N], moment [N m].

    Each is in a frame of its own, and ``unknown`` before the first message.
    """
    named = zip(wrench_topics(motion_source), frames, strict=True)
    return [
        InputTopic(topic, WrenchStamped, ["wrench"], raw, frame=frame, unknown=unknown)
        for topic, frame in named
    ]


NOT_SENT = np.empty(0)


class JointStateInput(InputTopic):
    """Input of joint positions, velocities and efforts (n,) in the robot's order.

    The messages may have any order. What is ``optional`` may be left out.
    """

    def __init__(
        self,
        name: str,
        joints: Sequence[str],
        raw: bool = True,
        optional: Sequence[str] = ("effort",),
    ) -> None:
        super().__init__(
            name, JointState, ("position", "velocity", "effort"), raw, texts=["name"]
        )
        self._joints = tuple(joints)
        self._optional = tuple(optional)
        self._picks = np.arange(len(joints))
        self._named = len(joints)
        self.numbers = dict.fromkeys(("position", "velocity"), np.zeros(len(joints)))

    def check(self, content: Content) -> None:
        """Check that every joint has a name, every name its numbers."""
        super().check(content)
        names = list(content.texts["name"])
        missing = [joint for joint in self._joints if joint not in names]
        if missing:
            has = ", ".join(names) or "none"
            raise UnusableSample(
                "missing joint",
                f"{self.name}: no joint {', '.join(missing)}; it has {has[:200]}",
            )
        twice = [joint for joint in self._joints if names.count(joint) > 1]
        if twice:
            raise UnusableSample(
                "duplicate joint",
                f"{self.name} names {', '.join(twice)} more than once",
            )
        for what, values in content.numbers.items():
            absent = what in self._optional and len(values) == 0
            # efforts of no joints are as good as none: who needs them says so
            absent = absent or what == "effort"
            if len(values) != len(names) and not absent:
                found = f"{len(values)} values of {what} for {len(names)} names"
                raise UnusableSample("wrong size", f"{self.name}: {found}")
        self._picks = np.array([names.index(joint) for joint in self._joints])
        self._named = len(names)

    @property
    def position(self) -> Array:
        """Return positions in the robot's order [rad]; a copy."""
        return self.numbers["position"].take(self._picks)

    @property
    def velocity(self) -> Array:
        """Return velocities in the robot's order [rad/s], NaN where not sent; a copy.

        Only where they are optional they may be left out.
        """
        return self._sent("velocity")

    @property
    def effort(self) -> Array:
        """Return torques in the robot's order [N m], NaN where not sent; a copy."""
        return self._sent("effort")

    def _sent(self, what: str) -> Array:
        sent = self.numbers.get(what, NOT_SENT)
        if sent.size != self._named:
            return np.full(len(self._joints), np.nan)
        return sent.take(self._picks)


class SensorInputs:
    """Inputs of all sensors of one robot; ``topics`` are in the order of publication.

    Args:
        joints: of the robot, in its order.
        soles: frames.
        motion_source: of the feet, whose sensors are listened to as well.
        raw: whether layouts may be learnt.
    """

    def __init__(
        self,
        joints: Sequence[str],
        soles: Sequence[str],
        motion_source: str = "odometry",
        raw: bool = True,
    ) -> None:
        self._wrenches = wrench_inputs(motion_source, soles, raw)
        self._imu = InputTopic(
            *(
                "imu/data",
                Imu,
                ("orientation", "angular_velocity", "linear_acceleration"),
                raw,
            ),
            flags={**ORIENTATION, **ANGULAR_VELOCITY},
        )
        self._odometry = InputTopic(
            "odom", Odometry, ("pose.pose.position", "twist.twist.linear"), raw
        )
        self.joint_states = JointStateInput("joint_states", joints, raw)
        by_name = {name: foot_sensor_inputs(name, raw) for name in FOOT_SENSORS}
        of_feet = [topic for both in by_name.values() for topic in both]
        every = {
            t.name: t
            for t in (
                *self._wrenches,
                *of_feet,
                self._imu,
                self._odometry,
                self.joint_states,
            )
        }
        self.topics = {name: every[name] for name in sensor_topics(motion_source)}
        self._with_foot_sensors = any(topic.name in self.topics for topic in of_feet)
        needed_last = sorted(
            FOOT_SENSORS.items(), key=lambda row: motion_source in row[1].sources
        )
        filled = {
            field: (*by_name[name], path)
            for name, sensor in needed_last
            for path, field in sensor.fields.items()
        }
        self._optional = [
            filled[field] for field in SensorReadings._fields[WRENCH_FIELD:]
        ]

    def readings(self, stamp: int) -> OwnReadings:
        """Return the newest readings of all sensors, stamped, in new arrays."""
        imu = self._imu.numbers
        odometry = self._odometry.numbers
        (left, right) = self._wrenches
        required = (
            stamp,
            self.joint_states.position,
            self.joint_states.velocity,
            imu["orientation"].copy(),
            imu["angular_velocity"].copy(),
            imu["linear_acceleration"].copy(),
            odometry["pose.pose.position"].copy(),
            odometry["twist.twist.linear"].copy(),
            _both(left, right, "wrench"),
        )
        if not self._with_foot_sensors:
            return OwnReadings(*required)
        return OwnReadings(*required, *(_both(*part) for part in self._optional))


def _both(left: InputTopic, right: InputTopic, what: str) -> Array:
    """Stack a quantity of both feet (2, …)."""
    first = left.numbers[what]
    both = np.empty((2, len(first)))
    both[0] = first
    both[1] = right.numbers[what]
    return both


# When a step is due: at every complete set of one instant (lockstep), or at every
# trigger message (real time).

TRIGGER = "joint_states"


class Due(NamedTuple):
    """Step that is due: its stamp and what is wrong with its inputs."""

    stamp_ns: int
    problem: Problem | None


class Pacing(ABC):
    """Schedule of a node's steps; each stamp is due once."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Reset the processed stamps."""
        self._done = -1

    def absent(self, input_set: InputSet) -> list[str]:
        """List the inputs that every step needs and that have not come yet."""
        return []

    @abstractmethod
    def set_limits(
        self,
        age_limit: float,
        age_limits: dict[str, float],
        silence: float | None = None,
    ) -> None:
        """Set the limits of the inputs' age [s] and of the trigger's silence [s]."""

    @abstractmethod
    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """List the topics to wait for."""

    @abstractmethod
    def due(self, input_set: InputSet) -> Due | None:
        """Return the step that is due now, if there is one."""

    @abstractmethod
    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """Name the inputs that are late at a steady time [s]."""


class Lockstep(Pacing):
    """Schedule of complete instants.

    Partial input for longer than ``patience`` [s] is an error.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        super().__init__()

    def restart(self) -> None:
        """Reset the processed and reported stamps."""
        self._done = self._reported = -1

    def set_limits(
        self,
        age_limit: float,
        age_limits: dict[str, float],
        silence: float | None = None,
    ) -> None:
        """Ignore age limits, which lockstep does not need."""

    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """List the last published missing input; one at a time saves wake-ups."""
        newest = max(input_set.stamps.values(), default=0)
        wanted = (
            newest - HALF_PERIOD + 1
            if newest - self._done >= HALF_PERIOD
            else newest + 1
        )
        for topic, box in reversed(input_set.boxes.items()):
            if input_set.stamps.get(topic, -1) < wanted:
                return (box,)
        return ()

    def due(self, input_set: InputSet) -> Due | None:
        """Return the trigger's stamp when all inputs are of its instant."""
        if input_set.even is not None and input_set.even > self._done:
            self._done = input_set.even
            return Due(input_set.even, None)
        stamp = input_set.stamps.get(TRIGGER, -1)
        if stamp <= self._done or not all(
            input_set.holds(topic, stamp) for topic in input_set.boxes
        ):
            return None
        self._done = stamp
        return Due(stamp, input_set.problem())

    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """List inputs of the newest stamp that are missing, once per stamp."""
        newest = max(input_set.stamps.values(), default=-1)
        if newest - max(self._done, self._reported) < HALF_PERIOD:
            return None
        first = min(
            input_set.arrivals[topic]
            for topic in input_set.stamps
            if input_set.holds(topic, newest)
        )
        if now - first < self._patience:
            return None
        self._reported = newest
        missing = [
            f"{topic} ({box.senders()} publishers)"
            for topic, box in input_set.boxes.items()
            if not input_set.holds(topic, newest)
        ]
        what = (
            f"inputs of {newest} ns are incomplete after {self._patience:g} s; "
            f"missing: {', '.join(missing)}"
        )
        return Problem("missing input", what)


class EventDriven(Pacing):
    """Schedule by trigger messages with the newest of the other inputs.

    None of these may be older than its limit.

    Nothing is due, and nothing is missing, before every needed input has come once: no
    order of start is wrong. Where all inputs come over one bridge, in any order, a
    trigger may wait for the others of its instant.

    Args:
        age_limit: of an input, by the stamps: against the trigger's in either direction
            [s].
        age_limits: other limits for some topics [s]; such a topic may also be missing
            until its first message.
        silence: of the trigger, by the steady clock [s]; without it ``age_limit``.
        company: for which a trigger waits for the others of its instant, by the steady
            clock [s]; the next one ends it.
    """

    def __init__(
        self,
        age_limit: float,
        age_limits: dict[str, float] | None = None,
        silence: float | None = None,
        company: float = 0.0,
    ) -> None:
        self.set_limits(age_limit, age_limits or {}, silence)
        self._company = company
        super().__init__()

    def set_limits(
        self,
        age_limit: float,
        age_limits: dict[str, float],
        silence: float | None = None,
    ) -> None:
        """Set the limits of the inputs' age [s] and of the trigger's silence [s]."""
        self._silence = age_limit if silence is None else silence
        self._limits = age_limits
        self._limits_ns = {
            topic: round(1e9 * limit) for topic, limit in age_limits.items()
        }
        self._limit_ns = round(1e9 * age_limit)

    def restart(self) -> None:
        """Reset the processed stamps."""
        super().restart()
        # stamp [ns] of the trigger that waits for the others, and since when [s, steady
        # clock]
        self._alone: tuple[int, float] | None = None

    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """List the topics to wait for: the trigger, or inputs that it lacks."""
        if self._alone is not None:
            stamp = input_set.stamps[TRIGGER]
            if missing := [
                box
                for topic, box in input_set.boxes.items()
                if not input_set.holds(topic, stamp)
            ]:
                return missing[:1]  # one at a time saves wake-ups
        return (input_set.boxes[TRIGGER],)

    def absent(self, input_set: InputSet) -> list[str]:
        """List inputs that are needed and have never come."""
        return [
            topic
            for topic in input_set.boxes
            if topic not in input_set.stamps and topic not in self._limits
        ]

    def due(self, input_set: InputSet) -> Due | None:
        """Return the step of a new trigger message."""
        stamp = input_set.stamps.get(TRIGGER, -1)
        if stamp <= self._done:
            return None
        if input_set.even == stamp:
            self._done = stamp
            self._alone = None
            return Due(stamp, None)
        if self.absent(input_set) or self._waits(input_set, stamp):
            return None
        self._done = stamp
        problem = input_set.problem()
        for topic in input_set.boxes:
            limit = self._limits_ns.get(topic, self._limit_ns)
            other = input_set.stamps.get(topic)
            if other is not None and not -limit <= stamp - other <= limit:
                problem = Problem(
                    "stale input", f"{topic} is more than {1e-9 * limit:g} s off"
                )
        return Due(stamp, problem)

    def _waits(self, input_set: InputSet, stamp: int) -> bool:
        """Return whether the others of this instant may still come.

        A trigger behind a waiting one does not wait.
        """
        if self._company > 0.0 and not all(
            input_set.holds(topic, stamp) for topic in input_set.boxes
        ):
            waiting, since = self._alone = self._alone or (stamp, input_set.looked)
            if waiting == stamp and input_set.looked - since < self._company:
                return True
        self._alone = None
        return False

    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """Name the trigger that has stopped."""
        if TRIGGER not in input_set.arrivals or self.absent(input_set):
            return None
        if now - input_set.arrivals[TRIGGER] <= self._silence:
            return None
        return Problem(
            "silent input", f"{TRIGGER} has not come for {self._silence:g} s"
        )


class PacedNode(RobotNode):
    """Node that processes the steps of its schedule.

    Subclasses call ``hear`` in ``build``, and override ``restart`` and ``step_at``.
    """

    starts_anew = ""  # what does, after the jump of a clock

    def hear(
        self,
        topics: Mapping[str, InputTopic],
        qos: QoSProfile,
        pacing: Pacing,
        others: Collection[str] = (),
        in_order: bool = False,
    ) -> None:
        """Open input topics."""
        self._pacing = pacing
        self._input_set = self.opened(
            InputSet(self, topics, qos, self.skipped, others, in_order)
        )
        boxes = self._input_set.boxes
        self.needs(boxes.values())
        # joints may come from one broadcaster for each group of them
        self.of_one_sender(
            box
            for name, box in boxes.items()
            if not isinstance(topics[name], JointStateInput)
        )
        self._waiter = Waiter(self, len(topics))

    def begin(self) -> None:
        """Start with reset inputs."""
        self.restart()
        self._input_set.forget()

    def restart(self) -> None:
        """Reset the inputs."""
        self._pacing.restart()

    def step_at(self, due: Due) -> None:
        """Process the inputs of one due step."""

    def wait(self, now: float, timeout: float) -> None:
        """Wait for the input that is due."""
        self._waiter.wait(self._pacing.awaited(self._input_set), timeout)

    def work(self, now: float) -> None:
        """Process the due step, or report missing inputs."""
        if jump := self._input_set.take(now, not self.waited):
            self.get_logger().warning(f"{jump}; {self.starts_anew}")
            self.restart()
        due = self._pacing.due(self._input_set)
        if due is not None:
            self._diagnostics.period.tick(now)
            self.hears(self._input_set.stamps)
            self.step_at(due)
        elif (
            missing := self._pacing.late(self._input_set, now)
        ) and self.status.sentence != str(missing):
            self.skip(missing)
        elif absent := self._pacing.absent(self._input_set):
            self.awaits(absent)
