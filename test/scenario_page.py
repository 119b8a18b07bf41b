# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a scenario's keys in docs/commands.md; ``python test/scenario_page.py`` writes it."""

from pathlib import Path

from biped_slip.simulation.planar.scenario import ScenarioConfig

PAGE = Path(__file__).parents[1] / "docs/commands.md"
HEAD = "| Key | Default | Accepted | Meaning |\n|---|---|---|---|\n"


def table() -> str:
    """All keys with their defaults."""
    rows = []
    for name, value, limits in ScenarioConfig().flat():
        shown = list(value) if isinstance(value, tuple) else value
        accepted = "true or false" if isinstance(value, bool) else str(limits)
        cells = (f"`{name}`", f"`{shown}`", accepted, limits.doc)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.partition(HEAD)[0] + table(), encoding="utf-8")
