# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hashes of source code, the keys of the code cache: what a module may call decides what it compiles to."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from pathlib import Path
from typing import Iterable

import numba

#: Whether :mod:`biped_slip.compile.numba_parts` knows this numba's compiler; any other compiles as ever, only longer.
KNOWN_COMPILER = numba.__version__.startswith("0.68.")
PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parent.parent
_IMPORT = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+({PACKAGE}[\w.]*)(?:[ \t]+import[ \t]+(\([^)]*\)|[^#\n]*))?", re.MULTILINE
)


def digest(texts: Iterable[str]) -> str:
    """Hash of texts (hex, 12 characters)."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@functools.cache
def code_hash(module: str) -> str:
    """Hash of what a compiled function of a module depends on: the sources that it may call.

    A module from outside may call anything here, so its hash is that of the whole package and its own text. The
    layout of what a function is given, whose class may stand elsewhere, is part of the cache's key
    (:mod:`biped_slip.compile.cache`); with a compiler that is not known the whole package is hashed.
    """
    if module.partition(".")[0] != PACKAGE or not KNOWN_COMPILER:
        return digest([numba.__version__, *map(_text, _files()), *_own_text(module)])
    return digest([numba.__version__, sources_hash(module)])


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of a module of this package and of all that it imports from it."""
    reached, waiting = set(), {module}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= _imports(name) - reached
    return digest(_text(path) for path in map(_file, sorted(reached)) if path)


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """Modules of this package that a module names in an import, at any depth of its text."""
    path = _file(module)
    names = set()
    for source, imported in _IMPORT.findall(_text(path) if path else ""):
        if source != PACKAGE:  # its face re-exports everything, and kernels take nothing from there
            names.add(source)
        names.update(f"{source}.{name}" for name in re.findall(r"\w+", imported))
    return frozenset(name for name in names if _file(name))


def _own_text(module: str) -> list[str]:
    file = getattr(sys.modules.get(module), "__file__", None)
    return [_text(Path(file))] if file and file.endswith(".py") else []


@functools.cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def _file(module: str) -> Path | None:
    below = _ROOT.joinpath(*module.split(".")[1:])
    return next((path for path in (below.with_suffix(".py"), below / "__init__.py") if path.is_file()), None)


@functools.cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(_ROOT.rglob("*.py")))
