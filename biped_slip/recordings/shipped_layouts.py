# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Layouts of recordings by name: those that come with the package need no path."""

from __future__ import annotations

from pathlib import Path

from biped_slip.errors import UnknownName
from biped_slip.shared_files import shared_file, shared_names

FOLDER = "config/recordings"


def layout_file(name: str | Path) -> Path:
    """The YAML of a layout: a path, or the name of one that comes with the package.

    Raises:
        UnknownName: neither.
    """
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml"):
        return path
    known = shared_names(FOLDER)
    if str(name) not in known:
        raise UnknownName("layout of recordings", str(name), [*known, "or a .yaml file"])
    return shared_file(f"{FOLDER}/{name}.yaml")
