# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Licences of everything that is installed here, as it says itself.

The command is ``python -m studies.licences > FILE.md``.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata
from typing import Any, Iterable

HEAD = """# Which licences does it bring?

Of what `make` installs, as the distributions state, printed by `python -m studies.licences`; biped_slip has Apache-2.0.

| Distribution | Version | Licence |
|---|---|---|
"""  # noqa: E501
LONGEST = 60  # characters of a licence's name; some hold its whole text
UNSAID = "not stated"
OWN = {"biped_slip", "biped-slip"}


def licence_of(fields: Any) -> str:
    """Read the licence from a distribution's metadata.

    It is the SPDX expression, the classifiers, or the first line; in this order.
    """
    expression = fields.get("License-Expression")
    named = [
        c.rpartition("::")[2].strip()
        for c in fields.get_all("Classifier") or []
        if c.startswith("License ::")
    ]
    named = [name for name in named if name != "OSI Approved"]
    lines = (fields.get("License") or "").strip().splitlines()
    said = expression or ", ".join(named) or (lines[0] if lines else "")
    said = re.sub(r"[|\s]+", " ", said)
    return said[:LONGEST] or UNSAID


def rows(distributions: Iterable[metadata.Distribution]) -> list[tuple[str, str, str]]:
    """Name, version and licence of each that pip has installed, once."""
    found = {}
    for one in distributions:
        name = one.metadata["Name"]
        if one.read_text("INSTALLER") and name not in OWN:
            found[name.lower()] = (name, one.version, licence_of(one.metadata))
    return [found[name] for name in sorted(found)]


def main() -> int:
    """Print the table."""
    sys.stdout.write(
        HEAD
        + "".join(f"| {' | '.join(row)} |\n" for row in rows(metadata.distributions()))
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
