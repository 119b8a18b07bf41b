# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: results for people and machines, one sentence on bad input."""

import csv
import json

import numpy as np
import pytest
from json_document import document

from biped_slip.cli import main
from biped_slip.cli.terminal import walk_exit_code
from biped_slip.simulation.summary import Summary
from biped_slip.simulation.time_series import columns


def test_walk_writes_what_it_found_as_json(tmp_path, capsys):
    scenario = tmp_path / "short.yaml"
    result = tmp_path / "out.json"
    scenario.write_text("duration: 0.6\n")
    assert (
        main(
            ["walk", "--scenario", str(scenario), "--seed", "3", "--json", str(result)]
        )
        == 0
    )
    (found,) = json.loads(result.read_text())["results"]
    assert set(found) == {
        "robot",
        "scenario",
        "limit",
        "fell",
        "slide",
        "end_time",
        "distance",
        "max_stance_slip",
        "slips",
        "diverged",
        "contacts",
        "wall_time",
        "stances",
        "fall",
    }
    assert found["diverged"] == ""
    assert found["stances"][0]["foot"] in ("left", "right")
    assert found["contacts"][0]["foot"] in ("left", "right")
    printed = capsys.readouterr().out
    assert "the robot still stood after 0.6 s" in printed
    assert "The floor was known in" in printed


def test_walk_to_standard_output_is_nothing_but_json(tmp_path, capsys):
    scenario = tmp_path / "short.yaml"
    scenario.write_text("duration: 0.2\n")
    main(["walk", "--scenario", str(scenario), "--no-prevention", "--json", "-"])
    assert json.loads(capsys.readouterr().out)["results"][0]["fell"] is False


def test_a_fall_is_exit_code_one(tmp_path):
    scenario = tmp_path / "fall.yaml"
    scenario.write_text(
        "duration: 2.0\npushes: {start: [0.0], duration: [1.0], force: [-300.0]}\n"
    )
    assert main(["walk", "--scenario", str(scenario)]) == 1


