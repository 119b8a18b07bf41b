# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m biped_slip.ros NAME …``: run a node, or another module with a ``main``.

An interruption while it is still being loaded ends it quietly; what is typed wrong, or
a library that an extra would bring, is one sentence and exit code 2.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import signal
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, Sequence

from biped_slip.compile import own_process
from biped_slip.errors import BipedSlipError, missing_extra


def _quietly(number: int, frame: Any) -> None:
    """End on a signal while nothing is open yet.

    A library could take an exception for a failed import.
    """
    os._exit(0)


def node_names() -> list[str]:
    """List the modules of ``ros/nodes`` that run as a process.

    These are those with a node or a ``main``.
    """
    files = (Path(__file__).parent / "nodes").glob("*.py")
    runs = re.compile(r"^(class \w+Node\(|def main\()", re.MULTILINE)
    return sorted(
        file.stem for file in files if runs.search(file.read_text(encoding="utf-8"))
    )


def refusal(name: str, words: Sequence[str]) -> str:
    """Explain the error of a command line in one sentence; empty if there is none."""
    if "." not in name and name not in node_names():
        return f"no node {name!r}; there are {', '.join(node_names())}"
    for option, value in pairwise(words):
        if option == "--params-file" and not Path(value).is_file():
            return f"{name}: --params-file {value}: there is no such file"
    return ""


def help_of(name: str) -> str:
    """Return the ``--help`` text: the node's docstring and how parameters are given."""
    file = Path(__file__).parent / "nodes" / f"{name}.py"
    docstring = (
        ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        if file.is_file()
        else ""
    )
    return (
        f"{docstring}\n\npython -m biped_slip.ros {name} [--ros-args -p NAME:=VALUE "
        "--params-file FILE]\n"
        "Topics and parameters: docs/nodes.md; of a running node: ros2 param "
        f"describe /{name} NAME"
    )


def run(name: str) -> int:
    """Load a node's module and run it."""
    words = sys.argv[1:]
    # a module elsewhere has its own
    if "." not in name and {"-h", "--help"} & set(words):
        print(help_of(name))
        return 0
    if sentence := refusal(name, words):
        print(sentence, file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _quietly)
    # their threads spin between two calls: with a real-time priority they
    for library in (
        "OPENBLAS",
        "OMP",
        "MKL",
    ):
        # use up a core's 0.95 s of a second; all stands for 50 ms
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    own_process.begin()
    try:
        module = importlib.import_module(
            name if "." in name else f"biped_slip.ros.nodes.{name}"
        )
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            error = missing_extra(f"the node {name}", error)
        if not isinstance(error, BipedSlipError):
            raise
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    if hasattr(module, "main"):
        return int(module.main())
    from biped_slip.ros.robot_node import serve

    return serve(getattr(module, f"{name.title().replace('_', '')}Node"))


def main() -> int:
    """Run the node that has the name of this console script."""
    return run(Path(sys.argv[0]).stem)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(
            "python -m biped_slip.ros NAME [--ros-args ...]; NAME is one of "
            f"{', '.join(node_names())}"
        )
        raise SystemExit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    raise SystemExit(run(sys.argv.pop(1)))
