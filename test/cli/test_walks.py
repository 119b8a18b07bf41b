# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a file of walks is not walked again."""

from biped_slip.cli import campaign
from biped_slip.simulation.planar.job import PlanarJob


def test_what_is_in_the_results_file_is_not_walked_again(tmp_path, capsys, monkeypatch):
    scenario = tmp_path / "short.yaml"
    results = tmp_path / "walks.jsonl"
    scenario.write_text("duration: 0.2\n")
    jobs = [PlanarJob(str(scenario), "none", seed) for seed in range(3)]
    part = campaign.walk(jobs[:2], results, 1)
    walked = []
    run_campaign = campaign.run_campaign
    monkeypatch.setattr(
        campaign,
        "run_campaign",
        lambda jobs, *more: walked.extend(jobs) or run_campaign(jobs, *more),
    )
    whole = campaign.walk(jobs, results, 1)
    assert walked == jobs[2:]
    assert whole[:2] == part
    assert [outcome.job for outcome in whole] == jobs
    assert len(results.read_text().splitlines()) == 3
    assert "2 of 3 walks" in capsys.readouterr().err
