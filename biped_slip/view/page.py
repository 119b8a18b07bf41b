# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A scene on a local viser server, or as one HTML file that opens from disk."""

from __future__ import annotations

import html
import io
import socket
from contextlib import redirect_stdout
from importlib.util import find_spec
from typing import Any, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.view.scene import Scene, Source
from biped_slip.view.stage import Stage

# A viser server for scenes: on this machine alone unless told otherwise.

NEEDED = ("viser", "trimesh", "fast_simplification")
LOCALHOST = "127.0.0.1"
PORT = 8080
LANE = 1.6  # [m] between scenes side by side
EYE = np.array([0.75, -1.45, 0.6])  # from the robot, in its heights


def need_libraries() -> None:
    """Say in one sentence what is missing.

    Raises:
        MissingExtra: without what the extra ``view`` brings.
    """
    if any(find_spec(name) is None for name in NEEDED):
        raise MissingExtra("the view", "view")


def open_server(host: str = LOCALHOST, port: int = PORT, label: str = "biped_slip") -> Any:
    """A server; the next free port is taken where this one is in use.

    Raises:
        MissingExtra: without viser.
        BipedSlipError: no such address.
    """
    need_libraries()
    import viser

    try:
        family = socket.getaddrinfo(host, None)[0][0]
        socket.create_server((host, 0), family=family).close()  # viser would wait for ever
    except OSError as error:
        raise BipedSlipError(f"--host {host}: can't be served there ({error})") from error
    with redirect_stdout(io.StringIO()):  # standard output belongs to the command
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    server.request_share_url = _not_shared
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.scene.set_up_direction("+z")
    return server


def close_server(server: Any) -> None:
    """Stop it."""
    with redirect_stdout(io.StringIO()):
        server.stop()


def _not_shared(*_: Any, **__: Any) -> None:
    """A visitor's wish for a public address is not followed: who serves decides who sees."""


def lanes(scenes: Sequence[Scene]) -> list[float]:
    """World y [m] of scenes side by side, the first one on the left."""
    middle = 0.5 * (len(scenes) - 1)
    return [LANE * (middle - k) for k in range(len(scenes))]


def look_at(server: Any, scenes: Sequence[Scene]) -> None:
    """Set where one looks from at first."""
    size = max(scene.height for scene in scenes) + 0.5 * LANE * (len(scenes) - 1)
    server.initial_camera.position = tuple(EYE * size)
    server.initial_camera.look_at = (0.0, 0.0, 0.35 * size)


# A scene as one HTML file that opens from disk without a network.

LARGEST = 5_000_000  # [bytes] of a page with its scene
RATES = (20.0, 15.0, 10.0, 6.0, 4.0)  # [1/s] instants; the first at which the page is small enough is taken
FROM_PORT = 8200


def scene_page(sources: Sequence[Source], largest: int = LARGEST) -> str:
    """The scenes side by side, to be played, scrubbed and looked at from everywhere.

    Args:
        sources: of walks that have ended.
        largest: bytes.

    Raises:
        BipedSlipError: it can't be made so small.
    """
    for rate in RATES:
        text = _recorded(sources, rate)
        if len(text) <= largest:
            return text
    raise BipedSlipError(f"the scene takes {len(text)} bytes at {rate:g} instants a second, but may have {largest}")


def _recorded(sources: Sequence[Source], rate: float) -> str:
    server = open_server(LOCALHOST, FROM_PORT)
    try:
        scenes = [source.scene for source in sources]
        stages = [Stage(server, scene, y, len(scenes) > 1) for scene, y in zip(scenes, lanes(scenes), strict=True)]
        look_at(server, scenes)
        for times, stage, source in zip(_all_times(sources), stages, sources, strict=True):
            _show(stage, source, float(times[0]), follow=True)
        recorder = server.get_scene_serializer()
        begin, end = min(t[0] for t in _all_times(sources)), max(t[-1] for t in _all_times(sources))
        for time in np.arange(begin, end, 1.0 / rate):
            for stage, source in zip(stages, sources, strict=True):
                _show(stage, source, float(time), follow=True)
            recorder.insert_sleep(1.0 / rate)
        return str(recorder.as_html())
    finally:
        close_server(server)


def _all_times(sources: Sequence[Source]) -> list[Any]:
    return [source.times for source in sources]


def _show(stage: Stage, source: Source, time: float, follow: bool) -> None:
    instant = source.instant(min(int(np.searchsorted(source.times, time)), len(source.times) - 1))
    stage.remember(instant)
    stage.show(instant)
    stage.follow(instant.centre if follow else None)


def embedded(page: str, height: int = 480) -> str:
    """A piece of HTML that holds such a page inside another one."""
    return (
        f'<iframe title="the walk in three dimensions" loading="lazy" style="width:100%;height:{height}px;border:1px '
        f'solid #ddd" srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
