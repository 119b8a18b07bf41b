# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`governor` prints what a file of walks holds, and walks none of them again."""

from dataclasses import replace

import pytest

from biped_slip.cli import main
from studies import governor
from studies.__main__ import STUDIES
from studies.governor import GOVERNOR, Cell, GovernedWalk

SAID = [
    "governor",
    "--controller",
    "whole_body",
    "--contact",
    "presliding",
    "--mu",
    "0.25",
    "--seeds",
    "2",
]


@pytest.fixture
def walked(monkeypatch, tmp_path):
    """Walks on file; any other is a failure."""
    free = Cell("whole_body", 0.25, 1.0, true_base=False)
    governed_cell = replace(free, guard="governor", keep=0.5)
    stopped = replace(free, guard="stop")
    file = GOVERNOR.file(tmp_path / "walks.jsonl")
    for cell, distances in (
        (free, (4.0, 6.0)),
        (governed_cell, (7.0, 8.0)),
        (stopped, (1.0, 1.0)),
    ):
        for seed, distance in enumerate(distances):
            file.add(
                GovernedWalk(
                    cell=cell,
                    seed=seed,
                    fell=cell is free and seed == 0,
                    time=10.0,
                    distance=distance,
                    slid=0.02,
                    known_first=seed == 0,
                )
            )
    monkeypatch.setattr(
        governor, "run_governed", lambda job: pytest.fail(f"walked again: {job}")
    )
    return tmp_path / "walks.jsonl"


def test_governed_ungoverned_and_stopped_walks_are_compared(walked, capsys):
    assert (
        main(
            [
                *SAID,
                "--way",
                "ahead",
                "--keep",
                "0.5",
                "--results",
                str(walked),
                "--workers",
                "1",
            ],
            program=STUDIES,
        )
        == 0
    )
    printed = capsys.readouterr().out
    rows = {
        line.split("│")[2].strip(): line
        for line in printed.splitlines()
        if "0.25" in line and "│" in line
    }
    assert "1/2" in rows["none"]
    assert "5.00" in rows["none"]
    assert "0/2" in rows["governor"]
    assert "150 %" in rows["governor"]
    assert "20 %" in rows["stop"]


def test_without_ungoverned_walks_there_is_nothing_to_compare_with(walked, capsys):
    said = [
        *SAID,
        "--way",
        "ahead",
        "--guard",
        "governor",
        "--keep",
        "0.5",
        "--results",
        str(walked),
    ]
    assert main([*said, "--workers", "1"], program=STUDIES) == 0
    assert "%" not in capsys.readouterr().out
