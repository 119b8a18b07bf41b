# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks over the same floor: what came out, pictures, and the walk itself."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Mapping

from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import folded, heading
from biped_slip.reports.planar.comparison import comparison_figure
from biped_slip.reports.planar.figures import estimate_figure, feet_figure, ratio_figure, speed_figure
from biped_slip.reports.planar.filmstrip import filmstrip_figure
from biped_slip.reports.planar.player import walk_player
from biped_slip.reports.planar.words import contact_table, overview_table, stance_sentence
from biped_slip.reports.walk_page import Picture, write_walk_page
from biped_slip.simulation.planar.run import WalkResult
from biped_slip.simulation.planar.scenario import ScenarioConfig


def write_walk_report(directory: Path, results: Mapping[str, WalkResult], scenario: ScenarioConfig,
                      scene: Iterable[str] = ()) -> Path:  # fmt: skip
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        results: walks by the name of their slip prevention.
        scenario: the scenario of all of them.
        scene: pieces that show it in three dimensions.

    Returns:
        The page.
    """
    summaries = {name: walk.summary for name, walk in results.items()}
    pieces = [overview_table(results, scenario.required_distance), *scene]
    for name, summary in summaries.items():
        title = f"Slip prevention “{name}”: {stance_sentence(summary)}"
        pieces.append(folded(title, contact_table(summary)))
    pieces += [heading("The walk in motion"), walk_player(results, scenario)]
    save_figure(comparison_figure(results, scenario.ground), directory / "walk.png")
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    title = f"A walk over floors with mu = {floor}"
    return write_walk_page(directory, title, summaries, pieces, _pictures(results, scenario))


def _pictures(results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(results, scenario),
    )
    yield Picture(
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )
    words = "A foot that moves while it stands is sliding."
    yield Picture("speed", "How fast the feet are", words, speed_figure(results))
    yield Picture(
        "ratio",
        "What the floor has to hold",
        "A foot slides when its force ratio reaches the true mu. The limit keeps it below; dotted is what the walk "
        "would have asked for without it.",
        ratio_figure(results),
    )
    yield Picture(
        "estimate",
        "What is known of the floor",
        "The estimate should have found the true mu before the load asks for 0.9 of it (triangles).",
        estimate_figure(results),
    )
