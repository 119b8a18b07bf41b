# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks over the same floor: what came out, pictures, and the walk itself."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import heading, paragraph, picture, write_page
from biped_slip.reports.walk_comparison import comparison_figure
from biped_slip.reports.walk_figures import estimate_figure, feet_figure, ratio_figure, speed_figure
from biped_slip.reports.walk_words import contact_table, overview_table, sentence
from biped_slip.simulation.run import WalkResult
from biped_slip.simulation.scenario import ScenarioConfig

PAGE = "index.html"


def write_walk_report(directory: Path, results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> Path:
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        results: walks by the name of their slip prevention.
        scenario: the scenario of all of them.

    Returns:
        The page.
    """
    ground = scenario.ground
    figures = (
        ("feet", "Places of the feet over the floor's patches", feet_figure(results, ground)),
        ("speed", "Speeds of the feet: a stance foot that moves is sliding", speed_figure(results)),
        ("ratio", "Force ratio of each foot against its limit and the true mu", ratio_figure(results)),
        ("estimate", "Estimated against true friction, and when the load asked for it", estimate_figure(results)),
    )
    pieces = [paragraph(sentence(name, walk.summary)) for name, walk in results.items()]
    pieces.append(overview_table(results, scenario.required_distance))
    for name, caption, figure in figures:
        pieces += [heading(caption), picture(save_figure(figure, directory / f"{name}.png"), caption)]
    for name, walk in results.items():
        pieces += [heading(f"Stances: {name}"), contact_table(walk.summary)]
    save_figure(comparison_figure(results, ground), directory / "walk.png")
    floor = ", ".join(f"{mu:g}" for mu in ground.mu)
    return write_page(directory / PAGE, f"Walk over mu = {floor}", pieces)
