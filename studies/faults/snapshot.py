# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and controllers as they were at an instant, put back in place.

A thousand faults share one walk to that instant.

What objects of ours hold is kept: numbers, arrays, containers, random generators. What
they compute with (compiled functions, models of other libraries) has no memory from
tick to tick and stays as it is.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Iterable

import numpy as np
from rclpy.node import Node

from biped_slip.compile.kernel import Recursion
from biped_slip.config import Configuration

Restore = Callable[[], None]
OURS = ("biped_slip", "studies")


def snapshot(*roots: object) -> Restore:
    """Save what is reachable from some objects now.

    Calling the result restores it, as often as wanted.
    """
    seen: dict[int, object] = {}  # holds them alive, so that no id is used again
    todo = list(roots)
    restores = list[Restore]()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        inside, restore = _kept(one)
        todo += inside
        if restore is not None:
            restores.append(restore)

    def put_back() -> None:
        for each in restores:
            each()

    return put_back


def _kept(one: Any) -> tuple[Iterable[object], Restore | None]:
    """Return what an object refers to, and how its own content is restored.

    The latter is None where the object can't change.
    """
    if isinstance(one, np.ndarray):
        return (), _array(one, one.copy()) if one.flags.writeable else None
    if isinstance(one, np.random.Generator):
        return (), _attribute(one.bit_generator, "state", one.bit_generator.state)
    if isinstance(one, Recursion):  # compiled code may have replaced what it holds
        return (state := one.held.value,), lambda: one.restart(state)
    if isinstance(one, tuple):
        return one, None
    if isinstance(one, dict):
        return (*one.values(),), _refilled(one, dict(one), one.update)
    if isinstance(one, (list, deque)):
        return list(one), _refilled(one, list(one), one.extend)
    if isinstance(one, set):
        return (), _refilled(one, set(one), one.update)
    if (bound := getattr(one, "__self__", None)) is not None and _ours(bound):
        return (bound,), None
    if _ours(one) and hasattr(one, "__dict__"):
        return (one.__dict__,), None
    return (), None


def _ours(one: object) -> bool:
    if isinstance(one, (type, Configuration, Node)):
        return False
    return type(one).__module__.partition(".")[0] in OURS


def _array(array: Any, values: Any) -> Restore:
    def restore() -> None:
        array[...] = values

    return restore


def _attribute(one: object, name: str, value: object) -> Restore:
    return lambda: setattr(one, name, value)


def _refilled(one: Any, content: Any, fill: Callable[[Any], object]) -> Restore:
    def restore() -> None:
        one.clear()
        fill(content)

    return restore
