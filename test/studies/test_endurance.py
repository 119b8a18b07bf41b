# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Long walks: patches all the way, and what counts as growing, slower or ended."""

from dataclasses import replace

import pytest

pytest.importorskip("pinocchio", reason="pinocchio is not installed")

from biped_slip.cli.terminal import Screen
from studies.endurance import SPEED, Endurance, patched, show

SOUND = Endurance(
    *(
        "g1",
        0,
        3,
        (25.0, 25.5, 24.8),
        (500.0, 510.0, 505.0),
        (380.0, 384.0, 379.0),
        (352.0, 352.5, 353.0),
    ),
    *((13.0, 28.0, 43.0), ""),
)


def test_the_whole_way_has_patches():
    config = patched("g1", 60)
    assert config.distance == pytest.approx(3600.0 * SPEED)
    assert len(config.course.patches) == round(config.distance / 10.0)


@pytest.mark.parametrize(
    "change",
    [
        {"ended": "it fell"},
        {"memory": (352.0, 353.0, 360.0)},
        {"processor": (25.0, 25.5, 28.0)},
        {"bare": (500.0, 510.0, 400.0)},
    ],
)
def test_a_walk_that_ends_grows_or_slows_down_misses(change):
    assert show([SOUND], Screen())
    assert not show([SOUND, replace(SOUND, **change)], Screen())


def test_a_computer_that_gets_slower_is_not_the_walk_s():
    assert show(
        [replace(SOUND, processor=(25.0, 51.0, 49.6), bare=(500.0, 1020.0, 1010.0))],
        Screen(),
    )
