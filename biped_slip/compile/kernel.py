# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of hot functions: one implementation for numba and plain Python.

numba compiles it and plain Python runs it.

``kernel`` compiles a function on its first call and caches the machine code under a
hash of the sources that it may call. With ``NUMBA_DISABLE_JIT=1`` every kernel runs as
plain Python; tests compare both. What is chosen at construction (a law, a robot's model
functions) is an argument of a factory whose inner kernel closes over it::

    def point_force(normal: NormalForce, friction: FrictionStep) -> PointForce:
        @kernel
        def force(memory, penetration, rate, law, dt):
            pressed = normal(penetration, rate, law.normal)
            ...
        return force

Equal values closed over give one kernel, loaded once a process. A closure over a plain
Python function stays plain. Kernels take and return floats, ints, arrays and
NamedTuples of these; configurations enter as ``config.packed``.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, Callable, Literal, TypeVar, cast, overload

from biped_slip.errors import InvalidParameter

if (
    not os.environ.get(THREADS := "NUMBA_NUM_THREADS", "1")
    .strip()
    .lstrip("0")
    .isdecimal()
):  # numba: a traceback
    raise InvalidParameter(
        THREADS,
        os.environ[THREADS],
        "a number of threads above 0",
        "correct the environment",
    )
import numba
from numba.core import types
from numba.experimental import structref

from biped_slip.compile.cache import (
    KNOWN_COMPILER,
    KernelCache,
    cache_folder,
    code_hash,
    digest,
    say,
)

Function = TypeVar("Function", bound=Callable[..., Any])
Inline = Literal["never", "code", "text"]
unrolled = numba.literal_unroll  # for loops of kernels over tuples of unlike arrays

_WAYS: dict[str, dict[str, Any]] = {
    "never": {},
    "code": {"forceinline": True},
    "text": {"inline": "always"},
}
_MADE: dict[
    tuple[Any, ...], Callable[..., Any]
] = {}  # kernels with something closed over


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(
    *, inline: Inline = "never", nogil: bool = False
) -> Callable[[Function], Function]: ...


def kernel(
    function: Any = None, *, inline: Inline = "never", nogil: bool = False
) -> Any:
    """Compile a function on first use; division by zero gives inf or NaN as in NumPy.

    Args:
        function: undecorated; what it closes over must be hashable: kernels, numbers,
            NamedTuples of these.
        inline: how callers take it: "never" as a call, "code" as machine code without a
            call (for what is short and called often), "text" as source (for what does
            little but call others; it saves compiling it first).
        nogil: let other threads run meanwhile; only worth it for calls that take long.
    """
    if function is None:
        return lambda decorated: _made(decorated, inline, nogil)
    return _made(function, inline, nogil)


def _made(function: Any, inline: Inline, nogil: bool) -> Any:
    if numba.config.DISABLE_JIT:
        return function
    options = {**_WAYS[inline], **({"nogil": True} if nogil else {})}
    closed = closed_over(function)
    if not closed:
        return _compiled(function, code_hash(function.__module__), "kernels", options)
    if any(isinstance(value, FunctionType) for value in closed.values()):
        return function
    taken = [f"{name}:{sources_of(value)}" for name, value in closed.items()]
    sources = digest([sources_of(function), repr(options), *taken])
    made = (sources, *closed.values())
    if made not in _MADE:
        function.__dict__["sources"] = sources
        _MADE[made] = _compiled(function, sources, "closures", options)
    return _MADE[made]


def generated_kernel(function: Function) -> Function:
    """Compile a function of a generated module, as code without a call.

    Its cache lies beside the module.
    """
    if numba.config.DISABLE_JIT:
        return function
    path = Path(function.__code__.co_filename)
    function.__dict__["sources"] = digest([path.read_text(encoding="utf-8")])
    return cast(Function, _dispatcher(function, path.parent, _WAYS["code"]))


def _compiled(function: Any, sources: str, folder: str, options: dict[str, Any]) -> Any:
    # two programs never share a symbol, whichever process compiled them
    function.__qualname__ += f"_{sources}"
    return _dispatcher(function, cache_folder(folder, sources), options)


