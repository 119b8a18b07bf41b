# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction, slips and the chance of a slip from recorded gait: one trial, a study, a table of chances."""

from __future__ import annotations

import argparse

from biped_slip.cli import gait_chance, gait_study, gait_trial

VERBS = {
    "trial": (gait_trial, "steps of one recording: required friction, slips, what can't be judged and why"),
    "study": (gait_study, "all trials of a folder as one table of steps, with statistics, figures and a report"),
    "chance": (gait_chance, "chance of a slip from a table of steps and an instrument's readings"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """One parser a verb."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, (module, words) in VERBS.items():
        module.configure(verbs.add_parser(name, help=words, description=words))


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return VERBS[arguments.verb][0].run(arguments)
