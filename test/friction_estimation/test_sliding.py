# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from biped_slip.friction_estimation.settings import SlidingConfig
from biped_slip.friction_estimation.sliding import AT_REST, sliding_step

DT = 1e-3


def pulled(mu, s_p, speed, samples, config, heading=0.0, load=100.0):
    """Foot pulled at constant speed from rest on a Bliman–Sorine contact; returns
    (ratio, sliding) per sample."""
    state = AT_REST
    answers = []
    for k in range(1, samples + 1):
        u = mu * (1.0 - math.exp(-3.0 * speed * k * DT / s_p))
        along = math.cos(heading)
        across = math.sin(heading)
        state = sliding_step(
            state,
            -u * load * along,
            -u * load * across,
            load,
            speed * along,
            speed * across,
            DT,
            config.packed,
        )
        answers.append((u, state.sliding))
    return answers


@pytest.mark.parametrize("mu", [0.05, 0.4, 1.2])
@pytest.mark.parametrize("s_p", [0.5e-3, 2e-3, 8e-3])
@pytest.mark.parametrize("heading", [0.0, 1.0, 3.0])
def test_sliding_is_found_only_where_the_ratio_has_nearly_stopped_growing(
    mu, s_p, heading
):
    config = SlidingConfig(speed_threshold=0.01, minimum_travel=1e-5)
    answers = pulled(mu, s_p, 0.05, round(3.0 * s_p / 0.05 / DT), config, heading)
    found = [u / mu for u, sliding in answers if sliding]
    assert found, "three times s_p is full sliding"
    assert min(found) > 0.85


def test_presliding_up_to_half_of_the_limit_is_no_slip():
    config = SlidingConfig(speed_threshold=0.001, minimum_travel=1e-5)
    answers = pulled(0.5, 10e-3, 0.01, 230, config)
    assert answers[-1][0] < 0.25
    assert not any(sliding for _, sliding in answers)


def test_a_foot_that_its_friction_pushes_along_does_not_slide():
    config = SlidingConfig(speed_threshold=0.01, minimum_travel=1e-5)
    state = AT_REST
    for _ in range(100):
        state = sliding_step(state, 20.0, 0.0, 100.0, 0.05, 0.0, DT, config.packed)
    assert not state.sliding


def test_sliding_ends_below_the_release_speed_not_at_the_threshold():
    config = SlidingConfig(speed_threshold=0.02, release_share=0.5, minimum_travel=1e-4)
    state = AT_REST
    for speed, expected in ((0.05, True), (0.015, True), (0.009, False)):
        for _ in range(30):
            state = sliding_step(
                state, -20.0, 0.0, 100.0, speed, 0.0, DT, config.packed
            )
        assert state.sliding is expected or bool(state.sliding) == expected


def test_the_compiled_step_equals_the_plain_one():
    config = SlidingConfig(speed_threshold=0.01, minimum_travel=1e-4)
    plain = getattr(sliding_step, "py_func", sliding_step)
    rng = np.random.default_rng(5)
    one = other = AT_REST
    for fx, fy, fn, vx, vy in rng.normal(
        [-20, 0, 100, 0.05, 0], [2, 2, 5, 0.02, 0.005], (500, 5)
    ):
        one = sliding_step(one, fx, fy, fn, vx, vy, DT, config.packed)
        other = plain(other, fx, fy, fn, vx, vy, DT, config.packed)
        assert np.allclose(one, other, rtol=1e-12, equal_nan=True)
