# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation that diverges is named so, and is no verdict on the walk."""

import json
from dataclasses import replace

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.cli.terminal import walk_exit_code
from biped_slip.contact.ground import GroundConfig
from biped_slip.contact.point_contact import contact_law, longest_damped_step
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation import campaign
from biped_slip.simulation.divergence import DIVERGED_FORCE, check_force
from biped_slip.simulation.planar import plant as plants
from biped_slip.simulation.planar import world as worlds
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from biped_slip.simulation.planar.summary import WalkSummary
from biped_slip.simulation.planar.walk import Walk
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.simulation.stances import StanceSlide
from biped_slip.simulation.summary import Summary

LUGRE = "hunt_crossley + lugre"
SENTENCE = "simulation diverged at 0.500 s: largest speed is inf, limit 200"


def test_a_world_halves_the_step_until_the_law_bears_it_and_no_other_laws():
    world = PlanarWorld(chosen_scenario("demo", contact=LUGRE))
    assert world.plant.config.step_ns == 25_000
    assert world.scenario.plant.step_ns == 100_000
    for law in ("bliman_sorine", "featherstone", "bruneau"):
        world = PlanarWorld(chosen_scenario("demo", contact=f"hunt_crossley + {law}"))
        assert world.plant.config.step_ns == 100_000, law


def test_a_plant_refuses_a_step_that_the_law_does_not_bear_and_says_which_one_fits():
    config = chosen_scenario("demo", contact=LUGRE).plant
    with pytest.raises(InvalidParameter) as refused:
        plants.Plant(planar_biped("thesis"), GroundConfig(), config)
    words = "dt is 0.0001, but must be > 0 and <= 3.23e-05 s, the step at which c dt/m"
    assert str(refused.value).startswith(words), refused.value
    assert "take a smaller step or less damping" in str(refused.value)


def test_the_longest_step_is_where_the_damper_turns_half_of_the_motion_in_a_step():
    law = contact_law(LUGRE, {"friction": {"bristle_damping": 100.0}})
    assert longest_damped_step(law, 2.0, 5.0) == pytest.approx(0.5 * 2.0 / 500.0)
    assert longest_damped_step(contact_law("linear + dahl"), 2.0, 5.0) == np.inf


def test_a_step_too_long_for_the_law_ends_as_diverged_and_not_as_a_fall(monkeypatch):
    """LuGre's law at the default step, which it does not bear."""
    monkeypatch.setattr(worlds, "with_chosen_step", lambda robot, config: config)
    monkeypatch.setattr(plants, "check_time_step", lambda *of, **more: None)
    scenario = chosen_scenario("demo", contact=LUGRE, seed=1)
    walk = Walk(scenario, planar_policy("touchdown", scenario), 1)
    while not walk.ended:
        walk.tick()
    assert not walk.fell
    assert "force along the floor less 50 mu F_n in N is" in walk.diverged
    assert walk.plant.ticks < 1000
    assert np.isfinite(walk.log.trim().q).all()


def test_a_force_is_absurd_above_fifty_times_the_cone_and_the_weight():
    check_force(DIVERGED_FORCE * 34.0, 34.0, 1.0)
    for beyond in (1.01 * DIVERGED_FORCE * 34.0, np.inf, np.nan):
        with pytest.raises(SimulationDiverged, match=r"diverged at 1\.000 s: force"):
            check_force(beyond, 34.0, 1.0)


def test_a_divergence_ends_the_compiled_walk_where_it_ends_the_others():
    scenario = changed(
        chosen_scenario("thesis"), {"duration": 1.0, "plant.speed_limit": 4.0}
    )
    one, other = (Walk(scenario, planar_policy("thesis", scenario)) for _ in range(2))
    log = one.run()
    while not other.ended:
        other.tick()
    assert one.diverged == other.diverged
    assert "largest speed is 4." in one.diverged
    assert not one.fell
    assert one.plant.ticks == other.plant.ticks < 1000
    np.testing.assert_array_equal(log.q, other.log.trim().q)


def summary(diverged=SENTENCE, fell=False):
    slide = StanceSlide("left", 0.1, 0.2, 0.09)
    return WalkSummary(fell, 0.5, 0.2, 0.09, (slide,), (), 1.0, diverged=diverged)


def test_a_diverged_walk_has_no_verdict_in_words_code_and_json():
    end = summary()
    assert end.end == "diverged"
    assert str(end) == f"no verdict on the walk: {SENTENCE}."
    assert walk_exit_code(end) == 2
    assert not end.passes(0.0)
    assert not replace(end, max_stance_slip=0.0).upright_without_slip()
    mapping = json.loads(json.dumps(end.to_mapping()))
    assert mapping["diverged"] == SENTENCE
    assert mapping["fell"] is False
    assert WalkSummary.from_mapping(mapping) == end
    del mapping["diverged"]  # written before there was one
    assert WalkSummary.from_mapping(mapping).diverged == ""
    assert Summary(False, 1.0, 1.0, 0.0, ()).end == "still stood"


def test_a_campaign_counts_diverged_walks_apart():
    job = PlanarJob("thesis", "none", 1)
    ends = [summary(), summary(diverged="", fell=True), summary(diverged="")]
    (row,) = campaign.table([campaign.Outcome(job, end, False, (1.0,)) for end in ends])
    assert (row.runs, row.diverged, row.fell) == (3, 1, 1)
    assert (row.slipped, row.fell_or_slid_far) == (2, 2)


def test_the_walk_command_tells_a_divergence_and_a_halved_step(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(Walk, "walk_on", lambda walk, ticks: walk.tick())
    path = tmp_path / "short.yaml"
    path.write_text(
        f"duration: 0.4\ncontact: {LUGRE}\nplant: {{speed_limit: 2.0}}\n",
        encoding="utf-8",
    )
    found = tmp_path / "walk.json"
    code = main(
        ["walk", "--scenario", str(path), "--limit", "none", "--json", str(found)]
    )
    out = " ".join(capsys.readouterr().out.split())
    assert code == 2
    assert "plant step: 25 us in the place of 100 us" in out
    assert "no verdict on the walk: simulation diverged at" in out
    assert "It fell" not in out
    (result,) = json.loads(found.read_text(encoding="utf-8"))["results"]
    assert result["diverged"].startswith("simulation diverged at")
    assert (result["fell"], result["fall"]) == (False, "")
