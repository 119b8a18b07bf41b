# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Probing loads a landed foot without moving the body, inside both cones, slowly, and stops."""

import math

import numpy as np
import pytest

from biped_slip.control.planar.forces import (
    FloorsKnown,
    FootForces,
    ProbeState,
    ProbingConfig,
    before_landing,
    probing_step,
)
from biped_slip.errors import InvalidParameter

ON = ProbingConfig(enabled=True).packed
NOTHING = FloorsKnown((False, False), (False, False))
DT = 1e-3


def forces_inside(rng, limits):
    normal = tuple(rng.uniform(0.0, 40.0, 2))
    ratio = rng.uniform(-1.0, 1.0, 2) * limits
    return FootForces((ratio[0] * normal[0], ratio[1] * normal[1]), normal, (math.nan, math.nan))


def run(state, forces, limits, known, ticks, config=ON, start=0.1):
    found = []
    for tick in range(ticks):
        state, probed = probing_step(state, forces, limits, known, start + tick * DT, config, DT)
        found.append((state, probed))
    return found


STANDING = FootForces((3.0, 1.0), (20.0, 12.0), (0.1, 0.1))
WIDE = (0.4, 0.4)


@pytest.mark.parametrize("seed", range(100))
def test_nothing_on_the_body_changes_and_both_feet_stay_in_their_cones(seed):
    """Feet on one floor: force and moment of an internal force along it are both zero."""
    rng = np.random.default_rng(seed)
    state = before_landing(int(rng.integers(2)))
    for tick in range(300):
        limits = tuple(rng.uniform(0.05, 0.9, 2))
        forces = forces_inside(rng, limits)
        state, probed = probing_step(state, forces, limits, NOTHING, 0.1 + tick * DT, ON, DT)
        assert sum(probed.tangential) == pytest.approx(sum(forces.tangential), abs=1e-12)
        assert probed.normal == forces.normal
        for tangential, normal, limit in zip(probed.tangential, probed.normal, limits, strict=True):
            assert abs(tangential) <= limit * normal + 1e-12


@pytest.mark.parametrize("foot", [0, 1])
def test_it_grows_at_its_rate_up_to_its_bound_and_loads_the_landed_foot_more(foot):
    found = run(before_landing(foot), STANDING, (0.9, 0.9), NOTHING, 400)
    force = np.array([state.force for state, _ in found])
    assert force.max() == ON.largest_force
    assert np.diff(force).max() <= ON.force_rate * DT + 1e-12
    assert force[100] == pytest.approx(101 * ON.force_rate * DT)
    assert abs(found[-1][1].tangential[foot]) > abs(STANDING.tangential[foot])


def test_a_limit_that_falls_takes_the_force_along_in_the_same_tick():
    state, _ = run(before_landing(0), STANDING, WIDE, NOTHING, 150)[-1]
    assert state.force > 3.0
    tight = (0.16, 0.4)
    state, probed = probing_step(state, STANDING, tight, NOTHING, 0.3, ON, DT)
    assert abs(probed.tangential[0]) <= 0.16 * 20.0 + 1e-12
    assert state.force == pytest.approx(0.2)


@pytest.mark.parametrize("slipping", [(True, False), (False, True)])
def test_a_slip_of_either_foot_ends_it_at_once_and_for_good(slipping):
    state, _ = run(before_landing(0), STANDING, WIDE, NOTHING, 100)[-1]
    state, probed = probing_step(state, STANDING, WIDE, FloorsKnown((False, False), slipping), 0.3, ON, DT)
    assert probed.tangential == STANDING.tangential
    after = run(state, STANDING, WIDE, NOTHING, 100)
    assert all(state.force == 0.0 for state, _ in after)


def test_what_is_known_ends_it_slowly():
    state, _ = run(before_landing(0), STANDING, WIDE, NOTHING, 100)[-1]
    ends = run(state, STANDING, WIDE, FloorsKnown((True, False), (False, False)), 200)
    force = np.array([state.force for state, _ in ends])
    assert force[-1] == 0.0
    assert np.abs(np.diff(force)).max() <= ON.force_rate * DT + 1e-12


@pytest.mark.parametrize(
    ("config", "state", "time"),
    [
        (ProbingConfig().packed, before_landing(0), 0.3),  # off by default
        (ON, before_landing(0), 0.05),  # touchdown still rings
        (ON, ProbeState(-1, 0.0, 0.0, False), 0.3),  # no foot has landed yet
    ],
)
def test_otherwise_the_forces_are_left_alone(config, state, time):
    after, probed = probing_step(state, STANDING, WIDE, NOTHING, time, config, DT)
    assert (after, probed) == (state, STANDING)


def test_a_foot_without_load_or_without_limit_leaves_no_nan():
    forces = FootForces((0.0, 1.0), (0.0, 30.0), (0.0, 0.0))
    for state, probed in run(before_landing(1), forces, (math.inf, math.inf), NOTHING, 50):
        assert state.force == 0.0
        assert probed.tangential == forces.tangential


def test_a_force_without_bound_is_refused():
    with pytest.raises(InvalidParameter):
        ProbingConfig(largest_force=math.inf)
