# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Write a recording as a standard rosbag2 with WrenchStamped and Odometry per foot."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import Progress

from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.markers import AXES
from biped_slip.recordings.messages import bag_config, series_messages, write_bag
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.samples import sample_or_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("recording", metavar="RECORDING", help="C3D, .mot, .sto, CSV or .gz")
    parser.add_argument("output", metavar="OUT", help="OUT.mcap for one file, another name for a bag folder")
    parser.add_argument("--config", metavar="YAML", help="names columns, units, signs and rates of a table")
    parser.add_argument("--vertical", choices=AXES, default="", help="vertical axis of plates, instead of detecting it")
    parser.add_argument("--forward", choices=AXES, default="", help="walking direction, instead of detecting it")
    parser.add_argument("--keep-offsets", action="store_true", help="don't subtract the reading of unloaded plates")


def run(arguments: argparse.Namespace) -> int:
    """Convert, and leave beside the bag the YAML with which it replays like its source."""
    source, config = sample_or_file(arguments.recording, arguments.config)
    if recording_format(source) == "bag":
        raise BipedSlipError(f"{arguments.recording}: is a bag already; ros2 bag convert changes its storage")
    overrides = Overrides(arguments.vertical, arguments.forward, arguments.keep_offsets)
    errors = Screen(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("converting", total=None)
        recording = read_recording(source, config, overrides)
        count = write_bag(
            arguments.output,
            series_messages(recording.series),
            lambda written: progress.update(task, description=f"{written} messages written"),
        )
    layout = Path(f"{arguments.output}.yaml")
    layout.write_text(bag_config(recording.series, recording.processing), encoding="utf-8")
    print(f"{count} messages in {arguments.output}; replay them with --config {layout}")
    return 0
