# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Cache of compiled and generated code between processes, and its keys.

A process may be killed while it writes, two may write at once, and code that another
user can write must not be run. So every file ends with the hash of its content, is
moved into place whole, and is only read if it is a regular file, its owner is this user
or root and no other user may write to it. What root compiles everybody may read: where
a cache can't be written, what it has is read, and new code is kept elsewhere.

A key is a hash of the sources that a module may call, not of their place or age: a
second checkout of the same sources finds everything compiled.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable

import numba
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.types import BaseTuple  # type: ignore[attr-defined]

#: Whether :mod:`biped_slip.compile.numba_parts` supports this numba; any other compiles
#: as ever, only longer.
KNOWN_COMPILER = numba.__version__.startswith("0.68.")
PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parent.parent
_IMPORT = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+({PACKAGE}[\w.]*)(?:[ \t]+import[ "
    r"\t]+(\([^)]*\)|[^#\n]*))?",
    re.MULTILINE,
)


def digest(texts: Iterable[str]) -> str:
    """Hash texts (hex, 12 characters)."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


@functools.cache
def code_hash(module: str) -> str:
    """Hash the sources that a compiled function of a module may call.

    A module from outside may call anything here, so its hash is that of the whole
    package and its own text. The layout of what a function is given, whose class may
    stand elsewhere, is part of the cache's key (:func:`layouts`); with a compiler that
    is not known the whole package is hashed.
    """
    if module.partition(".")[0] != PACKAGE or not KNOWN_COMPILER:
        return digest([numba.__version__, *map(_text, _files()), *_own_text(module)])
    return digest([numba.__version__, sources_hash(module)])


@functools.cache
def sources_hash(module: str) -> str:
    """Hash a module of this package and all that it imports from it."""
    reached = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= _imports(name) - reached
    return digest(_text(path) for path in map(_file, sorted(reached)) if path)


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """List the modules of this package that a module names in an import.

    Imports at any depth of its text count.
    """
    path = _file(module)
    names = set()
    for source, imported in _IMPORT.findall(_text(path) if path else ""):
        # its face re-exports everything, and kernels take nothing from there
        if source != PACKAGE:
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
    return next(
        (
            path
            for path in (below.with_suffix(".py"), below / "__init__.py")
            if path.is_file()
        ),
        None,
    )


@functools.cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(_ROOT.rglob("*.py")))


_HASH = hashlib.sha256().digest_size
_OTHERS = 0o022  # group and others may write
_LOG = logging.getLogger("biped_slip")
_SAID: set[str] = set()
PART = "part-"  # begins the name of a file with a part of a program
_FIRST_USE = (
    "compiling what has not run before, once; `biped-slip compile --all` does it ahead"
)
_INSTEAD: dict[str, Path] = {}  # folders in place of those that can't be written
_BEHIND: dict[Path, Path] = {}  # those which are still read, by the ones in their place


def say(sentence: str) -> None:
    """Report a sentence on standard error (or the log), once per process and kernel."""
    about = sentence.replace(PART, "")
    if about not in _SAID:
        _SAID.add(about)
        _LOG.warning(sentence)


def say_first_use() -> None:
    """Report that the caller waits for compilation."""
    say(_FIRST_USE)


def hush_first_use() -> None:
    """Suppress the report of first use, in processes whose purpose is compilation."""
    _SAID.add(_FIRST_USE)


def kept_place(path: Path) -> Path | None:
    """Return where a cached file lies, if it is there and safe to use.

    It may be in a folder that this process only reads.
    """
    places = [path]
    places += [
        base / path.relative_to(own)
        for own, base in _BEHIND.items()
        if path.is_relative_to(own)
    ]
    return next((place for place in places if _content(place) is not None), None)


def kept(path: Path) -> bytes | None:
    """Read a cached file; None if it is missing or not safe to use."""
    content = _content(path)
    if content is None and _BEHIND and (place := kept_place(path)) is not None:
        return _content(place)
    return content


def _content(path: Path) -> bytes | None:
    try:
        # one that is a pipe would be waited for
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise OSError("it is no regular file")
            believed = about.st_uid in (os.geteuid(), 0) and not about.st_mode & _OTHERS
            raw = file.read() if believed else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        say(f"{path} can't be read ({error.strerror or error}); it is made again")
        return None
    if not believed:
        say(
            f"{path} belongs to another user or can be written by others; it is made "
            "again"
        )
        return None
    content = raw[:-_HASH]
    checksum = raw[-_HASH:]
    if len(checksum) < _HASH or hashlib.sha256(content).digest() != checksum:
        say(f"{path} is damaged; it is made again")
        return None
    return content


def keep(path: Path, content: bytes) -> bool:
    """Write a cached file atomically; return whether that was possible."""
    try:
        _make(path.parent)
        # for this user alone
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content + hashlib.sha256(content).digest())
                if os.geteuid() == 0:
                    os.fchmod(file.fileno(), 0o644)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        say(
            f"{path.parent} can't be written ({error.strerror or error}); compiled "
            "code is kept in memory alone"
        )
        return False
    return True


def usable_folder(base: Path) -> Path:
    """Return a folder for code that this user alone can write to.

    Where that can't be had it is another one: the user's own if there is a folder at
    all, which is still read; otherwise one for this process alone.
    """
    if str(base) in _INSTEAD:
        return _INSTEAD[str(base)]
    why = _refusal(base)
    if not why:
        return base
    made = _own_folder(base)
    what = "what can be read there is, new code is kept in"
    if made is None:
        made = Path(tempfile.mkdtemp(prefix="biped_slip_"))
        what = "everything is compiled for this process alone, in"
        _remove_at_exit(made)
    say(f"the code cache {base} can't be used ({why}); {what} {made}")
    _INSTEAD[str(base)] = made
    if _readable(base):
        _BEHIND[made] = base
    return made


def _readable(folder: Path) -> bool:
    """Return whether what this user or root has kept in a folder can be read."""
    return (
        folder.is_dir()
        and folder.stat().st_uid in (os.geteuid(), 0)
        and os.access(folder, os.R_OK | os.X_OK)
    )


def _refusal(folder: Path) -> str:
    """Say why this user can't keep code in a folder; empty: he can."""
    try:
        _make(folder)
        about = folder.stat()
        if about.st_mode & _OTHERS and about.st_uid == os.geteuid():
            folder.chmod(about.st_mode & 0o755)
            about = folder.stat()
    except OSError as error:
        return error.strerror or str(error)
    if about.st_uid not in (os.geteuid(), 0) or about.st_mode & _OTHERS:
        return "it belongs to another user or can be written by others"
    return "" if os.access(folder, os.W_OK | os.X_OK) else "it can't be written"


def _own_folder(base: Path) -> Path | None:
    """Return the user's own folder in place of one that is there."""
    if not base.is_dir():
        return None
    usual = _user_folder()
    if usual == base:
        usual = usual.with_name(f"{usual.name}-own")
    return None if _refusal(usual) else usual


def _make(folder: Path) -> None:
    """Make a folder: for this user alone, but what root compiles others may read."""
    folder.mkdir(
        parents=True, exist_ok=True, mode=0o755 if os.geteuid() == 0 else 0o700
    )


def _user_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home, "biped_slip")


