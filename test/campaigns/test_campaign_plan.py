# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns from a file: drawn from one seed, walked by anybody, resumed after a kill,
any row again."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from campaigns.killers import always_dies, dies_once

from biped_slip.cli import main
from biped_slip.cli.campaign import rerun, walk
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName, WorkerLost
from biped_slip.simulation import campaign as pool
from biped_slip.simulation.campaign import run_campaign
from biped_slip.simulation.planar.campaign_plan import distribution, load_plan
from biped_slip.simulation.planar.campaign_table import outcome_rows as rows
from biped_slip.simulation.planar.campaign_table import pass_rate, worst_first
from biped_slip.simulation.planar.job import PlanarJob

PLAN = """
seed: 5
walks: {walks}
scenarios: [thesis]
limits: [none, "constant:0.2"]
draw:
  ground.mu: [1.0, {{uniform: [0.25, 0.5]}}]
  sensors.force_noise: {{log_uniform: [0.03, 0.3]}}
  duration: {duration}
  required_distance: 0.1
"""


@pytest.fixture
def plan(tmp_path):
    def write(walks=3, duration=0.5):
        path = tmp_path / "plan.yaml"
        path.write_text(PLAN.format(walks=walks, duration=duration), encoding="utf-8")
        return path

    return write


def test_the_distributions_have_their_moments():
    rng = np.random.default_rng(0)

    def sample(text):
        draw = distribution("x", text)
        return np.array([draw(rng) for _ in range(20_000)])

    assert sample({"uniform": [1.0, 3.0]}).mean() == pytest.approx(2.0, abs=0.02)
    assert np.log(sample({"log_uniform": [0.1, 10.0]})).mean() == pytest.approx(
        0.0, abs=0.04
    )
    normal = sample({"normal": [2.0, 0.5]})
    assert (normal.mean(), normal.std()) == pytest.approx((2.0, 0.5), abs=0.02)
    assert (sample({"choice": [1, 2, 2, 2]}) == 2).mean() == pytest.approx(
        0.75, abs=0.02
    )
    assert distribution("x", [1.0, {"uniform": [2.0, 2.0]}, "a"])(rng) == (
        1.0,
        2.0,
        "a",
    )


