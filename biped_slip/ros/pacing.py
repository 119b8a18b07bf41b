# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When a step is due: at every complete set of one instant (lockstep), or at every trigger message (real time)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Collection, Mapping, NamedTuple, Sequence

from rclpy.qos import QoSProfile

from biped_slip.estimation.readings import Problem, SensorReadings
from biped_slip.ros.dds import PolledSubscription, Waiter
from biped_slip.ros.messages import InputTopic
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.sensor_inputs import HALF_PERIOD, InputSet

TRIGGER = "joint_states"


class Due(NamedTuple):
    """A step to be done: its stamp and what is wrong with its inputs."""

    stamp_ns: int
    problem: Problem | None


class Pacing(ABC):
    """When a step of a node is due; each stamp is due once."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget which stamps have been done."""
        self._done = -1

    def absent(self, input_set: InputSet) -> list[str]:
        """Inputs without which no step is ever due, as long as they have never come."""
        return []

    @abstractmethod
    def set_limits(self, age_limit: float, age_limits: dict[str, float], silence: float | None = None) -> None:
        """How old inputs may be [s], others of them, and how long the trigger may be silent [s]."""

    @abstractmethod
    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """What to wait for."""

    @abstractmethod
    def due(self, input_set: InputSet) -> Due | None:
        """The step to do now."""

    @abstractmethod
    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """What is missing for too long at a steady time [s]."""


class Lockstep(Pacing):
    """A step needs every input of the trigger's instant; partial input for longer than ``patience`` [s] is an error."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        super().__init__()

    def restart(self) -> None:
        """Forget which stamps have been done, or reported."""
        self._done = self._reported = -1

    def set_limits(self, age_limit: float, age_limits: dict[str, float], silence: float | None = None) -> None:
        """Nothing is old: time stands still."""

    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """The last published input that is missing; one at a time saves wake-ups."""
        newest = max(input_set.stamps.values(), default=0)
        wanted = newest - HALF_PERIOD + 1 if newest - self._done >= HALF_PERIOD else newest + 1
        for topic, box in reversed(input_set.boxes.items()):
            if input_set.stamps.get(topic, -1) < wanted:
                return (box,)
        return ()

    def due(self, input_set: InputSet) -> Due | None:
        """The trigger's stamp when all inputs are of its instant."""
        if input_set.even is not None and input_set.even > self._done:
            self._done = input_set.even
            return Due(input_set.even, None)
        stamp = input_set.stamps.get(TRIGGER, -1)
        if stamp <= self._done or not all(input_set.holds(topic, stamp) for topic in input_set.boxes):
            return None
        self._done = stamp
        return Due(stamp, input_set.problem())

    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """Inputs of the newest stamp that are missing, once per stamp."""
        newest = max(input_set.stamps.values(), default=-1)
        if newest - max(self._done, self._reported) < HALF_PERIOD:
            return None
        first = min(input_set.arrivals[topic] for topic in input_set.stamps if input_set.holds(topic, newest))
        if now - first < self._patience:
            return None
        self._reported = newest
        missing = [
            f"{topic} ({box.senders()} publishers)"
            for topic, box in input_set.boxes.items()
            if not input_set.holds(topic, newest)
        ]
        what = f"inputs of {newest} ns are incomplete after {self._patience:g} s; missing: {', '.join(missing)}"
        return Problem("missing input", what)


