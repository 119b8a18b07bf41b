# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The integration step of the planar robot follows from the error that is allowed."""

import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.plant import PlantConfig, choose_step
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.world import PlanarWorld


def test_a_smaller_error_takes_more_steps_and_a_world_takes_the_step_it_is_told_to_find():
    robot = planar_biped("thesis")
    targets = (1e-3, 1e-4, 1e-6)
    choices = [choose_step(robot, PlantConfig(), target) for target in targets]
    assert [choice.steps for choice in choices] == sorted(
        choice.steps for choice in choices
    )
    assert choices[0].steps < choices[-1].steps
    for choice, target in zip(choices, targets, strict=True):
        assert choice.error <= target
        assert choice.steps * choice.step_ns == 1_000_000
    world = PlanarWorld(ScenarioConfig.from_mapping({"plant": {"error_target": 1e-4}}))
    assert world.plant.config.step_ns == choices[1].step_ns


def test_the_default_step_errs_by_less_than_three_micrometres():
    choice = choose_step(planar_biped("thesis"), PlantConfig(), 3e-6)
    assert choice.step_ns >= PlantConfig().step_ns


def test_an_error_out_of_reach_is_refused():
    with pytest.raises(
        InvalidParameter,
        match=r"target is 1e-15, but must be >= .* m, the error of 40 steps",
    ):
        choose_step(planar_biped("thesis"), PlantConfig(), 1e-15)
