# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The scene in three dimensions that reports hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Mapping, Sequence

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.reports.html import heading, paragraph
from biped_slip.view.scene import Source, need_libraries

if TYPE_CHECKING:  # recordings are replayed without the libraries of robots
    from biped_slip.simulation.planar.scenario import ScenarioConfig
    from biped_slip.simulation.planar.walk import WalkResult

LARGEST = 3_500_000  # [bytes]: a page with its pictures stays below 5 MB


def scene_pieces(sources: Callable[[], Sequence[Source]]) -> list[str]:
    """A section with the scene; a sentence where the libraries for it are missing."""
    title = heading("In three dimensions")
    try:
        need_libraries()
    except MissingExtra:
        return [title, paragraph("Left out: pip install '.[view]' brings what it needs.", "note")]
    from biped_slip.view.page import embedded, scene_page  # needs these libraries

    words = (
        "Drag to turn, wheel to zoom, space to pause. Soles and footprints: grey unknown, amber at least, green an "
        "interval is certified. Cones: certified (coloured) and true (grey) friction; arrows: forces on the feet."
    )
    try:
        page = scene_page(sources(), LARGEST)
    except BipedSlipError as error:  # a walk of minutes is not lost for its picture
        return [title, paragraph(f"Left out: {error}.", "note")]
    return [title, embedded(page), paragraph(words, "note")]


def planar_scene(results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> list[str]:
    """The same of planar walks side by side, by the name of their slip prevention."""

    def sources() -> list[Source]:
        from biped_slip.view.walk_sources import PlanarSource

        return [PlanarSource(result.log, scenario, name) for name, result in results.items()]

    return scene_pieces(sources)
