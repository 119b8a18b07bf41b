# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of the gait laboratory as a command line states them."""

from __future__ import annotations

import argparse

from biped_slip.cli.recorded_axes import known_axes
from biped_slip.gait_laboratory.trial import GaitSettings
from biped_slip.recordings.gait import Overrides


def gait_rules(arguments: argparse.Namespace) -> tuple[GaitSettings, Overrides]:
    """Read the limits of steps and slips, and the axes that the user knows better."""
    settings = (
        GaitSettings.from_yaml(arguments.settings)
        if arguments.settings
        else GaitSettings()
    )
    return settings, known_axes(arguments)
