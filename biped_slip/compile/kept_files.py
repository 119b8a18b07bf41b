# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Files of the code cache: what is read back is whole, ours, and what was written; anything else is made again.

A process may be killed while it writes, two may write at once, a folder may be copied meanwhile, and code that somebody
else can write must not be run. So every file ends with the hash of its content, comes into place at once or not at all,
and is only read if its owner is this user or root and nobody else may write to it.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
from pathlib import Path

_HASH = hashlib.sha256().digest_size
_OTHERS = 0o022  # group and others may write
_LOG = logging.getLogger("biped_slip")
_SAID: set[str] = set()
_INSTEAD: dict[str, Path] = {}  # folders for this process alone


def say(sentence: str) -> None:
    """One sentence on standard error (or where logging goes), once a process."""
    if sentence not in _SAID:
        _SAID.add(sentence)
        _LOG.warning(sentence)


def kept(path: Path) -> bytes | None:
    """Content of a file; None where there is none, or none that can be believed."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            believed = about.st_uid in (os.geteuid(), 0) and not about.st_mode & _OTHERS
            raw = file.read() if believed else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        say(f"{path} can't be read ({error.strerror or error}); it is made again")
        return None
    if not believed:
        say(f"{path} belongs to somebody else or can be written by others; it is made again")
        return None
    content, told = raw[:-_HASH], raw[-_HASH:]
    if len(told) < _HASH or hashlib.sha256(content).digest() != told:
        say(f"{path} is damaged; it is made again")
        return None
    return content


def keep(path: Path, content: bytes) -> bool:
    """Write a file at once or not at all; answers whether that was possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")  # for nobody else
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content + hashlib.sha256(content).digest())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        say(f"{path.parent} can't be written ({error.strerror or error}); compiled code is kept in memory alone")
        return False
    return True


def usable_folder(base: Path) -> Path:
    """A folder for code that this user alone can write to; another one, for this process alone, where it is none."""
    if str(base) in _INSTEAD:
        return _INSTEAD[str(base)]
    try:
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        about = base.stat()
        if about.st_mode & _OTHERS and about.st_uid == os.geteuid():
            base.chmod(about.st_mode & 0o755)
            about = base.stat()
        why = "" if os.access(base, os.W_OK | os.X_OK) else "it can't be written"
        if about.st_uid not in (os.geteuid(), 0) or about.st_mode & _OTHERS:
            why = "it belongs to somebody else or can be written by others"
    except OSError as error:
        why = error.strerror or str(error)
    if not why:
        return base
    say(f"the code cache {base} can't be used ({why}); everything is compiled for this process alone")
    made = Path(tempfile.mkdtemp(prefix="biped_slip_"))
    _remove_at_exit(made)
    _INSTEAD[str(base)] = made
    return made


def _remove_at_exit(folder: Path) -> None:
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