def test_a_walk_draws_the_same_whatever_else_is_walked(plan):
    few = load_plan(plan(2)).jobs()
    many = load_plan(plan(7)).jobs()
    assert many[: len(few)] == few
    assert len({job.changes for job in many}) == 7
    for first, second in zip(many[::2], many[1::2], strict=True):
        assert (first.limit, second.limit) == ("none", "constant:0.2")
        assert (first.seed, first.changes) == (second.seed, second.changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("walks: 0", "walks is 0, but must be a whole number >= 1"),
        ("stride: 1", "unknown key of a campaign 'stride'"),
        ("limits: []", "limits is"),
        ("limits: [jelly]", "limit is 'jelly'"),
        ("scenarios: [nowhere]", "unknown scenario 'nowhere'"),
        (
            "draw: {sensors.force_noise: {triangular: [1, 2]}}",
            "draw.sensors.force_noise",
        ),
        (
            "draw: {sensors.force_noise: {uniform: [2, 1]}}",
            "lowest value, then highest",
        ),
        ("draw: {sensors.force_noise: {log_uniform: [0, 1]}}", "two numbers > 0"),
        ("draw: {sensors.colour: 1.0}", "unknown parameter 'sensors.colour'"),
        ("draw: {sensors.force_noise: -1.0}", "force_noise is -1.0"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(tmp_path, text, message):
    path = tmp_path / "plan.yaml"
    defaults = {"scenarios": "scenarios: [thesis]", "limits": "limits: [none]"}
    defaults.pop(text.split(":")[0], None)
    path.write_text("\n".join([*defaults.values(), text]), encoding="utf-8")
    with pytest.raises(
        (InvalidParameter, UnknownName), match=message.replace("(", r"\(")
    ):
        load_plan(path)


@pytest.mark.slow
def test_one_process_two_processes_and_a_cluster_give_the_same_table(plan):
    distributed = pytest.importorskip("distributed")
    jobs = load_plan(plan()).jobs()
    alone = rows(run_campaign(jobs, 1))
    pair = rows(run_campaign(jobs, 2))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        spread = rows(run_campaign(jobs, client.get_executor(pure=False)))
    assert alone == pair == spread


def test_a_table_row_can_be_walked_again(plan, tmp_path, capsys):
    loaded = load_plan(plan(walks=1))
    (first, second) = run_campaign(loaded.jobs(), 1)
    assert rerun(loaded, 1, tmp_path) == int(second.summary.fell)
    printed = capsys.readouterr().out
    assert "row 1: thesis, constant:0.2" in printed
    assert f" and {second.summary.distance:.2f} m" in printed
    assert (tmp_path / "row-1").is_dir()
    with pytest.raises(
        InvalidParameter, match="--rerun is 2, but must be a row of the table, 0 to 1"
    ):
        rerun(loaded, 2, tmp_path)
    assert first.job.limit == "none"


def test_walks_that_fell_are_the_worst_then_those_that_slid_furthest(plan):
    (outcome, *_) = run_campaign(load_plan(plan(walks=1)).jobs()[:1], 1)

    def ended(fell, distance, slip):
        return replace(
            outcome,
            summary=replace(
                outcome.summary, fell=fell, distance=distance, max_stance_slip=slip
            ),
        )

    assert worst_first(
        [
            ended(False, 5.0, 0.01),
            ended(True, 4.0, 0.0),
            ended(False, 5.0, 0.2),
            ended(True, 1.0, 0.0),
        ]
    ) == [3, 1, 2, 0]


@pytest.mark.slow
def test_a_campaign_killed_at_any_moment_loses_and_repeats_nothing(plan, tmp_path):
    path = plan(walks=6, duration=1.0)
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "biped_slip",
        "campaign",
        str(path),
        "--out",
        str(out),
        "--workers",
        "1",
    ]
    main([*command[3:], "--out", str(tmp_path / "whole")])
    whole = sorted((tmp_path / "whole" / "walks.jsonl").read_text().splitlines())
    rng = np.random.default_rng(0)
    for _ in range(4):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(2.0 + 3.0 * rng.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    lines = [
        line for line in (out / "walks.jsonl").read_text().splitlines() if _whole(line)
    ]
    assert len(lines) == len({json.loads(line)["key"] for line in lines}) == 12
    assert sorted(map(_timeless, lines)) == sorted(map(_timeless, whole))
    tables = [
        (folder / "walks.parquet").read_bytes() for folder in (out, tmp_path / "whole")
    ]
    assert tables[0] == tables[1]


def _whole(line):
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _timeless(line):
    entry = json.loads(line)
    entry["summary"].pop("wall_time")
    return json.dumps(entry, sort_keys=True)


def test_walks_of_a_killed_worker_are_walked_by_another(monkeypatch, tmp_path):
    monkeypatch.setenv("BIPED_SLIP_TEST_MARK", str(tmp_path / "died"))
    jobs = [PlanarJob("thesis", "none", seed) for seed in range(6)]
    found = dict(pool._on_processes(dies_once, 2, dict(enumerate(jobs))))
    assert (tmp_path / "died").exists()
    assert found == {i: i for i in range(6)}


def test_workers_that_always_die_end_the_campaign_with_a_sentence(monkeypatch):
    monkeypatch.setattr(pool, "MOST_LOSSES", 1)
    with pytest.raises(WorkerLost, match="2 worker processes in a row died"):
        list(pool._on_processes(always_dies, 1, {0: PlanarJob("thesis", "none", 0)}))


def test_a_cluster_that_does_not_answer_is_one_sentence(plan, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("biped_slip.simulation.campaign.CLUSTER_PATIENCE", "0.5s")
    jobs = load_plan(plan()).jobs()
    with pytest.raises(
        BipedSlipError, match=r"--scheduler tcp://127\.0\.0\.1:9: no answer"
    ):
        walk(jobs, tmp_path / "walks.jsonl", scheduler="tcp://127.0.0.1:9")


def test_the_interval_of_a_pass_rate_is_the_exact_one(plan):
    (outcome, *_) = run_campaign(load_plan(plan(walks=1, duration=0.1)).jobs(), 1)
    rate = pass_rate("thesis", "none", [outcome] * 20)
    assert rate.share in (0.0, 1.0)
    assert min(rate.low, 1.0 - rate.high) == 0.0
    assert max(rate.low, 1.0 - rate.high) == pytest.approx(0.025 ** (1 / 20))