class EventDriven(Pacing):
    """Each trigger message is a step with the newest of the other inputs, unless one is older than its limit.

    Nothing is due, and nothing is missing, before every needed input has come once: no order of start is wrong. Where
    all inputs come over one bridge, in any order, a trigger may wait for the others of its instant.

    Args:
        age_limit: of an input, by the stamps: against the trigger's in either direction [s].
        age_limits: other limits for some topics [s]; such a topic may also be missing until its first message.
        silence: of the trigger, by the steady clock [s]; without it ``age_limit``.
        company: for which a trigger waits for the others of its instant, by the steady clock [s]; the next one ends it.
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

    def set_limits(self, age_limit: float, age_limits: dict[str, float], silence: float | None = None) -> None:
        """Other limits from now on, as at the beginning."""
        self._silence, self._limits = age_limit if silence is None else silence, age_limits
        self._limits_ns = {topic: round(1e9 * limit) for topic, limit in age_limits.items()}
        self._limit_ns = round(1e9 * age_limit)

    def restart(self) -> None:
        """Forget which stamps have been done."""
        super().restart()
        # stamp [ns] of the trigger that waits for the others, and since when [s, steady clock]
        self._alone: tuple[int, float] | None = None

    def awaited(self, input_set: InputSet) -> Sequence[PolledSubscription]:
        """The trigger, or what is missing beside it."""
        if self._alone is not None:
            stamp = input_set.stamps[TRIGGER]
            if missing := [box for topic, box in input_set.boxes.items() if not input_set.holds(topic, stamp)]:
                return missing[:1]  # one at a time saves wake-ups
        return (input_set.boxes[TRIGGER],)

    def absent(self, input_set: InputSet) -> list[str]:
        """Inputs that are needed and have never come."""
        return [topic for topic in input_set.boxes if topic not in input_set.stamps and topic not in self._limits]

    def due(self, input_set: InputSet) -> Due | None:
        """A trigger that is new."""
        stamp = input_set.stamps.get(TRIGGER, -1)
        if stamp <= self._done:
            return None
        if input_set.even == stamp:
            self._done, self._alone = stamp, None
            return Due(stamp, None)
        if self.absent(input_set) or self._waits(input_set, stamp):
            return None
        self._done = stamp
        problem = input_set.problem()
        for topic in input_set.boxes:
            limit, other = self._limits_ns.get(topic, self._limit_ns), input_set.stamps.get(topic)
            if other is not None and not -limit <= stamp - other <= limit:
                problem = Problem("stale input", f"{topic} is more than {1e-9 * limit:g} s off")
        return Due(stamp, problem)

    def _waits(self, input_set: InputSet, stamp: int) -> bool:
        """Whether the others of this instant may still come; a trigger behind one that waits does not wait itself."""
        if self._company > 0.0 and not all(input_set.holds(topic, stamp) for topic in input_set.boxes):
            waiting, since = self._alone = self._alone or (stamp, input_set.looked)
            if waiting == stamp and input_set.looked - since < self._company:
                return True
        self._alone = None
        return False

    def late(self, input_set: InputSet, now: float) -> Problem | None:
        """The trigger that has stopped."""
        if TRIGGER not in input_set.arrivals or self.absent(input_set):
            return None
        if now - input_set.arrivals[TRIGGER] <= self._silence:
            return None
        return Problem("silent input", f"{TRIGGER} has not come for {self._silence:g} s")


class PacedNode(RobotNode):
    """A node that does a step whenever its pacing says that one is due.

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
        self._input_set = self.opened(InputSet(self, topics, qos, self.skipped, others, in_order))
        self._waiter = Waiter(self, len(topics))

    def begin(self) -> None:
        """Start without memory."""
        self.restart()
        self._input_set.forget()

    def restart(self) -> None:
        """Forget what was heard."""
        self._pacing.restart()

    def step_at(self, due: Due) -> None:
        """Do the step that is due."""

    def wait(self, timeout: float) -> None:
        """Wait for the input that is due."""
        self._waiter.wait(self._pacing.awaited(self._input_set), timeout)

    def work(self) -> None:
        """Do the step that is due, or say what is missing."""
        if jump := self._input_set.take():
            self.get_logger().warning(f"{jump}; {self.starts_anew}")
            self.restart()
        due = self._pacing.due(self._input_set)
        if due is not None:
            self._diagnostics.period.tick()
            self.hears(self._input_set.stamps)
            self.step_at(due)
        elif (missing := self._pacing.late(self._input_set, self.clock())) and self.status.sentence != str(missing):
            self.skip(missing)
        elif absent := self._pacing.absent(self._input_set):
            self.awaits(absent)


def problem_of(due: Due, readings: SensorReadings) -> Problem | None:
    """What keeps readings from being used."""
    if due.problem is not None or readings.is_finite():
        return due.problem
    return Problem("input not finite", "a number of the sensors")
