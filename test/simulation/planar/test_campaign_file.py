# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign that was stopped goes on where it was."""

from dataclasses import replace

import pytest

from biped_slip.errors import InvalidRecording
from biped_slip.simulation.campaign import CampaignFile
from biped_slip.simulation.planar.job import PlanarJob


@pytest.fixture
def outcome(tmp_path):
    scenario = tmp_path / "short.yaml"
    scenario.write_text("duration: 0.4\n")
    return PlanarJob(str(scenario), "none", 3).run()


def test_what_was_added_is_found_unchanged_by_the_next_reader(tmp_path, outcome):
    path = tmp_path / "walks.jsonl"
    CampaignFile(path).add(outcome)
    found = CampaignFile(path).find(outcome.job)
    assert found == outcome
    assert found.summary.contacts


def test_another_seed_limit_or_parameter_is_another_walk(tmp_path, outcome):
    path = tmp_path / "walks.jsonl"
    job = outcome.job
    CampaignFile(path).add(outcome)
    others = [
        replace(job, seed=4),
        replace(job, limit="oracle"),
        replace(job, changes=(("ground.mu", (1.0, 0.3)),)),
    ]
    assert [CampaignFile(path).find(other) for other in others] == [None, None, None]
    assert len({other.key() for other in (job, *others)}) == 4


def test_a_scenario_that_was_edited_is_walked_again(tmp_path, outcome):
    path = tmp_path / "walks.jsonl"
    CampaignFile(path).add(outcome)
    (tmp_path / "short.yaml").write_text("duration: 0.3\n")
    assert CampaignFile(path).find(outcome.job) is None


def test_a_line_cut_short_by_a_kill_costs_that_walk_alone(tmp_path, outcome):
    path = tmp_path / "walks.jsonl"
    CampaignFile(path).add(outcome)
    with path.open("a") as file:
        file.write('{"key": "half')
    other = replace(outcome, job=replace(outcome.job, seed=4))
    CampaignFile(path).add(other)
    again = CampaignFile(path)
    assert again.find(outcome.job) == outcome
    assert again.find(other.job) == other


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "walks.jsonl"
    path.write_text('{"x": 1}\n')
    with pytest.raises(InvalidRecording, match="not a file of results"):
        CampaignFile(path)
