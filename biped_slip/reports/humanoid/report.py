# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks of a humanoid: what came out, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Mapping

from biped_slip.reports.html import paragraph, table
from biped_slip.reports.humanoid.figures import LONG_SLIDE, Walks, footprint_figure, ratio_figure
from biped_slip.reports.humanoid.filmstrip import filmstrip_figure
from biped_slip.reports.walk_page import Picture, write_walk_page
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid

COLUMNS = ("slip prevention", "end", "after [s]", "distance [m]", "largest stance slip [mm]", "slips over 1 cm",
           "speed off the patch [m/s]", "peak force ratio off the patch")  # fmt: skip


def write_humanoid_report(directory: Path, walks: Walks, scene: Iterable[str] = ()) -> Path:
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        walks: that have ended, by the name of their slip prevention.
        scene: pieces that show them in three dimensions.

    Returns:
        The page.
    """
    summaries = {name: summarise_humanoid(walk) for name, walk in walks.items()}
    config = next(iter(walks.values())).config
    floor = f"mu = {config.mu:g}" + (f" with a patch of {config.patch.mu:g}" if config.patch.length > 0.0 else "")
    title = f"{Path(config.robot).stem} walks over {floor}"
    return write_walk_page(directory, title, summaries, [overview_table(summaries), *scene], _pictures(walks))


def overview_table(summaries: Mapping[str, HumanoidSummary]) -> str:
    """One row per walk."""
    rows = [
        (
            name,
            "fell" if summary.fell else "arrived" if summary.arrived else "out of time",
            summary.end_time,
            summary.distance,
            1e3 * summary.max_stance_slip,
            len(summary.slips),
            *reversed(summary.off_patch),
        )
        for name, summary in summaries.items()
    ]
    return table(COLUMNS, rows) + paragraph("Speed and ratio: once walking, away from the patch.", "note")


def _pictures(walks: Walks) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Lines: contact forces. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(walks),
    )
    yield Picture(
        "footprints",
        "Footprints",
        f"Soles as they landed; outlined is where a sole went that slid by more than {1e3 * LONG_SLIDE:.0f} mm.",
        footprint_figure(walks),
    )
    yield Picture(
        "ratio",
        "What the floor has to hold, and what is known of it",
        "A sole slides when its force ratio reaches the true mu. The limit follows what is certified.",
        ratio_figure(walks),
    )
