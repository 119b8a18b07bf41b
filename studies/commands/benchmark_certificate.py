# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the certificate keeps its word, contact by contact, what that costs, and what others would have said."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable

from rich.table import Table

from biped_slip.cli import SEED
from biped_slip.cli.terminal import Screen
from biped_slip.errors import InvalidParameter
from studies.estimator.conditions import Row
from studies.rows import show_rows

FEWEST = 50  # stances a row


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--part", choices=("all", *PARTS), default="all", help="one section alone (all)")
    parser.add_argument(
        "--recordings", nargs="+", type=Path, default=[], metavar="PATH",
        help="recordings, or folders of them, in place of stances: is any mu_high below what its foot held?",
    )  # fmt: skip
    parser.add_argument("--stances", type=int, default=1000, help="per row (1000; fewer is quicker)")
    parser.add_argument("--seed", type=SEED, default=91000, help="of the stances (91000)")


def run(arguments: argparse.Namespace) -> int:
    """Print the sections, each as soon as it is measured; exit code 1 when a required number is missed."""
    if arguments.recordings:
        return 0 if _recordings(arguments.recordings) else 1
    if arguments.stances < FEWEST:
        raise InvalidParameter("--stances", arguments.stances, f">= {FEWEST}", "shares of fewer stances mean nothing")
    chosen = list(PARTS) if arguments.part == "all" else [arguments.part]
    missed = [part for part in chosen if not PARTS[part](part, arguments.stances, arguments.seed)]
    return 1 if missed else 0


def _contacts(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate  # the studies need scipy and half a minute of compilation

    return _shown(title, certificate.truths(count, seed))


def _calibrated(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return _shown(title, certificate.calibrated(count, seed))


def _taught(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return _shown(title, certificate.taught(count, seed))


def _price(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return _shown(title, certificate.prices(count, seed))


def _side_by_side(title: str, count: int, seed: int) -> bool:
    from studies.estimator import rivals_table

    table = Table("contact", "method", "claim > mu", "> 1.1 mu", "known before .9", "lead [ms]",
                  "load/mu then: 10, 50, 90 %", title=title, title_justify="left")  # fmt: skip
    compared = rivals_table.compare(count, seed)
    for told in compared:
        table.add_row(*rivals_table.cells(told))
    Screen().print(table)
    return _shown(f"{title}: as safe, and earlier?", rivals_table.verdict(compared))


def _faults(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return _shown(title, certificate.faults(count, seed))


def _floors(title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return _shown(title, certificate.changes(count, seed))


def _slides(title: str, count: int, seed: int) -> bool:
    from studies.estimator import slides

    return _shown(title, slides.rows(count, seed))


def _recordings(places: list[Path]) -> bool:
    from studies.estimator import recorded

    table = Table("recording", "contacts", "held", "finite mu_high", "withdrawn", "mu_high below held", "ever, live")
    kept = True
    for found in recorded.tallies(places):
        counts = (found.contacts, found.at_least, found.bounded, found.withdrawn, found.refuted, found.refuted_live)
        table.add_row(found.name, *(["not a recording"] if found.note else map(str, counts)))
        kept = kept and found.refuted == 0
    Screen().print(table)
    return kept


def _shown(title: str, rows: list[Row]) -> bool:
    show_rows(title, rows)
    return all(row.met for row in rows)


PARTS: dict[str, Callable[[str, int, int], bool]] = {
    "contacts": _contacts,
    "calibrated": _calibrated,
    "taught": _taught,
    "price": _price,
    "side-by-side": _side_by_side,
    "faults": _faults,
    "changing-floors": _floors,
    "slides": _slides,
}
