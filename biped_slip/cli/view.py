# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Show walks and recordings in three dimensions in the browser.

This works while they run or afterwards.
"""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Sequence

from biped_slip.cli.terminal import Screen, result_screen, write_text, written
from biped_slip.errors import InvalidParameter
from biped_slip.recordings.replay import replay_file
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.figures import prevention
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import Walk
from biped_slip.view.humanoid_source import HumanoidSource
from biped_slip.view.moving import moving_picture
from biped_slip.view.page import scene_page
from biped_slip.view.planar_source import PlanarSource
from biped_slip.view.player import Player
from biped_slip.view.recording_source import RecordingSource
from biped_slip.view.scene import SceneSource, ShownSpan
from biped_slip.view.server import close_server, need_libraries, open_server

Run = Callable[[], object]


def run(arguments: argparse.Namespace) -> int:
    """Run the walks and show them in the browser until interrupted."""
    need_libraries()
    sources, runs = _walks(arguments)
    result_screen(arguments)  # standard output takes one
    console = Screen(stderr=True)
    if arguments.html is not None or arguments.gif is not None:
        for one in runs:
            one()
        _write(arguments, sources, console)
        return 0
    serve(sources, runs, arguments.host, arguments.port, console)
    return 0


def _write(
    arguments: argparse.Namespace, sources: Sequence[SceneSource], console: Screen
) -> None:
    span = ShownSpan(*(arguments.span or ()))
    if arguments.html is not None:
        write_text(arguments.html, scene_page(sources, span=span))
        console.print(f"scene: {arguments.html}")
    if arguments.gif is not None:
        with written(arguments.gif) as path:
            path.write_bytes(moving_picture(sources, span))
        console.print(f"moving picture: {arguments.gif}")


def serve(
    sources: Sequence[SceneSource],
    runs: Sequence[Run],
    host: str,
    port: int,
    console: Screen,
) -> None:
    """Serve the view until interrupted."""
    if not 0 < port < 65536:
        raise InvalidParameter("--port", port, "1 to 65535")
    server = open_server(host, port)
    console.print(
        f"open http://{server.get_host()}:{server.get_port()} in a browser; Ctrl+C "
        "ends",
        highlight=False,
    )
    player = Player(server, sources)
    threads = [threading.Thread(target=one, daemon=True) for one in runs]
    for thread in threads:
        thread.start()
    try:
        player.run()
    except KeyboardInterrupt:
        print("ended", file=sys.stderr)
    finally:
        close_server(server)


def _walks(arguments: argparse.Namespace) -> tuple[list[SceneSource], list[Run]]:
    if arguments.recordings:
        answers = [
            replay_file(*sample_or_file(path, arguments.config))
            for path in arguments.recordings
        ]
        return [
            RecordingSource(answer, Path(answer.path).name) for answer in answers
        ], []
    sources: list[SceneSource] = []
    runs: list[Run] = []
    for limit in arguments.limit:
        source, walk = (_planar if arguments.robot == "planar" else _humanoid)(
            arguments, limit
        )
        sources.append(source)
        runs.append(walk.run)
    return sources, runs


def _planar(arguments: argparse.Namespace, limit: str) -> tuple[SceneSource, Any]:
    scenario = chosen_scenario(arguments.scenario, seed=arguments.seed)
    walk = Walk(scenario, planar_policy(limit, scenario), arguments.seed or 0)
    length = scenario.duration * 0.5
    return PlanarSource(
        walk.log, scenario, prevention(limit), lambda: walk.ended, length
    ), walk


def _humanoid(arguments: argparse.Namespace, limit: str) -> tuple[SceneSource, Any]:
    walk = HumanoidWalk(chosen_walk(arguments.robot), limit, arguments.seed or 0)
    return HumanoidSource(walk, prevention(limit)), walk
