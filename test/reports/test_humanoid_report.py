# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of humanoids' walks show what the log of the walk says."""

import re

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.reports.figures import FOOT_COLOURS, LIMIT, ratio_figure
from biped_slip.reports.humanoid_walks import footprint_figure, shown_ticks
from biped_slip.reports.stances import stance_rows
from biped_slip.reports.walks import write_humanoid_report
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.robots.stick_figures import link_lines, sole_outline
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.summary import loaded_stances
from biped_slip.simulation.humanoid.walk import HumanoidWalk


@pytest.fixture(scope="module")
def walk():
    mapping = chosen_walk("surena3").to_mapping()
    mapping.update(
        start=0.3,
        distance=0.3,
        patch={"length": 1.0, "earliest": 0.2, "latest": 0.2, "mu": 0.3},
    )
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "interval", 4)
    walk.run()
    return walk


def test_the_page_holds_its_pictures_and_loads_nothing_from_elsewhere(walk, tmp_path):
    page = write_humanoid_report(tmp_path / "deep", {"<interval>": walk})
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert text.count("data:image/png") == len(list(page.parent.glob("*.png"))) == 3
    assert "&lt;interval&gt;" in text
    assert "<interval>" not in text
    assert "mu = 0.8 with a patch of 0.3" in text
    assert "The floor was known in" in text


def test_the_stances_of_a_humanoid_are_those_of_its_log_with_what_its_controller_knew(
    walk,
):
    rows = stance_rows(walk.world.log)
    assert {row.foot for row in rows} == {"left", "right"}
    for row in rows:
        assert row.mu_true in (0.3, walk.config.mu)
        assert (
            (row.known_after is None)
            == (row.used_then is None)
            == (row.load_then is None)
        )
        if row.mu_low is not None:
            assert row.mu_low <= row.mu_true


def test_a_track_that_others_have_walked_has_the_same_report(walk, tmp_path):
    pages = [
        write_humanoid_report(tmp_path / name, {"interval": walked}).read_text(
            encoding="utf-8"
        )
        for name, walked in (("walk", walk), ("track", walk.world))
    ]
    assert pages[0] == pages[1]


def test_each_stance_leaves_one_footprint(walk):
    (axis,) = footprint_figure({"interval": walk}).axes
    stances = sum(len(list(loaded_stances(walk.world, foot))) for foot in (0, 1))
    patch = 1
    assert len(axis.patches) == stances + patch >= 3
    assert walk.world.patch == pytest.approx(
        axis.patches[0].get_extents().transformed(axis.transData.inverted()).intervalx
    )


def test_ratios_are_drawn_only_under_load_and_never_above_the_true_friction(walk):
    for foot, axis in enumerate(ratio_figure({"interval": walk.world.log}).axes):
        curves = {line.get_color(): line.get_ydata() for line in axis.lines}
        shown = curves[FOOT_COLOURS[foot]]
        assert np.isnan(shown).any()  # it swings
        assert np.isfinite(shown).any()
        assert np.nanmax(shown) <= walk.config.mu
        assert np.nanmin(curves[LIMIT]) > 0.0


def test_the_filmstrip_goes_along_the_way_to_its_end(walk):
    ticks = shown_ticks(walk)
    assert ticks == sorted(ticks)
    assert ticks[-1] == walk.world.log.length - 1
    steps = np.diff(walk.world.log.q[ticks, 0])
    assert steps == pytest.approx(np.full(len(steps), steps.mean()), abs=0.01)


def test_lines_join_hips_knees_and_soles_as_long_as_the_links_are():
    robot = load_humanoid("surena3")
    model = robot.model
    rng = np.random.default_rng(3)
    straight = link_lines(model, SOLES, robot.standing())
    bent = link_lines(
        model,
        SOLES,
        pin.integrate(model, robot.standing(), rng.normal(0.0, 0.3, model.nv)),
    )
    assert len(straight) == model.njoints - 2 + len(SOLES)
    lengths = [
        np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) for lines in (straight, bent)
    ]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-12)
    assert straight[-2:, 1, 2] == pytest.approx(0.0, abs=1e-9)


def test_a_sole_s_outline_is_closed_and_turns_with_it():
    turn = pin.utils.rotate("z", np.pi / 2)
    outline = sole_outline(
        ((0.1, 0.05), (-0.1, 0.05), (-0.1, -0.05), (0.1, -0.05)),
        np.array([1.0, 2.0, 0.0]),
        turn,
    )
    assert outline[0] == pytest.approx(outline[-1])
    assert outline[0] == pytest.approx([0.95, 2.1, 0.0])
