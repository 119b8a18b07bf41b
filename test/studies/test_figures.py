# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the docs are those that `python -m studies figures` draws."""

import re
from pathlib import Path

from studies.figures import FIGURES

ROOT = Path(__file__).parents[2]
RECORDED = {
    "gazebo-walk",
    "humanoid-ladder",
}  # from bags of the tests in Gazebo; from a ladder's file


def test_every_picture_of_the_docs_is_drawn_by_the_command():
    pages = [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "studies").glob("*.md"),
    ]
    shown = {
        name
        for page in pages
        for name in re.findall(r"images/([\w/-]+)\.png\)", page.read_text("utf-8"))
    }
    # the table of robots draws its own
    drawn = {name for name in shown if not name.startswith("robots/")}
    assert drawn - RECORDED == set(FIGURES)
