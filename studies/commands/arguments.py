# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that every study of many walks takes."""

from __future__ import annotations

import argparse

from biped_slip.cli import COUNT, SEED
from biped_slip.cli.terminal import file_to_keep, file_to_write


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare robots, limits, pushes, seeds, workers and outputs."""
    parser.add_argument("--robot", nargs="+", metavar="NAME", help="robots: talos, g1, surena3, bolt, planar, ...")
    parser.add_argument("--limit", nargs="+", metavar="LIMIT", help="friction limits to compare")
    parser.add_argument("--push", nargs="+", type=float, metavar="WEIGHTS", help="sideways push on the patch (0)")
    parser.add_argument("--seeds", type=COUNT, help="number of seeds")
    parser.add_argument("--first-seed", type=SEED, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=COUNT, help="processes (all cores)")
    parser.add_argument("--results", type=file_to_keep, metavar="FILE", help="walks that have ended; a rerun goes on")
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write rows and every outcome here")
