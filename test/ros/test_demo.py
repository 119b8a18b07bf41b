# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The demo walks over topics once per limit, prints the table and writes the report."""

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.cli import main  # noqa: E402


def test_the_demo_ends_with_a_table_and_a_report(tmp_path, capsys):
    assert (
        main(
            [
                "demo",
                "--duration",
                "0.8",
                "--limit",
                "none",
                "thesis",
                "--report",
                str(tmp_path / "report"),
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "slip prevention" in printed
    assert "thesis" in printed
    assert "true mu" in printed
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--limit", "guess"], "'guess'"),
        (["--scenario", "nowhere"], "nowhere"),
        (["--duration", "-1"], "above 0"),
    ],
)
def test_a_mistake_is_one_sentence(arguments, words, capsys):
    assert main(["demo", *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("biped-slip demo: ")
    assert words in said
