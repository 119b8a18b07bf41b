# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Message classes by their names, as recordings and the graph of topics spell them."""

from __future__ import annotations

import importlib
from typing import Any


def message_class(kind: str) -> type[Any] | None:
    """The class of a type like ``geometry_msgs/msg/WrenchStamped``; None where its package isn't installed."""
    package, _, name = kind.replace("/msg/", "/").partition("/")
    try:
        found: type[Any] = getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        return None
    return found
