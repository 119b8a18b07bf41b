# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The walking controller node and a simulated robot in one process, over DDS and in lockstep."""

from __future__ import annotations

import time
from typing import Callable, NamedTuple, Sequence

import numpy as np
from rclpy.parameter import Parameter

from biped_slip.compile.arrays import Array
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from studies.faults.bench_robots import BenchRobot, PlanarOnBench
from studies.faults.delivery import Delivery, Fault
from studies.faults.partner import Partner
from studies.faults.snapshot import Restore, snapshot

HOLD = 20  # ticks without a command after which the robot damps by itself, as hardware should
TRIES = 20  # looks of the node for a message that has been sent
SETTLED = 20  # ticks that are walked over DDS before every fault


class Walked(NamedTuple):
    """A sound walk up to a tick."""

    restore: Restore  # of robot and controller
    torques: Array  # (n,) last commanded [N m]


class Bench:
    """A controller node and a robot that take turns; the node's clock is the simulation's.

    Attributes:
        rate: time that the clock goes on for each second of the simulation.
    """

    def __init__(self, robot: BenchRobot | None = None, **parameters: object) -> None:
        self.robot = robot or PlanarOnBench()
        overrides = {"mode": "real-time", "embedded_estimator": True, **self.robot.parameters, **parameters}
        self.node = WalkingControllerNode(
            parameter_overrides=[Parameter(name, value=value) for name, value in overrides.items()]
        )
        self.limits = self.robot.limits
        self._talk = Partner(self.robot)
        self.partner = self._talk.node
        self.node.trigger_configure()
        self._honest = self.node.guarded.controller.step
        self._walked: dict[int, Walked] = {}  # by tick
        self.undo: list[Callable[[], object]] = []  # what the faults have left behind

    def close(self) -> None:
        """End both nodes, and what the last fault has left."""
        for undo in self.undo:
            undo()
        self.node.clock = time.monotonic
        self.node.end()
        self._talk.close()

    def start(self) -> None:
        """Robot and node from the beginning."""
        if self.node.active:
            self.node.clock = time.monotonic
            self.node.trigger_deactivate()
        for undo in self.undo:
            undo()
        self.undo.clear()
        self.node.guarded.controller.step = self._honest
        self.node.skipped.clear()
        self.robot.stand()
        self.tick, self.torques, self.age = 0, np.zeros(len(self.limits)), 0
        self.rate, self._turned = 1.0, 0
        self.node.clock = lambda: 1e-3 * (self._turned + self.rate * (self.tick - self._turned))
        self.node.trigger_activate()
        end = time.monotonic() + 10.0
        while not self._talk.connected():
            if time.monotonic() > end:
                raise RuntimeError("the controller node was not found")
            time.sleep(0.01)
        self._talk.forget()

    def walk_to(self, moment: int) -> None:
        """Robot and node at a tick of a sound walk; all but its last ticks are walked once, and put back later."""
        self.start()
        before = moment - SETTLED
        if known := [tick for tick in self._walked if tick <= before]:
            self.tick = max(known)
            self.torques = self._walked[self.tick].torques
            self._walked[self.tick].restore()
        while self.tick < moment:
            if self.tick == before and before not in self._walked:
                self._walked[before] = Walked(snapshot(self.robot, self.node.guarded), self.torques)
            self.advance()

    def found(self, there: Callable[[], bool]) -> None:
        """Wait until DDS has discovered something."""
        end = time.monotonic() + 10.0
        while not there() and time.monotonic() < end:
            time.sleep(0.01)

    def run_clock(self, rate: float) -> None:
        """The node's steady clock goes on so many times as fast from now on."""
        self.rate, self._turned = rate, self.tick

    def advance(self, fault: Fault | None = None, delivery: Delivery | None = None) -> tuple[list[Array], Array]:
        """One tick, with a fault if given; answers the commands that came and the true joint velocity."""
        self.tick += 1
        messages, velocity = self.robot.read(self.tick)
        delivery = delivery or Delivery(np.random.default_rng(0), self.robot.weight)
        delivery.begin(messages)
        if fault is not None:
            fault.inject(delivery)
        commands = self._exchange(delivery.send())
        self.age = 0 if commands else self.age + 1
        if commands:
            self.torques = commands[-1]
        elif self.age > HOLD:
            self.torques = np.zeros_like(self.torques)
        self.robot.advance(np.clip(np.nan_to_num(self.torques), -self.limits, self.limits))
        return commands, velocity

    def _exchange(self, sent: Sequence[tuple[str, bytes]]) -> list[Array]:
        """Send, let the node work, collect its commands; after a trigger until one comes."""
        self._talk.send(sent)
        for _ in range(TRIES if any(topic == "joint_states" for topic, _ in sent) else 1):
            self.node.step()
            if commands := self._talk.commands():
                return commands
        return []

    def look_for_rivals(self) -> None:
        """What the node does now and then, whenever that would be."""
        self.node._outputs.look_for_listeners()
        self.node.note_rivals()

    def diagnostics(self) -> list[str]:
        """Names of the problems that /diagnostics shows now."""
        self._talk.problems()
        self.node.diagnose()
        end = time.monotonic() + 2.0
        while (said := self._talk.problems()) is None and time.monotonic() < end:
            time.sleep(0.002)
        return said or []
