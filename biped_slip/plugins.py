# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Plug-ins: laws, estimators, policies, controllers, formats from outside the package.

A name is looked up in the registry, then among the installed entry points of its group,
then as a place: ``package.module:attribute`` or ``file.py:attribute``, a path from the
working directory. A file is imported once a process, under a name that spells its path,
so that its definitions reach worker processes and the code cache.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, TypeVar

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

Factory = TypeVar("Factory")
Base = TypeVar("Base")
Made = TypeVar("Made")
# begins the name of a module from a file; its path follows, in hexadecimal
FROM_FILE = "biped_slip_file_"


def entry_points(group: str) -> EntryPoints:
    """List the installed entry points of a group.

    What is installed is read once for each search path: it is a file for each package,
    and a study asks twice for each trial.
    """
    return _installed(group, tuple(sys.path))


@functools.lru_cache(maxsize=64)
def _installed(group: str, search_path: tuple[str, ...]) -> EntryPoints:
    from importlib import metadata  # a third of the time of `biped-slip --help`

    return metadata.entry_points(group=group)


def named(what: str, group: str, known: Mapping[str, Factory], name: str) -> Factory:
    """Look up the factory of a registered name, an entry point or FILE.py:NAME.

    Args:
        what: is looked for, in the words of the error.
        group: of entry points.
        known: the registry's own.
        name: as a person writes it.

    Raises:
        UnknownName: no registry has the name.
        BipedSlipError: what it points to can't be loaded.
    """
    if name in known:
        return known[name]
    found = {point.name: point for point in entry_points(group=group)}
    if name in found:
        return _loaded(what, name, found[name].load)
    place, colon, attribute = name.rpartition(":")
    if not colon or not attribute.isidentifier():
        raise UnknownName(what, name, [*known, *found, "MODULE:NAME", "FILE.py:NAME"])
    return _attribute(what, place, attribute)


def loaded(what: str, group: str, places: Mapping[str, str], name: str) -> Any:
    """Look up a name like :func:`named`, in a registry of import paths.

    Only the module of the chosen name is imported.

    Args:
        what: is looked for, in the words of the error.
        group: of entry points.
        places: the registry's own names, each with its ``package.module:attribute``.
        name: as a person writes it.

    Raises:
        UnknownName: no registry has the name.
        BipedSlipError: what it points to can't be loaded.
    """
    found = named(what, group, places, name)
    if name not in places:
        return found
    module, _, attribute = places[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def named_class(
    what: str, group: str, known: Mapping[str, type[Base]], name: str, base: type[Base]
) -> type[Base]:
    """Look up a name's class like :func:`named`, in a registry of ``base`` subclasses.

    Raises:
        UnknownName: no registry has the name.
        InvalidParameter: what the name points to is no such class.
    """
    found = named(what, group, known, name)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise InvalidParameter(what, name, f"a class that derives from {base.__name__}")
    return found


def complete(what: str, name: str, made: Made, kind: str, parts: Sequence[str]) -> Made:
    """Check that an object made by a plug-in has all the parts of its interface.

    Raises:
        InvalidParameter: it has not.
    """
    missing = [part for part in parts if not hasattr(made, part)]
    if missing:
        raise InvalidParameter(what, name, f"{kind}; it has no {', '.join(missing)}")
    return made


def names(group: str, known: Mapping[str, Any]) -> list[str]:
    """List the names of a registry, then those of installed entry points."""
    return [
        *known,
        *sorted({point.name for point in entry_points(group=group)} - set(known)),
    ]


def _loaded(what: str, name: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:  # whatever a foreign module does while it is imported
        raise BipedSlipError(
            f"{what} {name}: can't be loaded ({type(error).__name__}: {error})"
        ) from error


def _attribute(what: str, place: str, attribute: str) -> Any:
    def load() -> Any:
        name = (
            FROM_FILE + str(Path(place).resolve(strict=True)).encode().hex()
            if place.endswith(".py")
            else place
        )
        return importlib.import_module(name)

    module = _loaded(what, f"{place}:{attribute}", load)
    if not hasattr(module, attribute):
        raise UnknownName(
            f"{what} in {place}",
            attribute,
            [name for name in vars(module) if not name.startswith("_")],
        )
    return getattr(module, attribute)


class _FileModules:
    """Find modules from files by their names, in worker processes as well."""

    @staticmethod
    def find_spec(
        name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        """Return the module's place, if its name spells a path."""
        if not name.startswith(FROM_FILE):
            return None
        file = bytes.fromhex(name.removeprefix(FROM_FILE)).decode()
        return (
            importlib.util.spec_from_file_location(name, file)
            if Path(file).is_file()
            else None
        )


sys.meta_path.append(_FileModules)
