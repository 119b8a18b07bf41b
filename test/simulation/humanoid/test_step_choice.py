# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The number of integration steps follows the error that is asked for."""

import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlantConfig, choose_step
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


@pytest.mark.compiled
def test_a_smaller_error_takes_more_steps():
    talos = load_humanoid("talos")
    choices = [
        choose_step(talos, TerrainConfig(), FloatingPlantConfig(), target)
        for target in (1e-3, 1e-4, 1e-5)
    ]
    assert [choice.steps for choice in choices] == sorted(
        choice.steps for choice in choices
    )
    assert choices[0].steps < choices[-1].steps
    for choice, target in zip(choices, (1e-3, 1e-4, 1e-5), strict=True):
        assert choice.error <= target
        assert choice.steps * choice.step_ns == 1_000_000
    world = FloatingWorld(
        talos, FloatingScenarioConfig.from_mapping({"plant": {"error_target": 1e-4}})
    )
    assert world.plant.config.step_ns == choices[1].step_ns


@pytest.mark.compiled
def test_an_error_out_of_reach_is_refused():
    with pytest.raises(
        InvalidParameter,
        match=r"target is 1e-13, but must be >= .* m, the error of 40 steps",
    ):
        choose_step(
            load_humanoid("bolt"), TerrainConfig(), FloatingPlantConfig(), 1e-13
        )
