# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The picture of the ladder shows the rows of its table, also after a detour through
the file of the campaign."""

import argparse
import math
from dataclasses import asdict, replace

import pytest

from biped_slip.cli.terminal import write_json
from biped_slip.errors import InvalidRecording
from studies.figures import LOOKS, ladder_figure, look_of
from studies.ladder import LadderRow, Rung, rows_of


def row(mu, kind, fell=0, speed_on_patch=0.3):
    """A cell of two walks."""
    return LadderRow(
        rung=Rung("g1", mu, kind),
        runs=2,
        fell=fell,
        arrived=2 - fell,
        stood=0,
        first_slip=0.03,
        later_slip=0.02,
        speed=0.5,
        speed_on_patch=speed_on_patch,
        peak_ratio=0.2,
    )


ROWS = [
    row(0.1, "interval"),
    row(0.25, "interval"),
    row(0.1, "constant:0.2", fell=2, speed_on_patch=math.nan),
]


(ESTIMATE, _) = LOOKS["interval"]
(LIMIT, _) = look_of("constant:0.2", 1)


def test_each_limit_has_a_line_of_speed_and_one_of_slip_and_falls_are_crossed_out():
    fast, slip = ladder_figure(ROWS).axes
    speeds = {
        line.get_color(): line.get_ydata()
        for line in fast.lines
        if line.get_marker() == "o"
    }
    assert speeds[ESTIMATE] == pytest.approx([0.3, 0.3])
    assert math.isnan(speeds[LIMIT][0])
    crosses = [line for line in fast.lines if line.get_marker() == "x"]
    assert [line.get_color() for line in crosses] == [LIMIT]
    assert [text.get_text() for text in fast.texts] == ["2/2"]
    later = [
        line
        for line in slip.lines
        if line.get_color() == ESTIMATE and line.get_linestyle() == "-"
    ]
    assert later[0].get_ydata() == pytest.approx([20.0, 20.0])


def test_robots_stand_side_by_side_also_where_one_has_a_limit_that_the_other_has_not():
    other = replace(ROWS[0], rung=replace(ROWS[0].rung, robot="talos", kind="oracle"))
    axes = ladder_figure([*ROWS, other]).axes
    assert [one.get_title(loc="left") for one in axes[:2]] == ["G1", "TALOS"]
    drawn = [
        [len(line.get_xdata()) for line in one.lines if line.get_marker() == "o"]
        for one in axes[:2]
    ]
    assert drawn == [[2, 1, 0], [0, 0, 1]]


def test_a_policy_is_called_by_the_name_of_its_file():
    assert look_of("onnx:somewhere/walker.onnx", 3)[1] == "walker"


def test_a_constant_is_called_by_its_whole_number():
    assert look_of("constant:0.7", 3)[1] == "constant 0.7"


def test_the_rows_of_a_campaign_are_read_back_with_what_was_not_known(tmp_path):
    path = tmp_path / "ladder.json"
    write_json(
        path,
        argparse.Namespace(program="python -m studies", words=["ladder"]),
        [],
        {"ladder": [asdict(row) for row in ROWS]},
    )
    again = rows_of(path)
    assert again[:2] == ROWS[:2]
    assert math.isnan(again[2].speed_on_patch)


def test_a_file_without_the_table_is_refused_with_the_command_that_writes_it(tmp_path):
    with pytest.raises(InvalidRecording, match="studies ladder --json"):
        rows_of(tmp_path / "nothing.json")
