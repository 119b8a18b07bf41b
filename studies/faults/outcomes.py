# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How faults went: one line of JSON each, within a budget of time.

The lines are kept in a file from which a campaign goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

from studies.frame import Study, plain

ROBOTS = ("planar", "talos")
MOMENTS = ("start", "double support", "leg lifting", "mid-swing", "landing")
OUT_OF_TIME = 3  # exit code of a part that has not tried everything
ONCE = "at any time"  # of what has nothing to do with the gait


@dataclass
class Outcome:
    """How one fault at one moment went."""

    kind: str
    moment: str
    robot: str = "planar"
    reaction: int | None = None  # ticks to damped joints
    driven: float = 0.0  # [W] most that a joint got while it was stopped
    named: list[str] = field(default_factory=list)  # problems in /diagnostics
    # of what is required; none: passed
    violations: list[str] = field(default_factory=list)
    skipped: str = ""  # why it can't be tried here


class OutOfTime(Exception):
    """The campaign's time is over."""


def campaign_arguments(doc: str) -> argparse.ArgumentParser:
    """Add the arguments that every part of the campaign takes."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument(
        "--kind",
        nargs="+",
        default=[],
        help="only kinds with one of these words in their name",
    )
    parser.add_argument("--moment", nargs="+", default=list(MOMENTS), choices=MOMENTS)
    parser.add_argument("--robot", nargs="+", default=list(ROBOTS), choices=ROBOTS)
    parser.add_argument(
        "--seed", type=int, default=0, help="of everything that is drawn (0)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="after which nothing new is tried",
    )
    parser.add_argument(
        "--results", help="file of outcomes; what is there is not tried again"
    )
    return parser


def wanted(kind: str, words: Sequence[str]) -> bool:
    """Whether a kind has one of the words in its name."""
    return not words or any(word in kind for word in words)


class OutcomeLog:
    """Prints outcomes and keeps them."""

    def __init__(self, chosen: argparse.Namespace, work: Callable[..., Any]) -> None:
        self.seed: int = chosen.seed
        self._end = time.monotonic() + chosen.seconds
        study = Study(
            "fault",
            work,
            Outcome,
            job=lambda one: (one.kind, one.moment, one.robot, self.seed),
        )
        self._file = study.file(chosen.results) if chosen.results else None

    def known(self, kind: str, moment: str, robot: str) -> bool:
        """Whether a fault has been tried, which is told again.

        Raises:
            OutOfTime: it has not, and nothing new is to be tried.
        """
        outcome = (
            self._file.find((kind, moment, robot, self.seed))
            if self._file is not None
            else None
        )
        if outcome is None and time.monotonic() > self._end:
            raise OutOfTime
        if outcome is not None:
            print(json.dumps(plain(outcome)), flush=True)
        return outcome is not None

    def add(self, outcome: Outcome) -> None:
        """One more."""
        if self._file is not None:
            self._file.add(outcome)
        print(json.dumps(plain(outcome)), flush=True)
