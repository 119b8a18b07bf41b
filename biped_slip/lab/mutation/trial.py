# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tests against a mutant: a forked process that imports the wrong source in place of the right one."""

from __future__ import annotations

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Mapping, Sequence

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
