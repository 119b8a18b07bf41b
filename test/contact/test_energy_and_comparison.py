# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of contact laws and its command."""

import csv
import json

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.constants import GRAVITY
from biped_slip.contact import free_body
from biped_slip.contact.point_contact import check_time_step, contact_law, stiffest
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.registry import FRICTION_LAWS
from biped_slip.reports.figures import Panel, gallery


@pytest.mark.compiled
def test_holding_half_the_limit_tells_stick_from_creep():
    held, drift, stays = free_body.hold_test("elasto_plastic")
    assert held == pytest.approx(0.5 * 1e-3 / 3.0, rel=0.02)
    assert abs(drift) < 1e-9
    assert abs(stays) < 1e-6
    _, drift, _ = free_body.hold_test("regularised")
    assert FRICTION_LAWS["regularised"]().steady_ratio(drift, 0.5) == pytest.approx(
        0.25, rel=1e-3
    )


@pytest.mark.compiled
def test_the_command_compares_and_draws_the_laws_that_are_asked_for(tmp_path, capsys):
    assert (
        main(
            [
                "contact-laws",
                "--normal",
                "hertz",
                "--friction",
                "dahl",
                "--picture",
                str(tmp_path),
                "--out",
                str(tmp_path / "curves"),
            ]
        )
        == 0
    )
    assert "hertz" in capsys.readouterr().out
    assert (tmp_path / "drop.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "pull.png").exists()
    with (tmp_path / "curves/pull.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["law"] for row in rows} == {"dahl"}
    strongest = max(-float(row["force_x_n"]) for row in rows)
    assert strongest == pytest.approx(free_body.MU * free_body.MASS * GRAVITY, rel=1e-3)
    law = json.loads((tmp_path / "curves/laws.json").read_text())["friction"]["dahl"]
    assert law["held_m"] == pytest.approx(free_body.hold_test("dahl")[0])


@pytest.mark.parametrize("count", [1, 3, 6, 9])
def test_the_last_panel_of_each_row_has_the_right_axis(count):
    line = np.array([0.0, 1.0])
    panels = {f"law {k}": Panel(line, line, line) for k in range(count)}
    figure = gallery(panels, ("t", "left", "right"), ((0, 1), (0, 1)), "")
    axes = [one for one in figure.axes if one.get_visible()]
    lefts = axes[:count]
    rows = {round(one.get_position().y0, 6) for one in lefts}
    assert [one.get_ylabel() for one in axes].count("right") == len(rows)


def test_the_step_check_names_stiffness_limit_and_remedy():
    law = contact_law("linear + bliman_sorine", {"normal": {"stiffness": 4e4}})
    assert stiffest(law, 10.0, 0.5) == 4e4
    check_time_step(law, 1.0, 10.0, 0.5, 4.9e-3)
    with pytest.raises(
        InvalidParameter,
        match="1 kg on 4e\\+04 N/m; take a smaller step or a softer contact",
    ):
        check_time_step(law, 1.0, 10.0, 0.5, 5.1e-3)
