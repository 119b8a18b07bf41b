# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sample recordings: our own simulator's and real ones.

Our own simulator's are shipped; real ones come from their publishers and are compared
by hash.
"""

from __future__ import annotations

import hashlib
import os
import urllib.request
from pathlib import Path
from typing import NamedTuple

from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.shared_files import shared_file

CATALOGUE = "config/samples.yaml"
DOWNLOAD_PATIENCE = 30.0  # [s] for a publisher to answer
LARGEST_SAMPLE = 100_000_000  # bytes


class ShippedSample(NamedTuple):
    """Sample recording with its path and layout."""

    name: str
    what: str
    file: str = ""  # below the shared folder, of a shipped one
    url: str = ""  # of one that is fetched
    sha256: str = ""
    layout: str = (
        ""  # name of a shipped layout; empty where the format tells everything
    )
    licence: str = ""
    made_by: str = ""


def samples() -> dict[str, ShippedSample]:
    """List all samples by name."""
    return {
        name: ShippedSample(name, **entry)
        for name, entry in read_yaml(shared_file(CATALOGUE)).items()
    }


def sample_or_file(name: str, config: str | None = None) -> tuple[str, str | None]:
    """Return path and layout of a recording.

    The recording is a path as it is, or the name of a shipped sample.

    Raises:
        BipedSlipError: the name of a sample that has to be fetched first.
    """
    if Path(name).exists() or name not in samples():
        return name, config
    sample = samples()[name]
    if not sample.file:
        raise BipedSlipError(
            f"{name}: is not shipped; `biped-slip samples --fetch {name}` brings it"
        )
    return str(shared_file(sample.file)), config or sample.layout


def fetch(name: str, folder: str | Path = ".") -> Path:
    """Fetch a sample from its publisher into a folder.

    Nothing is fetched where a file with its hash is there.

    Raises:
        UnknownName: no such sample.
        BipedSlipError: no answer, or another content than expected.
    """
    known = {sample.name: sample for sample in samples().values() if sample.url}
    if name not in known:
        raise UnknownName("sample to fetch", name, list(known))
    sample = known[name]
    target = Path(folder) / sample.url.rpartition("/")[2]
    if target.is_file() and _hash(target.read_bytes()) == sample.sha256:
        return target
    try:
        with urllib.request.urlopen(sample.url, timeout=DOWNLOAD_PATIENCE) as answer:
            content: bytes = answer.read(LARGEST_SAMPLE)
    except OSError as error:
        raise BipedSlipError(f"{sample.url}: can't be fetched ({error})") from error
    if _hash(content) != sample.sha256:
        raise BipedSlipError(
            f"{sample.url}: not what it was (SHA-256 {_hash(content)}); nothing was "
            "stored"
        )
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(content)
    os.replace(part, target)
    return target


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
