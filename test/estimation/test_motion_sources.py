# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the feet's motion comes from: each source against the truth of a simulated
walk, and what it must not know."""

import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion_config import SOURCES, MotionConfig
from biped_slip.estimation.planar_feet import (
    UNSEEN,
    UNSTEADY,
    FloorConfig,
    at_rest,
    differenced,
    motion_source,
    steadiness,
)
from biped_slip.estimation.readings import robot_state
from biped_slip.friction_estimation.interval.config import MotionNoise
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    SensorConfig,
    chosen_scenario,
)
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.planar.walk import Walk

TICKS = 900


@pytest.fixture(scope="module")
def walked():
    """Readings of a walk uphill without noise, what they mean as coordinates, and the
    contacts' true loads."""
    scenario = chosen_scenario("traction")
    walk = Walk(scenario, planar_policy("oracle", scenario))
    readings = []
    for _ in range(TICKS):
        readings.append(walk.read())
        walk.advance(walk.controller.step(readings[-1]).torques)
    return walk, readings


def followed(walked, source, change=lambda k, readings: readings, **config):
    """Measurements (TICKS, 2) of one source."""
    walk, readings = walked
    motion = motion_source(
        walk.robot,
        MotionConfig(source=source, **config),
        FloorConfig(walk.scenario.ground.slope),
    )
    motion.reset()
    seen = []
    for k, one in enumerate(readings):
        one = change(k, one)
        seen.append(motion.measure(robot_state(one, walk.robot.root_size), one))
    return seen


def column(seen, name, foot):
    return np.array([getattr(pair[foot], name) for pair in seen])


def stance_parts(walked, foot, after=0.08, least=150):
    """Slices of ticks in which a foot is loaded and its touchdown is over."""
    walk, _ = walked
    loaded = walk.log.normal[:TICKS, foot] > 0.25 * walk.robot.mass * 9.81
    edges = np.flatnonzero(np.diff(np.r_[0, loaded.astype(int), 0])).reshape(-1, 2)
    skip = round(after / 1e-3)
    parts = [slice(a + skip, b - 10) for a, b in edges if b - a - skip - 10 > least]
    assert parts
    return parts


@pytest.mark.parametrize("source", ["external", "foot_imu"])
def test_with_perfect_sensors_every_source_sees_the_true_creep_of_a_stance(
    walked, source
):
    true = followed(walked, "odometry")
    seen = followed(walked, source)
    compared = 0
    for foot in (0, 1):
        for part in stance_parts(walked, foot):
            x = column(true, "displacement_x", foot)[part]
            shown = column(seen, "displacement_x", foot)[part]
            known = np.isfinite(shown)
            if known.sum() < 100:
                continue
            compared += 1
            # an inertial source may be wrong by a start speed: a line in time, which
            # the estimator takes out itself
            error = (shown - x)[known]
            time = np.flatnonzero(known) * 1e-3
            slope, _ = np.polyfit(time, error, 1)
            assert np.ptp(error - np.polyval(np.polyfit(time, error, 2), time)) < 5e-5
            assert abs(slope) < (1e-9 if source == "external" else 0.02)
    assert compared >= 1


@pytest.mark.parametrize("source", ["both_feet", "foot_imu", "external"])
def test_a_false_odometry_changes_nothing_that_the_source_sees_of_creep(walked, source):
    """A robot's odometry drifts; a source that measures motion otherwise must not care."""

    def drifting(k, readings):
        drift = np.array(
            [0.3 + 2e-4 * k + 0.05 * math.sin(0.01 * k), 0.0, 0.1 * math.cos(0.02 * k)]
        )
        return readings._replace(
            position_base_in_odom=readings.position_base_in_odom + drift,
            linear_velocity_in_base=readings.linear_velocity_in_base
            + np.array([0.4, 0.0, 0.2]),
        )

    one = followed(walked, source)
    other = followed(walked, source, drifting)
    for foot in (0, 1):
        for part in stance_parts(walked, foot):
            x = column(one, "displacement_x", foot)[part]
            y = column(other, "displacement_x", foot)[part]
            np.testing.assert_array_equal(np.isfinite(x), np.isfinite(y))
            moved = (y - x)[np.isfinite(x)]
            if moved.size:  # the origin may lie elsewhere
                np.testing.assert_allclose(moved, moved[0], atol=1e-9)


