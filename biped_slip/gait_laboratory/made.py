# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How a table or a page came to be: version, command, date and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

MADE_FILE = "made.json"  # beside the tables of a study


class Made(NamedTuple):
    """What must be known to make the same results again."""

    version: str  # of this package
    command: str
    date: str  # ISO 8601
    settings: dict[str, Any]  # rules of steps and slips, by name

    @property
    def words(self) -> str:
        """Return one line for the foot of a page."""
        return f"biped_slip {self.version}, {self.date}: {self.command}"

    @property
    def changed(self) -> str:
        """Return the settings as one line of JSON."""
        return json.dumps(self.settings, default=str)

    @property
    def rules(self) -> str:
        """Return the settings as a sentence for a reader."""
        groups = (f"{name}: {_listed(value)}." for name, value in self.settings.items())
        return " ".join(("In SI units.", *groups))


def _listed(value: Any) -> str:
    """Write a setting, or a group of them, without brackets."""
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{name} {one}" for name, one in value.items())


def write_made(path: Path, made: Made) -> None:
    """Write it as JSON."""
    path.write_text(json.dumps(made._asdict(), indent=1, default=str) + "\n")
