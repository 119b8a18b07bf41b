# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A file of JSON lines, one walk each, written as it ends: a campaign that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Mapping

from biped_slip.bounded_text import read_text
from biped_slip.errors import InvalidRecording

LARGEST = 1 << 30  # bytes


def key_of(*content: Any) -> str:
    """Names a walk by all that decides it (hex, 16 characters)."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


class LineFile:
    """Appends entries under keys and finds those that are there.

    Lines of other code or other scenarios stay in the file and are never found; a line cut short by a kill is skipped.

    Raises:
        InvalidRecording: the file can't be read, or is something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._found: dict[str, dict[str, Any]] = {}
        try:
            text = read_text(self.path, LARGEST) if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRecording(path, f"can't be read ({error})") from error
        self._cut = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
                raise InvalidRecording(path, "not a file of walks; give another name")
            self._found[entry["key"]] = entry

    def entry(self, key: str) -> dict[str, Any] | None:
        """What is in the file under a key."""
        return self._found.get(key)

    def append(self, key: str, entry: Mapping[str, Any], allow_nan: bool = False) -> None:
        """Write one entry; it is on the disk when this returns."""
        with self.path.open("a", encoding="utf-8") as file:
            line = json.dumps({"key": key, **entry}, allow_nan=allow_nan)
            file.write(("\n" if self._cut else "") + line + "\n")
        self._cut = False
