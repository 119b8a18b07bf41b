# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid that stands on both feet by springs and dampers on its body."""

import numpy as np
import pytest

from biped_slip.control.whole_body.standing import (
    VirtualStandingConfig,
    stand,
    stand_here,
)
from biped_slip.control.whole_body.tasks import TermsSource
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.humanoid import humanoid_body

CONFIG = VirtualStandingConfig()


def stood(seconds, push, limit):
    """Log of TALOS pushed sideways for 0.2 s after 1 s, and the forces that its soles
    were to give (ticks, 2, 3)."""
    humanoid = load_humanoid("talos")
    body = humanoid_body(humanoid)
    world = FloatingWorld(
        humanoid, FloatingScenarioConfig.from_mapping({"duration": seconds})
    )
    source = TermsSource(humanoid.robot)
    aim = None
    planned = []
    while not world.ended:
        world.read()
        q = world.plant.state.q
        v = world.plant.state.v
        terms = source.at(q, v)
        aim = aim or stand_here(terms, q)
        answer = stand(terms, q, v, body, aim, (limit, limit), CONFIG)
        planned.append(answer.forces)
        sideways = push * humanoid.weight if 1000 <= world.plant.ticks < 1200 else 0.0
        world.advance(answer.torques, np.array([0.0, sideways, 0.0, 0.0, 0.0, 0.0]))
    assert not world.fell
    return humanoid, world.log.trim(), np.array(planned)


@pytest.mark.compiled
def test_talos_stands_three_seconds_and_a_small_push_moves_it_little():
    humanoid, log, planned = stood(3.0, push=0.05, limit=0.3)
    moved = log.q[:, :3] - log.q[0, :3]
    assert np.abs(moved).max() < 0.02
    assert np.abs(moved[-1] - moved[999]).max() < 0.005
    assert planned[990:1000, :, 2].sum(axis=1) == pytest.approx(
        humanoid.weight, rel=0.01
    )
    assert log.wrench[990:1000, :, 2].sum(axis=1) == pytest.approx(
        humanoid.weight, rel=0.01
    )
    assert np.abs(log.sole_position - log.sole_position[0]).max() < 0.002


@pytest.mark.compiled
def test_no_sole_is_to_give_more_than_its_friction_allows():
    _, log, planned = stood(1.2, push=0.1, limit=0.06)
    in_sole = np.einsum("tfji,tfj->tfi", log.sole_rotation, planned)
    ratio = np.linalg.norm(in_sole[:, :, :2], axis=2) / np.maximum(
        in_sole[:, :, 2], 1e-9
    )
    assert ratio.max() == pytest.approx(0.06, rel=1e-3)
    assert in_sole[:, :, 2].min() >= 0.0
