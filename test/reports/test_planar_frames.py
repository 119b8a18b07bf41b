# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from reports.walks import made_up_walk

from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.planar_walks import (
    FLIGHT,
    LONGEST_ARROW,
    biped_filmstrip,
    walk_frames,
)
from biped_slip.simulation.planar.scenario import ScenarioConfig

UPHILL = GroundConfig.from_mapping({"mu": [0.6, 0.4], "edges": [0.5], "slope": 0.15})
SCENARIO = ScenarioConfig.from_mapping({"ground": UPHILL.to_mapping()})
TIMES = np.linspace(0.0, 2.9, 30)


def test_drawn_feet_are_where_the_log_has_them():
    walk = made_up_walk(300, UPHILL)
    frames = walk_frames(walk, SCENARIO, TIMES)
    index = np.searchsorted(walk.log.time, TIMES)
    assert frames.soles[..., 0] == pytest.approx(walk.log.foot_x[index], abs=1e-9)
    assert frames.soles[..., 1] == pytest.approx(walk.log.foot_z[index], abs=1e-9)


def test_a_force_is_drawn_inside_its_cone_exactly_when_the_floor_can_hold_it():
    walk = made_up_walk(300, UPHILL)
    walk.log.tangential *= np.linspace(0.2, 1.8, 300)[:, None]
    frames = walk_frames(walk, SCENARIO, TIMES)
    index = np.searchsorted(walk.log.time, TIMES)
    loaded = frames.nearness != FLIGHT

    def cross(a, b):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

    back = frames.cones[:, :, 0]
    front = frames.cones[:, :, 1]
    inside = (cross(front, frames.arrows) > 0.0) & (cross(frames.arrows, back) > 0.0)
    holds = (
        np.abs(walk.log.tangential[index])
        < walk.log.mu_true[index] * walk.log.normal[index]
    )
    assert 0 < inside[loaded].sum() < loaded.sum()
    assert (inside[loaded] == holds[loaded]).all()
    assert (frames.nearness[loaded & ~holds] == 2).all()


def test_landing_forces_are_cut_off_and_keep_their_direction():
    walk = made_up_walk(300, UPHILL)
    usual = walk_frames(walk, SCENARIO, TIMES).arrows
    walk.log.normal *= 100.0
    walk.log.tangential *= 100.0
    hard = walk_frames(walk, SCENARIO, TIMES).arrows
    assert np.linalg.norm(hard, axis=2).max() == pytest.approx(LONGEST_ARROW)
    assert hard[..., 0] * usual[..., 1] == pytest.approx(
        hard[..., 1] * usual[..., 0], abs=1e-9
    )


def test_a_sliding_foot_is_shown_at_its_cone():
    walk = made_up_walk(300, UPHILL, slide=0.2)
    slip = walk.summary.slips[0]
    frames = walk_frames(walk, SCENARIO, np.array([0.5 * (slip.start + slip.end)]))
    assert frames.nearness[0].max() == 2


def test_the_filmstrip_says_when_a_walk_ended_before_the_others():
    walks = {
        "short": made_up_walk(101, UPHILL, fell=True),
        "long": made_up_walk(301, UPHILL),
    }
    texts = [
        text.get_text()
        for axis in biped_filmstrip(walks, SCENARIO).axes
        for text in axis.texts
    ]
    assert texts == ["fell at 1.0 s"]
