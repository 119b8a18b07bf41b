# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What walks of planar biped and humanoids share stands beside both, and serves both."""

import ast
import json
import math
from pathlib import Path

import numpy as np
import pytest

import biped_slip
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.log import Joints, Log, LogColumn
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.summary import StanceEstimate, WalkSummary
from biped_slip.simulation.stances import StanceSlide

SIMULATION = Path(biped_slip.__file__).parent / "simulation"
SLIDE = StanceSlide(foot="left", start=1.0, end=1.2, distance=0.02)
COMMON = {
    "fell": False,
    "end_time": 12.0,
    "distance": 5.0,
    "max_stance_slip": 0.02,
    "slips": (SLIDE,),
}
STANCE = StanceEstimate(
    foot="left",
    start=0.9,
    end=1.4,
    mu_true=0.4,
    mu_hat=0.39,
    demand_time=None,
    mu_at_demand=None,
    usable_from=1.0,
)
PLANAR = WalkSummary(**COMMON, contacts=(STANCE,), wall_time=3.0)
HUMANOID = HumanoidSummary(
    **COMMON,
    arrived=True,
    peak_ratio=math.nan,
    speed_off_patch=0.3,
    unsolved=0,
    patch_from=4.0,
)


def modules_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize(
    ("robot", "other"), [("humanoid", "planar"), ("planar", "humanoid")]
)
def test_no_robot_borrows_from_the_other(robot, other):
    for path in (SIMULATION / robot).rglob("*.py"):
        borrowed = [m for m in modules_of(path) if f"simulation.{other}" in m]
        assert not borrowed, f"{path.name} imports {borrowed}"


def test_what_robots_share_knows_none_of_them():
    for path in set(SIMULATION.glob("*.py")) - {SIMULATION / "oracle.py"}:
        known = [m for m in modules_of(path) if ".planar." in m or ".humanoid." in m]
        assert not known, f"{path.name} imports {known}"


def test_a_log_has_the_columns_that_it_declares_blank_until_written():
    joints = Joints(("knee",), np.ones(1), np.zeros((2, 1)))
    log = Log(
        ticks=3,
        weight=10.0,
        joints=joints,
        columns={
            "time": LogColumn(),
            "limit": LogColumn((2,), blank=math.inf),
            "phase": LogColumn(kind=int),
            "solved": LogColumn(blank=True, kind=bool),
        },
    )
    log.length = 2
    assert {name: rows.shape for name, rows in log.filled().items()} == {
        "time": (2,),
        "limit": (2, 2),
        "phase": (2,),
        "solved": (2,),
    }
    assert np.all(log.time == 0.0)
    assert np.all(np.isinf(log.limit))
    assert log.phase.dtype.kind == "i"
    assert log.solved.all()


@pytest.mark.parametrize(
    ("job", "summary"),
    [
        (PlanarJob("thesis", "none", 1), PLANAR),
        (HumanoidJob(chosen_walk("talos"), "none", 1), HUMANOID),
    ],
    ids=["planar", "humanoid"],
)
def test_a_job_finds_in_a_file_the_outcome_that_was_written(job, summary):
    written = job.outcome(summary)
    entry = json.loads(json.dumps(written.to_mapping()))
    found = job.found(entry)
    assert (found.job, found.passed, found.floors) == (
        job,
        written.passed,
        tuple(written.floors),
    )
    assert repr(found.summary) == repr(summary)


def test_another_limit_seed_or_walk_is_another_job():
    jobs = [
        PlanarJob("thesis", "none", 1),
        PlanarJob("thesis", "none", 2),
        PlanarJob("thesis", "interval", 1),
        PlanarJob("torso", "none", 1),
        PlanarJob("thesis", "none", 1, (("duration", 3.0),)),
        HumanoidJob(chosen_walk("talos"), "none", 1),
        HumanoidJob(chosen_walk("talos"), "none", 1, true_base=True),
    ]
    assert len({job.key() for job in jobs}) == len(jobs)
    assert jobs[0].key() == PlanarJob("thesis", "none", 1).key()
