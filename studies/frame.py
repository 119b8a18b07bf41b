# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The frame of every study: jobs, a file of results, tables, JSON, required numbers.

A rerun continues the file of results.

A study declares what one job does and what its table shows; everything else is here. ::

    SPEEDS = Study("speeds", walk_once, Walked, tables, show)

    def run(arguments):
        seeds = chosen_seeds(arguments, 4)
        jobs = [Job(robot, seed) for robot in ... for seed in seeds]
        return SPEEDS.run(arguments, jobs)
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import math
import subprocess
import sys
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import (
    Any,
    Callable,
    Generic,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypeVar,
    get_args,
    get_type_hints,
)

from rich.markup import escape
from rich.table import Table

from biped_slip.bounded_files import LineFile
from biped_slip.child_processes import endings_wait
from biped_slip.cli.campaign import complete_with_bar
from biped_slip.cli.options import COUNT, SEED_TYPE, file_to_keep, file_to_write
from biped_slip.cli.terminal import Screen, result_screen, write_json
from biped_slip.compile.cache import sources_hash
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.campaign import key_of, run_all

ROOT = Path(__file__).parents[1]
NAN = math.nan
FEWEST = 50  # stances of which shares mean something
Job = TypeVar("Job")
Result = TypeVar("Result")


# Results as plain values and back.


def plain(value: Any) -> Any:
    """Plain dictionaries and lists of records within records, for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in fields(value)
        }
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value


def typed(kind: Any, value: Any) -> Any:
    """Rebuild the dataclass or named tuple that :func:`plain` gave.

    Null is NaN where a float belongs.
    """
    if kind is float:
        return NAN if value is None else float(value)
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        hints = get_type_hints(kind)
        return kind(**{name: typed(hints[name], one) for name, one in value.items()})
    if isinstance(value, list) and getattr(kind, "__origin__", None) is tuple:
        first, *others = get_args(kind)
        kinds = [first] * len(value) if others == [...] else [first, *others]
        return tuple(typed(one, item) for one, item in zip(kinds, value, strict=True))
    return value


# Results in a file.


@cache
def code_hash(module: str) -> str:
    """Hash a study's source and all that it imports from here and from the package."""
    reached: dict[str, str] = {}
    spec = sys.modules[module].__spec__
    waiting = [
        spec.name if spec else module
    ]  # what runs as __main__ is called as it is elsewhere
    while waiting:
        name = waiting.pop()
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name in reached or not path.is_file():
            continue
        if name.startswith("biped_slip."):
            reached[name] = sources_hash(name)
            continue
        reached[name] = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(reached[name])):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [
                    node.module,
                    *(f"{node.module}.{alias.name}" for alias in node.names),
                ]
    return key_of(reached)


class ResultFile(LineFile, Generic[Job, Result]):
    """Results of a study's jobs as JSON lines.

    They stand under hashes of the code that a job runs and of the job.

    Args:
        path: of the file.
        study: whose results it holds; those of others stay in it.
    """

    def __init__(self, path: str | Path, study: Study[Job, Result]) -> None:
        super().__init__(path)
        self._study = study

    def find(self, job: Job) -> Result | None:
        """Find the result of a job in the file, if it is there."""
        entry = self.entry(self._study.key(job))
        return None if entry is None else typed(self._study.result, entry["result"])

    def add(self, result: Result) -> None:
        """Append a result."""
        self.append(
            self._study.key(self._study.job(result)),
            {"result": plain(result)},
            allow_nan=True,
        )

    def kept(self, job: Job, work: Callable[[Job], Result]) -> tuple[Result, bool]:
        """Return the result from the file, or compute and write it.

        Also return whether it is new.
        """
        known = self.find(job)
        if known is not None:
            return known, False
        self.add(new := work(job))
        return new, True


# Studies.


def _job_of(result: Any) -> Any:
    return result.job


def _no_tables(results: Sequence[Any]) -> Mapping[str, Sequence[Any]]:
    return {}


def _show_nothing(results: Sequence[Any], console: Screen) -> None:
    return


@dataclass(frozen=True)
class Study(Generic[Job, Result]):
    """Many jobs of one kind."""

    name: str
    # one job; a function of a module, for other processes
    work: Callable[[Job], Result]
    result: type[Result]  # dataclass or named tuple
    # rows by name, for JSON
    tables: Callable[[Sequence[Result]], Mapping[str, Sequence[Any]]] = _no_tables
    # prints tables; False: a requirement is missed
    show: Callable[[Sequence[Result], Screen], object] = _show_nothing
    # what decides a result besides code and job: files that it names
    content: Callable[[Job], Any] = lambda job: None
    # before other processes start
    prepare: Callable[[Sequence[Job]], None] = lambda jobs: None
    job: Callable[[Result], Job] = _job_of

    def key(self, job: Job) -> str:
        """Hash of the code that the job runs, of what it reads and of the job."""
        return f"{self.name}-" + key_of(
            code_hash(self.work.__module__), self.content(job), plain(job)
        )

    def file(self, path: str | Path | None) -> ResultFile[Job, Result]:
        """Return the path of the results, named after the study by default."""
        return ResultFile(path or f"{self.name}.jsonl", self)

    def run(self, arguments: argparse.Namespace, jobs: Sequence[Job]) -> int:
        """Work out what the file lacks, print the tables, and write JSON.

        The exit code is 1 when a requirement is missed.
        """
        results = complete_with_bar(
            jobs,
            self.file(arguments.results),
            lambda some, done: run_all(
                self.work, some, arguments.workers, done, lambda: self.prepare(some)
            ),
        )
        return report(arguments, results, self.show, self.tables(results))


