# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Commands on recordings: list samples, record live topics, convert to rosbag2."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import subprocess
import sys
from pathlib import Path

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.recorded_axes import known_axes
from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.recordings.messages import bag_config, series_messages, write_bag
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.samples import fetch, sample_or_file
from biped_slip.recordings.samples import samples as all_samples


def convert(arguments: argparse.Namespace) -> int:
    """Convert a recording to a bag, and write the YAML for its replay.

    With it the bag replays like its source.
    """
    source, config = sample_or_file(arguments.recording, arguments.config)
    if recording_format(source) == "bag":
        raise BipedSlipError(
            f"{arguments.recording}: is a bag already; ros2 bag convert changes its "
            "storage"
        )
    errors = Screen(stderr=True)
    with Progress(
        console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task("converting", total=None)
        recording = read_recording(source, config, known_axes(arguments))
        count = write_bag(
            arguments.out,
            series_messages(recording.series),
            lambda written: progress.update(
                task, description=f"{written} messages written"
            ),
        )
    layout = Path(f"{arguments.out}.yaml")
    layout.write_text(
        bag_config(recording.series, recording.processing), encoding="utf-8"
    )
    print(f"{count} messages in {arguments.out}; replay them with --config {layout}")
    return 0


def record(arguments: argparse.Namespace) -> int:
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
    process = subprocess.Popen(
        words, start_new_session=True
    )  # a Ctrl-C must reach it once, through this process
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, frame: process.send_signal(received))
    return process.wait()


def samples(arguments: argparse.Namespace) -> int:
    """List samples, or fetch them and print how each is replayed."""
    screen = Screen()
    known = all_samples()
    if not arguments.fetch:
        table = Table("name", "what", "licence", "replay it")
        for sample in known.values():
            how = (
                f"biped-slip replay {sample.name}"
                if sample.file
                else f"biped-slip samples --fetch {sample.name}"
            )
            table.add_row(
                sample.name, sample.what, sample.licence or "this package's", how
            )
        screen.print(table)
        return 0
    arguments.to.mkdir(parents=True, exist_ok=True)
    for name in arguments.fetch:
        path: Path = fetch(name, arguments.to)
        config = f" --config {known[name].layout}" if known[name].layout else ""
        screen.print(f"biped-slip replay {path}{config}", highlight=False)
    return 0
