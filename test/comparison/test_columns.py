# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk is judged by, against closed forms of made-up feet."""

from types import SimpleNamespace

import numpy as np
import pytest

from biped_slip.comparison.columns import (
    STEPS_FROM,
    columns_of,
    material_speed,
    stances_of,
)

WEIGHT = 500.0
PERIOD = 1e-3


def foot_log(ticks):
    """A log whose left foot stands under all of the weight, 5 cm below its origin."""
    wrench = np.zeros((ticks, 2, 6))
    wrench[:, 0, 2] = WEIGHT
    position = np.zeros((ticks, 2, 3))
    position[:, :, 2] = 0.05
    return SimpleNamespace(
        wrench=wrench,
        sole_position=position,
        sole_velocity=np.zeros((ticks, 2, 6)),
    )


def test_a_foot_that_slides_has_the_speed_of_its_slide():
    log = foot_log(3)
    log.sole_velocity[:, 0, :2] = 0.3, 0.4
    np.testing.assert_allclose(material_speed(log)[:, 0], 0.5)


def test_a_foot_that_rolls_about_its_pressure_does_not_slip():
    """It turns about all three axes about a point of the floor at which its force,
    which leans, acts; its origin moves by the cross product."""
    log = foot_log(1)
    point = np.array([0.08, -0.02, -0.05])  # from the origin of the sole
    force = np.array([60.0, -40.0, WEIGHT])
    turn = np.array([0.3, 2.0, -0.7])
    log.wrench[0, 0, :3] = force
    log.wrench[0, 0, 3:] = np.cross(point, force)
    log.sole_velocity[0, 0, 3:] = turn
    log.sole_velocity[0, 0, :3] = -np.cross(turn, point)
    assert material_speed(log)[0, 0] == pytest.approx(0.0, abs=1e-12)


def steps(loads, seconds):
    """Times and loads of a foot that has each load for as many seconds."""
    load = np.concatenate(
        [
            np.full(round(span / PERIOD), share * WEIGHT)
            for share, span in zip(loads, seconds, strict=True)
        ]
    )
    return np.arange(load.size) * PERIOD, load


def test_a_stance_slips_by_its_way_under_load_and_short_gaps_do_not_end_it():
    air = 0.3
    time, load = steps(
        (0.5, 0.0, 0.05, 0.5, 0.0, 0.5, 0.0, 0.5),
        (STEPS_FROM, air, 0.1, 0.2, 0.02, 0.2, air, 0.3),
    )
    speed = np.full(time.size, 0.1)
    ratio = np.where(load > 0.3 * WEIGHT, 0.2, 9.0)
    found = stances_of(time, load, speed, ratio, WEIGHT)
    assert len(found) == 1  # the first begins too early, the last has not ended
    assert found[0].slip == pytest.approx(0.1 * 0.4)
    assert found[0].required == pytest.approx(0.2)


def test_the_landing_slide_is_no_part_of_the_required_friction():
    time, load = steps((0.5, 0.0, 0.5, 0.0, 0.5), (STEPS_FROM, 0.3, 0.3, 0.3, 0.1))
    ratio = np.full(time.size, 0.15)
    touch = round((STEPS_FROM + 0.3) / PERIOD)
    ratio[touch : touch + 40] = 0.8
    (stance,) = stances_of(time, load, 0.0 * time, ratio, WEIGHT)
    assert stance.required == pytest.approx(0.15)


def test_a_walk_without_a_stance_has_no_numbers():
    ticks = 2000
    log = foot_log(ticks)
    log.wrench[:] = 0.0
    whole = SimpleNamespace(
        **vars(log),
        time=np.arange(ticks) * PERIOD,
        q=np.zeros((ticks, 7)),
        normal=np.zeros((ticks, 2)),
        ratio=np.full((ticks, 2), np.nan),
        weight=WEIGHT,
    )
    found = columns_of(whole)
    assert found.stances == 0
    assert np.isnan([found.speed, found.sole_speed, found.slip_mean]).all()
