# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The same robot, controller and scenario on every contact physics that a point foot
allows."""

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.contact.point_contact import ContactConfig
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    chosen_scenario,
    start_state,
)
from biped_slip.simulation.planar.walk import Walk

SLOW = [
    pytest.param(law, marks=pytest.mark.slow) for law in ("rengifo", "rodic")
]  # to compile
LAWS = [
    "hunt_crossley + bliman_sorine",
    "linear + stribeck",
    "bruneau",
    "khadiv",
    *SLOW,
]


def scenario(contact):
    return ScenarioConfig.from_mapping(
        {**chosen_scenario("thesis").to_mapping(), "contact": contact}
    )


@pytest.mark.compiled
@pytest.mark.parametrize("law", LAWS)
def test_the_robot_takes_its_first_steps_upright_on_every_law(law):
    chosen = scenario(law)
    walk = Walk(chosen, planar_policy("oracle", chosen))
    for _ in range(3000):
        walk.tick()
    log = walk.log
    assert chosen.plant.contact.law == law
    assert walk.height() > 0.6
    assert log.q[2999, 0] > 0.5
    weight = walk.robot.mass * 9.81
    assert np.mean(log.normal[1000:3000].sum(axis=1)) == pytest.approx(weight, rel=0.05)
    assert log.normal[:3000].min() >= 0.0


@pytest.mark.compiled
@pytest.mark.parametrize("law", SLOW)
def test_a_standing_robot_neither_sinks_nor_drifts_on_the_laws_that_solve_for_all_points(
    law,
):
    chosen = scenario(law)
    plant = Plant(
        Walk(chosen, planar_policy("none", chosen)).robot, chosen.ground, chosen.plant
    )
    start = start_state(chosen, plant.robot)
    plant.place(start.q, np.zeros_like(start.v), start.contact)
    position, _ = plant.motion(plant.state.q, plant.state.v)
    for _ in range(100):
        plant.advance(np.zeros(4))
    after, _ = plant.motion(plant.state.q, plant.state.v)
    moved = np.abs(after - position)
    assert np.all(after[:, 2] > -1e-4)
    assert moved[:, 0].max() < 1e-3


def test_a_word_a_sentence_and_a_mapping_choose_the_law_and_survive_a_round_trip():
    assert (
        type(ContactConfig.from_mapping("khadiv").friction).__name__
        == "RegularisedConfig"
    )
    assert ContactConfig.from_mapping("bruneau").normal.stiffness == 9950.0
    chosen = ContactConfig.from_mapping(
        {"law": "hertz + dahl", "friction": {"stiffness": 2000.0}}
    )
    assert chosen.friction.stiffness == 2000.0
    assert ContactConfig.from_mapping(chosen.to_mapping()) == chosen
    rengifo = ContactConfig.from_mapping({"law": "rengifo", "rengifo": {"k_p": 400.0}})
    assert ContactConfig.from_mapping(rengifo.to_mapping()).rengifo.k_p == 400.0
    assert ContactConfig.from_mapping(None) == ContactConfig()


def test_a_law_that_does_not_exist_or_does_not_fit_its_parameters_is_refused():
    with pytest.raises(UnknownName, match="unknown normal law 'jelly'"):
        scenario("jelly + dahl")
    with pytest.raises(
        InvalidParameter,
        match=r"'<normal law> \+ <friction law>', 'bruneau' or 'khadiv'",
    ):
        scenario("jelly")
    with pytest.raises(InvalidParameter, match=r"contact\.law"):
        ContactConfig(law="hertz + dahl")
    with pytest.raises(InvalidParameter, match=r"stiffness is -1"):
        scenario({"law": "linear + dahl", "normal": {"stiffness": -1.0}})


def test_a_step_too_large_for_the_contact_is_refused_at_the_start():
    stiff = scenario({"law": "linear + dahl", "normal": {"stiffness": 1e9}})
    with pytest.raises(InvalidParameter, match=r"dt is 0.0001, but must be .* k dt²/m"):
        Walk(stiff, planar_policy("none", stiff))


def test_the_walk_command_says_which_contact_it_ran_on(tmp_path, capsys, monkeypatch):
    # no loop to compile for two tenths
    monkeypatch.setattr(Walk, "walk_on", lambda walk, ticks: walk.tick())
    path = tmp_path / "short.yaml"
    path.write_text("duration: 0.2\ncontact: linear + stribeck\n", encoding="utf-8")
    main(["walk", "--scenario", str(path), "--limit", "none"])
    assert "contact: linear + stribeck" in capsys.readouterr().out