def test_the_two_feet_see_the_sum_of_their_creeps_in_double_support_and_nothing_else(
    walked,
):
    walk, _ = walked
    true = followed(walked, "odometry")
    seen = followed(walked, "both_feet")
    double = (walk.log.normal[:TICKS] > 0.25 * walk.robot.mass * 9.81).all(axis=1)
    single = (walk.log.normal[:TICKS] < 0.1 * walk.robot.mass * 9.81).any(axis=1)
    apart = column(true, "displacement_x", 0) - column(true, "displacement_x", 1)
    np.testing.assert_allclose(
        column(seen, "displacement_x", 0)[double], apart[double], atol=1e-12
    )
    np.testing.assert_allclose(
        column(seen, "displacement_x", 1)[double], -apart[double], atol=1e-12
    )
    assert np.isnan(column(seen, "displacement_x", 0)[single]).all()


def test_forces_do_not_depend_on_the_source_of_motion(walked):
    reference = followed(walked, "odometry")
    for source in SOURCES:
        seen = followed(walked, source)
        for foot in (0, 1):
            np.testing.assert_array_equal(
                column(seen, "force_x", foot), column(reference, "force_x", foot)
            )
            np.testing.assert_array_equal(
                column(seen, "force_normal", foot),
                column(reference, "force_normal", foot),
            )


def test_a_bias_of_the_foots_accelerometer_grows_as_half_bias_times_time_squared(
    walked,
):
    bias = np.array([[0.02, 0.0, 0.0]] * 2)

    def biased(k, readings):
        return readings._replace(
            foot_specific_force_in_sole=readings.foot_specific_force_in_sole + bias
        )

    one = followed(walked, "foot_imu")
    other = followed(walked, "foot_imu", biased)
    part = stance_parts(walked, 0, after=0.0)[0]
    drift = (column(other, "displacement_x", 0) - column(one, "displacement_x", 0))[
        part
    ]
    known = np.flatnonzero(np.isfinite(drift))
    assert 0.06 < 1e-3 * known[0] < 0.15, "it waits until nothing feels a slide"
    assert known[-1] - known[0] + 1 == known.size <= 501, (
        "beyond the horizon it is blind"
    )
    drift = drift[known]
    time = 1e-3 * (known - known[0] + 1)
    # the sole leans: less than all of the bias is along the floor
    largest = 0.5 * 0.02 * time**2 + 1e-9
    assert (np.abs(drift) <= largest).all()
    assert abs(drift[-1]) > 0.2 * 0.5 * 0.02 * time[-1] ** 2


def test_a_lost_position_from_outside_is_not_measured_and_begins_anew(walked):
    def lost(k, readings):
        gone = readings.foot_position_in_world.copy()
        gone[0] = np.nan if 300 <= k < 320 else gone[0]
        return readings._replace(foot_position_in_world=gone)

    whole = followed(walked, "external")
    seen = followed(walked, "external", lost)
    x = column(seen, "displacement_x", 0)
    v = column(seen, "velocity_x", 0)
    assert np.isnan(x[300:320]).all()
    assert np.isfinite(x[320:]).all()
    np.testing.assert_allclose(v[420:], column(whole, "velocity_x", 0)[420:], atol=1e-3)


def test_a_differenced_ramp_has_its_slope_and_a_sine_at_the_cut_off_loses_three_decibels():
    def velocities(positions):
        state = UNSEEN
        found = []
        for position in positions:
            state, velocity = differenced(state, position, 1e-3)
            found.append(velocity)
        return np.array(found)

    assert velocities(0.3e-3 * np.arange(400.0))[-1] == pytest.approx(0.3, rel=1e-6)
    omega = 2.0 * math.pi * 30.0
    sine = velocities(np.sin(omega * 1e-3 * np.arange(2000)))[1000:]
    assert np.ptp(sine) / (2.0 * omega) == pytest.approx(2.0**-0.5, rel=0.01)


