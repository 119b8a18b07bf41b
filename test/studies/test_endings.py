# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that end in ways that can be caught, heard over DDS; `python -m studies
endings` ends 204 of them."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from studies.endings import KINDS  # noqa: E402


@pytest.mark.skipif(
    not os.environ.get("BIPED_SLIP_LONG"), reason="takes minutes: BIPED_SLIP_LONG=1"
)
def test_each_of_twelve_kinds_of_endings_lets_the_joints_go():
    words = [sys.executable, "-m", "studies.endings", "1"]
    said = subprocess.run(
        words, capture_output=True, text=True, timeout=1200
    ).stdout.splitlines()
    endings = [json.loads(line) for line in said]
    assert [ending["kind"] for ending in endings] == [kind.name for kind in KINDS]
    assert [ending["kind"] for ending in endings if not ending["zero"]] == []


def test_twelve_kinds_have_names_of_their_own():
    assert len({kind.name for kind in KINDS}) == len(KINDS) == 12
