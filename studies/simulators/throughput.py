# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How many walks a minute, on one worker and on two, and what memory it takes."""

from __future__ import annotations

import time

from biped_slip.errors import InvalidParameter
from biped_slip.simulation.campaign import run_campaign, run_job
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.walk import Job, Walk, named_scenario, planar_policy
from studies.estimator.conditions import NAN, Row
from studies.ticks import BARE_CALL, bare_call, resident_kb

LIKE_THE_FIRST = f"with a bare call of {BARE_CALL} us"
SCENARIO, HUMANOID, LIMIT = "thesis_sensors", "talos", "interval"
WARM_UP = 1500  # ticks of a humanoid: standing, the first transfer


def walk_rows(walks: int) -> list[Row]:
    """Speed of a walk after warm-up, by the clock and by the processor's time."""
    scenario = named_scenario(SCENARIO)
    clock, processor, length, slowness = [], [], 0.0, _slowness()
    for _ in range(walks + 1):
        walk = Walk(scenario, planar_policy(LIMIT, scenario))
        begin = time.perf_counter(), time.thread_time()
        log = walk.run()
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
        length = float(log.time[-1])
    return [
        Row(f"walk {SCENARIO}, {LIMIT}: times real time", NAN, False, "", length / min(clock[1:])),
        Row(f"... {LIKE_THE_FIRST}", 150.0, False, "", slowness * length / min(clock[1:])),
        Row("... by the processor's time", NAN, False, "", length / min(processor[1:])),
    ]


def humanoid_walk_rows(seconds: int) -> list[Row]:
    """Speed of a humanoid's walk, controller and simulator, after standing and the first transfer: its fastest second.

    A second holds more than a step; other work on the machine only makes it longer.
    """
    walk = HumanoidWalk(chosen_walk(HUMANOID), LIMIT, 0)
    _walk_on(walk, WARM_UP)
    clock, processor, slowness = [], [], _slowness()
    for _ in range(seconds):
        begin = time.perf_counter(), time.thread_time()
        _walk_on(walk, 1000)
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
    return [
        Row(f"walk of {HUMANOID}, {LIMIT}: times real time", 3.0, False, "", 1.0 / min(clock)),
        Row(f"... {LIKE_THE_FIRST}", 3.0, False, "", slowness / min(clock)),
        Row("... by the processor's time", NAN, False, "", 1.0 / min(processor)),
    ]


def _walk_on(walk: HumanoidWalk, ticks: int) -> None:
    for _ in range(ticks):
        if walk.ended:
            raise InvalidParameter("seconds", 1e-3 * walk.world.plant.ticks, "less than the walk takes")
        walk.tick()


def campaign_rows(walks: int) -> list[Row]:
    """Walks a minute on one worker and on two, and how memory grows from walk to walk."""
    jobs = [Job(SCENARIO, LIMIT, seed) for seed in range(walks)]
    run_job(jobs[0])
    memory, begin = resident_kb(), time.perf_counter()
    for job in jobs:
        run_job(job)
    alone = time.perf_counter() - begin
    growth, slowness = resident_kb() - memory, _slowness()
    first, last = _marks(jobs * 2)
    both = last - first
    efficiency = (2 * walks - 2) / both / (2.0 * walks / alone)  # the first walk of each worker warms it up
    return [
        Row("walks a minute on one worker", NAN, False, "", 60.0 * walks / alone),
        Row("walks a minute on two workers", NAN, False, "", 60.0 * (2 * walks - 2) / both),
        Row(f"... {LIKE_THE_FIRST}", 1000.0, False, "", slowness * 60.0 * (2 * walks - 2) / both),
        Row("two workers over twice one [%]", 90.0, False, "", 100.0 * efficiency),
        Row("memory of a worker [MB]", 400.0, True, "", 1e-3 * resident_kb()),
        Row(f"its growth over {walks} walks [kB a walk]", NAN, True, "", growth / walks),
    ]


def _marks(jobs: list[Job]) -> tuple[float, float]:
    """When the second and the last walk of a campaign on two workers ended [s]."""
    ends: list[float] = []
    run_campaign(jobs, 2, lambda _: ends.append(time.perf_counter()))
    return ends[1], ends[-1]


def _slowness() -> float:
    """How much longer this machine takes, this minute, than the one that the requirements were meant for."""
    return bare_call() / BARE_CALL