def report(
    arguments: argparse.Namespace,
    results: Sequence[Any],
    show: Callable[[Sequence[Any], Screen], object],
    tables: Mapping[str, Sequence[Any]] | None = None,
) -> int:
    """Print the tables and write JSON.

    The exit code is 1 when ``show`` says that a requirement is missed.
    """
    met = show(results, result_screen(arguments)) is not False
    if arguments.json is not None:
        rows = {
            name: [plain(row) for row in table]
            for name, table in (tables or {}).items()
        }
        write_json(
            arguments.json, arguments, [plain(result) for result in results], rows
        )
    return 0 if met else 1


def declare(parser: argparse.ArgumentParser, *further: str) -> None:
    """Declare what every study takes.

    Also declare ``robot``, ``limit``, ``push``, ``mu``, ``workers`` as far as the study
    takes them.
    """
    words: dict[str, dict[str, Any]] = {
        "robot": {
            "nargs": "+",
            "metavar": "NAME",
            "help": "robots: talos, g1, surena3, bolt, planar, ...",
        },
        "limit": {
            "nargs": "+",
            "metavar": "LIMIT",
            "help": "friction limits to compare",
        },
        "push": {
            "nargs": "+",
            "type": float,
            "metavar": "WEIGHTS",
            "help": "sideways push on the patch (0)",
        },
        "mu": {
            "nargs": "+",
            "type": float,
            "help": "friction coefficients of the floor in question",
        },
        "workers": {"type": COUNT, "help": "processes (all cores)"},
        "seeds": {"type": COUNT, "help": "number of seeds"},
    }
    for name in further:
        parser.add_argument(f"--{name}", **words[name])
    parser.add_argument(
        "--first-seed", type=SEED_TYPE, default=0, help="first seed (0)"
    )
    parser.add_argument(
        "--results",
        type=file_to_keep,
        metavar="FILE",
        help="what has ended; a rerun continues",
    )
    parser.add_argument(
        "--json",
        type=file_to_write,
        metavar="FILE",
        help="write rows and every result here",
    )


def grouped(
    results: Iterable[Result], by: Callable[[Result], Any]
) -> dict[Any, list[Result]]:
    """Results by what they share, in the order of first appearance."""
    groups: dict[Any, list[Result]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return groups


Columns = Mapping[str, Callable[[Any], object]]  # text of a row by heading


def table_of(columns: Columns, rows: Iterable[Any], title: str | None = None) -> Table:
    """Print a row a record, as text."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(text(row)) for text in columns.values()))
    return table


# Required numbers.


class Row(NamedTuple):
    """A measured number, with what is required of it.

    ``required`` bounds it from above where ``at_most``, else from below; where it is
    NaN, the number is only reported.
    """

    what: str
    required: float
    at_most: bool
    study: str  # what the study measured
    ours: float

    @property
    def met(self) -> bool:
        """Whether the requirement holds; a number that is only reported always does."""
        if math.isnan(self.required):
            return True
        return (
            self.ours <= self.required if self.at_most else self.ours >= self.required
        )


def show_rows(title: str, rows: Sequence[Row], console: Screen | None = None) -> bool:
    """Print what is required beside what came out; return whether everything is met."""
    table = Table(title=title, title_justify="left")
    table.add_column("quantity", overflow="fold")
    for column, width in (("required", 8), ("study", 9), ("ours", 7), ("", 6)):
        table.add_column(column, no_wrap=True, min_width=width)
    for row in rows:
        sign = "<=" if row.at_most else ">="
        required = "" if math.isnan(row.required) else f"{sign} {row.required:g}"
        table.add_row(
            escape(row.what),
            required,
            row.study,
            f"{row.ours:.4g}",
            "" if row.met else "MISSED",
        )
    (console or Screen()).print(table)
    return all(row.met for row in rows)


def need_stances(count: int) -> None:
    """Refuse too few stances.

    Raises:
        InvalidParameter: fewer than 50.
    """
    if count < FEWEST:
        raise InvalidParameter(
            "--stances", count, f">= {FEWEST}", "shares of fewer stances mean nothing"
        )


@contextlib.contextmanager
def child_process(words: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program whose standard output is read here.

    An exception that leaves the context ends the program.
    """
    with endings_wait():
        started = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    with started as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise
