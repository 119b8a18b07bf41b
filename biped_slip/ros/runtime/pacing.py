# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When a step is due: at every complete set of equal stamps (lockstep), or at every trigger message (real time)."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Sequence

from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.input_set import Inbox
from biped_slip.ros.topics.subscription import Mailbox

TRIGGER = "joint_states"
MODES = ("real-time", "lockstep")


class Due(NamedTuple):
    """A step to be done: its stamp and what is wrong with its inputs."""

    stamp_ns: int
    problem: Problem | None


class Pacing(Protocol):
    """The two ways to pace a node."""

    def awaited(self, inbox: Inbox) -> Sequence[Mailbox]:
        """What to wait for."""
        ...

    def due(self, inbox: Inbox) -> Due | None:
        """The step to do now; each stamp is due once."""
        ...

    def late(self, inbox: Inbox, now: float) -> Problem | None:
        """What is missing for too long at a steady time [s]."""
        ...

    def restart(self) -> None:
        """Forget which stamps have been done."""
        ...

    def set_limits(self, age_limit: float, age_limits: dict[str, float]) -> None:
        """How old inputs may be [s], and others of them."""
        ...


class Lockstep:
    """A step needs every input of the same stamp; partial input for longer than ``patience`` [s] is an error."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self.restart()

    def set_limits(self, age_limit: float, age_limits: dict[str, float]) -> None:
        """Nothing is old: time stands still."""

    def restart(self) -> None:
        """Forget which stamps have been done."""
        self._done = self._reported = -1

    def awaited(self, inbox: Inbox) -> Sequence[Mailbox]:
        """The last published input that is missing; one at a time saves wake-ups."""
        newest = max(inbox.stamps.values(), default=0)
        wanted = newest if newest > self._done else newest + 1
        for topic, box in reversed(inbox.boxes.items()):
            if inbox.stamps.get(topic, -1) < wanted:
                return (box,)
        return ()

    def due(self, inbox: Inbox) -> Due | None:
        """The newest stamp when all inputs have it."""
        if inbox.even is not None and inbox.even > self._done:
            self._done = inbox.even
            return Due(inbox.even, None)
        stamps = set(inbox.stamps.values())
        if len(inbox.stamps) < len(inbox.boxes) or len(stamps) != 1:
            return None
        stamp = stamps.pop()
        if stamp <= self._done:
            return None
        self._done = stamp
        return Due(stamp, inbox.problem())

    def late(self, inbox: Inbox, now: float) -> Problem | None:
        """Inputs of the newest stamp that are missing, once per stamp."""
        newest = max(inbox.stamps.values(), default=-1)
        if newest <= max(self._done, self._reported):
            return None
        first = min(inbox.arrivals[topic] for topic, stamp in inbox.stamps.items() if stamp == newest)
        if now - first < self._patience:
            return None
        self._reported = newest
        missing = [
            f"{topic} ({box.senders()} publishers)"
            for topic, box in inbox.boxes.items()
            if inbox.stamps.get(topic) != newest
        ]
        what = f"inputs of {newest} ns are incomplete after {self._patience:g} s; missing: {', '.join(missing)}"
        return Problem("missing input", what)


class EventDriven:
    """Each trigger message is a step with the newest of the other inputs, unless one is older than its limit.

    Args:
        age_limit: of an input, against the trigger's stamp in either direction and on the steady clock [s].
        age_limits: other limits for some topics [s]; such a topic may also be missing until its first message.
    """

    def __init__(self, age_limit: float, age_limits: dict[str, float] | None = None) -> None:
        self.set_limits(age_limit, age_limits or {})
        self.restart()

    def set_limits(self, age_limit: float, age_limits: dict[str, float]) -> None:
        """Other limits from now on, as at the beginning."""
        self._limit, self._limits = age_limit, age_limits
        self._limits_ns = {topic: round(1e9 * limit) for topic, limit in age_limits.items()}
        self._limit_ns = round(1e9 * age_limit)

    def restart(self) -> None:
        """Forget which stamps have been done."""
        self._done = -1

    def awaited(self, inbox: Inbox) -> Sequence[Mailbox]:
        """The trigger."""
        return (inbox.boxes[TRIGGER],)

    def due(self, inbox: Inbox) -> Due | None:
        """A trigger that is new."""
        stamp = inbox.stamps.get(TRIGGER, -1)
        if stamp <= self._done:
            return None
        self._done = stamp
        if inbox.even == stamp:
            return Due(stamp, None)
        problem = inbox.problem()
        for topic in inbox.boxes:
            limit, other = self._limits_ns.get(topic, self._limit_ns), inbox.stamps.get(topic)
            if other is None:
                if topic not in self._limits:
                    problem = Problem("missing input", topic)
            elif not -limit <= stamp - other <= limit:
                problem = Problem("stale input", f"{topic} is more than {1e-9 * limit:g} s off")
        return Due(stamp, problem)

    def late(self, inbox: Inbox, now: float) -> Problem | None:
        """The trigger that has stopped."""
        if TRIGGER not in inbox.arrivals or now - inbox.arrivals[TRIGGER] <= self._limit:
            return None
        return Problem("silent input", f"{TRIGGER} has not come for {self._limit:g} s")
