# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the walking controller node, over DDS and in lockstep with the simulated robot.

``python -m biped_slip.lab.fault_injection.campaign [--robot NAMES …] [--kind WORDS …] [--moment WORDS …]`` prints one
line of JSON an outcome.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from dataclasses import asdict, dataclass, field
from typing import Callable, Iterator, Sequence

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.lab.fault_injection.bench_robots import ROBOTS, BenchRobot, PlanarOnBench
from biped_slip.lab.fault_injection.delivery import Delivery, Fault
from biped_slip.lab.fault_injection.faults import KINDS
from biped_slip.lab.loop.endless_robot import COMMAND
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain
from biped_slip.ros.topics.command_gate import typed_command
from biped_slip.ros.topics.messages import SerialisedCommand
from biped_slip.ros.topics.qos import COMMANDS, DIAGNOSTICS, OUTPUTS
from biped_slip.ros.topics.subscription import PolledSubscription

AFTER = 40  # ticks that are watched after the reaction, or where none is required
HOLD = 20  # ticks without a command after which the robot damps by itself, as hardware should
MOST_DRIVEN = 3e-3  # [m/s] times the weight: power that a stopped joint may get, in the tick in which it turns round
TRIES = 20  # looks of the node for a message that has been sent
MOMENTS = tuple(PlanarOnBench.moments)


@dataclass
class Outcome:
    """How one fault at one moment went."""

    kind: str
    moment: str
    robot: str = "planar"
    reaction: int | None = None  # ticks to damped joints
    driven: float = 0.0  # [W] most that a joint got while it was stopped
    named: list[str] = field(default_factory=list)  # problems in /diagnostics
    violations: list[str] = field(default_factory=list)  # of what is required; none: passed


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
        self.limits, joints = self.robot.limits, len(self.robot.joints)
        self.partner = rclpy.create_node("fault_bench")
        self._outputs = {
            topic: self.partner.create_publisher(kind, self.robot.real.get(topic, topic), OUTPUTS)
            for topic, kind in self.robot.topics.items()
        }
        self._commands = PolledSubscription(self.partner, Float64MultiArray, COMMAND, COMMANDS, raw=True)
        self._diagnostics = PolledSubscription(self.partner, DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._template = SerialisedCommand(joints)
        self.node.trigger_configure()
        self._honest = self.node.guarded.controller.step
        self.undo: list[Callable[[], object]] = []  # what the faults have left behind

    def close(self) -> None:
        """End both nodes, and what the last fault has left."""
        for undo in self.undo:
            undo()
        self.node.clock = time.monotonic
        self.node.end()
        self.partner.destroy_node()

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
        while not (self._outputs["joint_states"].get_subscription_count() and self._commands.senders()):
            if time.monotonic() > end:
                raise RuntimeError("the controller node was not found")
            time.sleep(0.01)
        for box in (self._commands, self._diagnostics):
            list(box.take())

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
        for topic, raw in sent:
            self._outputs[topic].publish(raw)
        triggered, commands = any(topic == "joint_states" for topic, _ in sent), []
        for _ in range(TRIES if triggered else 1):
            self.node.step()
            for raw in self._commands.take():
                commands.append((self._template.read(raw) or typed_command(raw)).efforts)
            if commands:
                break
        return commands

    def look_for_rivals(self) -> None:
        """What the node does now and then, whenever that would be."""
        self.node._outputs.look_for_listeners()
        self.node.note_rivals()

    def diagnostics(self) -> list[str]:
        """Names of the problems that /diagnostics shows now."""
        list(self._diagnostics.take())
        self.node.diagnose()
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            for array in self._diagnostics.take():
                values = {value.key: value.value for status in array.status for value in status.values}
                counted = [key.partition(":")[0] for key in values if ": " in key or key.startswith("own stall")]
                return sorted({name for name in (values.get("problem", ""), *counted) if name})
            time.sleep(0.002)
        return []


def try_fault(bench: Bench, fault: Fault, moment: str, seed: int) -> Outcome:
    """One fault at one moment of the walk."""
    outcome = Outcome(fault.kind, moment, bench.robot.name)
    bench.start()
    while bench.tick < bench.robot.moments[moment]:
        bench.advance()
    if bench.node.guarded.mode not in (Mode.STANDING, Mode.WALKING):
        outcome.violations.append(f"did not walk before the fault: {bench.node.guarded.problem}")
    if fault.act is not None:
        fault.act(bench)
    delivery, before = Delivery(np.random.default_rng(seed), bench.robot.weight), bench.torques
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
    """What no command may ever be."""
    if not np.isfinite(torques).all():
        yield "a command is not finite"
    elif np.any(np.abs(torques) > limits * (1.0 + 1e-12)):
        yield "a command is beyond the limits"


def _missing(fault: Fault, outcome: Outcome, bench: Bench) -> Iterator[str]:
    """What should have happened and has not."""
    if not bench.node.active:
        yield "the node is no longer active"
    if fault.names and not set(fault.names) & set(outcome.named):
        yield f"not named in /diagnostics ({', '.join(outcome.named) or 'nothing'})"
    if fault.within is not None and (outcome.reaction is None or outcome.reaction > fault.within):
        yield "not damped in time" if outcome.reaction is None else f"damped after {outcome.reaction} ticks"
    if outcome.driven > MOST_DRIVEN * bench.robot.weight:
        yield f"the damping drove a joint with {outcome.driven:.3g} W"
    if fault.within is None and not fault.may_go_on and outcome.reaction is not None:
        yield f"stopped for no reason: {bench.node.guarded.problem}"


def outcomes(
    robot: str, kinds: Sequence[Fault], moments: Sequence[str], tell: Callable[[Outcome], None] = lambda outcome: None
) -> list[Outcome]:
    """Every kind that a robot can have at every moment, on one node."""
    bench, done = Bench(ROBOTS[robot]()), []
    try:
        for number, fault in enumerate(kinds):
            for moment in moments if robot in fault.robots else ():
                done.append(try_fault(bench, fault, moment, seed=number))
                tell(done[-1])
    finally:
        bench.close()
    return done


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", nargs="+", default=[], help="only kinds with one of these words in their name")
    parser.add_argument("--moment", nargs="+", default=list(MOMENTS), choices=list(MOMENTS))
    parser.add_argument("--robot", nargs="+", default=list(ROBOTS), choices=list(ROBOTS))
    chosen = parser.parse_args(arguments)
    kinds = [fault for fault in KINDS if not chosen.kind or any(word in fault.kind for word in chosen.kind)]
    os.environ.update(LOCAL_AND_PLAIN, ROS_DOMAIN_ID=str(free_domain(random.Random())))
    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    try:
        for robot in chosen.robot:
            outcomes(robot, kinds, chosen.moment, lambda outcome: print(json.dumps(asdict(outcome)), flush=True))
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
