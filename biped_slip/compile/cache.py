# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where compiled and generated code is kept between processes, and the key by which numba finds it again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, Iterable

from numba.core.caching import FunctionCache
from numba.core.types import BaseTuple  # type: ignore[attr-defined]

from biped_slip.compile.kept_files import usable_folder
from biped_slip.compile.kept_programs import CheckedCache

#: Whether numba looks for a function's code by a method that can be replaced; a private part, the same since 0.30.
CACHED = hasattr(FunctionCache, "_index_key")


def cache_folder(*parts: str) -> Path:
    """Folder for generated and compiled code below ``BIPED_SLIP_CACHE`` or the user's cache folder."""
    base = os.environ.get("BIPED_SLIP_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "biped_slip"
    )
    return usable_folder(Path(base)).joinpath(*parts)


def layouts(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Names of the fields of all NamedTuples among types, at any depth.

    Machine code takes fields by position; two classes whose fields have the same types in another order are one type
    to numba.
    """
    return tuple((getattr(kind, "fields", ()), layouts(kind.types)) for kind in kinds if isinstance(kind, BaseTuple))


class SourceCache(CheckedCache):
    """Code of one function in a folder that is named after all sources behind it.

    numba's own key pickles what a function closes over, and a compiled function pickles differently in every process.
    The folder's name says it already. Code for one layout of the arguments is never served for another.
    """

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        text = hashlib.sha256(self._py_func.__code__.co_code).hexdigest()
        return sig, codegen.magic_tuple(), text, layouts(sig)
