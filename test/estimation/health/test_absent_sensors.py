# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid without sensors in ankles and feet: nothing is found in them, faults of
the others are found as ever, and what is not watched is listed."""

import warnings

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.humanoid_health import HumanoidWatch
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings
from biped_slip.estimation.residuals import RESIDUALS, unwatched
from biped_slip.robots.humanoid import load_humanoid

BOTH = frozenset({"force_torque", "foot_imus"})
TICKS = 300
DT = 1e-3


@pytest.fixture(scope="module")
def g1():
    return load_humanoid("g1")


def record(g1, seed=0):
    """Readings of a robot that stands and sways by all of its joints; no sensor says
    anything in ankles and feet."""
    rng = np.random.default_rng(seed)
    joints = len(g1.posture)
    phase = rng.uniform(0.0, 2.0 * np.pi, joints)
    nothing = np.full((2, 6), np.nan)
    found = []
    for tick in range(TICKS):
        angle = 4.0 * np.pi * DT * tick + phase
        imu = np.array([0.0, 0.0, 0.0, 0.0, 0.0, GRAVITY])
        found.append(
            RawReadings(
                stamp_ns=round(1e9 * DT * tick),
                joint_position=g1.posture + 0.03 * np.sin(angle),
                joint_velocity=0.03 * 4.0 * np.pi * np.cos(angle)
                + 5e-3 * rng.standard_normal(joints),
                imu=imu + 0.01 * rng.standard_normal(6),
                foot_imus=nothing,
                force_torque=nothing,
            )
        )
    return found


def first_problem(g1, readings, base=None, absent=BOTH):
    """The first finding, and its tick."""
    watch = HumanoidWatch(g1, HealthConfig(), absent=absent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tick, raw in enumerate(readings):
            problem = watch.step(HumanoidReadings(raw, base), DT)
            if problem is not None:
                return problem.name, tick
    return None


@pytest.mark.parametrize("seed", range(3))
def test_sensors_that_are_not_there_raise_no_finding(g1, seed):
    assert first_problem(g1, record(g1, seed)) is None


@pytest.mark.parametrize("unfilled", [0.0, 7.0])
def test_what_a_driver_fills_in_for_an_absent_sensor_is_not_looked_at(g1, unfilled):
    told = [
        raw._replace(
            foot_imus=np.full((2, 6), unfilled), force_torque=np.full((2, 6), unfilled)
        )
        for raw in record(g1)
    ]
    assert first_problem(g1, told) is None
    assert first_problem(g1, told, absent=frozenset()) is not None


def changed(readings, **change):
    """From the middle on, other readings: functions of the tick and the reading."""
    middle = TICKS // 2
    return [
        raw
        if tick < middle
        else raw._replace(
            **{name: of(raw, readings[middle]) for name, of in change.items()}
        )
        for tick, raw in enumerate(readings)
    ]


def beyond(raw, held):
    """One joint is past its range."""
    position = raw.joint_position.copy()
    position[3] = 9.0
    return position


def racing(raw, held):
    """One joint is faster than it can be."""
    velocity = raw.joint_velocity.copy()
    velocity[4] = 900.0
    return velocity


def stuck(raw, held):
    """The encoder of a knee stays where it was."""
    position = raw.joint_position.copy()
    position[3] = held.joint_position[3]
    return position


FAULTS = {
    "joint limit": {"joint_position": beyond},
    "joint speed": {"joint_velocity": racing},
    "wrong velocity": {"joint_position": stuck},
    "constant imu": {"imu": lambda raw, held: held.imu},
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_encoders_or_imu_is_found_as_with_all_sensors(g1, name):
    found = first_problem(g1, changed(record(g1), **FAULTS[name]))
    assert found is not None
    assert found[0].replace(" ", "").lower().find(name.split()[-1]) >= 0
    assert TICKS // 2 <= found[1] < TICKS // 2 + 120


def test_a_fall_is_found(g1):
    """The base lies on its side, level with its feet."""
    half = np.sqrt(0.5)
    lying = BaseMotion(
        orientation_base_in_world=np.array([half, 0.0, 0.0, half]),
        angular_velocity_in_base=np.zeros(3),
        position_base_in_odom=np.zeros(3),
        linear_velocity_in_base=np.zeros(3),
    )
    assert first_problem(g1, record(g1), lying)[0] == "fall"


def test_what_is_not_watched_is_listed_from_the_residuals(g1):
    watch = HumanoidWatch(g1, HealthConfig(), absent=BOTH)
    ankles, feet = watch.unwatched
    assert ankles.startswith("not watched without ankle sensors: ")
    assert feet.startswith("not watched without foot IMUs: ")
    for one in RESIDUALS:
        assert (one.quantity in ankles) == ("force_torque" in one.needs)
        assert (one.quantity in feet) == ("foot_imus" in one.needs)
    assert HumanoidWatch(g1, HealthConfig()).unwatched == ()
    assert unwatched({"foot_imus"}) == (feet,)
