# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one control tick costs in time and memory: both estimators, virtual model, torques, on the walking biped."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from biped_slip.simulation.planar.policy import planar_policy
from biped_slip.simulation.planar.run import named_scenario
from biped_slip.simulation.planar.walk import Walk

WARM_UP = 2000  # ticks


class TickCost(NamedTuple):
    """Cost of ticks in one process."""

    ticks: int
    median_us: float  # processor time: what others do meanwhile is not the tick's
    p999_us: float
    simulator_us: float  # median of reading and advancing the plant
    growth_kb: float  # of the process' memory after the warm-up


def control_tick(limit: str, ticks: int) -> TickCost:
    """Walk so many ticks of the thesis scenario, over and over, with a slip prevention; take the time of each."""
    spent, simulated, memory = [], [], 0.0
    scenario, done = named_scenario("thesis"), 0
    while done < WARM_UP + ticks:
        walk = Walk(scenario, planar_policy(limit, scenario))
        while not walk.ended and done < WARM_UP + ticks:
            begin = time.perf_counter()
            readings = walk.sensors.read()
            middle, before = time.perf_counter(), time.thread_time()
            torques = walk.controller.step(readings).torques
            end, cost = time.perf_counter(), time.thread_time() - before
            walk.advance(torques)
            done += 1
            if done == WARM_UP:
                memory, spent, simulated = resident_kb(), [0.0] * 0, [0.0] * 0
            spent.append(cost)
            simulated.append(time.perf_counter() - end + middle - begin)
    growth = resident_kb() - memory - (len(spent) + len(simulated)) * 32e-3  # floats kept by this measurement
    p50, p999 = 1e6 * np.quantile(spent, (0.5, 0.999))
    return TickCost(ticks, float(p50), float(p999), 1e6 * float(np.median(simulated)), growth)


def resident_kb() -> float:
    """Memory of this process [kB]."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024.0
