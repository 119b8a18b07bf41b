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
PLACE = "~/rehearsal/"
PACE = 1e-3  # [s] between two ticks that are measured
WAVER = 1e-6  # of all numbers: those that stand still are a fault (choice)
# [s] at most beside the measured time, until the controller knows what it needs to walk
MOST = 2.0


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
    sensors, readings, fill = rehearsal
    guarded.start()
    with ExitStack() as opened:

        def publisher(kind: Any, name: str) -> SerialisedPublisher:
            made = SerialisedPublisher(node, kind, PLACE + name, OUTPUTS)
            opened.callback(made.close)
            return made

        topics = {PLACE + name: topic for name, topic in sensors.topics.items()}
        outputs = {
            name: publisher(topic.kind, name) for name, topic in sensors.topics.items()
        }
        inputs = InputSet(node, topics, SENSOR_INPUTS, Counter())
        waiter = Waiter(node, 1)
        opened.callback(inputs.close)
        command = SerialisedCommand(len(guarded.torques))
        commands = publisher(Float64MultiArray, "commands")
        spent: list[float] = []
        last = due = time.monotonic() + PACE
        for one in readings:
            messages = fill(one)
            time.sleep(max(due - time.monotonic(), 0.0))
            for name, output in outputs.items():
                output.publish(messages[name])
            while (
                inputs.stamps.get(PLACE + TRIGGER) != one.stamp_ns
                and time.monotonic() < due + MOST
            ):
                waiter.wait([inputs.boxes[PLACE + TRIGGER]], PACE)
                inputs.take(time.monotonic())
            torques, output = guarded.step(
                sensors.readings(one.stamp_ns), estimates=estimates
            )
            commands.publish(command.fill(one.stamp_ns, torques))
            now = time.monotonic()
            if getattr(output, "answer", output) is not None:
                spent.append(now - due)
            if (
                guarded.problem is not None
            ):  # a robot that torques don't move is no sound one
                guarded.start()
            due = max(
                due + PACE, now
            )  # a tick that was late does not make the next one late
            if len(spent) * PACE >= seconds or now - last > seconds + MOST:
                break
    return period_check("a tick with its messages", np.array(spent or [np.inf]))
