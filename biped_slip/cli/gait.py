# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction, slips and the chance of a slip from recorded gait.

They are found for one trial, for a study, or as a table of chances; each is a module of
its own, so that a trial waits for no statistics and no figures.
"""

from __future__ import annotations

import argparse
from importlib import import_module

MODULES = {
    "trial": "biped_slip.cli.gait_trial",
    "study": "biped_slip.cli.gait_study",
    "chance": "biped_slip.cli.gait_chance",
}


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen subcommand of ``gait``."""
    code: int = import_module(MODULES[arguments.verb]).run(arguments)
    return code
