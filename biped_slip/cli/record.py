# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Record live ROS topics as a standard rosbag2, by a process with rclpy."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import subprocess
import sys

from biped_slip.errors import BipedSlipError


def run(arguments: argparse.Namespace) -> int:
    """Start the recorder node with the ROS environment of this shell.

    Then wait for its end.
    """
    if importlib.util.find_spec("rclpy") is None:
        raise BipedSlipError(
            "ROS 2 is missing (no module rclpy); `pip install .[ros]` brings it"
        )
    words = [sys.executable, "-m", "biped_slip.ros", "topic_recorder", "--ros-args"]
    topics = ", ".join(f"'{topic}'" for topic in arguments.topics or [""])
    parameters = {
        "output": f"'{arguments.out}'",
        "topics": f"[{topics}]",
        "least_free": arguments.least_free,
    }
    for name, value in parameters.items():
        words += ["-p", f"{name}:={value}"]
    # a Ctrl-C must reach it once, through this process
    process = subprocess.Popen(words, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, frame: process.send_signal(received))
    return process.wait()
