# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a user's texts may cost: regular files, no longer than such files are, and YAML without bombs.

A pipe without a writer would be waited for until the end of time, a device has no end, and a hole in a file costs
nothing to whoever made it and all memory to whoever reads it. What a YAML says is counted, aliases written out, before
anything is made of it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import yaml

LONGEST = 10_000_000  # characters of what people write, or bytes
MOST_NODES = 1_000_000  # with aliases written out
DEEPEST = 100


class TooMuch(yaml.YAMLError):
    """A text that says more than a configuration does."""


class NotRegular(OSError):
    """A path that is there and is nothing to read from."""


def check_regular(path: str | Path, most: int) -> None:
    """Look at a path before it is opened.

    Raises:
        OSError: it isn't there, is a folder, pipe or device, or has more than ``most`` bytes.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular("it is a pipe or a device and no regular file")
    if status.st_size > most:
        raise NotRegular(f"it is {status.st_size} bytes long, at most {most} are accepted")


def read_text(path: str | Path, most: int = LONGEST) -> str:
    """Text of a file in UTF-8, a byte-order mark left out.

    Raises:
        OSError: as of :func:`check_regular`, or it can't be read.
        UnicodeDecodeError: it is something else.
    """
    check_regular(path, most)
    return Path(path).read_text(encoding="utf-8-sig")


def load(text: str) -> Any:
    """What a text in YAML says.

    Raises:
        yaml.YAMLError: not YAML, or too much of it.
    """
    if len(text) > LONGEST:
        raise TooMuch(f"it is longer than {LONGEST} characters")
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _count(node, {}, 0)
        return loader.construct_document(node)
    except RecursionError:
        raise TooMuch(f"it is nested more than {DEEPEST} deep") from None
    finally:
        loader.dispose()


def _count(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """Nodes at and below one; those that are shared are counted each time."""
    if depth > DEEPEST:
        raise TooMuch(f"it is nested more than {DEEPEST} deep")
    if id(node) not in known:
        known[id(node)] = MOST_NODES  # of one that holds itself
        below: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            below = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            below = list(node.value)
        known[id(node)] = 1 + sum(_count(part, known, depth + 1) for part in below)
    if known[id(node)] > MOST_NODES:
        raise TooMuch(f"its aliases stand for more than {MOST_NODES} values")
    return known[id(node)]
