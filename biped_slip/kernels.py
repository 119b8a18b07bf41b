# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of hot functions: one readable implementation that numba compiles and plain Python runs.

``kernel`` compiles a function on its first call and keeps the machine code in a folder named after the
content of this package, so an edited callee can never be served from an old cache. With the environment
variable ``NUMBA_DISABLE_JIT=1`` every kernel runs as the plain Python that it is; tests compare both.

Kernels take and return floats, ints, arrays and NamedTuples of these; configurations enter as
``config.packed`` (see :mod:`biped_slip.config`).
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from types import FunctionType
from typing import Any, Callable, Mapping, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


@functools.lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of every source file of this package (hex, 12 characters): the key of the code cache."""
    root = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def cache_folder(*parts: str) -> Path:
    """Folder for generated and compiled code below ``BIPED_SLIP_CACHE`` or the user's cache folder."""
    base = os.environ.get("BIPED_SLIP_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "biped_slip"
    )
    folder = Path(base, source_hash(), *parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _compile_into(folder: Path, function: Function) -> Function:
    # numba reads the folder only while the decorator runs, so it is set for that moment alone.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """Compile a function on first use; division by zero gives inf or NaN as in NumPy."""
    if numba.config.DISABLE_JIT:
        return function
    return _compile_into(cache_folder("kernels"), function)


def generated_kernel(function: Function) -> Function:
    """Compile a function of a generated module; its code lies beside the module."""
    if numba.config.DISABLE_JIT:
        return function
    return _compile_into(Path(function.__code__.co_filename).parent, function)


def bound(function: FunctionType, bindings: Mapping[str, Any]) -> Callable[..., Any]:
    """The same function with other values for some of the global names that it reads."""
    copy = FunctionType(
        function.__code__, {**function.__globals__, **bindings}, function.__name__, function.__defaults__
    )
    copy.__doc__, copy.__qualname__, copy.__module__ = function.__doc__, function.__qualname__, function.__module__
    return copy


def specialise(function: FunctionType, bindings: Mapping[str, Any], key: str) -> Callable[..., Any]:
    """Bind some global names of a plain function to other kernels and compile the result.

    This is how one readable plant or controller serves every robot: the names of the model functions in
    it are bound to the functions generated for that robot.

    Args:
        function: an undecorated function that reads the names as globals.
        bindings: what to put in the place of each name.
        key: names the combination; it keeps the compiled code of two robots apart.
    """
    plain = bound(function, bindings)
    if numba.config.DISABLE_JIT:
        return plain
    return _compile_into(cache_folder("robots", key), plain)
