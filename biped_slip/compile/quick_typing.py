# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Two shortcuts of numba's type inference, worth a fifth of the time to compile.

They stand in the place of functions of numba's and would serve all that is compiled in
the process, so they are taken in processes of this package alone (``own_process``:
commands, nodes, workers, tests), under numba's lock, while one of our kernels is
compiled; then numba's functions are back. What is compiled is the same either way, but
for the sentence about an array of a wrong shape.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import overload
from numba.np import arrayobj

from biped_slip.compile import own_process

FUNCTION: Any = types.functions.BaseFunction
NUMBAS_CALL_TYPE = FUNCTION.get_call_type
_FOUND: dict[tuple[Any, ...], Any] = {}  # signatures of operators on numbers


def _call_type_once(
    self: Any, context: Any, args: tuple[Any, ...], keywords: Any
) -> Any:
    """Look an operator on numbers up once.

    By itself numba tries all its templates, arrays' too, at each place in the text.
    """
    key = self, context, tuple(args)
    signature = None if keywords else _FOUND.get(key)
    if signature is None:
        signature = NUMBAS_CALL_TYPE(self, context, args, keywords)
        scalar = not keywords and all(
            isinstance(kind, (types.Number, types.Boolean)) for kind in args
        )
        # no overload
        if (
            scalar
            and signature is not None
            and self._impl_keys.get(signature.args) is self.typing_key
        ):
            _FOUND[key] = signature
    return signature


def _shapes_differ(source: Any, target: Any) -> None:
    """Replace what numba calls when an array does not fit.

    It does not fit the part of another that it is assigned to.
    """


@overload(_shapes_differ)  # type: ignore[untyped-decorator]
def _raise_shapes_differ(source: Any, target: Any) -> Any:
    """Raise without the shapes.

    Their text, compiled anew for each kernel, takes a tenth of compile time.
    """

    def fail(source: Any, target: Any) -> None:
        raise ValueError("an array of another shape is assigned to a part of an array")

    return fail


@contextmanager
def quick_typing() -> Iterator[None]:
    """Take the shortcuts while the context lasts, in processes of this package."""
    if not own_process.is_own():
        yield
        return
    with global_compiler_lock:
        before = FUNCTION.get_call_type, arrayobj.raise_with_shape_context
        FUNCTION.get_call_type = _call_type_once
        arrayobj.raise_with_shape_context = _shapes_differ
        try:
            yield
        finally:
            FUNCTION.get_call_type, arrayobj.raise_with_shape_context = before
