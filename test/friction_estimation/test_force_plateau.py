# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from biped_slip.friction_estimation.settings import PlateauConfig
from biped_slip.friction_estimation.sliding import (
    initial_plateau,
    plateau_step,
    restart_plateau,
)

DT = 1e-3


def run(tangential, normal, config, dt=DT, heading=0.0, turning=1.0):
    """Feed forces that turn by ``turning`` over the stance; returns the sliding flag
    and the level at every sample."""
    state = initial_plateau()
    sliding = []
    level = []
    headings = heading + turning * np.arange(len(normal)) / len(normal)
    for ft, fn, angle in zip(tangential, normal, headings, strict=True):
        state = plateau_step(
            state, ft * np.cos(angle), ft * np.sin(angle), fn, dt, config.packed
        )
        plateau = state.plateau
        sliding.append(bool(plateau.sliding))
        level.append(plateau.tangential / plateau.normal if plateau.sliding else np.nan)
    return np.array(sliding), np.array(level)


def capped_step(mu, rng, noise, samples=700):
    """A stance whose wanted force exceeds the cone in its last part, while the load
    falls."""
    time = np.linspace(0.0, 1.0, samples)
    normal = 800.0 * (1.0 - 0.7 * time**2)
    wanted = 0.1 * mu * normal + 1.6 * mu * 800.0 * time**2
    tangential = np.minimum(wanted, mu * normal)
    return (
        tangential + rng.normal(0, noise, samples),
        normal + rng.normal(0, noise, samples),
        wanted > mu * normal,
    )


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_a_force_held_on_the_cone_while_the_load_changes_is_found_with_its_mu(
    mu, noise, heading
):
    tangential, normal, truth = capped_step(mu, np.random.default_rng(1), noise)
    sliding, level = run(
        tangential, normal, PlateauConfig(force_noise=noise), heading=heading
    )
    assert not sliding[~truth][: int(0.9 * (~truth).sum())].any()
    assert sliding[truth].mean() > 0.4
    assert np.nanmedian(level) == pytest.approx(mu, rel=0.02)


@pytest.mark.parametrize("noise", [0.0, 1.0, 2.0])
def test_smooth_load_curves_below_the_limit_are_no_slip(noise):
    rng = np.random.default_rng(2)
    false_alarms = 0
    for _ in range(40):
        time = np.linspace(0.0, 1.0, 600)
        normal = (
            800.0
            * np.sin(np.pi * time) ** 0.5
            * (1.0 + rng.uniform(0.1, 0.3) * np.cos(4 * np.pi * time))
            + 30.0
        )
        ratio = rng.uniform(0.15, 0.35) * np.sin(
            rng.uniform(1.5, 4.0) * np.pi * time + rng.uniform(0, 6)
        )
        tangential = np.abs(ratio * normal)
        sliding, _ = run(
            tangential + rng.normal(0, noise, 600),
            normal + rng.normal(0, noise, 600),
            PlateauConfig(force_noise=noise),
        )
        false_alarms += sliding.any()
    assert false_alarms <= 2


def test_a_constant_ratio_of_a_constant_direction_is_a_slope_or_a_controller_and_no_slide():
    rng = np.random.default_rng(6)
    false_alarms = 0
    for _ in range(100):
        time = np.linspace(0.0, 1.0, 600)
        normal = 500.0 * (
            1.0 + 0.5 * np.sin(rng.uniform(2.0, 9.0) * time + rng.uniform(0.0, 6.0))
        )
        ratio = (
            rng.uniform(0.08, 0.27)
            if rng.uniform() < 0.5
            else np.minimum(0.6 * time, 0.25)
        )
        noise = rng.normal(0.0, 1.0, (2, 600))
        sliding, _ = run(
            ratio * normal + noise[0],
            normal + noise[1],
            PlateauConfig(force_noise=1.0),
            turning=0.0,
        )
        false_alarms += sliding.any()
    assert false_alarms <= 1


def test_a_ratio_that_drops_from_its_peak_slides_even_along_a_line():
    normal = np.linspace(900.0, 400.0, 100)
    ratio = np.concatenate([np.linspace(0.0, 0.3, 40), np.full(60, 0.25)])
    sliding, level = run(ratio * normal, normal, PlateauConfig(), dt=0.01, turning=0.0)
    assert sliding[60:].all()
    assert level[-1] == pytest.approx(0.25, rel=1e-6)


def test_standing_still_under_a_constant_load_is_no_slip():
    rng = np.random.default_rng(3)
    tangential = 40.0 + rng.normal(0, 1, 5000)
    normal = 800.0 + rng.normal(0, 1, 5000)
    sliding, _ = run(tangential, normal, PlateauConfig(force_noise=1.0))
    assert not sliding.any()


def test_an_isolated_spike_does_not_end_a_slip_but_leaving_the_cone_does():
    normal = np.linspace(900.0, 300.0, 60)
    tangential = 0.3 * normal
    tangential[40] *= 2.0
    tangential[50:] = 0.1 * normal[50:]
    sliding, _ = run(tangential, normal, PlateauConfig(), dt=0.01)
    assert sliding[39:50].all()
    assert not sliding[52:].any()


def test_a_ratio_already_held_higher_in_the_same_contact_rules_a_lower_limit_out():
    normal = np.concatenate([np.full(100, 800.0), np.linspace(800.0, 200.0, 100)])
    tangential = (
        np.concatenate([np.linspace(0.4, 0.5, 100), np.full(100, 0.2)]) * normal
    )
    assert not run(tangential, normal, PlateauConfig(), dt=0.01)[0].any()
    assert run(tangential[100:], normal[100:], PlateauConfig(), dt=0.01)[0].any()


def test_restarting_reuses_the_buffers_and_forgets_everything():
    state = initial_plateau()
    for k, fn in enumerate(np.linspace(900.0, 300.0, 50)):
        x = 0.3 * fn * np.cos(0.02 * k)
        y = 0.3 * fn * np.sin(0.02 * k)
        state = plateau_step(state, x, y, fn, 0.01, PlateauConfig().packed)
    assert state.plateau.sliding
    again = restart_plateau(state)
    assert again.tangential is state.tangential or np.shares_memory(
        again.tangential, state.tangential
    )
    assert again.blocks == 0
    assert again.held == 0.0
    assert not again.plateau.sliding
