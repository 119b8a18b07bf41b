# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One sole's measurement against vectors and matrices written out anew: any rotation,
load, twist and sensor."""

import math

import numpy as np
import pytest

from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sole_motion import (
    LEAST_PRESSING,
    LEVEL_FLOOR,
    MovingSole,
    SoleFrames,
    SoleMemory,
    along_floor,
    floating_state,
    sole_measurement,
    sole_measurements,
)

NAN = math.nan
LEVEL = np.zeros(2)


def turn(roll, pitch, yaw):
    """Rotation (3, 3) about x, then y, then z."""
    (a, b), (c, d), (e, f) = ((math.cos(x), math.sin(x)) for x in (roll, pitch, yaw))
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, a, -b], [0.0, b, a]])
    about_y = np.array([[c, 0.0, d], [0.0, 1.0, 0.0], [-d, 0.0, c]])
    return np.array([[e, -f, 0.0], [f, e, 0.0], [0.0, 0.0, 1.0]]) @ about_y @ about_x


def measured(
    stamp_ns, wrench, rotation, position, velocity, rise, turned, twist, reach
):
    """What one sole measures; heading, twist and reach are overwritten."""
    sole = MovingSole(rotation=rotation, position=position, velocity=velocity)
    memory = SoleMemory(turned=turned, twist=twist, reach=reach)
    return sole_measurement(stamp_ns, wrench, sole, rise, memory)


def reach_of(rotation):
    """Length and width seen from above of a sole that does not tip; no smaller than a
    level one's."""
    return np.minimum(np.hypot(rotation[0, :2], rotation[1, :2]) / math.cos(0.06), 1.0)


def expected(wrench, rotation, position, velocity, yaw_before, yaw, twisted):
    """The same from force, moment and lever as vectors."""
    force = wrench[:3]
    moment = wrench[3:]
    pressure = np.zeros(3)
    if force[2] > LEAST_PRESSING:
        pressure[:2] = np.cross([0.0, 0.0, 1.0], moment)[:2] / force[2]
    lever = rotation @ pressure
    change = (
        math.remainder(yaw - yaw_before, math.tau) if force[2] > LEAST_PRESSING else 0.0
    )
    twist = twisted + change * np.cross([0.0, 0.0, 1.0], lever)[:2]
    speed = velocity[:3] + np.cross([0.0, 0.0, velocity[5]], lever)
    about = (moment - np.cross(pressure, force))[2]
    return [
        *(rotation @ force),
        *(position[:2] + twist),
        *speed[:2],
        about,
        *pressure[:2],
        math.hypot(*velocity[3:5]),
    ], twist


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "load", [300.0, LEAST_PRESSING + 1e-9, LEAST_PRESSING, 0.2, -20.0]
)
def test_any_sole_measures_what_vectors_say(seed, load):
    rng = np.random.default_rng(seed)
    wrench = 10.0 * rng.normal(size=6)
    velocity = rng.normal(size=6)
    position = rng.normal(size=3)
    wrench[2] = load
    before, yaw = rng.uniform(-math.pi, math.pi, 2)
    rotation = turn(*rng.uniform(-0.3, 0.3, 2), yaw)
    turned = np.array([before])
    twist = rng.normal(size=2)
    numbers, after = expected(
        wrench, rotation, position, velocity, before, yaw, twist.copy()
    )
    found = measured(
        7,
        wrench,
        rotation,
        position,
        velocity,
        LEVEL,
        turned,
        twist,
        reach_of(rotation),
    )
    assert found[0] == 7
    np.testing.assert_allclose(found[1:12], numbers, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(twist, after, rtol=1e-9)
    assert turned[0] == pytest.approx(yaw)


@pytest.mark.parametrize("rise", [(0.18, 0.0), (-0.3, 0.1), (0.0, -0.2)])
def test_on_a_slope_forces_are_along_the_floor_and_along_its_normal(rise):
    """Weight on a ramp asks for the tangent of its slope, whatever its direction; sizes
    stay."""
    across = np.array([[1.0, 0.0, rise[0]], [0.0, 1.0, rise[1]]])
    normal = np.cross(*across) / np.linalg.norm(np.cross(*across))
    for force in (np.array([0.0, 0.0, 500.0]), np.array([40.0, -70.0, 300.0])):
        found = along_floor(force, np.array(rise))
        assert found[2] == pytest.approx(force @ normal)
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(force))
        assert found[0] == pytest.approx(force @ across[0] / np.linalg.norm(across[0]))
    wrench = np.concatenate(
        (turn(0.0, -math.atan(0.18), 0.0).T @ [0.0, 0.0, 500.0], np.zeros(3))
    )
    found = measured(
        0,
        wrench,
        turn(0.0, -math.atan(0.18), 0.0),
        np.zeros(3),
        np.zeros(6),
        np.array([0.18, 0.0]),
        np.array([NAN]),
        np.zeros(2),
        np.ones(2),
    )
    assert found.force_x / found.force_normal == pytest.approx(0.18)


def test_a_sole_that_tips_about_its_toe_onto_a_ramp_does_not_slide():
    toe = np.array([0.1, 0.0, 0.0])
    twist = np.zeros(2)
    reach = np.ones(2)
    seen = []
    for pitch in np.linspace(0.0, -math.radians(10.0), 40):
        rotation = turn(0.0, pitch, 0.3)
        middle = np.array([1.0, 2.0, 0.02]) - rotation @ toe
        wrench = np.array([0.0, 0.0, 100.0, 0.0, -10.0, 0.0])
        found = measured(
            0,
            wrench,
            rotation,
            middle,
            np.zeros(6),
            LEVEL,
            np.array([0.3]),
            twist,
            reach,
        )
        seen.append((found.displacement_x, found.displacement_y, *middle[:2]))
    moved = np.ptp(np.array(seen), axis=0)
    assert np.hypot(*moved[2:]) > 1.4e-3
    assert np.hypot(*moved[:2]) < 0.2e-3


