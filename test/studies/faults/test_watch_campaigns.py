# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sound robots are not accused, wrong sensors are named in time, and a stopped campaign
goes on where it was."""

import pytest

from studies import healthy
from studies.detection import KINDS, Detection, detections
from studies.healthy import HealthyWalk, healthy_walk, healthy_walks


@pytest.fixture(scope="module")
def seen():
    return list(detections(2, robots=["thesis_sensors"]))


def test_every_kind_is_tried_as_in_the_study_and_twice_as_large(seen):
    assert [(one.kind, one.magnitude) for one in seen] == [
        (k.kind, size) for k in KINDS for size in k.magnitudes
    ]


def test_wrong_sensors_of_the_planar_biped_are_named_in_time(seen):
    assert {
        one.kind: one.latencies for one in seen if one.in_time < one.injections
    } == {}


def test_what_is_named_too_late_does_not_count():
    assert (
        Detection(
            robot="r",
            kind="k",
            magnitude=1.0,
            unit="",
            within=0.1,
            latencies=(0.05, 0.1, 0.2),
            injections=4,
        ).in_time
        == 2
    )


def test_a_sound_walk_is_neither_stopped_nor_warned_of():
    walk = healthy_walk("thesis_sensors", 3)
    assert (walk.stop, walk.warnings, walk.fell) == ("", {}, False)
    assert walk.seconds == pytest.approx(12.0)


def test_walks_in_the_file_are_not_walked_again(tmp_path, monkeypatch):
    tried = []

    def short(name, seed):
        tried.append((name, seed))
        return HealthyWalk(name, seed, 30.0)

    monkeypatch.setattr(healthy, "healthy_walk", short)
    path = str(tmp_path / "walks.jsonl")
    assert len(list(healthy_walks(2.0, path, lambda _: None))) == 4
    assert len(list(healthy_walks(3.0, path, lambda _: None))) == 6
    assert len(tried) == len(set(tried)) == 6


def test_a_fall_is_a_bad_walk_and_no_false_alarm():
    assert HealthyWalk("talos", 0, 1.0, "joint limit: l_knee").stopped
    assert not HealthyWalk(
        "traction_sensors", 2, 1.0, "true joint limit: r_hip"
    ).stopped
    assert not HealthyWalk(
        "talos", 0, 1.0, "fall: the base has come too close to the floor"
    ).stopped
