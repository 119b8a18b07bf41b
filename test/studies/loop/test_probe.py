# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The stopwatch of the loop runs beside its nodes, as one of them."""

import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from studies.loop.latency import PROBE  # noqa: E402


def test_the_probe_of_the_loop_is_a_process_like_a_node():
    words = [sys.executable, "-m", "biped_slip.ros", PROBE, "--help"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "events" in done.stdout
