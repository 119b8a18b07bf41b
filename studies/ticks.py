# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one control tick costs, beside a bare call of a compiled function."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.humanoid import HumanoidSequencer
from studies.frame import NAN, Row

# What a machine is worth this minute: a bare compiled call from Python, beside which
# times are judged.

BARE_CALL = 0.15  # [us] on the machine that requirements in seconds were meant for


@kernel
def _bare(value: float) -> float:
    return value + 1.0


def bare_call(repeats: int = 4000) -> float:
    """Median time of a bare compiled call [us]."""
    _bare(1.0)
    times = []
    for _ in range(repeats):
        before = time.perf_counter_ns()
        _bare(1.0)
        times.append(time.perf_counter_ns() - before)
    return float(np.median(times)) / 1e3


# What one control tick costs in time and memory: both estimators, virtual model,
# torques, on the walking biped.

WARM_UP = 2000  # ticks


class TickCost(NamedTuple):
    """Cost of ticks in one process."""

    ticks: int
    median_us: float  # processor time: what others do meanwhile is not the tick's
    p999_us: float
    simulator_us: float  # median of reading and advancing the plant
    growth_kb: float  # of the process' memory after the warm-up


def control_tick(limit: str, ticks: int) -> TickCost:
    """Walk so many ticks of the thesis scenario, over and over, with a slip prevention.

    Take the time of each tick.
    """
    spent = []
    simulated = []
    memory = 0.0
    scenario = chosen_scenario("thesis")
    done = 0
    while done < WARM_UP + ticks:
        walk = Walk(scenario, planar_policy(limit, scenario))
        while not walk.ended and done < WARM_UP + ticks:
            begin = time.perf_counter()
            readings = walk.sensors.read()
            middle = time.perf_counter()
            before = time.thread_time()
            torques = walk.controller.step(readings).torques
            end = time.perf_counter()
            cost = time.thread_time() - before
            walk.advance(torques)
            done += 1
            if done == WARM_UP:
                memory = resident_kb()
                spent = [0.0] * 0
                simulated = [0.0] * 0
            spent.append(cost)
            simulated.append(time.perf_counter() - end + middle - begin)
    # floats kept by this measurement
    growth = resident_kb() - memory - (len(spent) + len(simulated)) * 32e-3
    p50, p999 = 1e6 * np.quantile(spent, (0.5, 0.999))
    return TickCost(
        ticks=ticks,
        median_us=float(p50),
        p999_us=float(p999),
        simulator_us=1e6 * float(np.median(simulated)),
        growth_kb=growth,
    )


def resident_kb() -> float:
    """Memory of this process [kB]."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024.0


# What one control tick of a walking humanoid costs, from sensors to torques, beside the
# bare quadratic program.

STANDING = 1000  # ticks: standing, the first transfer


class HumanoidTickCost(NamedTuple):
    """Times in microseconds; each triple is median, 99 % and 99.9 %."""

    ticks: int
    tick: tuple[
        float, float, float
    ]  # state estimation, two friction estimates, program, torques
    solver: tuple[float, float, float]  # of these the solver alone
    simulator: tuple[float, float, float]  # sensing and advancing the plant


def humanoid_tick(
    config: HumanoidWalkConfig, ticks: int, seed: int = 0
) -> HumanoidTickCost:
    """Walk with the interval estimator for so many ticks after the warm-up.

    Take the time of each tick.
    """
    walk = HumanoidWalk(config, "interval", seed)
    solver: list[float] = []
    spent = np.zeros((ticks, 2))
    whole_body = cast(HumanoidSequencer, walk.sequencer).controller.whole_body
    solve = whole_body.solver

    def timed(program: Any) -> Any:
        begin = time.perf_counter()
        solution = solve(program)
        solver.append(time.perf_counter() - begin)
        return solution

    whole_body.solver = timed
    gc.collect()
    gc.freeze()  # as the node does when it becomes active
    gc.disable()
    for tick in range(-STANDING, ticks):
        if walk.ended:
            raise InvalidParameter(
                "ticks", ticks, f"at most {tick}, the walk is over by then"
            )
        begin = time.perf_counter()
        raw = walk.world.sense()
        middle = time.perf_counter()
        record = walk.control(raw)
        end = time.perf_counter()
        walk.world.advance(record.torques)
        spent[max(tick, 0)] = end - middle, time.perf_counter() - end + middle - begin
    gc.enable()
    return HumanoidTickCost(
        ticks,
        _quantiles(spent[:, 0]),
        _quantiles(solver[-ticks:]),
        _quantiles(spent[:, 1]),
    )


def rows(cost: HumanoidTickCost) -> list[Row]:
    """Beside what is required of a tick: median 200 us, 99.9 % 400 us."""
    bounds = {
        "tick": (200.0, NAN, 400.0),
        "solver": (NAN,) * 3,
        "simulator": (NAN,) * 3,
    }
    return [
        Row(
            what=f"{what}, {name} [us]",
            required=bound,
            at_most=True,
            study="",
            ours=ours,
        )
        for what, required in bounds.items()
        for name, bound, ours in zip(
            ("median", "p99", "p99.9"), required, getattr(cost, what), strict=True
        )
    ]


def _quantiles(seconds: object) -> tuple[float, float, float]:
    median, high, highest = 1e6 * np.quantile(
        np.asarray(seconds, dtype=float), (0.5, 0.99, 0.999)
    )
    return float(median), float(high), float(highest)
