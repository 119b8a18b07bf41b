# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Every number that comes from outside passes one judge; what does not is listed here
with the reason."""

import math

import numpy as np
import pytest

from biped_slip.estimation.health import HealthConfig, judge_of
from biped_slip.estimation.readings import (
    IMPLAUSIBLE_SPEED,
    IMPLAUSIBLE_SPIN,
    IMPLAUSIBLE_TURN,
    RANGES,
    WRENCHES,
    BaseMotion,
    HumanoidReadings,
    Judged,
    Problem,
    RawReadings,
    SensorReadings,
    own,
)
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.walking.humanoid import standing_readings

ROBOT = planar_biped("thesis")
WEIGHT = ROBOT.mass * 9.81
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
SOUND = SensorReadings(
    stamp_ns=0,
    joint_position=np.full(4, 0.1),
    joint_velocity=np.full(4, 0.1),
    orientation_base_in_world=UPRIGHT,
    angular_velocity_in_base=np.zeros(3),
    specific_force_in_base=np.array([0.0, 0.0, 9.81]),
    position_base_in_odom=np.zeros(3),
    linear_velocity_in_base=np.zeros(3),
    wrench_ground_on_foot_in_sole=np.zeros((2, 6)),
)
SEEN = SOUND._replace(
    foot_specific_force_in_sole=np.zeros((2, 3)),
    foot_angular_velocity_in_sole=np.zeros((2, 3)),
    foot_position_in_world=np.zeros((2, 3)),
)
#: Fields of readings that no range judges, with the reason.
UNJUDGED = {"stamp_ns": "a time, which inputs and tick time judge"}


@pytest.mark.parametrize("kind", [SensorReadings, RawReadings, BaseMotion])
def test_every_field_of_readings_has_a_range_or_a_reason_to_have_none(kind):
    assert set(kind._fields) - set(RANGES) - {"joint_velocity", *WRENCHES} <= set(
        UNJUDGED
    )


def numbers(readings):
    return [
        (field, at)
        for field in readings._fields[1:]
        for at in np.ndindex(getattr(readings, field).shape)
    ]


def spoilt(readings, field, at, value):
    values = getattr(readings, field).copy()
    values[at] = value
    return readings._replace(**{field: values})


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e300, -1e12])
def test_no_number_of_the_planar_biped_passes_that_is_not_finite_or_plausible(value):
    judge = judge_of(ROBOT)
    assert judge.judge(SOUND) == Judged(SOUND)
    for field, at in numbers(SEEN):
        found = judge.judge(spoilt(SEEN, field, at, value))
        assert isinstance(found, Problem), (field, at)
        assert found.name == (
            "implausible input" if math.isfinite(value) else "input not finite"
        )
        assert field.replace("_", " ") in found.detail


def test_numbers_are_judged_however_they_lie_in_memory_and_come_back_as_kernels_take_them():
    judge = judge_of(ROBOT)
    every_other = np.tile([[0.1], [1e9]], (4, 1)).ravel()[::2]
    for velocity in (
        every_other,
        every_other.astype(np.float32),
        np.zeros(4, dtype=int),
    ):
        found = judge.judge(
            SOUND._replace(joint_velocity=velocity)
        ).record.joint_velocity
        assert (found.flags.c_contiguous, found.dtype) == (True, np.float64)
        assert np.array_equal(found, velocity)
    assert isinstance(
        judge.judge(SOUND._replace(joint_velocity=np.full(4, 10**9))), Problem
    )


def test_judged_readings_need_no_second_look_unless_something_was_replaced():
    record = judge_of(ROBOT).judge(SOUND).record
    assert own(record) is record
    every_other = own(record._replace(joint_velocity=np.zeros(8)[::2]))
    assert every_other.joint_velocity.flags.c_contiguous
    assert own(every_other) is every_other


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("linear_velocity_in_base", np.zeros(40)),
        ("linear_velocity_in_base", np.zeros(6)),
        ("wrench_ground_on_foot_in_sole", np.zeros((2, 3))),
        ("wrench_ground_on_foot_in_sole", np.zeros(12)),
        ("wrench_ground_on_foot_in_sole", np.zeros((2, 6, 1))),
        ("joint_velocity", np.zeros((1, 4))),
        ("joint_velocity", np.zeros(5)),
    ],
)
def test_a_field_of_another_shape_is_named_first_or_later(field, value):
    for sound in (0, 1):
        judge = judge_of(ROBOT)
        for _ in range(sound):
            assert judge.judge(SOUND) == Judged(SOUND)
        found = judge.judge(SOUND._replace(**{field: value}))
        assert (found.name, str(value.shape) in found.detail) == ("wrong size", True)
        assert found.detail.startswith(field.replace("_", " "))


def test_lists_are_numbers_as_well():
    found = judge_of(ROBOT).judge(SOUND._replace(joint_velocity=[0.1] * 4)).record
    np.testing.assert_array_equal(found.joint_velocity, SOUND.joint_velocity)


def test_a_number_that_is_none_passes_only_where_it_says_that_there_is_no_sensor():
    judge = judge_of(ROBOT)
    for field, at in numbers(SEEN):
        found = judge.judge(spoilt(SEEN, field, at, math.nan))
        assert isinstance(found, Judged) == field.startswith("foot_"), (field, at)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e12])
def test_no_number_of_a_humanoid_passes_that_is_not_finite_or_plausible(value):
    humanoid = load_humanoid("talos")
    judge = judge_of(humanoid.robot)
    readings = next(standing_readings(humanoid, external_base=True))
    torques = np.zeros(len(humanoid.robot.joints))
    readings = readings._replace(raw=readings.raw._replace(joint_torque=torques))
    assert isinstance(judge.judge(readings), Judged)
    assert isinstance(judge.judge(readings._replace(base=None)), Judged)
    for field, at in numbers(readings.raw):
        found = judge.judge(
            HumanoidReadings(spoilt(readings.raw, field, at, value), readings.base)
        )
        assert isinstance(found, Judged) == (
            field in ("foot_position", "joint_torque") and math.isnan(value)
        ), (field, at)
    for field in BaseMotion._fields:
        base = spoilt(readings.base, field, (0,), value)
        assert isinstance(judge.judge(HumanoidReadings(readings.raw, base)), Problem), (
            field
        )


def test_a_robot_whose_motors_say_no_torques_has_one_unknown_torque_per_joint():
    humanoid = load_humanoid("talos")
    readings = next(standing_readings(humanoid, external_base=False))
    raw = readings.raw._replace(joint_torque=np.empty(0))
    judged = judge_of(humanoid.robot).judge(HumanoidReadings(raw)).record
    assert judged.raw.joint_torque.shape == (len(humanoid.robot.joints),)
    assert np.isnan(judged.raw.joint_torque).all()


def test_torques_are_missed_at_joints_that_need_them_alone():
    humanoid = load_humanoid("talos")
    joints = humanoid.robot.joints
    raw = next(standing_readings(humanoid)).raw
    judge = judge_of(humanoid.robot, needed=(2, 5))
    assert isinstance(judge.judge(HumanoidReadings(raw)), Judged)
    for joint in range(len(joints)):
        found = judge.judge(
            HumanoidReadings(spoilt(raw, "joint_torque", (joint,), math.nan))
        )
        if joint in (2, 5):
            assert found.name == "no effort"
            assert f"the effort of {joints[joint]} is not a number" in found.detail
        else:
            assert isinstance(found, Judged)
    for none in (np.empty(0), np.full(len(joints), math.nan)):
        found = judge.judge(HumanoidReadings(raw._replace(joint_torque=none)))
        assert str(found).startswith("no effort: joint states have no effort")


@pytest.mark.parametrize(
    ("field", "at", "most"),
    [
        ("joint_position", 1, IMPLAUSIBLE_TURN),
        ("joint_velocity", 2, IMPLAUSIBLE_TURN * ROBOT.velocity_limits[2]),
        ("angular_velocity_in_base", 0, IMPLAUSIBLE_SPIN),
        ("linear_velocity_in_base", 2, IMPLAUSIBLE_SPEED),
        (
            "wrench_ground_on_foot_in_sole",
            (1, 5),
            HealthConfig().largest_force * ROBOT.mass * 9.81,
        ),
    ],
)
def test_a_number_passes_up_to_its_largest(field, at, most):
    judge = judge_of(ROBOT)
    for sign in (1.0, -1.0):
        assert isinstance(
            judge.judge(spoilt(SOUND, field, at, sign * 0.999 * most)), Judged
        )
        assert isinstance(
            judge.judge(spoilt(SOUND, field, at, sign * 1.001 * most)), Problem
        )


def test_another_largest_force_is_taken():
    judge = judge_of(ROBOT)
    judge.retune(1.0)
    assert isinstance(
        judge.judge(
            spoilt(SOUND, "wrench_ground_on_foot_in_sole", (0, 2), 1.1 * WEIGHT)
        ),
        Problem,
    )


@pytest.mark.parametrize("factor", [0.0, 0.98, 1.02, -0.5])
def test_an_attitude_that_is_none_is_refused_and_one_in_single_precision_is_one(factor):
    judge = judge_of(ROBOT)
    assert (
        judge.judge(SOUND._replace(orientation_base_in_world=factor * UPRIGHT)).name
        == "implausible input"
    )
    single = np.array([0.1, 0.2, 0.3, math.sqrt(0.86)], dtype=np.float32).astype(float)
    assert isinstance(
        judge.judge(SOUND._replace(orientation_base_in_world=1.005 * single)), Judged
    )
