# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Convert a recording to a standard rosbag2, with the YAML for its replay."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import Progress

from biped_slip.cli.recorded_axes import known_axes
from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.recordings.messages import bag_config, series_messages, write_bag
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.samples import sample_or_file


def run(arguments: argparse.Namespace) -> int:
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
