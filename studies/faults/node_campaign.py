# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the walking controller node, over DDS.

The node walks in lockstep with the simulated robot.

``python -m studies.faults.node_campaign --help``; prints one line of JSON an outcome.
"""

from __future__ import annotations

import os
import random
import time
from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np
import rclpy
from rclpy.parameter import Parameter

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain
from studies.faults.message_faults import KINDS, Delivery, Fault
from studies.faults.outcomes import (
    OUT_OF_TIME,
    Outcome,
    OutcomeLog,
    OutOfTime,
    campaign_arguments,
    wanted,
)
from studies.faults.robots import ROBOTS, BenchRobot, Partner, PlanarOnBench
from studies.faults.snapshot import Restore, snapshot

# ticks without a command after which the robot damps by itself, as hardware should
HOLD = 20
TRIES = 20  # looks of the node for a message that has been sent
SETTLED = 20  # ticks that are walked over DDS before every fault


class Walked(NamedTuple):
    """A sound walk up to a tick."""

    restore: Restore  # of robot and controller
    torques: Array  # (n,) last commanded [N m]


class Bench:
    """A controller node and a robot that take turns.

    The node's clock is the simulation's.

    Attributes:
        rate: time that the clock goes on for each second of the simulation.
    """

    def __init__(self, robot: BenchRobot | None = None, **parameters: object) -> None:
        self.robot = robot or PlanarOnBench()
        overrides = {
            "mode": "real-time",
            "embedded_estimator": True,
            **self.robot.parameters,
            **parameters,
        }
        self.node = WalkingControllerNode(
            parameter_overrides=[
                Parameter(name, value=value) for name, value in overrides.items()
            ]
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
        self.tick = 0
        self.torques = np.zeros(len(self.limits))
        self.age = 0
        self.rate = 1.0
        self._turned = 0
        self.node.clock = lambda: (
            1e-3 * (self._turned + self.rate * (self.tick - self._turned))
        )
        self.node.trigger_activate()
        end = time.monotonic() + 10.0
        while not self._talk.connected():
            if time.monotonic() > end:
                raise RuntimeError("the controller node was not found")
            time.sleep(0.01)
        self._talk.forget()

    def walk_to(self, moment: int) -> None:
        """Bring robot and node to a tick of a sound walk.

        All but the walk's last ticks are walked once, and put back later.
        """
        self.start()
        before = moment - SETTLED
        if known := [tick for tick in self._walked if tick <= before]:
            self.tick = max(known)
            self.torques = self._walked[self.tick].torques
            self._walked[self.tick].restore()
        while self.tick < moment:
            if self.tick == before and before not in self._walked:
                self._walked[before] = Walked(
                    snapshot(self.robot, self.node.guarded), self.torques
                )
            self.advance()

    def found(self, there: Callable[[], bool]) -> None:
        """Wait until DDS has discovered something."""
        end = time.monotonic() + 10.0
        while not there() and time.monotonic() < end:
            time.sleep(0.01)

    def run_clock(self, rate: float) -> None:
        """Let the node's steady clock run so many times as fast from now on."""
        self.rate = rate
        self._turned = self.tick

    def advance(
        self, fault: Fault | None = None, delivery: Delivery | None = None
    ) -> tuple[list[Array], Array]:
        """Advance by one tick, with a fault if given.

        It returns the commands that came and the true joint velocity.
        """
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
        self.robot.advance(
            np.clip(np.nan_to_num(self.torques), -self.limits, self.limits)
        )
        return commands, velocity

    def _exchange(self, sent: Sequence[tuple[str, bytes]]) -> list[Array]:
        """Send, let the node work, and collect its commands.

        After a trigger, the node works until one comes.
        """
        self._talk.send(sent)
        for _ in range(
            TRIES if any(topic == "joint_states" for topic, _ in sent) else 1
        ):
            self.node.step()
            if commands := self._talk.commands():
                return commands
        return []

    def look_for_rivals(self) -> None:
        """Run the node's occasional check for rivals now."""
        self.node._outputs.look_for_listeners()
        self.node.note_rivals()

    def diagnostics(self) -> list[str]:
        """Names of the problems that /diagnostics shows now."""
        self._talk.problems()
        list(self.node._tell_diagnostics())
        end = time.monotonic() + 2.0
        while (said := self._talk.problems()) is None and time.monotonic() < end:
            time.sleep(0.002)
        return said or []


