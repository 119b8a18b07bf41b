# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of walks over one floor, of the planar biped and of humanoids.

What came out, pictures (``planar_walks.py``, ``humanoid_walks.py``), and the walk
itself in three dimensions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Mapping

from biped_slip.reports import figures
from biped_slip.reports.html import Picture, write_walk_page
from biped_slip.reports.humanoid_walks import (
    HumanoidWalks,
    footprint_figure,
    humanoid_filmstrip,
)
from biped_slip.reports.planar_walks import biped_filmstrip, feet_figure
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import WalkResult


def write_walk_report(
    directory: Path,
    results: Mapping[str, WalkResult],
    scenario: ScenarioConfig,
    scene: Iterable[str] = (),
) -> Path:
    """Write the page of planar walks as ``index.html``.

    Its pictures lie beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        results: walks by the name of their slip prevention.
        scenario: the scenario of all of them.
        scene: pieces that show it in three dimensions.

    Returns:
        The page.
    """
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    title = f"A walk over floors with mu = {floor}"
    return write_walk_page(
        directory, title, results, scene, _biped_pictures(results, scenario)
    )


def _biped_pictures(
    results: Mapping[str, WalkResult], scenario: ScenarioConfig
) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. A foot holds while its force "
        "lies in the cone of the true mu.",
        biped_filmstrip(results, scenario),
    )
    yield Picture(
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; "
        "shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )


def write_humanoid_report(
    directory: Path, walks: HumanoidWalks, scene: Iterable[str] = ()
) -> Path:
    """Write the page of a humanoid's walks, with its pictures.

    The walks are given by the name of their slip prevention.

    Args:
        directory: made when missing.
        walks: by the name of their slip prevention.
        scene: pieces that show them in three dimensions.
    """
    results = {
        name: (walk.world.log, summarise_humanoid(walk)) for name, walk in walks.items()
    }
    config = next(iter(walks.values())).config
    floor = f"mu = {config.mu:g}" + (
        f" with a patch of {config.patch.mu:g}" if config.patch.length > 0.0 else ""
    )
    title = f"{Path(config.robot).stem} walks over {floor}"
    return write_walk_page(directory, title, results, scene, _humanoid_pictures(walks))


def _humanoid_pictures(walks: HumanoidWalks) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Lines: contact forces. Cones: where they hold on the true mu, coloured by "
        "their margin.",
        humanoid_filmstrip(walks),
    )
    yield Picture(
        "footprints",
        "Footprints",
        "Soles as they landed; outlined is where a sole went that slid by more than "
        f"{1e3 * figures.LONG_SLIDE:.0f} mm.",
        footprint_figure(walks),
    )
