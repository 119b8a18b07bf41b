# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Plans of comparisons: which walks follow from them, and what contradicts itself."""

import pytest

pytest.importorskip("mujoco", reason="the mujoco extra is not installed")

from comparison.made import made_walk

from biped_slip.comparison.jobs import contract_jobs, floor_jobs, other_jobs
from biped_slip.comparison.plan import (
    GOVERNED,
    ComparedWalker,
    ComparisonConfig,
    WalkerConfig,
    found_walker,
    load_plan,
    plan_of,
)
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

MADE = ComparedWalker("made", None, "talos", WalkerConfig(robot="talos"))
SEEDS = 4


def counted(jobs):
    """Walks by governor and floor."""
    found = {}
    for job in jobs:
        key = (job.governed, str(job.floor))
        found[key] = found.get(key, 0) + 1
    return found


def test_the_shipped_plan_has_eleven_networks_and_an_own_walker():
    plan = load_plan("open_policies")
    networks = [one for one in plan.walkers.values() if one.network]
    assert len(networks) == 11
    assert len(plan.walkers) == 12
    assert plan.config.seeds.mujoco == SEEDS


def test_a_walker_alone_walks_every_floor_and_the_good_one_anyway():
    jobs = floor_jobs([MADE], ComparisonConfig(floors=(0.4, 0.15)))
    assert counted(jobs) == {
        ("alone", "1"): SEEDS,
        ("alone", "0.4"): SEEDS,
        ("alone", "0.15"): SEEDS,
    }


def test_governed_walks_are_on_slippery_floors_and_on_both_patches():
    config = ComparisonConfig(floors=(1.0, 0.4, 0.25, 0.1), patches=(0.15,))
    alone = [made_walk(0.1, fell=True)]
    found = counted(other_jobs([MADE], config, alone))
    patches = ("patch of 0.15", "patch of 0.1")
    assert found == {("alone", floor): SEEDS for floor in patches} | {
        (kind, floor): SEEDS
        for kind in GOVERNED[1:]
        for floor in ("0.25", "0.1", *patches)
    }


def test_pushes_come_on_a_floor_of_their_own():
    config = ComparisonConfig(
        floors=(), patches=(), pushes=(0.1,), governed=("alone", "truth")
    )
    found = counted(other_jobs([MADE], config, []))
    assert found == {
        ("alone", "0.4, pushed by 0.1 weights"): SEEDS,
        ("truth", "0.4, pushed by 0.1 weights"): SEEDS,
    }


def test_a_walker_is_first_asked_whether_it_does_as_it_is_told():
    jobs = contract_jobs([MADE], ComparisonConfig())
    assert [job.scale for job in jobs] == [1.0, 0.4, 0.0]
    assert {job.plan.seconds for job in jobs} == {6.0}


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ({}, InvalidParameter, "name one walker at least"),
        ({"walkers": {"a": {"robto": "g1"}}}, BipedSlipError, "robto"),
        ({"walkers": {"a": {"robot": "g1"}}, "flors": [1.0]}, BipedSlipError, "flors"),
        ({"walkers": {"a": {"robot": "g1"}}, "floors": [0.0]}, InvalidParameter, "> 0"),
        (
            {"walkers": {"a": {"robot": "g1"}}, "governed": ["guess"]},
            InvalidParameter,
            "currents",
        ),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(tmp_path, said, kind, words):
    with pytest.raises(kind, match=words):
        plan_of("plan.yaml", said, tmp_path)


def test_a_file_that_is_not_there_is_named_with_the_remedy(tmp_path):
    said = {"walkers": {"a": {"robot": "g1.xml", "network": "a.onnx"}}}
    with pytest.raises(BipedSlipError, match="--networks FOLDER"):
        found_walker(plan_of("plan.yaml", said, tmp_path), "a")


def test_names_that_are_not_known_are_refused_with_those_that_are(tmp_path):
    with pytest.raises(UnknownName, match="open_policies"):
        load_plan("open_polices")
    plan = plan_of("plan.yaml", {"walkers": {"a": {"robot": "g1"}}}, tmp_path)
    with pytest.raises(UnknownName, match="'b'"):
        found_walker(plan, "b")
