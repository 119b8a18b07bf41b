# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A scene as one HTML file that opens from disk without a network.

It stands alone or inside a report.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Callable, Mapping, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.reports.figures import prevention
from biped_slip.reports.html import heading, paragraph
from biped_slip.view.scene import (
    WHOLE_WALK,
    SceneInstant,
    SceneSource,
    ShownSpan,
)
from biped_slip.view.server import (
    LOCALHOST,
    close_server,
    lanes,
    look_at,
    need_libraries,
    open_server,
)
from biped_slip.view.stage import Stage

if TYPE_CHECKING:  # recordings are replayed without the libraries of robots
    from biped_slip.simulation.planar.scenario import ScenarioConfig
    from biped_slip.simulation.planar.walk import WalkResult

LARGEST_PAGE = 5_000_000  # [bytes] of a page with its scene
# [1/s] instants; the first at which the page is small enough is taken
SCENE_RATES = (
    20.0,
    15.0,
    10.0,
    6.0,
    4.0,
)
FROM_PORT = 8200
LARGEST_IN_REPORT = 3_500_000  # [bytes]: with its pictures it stays below 5 MB


def scene_page(
    sources: Sequence[SceneSource],
    largest: int = LARGEST_PAGE,
    span: ShownSpan = WHOLE_WALK,
) -> str:
    """Make a page that plays scenes side by side, the first one in front.

    Args:
        sources: of walks that have ended.
        largest: bytes.
        span: what is shown; slides before it are neither marked nor counted.

    Raises:
        BipedSlipError: it can't be made so small, or nothing happens in that span.
    """
    end = min(max(float(one.times[-1]) for one in sources), span.end)
    begin = max(min(float(one.times[0]) for one in sources), span.begin)
    if begin > end:
        raise BipedSlipError(
            f"the scene would begin at {begin:g} s, but the walks end at {end:g} s"
        )
    for rate in SCENE_RATES:
        text = _recorded(sources, rate, span._replace(begin=begin, end=end))
        if len(text) <= largest:
            return text
    raise BipedSlipError(
        f"the scene takes {len(text)} bytes at {rate:g} instants a second, but may "
        f"have {largest}"
    )


def _recorded(sources: Sequence[SceneSource], rate: float, span: ShownSpan) -> str:
    server = open_server(LOCALHOST, FROM_PORT)
    try:
        scenes = [source.scene for source in sources]
        stages = [
            Stage(server, scene, y, len(scenes) > 1)
            for scene, y in zip(scenes, lanes(scenes), strict=True)
        ]
        look_at(server, scenes)
        times = np.arange(span.begin, span.end, span.speed / rate)
        for stage, source in zip(stages, sources, strict=True):
            for time in times:
                stage.remember(_instant(source, time))
            for time in (
                span.end,
                span.begin,
                # all that ever shows is there, and hidden, before the page plays and
                # repeats
            ):
                _show(stage, source, time)
        recorder = server.get_scene_serializer()
        for time in times:
            for stage, source in zip(stages, sources, strict=True):
                _show(stage, source, time)
            recorder.insert_sleep(1.0 / rate)
        return str(recorder.as_html()).replace(
            "<title>Viser</title>", "<title>biped_slip</title>", 1
        )
    finally:
        close_server(server)


def _instant(source: SceneSource, time: float) -> SceneInstant:
    return source.instant(
        min(int(np.searchsorted(source.times, time)), len(source.times) - 1)
    )


def _show(stage: Stage, source: SceneSource, time: float) -> None:
    instant = _instant(source, time)
    stage.show(instant)
    stage.follow(instant.centre)


def embedded(page: str) -> str:
    """Make a piece of HTML that embeds a page of scenes in another page."""
    return (
        '<iframe title="the walk in three dimensions" loading="lazy" '
        'style="width:100%;height:480px;border:1px '
        f'solid #ddd" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


WALKS = (
    "Drag to turn, wheel to zoom, space to pause (needs WebGL). Soles, footprints: "
    "grey unknown, amber lower bound, "
    "green certified interval. Numbers at landings: mu (interval), measured by the "
    "landing's slide: green, ten times "
    "as long. Cones: certified (coloured) and true (grey) friction. Arrows: forces of "
    "the ground. Red: where a "
    "standing foot slid."
)
RECORDING_HELP = (
    "Drag to turn, wheel to zoom, space to pause (needs WebGL). Arrows: ground "
    "forces, blue left, red right. "
    "Squares and cones: grey where friction is unknown, amber a lower bound, green an "
    "interval."
)


def scene_pieces(
    sources: Callable[[], Sequence[SceneSource]], words: str = WALKS
) -> list[str]:
    """Make a section with the scene and its legend.

    Where the libraries for it are missing, a sentence stands instead.
    """
    title = heading("In three dimensions")
    try:
        need_libraries()
    except MissingExtra:
        return [
            title,
            paragraph("Left out: pip install '.[view]' brings what it needs.", "note"),
        ]
    try:
        page = scene_page(sources(), LARGEST_IN_REPORT)
    except BipedSlipError as error:  # a walk of minutes is not lost for its picture
        return [title, paragraph(f"Left out: {error}.", "note")]
    return [title, embedded(page), paragraph(words, "note")]


def planar_scene(
    results: Mapping[str, WalkResult], scenario: ScenarioConfig
) -> list[str]:
    """Make the section of planar walks side by side.

    They are called by the name of their slip prevention.
    """

    def sources() -> list[SceneSource]:
        from biped_slip.view.planar_source import PlanarSource

        return [
            PlanarSource(result.log, scenario, prevention(name))
            for name, result in results.items()
        ]

    return scene_pieces(sources)