AFTER = 40  # ticks that are watched after the reaction, or where none is required
# [m/s] times the weight: power that a stopped joint may get, in the tick in which it
# turns round
MOST_DRIVEN = 3e-3


def try_fault(bench: Bench, fault: Fault, moment: str, seed: int) -> Outcome:
    """One fault at one moment of the walk."""
    outcome = Outcome(fault.kind, moment, bench.robot.name)
    bench.walk_to(bench.robot.moments[moment])
    if bench.node.guarded.mode not in (Mode.STANDING, Mode.WALKING):
        outcome.violations.append(
            f"did not walk before the fault: {bench.node.guarded.problem}"
        )
    if fault.act is not None:
        fault.act(bench)
    delivery = Delivery(np.random.default_rng(seed), bench.robot.weight)
    before = bench.torques
    watched = (fault.within or 0) + AFTER
    for tick in range(watched):
        commands, velocity = bench.advance(fault, delivery)
        stopped = bench.node.guarded.mode not in (Mode.STANDING, Mode.WALKING)
        for torques in commands:
            outcome.violations += _improper(torques, before, bench.limits)
            before = torques
        power = float(np.max(bench.torques * velocity))
        if stopped and outcome.reaction is None and power <= 1e-9:
            outcome.reaction = tick
            watched = min(watched, tick + AFTER)
        if outcome.reaction is not None and tick >= outcome.reaction + AFTER:
            break
        if outcome.reaction is not None and stopped:
            outcome.driven = max(outcome.driven, power)
    bench.look_for_rivals()
    outcome.named = bench.diagnostics()
    outcome.violations = sorted({*outcome.violations, *_missing(fault, outcome, bench)})
    return outcome


def _improper(torques: Array, before: Array, limits: Array) -> Iterator[str]:
    """Find what no command may ever be."""
    if not np.isfinite(torques).all():
        yield "a command is not finite"
    elif np.any(np.abs(torques) > limits * (1.0 + 1e-12)):
        yield "a command is beyond the limits"


def _missing(fault: Fault, outcome: Outcome, bench: Bench) -> Iterator[str]:
    """Find what should have happened and has not."""
    if not bench.node.active:
        yield "the node is no longer active"
    if fault.names and not set(fault.names) & set(outcome.named):
        yield f"not named in /diagnostics ({', '.join(outcome.named) or 'nothing'})"
    if fault.within is not None and (
        outcome.reaction is None or outcome.reaction > fault.within
    ):
        yield (
            "not damped in time"
            if outcome.reaction is None
            else f"damped after {outcome.reaction} ticks"
        )
    if outcome.driven > MOST_DRIVEN * bench.robot.weight:
        yield f"the damping drove a joint with {outcome.driven:.3g} W"
    if fault.within is None and not fault.may_go_on and outcome.reaction is not None:
        yield f"stopped for no reason: {bench.node.guarded.problem}"


def outcomes(
    robot: str, kinds: Sequence[Fault], moments: Sequence[str], log: OutcomeLog
) -> None:
    """Try every kind that a robot can have at every moment, on one node.

    What the log has is not tried again.
    """
    bench = Bench(ROBOTS[robot]())
    try:
        for fault in kinds:
            for moment in moments if robot in fault.robots else ():
                if not log.known(fault.kind, moment, robot):
                    log.add(try_fault(bench, fault, moment, log.seed))
    finally:
        bench.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    chosen = campaign_arguments(__doc__ or "").parse_args(arguments)
    log = OutcomeLog(chosen, try_fault)
    kinds = [fault for fault in KINDS if wanted(fault.kind, chosen.kind)]
    os.environ.update(LOCAL_AND_PLAIN, ROS_DOMAIN_ID=str(free_domain(random.Random())))
    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    try:
        for robot in chosen.robot:
            outcomes(robot, kinds, chosen.moment, log)
    except OutOfTime:
        return OUT_OF_TIME
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
