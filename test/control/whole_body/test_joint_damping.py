# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that rub as their description says are driven as if they did not."""

import numpy as np
import pytest

from biped_slip.control.whole_body.body import largest_friction
from biped_slip.control.whole_body.controller import WholeBodyController
from biped_slip.estimation.sensor_self_test import StandingJoints
from biped_slip.friction_estimation.limits import NoLimit
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import humanoid_body
from biped_slip.walking.sensor_sway import (
    STILL_TIME_OF_CHECK,
    SWAYING,
    WEIGHT_SHIFT,
    WIDE_SHIFT,
    SensorSway,
)

TALOS = load_humanoid("talos")
QUARTER = STILL_TIME_OF_CHECK + 0.25 * SWAYING  # [s] of the furthest shift


@pytest.fixture
def of_description():
    """Friction and damping of TALOS' description, as it was afterwards."""
    model = humanoid_body(TALOS).model
    before = model.damping.copy(), model.friction.copy()
    yield model
    model.damping[:], model.friction[:] = before


def first_answer():
    """What the controller is given at the first tick of a walk."""
    mapping = chosen_walk("talos").to_mapping()
    mapping["patch"]["length"] = 0.0
    config = HumanoidWalkConfig.from_mapping(mapping)
    walk = HumanoidWalk(config, "none", 1, true_base=True)
    controller = walk.sequencer.controller
    given = []
    step = controller.whole_body.step

    def recorded(*args, **kwargs):
        given.append(args)
        return step(*args, **kwargs)

    controller.whole_body.step = recorded
    while not given:
        walk.tick()
    # friction is not looked for: that of a damped robot is not in this one's forces
    return config.walking.controller, given[0]


@pytest.mark.compiled
def test_damping_of_the_description_is_added_to_the_torques(of_description):
    """The motion that is asked and the forces under the feet stay: a joint needs its
    damping times its rate more."""
    config, (state, *others) = first_answer()
    rng = np.random.default_rng(7)
    v = state.v.copy()
    v[6:] = rng.uniform(-0.05, 0.05, v.size - 6)
    moving = state._replace(v=v)
    torques = []
    damping = rng.uniform(0.5, 20.0, v.size - 6)
    for known in (np.zeros(v.size - 6), damping):
        of_description.damping[6:] = known
        controller = WholeBodyController(humanoid_body(TALOS), config, NoLimit())
        answer = controller.step(moving, *others)
        assert answer.solved
        torques.append(answer.torques)
    np.testing.assert_allclose(torques[1] - torques[0], damping * v[6:], atol=1e-4)


def test_friction_of_the_description_may_be_taken_beside_that_of_gears(of_description):
    body = humanoid_body(TALOS)
    gears = largest_friction(body, 0.04)
    of_description.friction[6:] = 3.0
    both = largest_friction(body, 0.04)
    legs = body.program.moved[: body.program.moved.size - body.program.waists] - 6
    turning = gears[legs] == 0.0
    np.testing.assert_allclose(both[legs][~turning], gears[legs][~turning] + 3.0)
    assert not both[legs][turning].any(), "nothing is taken about the vertical"


@pytest.mark.parametrize(
    ("apart", "expected"),
    [(0.17, WEIGHT_SHIFT), (0.25, WEIGHT_SHIFT), (0.32, 0.32 * WIDE_SHIFT)],
)
def test_a_robot_that_stands_wide_shifts_its_weight_further(
    monkeypatch, apart, expected
):
    """A fifth of the weight must pass from one foot to the other, of soles 0.32 m apart
    64 mm of a way: 4 cm to either side leave nothing for a robot that lags."""
    sway = SensorSway(TALOS.model)
    monkeypatch.setattr(sway._joints, "apart", apart)
    assert sway.command(QUARTER).shift == pytest.approx(expected)
    assert 2.0 * sway.command(QUARTER).shift / apart > 1.5 * 0.2


def test_the_way_between_the_soles_is_that_of_the_first_sample():
    standing = StandingJoints(TALOS.model, SOLES)
    assert standing.apart == 0.0
    standing.add(TALOS.standing()[7:])
    assert standing.apart == pytest.approx(humanoid_body(TALOS).width, abs=1e-6)
