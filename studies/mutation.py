# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Small wrong changes of safety code, and whether the tests notice.

The command is ``python -m studies mutation``.

Kept tools don't serve here: mutmut leaves decorated functions alone, and every kernel
is one; cosmic-ray starts an interpreter for each change, which takes ten times as long
as the tests.

Mutants are tried in a random order until the time is over. One is killed when a test
fails or does not end; the survivors are listed with their lines. Changes that are known
to change nothing (``EQUIVALENT``) are left out. What stands in the file of results, of
the same mutant and the same tests, is not tried again. Exit code 1 when less than 95 %
of those tried were killed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from biped_slip.bounded_files import LineFile
from biped_slip.compile.kernel import Held, OfOneType, Recursion, hold, unrolled  # noqa: F401
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.simulation.campaign import key_of

# Mutants of a source: one operator, comparison, number or word changed at a time.

OTHER: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Mult,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
CALLED = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sin": "cos",
    "cos": "sin",
    "abs": "float",
}


class Mutant(NamedTuple):
    """A wrong version of a source."""

    line: int
    what: str  # that was changed
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a module's functions.

    Its constants, declarations and docstrings stay.
    """
    tree = ast.parse(source)
    for function in [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    ]:
        if not any(function in ast.walk(other) for other in _outer(tree, function)):
            for statement in function.body:
                yield from _of_statement(tree, statement)


def _outer(tree: ast.Module, function: ast.FunctionDef) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node is not function
    ]


def _of_statement(tree: ast.Module, statement: ast.stmt) -> Iterator[Mutant]:
    for node in ast.walk(statement):
        for what, change, undo in _changes(node):
            change()
            yield Mutant(
                getattr(node, "lineno", statement.lineno), what, ast.unparse(tree)
            )
            undo()


def _changes(
    node: ast.AST,
) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """List what can be changed in a node: words, the change, and back."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in OTHER.get(type(operator), ()):
                yield _set_item(
                    node.ops, i, other(), f"{_word(operator)} to {other.__name__}"
                )
    elif isinstance(node, (ast.BinOp, ast.BoolOp)):
        for other in OTHER.get(type(node.op), ()):
            yield _set(node, "op", other(), f"{_word(node.op)} to {other.__name__}")
    elif isinstance(node, ast.AugAssign):
        for other in OTHER.get(type(node.op), ()):
            yield _set(node, "op", other(), f"{_word(node.op)}= to {other.__name__}=")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _set(node, "op", ast.UAdd(), f"{_word(node.op)} dropped")
    elif isinstance(node, ast.Constant):
        yield from _numbers(node)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        for truth in (True, False):
            if not (isinstance(node, ast.While) and truth):
                yield _set(node, "test", ast.Constant(truth), f"condition {truth}")
    elif isinstance(node, ast.Call) and isinstance(
        node.func, (ast.Name, ast.Attribute)
    ):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in CALLED:
            field = "id" if isinstance(node.func, ast.Name) else "attr"
            yield _set(node.func, field, CALLED[name], f"{name} to {CALLED[name]}")


def _numbers(
    node: ast.Constant,
) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    value = node.value
    if isinstance(value, bool):
        yield _set(node, "value", not value, f"{value} to {not value}")
    elif isinstance(value, int):
        yield _set(node, "value", value + 1, f"{value} to {value + 1}")
    elif isinstance(value, float):
        other = 2.0 * value if value else 1.0
        yield _set(node, "value", other, f"{value:g} to {other:g}")


def _word(operator: ast.AST) -> str:
    return type(operator).__name__


def _set(
    node: ast.AST, field: str, new: object, what: str
) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = getattr(node, field)
    return what, lambda: setattr(node, field, new), lambda: setattr(node, field, old)


def _set_item(
    items: list[ast.cmpop], i: int, new: ast.AST, what: str
) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = copy.copy(items[i])

    def put(value: ast.AST) -> Callable[[], None]:
        return lambda: items.__setitem__(i, value)  # type: ignore[call-overload]

    return what, put(new), put(old)


# Tests against a mutant: a forked process that imports the wrong source in place of the
# right one.

KILLED = "killed"
SURVIVED = "survived"
TOO_LONG = "too long"
NO_TESTS = 4  # exit code of pytest from which on it says nothing about the mutant
PLAIN = {
    "kernel": "plain_kernel",
    "without_dispatch": "plain_call",
}  # what is imported in place of what


def plain_kernel(function: Any = None, **_: Any) -> Any:
    """Replace the decorator of kernels by one without compilation."""
    return function if function is not None else plain_kernel


def plain_call(function: Any, *_: Any) -> Any:
    """In place of a compiled call without dispatch."""
    return function