def _dispatcher(function: Any, folder: Path, options: dict[str, Any]) -> Any:
    options = {"error_model": "numpy", **options}
    place = folder, sources_of(function)
    if KNOWN_COMPILER:
        from biped_slip.compile.numba_parts import KernelDispatcher

        return KernelDispatcher(function, options, *place)
    say(
        f"numba {numba.__version__} is not a version that this release knows (0.68): "
        "kernels compile by numba's own way, which takes longer at the first use"
    )
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function, *place)
    return dispatcher


def closed_over(function: Any) -> dict[str, Any]:
    """List the free variables of a function by name."""
    cells = function.__closure__ or ()
    return {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True)
    }


def without_dispatch(function: Callable[..., Any], *example: Any) -> Callable[..., Any]:
    """Compile a function for arguments of the example's types alone.

    Their look-up at each call is left out.

    The look-up costs microseconds per NamedTuple. Whoever calls the result answers for
    the types. A plain Python function comes back as it is; neither is called here.
    """
    if not hasattr(function, "get_compile_result"):
        return function
    types = tuple(numba.typeof(value) for value in example)
    function.compile(types)  # type: ignore[attr-defined]
    return function.overloads[types].entry_point  # type: ignore[attr-defined]


class OfOneType:
    """Function that is looked up in its first call.

    Later arguments of another type, rank or layout would be misread.
    """

    def __new__(cls, function: Callable[..., Any]) -> Any:
        """Make one of a kernel; a plain function needs no look-up and comes back."""
        if not hasattr(function, "get_compile_result"):
            return function
        return super().__new__(cls)

    def __init__(self, function: Callable[..., Any]) -> None:
        # not yet compiled
        self._function = function
        self._quick = cast(Any, None)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        self._quick = self._quick or without_dispatch(self._function, *arguments)
        return self._quick(*arguments)


def sources_of(value: Any) -> str:
    """Name a function by the hash of its sources, a plain value by its text.

    Two functions have two names, even where the same sources are behind both.
    """
    function = getattr(value, "py_func", value)
    if isinstance(function, tuple):
        return f"{type(function).__name__}({', '.join(map(sources_of, function))})"
    if not isinstance(function, FunctionType):
        return repr(value)
    code = function.__code__
    behind = function.__dict__.get("sources") or code_hash(function.__module__)
    constants = [
        constant for constant in code.co_consts if not isinstance(constant, CodeType)
    ]
    place = f"{function.__module__}.{function.__qualname__}:{code.co_firstlineno}"
    return digest([place, code.co_code.hex(), repr(constants), behind])


@structref.register
class _HeldType(types.StructRef):  # type: ignore[misc, name-defined]
    """Type of held values for the compiler."""


class Held(structref.StructRefProxy):  # type: ignore[misc]
    """Value that kernels read and replace.

    On its way from Python an array costs 0.2 us, a record 3 us back.
    """

    @property
    def value(self) -> Any:
        """Return the value."""
        return _read(self)


structref.define_proxy(Held, _HeldType, ["value"])


@kernel
def _hold(value: Any) -> Any:
    return Held(value)


@kernel
def _read(held: Any) -> Any:
    return held.value


@kernel
def put(held: Any, value: Any) -> None:
    """Replace a held value by one of its type."""
    held.value = value


def hold(value: Any, compiled: bool = not numba.config.DISABLE_JIT) -> Any:
    """Hold a value for kernels, which find it as ``held.value``.

    For plain Python functions it is not ``compiled``.
    """
    return _hold(value) if compiled else SimpleNamespace(value=value)


class Recursion:
    """Kernel ``(state, settings, inputs) -> (state, output)`` called with inputs alone.

    The inputs are a tuple.

    It begins with ``restart``. Whoever calls answers for the types of the inputs, which
    are those of the first ones. Other kernels may call its own: ``kernel(held,
    settings, inputs)``.
    """

    def __init__(self, step: Callable[..., Any], settings: Any) -> None:
        @kernel
        def in_place(held: Any, settings: Any, inputs: Any) -> Any:
            held.value, output = step(held.value, settings.value, inputs)
            return output

        self.kernel = in_place
        self._compiled = hasattr(step, "get_compile_result")
        self._step = OfOneType(in_place)
        self.settings = hold(settings, self._compiled)

    def restart(self, state: Any) -> None:
        """Replace the state, which is ``held.value``."""
        self.held = hold(state, self._compiled)

    def __call__(self, inputs: tuple[Any, ...]) -> Any:
        """Compute the next state; return the output."""
        return self._step(self.held, self.settings, inputs)
