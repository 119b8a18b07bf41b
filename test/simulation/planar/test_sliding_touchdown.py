# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A planar biped whose feet land sliding knows the floor under each of them from its
joints and ankle sensors."""

import numpy as np
import pytest

from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.walk import run_walk

ANSWERED = 0.02  # [s] after touchdown


@pytest.mark.parametrize("mu", [0.1, 0.4, 0.9])
def test_each_landing_tells_mu_before_the_foot_has_come_to_rest(mu):
    told = chosen_scenario("thesis_sensors").to_mapping()
    told["ground"] |= {"mu": (mu,), "edges": ()}
    told["motion"]["source"] = "both_feet"
    log = run_walk(ScenarioConfig.from_mapping(told), "touchdown", 5).log
    answer = log.estimate("mu")
    low = log.estimate("mu_low")
    late = round(ANSWERED / (log.time[1] - log.time[0]))
    landings = [
        (i, foot)
        for foot in range(2)
        for i in range(60, log.length - 100)
        if log.normal[i, foot] > 1.0 and not (log.normal[i - 50 : i, foot] > 1.0).any()
    ]
    assert len(landings) >= 6
    errors = np.array([answer[i + late, foot] - mu for i, foot in landings])
    assert np.all(np.abs(errors) < 0.025)
    assert sum(low[i + late, foot] > mu for i, foot in landings) <= 1  # 2.5 % may be


def test_a_foot_lands_so_softly_that_it_has_asked_before_it_bears_a_quarter_of_the_weight():
    told = chosen_scenario("thesis_sensors", sensors="realistic").to_mapping()
    told["ground"] |= {"mu": (0.08,), "edges": ()}
    walk = run_walk(
        ScenarioConfig.from_mapping(told | {"duration": 6.0}), "touchdown", 5
    )
    log = walk.log
    asked = 0
    for foot in range(2):
        bears = log.normal[:, foot] > 0.25 * log.weight
        for i in range(1000, log.length):
            if bears[i] and not bears[i - 400 : i].any():
                assert np.isfinite(log.estimate("mu")[i, foot])
                asked += 1
    assert asked >= 3
    assert not walk.summary.fell
    # a sliding stance foot is braked by its leg
    assert walk.summary.max_stance_slip < 0.01
