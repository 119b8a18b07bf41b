# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a registry does not know itself: an own law, estimator, policy, controller or format, from outside the package.

A name is looked for among the registry's own, then among the installed entry points of its group, and last it may say
where to look: ``package.module:attribute`` or ``file.py:attribute``.
"""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Mapping, TypeVar

from biped_slip.errors import BipedSlipError, UnknownName

Factory = TypeVar("Factory")


def named(what: str, group: str, known: Mapping[str, Factory], name: str) -> Factory:
    """The factory behind a name.

    Args:
        what: is looked for, in the words of the error.
        group: of entry points.
        known: the registry's own.
        name: as a person writes it.

    Raises:
        UnknownName: nobody knows the name.
        BipedSlipError: what it points to can't be loaded.
    """
    if name in known:
        return known[name]
    found = {point.name: point for point in entry_points(group=group)}
    if name in found:
        loaded: Factory = found[name].load()
        return loaded
    place, colon, attribute = name.rpartition(":")
    if not colon or not attribute.isidentifier():
        raise UnknownName(what, name, [*known, *found, "MODULE:NAME", "FILE.py:NAME"])
    return _attribute(what, place, attribute)


def _attribute(what: str, place: str, attribute: str) -> Any:
    try:
        module = _module_from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except Exception as error:  # whatever a foreign module does while it is imported
        raise BipedSlipError(
            f"{what} {place}:{attribute}: can't be loaded ({type(error).__name__}: {error})"
        ) from error
    if not hasattr(module, attribute):
        raise UnknownName(f"{what} in {place}", attribute, [name for name in vars(module) if not name.startswith("_")])
    return getattr(module, attribute)


def _module_from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
