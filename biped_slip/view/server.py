# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A viser server for scenes: on this machine alone by default.

It serves pages to browsers, but none that another site has opened, and under no name
but those that it listens on: a name of somebody else's may be made to lead here. It
draws nothing by itself: each scene's stage (``stage.py``) puts its parts there.
"""

from __future__ import annotations

import io
import logging
import math
import socket
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from inspect import isawaitable
from typing import Any, Collection, Iterator, Sequence
from urllib.parse import urlsplit

import numpy as np

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.view.scene import Scene

VIEWER_PACKAGES = ("viser", "trimesh", "fast_simplification")
LOCALHOST = "127.0.0.1"
ANY_ADDRESS = {"", "0.0.0.0", "::"}  # to listen on, and no name
PORT = 8080
LANE_GAP = 0.2  # [m] between scenes side by side
CAMERA = np.array([0.75, -1.45, 0.6])  # from the robot, in its heights
CAMERA_ANGLE = math.radians(45.0)  # in which a robot is two thirds of the picture


def need_libraries() -> None:
    """Check the libraries of the view; the error names what is missing.

    Raises:
        MissingExtra: without what the extra ``view`` brings.
    """
    if any(find_spec(name) is None for name in VIEWER_PACKAGES):
        raise MissingExtra("the view", "view")


def open_server(host: str = LOCALHOST, port: int = PORT) -> Any:
    """Open a server; the next free port is taken where this one is in use.

    Raises:
        MissingExtra: without viser.
        BipedSlipError: no such address.
    """
    need_libraries()
    import viser

    try:
        family = socket.getaddrinfo(host, None)[0][0]
        socket.create_server(
            (host, 0), family=family
        ).close()  # viser would wait for ever
    except OSError as error:
        raise BipedSlipError(
            f"--host {host}: can't be served there ({error})"
        ) from error
    # standard output belongs to the command
    with (
        redirect_stdout(io.StringIO()),
        _own_pages_alone(host),
    ):
        server = viser.ViserServer(
            host=host, port=port, label="biped_slip", verbose=False
        )
    server.request_share_url = _not_shared
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.scene.set_up_direction("+z")
    return server


@contextmanager
def _own_pages_alone(host: str) -> Iterator[None]:
    """Make servers refuse pages of other sites, and close quietly on garbage.

    This holds while the context lasts.
    """
    own = own_names(host)
    sockets: Any = import_module("websockets.asyncio.server")

    serve = sockets.serve

    def guarded(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        async def request(connection: Any, asked: Any) -> Any:
            origin = asked.headers.get("Origin")
            named = asked.headers.get("Host", "")
            if origin is not None and origin.partition("://")[2] != named:
                return connection.respond(403, "a page of another site\n")
            address = str((connection.local_address or ("",))[0])
            if not leads_here(named, own | {address}):
                return connection.respond(403, "this server has another name\n")
            answer = (
                None if process_request is None else process_request(connection, asked)
            )
            return await answer if isawaitable(answer) else answer

        return serve(*arguments, process_request=request, **options)

    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    sockets.serve = guarded
    try:
        yield
    finally:
        sockets.serve = serve


def own_names(host: str) -> frozenset[str]:
    """Return the names of a server, beside the address at which a visitor arrived.

    Those of the machine itself are everywhere its own: no other site has them.
    """
    machine = socket.gethostname().lower()
    mine = {"localhost", LOCALHOST, "::1", machine, f"{machine}.local"}
    return frozenset({host.lower(), *mine} - ANY_ADDRESS)


def leads_here(named: str, own: Collection[str]) -> bool:
    """Return whether a visitor's word for the server, NAME:PORT, is a name of its."""
    try:
        return urlsplit(f"//{named}").hostname in own
    except ValueError:  # no address
        return False


def close_server(server: Any) -> None:
    """Close the server."""
    with redirect_stdout(io.StringIO()):
        server.stop()


def _not_shared(*_: Any, **__: Any) -> None:
    """Refuse a visitor's wish for a public address: the host of the server decides."""


def lanes(scenes: Sequence[Scene]) -> list[float]:
    """Compute the world's y [m] of scenes side by side, the first one in front."""
    middle = 0.5 * (len(scenes) - 1)
    return [_lane(scenes) * (k - middle) for k in range(len(scenes))]


def _lane(scenes: Sequence[Scene]) -> float:
    return 2.0 * max(scene.aside for scene in scenes) + LANE_GAP


def look_at(server: Any, scenes: Sequence[Scene]) -> None:
    """Set the initial viewpoint."""
    tall = max(scene.height for scene in scenes)
    size = tall + 0.5 * _lane(scenes) * (len(scenes) - 1)
    server.initial_camera.fov = CAMERA_ANGLE
    server.initial_camera.position = tuple(CAMERA * size)
    server.initial_camera.look_at = (0.0, 0.0, 0.45 * tall)
