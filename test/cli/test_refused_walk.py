# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that must not walk still gets its report, JSON and time series: that is when
one wants to look."""

import json

import pytest

from biped_slip.cli import main
from biped_slip.simulation.humanoid.walk import HumanoidWalk

SAID = "l_ankle/wrench: its x and y axes are swapped"


@pytest.mark.compiled
def test_a_refusal_is_reported_as_far_as_the_robot_came(tmp_path, capsys, monkeypatch):
    def refusing(walk):
        for _ in range(200):
            walk.tick()
        return (SAID,)

    monkeypatch.setattr(HumanoidWalk, "check_sensors", refusing)
    files = {name: str(tmp_path / f"walk.{name}") for name in ("json", "csv")}
    words = [
        "walk",
        "--robot",
        "talos",
        "--report",
        str(tmp_path),
        "--json",
        files["json"],
        "--series",
        files["csv"],
    ]
    assert main(words) == 1
    assert f"not a step: {SAID}" in capsys.readouterr().err
    assert SAID in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (
        json.loads((tmp_path / "walk.json").read_text())["results"][0]["faults"] == SAID
    )
    assert len((tmp_path / "walk.csv").read_text().splitlines()) > 100
