# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of hot functions: one readable implementation that numba compiles and plain Python runs.

``kernel`` compiles a function on its first call and keeps the machine code in a folder named after the sources
that it may call, so an edited callee is never served from an old cache and an edit elsewhere compiles nothing.
With the environment variable ``NUMBA_DISABLE_JIT=1`` every kernel runs as the plain Python that it is; tests
compare both.

Kernels take and return floats, ints, arrays and NamedTuples of these; configurations enter as
``config.packed`` (see :mod:`biped_slip.config`).
"""

from __future__ import annotations

import os
from pathlib import Path
from types import FunctionType
from typing import Any, Callable, Mapping, TypeVar, cast

import numba

from biped_slip.compile.sources import KNOWN_COMPILER, code_hash, digest

Function = TypeVar("Function", bound=Callable[..., Any])

_SPECIALISED: dict[tuple[Any, ...], Callable[..., Any]] = {}


def cache_folder(*parts: str) -> Path:
    """Folder for generated and compiled code below ``BIPED_SLIP_CACHE`` or the user's cache folder."""
    base = os.environ.get("BIPED_SLIP_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "biped_slip"
    )
    folder = Path(base, *parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if not KNOWN_COMPILER:
        return numba.njit(cache=True, **options)(function)
    from biped_slip.compile.numba_parts import KernelDispatcher

    return KernelDispatcher(function, options)


def _compile_into(folder: Path, function: Function, **options: Any) -> Function:
    # numba reads the folder only while the decorator runs, so it is set for that moment alone.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return cast(Function, _compiled(function, {"error_model": "numpy", **options}))
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """Compile a function on first use; division by zero gives inf or NaN as in NumPy."""
    if numba.config.DISABLE_JIT:
        return function
    return _compile_into(cache_folder("kernels", code_hash(function.__module__)), function)


def short_kernel(function: Function) -> Function:
    """A kernel that is called often for little work: its machine code goes into its callers."""
    if numba.config.DISABLE_JIT:
        return function
    return _compile_into(cache_folder("kernels", code_hash(function.__module__)), function, forceinline=True)


def passage(function: Function) -> Function:
    """A kernel that does little but call others: its text goes into its callers, which saves compiling it first."""
    if numba.config.DISABLE_JIT:
        return function
    return _compile_into(cache_folder("kernels", code_hash(function.__module__)), function, inline="always")


def generated_kernel(function: Function) -> Function:
    """Compile a function of a generated module; its code lies beside the module."""
    if numba.config.DISABLE_JIT:
        return function
    path = Path(function.__code__.co_filename)
    function.__dict__["sources"] = digest([path.read_text(encoding="utf-8")])
    return _compile_into(path.parent, function, forceinline=True)


def bound(function: FunctionType, bindings: Mapping[str, Any]) -> Callable[..., Any]:
    """The same function with other values for some of the global names that it reads."""
    copy = FunctionType(
        function.__code__, {**function.__globals__, **bindings}, function.__name__, function.__defaults__
    )
    copy.__doc__, copy.__qualname__, copy.__module__ = function.__doc__, function.__qualname__, function.__module__
    return copy


def specialise(
    function: FunctionType, bindings: Mapping[str, Any], key: str, *, nogil: bool = False, inside: str = ""
) -> Callable[..., Any]:
    """Bind some global names of a plain function to other kernels and compile the result.

    This is how one readable plant or controller serves every robot: the names of the model functions in
    it are bound to the functions generated for that robot. The same bindings give the same function: machine code is
    loaded once a process, and never let go.

    Args:
        function: an undecorated function that reads the names as globals.
        bindings: what to put in the place of each name.
        key: names the combination; it keeps the compiled code of two robots apart.
        nogil: let other threads run meanwhile; only worth it for calls that take long.
        inside: how callers take it: "" as a call, "text" as :func:`passage` (for what is called once), "code" as
            machine code without a call (for what is short and called often).
    """
    made = (function, key, nogil, inside, *((name, bindings[name]) for name in sorted(bindings)))
    if made not in _SPECIALISED:
        _SPECIALISED[made] = _specialised(function, bindings, key, nogil, inside)
    return _SPECIALISED[made]


def _specialised(
    function: FunctionType, bindings: Mapping[str, Any], key: str, nogil: bool, inside: str
) -> Callable[..., Any]:
    plain = bound(function, bindings)
    if numba.config.DISABLE_JIT:
        return plain
    parts = [sources_of(function), *(f"{name}:{sources_of(bindings[name])}" for name in sorted(bindings))]
    plain.__dict__["sources"] = digest(parts)
    ways: dict[str, dict[str, Any]] = {"": {}, "text": {"inline": "always"}, "code": {"forceinline": True}}
    variant = ("-nogil" if nogil else "") + (f"-{inside}" if inside else "")
    return _compile_into(cache_folder("robots", f"{key}-{digest(parts)}{variant}"), plain, nogil=nogil, **ways[inside])


def without_dispatch(function: Callable[..., Any], *example: Any) -> Callable[..., Any]:
    """A compiled function for arguments of the example's types alone, without the look-up of these at each call.

    The look-up costs microseconds per NamedTuple. Whoever calls the result answers for the types. A plain Python
    function comes back as it is; neither is called here.
    """
    if not hasattr(function, "get_compile_result"):
        return function
    types = tuple(numba.typeof(value) for value in example)
    function.compile(types)  # type: ignore[attr-defined]
    return function.overloads[types].entry_point  # type: ignore[attr-defined]


def sources_of(value: Any) -> str:
    """Names the sources behind something bound into a kernel: a function's by hash, a plain value itself."""
    function = getattr(value, "py_func", value)
    if not isinstance(function, FunctionType):
        return repr(value)
    return function.__dict__.get("sources") or code_hash(function.__module__)
