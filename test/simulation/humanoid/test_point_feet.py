# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bolt, a robot on two points that can't stand, steps from the first moment and keeps
stepping."""

import numpy as np
import pytest

from biped_slip.control.whole_body.footsteps import Phase
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import HumanoidSequencer, chosen_walking
from biped_slip.walking.slip_policies import slip_policy

STEPPING = 6.0  # [s]


def walked(seed, **changes):
    """Six seconds of Bolt on its own sensors under the interval estimator's limit, the
    phases, the forces planned."""
    mapping = chosen_walk("bolt").to_mapping()
    mapping.update(changes)
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "interval", seed)
    forces = []
    while not walk.ended and walk.world.plant.ticks < 1000 * STEPPING:
        answer = walk.tick().answer
        if answer is not None:
            forces.append(answer.forces)
    log = walk.world.log.trim()
    return walk, log, np.array([tick.phase for tick in walk.ticks]), np.array(forces)


@pytest.fixture(scope="module", params=[11, 12])
def in_place(request):
    return walked(request.param, speed=0.0)


def test_it_keeps_stepping_in_place(in_place):
    walk, log, _, _ = in_place
    assert not walk.world.fell
    assert np.abs(log.q[-1, :2]).max() < 0.3
    lifts = np.count_nonzero(
        np.diff((log.normal > 0.2 * walk.humanoid.weight).astype(int), axis=0) > 0
    )
    assert lifts > 4.0 * STEPPING  # five steps a second


def test_it_never_stands(in_place):
    assert not np.any(in_place[2] == Phase.STAND)


def test_what_it_plans_stays_inside_the_limit_of_an_unknown_floor(in_place):
    walk, _, _, forces = in_place
    # the gait's need, at the gate before a lift
    above = sum(max(tick.limits) > 0.3001 for tick in walk.ticks)
    assert all(min(tick.limits) == pytest.approx(0.3) for tick in walk.ticks)
    assert above < 0.01 * len(walk.ticks)
    assert all(tick.solved for tick in walk.ticks)
    planned = np.hypot(forces[..., 0], forces[..., 1]) - 0.3 * forces[..., 2]
    assert planned.max() < 1e-4 * walk.humanoid.weight
    assert summarise_humanoid(walk).max_stance_slip < 0.005


@pytest.mark.parametrize("seed", range(1, 9))
def test_it_catches_itself_before_any_floor_is_known(seed):
    """With the limit of a robot that may wait, 0.06 on feet that have not landed, most
    fell within half a second."""
    walk = HumanoidWalk(chosen_walk("bolt"), "touchdown", seed)
    while walk.world.plant.ticks < 1000:
        walk.tick()
    assert not walk.world.fell


@pytest.mark.parametrize("seed", [11, 12])
def test_it_walks_forward_and_keeps_its_heading(seed):
    walk, log, _, _ = walked(seed, speed=0.2, start=0.0)
    assert not walk.world.fell
    late = log.time > 3.0
    assert (log.q[late, 0][-1] - log.q[late, 0][0]) / 3.0 == pytest.approx(
        0.2, abs=0.06
    )
    x, y, z, w = log.q[-1, 3:7]
    assert abs(np.arctan2(2.0 * (x * y + z * w), 1.0 - 2.0 * (y * y + z * z))) < 0.3


def test_who_cannot_stand_is_not_asked_to_shift_its_weight():
    walking = chosen_walking("bolt")
    policy = slip_policy("none", walking.policy_settings(10.0))
    sequencer = HumanoidSequencer(walking, policy)
    sequencer.check_sensors_first()
    assert sequencer.sway is None
