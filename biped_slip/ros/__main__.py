# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m biped_slip.ros NAME …``: run a node, or another module with a ``main``.

An interruption while it is still being loaded ends it quietly.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any


def _quietly(number: int, frame: Any) -> None:
    """Nothing is open yet; an exception could be taken for a failed import by a library that is being loaded."""
    os._exit(0)


def run(name: str) -> int:
    """Load the node's module, which takes a second, and run it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _quietly)
    return int(importlib.import_module(name if "." in name else f"biped_slip.ros.nodes.{name}").main())


def main() -> int:
    """Console script of every node: its own name says which."""
    return run(Path(sys.argv[0]).stem)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv.pop(1)))