def preload() -> None:
    """Import what is slow and not ours, once for all trials."""
    for name in (
        "numpy",
        "scipy.optimize",
        "numba",
        "pinocchio",
        "hypothesis",
        "pytest",
        "casadi",
        "yaml",
        "rich",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Loader(importlib.abc.Loader):
    """Runs a module's source, its kernels plain."""

    def __init__(self, source: str, path: str) -> None:
        self._source = source
        self._path = path

    def exec_module(self, module: ModuleType) -> None:
        """As the import system does."""
        tree = ast.parse(self._source, self._path)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.ImportFrom)
                and node.module == "biped_slip.compile.kernel"
            ):
                node.module = __name__
                for alias in node.names:
                    alias.name, alias.asname = (
                        PLAIN.get(alias.name, alias.name),
                        alias.name,
                    )
        exec(compile(tree, self._path, "exec"), module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds some modules in sources of its own."""

    def __init__(self, sources: Mapping[str, tuple[str, str]]) -> None:
        self._sources = sources

    def find_spec(
        self, name: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """As the import system asks."""
        if name not in self._sources:
            return None
        source, file = self._sources[name]
        return importlib.util.spec_from_loader(name, Loader(source, file), origin=file)


def source_of(module: str) -> tuple[str, str]:
    """Text and path of a module, which is not imported."""
    path = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
    return path.read_text(encoding="utf-8"), str(path)


def trial(
    sources: Mapping[str, tuple[str, str]], tests: Sequence[str], patience: float
) -> str:
    """How the tests judge modules with these sources (text, path)."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = _judge(sources, tests)
        os._exit(code)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            if code >= NO_TESTS:
                raise RuntimeError(f"pytest ended with {code}: {' '.join(tests)}")
            return SURVIVED if code == 0 else KILLED
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TOO_LONG


def _judge(sources: Mapping[str, tuple[str, str]], tests: Sequence[str]) -> int:
    import pytest

    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for name in [
        name
        for name in sys.modules
        if name.split(".")[0] == "biped_slip" and name != __name__
    ]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder(sources))
    options = [
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--hypothesis-seed=0",
    ]
    return int(pytest.main([*options, *tests]))


class Target(NamedTuple):
    """Modules that are mutated, one at a time.

    All kernels in them are plain Python meanwhile.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    plain: tuple[str, ...] = ()  # further modules whose kernels call those


ESTIMATION = "biped_slip.estimation"
RESIDUALS, PLANAR, HUMANOID = (
    f"{ESTIMATION}.{name}" for name in ("residuals", "planar_health", "humanoid_health")
)
HEALTH_TESTS = "test/estimation/health"
TARGETS: dict[str, Target] = {
    "supervisor": Target(
        ("biped_slip.control.supervisor",), ("test/control/test_supervisor.py",)
    ),
    "limits": Target(
        ("biped_slip.control.supervisor", "biped_slip.control.actuation"),
        (
            "test/control/test_supervisor.py",
            "test/control/test_joint_motion.py",
            "test/control/test_actuation.py",
        ),
    ),
    "watchdog": Target(
        ("biped_slip.control.tick_time",), ("test/control/test_tick_time.py",)
    ),
    "health": Target(
        (RESIDUALS, PLANAR),
        tuple(
            f"{HEALTH_TESTS}/test_{name}.py"
            for name in ("checks", "force_balance", "health")
        ),
        (HUMANOID,),
    ),
    "humanoid": Target(
        (HUMANOID, f"{ESTIMATION}.humanoid_observer"),
        (
            f"{HEALTH_TESTS}/test_humanoid_watch.py",
            "test/estimation/test_foot_wrench.py",
            f"{HEALTH_TESTS}/test_force_balance.py",
        ),
        (RESIDUALS,),
    ),
    "readout": Target(
        ("biped_slip.friction_estimation.interval.readout",),
        (
            "test/friction_estimation/test_interval_readout.py",
            "test/friction_estimation/test_interval_answer.py",
        ),
    ),
    "sole": Target(
        (f"{ESTIMATION}.sole_motion",),
        (
            "test/estimation/test_sole_measurement.py",
            "test/estimation/test_sole_motion.py",
        ),
    ),
}


#: Changes that change nothing: part of the line, the changes, and why. They count
#: neither as killed nor as survivors.
EQUIVALENT: tuple[tuple[str, str, str], ...] = (
    ("stopped = state.stopped if", "condition True", "outside a safe stop it is zero"),
    (
        'for problem in (None, Problem("trial"',
        "True to False",
        "a trial for nobody; its torques are thrown away",
    ),
    ("supervise(standing, inputs, self.limits", "0.001 to 0.002", "the same trial"),
    ("moving=True,", "True to False", "the same trial"),
    (
        "one_way = velocity[i] * differenced > 0.0",
        "Gt to GtE",
        "where one of them is zero the smaller is zero",
    ),
    (
        "one_way = velocity[i] * differenced > 0.0",
        "Mult to Div",
        "a ratio has the sign of the product; as above at zero",
    ),
    ("or fading <= 0.0", "LtE to Lt", "a damping of nothing is no torque"),
    ("strict=True)", "True to False", "both are two, one a foot"),
    ("turned(foot.sensor_rotation, reading[:3])", "3 to 4", "three are turned"),
    ("soles.turned[foot : foot + 1],", "1 to 2", "the first is used"),
    ("force = np.empty(3)", "3 to 4", "a buffer with room for more"),
    ("position=np.zeros((2, 3)),", "2 to 3 | 3 to 4", "a buffer with room for more"),
    ("rotation=np.zeros((2, 3, 3)),", "2 to 3 | 3 to 4", "a buffer with room for more"),
    ("velocity=np.zeros((2, 6)),", "2 to 3 | 6 to 7", "a buffer with room for more"),
    (
        "if filters.probability[n] > filters.probability[best]",
        "Gt to GtE",
        "of equal ones either serves",
    ),
    (
        "if z > 4.0",
        "Gt to GtE | 4 to 8 | condition False",
        "the formula says the same there, to 1e-4",
    ),
    (
        "-40.0), 40.0)",
        "40 to 80",
        "a guard of the exponential against what it says anyway",
    ),
    (
        "if log_weight < NEGLIGIBLE",
        "Lt to LtE | condition False",
        "what is negligible changes nothing",
    ),
    ("if s_p <= 0.0", "LtE to Lt", "the table begins with zero"),
    ("1e-18)", "1e-18 to 2e-18", "a floor that keeps from dividing by zero"),
    ("chance = 1.0", "1 to 2", "the same factor for all filters"),
    (
        "if below + here >= share",
        "GtE to Gt",
        "the edge of a cell is that of the next one",
    ),
    (
        ">= model.level * model.prior[node] * expected",
        "GtE to Gt",
        "no likelihood is the level to the last bit",
    ),
    (
        "likely >= RULED_OUT * believed",
        "GtE to Gt",
        "no likelihood is that to the last bit",
    ),
    ("return -1", "1 to 2", "any negative number says none"),
)


def why_equivalent(line: str, what: str) -> str | None:
    """Why a change of a line of code changes nothing; None: it may change something."""
    return next(
        (
            why
            for part, changes, why in EQUIVALENT
            if part in line and what in changes.split(" | ")
        ),
        None,
    )


REQUIRED = 0.95
PATIENCE = 10.0  # times as long as the tests of the right source take


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)} (all)"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="in all (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--results",
        default="mutants.jsonl",
        help="verdicts are kept here (mutants.jsonl)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Try mutants of what is asked for."""
    begin = time.monotonic()
    names = arguments.targets or list(TARGETS)
    for name in names:
        if name not in TARGETS:
            raise UnknownName("target", name, list(TARGETS))
    preload()
    file = LineFile(arguments.results)
    total = 0
    survivors = list[str]()
    for number, name in enumerate(names):
        left = 60.0 * arguments.minutes * (number + 1) / len(names)
        tried, survived = try_target(
            name, begin + left, random.Random(arguments.seed), file
        )
        total = total + tried
        survivors = survivors + survived
    print(*survivors, sep="\n")
    score = 1.0 - len(survivors) / max(total, 1)
    print(f"{total} mutants tried, {len(survivors)} survived: score {score:.1%}")
    return 0 if score >= REQUIRED else 1


