# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the walking controller node, over DDS and in lockstep with the simulated robot.

``python -m studies.faults.campaign --help``; prints one line of JSON an outcome.
"""

from __future__ import annotations

import os
import random
from typing import Iterator, Sequence

import numpy as np
import rclpy

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain
from studies.faults.bench import Bench
from studies.faults.bench_robots import ROBOTS
from studies.faults.delivery import Delivery, Fault
from studies.faults.faults import KINDS
from studies.faults.outcomes import OUT_OF_TIME, Outcome, OutcomeLog, OutOfTime, campaign_arguments, wanted

AFTER = 40  # ticks that are watched after the reaction, or where none is required
MOST_DRIVEN = 3e-3  # [m/s] times the weight: power that a stopped joint may get, in the tick in which it turns round


def try_fault(bench: Bench, fault: Fault, moment: str, seed: int) -> Outcome:
    """One fault at one moment of the walk."""
    outcome = Outcome(fault.kind, moment, bench.robot.name)
    bench.walk_to(bench.robot.moments[moment])
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


def outcomes(robot: str, kinds: Sequence[Fault], moments: Sequence[str], log: OutcomeLog) -> None:
    """Every kind that a robot can have at every moment, on one node; what the log has is not tried again."""
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
    log = OutcomeLog(chosen)
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
