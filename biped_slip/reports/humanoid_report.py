# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks of a humanoid: what came out, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import heading, paragraph, picture, table, write_page
from biped_slip.reports.humanoid_figures import LONG_SLIDE, Walks, footprint_figure, ratio_figure
from biped_slip.reports.humanoid_filmstrip import filmstrip_figure
from biped_slip.simulation.humanoid.summary import summarise_humanoid

PAGE = "index.html"
COLUMNS = ("slip prevention", "end", "after [s]", "distance [m]", "largest stance slip [mm]", "slips over 1 cm",
           "speed off the patch [m/s]", "peak force ratio off the patch")  # fmt: skip


def write_humanoid_report(directory: Path, walks: Walks) -> Path:
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        walks: that have ended, by the name of their slip prevention.

    Returns:
        The page.
    """
    pieces = [_overview(walks)]
    for name, title, caption, figure in _figures(walks):
        pieces += [heading(title), picture(save_figure(figure, directory / f"{name}.png"), caption)]
    config = next(iter(walks.values())).config
    floor = f"mu = {config.mu:g}" + (f" with a patch of {config.patch.mu:g}" if config.patch.length > 0.0 else "")
    return write_page(directory / PAGE, f"{Path(config.robot).stem} walks over {floor}", pieces)


def _overview(walks: Walks) -> str:
    rows = []
    for name, walk in walks.items():
        summary = summarise_humanoid(walk)
        end = "fell" if summary.fell else "arrived" if summary.arrived else "out of time"
        rows.append((name, end, summary.end_time, summary.distance, 1e3 * summary.largest_slip, summary.slips,
                     summary.speed_off_patch, summary.peak_ratio))  # fmt: skip
    return table(COLUMNS, rows) + paragraph("Speed and ratio: once walking, away from the patch.", "note")


def _figures(walks: Walks) -> Iterator[tuple[str, str, str, Any]]:
    """File name, title, caption and figure of each picture."""
    yield (
        "filmstrip",
        "Side views",
        "Lines: contact forces. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(walks),
    )
    yield (
        "footprints",
        "Footprints",
        f"Soles as they landed; outlined is where a sole went that slid by more than {1e3 * LONG_SLIDE:.0f} mm.",
        footprint_figure(walks),
    )
    yield (
        "ratio",
        "What the floor has to hold, and what is known of it",
        "A sole slides when its force ratio reaches the true mu. The limit follows what is certified.",
        ratio_figure(walks),
    )