def try_target(
    name: str, end: float, rng: random.Random, file: LineFile
) -> tuple[int, list[str]]:
    """Try mutants of one target until a time on the steady clock.

    It returns how many, and the survivors in words.
    """
    target = TARGETS[name]
    right = {module: source_of(module) for module in (*target.modules, *target.plain)}
    tests = [Path(test).read_text(encoding="utf-8") for test in target.tests]
    found = [
        (module, mutant)
        for module in target.modules
        for mutant in mutants(right[module][0])
    ]
    found = [
        (module, one)
        for module, one in found
        if not why_equivalent(_line(right[module][0], one), one.what)
    ]
    rng.shuffle(found)
    patience = 0.0
    tried = 0
    survivors = []
    for module, mutant in found:
        key = key_of("mutant", module, mutant.source, tests)
        known = file.entry(key)
        if known is None:
            if time.monotonic() > end:
                continue
            patience = patience or _patience(name, right)
            known = {
                "verdict": trial(
                    {**right, module: (mutant.source, right[module][1])},
                    target.tests,
                    patience,
                )
            }
            file.append(key, known)
        tried += 1
        if known["verdict"] == SURVIVED:
            survivors.append(
                f"{module}:{mutant.line}: {mutant.what}: "
                f"{_line(right[module][0], mutant)}"
            )
    print(
        f"{name}: {tried} of {len(found)} mutants tried, {tried - len(survivors)} "
        "killed",
        flush=True,
    )
    return tried, survivors


def _patience(name: str, right: Mapping[str, tuple[str, str]]) -> float:
    """Return how long the tests may take [s].

    It follows from how long they need on the right source, which they must pass.
    """
    begin = time.monotonic()
    if trial(right, TARGETS[name].tests, 600.0) != SURVIVED:
        raise BipedSlipError(f"{name}: the tests fail on the right source")
    return max(PATIENCE * (time.monotonic() - begin), 30.0)


def _line(source: str, mutant: Mutant) -> str:
    return source.splitlines()[mutant.line - 1].strip()
