# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up ends of walks, for tests of tables and pages."""

from biped_slip.comparison.columns import WalkColumns
from biped_slip.comparison.job import ComparedJob, ComparedWalk
from biped_slip.comparison.plan import (
    ALONE,
    MUJOCO,
    ComparedWalker,
    ComparisonConfig,
    WalkedFloor,
    WalkerConfig,
)
from biped_slip.comparison.walk import WalkEnd

COMMAND = 0.5


def made_walk(
    floor, seed=0, governed=ALONE, fell=False, speed=0.5, scale=1.0, **changes
):
    """A walk of the walker ``made`` that ended so."""
    job = ComparedJob(
        walker=ComparedWalker("made", None, "talos", WalkerConfig(robot="talos")),
        contact=MUJOCO,
        governed=governed,
        floor=floor if isinstance(floor, WalkedFloor) else WalkedFloor(floor),
        plan=ComparisonConfig(),
        seed=seed,
        scale=scale,
    )
    columns = WalkColumns(
        speed=speed,
        sole_speed=0.02,
        slip_mean=0.004,
        slip_largest=0.009,
        required=0.17,
        stances=30,
    )
    end = WalkEnd(
        fell=fell,
        time=4.0 if fell else 20.0,
        problem="",
        commanded=scale * COMMAND,
        passed=scale * COMMAND,
        distance=10.0,
        at_limit=0.0,
        joint_at_limit="knee",
        columns=columns,
    )
    return ComparedWalk(job, end._replace(**changes))