@pytest.mark.parametrize(
    ("before", "after"), [(3.1, -3.1), (-3.1, 3.1), (0.1, 0.3), (0.3, 0.1)]
)
def test_a_sole_that_turns_past_the_back_has_turned_the_short_way(before, after):
    wrench = np.array([0.0, 0.0, 100.0, 0.0, -5.0, 0.0])
    turned = np.array([before])
    twist = np.zeros(2)
    measured(
        0,
        wrench,
        turn(0.0, 0.0, after),
        np.zeros(3),
        np.zeros(6),
        LEVEL,
        turned,
        twist,
        np.ones(2),
    )
    short = math.remainder(after - before, math.tau)
    lever = 0.05 * np.array([math.cos(after), math.sin(after)])
    np.testing.assert_allclose(twist, [-short * lever[1], short * lever[0]], atol=1e-12)


def test_the_first_reading_of_a_sole_twists_nothing():
    turned = np.array([NAN])
    twist = np.array([0.01, -0.02])
    wrench = np.array([0.0, 0.0, 100.0, 3.0, -5.0, 0.0])
    place = np.array([1.0, 2.0, 0.0])
    reach = np.ones(2)
    found = measured(
        0, wrench, turn(0.0, 0.0, 0.4), place, np.zeros(6), LEVEL, turned, twist, reach
    )
    np.testing.assert_array_equal(twist, [0.01, -0.02])
    assert found[4:6] == (1.01, 1.98)
    assert turned[0] == pytest.approx(0.4)


def frames():
    rng = np.random.default_rng(1)
    rotation = np.stack((turn(0.1, 0.2, 0.3), turn(-0.2, 0.1, -0.4)))
    return SoleFrames(
        position=rng.normal(size=(2, 3)),
        rotation=rotation,
        velocity=rng.normal(size=(2, 6)),
        turned=np.full(2, NAN),
        twist=np.zeros((2, 2)),
        reach=np.ones((2, 2)),
    )


WRENCHES = np.array(
    [[1.0, 2.0, 300.0, 4.0, 5.0, 6.0], [-3.0, 1.0, 200.0, -2.0, 3.0, 1.0]]
)
SEEN = np.array([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])


@pytest.mark.parametrize("foot", [0, 1])
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("sees", [True, False])
def test_each_foot_has_its_own_wrench_and_place_and_a_sensor_goes_before_kinematics(
    foot, told, sees
):
    soles = frames()
    place = soles.position[foot].copy()
    motion = soles.velocity[foot].copy()
    seen = SEEN.copy()
    if not sees:
        seen[foot] = NAN
    found = sole_measurements(3, WRENCHES, seen, told, LEVEL_FLOOR, soles)[foot]
    if sees:
        place = SEEN[foot]
    elif not told:
        place = np.full(3, NAN)
        motion[:3] = NAN
    alone = measured(
        3,
        WRENCHES[foot],
        soles.rotation[foot],
        place,
        motion,
        LEVEL,
        np.array([NAN]),
        np.zeros(2),
        np.ones(2),
    )
    np.testing.assert_array_equal(np.array(found), np.array(alone))
    np.testing.assert_array_equal(
        soles.velocity, frames().velocity, err_msg="the frames are not spoilt"
    )
    headings = np.arctan2(soles.rotation[:, 1, 0], soles.rotation[:, 0, 0])
    np.testing.assert_allclose(soles.turned, headings)


@pytest.mark.parametrize("foot", [0, 1])
def test_a_place_without_its_x_is_none(foot):
    seen = SEEN.copy()
    soles = frames()
    seen[foot, 0] = NAN
    found = sole_measurements(0, WRENCHES, seen, True, LEVEL_FLOOR, soles)[foot]
    np.testing.assert_array_equal(
        found[4:6], soles.position[foot, :2] + soles.twist[foot]
    )


def test_twists_of_both_feet_are_remembered_apart():
    soles = frames()
    soles.turned[:] = [0.25, -0.45]
    sole_measurements(0, WRENCHES, np.full((2, 3), NAN), True, LEVEL_FLOOR, soles)
    twist = soles.twist.copy()
    for foot in range(2):
        own = np.zeros(2)
        last = np.array([[0.25, -0.45][foot]])
        measured(
            0,
            WRENCHES[foot],
            soles.rotation[foot],
            np.zeros(3),
            np.zeros(6),
            LEVEL,
            last,
            own,
            np.ones(2),
        )
        np.testing.assert_array_equal(twist[foot], own)
        assert np.any(own)


def test_coordinates_and_velocities_stand_in_the_order_of_a_free_flyer():
    numbers = iter(range(1, 100))

    def some(n):
        return np.array([float(next(numbers)) for _ in range(n)])

    joints, speeds, orientation, rate, force, place, velocity = (
        some(n) for n in (3, 3, 4, 3, 3, 3, 3)
    )
    wrenches = np.zeros((2, 6))
    state = floating_state(
        SensorReadings(
            stamp_ns=0,
            joint_position=joints,
            joint_velocity=speeds,
            orientation_base_in_world=orientation,
            angular_velocity_in_base=rate,
            specific_force_in_base=force,
            position_base_in_odom=place,
            linear_velocity_in_base=velocity,
            wrench_ground_on_foot_in_sole=wrenches,
        )
    )
    np.testing.assert_array_equal(state.q, [*place, *orientation, *joints])
    np.testing.assert_array_equal(state.v, [*velocity, *rate, *speeds])
