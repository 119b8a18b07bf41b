# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rehearsal of a controller before it is active.

It measures the computing time from message to message.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy as np
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.control.tick_time import PERIODS, PeriodCheck, period_check
from biped_slip.ros.dds import OUTPUTS, SENSOR_INPUTS, SerialisedPublisher, Waiter
from biped_slip.ros.messages import SerialisedCommand
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.sensor_inputs import TRIGGER, InputSet
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.guarded import GuardedController

AUTO = "auto"
CHOSEN_PERIODS = {f"{1e3 * period:g} ms": period for period in PERIODS}
PERIOD_CHOICES = ("walk", AUTO, *CHOSEN_PERIODS)
PERIOD_WORDS = (
    "of control: the walk's, the shortest of 1, 2 and 4 ms that this "
    "computer keeps up with, or one of them"
)
REHEARSAL_FOLDER = "~/rehearsal/"
PACE = 1e-3  # [s] between two ticks that are measured
WAVER = 1e-6  # of all numbers: those that stand still are a fault (choice)
# [s] at most beside the measured time, until the controller knows what it needs to walk
MOST_TIME = 2.0


class Rehearsal(NamedTuple):
    """Readings and message sizes for the rehearsal of a robot's controller."""

    sensors: Any  # inputs of its own, which have heard nothing
    readings: Iterable[Any]  # of a robot that stands, one a tick, without end
    fill: Callable[[Any], Mapping[str, bytes]]  # makes their messages


def wavering(numbers: Any, rng: np.random.Generator) -> Any:
    """Add a little noise to the arrays of a named tuple."""
    noisy = [
        x + WAVER * rng.standard_normal(x.shape) if isinstance(x, np.ndarray) else x
        for x in numbers
    ]
    return type(numbers)(*noisy)


def rehearsed(
    node: RobotNode,
    guarded: GuardedController[Any],
    rehearsal: Rehearsal,
    seconds: float,
    estimates: FootEstimates | None = None,
) -> PeriodCheck:
    """Measure the loop's times on readings that the node sends to itself.

    Args:
        node: takes and sends; its topics of the rehearsal end with it.
        guarded: controller, which has to be started again afterwards.
        rehearsal: what it is fed with.
        seconds: of ticks, from the first on that a robot could walk by.
        estimates: of friction, where another node makes them.
    """
    guarded.start()
    with ExitStack() as opened:
        topics = _OwnTopics(node, rehearsal, len(guarded.torques), opened)
        spent: list[float] = []
        last = due = time.monotonic() + PACE
        for one in rehearsal.readings:
            messages = rehearsal.fill(one)
            time.sleep(max(due - time.monotonic(), 0.0))
            heard = topics.heard(messages, one.stamp_ns, due + MOST_TIME)
            torques, output = guarded.step(heard, estimates=estimates)
            topics.command(one.stamp_ns, torques)
            now = time.monotonic()
            if getattr(output, "answer", output) is not None:
                spent.append(now - due)
            # a robot that torques don't move is no sound one
            if guarded.problem is not None:
                guarded.start()
            # a tick that was late does not make the next one late
            due = max(due + PACE, now)
            if len(spent) * PACE >= seconds or now - last > seconds + MOST_TIME:
                break
    return period_check("a tick with its messages", np.array(spent or [np.inf]))


class _OwnTopics:
    """Topics on which a node sends readings and commands to itself.

    Args:
        node: takes and sends.
        rehearsal: its sensors take the readings.
        joints: number of the robot's joints.
        opened: closes the topics with its end.
    """

    def __init__(
        self, node: RobotNode, rehearsal: Rehearsal, joints: int, opened: ExitStack
    ) -> None:
        def publisher(kind: Any, name: str) -> SerialisedPublisher:
            made = SerialisedPublisher(node, kind, REHEARSAL_FOLDER + name, OUTPUTS)
            opened.callback(made.close)
            return made

        self._sensors = rehearsal.sensors
        topics = self._sensors.topics
        self._outputs = {
            name: publisher(topic.kind, name) for name, topic in topics.items()
        }
        self._inputs = InputSet(
            node,
            {REHEARSAL_FOLDER + name: topic for name, topic in topics.items()},
            SENSOR_INPUTS,
            Counter(),
        )
        self._waiter = Waiter(node, 1)
        opened.callback(self._inputs.close)
        self._command = SerialisedCommand(joints)
        self._commands = publisher(Float64MultiArray, "commands")

    def heard(self, messages: Mapping[str, bytes], stamp_ns: int, latest: float) -> Any:
        """Send messages of an instant [ns] and return the readings that arrive.

        They are the newest ones at the time ``latest`` [s, steady clock].
        """
        for name, output in self._outputs.items():
            output.publish(messages[name])
        while (
            self._inputs.stamps.get(REHEARSAL_FOLDER + TRIGGER) != stamp_ns
            and time.monotonic() < latest
        ):
            self._waiter.wait([self._inputs.boxes[REHEARSAL_FOLDER + TRIGGER]], PACE)
            self._inputs.take(time.monotonic())
        return self._sensors.readings(stamp_ns)

    def command(self, stamp_ns: int, torques: Array) -> None:
        """Send torques (n,) [N m] that answer an instant [ns]."""
        self._commands.publish(self._command.fill(stamp_ns, torques))
