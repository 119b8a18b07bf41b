# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Live view and HTML file in a headless browser: drawn, quiet, at home, and their
controls answer."""

import threading
import time

import numpy as np
import pytest
from browser import chromium

pytest.importorskip("viser", reason="viser is not installed (extra view)")

from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.view.page import scene_page
from biped_slip.view.planar_source import PlanarSource
from biped_slip.view.player import Player
from biped_slip.view.server import close_server, open_server

PATIENCE = 90.0  # [s] for a software renderer on a busy machine
WIDTHS = (1280, 400)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        opened.open("about:blank")
        opened.requests()
        yield opened


@pytest.fixture(scope="module")
def source():
    scenario = changed(chosen_scenario("thesis"), {"duration": 3.5})
    return PlanarSource(run_walk(scenario, "interval").log, scenario, "interval")


class OneInstant:
    """A walk's instant as all there is, with the robot or without it."""

    ended = True

    def __init__(self, source, i, robot):
        self.scene = source.scene if robot else source.scene._replace(shapes=())
        self.times = np.zeros(1)
        self._i = i
        self._source = source

    def instant(self, _):
        return self._source.instant(self._i)


def until(holds):
    """Wait for something that a page will show."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "not within patience"
        time.sleep(0.2)


def drawn(pixels):
    """Share of pixels that are not white, beside the renderer's notice and the bar with
    the controls."""
    return float(np.mean(pixels[200:-70].min(axis=2) < 240))


def quiet_and_at_home(page):
    assert page.errors() == []
    assert page.outside() == []


def still(page, width=WIDTHS[0]):
    """The picture once it is there in its width and has stopped changing."""
    until(lambda: page.pixels().shape[1] == width and drawn(page.pixels()) > 0.01)
    before = page.pixels()
    while True:
        time.sleep(1.0)
        now = page.pixels()
        if np.mean(np.abs(now - before).max(axis=2) > 8) < 1e-3:
            return now
        before = now


def test_an_html_file_shows_the_robot_without_a_network_at_any_width(
    page, source, tmp_path
):
    pictures = {}
    for robot in (True, False):
        file = tmp_path / f"{robot}.html"
        file.write_text(scene_page([OneInstant(source, 3000, robot)]), encoding="utf-8")
        page.open(file.as_uri(), WIDTHS[0])
        for width in WIDTHS:
            page.resize(width)
            pictures[robot, width] = still(page, width)
    for width in WIDTHS:
        differs = (
            np.abs(pictures[True, width] - pictures[False, width]).max(axis=2) > 20
        )
        rows, columns = np.nonzero(differs)
        assert differs.mean() > 0.003, "no robot in the picture"
        assert np.ptp(rows) > 0.4 * differs.shape[0], "too small"
        assert 0.2 * width < np.median(columns) < 0.8 * width, "not in the middle"
    quiet_and_at_home(page)


def test_an_html_file_plays_and_pauses(page, source, tmp_path):
    file = tmp_path / "walk.html"
    file.write_text(scene_page([source]), encoding="utf-8")
    page.open(file.as_uri())
    until(lambda: page.driver.find_elements("css selector", "input"))
    assert page.sideways(height=120) == {}  # few pixels for a software renderer
    page.resize(WIDTHS[0])

    def shown_time():
        return float(
            page.driver.find_element("css selector", "input").get_attribute("value")
        )

    begin = shown_time()
    until(lambda: shown_time() != begin)
    page.driver.execute_script(
        "document.querySelector('.mantine-ActionIcon-root').click()"
    )
    time.sleep(1.0)
    stopped = shown_time()
    time.sleep(1.0)
    assert shown_time() == stopped
    quiet_and_at_home(page)


@pytest.fixture(scope="module")
def live(page, source):
    server = open_server(port=8400)
    player = Player(server, [source], playing=False)
    over = threading.Event()
    thread = threading.Thread(target=player.run, args=(lambda: not over.is_set(),))
    thread.start()
    page.open(f"http://127.0.0.1:{server.get_port()}")
    yield player
    over.set()
    thread.join()
    close_server(server)


PRESS = """
const found = [...document.querySelectorAll("button")].find(button => button.textContent === arguments[0]);
if (found) found.click();
return !!found"""
SWITCH = """
const label = [...document.querySelectorAll("label")].find(label => label.textContent === arguments[0]);
if (label) document.getElementById(label.htmlFor).click();
return !!label"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_controls_of_the_live_view_answer(page, live, width):
    player = live
    page.resize(width)

    def press(label):
        return page.driver.execute_script(PRESS, label)

    until(lambda: drawn(page.pixels()) > 0.01)
    before = player._time
    until(lambda: press("Play"))
    until(lambda: player._time > before)
    until(lambda: press("Pause"))
    until(lambda: not player._playing)
    time.sleep(0.2)
    stopped = player._time
    time.sleep(0.5)
    assert player._time == stopped
    quiet_and_at_home(page)


def test_the_robot_can_be_hidden(page, live):
    page.resize(WIDTHS[0])
    until(lambda: page.driver.execute_script(SWITCH, "robot"))
    hidden = still(page)
    page.driver.execute_script(SWITCH, "robot")
    until(
        lambda: (
            np.mean(np.abs(page.pixels() - hidden).max(axis=2)[:, :900] > 20) > 0.002
        )
    )
    quiet_and_at_home(page)
