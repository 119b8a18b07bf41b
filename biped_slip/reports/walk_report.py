# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks over the same floor: what came out, pictures, and the walk itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, Mapping

from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import folded, heading, paragraph, picture, write_page
from biped_slip.reports.walk_comparison import comparison_figure
from biped_slip.reports.walk_figures import estimate_figure, feet_figure, ratio_figure, speed_figure
from biped_slip.reports.walk_filmstrip import filmstrip_figure
from biped_slip.reports.walk_player import walk_player
from biped_slip.reports.walk_words import contact_table, overview_table, sentence, stance_sentence
from biped_slip.simulation.planar.run import WalkResult
from biped_slip.simulation.planar.scenario import ScenarioConfig

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
    pieces = [paragraph(sentence(name, walk.summary)) for name, walk in results.items()]
    pieces.append(overview_table(results, scenario.required_distance))
    for name, walk in results.items():
        title = f"Slip prevention “{name}”: {stance_sentence(walk.summary)}"
        pieces.append(folded(title, contact_table(walk.summary)))
    pieces += [heading("The walk in motion"), walk_player(results, scenario)]
    for name, title, caption, figure in _figures(results, scenario):
        pieces += [heading(title), picture(save_figure(figure, directory / f"{name}.png"), caption)]
    save_figure(comparison_figure(results, scenario.ground), directory / "walk.png")
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    return write_page(directory / PAGE, f"A walk over floors with mu = {floor}", pieces)


def _figures(results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> Iterator[tuple[str, str, str, Any]]:
    """File name, title, caption and figure of each picture."""
    yield (
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(results, scenario),
    )
    yield (
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )
    yield "speed", "How fast the feet are", "A foot that moves while it stands is sliding.", speed_figure(results)
    yield (
        "ratio",
        "What the floor has to hold",
        "A foot slides when its force ratio reaches the true mu. The limit keeps it below; dotted is what the walk "
        "would have asked for without it.",
        ratio_figure(results),
    )
    yield (
        "estimate",
        "What is known of the floor",
        "The estimate should have found the true mu before the load asks for 0.9 of it (triangles).",
        estimate_figure(results),
    )
