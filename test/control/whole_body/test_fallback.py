# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A program without an answer, or a base whose estimate breaks down, does not make
TALOS fall."""

import numpy as np
import pytest

from biped_slip.control.whole_body.footsteps import Phase
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk

pytestmark = pytest.mark.compiled


def walk_without_patch(**arguments):
    mapping = chosen_walk("talos").to_mapping()
    mapping["patch"]["length"] = 0.0
    return HumanoidWalk(
        HumanoidWalkConfig.from_mapping(mapping), "interval", 1, **arguments
    )


def failing(solver):
    def solve(program):
        solution = solver(program)
        return solution._replace(x=np.full_like(solution.x, np.nan), solved=False)

    return solve


@pytest.mark.parametrize("phase", [Phase.STAND, Phase.TRANSFER])
def test_when_the_solver_fails_on_both_feet_the_virtual_model_stands(phase):
    walk = walk_without_patch(true_base=True)
    ticks = 0
    while ticks < 50:
        answer = walk.tick().answer
        ticks += answer is not None and answer.phase == phase
    walk.sequencer.controller.whole_body.solver = failing(
        walk.sequencer.controller.whole_body.solver
    )
    before = walk.world.plant.state.q[:3].copy()
    for _ in range(1000):
        record = walk.tick()
        assert record.fallback
        assert np.isfinite(record.torques).all()
    assert not walk.world.fell
    assert np.abs(walk.world.plant.state.q[:3] - before).max() < 0.03
    assert np.abs(walk.world.plant.state.v[:6]).max() < 0.05


def test_when_the_solver_is_back_the_program_takes_over_again():
    walk = walk_without_patch(true_base=True)
    while walk.tick().answer is None:
        pass
    sound = walk.sequencer.controller.whole_body.solver
    walk.sequencer.controller.whole_body.solver = failing(sound)
    assert walk.tick().fallback
    walk.sequencer.controller.whole_body.solver = sound
    stood = [walk.tick().fallback for _ in range(500)]
    assert stood[:290] == [True] * 290
    assert not any(stood[320:])
    assert not walk.world.fell


def test_a_base_that_is_lost_is_looked_for_again_while_the_joints_hold(monkeypatch):
    walk = walk_without_patch()
    while walk.tick().answer is None:
        pass
    observe = walk.sequencer.controller._senses._observer.step
    nowhere = np.full(3, np.nan)
    with monkeypatch.context() as broken:
        lost = lambda *all: observe(*all)._replace(position_base_in_odom=nowhere)  # noqa: E731
        broken.setattr(walk.sequencer.controller._senses._observer, "step", lost)
        assert walk.tick().answer is None
    answers = [walk.tick().answer for _ in range(400)]
    assert answers[0] is None
    assert answers[-1] is not None
    assert not walk.world.fell
