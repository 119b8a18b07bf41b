# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Output of commands: tables that never cut a number, and output files.

Output files are checked before the work begins.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from biped_slip import __version__
from biped_slip.cli.options import STANDARD
from biped_slip.errors import BipedSlipError, InvalidParameter

if TYPE_CHECKING:
    from biped_slip.simulation.kept_time import KeptTime
    from biped_slip.simulation.summary import Summary

WIDEST = 10_000  # columns; no table is wider
SHORTEST_HEADING = 8  # columns, of a heading that is broken


class Screen(Console):
    """Console whose tables take the width that they need.

    Sentences in pipes and files are not wrapped.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a string; characters that are not printable are spelled.

        Such are escape sequences in a name.
        """
        spelled = (
            one if one.isprintable() or one in "\n\t" else repr(one)[1:-1]
            for one in text
        )
        return super().render_str("".join(spelled), **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print sentences and tables.

        Headings of tables are broken at spaces, cells never.
        """
        tables = [thing for thing in objects if isinstance(thing, Table)]
        if not tables:
            super().print(
                *objects,
                **({"soft_wrap": True} | options if not self.is_terminal else options),
            )
            return
        narrow = self.width
        try:
            self.width = max([narrow, *(self._needs(table) for table in tables)])
            super().print(*objects, **options, crop=False)
        finally:
            self.width = narrow

    def _needs(self, table: Table) -> int:
        """Compute the columns that a table takes.

        Its headings are broken where they do not fit beside each other.
        """
        headings = [str(column.header) for column in table.columns]
        for column, heading in zip(table.columns, headings, strict=True):
            # a unit such as [s] is no markup
            column.header = Text(heading)
            column.no_wrap = True
        if self.is_terminal and self._natural(table) > self.width:
            for column, heading in zip(table.columns, headings, strict=True):
                longest = max(
                    (self._natural(cell) for cell in column._cells), default=0
                )
                column.header = Text(
                    "\n".join(_broken(heading, max(longest, SHORTEST_HEADING)))
                )
        return self._natural(table)

    def _natural(self, thing: Any) -> int:
        return Measurement.get(
            self, self.options.update(max_width=WIDEST), thing
        ).maximum


def _broken(heading: str, width: int) -> list[str]:
    """Break a heading into lines of at least its longest word.

    No line is longer than that or a width.
    """
    words = heading.split()
    lines = [""]
    width = max([width, *map(len, words)], default=width)
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


# Seeds of a campaign as its command line says them.


def chosen_seeds(arguments: argparse.Namespace, usual: int) -> range:
    """List the seeds of ``--seeds``, ``usual`` without it, from ``--first-seed`` on.

    Raises:
        InvalidParameter: fewer than one.
    """
    count = usual if arguments.seeds is None else arguments.seeds
    if count < 1:
        raise InvalidParameter("--seeds", count, "at least 1")
    return range(arguments.first_seed, arguments.first_seed + count)


# What the exit code of a walk tells.

GOOD = 0
FELL_EXIT = 1
DIVERGED = 2
SLID = 3
NOT_THERE = 4


def walk_exit_code(summary: Summary, arrived: bool = True) -> int:
    """Return the exit code of a walk.

    It is 0 upright without a slide of 1 cm, 3 upright with one, 4 out of time, 1 fell
    or must not walk, 2 without a verdict, for the simulation diverged.
    """
    if summary.diverged:
        return DIVERGED
    if summary.fell or summary.refused:
        return FELL_EXIT
    if not summary.upright_without_slip():
        return SLID
    return GOOD if arrived else NOT_THERE


# What a command writes: places are tried before the work begins, ``-`` is standard
# output, JSON has one form.
#
# ::
#
#     {"schema": "biped_slip/1", "version": "0.1.0", "command": "biped-slip walk --seed
# 3 --json -", "seed": 3,
#      "results": [{...}], "tables": {"name": [{...}]}}

SCHEMA = "biped_slip/1"


def tell_kept_time(kept: KeptTime) -> None:
    """Print the real-time factor that the simulator reached."""
    Screen(stderr=True).print(str(kept))


def result_screen(arguments: argparse.Namespace) -> Screen:
    """Return the console of tables.

    It is standard error when something else goes to standard output.

    Raises:
        BipedSlipError: two things were asked for there.
    """
    asked = [name for name, value in vars(arguments).items() if value == STANDARD]
    if len(asked) > 1:
        words = " and ".join(f"--{name}" for name in asked)
        raise BipedSlipError(f"{words} can't both be -: standard output takes one")
    return Screen(stderr=bool(asked))


@contextmanager
def written(target: Path, ending: str = "") -> Iterator[Path]:
    """Open a file to write; for ``-`` one that is copied to standard output."""
    if target != STANDARD:
        yield target
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out{ending}"
        yield path
        sys.stdout.flush()
        sys.stdout.buffer.write(path.read_bytes())
        sys.stdout.buffer.flush()


def write_text(target: Path, text: str) -> None:
    """Write text to a file or standard output."""
    with written(target) as path:
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")


def write_json(
    target: Path,
    arguments: argparse.Namespace,
    results: Sequence[Mapping[str, Any]],
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> None:
    """Write results with the command that made them.

    Args:
        target: file, or ``-``.
        arguments: of the command; their ``words`` are what was typed.
        results: one mapping a walk, recording or paper.
        tables: rows over all results, by the table's name.
    """
    seed = getattr(arguments, "seed", None)
    content = {
        "schema": SCHEMA,
        "version": __version__,
        "command": f"{arguments.program} {shlex.join(arguments.words)}",
        "seed": getattr(arguments, "first_seed", None) if seed is None else seed,
        "results": list(results),
        "tables": dict(tables or {}),
    }
    write_text(target, json.dumps(_finite(content), indent=1, allow_nan=False))


def _finite(value: Any) -> Any:
    """Replace numbers that JSON has no word for by null."""
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
