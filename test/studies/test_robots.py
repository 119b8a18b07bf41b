# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of robots: rows that are kept, reasons in words, a picture of each."""

import re

import pytest
from described_biped import biped, mjcf_biped

from biped_slip.cli import main
from biped_slip.reports.stances import StanceRow
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import STIFF_FRICTION
from studies.__main__ import STUDIES
from studies.robots import (
    HERE,
    Crossing,
    Known,
    RobotRow,
    known_of,
    measured,
    page_of,
    picture_of,
    read_rows,
    walk_config,
    with_row,
)

WALKED = RobotRow(
    name="made",
    source="a maker",
    mass=39.0,
    sensors="currents",
    self_tests=6,
    sound=5,
    dry=Crossing(end="arrived", slip=0.31, known=9, stances=10, speed=0.2),
    crossed={
        "0.25": Crossing(
            end="arrived", slip=2.0, known=8, stances=9, speed=0.2, answered=9
        ),
        "0.1": Crossing(end="fell", why="It fell because of this."),
    },
)


def test_a_robot_that_cannot_walk_is_a_row_with_its_reason(tmp_path):
    """A leg whose foot cannot roll is refused before anything is compiled."""
    path = tmp_path / "no_roll.urdf"
    path.write_text(
        re.sub(r'(<joint name="._ankle_roll" type=)"revolute"', r'\1"fixed"', biped())
    )
    row = measured(str(path), "made here", (0.1,), seed=1)
    assert row.name == "no_roll"
    assert row.dry is None
    assert row.crossed == {}
    assert "ankle" in row.refused or "turn" in row.refused
    page = page_of([row], ["0.1"])
    assert f"- {row.refused}" in page
    assert row.refused.startswith("no_roll")


def test_a_reason_names_its_robot_and_no_folder(tmp_path):
    path = tmp_path / "looped.xml"
    loop = '<connect name="rod" body1="l_knee_link" body2="base" anchor="0 0 0"/>'
    path.write_text(mjcf_biped(inside=f"<equality>{loop}</equality>"))
    row = measured(str(path), "made here", (), seed=1)
    assert row.refused.startswith("looped.xml: closes loops of bodies (rod)")
    tilted = RobotRow(name="tilted", source="a maker", refused="a sole is tilted")
    page = page_of([row, tilted], [])
    assert "- looped.xml: closes" in page
    assert "- tilted: a sole is tilted" in page


def test_the_page_has_a_cell_for_every_floor_and_says_what_is_not_measured():
    page = page_of([WALKED], ["0.25", "0.1", "0.05"])
    (line,) = (line for line in page.splitlines() if "| made |" in line)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:6] == ["made", "a maker", HERE, "39", "currents"]
    assert cells[6:8] == ["5 of 6", "0.20 m/s"]
    assert cells[8:] == [
        "0.3 mm; 9 right of 10",
        "2.0 mm; 9 answered, 8 right of 9",
        "fell",
        "-",
    ]
    assert "- made on 0.1: It fell because of this." in page
    heads = next(line for line in page.splitlines() if line.startswith("|"))
    assert heads.count("|") == line.count("|")


def test_a_stance_counts_as_known_by_its_value_and_by_its_interval():
    """Of mu 0.8: no answer; right; outside of its interval; held by a lower bound."""
    bounds = [(None, None, None), (0.84, 0.6, 0.9), (0.7, 0.6, 0.75), (0.9, 0.5, None)]
    empty = dict.fromkeys(StanceRow._fields)
    rows = [
        StanceRow(**{**empty, "mu_true": 0.8, "mu": mu, "mu_low": low, "mu_high": high})
        for mu, low, high in bounds
    ]
    assert known_of(rows) == Known(stances=4, answered=3, right=1, held=2)
    assert known_of([]) == Known(stances=0, answered=0, right=0, held=0)


def test_a_robot_is_one_row_in_each_world():
    again = RobotRow(name="made", source="a maker", refused="no")
    other = RobotRow(name="made", source="a maker", world="own")
    rows = with_row(with_row([WALKED], other), again)
    assert rows == [again, other]


def test_walks_of_the_table_are_those_that_it_says(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(mjcf_biped(actuators="<actuator/>"))
    dry = walk_config("g1", None, None, HERE)
    assert dry.patch.length == 0.0
    assert dry.distance == 5.0
    wet = walk_config("g1", 0.1, 0.002, HERE)
    assert (wet.patch.mu, wet.patch.length, wet.period) == (0.1, 2.0, 0.002)
    assert 1.0 <= wet.patch.earliest < wet.patch.latest
    assert wet.patch.latest + wet.patch.length < wet.distance
    own = walk_config("g1", 0.1, 0.002, str(path))
    assert own.contact.law == "mujoco"
    assert own.contact.mujoco.file == str(path)
    assert own.contact.mujoco.impratio == STIFF_FRICTION["impratio"]


def test_the_command_draws_the_page_of_the_rows_that_there_are(tmp_path):
    rows = tmp_path / "rows.json"
    page = tmp_path / "page.md"
    words = ["robots", "--rows", str(rows), "--page", str(page)]
    assert main(words, STUDIES) == 0
    assert page.read_text().startswith("# Which robots walk")
    assert read_rows(rows) == []


def test_the_rows_on_the_page_are_those_of_the_file():
    """Nobody types a row: the page is what the command makes of the file."""
    from studies.robots import FLOORS, PAGE, ROWS

    rows = read_rows(ROWS)
    measured_floors = {mu for row in rows for mu in row.crossed}
    floors = sorted(measured_floors | {f"{mu:g}" for mu in FLOORS}, reverse=True)
    assert PAGE.read_text(encoding="utf-8") == page_of(rows, floors)
    assert rows


def test_a_picture_is_drawn_from_front_and_side(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    path = tmp_path / "picture.png"
    picture_of(load_humanoid("g1"), path)
    pixels = image.imread(path)
    drawn = (pixels[..., :3] < 0.9).any(axis=2)
    middle = drawn.shape[1] // 2
    assert drawn[:, :middle].any()
    assert drawn[:, middle:].any()
