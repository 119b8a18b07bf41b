# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in the middle of its walk, walked by a controller's process that something is about to happen to."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.ros.messages import Command
from studies.faults.bench import HOLD
from studies.faults.bench_robots import PERIOD
from studies.faults.controller_process import Order, WalkedRobots
from studies.faults.nursery import Nursery
from studies.faults.partner import Partner

PATIENCE = 30.0  # [s] for a process to begin, to be found, to end
ANSWER = 1.0  # [s] for a command to an instant: machines may be loaded
AGAIN = 0.1  # [s]
SILENCE = 0.15  # [s] in which the last message arrives
SETTLED = 20  # ticks that are walked before anything happens
STOPS = {"fall", "joint speed", "joint limit", "torque limit", "controller failure", "unbalanced forces"}  # of a walk
LOGGED = 2000  # characters of a log that are looked at

Change = Callable[[dict[str, Any]], None]  # spoils the messages of an instant


class Stage:
    """One robot and one controller; ``violations`` says what no command may be.

    Args:
        walked: robots at their moments.
        nursery: begins processes.
        strangers: begins those that disturb.
        order: of the controller.
    """

    def __init__(self, walked: WalkedRobots, nursery: Nursery, strangers: Nursery, order: Order) -> None:
        self.robot, self.order = walked.robots[order.robot], order
        self._nursery, self._strangers, self._stranger = nursery, strangers, 0
        self.violations: list[str] = []
        self._moment = walked.moments[order.robot][order.moment]
        self._moment.restore()
        self.tick, self.torques, self.age = self.robot.moments[order.moment], self._moment.torques, 0
        self.partner = Partner(self.robot)
        self.process, self.code = nursery.begin(order), None
        self._running, self.connected = True, False
        self.last: Array | None = None  # command
        self.named: set[str] = set()
        self.power = 0.0  # [W] most that a joint has got, with the velocity of the instant that is answered
        self._velocities: dict[int, Array] = {}  # by stamp [ns]

    @property
    def running(self) -> bool:
        """Whether the controller's process has not ended."""
        if self._running and self._nursery.ended():
            self.code, self._running = self._nursery.exit_code(PATIENCE), False
        return self._running

    def begin(self) -> bool:
        """Connect and settle; answers whether the robot is walked."""
        self.connected = self._until(lambda: self.partner.connected() or not self.running)
        self.partner.forget()
        if not (self.connected and self.running and self.step(again=AGAIN)):
            return False
        return sum(len(self.step()) > 0 for _ in range(SETTLED)) > 0.9 * SETTLED

    def step(self, change: Change | None = None, wait: bool = True, again: float = np.inf) -> list[Array]:
        """One control period of the robot; answers the commands that came.

        Args:
            change: spoils the messages of this instant.
            wait: whether the robot waits for a command.
            again: after which time the same is sent again [s]: a controller may be found before it hears.
        """
        self.tick += 1
        messages, self._velocities[self.tick * PERIOD] = self.robot.read(self.tick)
        if change is not None:
            change(messages)
        self.partner.send(messages.items())
        answers = self.partner.answers()
        begin = sent = time.monotonic()
        patience = (ANSWER if again == np.inf else PATIENCE) if wait else 0.0
        while not answers and (now := time.monotonic()) < begin + patience and self.running:
            if now > sent + again:
                self.partner.send(messages.items())
                sent = now
            time.sleep(2e-4)
            answers = self.partner.answers()
        commands = self._take(answers)
        self.age = 0 if commands else self.age + 1
        if self.age > HOLD:
            self.torques = np.zeros_like(self.torques)
        self.robot.advance(np.clip(np.nan_to_num(self.torques), -self.robot.limits, self.robot.limits))
        return commands

    def walk(self, ticks: int) -> int:
        """So many control periods; answers how many were commanded with torque."""
        return sum(any(np.any(command) for command in self.step()) for _ in range(ticks))

    def _take(self, answers: list[Command]) -> list[Array]:
        for stamp, torques in answers:
            self.last = torques
            if not np.isfinite(torques).all():
                self.violations.append("a command is not finite")
            elif np.any(np.abs(torques) > self.robot.limits * (1.0 + 1e-12)):
                self.violations.append("a command is beyond the limits")
            if (velocity := self._velocities.get(stamp or 0)) is not None:
                self.power = max(self.power, float(np.max(torques * velocity)))
        if answers:
            self.torques = answers[-1].efforts
        self.named.update(self.partner.problems() or ())
        return [answer.efforts for answer in answers]

    def signal(self, name: str) -> None:
        """Send one to the controller's process."""
        if self.running:
            os.kill(self.process, getattr(signal, name))

    def ends(self) -> bool:
        """The robot goes on until the process has ended and its last command has come; answers whether it has."""
        end = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < end:
            self.step(wait=False)
            time.sleep(1e-3)
        ended = not self.running
        time.sleep(SILENCE)
        self._take(self.partner.answers())
        return ended

    def crashed(self) -> list[str]:
        """What is wrong after an end that nobody can catch: the robot lets go by itself, as hardware must."""
        self.ends()
        for _ in range(2 * HOLD):
            self.step(wait=False)
        return ["the robot keeps its last torque"] if np.any(self.torques) else []

    def let_go(self, codes: tuple[int, ...] = (0,)) -> list[str]:
        """What is wrong with an end by itself: zero effort last, and one of the exit codes."""
        if not self.ends():
            return ["the process does not end"]
        wrong = []
        if self.last is None or np.any(self.last):
            wrong.append(f"the last command is {self.last}")
        if self.code not in codes:
            wrong.append(f"exit code {self.code}")
        return wrong

    def goes_on(self, ticks: int, share: float = 0.9) -> list[str]:
        """What is wrong with a walk that should go on."""
        commanded = self.walk(ticks)
        if not self.running:
            return [f"the process ended with exit code {self.code}"]
        wrong = [] if commanded >= share * ticks else [f"torque in {commanded} of {ticks} ticks"]
        return wrong + [f"stopped by {name}" for name in sorted(STOPS & self.named)]

    def hears(self, names: tuple[str, ...], change: Change | None = None) -> list[str]:
        """What is wrong with diagnostics that should name a problem; the robot goes on meanwhile, its inputs spoilt."""
        end = time.monotonic() + 3.0
        while not set(names) & self.named and time.monotonic() < end and self.running:
            self.step(change, wait=False)
            time.sleep(1e-3)
        return [] if set(names) & self.named else [f"not named ({', '.join(sorted(self.named)) or 'nothing'})"]

    def disturb(self, what: str) -> None:
        """A stranger begins to publish, and has been found by the controller."""
        self._stranger = self._strangers.begin(replace(self.order, what=what, folder="", parameters={}))

    def calm(self) -> None:
        """The stranger is gone."""
        if self._stranger:
            os.kill(self._stranger, signal.SIGKILL)
            self._strangers.exit_code(PATIENCE)
            self._stranger = 0

    def restart(self) -> bool:
        """Another process of the same order in place of the one that has ended; answers whether it commands."""
        self.process, self._running = self._nursery.begin(replace(self.order, moment="")), True
        self.torques, end = np.zeros_like(self.torques), time.monotonic() + PATIENCE
        while not (answered := self.step()) and time.monotonic() < end:
            pass
        return len(answered) > 0 and self.walk(SETTLED) > 0

    def log(self) -> str:
        """What the process has written."""
        path = Path(self.order.folder) / "log"
        return path.read_text(encoding="utf-8", errors="replace")[-LOGGED:] if path.is_file() else ""

    def close(self) -> None:
        """Nothing is left running."""
        self.calm()
        if self.running:
            os.kill(self.process, signal.SIGKILL)
            self._nursery.exit_code(PATIENCE)
        self.partner.close()

    @staticmethod
    def _until(there: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE
        while not (found := there()) and time.monotonic() < end:
            time.sleep(2e-3)
        return found
