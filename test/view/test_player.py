# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The live view without a browser: what time is shown, what is sent, where it is
served."""

import contextlib
import socket
import time

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed (extra view)")

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from biped_slip.view.page import scene_page
from biped_slip.view.player import Player
from biped_slip.view.scene import (
    FootNumbers,
    Scene,
    SceneInstant,
    Shape,
    ShownSpan,
)
from biped_slip.view.server import (
    close_server,
    lanes,
    leads_here,
    look_at,
    open_server,
    own_names,
)

CUBE = Shape(
    0, np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], dtype=np.uint32), (10, 20, 30)
)
NONE = np.full(1, np.nan)
STILL = np.array([[0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]])


class Sliding:
    """One point that moves along x, on one foot; as much of it as has come so far."""

    def __init__(self, length=1000, ended=True):
        self.scene = Scene(
            name="sliding",
            joints=("base",),
            parents=(-1,),
            shapes=(CUBE,),
            soles=(np.zeros((1, 3)),),
            floor=(),
            weight=100.0,
            height=1.0,
        )
        self.length = length
        self.ended = ended

    @property
    def times(self):
        return 0.01 * np.arange(self.length)

    def instant(self, i):
        place = STILL.copy()
        place[0, 0] = self.times[i]
        numbers = FootNumbers(ratio=NONE, limit=NONE, low=NONE, high=NONE, mu=NONE)
        nowhere = np.full(3, np.nan)
        return SceneInstant(
            time=float(self.times[i]),
            places=place,
            soles=STILL,
            forces=np.zeros((1, 3)),
            pressure=np.zeros((1, 3)),
            numbers=numbers,
            centre=place[0, :3],
            zmp=nowhere,
            footholds=np.empty((0, 3)),
        )

    def numbers(self, indices):
        return FootNumbers(
            *(np.full((len(indices), 1), np.nan) for _ in FootNumbers._fields)
        )


@pytest.fixture
def server():
    opened = open_server(port=8300)
    yield opened
    close_server(opened)


class Asked:
    client = object()


def shown(server):
    """Where the base is drawn, before the camera's shift."""
    return server.scene._handle_from_node_name["/view/sliding/robot/base"].position[0]


def test_it_plays_in_real_time_and_begins_again_at_the_end(server):
    player = Player(server, [Sliding()])
    for _ in range(30):
        player.update(0.1)
    assert shown(server) == pytest.approx(3.0, abs=0.02)
    for _ in range(70):
        player.update(0.1)
    assert player.sent == 100
    player.update(0.1)
    assert shown(server) < 0.2


def test_slow_motion_pause_and_scrubbing(server):
    player = Player(server, [Sliding()])
    player._set_speed("1/10")
    for _ in range(11):
        player.update(0.1)
    assert shown(server) == pytest.approx(0.11, abs=0.011)
    player._press(None)
    player.update(0.1)
    before = player.sent
    player.update(5.0)
    assert player.sent == before
    player._slider.value = 7.0
    player._scrub(Asked)
    player.update(0.1)
    assert shown(server) == pytest.approx(7.0, abs=0.011)


def test_a_walk_that_goes_on_is_followed_and_waited_for(server):
    source = Sliding(length=50, ended=False)
    player = Player(server, [source])
    for _ in range(20):
        player.update(0.1)
    assert shown(server) == pytest.approx(0.49, abs=0.01)  # waits at the newest instant
    source.length = 400
    for _ in range(10):
        player.update(0.1)
    assert shown(server) == pytest.approx(1.49, abs=0.02)


def test_nothing_is_sent_where_nothing_moves(server):
    player = Player(server, [Sliding()], playing=False)
    for _ in range(5):
        player.update(0.1)
    assert player.sent == 1


def test_it_is_served_on_this_machine_alone_and_nobody_can_ask_for_more(server):
    assert server.get_host() == "127.0.0.1"
    assert server.request_share_url() is None


def test_the_first_of_several_robots_walks_in_front_of_the_others(server):
    """Where one looks from is on the right, at negative y."""
    scenes = [Sliding().scene._replace(aside=aside) for aside in (0.3, 0.7, 0.3)]
    ways = lanes(scenes)
    look_at(server, scenes)
    assert server.initial_camera.position[1] < ways[0] < ways[1] < ways[2]
    assert np.diff(ways) == pytest.approx(1.6)
    assert sum(ways) == pytest.approx(0.0)


