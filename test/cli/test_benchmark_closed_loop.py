# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of the closed-loop benchmark are walked once."""

from biped_slip.cli import benchmark_closed_loop
from biped_slip.simulation.campaign import Job


def test_what_is_in_the_results_file_is_not_walked_again(tmp_path, capsys, monkeypatch):
    scenario, results = tmp_path / "short.yaml", tmp_path / "walks.jsonl"
    scenario.write_text("duration: 0.2\n")
    jobs = [Job(str(scenario), "none", seed) for seed in range(3)]
    part = benchmark_closed_loop.walk(jobs[:2], results, 1)
    walked = []
    run_campaign = benchmark_closed_loop.run_campaign
    monkeypatch.setattr(
        benchmark_closed_loop, "run_campaign", lambda jobs, *more: walked.extend(jobs) or run_campaign(jobs, *more)
    )
    whole = benchmark_closed_loop.walk(jobs, results, 1)
    assert walked == jobs[2:]
    assert whole[:2] == part
    assert [outcome.job for outcome in whole] == jobs
    assert len(results.read_text().splitlines()) == 3
    assert "2 of 3 walks" in capsys.readouterr().err
