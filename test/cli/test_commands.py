# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: results for people and machines, one sentence on bad input."""

import json

import pytest

from biped_slip.cli import main


def test_walk_writes_what_it_found_as_json(tmp_path, capsys):
    scenario, result = tmp_path / "short.yaml", tmp_path / "out.json"
    scenario.write_text("duration: 0.6\n")
    assert main(["walk", "--scenario", str(scenario), "--seed", "3", "--json", str(result)]) == 0
    found = json.loads(result.read_text())
    assert set(found) == {"fell", "end_time", "distance", "max_stance_slip", "slips", "contacts", "wall_time"}
    assert found["contacts"][0]["foot"] in ("left", "right")
    assert "upright" in capsys.readouterr().out


def test_walk_to_standard_output_is_nothing_but_json(tmp_path, capsys):
    scenario = tmp_path / "short.yaml"
    scenario.write_text("duration: 0.2\n")
    main(["walk", "--scenario", str(scenario), "--no-prevention", "--json", "-"])
    assert json.loads(capsys.readouterr().out)["fell"] is False


def test_a_fall_is_exit_code_one(tmp_path):
    scenario = tmp_path / "fall.yaml"
    scenario.write_text("duration: 2.0\npushes: {start: [0.0], duration: [1.0], force: [-300.0]}\n")
    assert main(["walk", "--scenario", str(scenario)]) == 1


def test_campaign_prints_its_table_and_keeps_every_outcome(tmp_path, capsys):
    scenario, result = tmp_path / "short.yaml", tmp_path / "out.json"
    scenario.write_text("duration: 0.2\n")
    arguments = ["--limit", "none", "oracle", "--seeds", "2", "--workers", "1", "--json", str(result)]
    assert main(["campaign", "--scenario", str(scenario), *arguments]) == 0
    found = json.loads(result.read_text())
    assert [row["limit"] for row in found["rows"]] == ["none", "oracle"]
    assert len(found["outcomes"]) == 4
    assert "oracle" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["walk", "--scenario", "nowhere"], "unknown scenario 'nowhere'"),
        (["walk", "--limit", "wizard"], "limit is 'wizard'"),
        (["walk", "--scenario", "/nowhere.yaml"], "can't be read"),
        (["campaign", "--seeds", "0"], "at least 1"),
        (["campaign", "--robot", "talos", "--scenario", "thesis"], "left out with --robot"),
        (["campaign", "--push", "0.1"], "given with --robot"),
        (["campaign", "--robot", "nobody"], "talos"),
        (["benchmark", "closed-loop", "--walks", "0"], "at least 1"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(arguments, sentence, capsys):
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert sentence in message
    assert len(message.strip().splitlines()) == 1