@pytest.mark.parametrize(("count", "least"), [(1, 0.6), (2, 0.45)])
def test_a_robot_fills_its_frame(server, count, least):
    """Upright in the middle of the picture it takes this share of it, and has room."""
    scene = Sliding().scene._replace(height=1.3, aside=0.3)
    look_at(server, count * [scene])
    camera = server.initial_camera
    away = np.array(camera.look_at) - np.array(camera.position)
    seen = 2.0 * np.linalg.norm(away) * np.tan(0.5 * camera.fov)
    upright = np.hypot(away[0], away[1]) / np.linalg.norm(away)
    assert least < scene.height * upright / seen < 0.8


def test_a_page_begins_at_the_asked_second_and_refuses_one_that_never_comes():
    whole = scene_page([Sliding(length=400)])
    part = scene_page([Sliding(length=400)], span=ShownSpan(begin=3.0))
    assert len(part) < len(whole)
    with pytest.raises(BipedSlipError, match="would begin at 9 s, but the walks end"):
        scene_page([Sliding(length=400)], span=ShownSpan(begin=9.0))


def test_an_address_that_is_not_ours_is_refused_in_one_sentence():
    with pytest.raises(BipedSlipError, match=r"203\.0\.113\.7"):
        open_server("203.0.113.7", 8301)


def test_a_page_that_would_be_too_large_says_so():
    with pytest.raises(BipedSlipError, match="may have 1000"):
        scene_page([Sliding()], largest=1000)


def test_the_command_without_its_libraries_says_what_brings_them(monkeypatch, capsys):
    monkeypatch.setattr("biped_slip.view.server.find_spec", lambda name: None)
    assert main(["view"]) == 2
    assert ".[view]" in capsys.readouterr().err


def upgraded(server, origin, payload=b"", host=None):
    """First line of the answer to a page's wish for a websocket; then garbage is sent."""
    host = f"{host or '127.0.0.1'}:{server.get_port()}"
    lines = [
        "GET / HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: viser-v1.0.0",
    ]
    lines += [f"Origin: {origin.format(host=host)}"] if origin else []
    with socket.create_connection(
        ("127.0.0.1", server.get_port()), timeout=10.0
    ) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = line.recv(64)
        line.sendall(payload)
        with contextlib.suppress(OSError):
            while payload and line.recv(4096):
                pass
    return answer.split(b"\r\n")[0].decode()


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", "101"),
        ("localhost", "101"),
        ("LOCALHOST", "101"),
        (socket.gethostname(), "101"),
        ("evil.example", "403"),
        ("127.0.0.1.evil.example", "403"),
        ("localhost@evil.example", "403"),
        ("0.0.0.0", "403"),
        ("[::", "403"),
    ],
)
def test_it_answers_only_to_the_names_that_it_listens_on(server, host, answer):
    """Whoever makes a name of his own lead here gets nothing, though the page that asks
    is of that name."""
    assert answer in upgraded(server, "http://{host}", host=host)
    assert answer in upgraded(server, "", host=host)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "robot.lab", "::"])
def test_a_server_for_others_has_the_name_that_it_was_given(host):
    names = own_names(host)
    assert leads_here("localhost:8080", names)
    assert leads_here("[::1]:8080", names)
    assert leads_here(f"{host}:8080", names) == (host in ("192.0.2.1", "robot.lab"))
    assert leads_here("192.0.2.7", names | {"192.0.2.7"})  # where he arrived
    assert not leads_here("", names)


def test_pages_of_another_site_get_no_scene_and_garbage_is_closed_quietly(
    server, capfd
):
    assert "403" in upgraded(server, "http://evil.example")
    assert "101" in upgraded(server, "http://{host}")
    assert "101" in upgraded(server, "")
    capfd.readouterr()
    garbage = bytes([0x82, 0x84, 0, 0, 0, 0, 0xC1, 0xFF, 0x00, 0x17])
    assert "101" in upgraded(
        server, "http://{host}", garbage + bytes([0xFF, 0xFF, 0xFF])
    )
    time.sleep(0.2)
    assert "Traceback" not in "".join(capfd.readouterr())
