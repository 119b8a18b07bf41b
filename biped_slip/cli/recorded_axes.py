# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Axes and offsets of a recording as a command line states them."""

from __future__ import annotations

import argparse

from biped_slip.recordings.gait import Overrides


def known_axes(arguments: argparse.Namespace) -> Overrides:
    """Collect the user's settings of a recording's axes and offsets."""
    return Overrides(
        vertical=arguments.vertical,
        forward=arguments.forward,
        keep_offsets=arguments.keep_offsets,
    )
