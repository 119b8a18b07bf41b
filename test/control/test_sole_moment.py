# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a sole's moment uses of its friction is taken from the limit."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.limits import (
    ConstantLimit,
    ConstantLimitConfig,
    SoleMomentConfig,
    WithinSoleMoment,
    shrunk,
)
from biped_slip.friction_estimation.types import NO_ESTIMATE, NO_MEASUREMENT
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import planar_policy

LINEAR = SoleMomentConfig(effective_radius=0.06)
ELLIPTIC = SoleMomentConfig(effective_radius=0.06, surface="elliptic")


def remaining_ratio(limit, measurement, config):
    return shrunk(limit, measurement, config.effective_radius, config.surface == "elliptic")


def turning(moment, normal=300.0):
    return NO_MEASUREMENT._replace(moment_normal=moment, force_normal=normal)


def test_the_line_and_the_ellipse_in_closed_form():
    measurement = turning(-5.4)  # uses 5.4/(300·0.06) = 0.3 of a limit of 0.5
    assert remaining_ratio(0.5, measurement, LINEAR) == pytest.approx(0.2)
    assert remaining_ratio(0.5, measurement, ELLIPTIC) == pytest.approx(0.4)


@pytest.mark.parametrize("config", [LINEAR, ELLIPTIC])
def test_a_moment_at_the_limit_leaves_nothing_and_none_leaves_all(config):
    assert remaining_ratio(0.5, turning(9.0), config) == pytest.approx(0.0)
    assert remaining_ratio(0.5, turning(50.0), config) == 0.0
    assert remaining_ratio(0.5, turning(0.0), config) == 0.5
    assert remaining_ratio(0.5, turning(math.nan), config) == 0.5
    assert remaining_ratio(math.inf, turning(9.0), config) == math.inf


def limit_surface(points, pressure, mu):
    """Force and moment of a turning sole: every point slides square to its arm from the centre of rotation."""
    for offset in np.concatenate((np.linspace(0.0, 0.3, 61), [0.5, 1.0, 10.0])):
        for angle in np.linspace(0.0, np.pi, 13):
            arm = points - offset * np.array([np.cos(angle), np.sin(angle)])
            direction = (
                np.stack((-arm[:, 1], arm[:, 0]), axis=1) / np.maximum(np.linalg.norm(arm, axis=1), 1e-12)[:, None]
            )
            force = mu * pressure[:, None] * direction
            moment = (points[:, 0] * force[:, 1] - points[:, 1] * force[:, 0]).sum()
            yield np.linalg.norm(force.sum(axis=0)), abs(moment)


def disc(radius=0.08, rings=60, spokes=72):
    r = (np.arange(rings) + 0.5) / rings * radius
    phi = 2 * np.pi * np.arange(spokes) / spokes
    points = np.stack([np.outer(r, np.cos(phi)).ravel(), np.outer(r, np.sin(phi)).ravel()], axis=1)
    weight = np.repeat(r, spokes)
    return points, weight / weight.sum(), 2 / 3 * radius


def corners():
    points = np.array([[0.1, 0.05], [0.1, -0.05], [-0.1, 0.05], [-0.1, -0.05]])
    return points, np.full(4, 0.25), math.hypot(0.1, 0.05)


def heel_and_toe():
    return np.array([[0.1, 0.0], [-0.1, 0.0]]), np.full(2, 0.5), 0.1


@pytest.mark.parametrize("sole", [disc, corners, heel_and_toe])
def test_the_line_is_below_the_surface_of_every_sole(sole):
    points, pressure, radius = sole()
    config = SoleMomentConfig(effective_radius=radius)
    for force, moment in limit_surface(points, pressure, 0.5):
        assert remaining_ratio(0.5, turning(moment, 1.0), config) <= force + 1e-3


def test_the_ellipse_fits_a_disc_within_a_tenth_of_the_limit():
    points, pressure, radius = disc()
    config = SoleMomentConfig(effective_radius=radius, surface="elliptic")
    gaps = [remaining_ratio(0.5, turning(m, 1.0), config) - f for f, m in limit_surface(points, pressure, 0.5)]
    assert np.abs(gaps).max() < 0.05


def test_any_limit_can_stand_within_and_a_point_foot_has_none():
    within = WithinSoleMoment(ConstantLimit(ConstantLimitConfig(0.5)), LINEAR)
    assert within.step(within.initial_state(), NO_ESTIMATE, turning(5.4), 1e-3)[1] == pytest.approx(0.2)
    assert not isinstance(planar_policy("interval", ScenarioConfig()).limit, WithinSoleMoment)
    soled = ScenarioConfig.from_mapping({"sole_moment": {"effective_radius": 0.06}})
    for kind in ("constant:0.5", "oracle", "thesis", "interval"):
        assert isinstance(planar_policy(kind, soled).limit, WithinSoleMoment)
