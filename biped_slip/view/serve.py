# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A viser server for scenes: on this machine alone unless told otherwise."""

from __future__ import annotations

import io
import socket
from contextlib import redirect_stdout
from importlib.util import find_spec
from typing import Any, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.view.scene import Scene

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
