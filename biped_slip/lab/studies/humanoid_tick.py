# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one control tick of a walking humanoid costs, from sensors to torques, beside the bare quadratic program."""

from __future__ import annotations

import gc
import time
from typing import Any, NamedTuple, cast

import numpy as np

from biped_slip.errors import InvalidParameter
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.walking.humanoid_sequencer import HumanoidSequencer

WARM_UP = 1000  # ticks: standing, the first transfer


class HumanoidTickCost(NamedTuple):
    """Times in microseconds; each triple is median, 99 % and 99.9 %."""

    ticks: int
    tick: tuple[float, float, float]  # state estimation, two friction estimates, program, torques
    solver: tuple[float, float, float]  # of these the solver alone
    simulator: tuple[float, float, float]  # sensing and advancing the plant


def humanoid_tick(config: HumanoidWalkConfig, ticks: int, seed: int = 0) -> HumanoidTickCost:
    """Walk with the interval estimator for so many ticks after the warm-up and take the time of each."""
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
    for tick in range(-WARM_UP, ticks):
        if walk.ended:
            raise InvalidParameter("ticks", ticks, f"at most {tick}, the walk is over by then")
        begin = time.perf_counter()
        raw = walk.world.sense()
        middle = time.perf_counter()
        record = walk.control(raw)
        end = time.perf_counter()
        walk.world.advance(record.torques)
        spent[max(tick, 0)] = end - middle, time.perf_counter() - end + middle - begin
    gc.enable()
    return HumanoidTickCost(ticks, _quantiles(spent[:, 0]), _quantiles(solver[-ticks:]), _quantiles(spent[:, 1]))


def rows(cost: HumanoidTickCost) -> list[Row]:
    """Beside what is required of a tick: median 200 us, 99.9 % 400 us."""
    bounds = {"tick": (200.0, NAN, 400.0), "solver": (NAN,) * 3, "simulator": (NAN,) * 3}
    return [
        Row(f"{what}, {name} [us]", bound, True, "", ours)
        for what, required in bounds.items()
        for name, bound, ours in zip(("median", "p99", "p99.9"), required, getattr(cost, what), strict=True)
    ]


def _quantiles(seconds: object) -> tuple[float, float, float]:
    median, high, highest = 1e6 * np.quantile(np.asarray(seconds, dtype=float), (0.5, 0.99, 0.999))
    return float(median), float(high), float(highest)
