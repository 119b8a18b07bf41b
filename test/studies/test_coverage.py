# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often intervals of the chance of a slip hold the truth, in worlds whose chance is
known."""

import numpy as np
import pytest

from biped_slip.gait_laboratory.slip_chance import DEFAULT
from studies.coverage import (
    apart_world,
    coverage,
    normal_world,
    skewed_world,
    two_humped_world,
)


def test_the_intervals_of_the_default_hold_the_truth_where_a_bootstrap_does_not():
    kinds = coverage((DEFAULT, "bootstrap"), sizes=(10,), chances=(0.01,), studies=60)
    found = [one for kind in kinds for one in kind]
    worst = {
        name: min(one.held for one in found if one.method == name)
        for name in (DEFAULT, "bootstrap")
    }
    # 60 studies scatter by 3 %; 1000 of every kind are a command
    assert worst[DEFAULT] >= 0.88
    assert worst["bootstrap"] < 0.5


@pytest.mark.parametrize(
    "world", [normal_world, skewed_world, two_humped_world, apart_world]
)
def test_the_true_chance_of_a_made_up_world_is_what_its_draws_show(world):
    made = world()
    rng = np.random.default_rng(4)
    for gap in (0.0, 0.05):
        steps = made.step(rng, 40_000)
        readings = made.reading(gap)(rng, 40_000)
        assert np.mean(readings < steps) == pytest.approx(made.chance(gap), abs=0.01)