def rests(speeds, settled=0.06, dt=1e-3, creep_speed=3e-3):
    """At which samples a foot may be taken for one at rest."""
    state = UNSTEADY
    found = []
    for k, speed in enumerate(speeds):
        state = steadiness(state, float(speed), k * dt > settled, creep_speed, dt)
        found.append(at_rest(state))
    return np.array(found)


@pytest.mark.parametrize("offset", [0.0, -3.0, 250.0])
def test_a_foot_that_creeps_is_at_rest_and_one_that_is_braked_or_gathers_speed_is_not(
    offset,
):
    time = np.arange(600) * 1e-3
    noise = 5e-3 * np.random.default_rng(2).standard_normal(time.size)
    creeping = rests(offset + 3e-3 * np.sin(2 * np.pi * 5.0 * time) + noise)
    assert not creeping[:90].any()
    assert creeping[95:].mean() > 0.95
    # at rest after 0.2 s
    braked = rests(offset + np.maximum(0.3 - 1.5 * time, 0.0) + noise)
    assert not braked[:200].any()
    assert braked[450:].mean() > 0.95
    sliding = rests(offset + 2.0 * np.maximum(time - 0.3, 0.0) + noise)
    assert sliding[100:300].mean() > 0.95
    assert not sliding[320:].any()


def test_a_slide_at_a_constant_speed_looks_like_rest():
    assert rests(np.full(300, 0.2))[100:].all()


def test_a_source_that_assumes_the_stance_foot_still_is_refused_with_the_reason():
    for name in ("still_foot", "zero_velocity"):
        with pytest.raises(
            InvalidParameter,
            match="assumes the stance foot is still carries no information",
        ):
            MotionConfig(source=name)
    with pytest.raises(InvalidParameter, match="one of odometry, both_feet"):
        MotionConfig(source="guess")
    with pytest.raises(InvalidParameter, match="where the feet are on its map"):
        planar_policy(
            "oracle", ScenarioConfig.from_mapping({"motion": {"source": "both_feet"}})
        )


def test_each_source_says_what_noise_to_assume():
    told = MotionNoise(sigma=7e-6)
    kinds = {source: MotionConfig(source=source).noise(told) for source in SOURCES}
    assert kinds["odometry"] == told
    assert kinds["external"].sigma == MotionConfig().external_noise
    assert kinds["both_feet"].shared, "the other foot's creep is in it"
    assert kinds["both_feet"].sigma == pytest.approx(
        2.0**0.5 * MotionConfig().encoder_noise
    )
    assert kinds["foot_imu"].kind == "imu"
    assert kinds["foot_imu"].start_speed == MotionConfig().creep_speed


def test_inertial_sensors_say_the_mean_since_the_last_reading(walked):
    """Summed up they give the change of velocity exactly, however the contact rings in
    between."""
    walk, readings = walked
    felt = np.array([one.specific_force_in_base for one in readings])
    pitch = np.array(
        [
            2.0
            * math.atan2(
                one.orientation_base_in_world[1], one.orientation_base_in_world[3]
            )
            for one in readings
        ]
    )
    forward = np.cos(pitch) * felt[:, 0] + np.sin(pitch) * felt[:, 2]
    speed = np.array([robot_state(one, walk.robot.root_size).v[0] for one in readings])
    np.testing.assert_allclose(
        speed[0] + 1e-3 * np.cumsum(forward[1:]), speed[1:], atol=1e-9
    )


def test_a_biased_accelerometer_keeps_its_bias_through_a_run(walked):
    walk, _ = walked
    quiet = Sensors(walk.plant, SensorConfig(), np.random.default_rng(0)).read()
    biased = Sensors(
        walk.plant, SensorConfig(accelerometer_bias=0.02), np.random.default_rng(0)
    )
    first = biased.read()
    second = biased.read()
    np.testing.assert_array_equal(
        first.specific_force_in_base, second.specific_force_in_base
    )
    assert (
        np.abs(first.specific_force_in_base - quiet.specific_force_in_base).max() > 1e-4
    )
