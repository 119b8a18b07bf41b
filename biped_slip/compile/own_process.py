# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether this process is one of the package's own, or somebody else's program.

Commands, nodes, workers of campaigns and tests say so as they begin; there the compiler
may be sped up in ways that whoever only imports the package must not find in his.
"""

from __future__ import annotations

_own = False


def begin() -> None:
    """Say that everything in this process is run by the package."""
    global _own
    _own = True


def is_own() -> bool:
    """Return whether the process is one of the package's own."""
    return _own
