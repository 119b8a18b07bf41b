# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded scenes of the docs hold motion alone, and play in a browser by
themselves."""

import base64
import json
import re

import numpy as np
import pytest
from browser import chromium

from biped_slip.errors import InvalidParameter
from biped_slip.view.scene import (
    FootNumbers,
    Scene,
    SceneInstant,
    joint_frames,
    stretch,
)
from studies import scenes

PAGES = sorted((scenes.Path(__file__).parents[2] / scenes.FOLDER).glob("*.html"))
LARGEST = 400_000  # bytes of a page, which a telephone loads in a second
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
TRUNK = scenes.Trunk(shoulders=("left", "right"), hips=("base", "base"), arms=())


def recording(page):
    return json.loads(scenes.recording_of(page.read_text(encoding="utf-8")))


def unpacked(walk):
    """Rows (n, numbers) as the player adds them up."""
    steps = np.frombuffer(base64.b64decode(walk["instants"]), "<i2")
    rows = np.vstack([walk["first"], steps.reshape(-1, walk["numbers"])])
    return np.cumsum(rows, axis=0)


def standing(time=0.0, x=0.0, sole=0.0, force=100.0, low=np.nan, high=np.nan):
    """A base with two shoulders 0.2 m aside, on two soles that lie side by side."""
    feet = [(sole, 0.1, 0.0), (sole, -0.1, 0.0)]
    both = np.full(2, 1.0)
    return SceneInstant(
        time=time,
        places=np.array(
            [
                (x, 0.0, 0.8, *UPRIGHT),
                (0.0, 0.2, 0.4, *UPRIGHT),
                (0.0, -0.2, 0.4, *UPRIGHT),
            ]
        ),
        soles=np.array([(*place, *UPRIGHT) for place in feet]),
        forces=np.array([(0.0, 0.0, force)] * 2),
        pressure=np.array(feet),
        numbers=FootNumbers(
            ratio=0.0 * both, limit=both, low=low * both, high=high * both, mu=both
        ),
        centre=np.array([x, 0.0, 0.8]),
        zmp=np.array([x, 0.0, 0.0]),
        footholds=np.empty((0, 3)),
    )


def made_scene():
    sole = np.array(
        [(-0.1, -0.05, 0), (0.1, -0.05, 0), (0.1, 0.05, 0), (-0.1, 0.05, 0)]
    )
    return Scene(
        name="made",
        joints=("base", "left", "right"),
        parents=(-1, 0, 0),
        shapes=(),
        soles=(sole, sole),
        floor=(stretch(-1.0, 5.0, 0.8),),
        weight=200.0,
        height=1.5,
    )


def test_places_come_back_to_a_tenth_of_a_millimetre():
    ways = np.linspace(3.0, 4.0, 31)
    instants = [standing(x=way, sole=way) for way in ways]
    walk = scenes.content(scenes.Recorded(made_scene(), instants, ""), TRUNK)
    rows = unpacked(walk)
    assert rows.shape == (31, walk["numbers"])
    np.testing.assert_allclose(scenes.UNIT * rows[:, 0], ways, atol=0.5 * scenes.UNIT)
    # the left shoulder is carried by the base: 0.8 + 0.4 m high, 0.2 m aside
    shoulder = scenes.UNIT * rows[-1, 3:6]
    np.testing.assert_allclose(shoulder, (4.0, 0.2, 1.2), atol=0.5 * scenes.UNIT)
    # over the shoulders' middle, along the line from the hips
    head = scenes.UNIT * rows[-1, 3 * walk["head"]["point"] :][:3]
    over = scenes.HEAD_OVER * 1.5
    np.testing.assert_allclose(head, (4.0, 0.0, 1.2 + over), atol=0.5 * scenes.UNIT)


def test_a_turned_joint_turns_what_it_carries():
    quarter = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # about z, to the left
    instant = standing()
    instant.places[0, 3:] = quarter
    places = joint_frames(made_scene(), instant)[0]
    np.testing.assert_allclose(places[1], (-0.2, 0.0, 1.2), atol=1e-12)


def test_an_arrow_is_as_long_as_its_share_of_the_weight_and_none_in_the_air():
    start, end = scenes.arrow(made_scene(), standing(force=100.0), 0)
    np.testing.assert_allclose(end - start, (0, 0, scenes.ARROW_SHARE * 1.5 * 0.5))
    start, end = scenes.arrow(made_scene(), standing(force=0.0), 0)
    np.testing.assert_allclose(end, start)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (np.nan, np.nan, (0, -1, 10000)),
        (0.2, np.nan, (1, 2000, 10000)),
        (0.2, 0.3, (2, 2000, 10000)),
    ],
)
def test_what_is_known_of_a_floor_is_nothing_a_bound_or_an_interval(low, high, shown):
    assert scenes.friction(made_scene(), standing(low=low, high=high), 0) == shown


def test_nothing_is_said_of_the_floor_under_a_foot_in_the_air():
    assert scenes.friction(made_scene(), standing(force=0.0, low=0.2), 0) == (0, -1, -1)


def test_footprints_and_slides_are_there_from_the_step_on_that_ends_them():
    """A stance of 0.4 s in which both soles slide by 30 mm, then flight."""
    stance = [
        standing(time=0.05 * k, sole=0.03 * min(max(k - 3, 0), 3) / 3) for k in range(8)
    ]
    flight = [standing(time=0.4, sole=0.03, force=0.0)]
    found = scenes.marks(made_scene(), [*stance, *flight])
    assert [one["from"] for one in found["prints"]] == [8, 8]
    assert [one["words"] for one in found["slides"]] == ["slid 30 mm"] * 2
    assert found["total"][-1]["words"].startswith("2 slides, 60 mm in all")


def test_a_scene_begins_before_its_patch_and_ends_behind_it():
    times = np.arange(0.0, 20.0, 0.01)
    begin, end = scenes.shown_span(times, 0.5 * times, (3.0, 5.0))
    assert 0.5 * begin == pytest.approx(3.0 - scenes.SHOWN_BEFORE, abs=0.01)
    assert 0.5 * end == pytest.approx(5.0 + scenes.SHOWN_AFTER, abs=0.01)
    _, late = scenes.shown_span(times, np.minimum(0.5 * times, 4.0), (3.0, 5.0))
    assert late == begin + scenes.LONGEST  # stuck on the patch


def test_a_jump_that_sixteen_bits_cannot_hold_is_refused():
    with pytest.raises(
        InvalidParameter, match="a recorded step is 40000, but must be at most 32767"
    ):
        scenes.packed(np.array([[0], [40000]]))


def test_each_scene_is_recorded_small_and_without_anything_from_elsewhere():
    assert {page.stem for page in PAGES} == set(scenes.STORIES)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(text) < LARGEST
        assert re.findall(r"https?:|\bsrc=|\bhref=|\bimport\b", text) == []
        story = scenes.STORIES[page.stem]
        assert text == scenes.played(story, scenes.recording_of(text)), (
            "python -m studies scenes --player"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_recorded_walk_begins_near_its_patch(page):
    for walk in recording(page)["walks"]:
        x = scenes.UNIT * unpacked(walk)[:, 0]
        patch = walk["floor"][1]
        assert patch["from"] - 1.0 < x[0] < patch["from"]
        assert patch["mu"] < walk["floor"][0]["mu"]


def test_on_ice_the_walk_without_a_limit_falls_and_the_other_one_does_not():
    page = next(page for page in PAGES if page.stem == "talos-ice")
    without, limited = recording(page)["walks"]
    assert without["ended"] == "fell"
    assert limited["ended"] != "fell"
    heights = [scenes.UNIT * unpacked(walk)[-1, 2] for walk in (without, limited)]
    assert heights[0] < 0.7 < 0.9 < heights[1]  # [m] of the base


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


DARK = """
const canvas = document.querySelector("canvas");
const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
let count = 0;
for (let k = 0; k < data.length; k += 4) count += data[k + 3] > 0 && data[k] < 200;
return count / (data.length / 4)"""


@pytest.mark.slow
@pytest.mark.parametrize("file", PAGES, ids=lambda page: page.stem)
def test_a_recorded_scene_plays_pauses_and_asks_nobody_for_anything(page, file):
    page.open(file.as_uri())
    page.shown("return view.frame > 0")
    page.driver.execute_script("play(false)")
    stopped = page.driver.execute_script("return view.frame")
    assert page.driver.execute_script(DARK) > 0.01, "no robot, no floor"
    assert page.sideways(height=480) == {}
    assert page.driver.execute_script("return view.frame") == stopped
    assert page.errors() == []
    assert page.outside() == []
