# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a controller's whole process, over DDS, at every moment of the gait, on planar biped and TALOS.

``python -m studies.faults.process_campaign --help``; prints one line of JSON an outcome.
"""

from __future__ import annotations

import os
import random
import tempfile
from typing import Sequence

from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain
from studies.faults.bench_robots import ROBOTS
from studies.faults.controller_process import Order, WalkedRobots
from studies.faults.nursery import Nursery
from studies.faults.outcomes import OUT_OF_TIME, Outcome, OutcomeLog, OutOfTime, campaign_arguments, wanted
from studies.faults.process_faults import PROCESS_KINDS, ProcessFault
from studies.faults.process_stage import Stage

NOT_ALLOWED = 77  # exit code of a process that may not change its own namespace


class ProcessBench:
    """Robots and processes; made before DDS is.

    Args:
        robots: names of those that are to be tried.
    """

    def __init__(self, robots: Sequence[str]) -> None:
        self._walked = WalkedRobots({name: ROBOTS[name]() for name in robots})
        self._nursery, self._strangers = Nursery(self._walked.live), Nursery(self._walked.live)

    def close(self) -> None:
        """No more processes."""
        self._nursery.close()
        self._strangers.close()

    def try_fault(self, fault: ProcessFault, robot: str, moment: str, seed: int) -> Outcome:
        """One fault at one moment of the walk."""
        outcome = Outcome(fault.kind, moment, robot)
        with tempfile.TemporaryDirectory(prefix="biped_slip_") as folder:
            order = Order(
                robot, moment, parameters=fault.parameters, folder=folder,
                without_shared_memory=fault.without_shared_memory, seed=seed,
            )  # fmt: skip
            stage = Stage(self._walked, self._nursery, self._strangers, order)
            try:
                wrong = fault.act(stage) if stage.begin() else ["did not walk before the fault"]
                if fault.without_shared_memory and stage.code == NOT_ALLOWED:
                    outcome.skipped, wrong = "this user may not mount anything over /dev/shm", []
                if "Traceback" in stage.log():
                    wrong.append("a traceback in the log")
                outcome.named, outcome.violations = sorted(stage.named), sorted({*wrong, *stage.violations})
            finally:
                stage.close()
        return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    chosen = campaign_arguments(__doc__ or "").parse_args(arguments)
    log, kinds = OutcomeLog(chosen), [fault for fault in PROCESS_KINDS if wanted(fault.kind, chosen.kind)]
    if not kinds:
        return 0
    os.environ.update(LOCAL_AND_PLAIN, ROS_DOMAIN_ID=str(free_domain(random.Random())))
    bench = ProcessBench(chosen.robot)
    import rclpy

    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    try:
        for robot in chosen.robot:
            for fault in kinds:
                for moment in chosen.moment:
                    if not log.known(fault.kind, moment, robot):
                        log.add(bench.try_fault(fault, robot, moment, chosen.seed))
    except OutOfTime:
        return OUT_OF_TIME
    finally:
        bench.close()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
