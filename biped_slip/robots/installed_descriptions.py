# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions in installed packages, by name; nothing is ever fetched.

``example-robot-data`` ships files, ``robot_descriptions`` modules that name files of a
repository, which count where it has been cloned already, and a package
``mujoco_menagerie`` folders of MJCF.
"""

from __future__ import annotations

import builtins
import importlib.util
import os
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator

from biped_slip.errors import BipedSlipError, UnknownName

EXAMPLES = "example-robot-data"
_EXAMPLES_FOLDER = "cmeel.prefix/share/example-robot-data/robots"
DESCRIPTION_MODULES = "robot_descriptions"
MENAGERIE = "mujoco_menagerie"
PACKAGES = (EXAMPLES, DESCRIPTION_MODULES, MENAGERIE)
#: Endings of the examples' folders, which their robots' names lack.
_ENDINGS = ("_description", "_data")


def package_file(package: str, rest: str) -> Path:
    """Return the path of a file in an installed package.

    Raises:
        BipedSlipError: the package is not installed.
    """
    if package == EXAMPLES:
        folder = _examples()
        if folder is None:
            raise BipedSlipError(
                f"{package}:{rest}: needs the extra 'humanoids' (pip install "
                "'.[humanoids]' in the checkout)"
            )
        return folder / rest
    folder = _package_folder(package)
    if folder is None:
        raise BipedSlipError(
            f"{package}:{rest}: no package {package!r} is installed; install it, or "
            "give the path of the file"
        )
    return folder / rest


def installed_description(name: str) -> str:
    """Return the source of a robot's description by its name.

    Raises:
        UnknownName: no installed package has it.
        BipedSlipError: a package knows it, but its file is not here.
    """
    for source in (_example, _menagerie, _module):
        found = source(name)
        if found is not None:
            return found
    raise UnknownName("robot", name, list(PACKAGES))


def _package_folder(package: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None


# Files of example-robot-data.


def _examples() -> Path | None:
    try:
        found = metadata.distribution(EXAMPLES).locate_file(_EXAMPLES_FOLDER)
    except metadata.PackageNotFoundError:
        return None
    return Path(str(found))


def _example_files() -> Iterator[tuple[str, str, Path]]:
    """Yield name of robot, name of file, and path in the examples' folder."""
    folder = _examples()
    if folder is None or not folder.is_dir():
        return
    for path in sorted(folder.glob("*/*/*.urdf")):
        inside = path.relative_to(folder)
        robot = inside.parts[0]
        for ending in _ENDINGS:
            robot = robot.removesuffix(ending)
        yield robot, path.stem, inside


def _example(name: str) -> str | None:
    files = list(_example_files())
    exact = [path for _, file, path in files if file == name]
    of_robot = [path for robot, _, path in files if robot == name]
    # of several files, the one with the shortest name is the whole robot
    found = exact or sorted(of_robot, key=lambda path: (len(path.stem), path.stem))
    return f"{EXAMPLES}:{found[0].as_posix()}" if found else None


# Folders of a package mujoco_menagerie.


def _menagerie(name: str) -> str | None:
    folder = _package_folder(MENAGERIE)
    files = [] if folder is None else sorted((folder / name).glob("*.xml"))
    robots = [path for path in files if not path.stem.startswith("scene")]
    whole = sorted(robots, key=lambda path: (len(path.stem), path.stem))
    return str(whole[0]) if whole else None


# Modules of robot_descriptions.


def _module(name: str) -> str | None:
    for ending in ("", "_description", "_mj_description"):
        found = _module_source(f"{name}{ending}")
        if found is not None:
            return found
    return None


def _module_source(name: str) -> str | None:
    folder = _package_folder(DESCRIPTION_MODULES)
    if folder is None or not name.endswith("_description"):
        return None
    path = folder / f"{name}.py"
    if not path.is_file():
        return None
    paths = _module_paths(path)
    found = paths.get("URDF_PATH", paths.get("MJCF_PATH", paths.get("XACRO_PATH")))
    if found is None or not Path(found).is_file():
        raise BipedSlipError(
            f"{name}: {DESCRIPTION_MODULES} knows it, but its files are not here and "
            "nothing is fetched; fetch them with "
            f"`python -m {DESCRIPTION_MODULES} pull {name}`"
        )
    return str(found)


def _module_paths(path: Path) -> dict[str, Any]:
    """Run a module of paths with a look-up in the cache in place of a clone."""
    cache = Path(
        os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    ).expanduser()

    def cached(name: str, commit: str | None = None) -> str:
        return str(
            cache / name if commit is None else cache / f"{name}-{commit}" / name
        )

    def imported(name: str, *rest: Any) -> Any:
        if name == "_cache":
            return SimpleNamespace(clone_to_cache=cached)
        return builtins.__import__(name, *rest)

    names: dict[str, Any] = {
        "__builtins__": {**vars(builtins), "__import__": imported},
        "__name__": f"{DESCRIPTION_MODULES}.{path.stem}",
        "__package__": DESCRIPTION_MODULES,
    }
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names
