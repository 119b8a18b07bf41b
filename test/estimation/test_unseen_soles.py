# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Soles that no sensor sees: one against the other by the joints, and felt by the IMU
in each."""

import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.planar_feet import AIRBORNE, speed_against
from biped_slip.estimation.sole_motion import UnseenSoles
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.types import NO_MEASUREMENT
from biped_slip.robots.humanoid import load_humanoid

DT = 1e-3


@pytest.fixture(scope="module")
def robot():
    return load_humanoid("talos").robot


def loaded(x, y, normal=400.0):
    """A foot of which kinematics say that it is there."""
    return NO_MEASUREMENT._replace(
        force_normal=normal, force_x=5.0, displacement_x=x, displacement_y=y
    )


def test_one_foot_is_measured_against_the_other_wherever_the_base_is_believed_to_be(
    robot,
):
    soles = UnseenSoles(robot, MotionConfig(source="both_feet"))
    rng = np.random.default_rng(3)
    for k in range(200):
        drift = rng.normal(0.0, 0.1, 2)
        pair = (
            loaded(drift[0] + 1e-4 * k, drift[1]),
            loaded(drift[0], drift[1] - 2e-4 * k),
        )
        left, right = soles.measure(pair, np.zeros((2, 3)), DT)
        if k * DT < MotionConfig().settling_time - DT:
            assert math.isnan(left.displacement_x)
    assert (left.displacement_x, left.displacement_y) == pytest.approx(
        (1e-4 * 199, 2e-4 * 199), abs=1e-12
    )
    assert (right.displacement_x, right.displacement_y) == (
        -left.displacement_x,
        -left.displacement_y,
    )
    assert left.force_x == 5.0


def test_a_foot_in_the_air_and_one_that_has_just_landed_are_no_reference(robot):
    soles = UnseenSoles(robot, MotionConfig(source="both_feet"))
    for _ in range(300):
        left, right = soles.measure(
            (loaded(0.0, 0.0), loaded(0.0, 0.0, 0.0)), np.zeros((2, 3)), DT
        )
        assert math.isnan(left.displacement_x)
        assert math.isnan(right.displacement_x)
    left, _ = soles.measure((loaded(0.0, 0.0), loaded(0.0, 0.0)), np.zeros((2, 3)), DT)
    assert math.isnan(left.displacement_x)


def test_a_slide_of_one_foot_is_felt_by_its_imu_alone(robot):
    """1 m/s^2 for 0.1 s, then as much back: 10 mm, at most 0.1 m/s."""
    soles = UnseenSoles(robot, MotionConfig(source="foot_imu"))
    peak = 0.0
    for k in range(600):
        felt = np.zeros((2, 3))
        felt[0, 1] = 1.0 if 300 <= k < 400 else -1.0 if 400 <= k < 500 else 0.0
        left, right = soles.measure((loaded(0.0, 0.0), loaded(0.0, 0.0)), felt, DT)
        peak = max(peak, left.velocity_y) if k > 200 else peak
        assert right.velocity_y == 0.0 or math.isnan(right.velocity_y)
        if k == 550:
            end = left
    assert peak == pytest.approx(0.1, rel=1e-6)
    assert end.velocity_y == pytest.approx(0.0, abs=1e-9)
    assert end.displacement_y == pytest.approx(0.01, rel=1e-3)


def test_nothing_is_said_before_a_landing_foot_may_be_taken_for_one_at_rest_nor_when_drift_has_grown(
    robot,
):
    config = MotionConfig(source="foot_imu", horizon=0.2)
    soles = UnseenSoles(robot, config)
    known = []
    for k in range(600):
        felt = np.array(
            [[8.0 * math.sin(60.0 * k * DT) if k < 150 else 0.0, 0.0, 0.0], [0.0] * 3]
        )
        left, _ = soles.measure((loaded(0.0, 0.0), loaded(0.0, 0.0)), felt, DT)
        known.append(not math.isnan(left.velocity_x))
    first = known.index(True)
    assert 0.15 < first * DT < 0.4
    assert sum(known) * DT == pytest.approx(0.2, abs=2e-3)


def test_what_a_humanoid_has_no_source_for_is_refused_by_name(robot):
    with pytest.raises(
        InvalidParameter, match=r"motion\.source is 'external'.*both_feet"
    ):
        UnseenSoles(robot, MotionConfig(source="external"))


def test_an_estimator_on_joints_alone_is_told_that_both_legs_give_way():
    told = MotionConfig(source="both_feet", leg_stiffness=1e5, leg_known_to=0.2)
    sole = told.assumed(
        IntervalConfig(sole=SoleModel(compliance=1e-6, compliance_spread=0.0))
    ).sole
    assert sole.compliance == pytest.approx(2.1e-5)
    assert sole.compliance_spread == pytest.approx(math.sqrt(2.0) * 0.2e-5)
    assert told.assumed(IntervalConfig()).sole.compliance_spread == -1.0, (
        "what is not known stays so"
    )
    seen = MotionConfig(source="external", leg_stiffness=1e5).assumed(IntervalConfig())
    assert seen.sole == SoleModel(), "a sensor that sees the sole looks past the leg"


@pytest.mark.parametrize(
    ("age", "other", "expected"),
    [
        (AIRBORNE, 0.5, (0.2, math.nan)),  # a swing foot against the one that stands
        (0.01, 0.5, (0.2, math.nan)),  # a landing one
        # the other one swings: its speed has the other sign
        (
            0.5,
            AIRBORNE,
            (math.nan, -0.2),
        ),
        (0.5, 0.01, (math.nan, -0.2)),
        (0.06, 0.059, (math.nan, -0.2)),  # a contact stands from its settling time on
        # of two that stand nobody knows which one slides
        (
            0.5,
            0.5,
            (math.nan, math.nan),
        ),
        (0.01, 0.02, (math.nan, math.nan)),
        (AIRBORNE, AIRBORNE, (math.nan, math.nan)),
    ],
)
def test_joints_tell_the_speed_of_the_one_foot_that_has_not_settled(
    age, other, expected
):
    assert speed_against(age, other, 0.2, 0.06) == pytest.approx(expected, nan_ok=True)


def test_a_landing_foots_speed_is_that_against_the_standing_one_whatever_the_base_is_believed_to_do(
    robot,
):
    soles = UnseenSoles(robot, MotionConfig(source="both_feet"))
    rng = np.random.default_rng(5)
    for k in range(150):
        drift = rng.normal(0.0, 0.1, 2)
        air = k < 100
        landing = loaded(0.0, 0.0, 0.0 if air else 400.0)._replace(
            velocity_x=drift[0] - 0.15, velocity_y=drift[1]
        )
        standing = loaded(0.0, 0.0)._replace(velocity_x=drift[0], velocity_y=drift[1])
        left, right = soles.measure((landing, standing), np.zeros((2, 3)), DT)
    assert (left.velocity_x, left.velocity_y) == pytest.approx((-0.15, 0.0), abs=1e-12)
    assert math.isnan(right.velocity_x)


def lifted_after_a_landing(robot, other, **setting):
    """Speeds of a foot that lands at rest, 40 samples, the other lifted in the last ten.

    Args:
        robot: whose feet they are.
        other: load of the other foot [N]; the landed one bears 500 N.
        setting: of the motion's source.
    """
    soles = UnseenSoles(robot, MotionConfig(source="both_feet", **setting))
    standing = loaded(0.0, 0.0, 600.0)._replace(velocity_x=0.0, velocity_y=0.0)
    aloft = standing._replace(force_normal=0.0)
    for _ in range(200):
        soles.measure((aloft, standing), np.zeros((2, 3)), DT)
    speeds = []
    for k in range(40):
        speed = 0.0 if k < 30 else 0.2
        landed = standing._replace(force_normal=500.0)
        moving = standing._replace(force_normal=other, velocity_x=-speed)
        left, _ = soles.measure((landed, moving), np.zeros((2, 3)), DT)
        speeds.append(left.velocity_x)
    return speeds


@pytest.mark.parametrize(("other", "slides"), [(300.0, False), (600.0, True)])
def test_of_two_loaded_feet_the_lighter_one_is_the_one_that_moves(robot, other, slides):
    """A landed foot that bears most does not slide because the other one is lifted."""
    speeds = lifted_after_a_landing(robot, other, lighter_moves=True)
    assert speeds[:30] == [0.0] * 30
    assert all(math.isnan(one) is not slides for one in speeds[30:])


@pytest.mark.parametrize("other", [300.0, 600.0])
def test_by_ankle_sensors_both_feet_are_compared_whatever_each_bears(robot, other):
    """Their loads are exact: a foot in the air bears none, and ends its contact."""
    assert lifted_after_a_landing(robot, other) == [0.0] * 30 + [0.2] * 10
