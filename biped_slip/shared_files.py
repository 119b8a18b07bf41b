# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Files shipped beside the code: robot descriptions, scenarios, recording layouts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from biped_slip.errors import BipedSlipError


@lru_cache(maxsize=1)
def shared_folder() -> Path:
    """Return the folder that holds ``config`` and ``urdf``.

    It is the checkout, or the share folder of an installation.
    """
    checkout = Path(__file__).parents[1]
    if (checkout / "urdf").is_dir():
        return checkout
    for parent in Path(__file__).parents:
        installed = parent / "share" / "biped_slip"
        if installed.is_dir():
            return installed
    raise BipedSlipError(
        "the share folder of biped_slip is missing; reinstall the package"
    )


def shared_file(name: str) -> Path:
    """Return a file's path by its name below the shared folder.

    Such a name is ``urdf/planar_biped.urdf``.
    """
    path = shared_folder() / name
    if not path.is_file():
        raise BipedSlipError(f"{path}: missing; reinstall the package")
    return path


def shared_names(folder: str) -> list[str]:
    """List the names, without ending, of the YAML files in a shared folder."""
    return sorted(path.stem for path in (shared_folder() / folder).glob("*.yaml"))
