# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Controllers that lose ticks while the robot moves on."""

from studies.stalls import stalls


def _of(found, lost):
    return [one for one in found if one.lost == lost]


def test_a_robot_outlives_lost_ticks_and_a_long_stall_ends_in_the_documented_fault(
    tmp_path,
):
    found = list(
        stalls(
            2,
            ["thesis_sensors"],
            str(tmp_path / "stalls.jsonl"),
            lambda one: None,
            (1, 20, 60),
        )
    )
    assert len(_of(found, 1)) == len(_of(found, 20)) == len(_of(found, 60)) == 2
    assert not any(
        one.fell or one.stopped
        for one in _of(found, 1) + _of(found, 20) + _of(found, 0)
    )
    assert all(one.stopped.startswith("own stall") for one in _of(found, 60))


def test_a_stalled_robot_moves_on_and_what_was_tried_is_not_tried_again(tmp_path):
    path = tmp_path / "stalls.jsonl"
    told = []
    first = list(stalls(1, ["thesis_sensors"], str(path), told.append, (400,)))
    # nobody stands for 0.4 s under one torque
    assert _of(first, 400)[0].fell or _of(first, 400)[0].stopped
    written = path.read_text()
    assert list(stalls(1, ["thesis_sensors"], str(path), told.append, (400,))) == first
    assert path.read_text() == written
