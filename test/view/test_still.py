# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a scene that no browser draws: their geometry, the robot in the middle, a
GIF that moves."""

import io

import numpy as np
import pytest

pytest.importorskip("trimesh", reason="trimesh is not installed (extra view)")

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.view.moving import (
    PANEL,
    PICTURE,
    PICTURE_RATE,
    TO_THE_EYE,
    TO_THE_LIGHT,
    TO_THE_RIGHT,
    WalkPanel,
    moving_picture,
    robot_triangles,
)
from biped_slip.view.planar_source import PlanarSource
from biped_slip.view.scene import ShownSpan

SIZE = PANEL


class OneScene:
    """A walk with another scene around it."""

    def __init__(self, source, scene):
        self.scene = scene
        self.times = source.times
        self.instant = source.instant


@pytest.fixture(scope="module")
def source():
    scenario = chosen_scenario("thesis")
    return PlanarSource(run_walk(scenario, "interval").log, scenario, "interval")


def test_a_metre_across_the_view_is_a_metre_and_up_is_up():
    assert np.linalg.norm(PICTURE, axis=0) == pytest.approx((1.0, 1.0))
    assert TO_THE_EYE @ PICTURE == pytest.approx((0.0, 0.0))
    assert TO_THE_RIGHT @ PICTURE == pytest.approx((1.0, 0.0))
    assert PICTURE[2, 0] == pytest.approx(0.0)
    assert PICTURE[2, 1] > 0.5
    assert TO_THE_LIGHT @ TO_THE_EYE > 0.0  # what is seen is lit


def test_the_robot_stands_on_the_floor_where_its_log_says(source):
    i = 3000
    instant = source.instant(i)
    corners, colours = robot_triangles(source.scene, instant)
    assert corners.shape[1:] == (3, 3)
    assert len(corners) == len(colours)
    x = instant.soles[:, 0]
    assert corners[..., 0].min() == pytest.approx(min(x), abs=0.15)
    assert corners[..., 2].min() == pytest.approx(0.0, abs=0.06)


def test_the_robot_is_in_the_middle_of_its_picture_and_the_floor_has_its_colours(
    source,
):
    i = int(np.searchsorted(source.times, 6.0))
    pictures = []
    for scene in (source.scene, source.scene._replace(shapes=())):
        figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100)
        canvas = FigureCanvasAgg(figure)
        WalkPanel(figure.add_axes((0.0, 0.0, 1.0, 1.0)), OneScene(source, scene)).show(
            float(source.times[i])
        )
        canvas.draw()
        pictures.append(np.asarray(canvas.buffer_rgba())[..., :3].astype(int))
    rows, columns = np.nonzero(np.abs(pictures[0] - pictures[1]).max(axis=2) > 20)
    assert len(rows) > 0.01 * SIZE[0] * SIZE[1]
    assert np.ptp(rows) > 0.5 * SIZE[1]
    assert 0.35 * SIZE[0] < np.median(columns) < 0.65 * SIZE[0]


def test_a_moving_picture_moves_stays_small_and_repeats(source):
    span = ShownSpan(5.0, 5.5)
    whole = moving_picture([source], span)
    gif = Image.open(io.BytesIO(whole))
    assert gif.n_frames == round(0.5 * PICTURE_RATE)
    assert gif.info["loop"] == 0
    frames = []
    for k in (0, gif.n_frames - 1):
        gif.seek(k)
        frames.append(np.asarray(gif.convert("RGB")).astype(int))
    assert np.mean(np.abs(frames[0] - frames[1]).max(axis=2) > 20) > 0.01
    assert len(moving_picture([source], span, largest=len(whole) - 1)) < len(whole)
    with pytest.raises(BipedSlipError, match="may have 10"):
        moving_picture([source], ShownSpan(5.0, 5.1), largest=10)
    with pytest.raises(BipedSlipError, match="would begin at 90 s"):
        moving_picture([source], ShownSpan(90.0))


def test_the_command_writes_the_moving_picture_of_a_sample(tmp_path):
    pytest.importorskip("viser", reason="viser is not installed (extra view)")
    file = tmp_path / "slide.gif"
    assert main(["view", "slide", "--gif", str(file), "--span", "2", "2.5"]) == 0
    assert Image.open(file).n_frames == round(0.5 * PICTURE_RATE)
