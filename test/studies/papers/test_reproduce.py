# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The reproductions: how a row is judged, and that the papers come out."""

import importlib
import json
import math
import re
from pathlib import Path

import pytest

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from studies.__main__ import STUDIES
from studies.papers import roosen
from studies.papers.rows import (
    REFERENCES,
    Reproduction,
    deviations,
    figure_png,
    row,
    text_rows,
    verdict,
)


def test_a_row_within_its_tolerance_is_reproduced_and_one_outside_fails():
    assert row("khadiv", "x", 1.019, expected=1.0).verdict == "reproduced"
    assert row("khadiv", "x", 1.021, expected=1.0).verdict == "failed"
    assert row("khadiv", "x", math.nan, expected=1.0).verdict == "failed"
    assert (
        row("khadiv", "x", 0.0005, expected=0.0, absolute=0.001).verdict == "reproduced"
    )


def test_a_printed_number_that_is_missed_needs_a_listed_deviation():
    assert row("khadiv", "x", 1.0, expected=1.0, printed=2.0).verdict == "failed"
    listed = row("khadiv", "drive J: standard deviation", 4.07, printed=2.07)
    assert listed.verdict == "deviation"
    assert "E.6" in listed.reason
    assert (
        row("khadiv", "drive J: standard deviation", 3.0, printed=2.07).verdict
        == "failed"
    )


def test_printed_numbers_and_own_expectations_are_counted_apart():
    rows = (
        row("khadiv", "a", 1.0, printed=1.0),
        row("khadiv", "b", 1.0, expected=1.0),
        row("khadiv", "c", 2.0, expected=1.0),
    )
    said = verdict([Reproduction("khadiv", "Khadiv", rows, ())])
    assert (
        "1 quantities that the paper prints: 1 reproduced, 0 listed deviations, 0 "
        "failed" in said
    )
    assert (
        "2 of our own expectation by docs/equations: 1 as expected, 0 listed "
        "deviations, 1 failed" in said
    )


def test_a_table_calls_reproduced_only_what_the_paper_prints():
    rows = (row("khadiv", "a", 1.0, printed=1.0), row("khadiv", "b", 1.0, expected=1.0))
    assert [
        cells[6] for cells in text_rows(Reproduction("khadiv", "Khadiv", rows, ()))
    ] == [
        "reproduced",
        "as expected",
    ]


def test_the_references_are_those_of_the_bibliography():
    """Names and titles word by word."""
    page = re.sub(
        r"[*\s]+",
        " ",
        (Path(__file__).parents[3] / "docs/references.md").read_text(encoding="utf-8"),
    )
    for reference in REFERENCES.values():
        assert reference.partition(". ")[0] in page


def test_a_row_without_anything_to_compare_with_is_refused():
    with pytest.raises(BipedSlipError, match="neither a printed nor an expected value"):
        row("khadiv", "x", 1.0)


def test_every_deviation_has_section_print_and_reason():
    for entry in deviations().values():
        assert {"section", "printed", "measured", "reason"} <= set(entry)
        assert len(entry["reason"]) > 20


@pytest.mark.parametrize("paper", ["bruneau", "rengifo", "rodic", "khadiv"])
@pytest.mark.compiled
def test_a_paper_is_reproduced_with_figures(paper):
    result = importlib.import_module(f"studies.papers.{paper}").reproduce()
    assert [r.quantity for r in result.rows if r.verdict == "failed"] == []
    used = {r.quantity for r in result.rows if r.verdict == "deviation"}
    assert used == {quantity for name, quantity in deviations() if name == paper}
    assert len({(r.paper, r.quantity) for r in result.rows}) == len(result.rows)
    assert all(len(figure.curves) >= 2 for figure in result.figures)
    assert figure_png(result.figures[0]).startswith(b"\x89PNG")


@pytest.mark.compiled
def test_the_thesis_friction_curves_estimator_and_force_plate_are_reproduced():
    rows = [*roosen._curve_rows(), *roosen._estimator_rows(), *roosen._plate_rows()]
    assert [r.quantity for r in rows if r.verdict == "failed"] == []


@pytest.mark.compiled
def test_the_command_writes_json_and_a_page_and_succeeds(tmp_path, capsys):
    code = main(
        [
            "reproduce",
            "rodic",
            "--json",
            str(tmp_path / "r.json"),
            "--html",
            str(tmp_path / "r.html"),
        ],
        program=STUDIES,
    )
    assert code == 0
    assert "0 failed" in capsys.readouterr().out
    rows = json.loads((tmp_path / "r.json").read_text())["results"][0]["rows"]
    assert {
        "paper",
        "quantity",
        "printed",
        "expected",
        "ours",
        "tolerance",
        "verdict",
    } <= set(rows[0])
    page = (tmp_path / "r.html").read_text()
    assert page.count("data:image/png") == 4
    assert "impact 6" in page


@pytest.mark.compiled
def test_the_command_fails_when_a_row_does(monkeypatch, capsys):
    module = importlib.import_module("studies.papers.rodic")
    monkeypatch.setattr(module, "PERSON", 60.0)
    assert main(["reproduce", "rodic"], program=STUDIES) == 1
    assert "1 failed" in capsys.readouterr().out
