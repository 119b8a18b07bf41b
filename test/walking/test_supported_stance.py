# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that stands, sits, hangs, holds a rail or has a foot on a step has asked the
floor nothing: by the currents of its motors there is no number, in whatever way it moves
there, also where earlier swings have judged its torques."""

import math

import numpy as np
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid_friction import HumanoidFriction, walking_by_currents
from synthetic.supported_stance import STANCES, supported_stance

SECONDS = 1.3  # one swing to and fro, after it has come to rest
SETTLED = 300  # samples
# share of the weight that feet truly bear in all, and whether both bear some always
BORNE = {
    "standing": (0.95, 1.05),
    "swaying": (0.95, 1.05),
    "sitting, its feet shuffle": (0.4, 0.8),
    "hanging, its legs swing": (0.0, 0.0),
    "hanging, its soles brush the floor": (0.3, 0.9),
    "a hand on a rail": (0.7, 0.9),
    "stepping in place on a rail": (0.5, 1.0),
    "a foot on a step": (0.95, 1.05),
}
# something else bears more than a third of the weight, all the time
CONTRADICTED = ("sitting, its feet shuffle", "hanging, its legs swing")


def judged() -> HumanoidFriction:
    """A listener that takes the torques for judged, as after a walk."""
    friction = HumanoidFriction(walking_by_currents("g1"), period=1e-3)
    friction._currents.check.judged = True
    return friction


@pytest.mark.slow
@pytest.mark.parametrize("name", BORNE)
def test_who_does_not_walk_gets_no_number(name):
    friction = judged()
    loads = []
    problems = []
    for raw, load in supported_stance(name, mu=0.4, seconds=SECONDS, seed=1):
        felt = friction.step(raw)
        loads.append(load)
        problems.append(felt.problem)
        for estimate in felt.estimates:
            assert math.isnan(estimate.mu)
            assert not estimate.usable
            # a foot that never swung has no zero: it has proved nothing, either
            assert not estimate.mu_demonstrated > 0.0
    assert friction.trusted
    least, most = BORNE[name]
    share = np.sum(loads[SETTLED:], axis=1).mean() / load_humanoid("g1").weight
    assert least <= share <= most
    if name in CONTRADICTED:
        assert {one.name for one in problems[SETTLED:] if one} == {
            "contradicted forces"
        }
        assert np.mean([bool(one) for one in problems[SETTLED:]]) > 0.9


def test_every_way_of_not_walking_is_one_of_the_stances():
    assert set(BORNE) == set(STANCES)
