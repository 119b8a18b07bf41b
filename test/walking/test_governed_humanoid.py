# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller behind the friction governor gets the command that goes through; it is
one itself."""

from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.controller import checked_controller
from biped_slip.walking.governed_humanoid import GovernedHumanoid
from biped_slip.walking.humanoid import HumanoidWalkingConfig, standing_readings
from biped_slip.walking.registry import humanoid_controller, humanoid_controller_names
from biped_slip.walking.slip_policies import slip_policy

ROBOT = "g1"
SPEED = 0.8


class Told:
    """A controller that keeps what it is told, and says what its floor holds."""

    moving = True
    reserve = None

    def __init__(self, mu=None):
        self.speed_scale = 1.0
        self.turn = 0.0
        self.mu = mu
        self.scales = []

    def reset(self):
        self.scales = []

    def step(self, readings, estimates=None):
        self.scales.append(self.speed_scale)
        known = NO_ESTIMATE
        if self.mu is not None:
            known = NO_ESTIMATE._replace(
                mu=self.mu,
                mu_q05=self.mu,
                usable=True,
                force_ratio=0.1,
                state_code=int(EstimateState.USABLE),
            )
        return SimpleNamespace(torques=np.zeros(29), estimates=(known, known))


def walked(controller, ticks=1500, start=0.0, turn=0.0):
    """What a governed controller was told while its robot stands."""
    humanoid = load_humanoid(ROBOT)
    governed = checked_controller(
        "governed", GovernedHumanoid(controller, SPEED, humanoid.weight, start=start)
    )
    governed.turn = turn
    for readings in islice(standing_readings(humanoid), ticks):
        governed.step(readings)
    return governed


def test_on_a_good_floor_the_whole_command_reaches_the_controller():
    controller = Told(0.9)
    walked(controller, turn=0.2)
    assert controller.scales[-1] == 1.0
    assert controller.turn == 0.2


def test_on_ice_nothing_does_and_the_floor_is_named_as_the_reason():
    controller = Told(0.05)
    governed = walked(controller, turn=0.2)
    assert controller.scales[-1] == 0.0
    assert controller.turn == 0.0
    assert governed.reserve.name == "floor"
    assert "0.05" in governed.reserve.detail


def test_before_the_start_the_controller_stands():
    controller = Told(0.9)
    walked(controller, ticks=1000, start=0.5)
    assert set(controller.scales[:500]) == {0.0}
    assert controller.scales[-1] == 1.0


def test_a_controller_without_estimates_walks_as_on_an_unknown_floor():
    controller = Told()
    config = FrictionGovernorConfig()
    walked(controller)
    passed = (
        config.assumed_friction - config.required.stand
    ) / config.required.per_speed
    assert controller.scales[-1] == pytest.approx(passed / SPEED)


def test_a_reset_begins_anew():
    governed = walked(Told(0.05))
    governed.reset()
    assert governed.answer is None
    assert (
        governed.governor.state.floors[0].holds
        == FrictionGovernorConfig().assumed_friction
    )


def test_every_controller_has_a_governed_name(tmp_path):
    (tmp_path / "told.py").write_text(
        "class Told:\n"
        "    speed_scale, moving, reserve = 1.0, False, None\n"
        "    def __init__(self, config, policy): pass\n"
        "    def reset(self): pass\n"
        "    def step(self, readings, estimates=None): pass\n",
        encoding="utf-8",
    )
    config = HumanoidWalkingConfig(robot=ROBOT)
    policy = slip_policy("none", config.policy_settings(300.0))
    controller = humanoid_controller(
        config, policy, f"governed:{tmp_path / 'told.py'}:Told"
    )
    assert isinstance(controller, GovernedHumanoid)
    assert "governed:NAME" in humanoid_controller_names()