def test_campaign_prints_its_table_and_keeps_every_outcome(tmp_path, capsys):
    scenario = tmp_path / "short.yaml"
    result = tmp_path / "out.json"
    scenario.write_text("duration: 0.2\n")
    arguments = [
        "--limit",
        "none",
        "oracle",
        "--seeds",
        "2",
        "--workers",
        "1",
        "--json",
        str(result),
    ]
    assert main(["campaign", "--scenario", str(scenario), *arguments]) == 0
    found = json.loads(result.read_text())
    assert [row["limit"] for row in found["tables"]["walks"]] == ["none", "oracle"]
    assert len(found["results"]) == 4
    assert "oracle" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["walk", "--scenario", "nowhere"], "unknown scenario 'nowhere'"),
        (
            ["walk", "--seed", "-5"],
            "--seed: is '-5', but must be a whole number of at least 0",
        ),
        (["walk", "--seed", "one"], "a whole number"),
        (["walk", "--json", "/nowhere/x"], "there is no folder /nowhere"),
        (["walk", "--json", "/"], "is a folder"),
        (["walk", "--json", "/proc/x"], "can't be written"),
        (["walk", "--json", "x" * 300], "too long"),
        (["walk", "--report", "/proc/version"], "is a file, but must be a folder"),
        (["walk", "--report", "/proc/x"], "nothing can be written there"),
        (["walk", "--series", "x.txt"], "must end in .csv"),
        (["walk", "--series", "-", "--json", "-"], "standard output takes one"),
        (["walk", "--robot", "talos", "--scenario", "thesis"], "left out with --robot"),
        (["campaign", "--results", "-"], "must be a file"),
        (["campaign", "--workers", "0"], "at least 1"),
        (["demo", "--report", "/proc/version"], "must be a folder"),
        (["replay", "/proc/version", "--config", "nobodys"], "friction_models"),
        (["fly"], "invalid choice: 'fly'"),
        ([], "required: COMMAND"),
        (["walk", "--limit", "wizard"], "limit is 'wizard'"),
        (["walk", "--scenario", "/nowhere.yaml"], "can't be read"),
        (["campaign", "--seeds", "0"], "at least 1"),
        (
            ["campaign", "--robot", "talos", "--scenario", "thesis"],
            "left out with --robot",
        ),
        (["campaign", "--push", "0.1"], "given with --robot"),
        (["campaign", "--robot", "nobody"], "talos"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(arguments, sentence, capsys):
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert sentence in message
    assert len(message.strip().splitlines()) == 1


def test_json_of_every_command_has_one_head_with_version_seed_and_command(
    tmp_path, capsys
):
    (tmp_path / "short.yaml").write_text("duration: 0.2\n")
    scenario = ["--scenario", str(tmp_path / "short.yaml")]
    main(["walk", *scenario, "--seed", "4", "--json", "-"])
    walk = document(capsys.readouterr().out)
    assert walk["seed"] == 4
    assert (
        walk["command"]
        == f"biped-slip walk --scenario {tmp_path}/short.yaml --seed 4 --json -"
    )
    main(
        [
            "campaign",
            *scenario,
            "--limit",
            "none",
            "--seeds",
            "1",
            "--workers",
            "1",
            "--json",
            "-",
        ]
    )
    assert len(document(capsys.readouterr().out)["results"]) == 1


@pytest.mark.parametrize(
    ("fell", "slip", "arrived", "code"),
    [
        (False, 0.002, True, 0),
        (True, 0.0, True, 1),
        (False, 0.11, True, 3),
        (False, 0.0, False, 4),
    ],
)
def test_the_exit_code_of_a_walk_tells_falls_slides_and_what_did_not_get_there(
    fell, slip, arrived, code
):
    assert (
        walk_exit_code(
            Summary(
                fell=fell, end_time=3.0, distance=1.0, max_stance_slip=slip, slips=()
            ),
            arrived,
        )
        == code
    )


def test_a_slide_of_a_centimetre_is_exit_code_three(tmp_path):
    scenario = tmp_path / "slippery.yaml"
    scenario.write_text("duration: 0.6\nground: {mu: [0.5], edges: []}\n")
    assert main(["walk", "--scenario", str(scenario), "--limit", "none"]) == 3


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_every_tick_of_a_walk_is_there_as_a_table(tmp_path, ending):
    scenario = tmp_path / "short.yaml"
    series = tmp_path / f"walk{ending}"
    scenario.write_text("duration: 0.2\n")
    if ending == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
    assert main(["walk", "--scenario", str(scenario), "--series", str(series)]) == 0
    if ending == ".npz":
        arrays = dict(np.load(series))
        assert arrays["normal"].shape == (len(arrays["time"]), 2)
        assert columns(arrays)["normal_right"] == pytest.approx(arrays["normal"][:, 1])
        return
    if ending == ".parquet":
        table = parquet.read_table(series).to_pydict()
    else:
        with series.open(newline="") as file:
            rows = list(csv.DictReader(file))
        table = {name: [float(row[name]) for row in rows] for name in rows[0]}
    assert len(table["time"]) == 200
    assert table["time"][100] == pytest.approx(0.1)
    assert min(table["normal_left"][:10]) > 10.0
    assert {
        "mu_true_right",
        "estimates_left_mu_low",
        "foot_x_right",
        "limit_left",
    } <= set(table)


def test_the_columns_of_a_series_are_the_numbers_of_its_arrays():
    rng = np.random.default_rng(3)
    arrays = {
        "time": rng.random(5),
        "q": rng.random((5, 3)),
        "wrench": rng.random((5, 2, 6)),
        "normal": rng.random((5, 2)),
    }
    table = columns(arrays)
    assert len(table) == 1 + 3 + 12 + 2
    assert table["q_2"].tolist() == arrays["q"][:, 2].tolist()
    assert table["wrench_right_about_y"].tolist() == arrays["wrench"][:, 1, 4].tolist()
    assert table["normal_left"].tolist() == arrays["normal"][:, 0].tolist()
