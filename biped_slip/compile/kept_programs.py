# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""numba's cache on disk, one checked file a program.

numba keeps an index of numbered files. Two processes that write at once, or a copy made meanwhile, leave an index that
names another program's file, and a cut file ends every start. Here each program's file has a name of its own and says
which program it is; whatever is wrong with it, the program is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.serialize import dumps

from biped_slip.compile.kept_files import keep, kept, say


class FolderLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """The folder that is set while a function is decorated, and no other, even if it can't be written."""

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """Where a function's code is kept."""
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        """Make the folder where that is possible."""
        with contextlib.suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)


class ProgramsInFiles(CompileResultCacheImpl):  # type: ignore[misc]
    """How programs become bytes, and where these go."""

    _locator_classes = [FolderLocator]  # noqa: RUF012 (numba's own name and type)


class KeptPrograms:
    """What numba asks of an index with its data files.

    Args:
        folder: for the files.
        name: of the function, as part of a file's name.
        stamp: of its sources.
    """

    def __init__(self, folder: str, name: str, stamp: Any) -> None:
        self._folder, self._name, self._stamp = Path(folder), name, stamp

    def path(self, key: Any) -> Path:
        """File of one program."""
        told = hashlib.sha256(repr((key, self._stamp)).encode()).hexdigest()[:16]
        return self._folder / f"{self._name}.{told}.code"

    def load(self, key: Any) -> Any | None:
        """A program; None where it has to be compiled."""
        path = self.path(key)
        content = kept(path)
        if content is None:
            return None
        try:
            version, stamp, its_key, program = pickle.loads(content)
        except Exception as error:  # of another version of anything
            say(f"{path} can't be understood ({type(error).__name__}: {error}); it is made again")
            return None
        return program if (version, stamp, its_key) == (numba.__version__, self._stamp, key) else None

    def save(self, key: Any, program: Any) -> None:
        """Keep a program where that is possible."""
        keep(self.path(key), dumps((numba.__version__, self._stamp, key, program)))

    def flush(self) -> None:
        """Forget all programs of this function."""
        for path in self._folder.glob(f"{self._name}.*.code"):
            with contextlib.suppress(OSError):
                path.unlink()


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """A function's cache that never fails: what can't be loaded is compiled, what can't be saved stays in memory."""

    _impl_class = ProgramsInFiles

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp, name = self._impl.locator.get_source_stamp(), self._impl.filename_base
        self._cache_file = KeptPrograms(self._cache_path, name, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A program from its file; None: compile it."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # of the loader of machine code
            say(f"cached code of {self._name} can't be loaded ({type(error).__name__}: {error}); it is made again")
            return None
