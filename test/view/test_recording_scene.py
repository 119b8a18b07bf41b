# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Replayed recordings as scenes, and scenes in reports."""

import dataclasses

import numpy as np
import pytest

from biped_slip.recordings.gait import Recording
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.replay import FIELDS, answer
from biped_slip.recordings.report import write_report
from biped_slip.recordings.series import TimeSeries, absent

pytest.importorskip("viser", reason="viser is not installed (extra view)")

from biped_slip.view.page import scene_pieces
from biped_slip.view.recording_source import RecordingSource
from biped_slip.view.scene import loaded

COUNT = 1000
PLATE = np.array([[2.0, 1.0, 0.0], [2.6, 1.0, 0.0], [2.6, 1.4, 0.0], [2.0, 1.4, 0.0]])


def stance(name, begin_ns, plate):
    """A second of 700 N and 70 N forward that walks over a plate."""
    stamps = begin_ns + np.arange(COUNT) * 1_000_000
    force = np.tile((70.0, 0.0, 700.0), (COUNT, 1))
    path = (
        np.column_stack([np.linspace(0.1, 0.5, COUNT), np.full(COUNT, 0.2)])
        + plate[0, :2]
    )
    empty = absent(COUNT, 3)
    series = TimeSeries(
        name=name,
        stamp_ns=stamps,
        force=force,
        moment=np.zeros((COUNT, 3)),
        displacement=absent(COUNT, 2),
        velocity=absent(COUNT, 2),
        angular_rate=empty,
    )
    return dataclasses.replace(
        series, pressure=path, outline=plate, provenance=("trial.c3d",)
    )


@pytest.fixture(scope="module")
def answered():
    second = PLATE + np.array([0.7, -0.5, 0.0])
    series = stance("plate 1", 0, PLATE), stance("plate 2", 800_000_000, second)
    return answer(Recording("trial.c3d", series, Processing()), "interval")


def test_forces_act_where_the_plates_say_and_only_while_they_are_recorded(answered):
    source = RecordingSource(answered, "trial")
    assert np.mean(
        [piece.corners.mean(axis=0) for piece in source.scene.floor], axis=0
    ) == pytest.approx(np.zeros(3))
    plate = source.scene.floor[0].corners
    instant = source.instant(500)
    assert loaded(source.scene, instant).tolist() == [
        True,
        False,
    ]  # the second plate's recording begins at 0.8 s
    assert instant.forces[0] == pytest.approx([70.0, 0.0, 700.0])
    assert instant.pressure[0] == pytest.approx(plate[0] + (0.3, 0.2, 0.0), abs=1e-3)
    assert instant.numbers.ratio[0] == pytest.approx(0.1)
    both = source.instant(900)
    assert loaded(source.scene, both).tolist() == [True, True]
    assert both.zmp == pytest.approx(both.pressure.mean(axis=0))


def test_bounds_are_the_estimators_and_an_upper_one_only_where_it_is_usable(answered):
    numbers = RecordingSource(answered, "trial").numbers(np.array([100, 900]))
    rows = answered.feet[0].answers[[100, 900]]
    assert numbers.low[:, 0] == pytest.approx(
        rows[:, FIELDS.index("mu_low")], nan_ok=True
    )
    assert not rows[:, FIELDS.index("usable")].any()
    assert np.isnan(numbers.high[:, 0]).all()


def test_a_report_holds_its_scene_and_asks_nobody_for_anything(answered, tmp_path):
    page = write_report(
        tmp_path, answered, scene_pieces(lambda: [RecordingSource(answered, "trial")])
    )
    text = page.read_text(encoding="utf-8")
    assert len(text) < 5_000_000
    assert text.count("<iframe") == 1
    assert "__VISER_EMBED_DATA__" in text


def test_a_report_without_the_libraries_says_what_is_missing(answered, monkeypatch):
    monkeypatch.setattr("biped_slip.view.server.find_spec", lambda name: None)
    assert ".[view]" in "".join(
        scene_pieces(lambda: [RecordingSource(answered, "trial")])
    )
