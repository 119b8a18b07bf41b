# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force/torque sensors as they are: each error against its closed form, alone."""

import numpy as np
import pytest

from biped_slip.robots.sensor_config import ForceErrorConfig
from biped_slip.simulation.force_sensor import (
    counted,
    force_errors,
    force_memory,
    sensed_forces,
)

WEIGHT = 800.0
PERIOD = 1e-3


def sensor(seed=0, **sizes):
    return force_errors(
        ForceErrorConfig(**sizes), WEIGHT, PERIOD, np.random.default_rng(seed)
    )


def shown(errors, loads, channel, times=None):
    """What one channel of the left sensor shows of that channel's loads."""
    memory = force_memory()
    found = []
    for i, load in enumerate(loads):
        both = np.zeros((2, 6))
        both[:, channel] = load
        sensed_forces(both, errors, memory, 0.0 if times is None else times[i])
        found.append(both[0, channel])
    return np.array(found)


def test_a_sensor_without_errors_shows_the_load():
    errors = sensor()
    loads = np.random.default_rng(1).normal(size=(2, 6))
    assert errors.exact
    felt = loads.copy()
    sensed_forces(felt, errors, force_memory(), 3.0)
    np.testing.assert_array_equal(felt, loads)


def test_tangential_channels_show_half_to_all_of_the_cross_talk_of_the_normal_force():
    talk = []
    others = []
    for seed in range(50):
        errors = sensor(seed, cross_talk=0.02)
        loads = np.zeros((2, 6))
        loads[:, 2] = 100.0
        sensed_forces(loads, errors, force_memory(), 0.0)
        talk.append(loads[:, :2] / 100.0)
        np.testing.assert_allclose(loads[:, 2], 100.0)
        loads = np.zeros((2, 6))
        loads[:, 1] = 100.0
        sensed_forces(loads, errors, force_memory(), 0.0)
        others.append(loads[:, 2] / 100.0)
    size = np.abs(talk)
    sign = np.sign(talk)
    assert size.min() >= 0.01
    assert size.max() <= 0.02
    assert abs(sign.mean()) < 0.25  # 3.5 sigma of 200 fair coins
    assert np.abs(others).max() <= 0.005


def test_a_tilted_sensor_keeps_the_length_of_a_force_and_turns_it_by_its_angle():
    for seed in range(20):
        loads = np.zeros((2, 6))
        loads[:, 2] = 500.0
        sensed_forces(loads, sensor(seed, alignment=4.4e-3), force_memory(), 0.0)
        np.testing.assert_allclose(np.linalg.norm(loads[:, :3], axis=1), 500.0)
        angles = np.hypot(loads[:, 0], loads[:, 1]) / loads[:, 2]
        assert np.all(angles <= np.sqrt(2.0) * 4.4e-3 * 1.01)
        assert np.all(angles > 0.0)


def test_hysteresis_is_the_loop_of_its_differential_equation():
    span = 0.25 * WEIGHT
    width = 2e-3 * WEIGHT
    up = np.linspace(0.0, WEIGHT, 4001)
    found = shown(sensor(hysteresis=2e-3), np.concatenate((up, up[::-1])), 0)
    risen = 1.0 - np.exp(-up / span)  # z from 0, loading
    fallen = -1.0 + (1.0 + risen[-1]) * np.exp(-(WEIGHT - up[::-1]) / span)
    np.testing.assert_allclose(found[: up.size], up - width * risen, atol=1e-9)
    np.testing.assert_allclose(found[up.size :], up[::-1] - width * fallen, atol=1e-9)


def test_hysteresis_does_not_know_how_fast_the_load_changes():
    fast = np.linspace(0.0, 300.0, 4)
    slow = np.linspace(0.0, 300.0, 4000)
    errors = sensor(hysteresis=2e-3)
    assert shown(errors, fast, 2)[-1] == pytest.approx(
        shown(errors, slow, 2)[-1], abs=1e-9
    )


def test_bandwidth_is_a_low_pass_of_first_order():
    found = shown(sensor(bandwidth=20.0), [0.0] + [100.0] * 30, 2)
    wanted = 100.0 * (1.0 - np.exp(-2.0 * np.pi * 20.0 * PERIOD * np.arange(31)))
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_offsets_drift_in_proportion_to_time_and_gains_to_the_load():
    drifting = sensor(drift=1e-5)
    times = np.array([0.0, 10.0, 60.0])
    found = shown(drifting, [0.0, 0.0, 0.0], 1, times)
    assert 0.0 < abs(found[1]) <= 1e-5 * WEIGHT * 10.0
    np.testing.assert_allclose(found, found[1] / 10.0 * times)
    scaled = shown(sensor(gain=0.01), [0.0, 50.0, 500.0], 1)
    assert 0.0 < abs(scaled[1] / 50.0 - 1.0) <= 0.01
    np.testing.assert_allclose(scaled[2], 10.0 * scaled[1])


def test_readings_are_whole_counts_inside_the_range():
    values = np.linspace(-5.0, 5.0, 101)
    found = np.array([counted(value, 3.0, 0.5) for value in values])
    np.testing.assert_array_equal(found, 0.5 * np.round(found / 0.5))
    assert np.abs(found - np.clip(values, -3.0, 3.0)).max() <= 0.25 + 1e-12
    assert counted(1.234, np.inf, 0.0) == 1.234
    errors = sensor(range=2.0, resolution=5e-4)
    np.testing.assert_allclose(
        errors.largest[:4], [2 * WEIGHT, 2 * WEIGHT, 4 * WEIGHT, 2 * WEIGHT * 0.043]
    )


@pytest.mark.compiled
def test_compiled_and_plain_agree():
    errors = sensor(
        3,
        cross_talk=0.02,
        gain=0.01,
        alignment=4e-3,
        hysteresis=2e-3,
        drift=1e-5,
        bandwidth=150.0,
    )
    rng = np.random.default_rng(0)
    ours = force_memory()
    theirs = force_memory()
    for tick in range(20):
        loads = 100.0 * rng.normal(size=(2, 6))
        one = loads.copy()
        two = loads.copy()
        sensed_forces(one, errors, ours, 1e-3 * tick)
        getattr(sensed_forces, "py_func", sensed_forces)(
            two, errors, theirs, 1e-3 * tick
        )
        np.testing.assert_allclose(one, two, rtol=1e-12)
