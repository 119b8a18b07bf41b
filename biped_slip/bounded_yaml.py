# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""YAML without bombs: what a text says is counted, aliases written out, before anything is made of it."""

from __future__ import annotations

from typing import Any

import yaml

LONGEST = 10_000_000  # characters
MOST_NODES = 1_000_000  # with aliases written out
DEEPEST = 100


class TooMuch(yaml.YAMLError):
    """A text that says more than a configuration does."""


def load(text: str) -> Any:
    """What a text says.

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
