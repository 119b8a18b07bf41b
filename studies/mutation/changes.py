# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Change one line of the program and see whether its tests notice."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

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
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sin": "cos", "cos": "sin", "abs": "float"}


class Mutant(NamedTuple):
    """A wrong version of a source."""

    line: int
    what: str  # that was changed
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """All mutants of a module's functions; its constants, declarations and docstrings stay."""
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        if not any(function in ast.walk(other) for other in _outer(tree, function)):
            for statement in function.body:
                yield from _of_statement(tree, statement)


def _outer(tree: ast.Module, function: ast.FunctionDef) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node is not function]


def _of_statement(tree: ast.Module, statement: ast.stmt) -> Iterator[Mutant]:
    for node in ast.walk(statement):
        for what, change, undo in _changes(node):
            change()
            yield Mutant(getattr(node, "lineno", statement.lineno), what, ast.unparse(tree))
            undo()


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """What can be changed in a node: words, the change, and back."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in OTHER.get(type(operator), ()):
                yield _set_item(node.ops, i, other(), f"{_word(operator)} to {other.__name__}")
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
    elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in CALLED:
            field = "id" if isinstance(node.func, ast.Name) else "attr"
            yield _set(node.func, field, CALLED[name], f"{name} to {CALLED[name]}")


def _numbers(node: ast.Constant) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
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


def _set(node: ast.AST, field: str, new: object, what: str) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = getattr(node, field)
    return what, lambda: setattr(node, field, new), lambda: setattr(node, field, old)


def _set_item(
    items: list[ast.cmpop], i: int, new: ast.AST, what: str
) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = copy.copy(items[i])

    def put(value: ast.AST) -> Callable[[], None]:
        return lambda: items.__setitem__(i, value)  # type: ignore[call-overload]

    return what, put(new), put(old)


# Tests against a mutant: a forked process that imports the wrong source in place of the right one.

KILLED, SURVIVED, TOO_LONG = "killed", "survived", "too long"
NO_TESTS = 4  # exit code of pytest from which on it says nothing about the mutant
PLAIN = {"kernel": "plain_kernel", "without_dispatch": "plain_call"}  # what is imported in place of what


def plain_kernel(function: Any = None, **_: Any) -> Any:
    """The decorator of kernels, without compilation."""
    return function if function is not None else plain_kernel


def plain_call(function: Any, *_: Any) -> Any:
    """In place of a compiled call without dispatch."""
    return function


def preload() -> None:
    """Import what is slow and not ours, once for all trials."""
    for name in ("numpy", "scipy.optimize", "numba", "pinocchio", "hypothesis", "pytest", "casadi", "yaml", "rich"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Loader(importlib.abc.Loader):
    """Runs a module's source, its kernels plain."""

    def __init__(self, source: str, path: str) -> None:
        self._source, self._path = source, path

    def exec_module(self, module: ModuleType) -> None:
        """As the import system does."""
        tree = ast.parse(self._source, self._path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "biped_slip.compile.kernel":
                node.module = __name__
                for alias in node.names:
                    alias.name, alias.asname = PLAIN[alias.name], alias.name
        exec(compile(tree, self._path, "exec"), module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds some modules in sources of its own."""

    def __init__(self, sources: Mapping[str, tuple[str, str]]) -> None:
        self._sources = sources

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """As the import system asks."""
        if name not in self._sources:
            return None
        source, file = self._sources[name]
        return importlib.util.spec_from_loader(name, Loader(source, file), origin=file)


def source_of(module: str) -> tuple[str, str]:
    """Text and path of a module, which is not imported."""
    path = Path(__file__).parents[3].joinpath(*module.split(".")).with_suffix(".py")
    return path.read_text(encoding="utf-8"), str(path)


def trial(sources: Mapping[str, tuple[str, str]], tests: Sequence[str], patience: float) -> str:
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
    for name in [name for name in sys.modules if name.split(".")[0] == "biped_slip" and name != __name__]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder(sources))
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-seed=0"]
    return int(pytest.main([*options, *tests]))
