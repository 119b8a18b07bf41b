# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the true friction of a sole is: that of the floor under all of it, not under one
point."""

import numpy as np
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.oracle import half_soles, held_on
from biped_slip.simulation.humanoid.terrain import TerrainConfig

TALOS = load_humanoid("talos")
HALVES = half_soles(TALOS)
HALF_LENGTH = 0.5 * np.ptp([x for x, _ in TALOS.polygon(0)])


def held(*patches, ways=(0.0,)):
    """Friction of TALOS' sole at the origin of a rough floor with patches."""
    return held_on(
        TerrainConfig(mu=0.8, patches=patches).terrain(),
        0.0,
        0.0,
        np.array(ways),
        HALVES,
    )


def test_the_points_of_both_halves_are_the_sole():
    corners = np.array(TALOS.polygon(0))
    points = HALVES.reshape(-1, 2)
    assert points.mean(axis=0) == pytest.approx(
        0.5 * (corners.min(axis=0) + corners.max(axis=0))
    )
    assert np.all(points > corners.min(axis=0))
    assert np.all(points < corners.max(axis=0))
    assert HALVES[0, :, 0].max() < HALVES[1, :, 0].min()


def test_a_spot_of_ice_under_the_middle_of_a_sole_takes_its_share_and_no_more():
    spot = (-0.04, 0.04, -0.03, 0.03, 0.1)
    assert 0.5 < held(spot) < 0.8


@pytest.mark.parametrize("under", [-1.0, 1.0])
def test_half_a_sole_on_ice_holds_what_ice_does(under):
    far = 3.0 * under * HALF_LENGTH
    assert held((min(0.0, far), max(0.0, far), -1.0, 1.0, 0.1)) == pytest.approx(0.1)


def test_the_worst_place_of_the_way_ahead_counts():
    ice = (0.5, 0.7, -1.0, 1.0, 0.1)
    assert held(ice) == pytest.approx(0.8)
    assert held(ice, ways=(0.0, 0.6)) == pytest.approx(0.1)
