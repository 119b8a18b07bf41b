# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a scene that no browser draws: a pinhole's geometry, what hides what, a GIF that moves."""

import io
import math

import numpy as np
import pytest

pytest.importorskip("trimesh", reason="trimesh is not installed (extra view)")

from PIL import Image

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from biped_slip.simulation.planar.walk import chosen_scenario, run_walk
from biped_slip.view.moving import (
    RATE,
    Span,
    StillPainter,
    before_the_eye,
    camera,
    moving_picture,
    robot_triangles,
    rotation,
)
from biped_slip.view.walk_sources import PlanarSource

SIZE = (300, 200)


@pytest.fixture(scope="module")
def source():
    scenario = chosen_scenario("thesis")
    return PlanarSource(run_walk(scenario, "interval").log, scenario, "interval")


def test_what_is_looked_at_is_in_the_middle_and_a_metre_there_is_as_wide_as_said():
    eye, at = np.array([1.0, -2.0, 0.7]), np.array([0.3, 0.4, 0.2])
    seen = camera(eye, at, SIZE, wide=1.5)
    aside = np.cross(at - eye, (0.0, 0.0, 1.0))
    ends = np.array([at, at + aside / np.linalg.norm(aside), at + np.array([0.0, 0.0, 0.01])])
    middle, right, up = seen.pixels(seen.seen(ends))
    assert middle == pytest.approx((150.0, 100.0))
    assert right - middle == pytest.approx((200.0, 0.0))
    assert up[0] == pytest.approx(150.0)
    assert up[1] < 100.0


def test_a_floor_that_reaches_behind_the_eye_is_cut_there():
    whole = np.array([(-1.0, 1.0, 2.0), (1.0, 1.0, 2.0), (1.0, 1.0, -2.0), (-1.0, 1.0, -2.0)])
    cut = before_the_eye(whole)
    assert len(cut) == 4
    assert cut[:, 2].min() == pytest.approx(0.05)
    assert len(before_the_eye(whole - np.array([0.0, 0.0, 5.0]))) == 0
    assert np.array_equal(before_the_eye(whole[:2]), whole[:2])


def test_a_quaternion_turns_as_its_axis_says():
    half = 0.5 * 0.7
    turn = rotation(np.array([math.cos(half), 0.0, 0.0, math.sin(half)]))
    assert turn @ (1.0, 0.0, 0.0) == pytest.approx((math.cos(0.7), math.sin(0.7), 0.0))
    assert turn @ turn.T == pytest.approx(np.eye(3))


def test_the_robot_stands_on_the_floor_where_its_log_says(source):
    i = 3000
    instant = source.instant(i)
    corners, colours = robot_triangles(source.scene, instant)
    assert corners.shape[1:] == (3, 3)
    assert len(corners) == len(colours)
    x = instant.soles[:, 0]
    assert corners[..., 0].min() == pytest.approx(min(x), abs=0.15)
    assert corners[..., 2].min() == pytest.approx(0.0, abs=0.06)


def test_the_robot_is_in_the_middle_of_its_picture_and_the_floor_has_its_colours(source):
    i = int(np.searchsorted(source.times, 6.0))
    pictures = []
    for scene in (source.scene, source.scene._replace(shapes=())):
        pictures.append(np.asarray(StillPainter(scene, SIZE).paint(source.instant(i))).astype(int))
    rows, columns = np.nonzero(np.abs(pictures[0] - pictures[1]).max(axis=2) > 20)
    assert len(rows) > 0.01 * SIZE[0] * SIZE[1]
    assert np.ptp(rows) > 0.5 * SIZE[1]
    assert 0.35 * SIZE[0] < np.median(columns) < 0.65 * SIZE[0]


def test_a_moving_picture_moves_stays_small_and_repeats(source):
    span = Span(5.0, 6.0)
    gif = Image.open(io.BytesIO(moving_picture([source], span)))
    assert gif.n_frames == round(RATE)
    assert gif.info["loop"] == 0
    frames = []
    for k in (0, gif.n_frames - 1):
        gif.seek(k)
        frames.append(np.asarray(gif.convert("RGB")).astype(int))
    assert np.mean(np.abs(frames[0] - frames[1]).max(axis=2) > 20) > 0.01
    whole = len(moving_picture([source], span))
    assert len(moving_picture([source], span, largest=whole - 1)) < whole
    with pytest.raises(BipedSlipError, match="may have 10"):
        moving_picture([source], span, largest=10)
    with pytest.raises(BipedSlipError, match="would begin at 90 s"):
        moving_picture([source], Span(90.0))


def test_the_command_writes_the_moving_picture_of_a_sample(tmp_path):
    pytest.importorskip("viser", reason="viser is not installed (extra view)")
    file = tmp_path / "slide.gif"
    assert main(["view", "slide", "--gif", str(file), "--span", "2", "2.5"]) == 0
    assert Image.open(file).n_frames == round(0.5 * RATE)