def _remove_at_exit(folder: Path) -> None:
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)


def cache_folder(*parts: str) -> Path:
    """Return the folder for generated and compiled code.

    It lies below ``BIPED_SLIP_CACHE`` or the user's cache folder.
    """
    base = os.environ.get("BIPED_SLIP_CACHE")
    return usable_folder(Path(base) if base else _user_folder()).joinpath(*parts)


def layouts(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """List the field names of all NamedTuples among types, at any depth.

    Machine code takes fields by position; two classes whose fields have the same types
    in another order are one type to numba.
    """
    return tuple(
        (getattr(kind, "fields", ()), layouts(kind.types))
        for kind in kinds
        if isinstance(kind, BaseTuple)
    )


class KernelCache:
    """Compiled forms of one function, a file for the types of its arguments.

    This is what numba asks of a cache on disk.

    numba's own keeps an index of numbered files: two processes that write at once leave
    one that names another program's file, and a cut file ends every start. Here each
    file names its content, and nothing ever fails: what can't be loaded is compiled,
    what can't be saved stays in memory.

    Args:
        function: that is compiled.
        folder: for the files, named after all sources behind it.
        sources: hash of the function itself, and of these.

    Attributes:
        function: its name, part of the files' names.
    """

    kind = ""

    def __init__(self, function: Any, folder: Path, sources: str) -> None:
        self.cache_path = str(folder)
        self._sources = sources
        self.function = f"{self.kind}{function.__qualname__}".replace("<locals>", "")

    def reduce(self, result: Any) -> Any:
        """Reduce a compiled function to its stored form."""
        return result._reduce()

    def rebuild(self, context: Any, payload: Any) -> Any:
        """Rebuild a compiled function from its stored form."""
        return CompileResult._rebuild(context, *payload)

    def path(self, key: Any) -> Path:
        """Return the file of one compiled form."""
        key_hash = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return Path(self.cache_path) / f"{self.function}.{key_hash}.code"

    def load_overload(self, sig: Any, context: Any) -> Any:
        """Load a compiled form from its file; None: compile it."""
        context.refresh()
        key = self._key(sig, context)
        path = self.path(key)
        content = kept(path)
        if content is None:
            return None
        try:
            its_key, payload = pickle.loads(content)
            return self.rebuild(context, payload) if its_key == key else None
        # it was made for the class of a plug-in's file in another place
        except ImportError:
            return None
        except (
            Exception
        ) as error:  # of another version of anything, or of the loader of machine code
            say(
                f"{path} can't be loaded ({type(error).__name__}: {error}); it is "
                "made again"
            )
            return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Save a compiled form unless it holds addresses of this process."""
        if not result.library.has_dynamic_globals:
            key = self._key(sig, result.target_context)
            keep(self.path(key), dumps((key, self.reduce(result))))

    def flush(self) -> None:
        """Delete all compiled forms of this function."""
        for path in Path(self.cache_path).glob(f"{self.function}.*.code"):
            with contextlib.suppress(OSError):
                path.unlink()

    def _key(self, sig: Any, context: Any) -> Any:
        return sig, context.codegen().magic_tuple(), self._sources, layouts(sig)
