# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from friction_estimation.interval_oracle import Oracle

from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import SoleModel
from biped_slip.friction_estimation.interval.grid import forget_load
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import (
    add_path,
    ratio_sigma,
    update,
)
from synthetic.contacts import Law
from synthetic.stances import (
    BODY_WEIGHT,
    Observed,
    Sensors,
    StanceKind,
    draw,
    follow,
    mean_block,
    observe,
    told,
)

KNOWN = SoleModel(
    calibrated=True, least_shape=0.0, masing=0.0, compliance_spread=0.0, lag_spread=0.0
)
CASES = {
    "straight, position": (
        False,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=5e-6,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        KNOWN,
    ),
    "planar, position": (
        True,
        Sensors(
            kind="position",
            sigma=20e-6,
            quantisation=20e-6,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        KNOWN,
    ),
    "planar, compliance": (
        True,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=0.0,
            force_sigma=1.0,
            force_offset=0.0,
            latency=0,
        ),
        SoleModel(calibrated=True),
    ),
    "straight, velocity": (
        False,
        Sensors(
            kind="velocity",
            sigma=1e-3,
            quantisation=0.0,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        KNOWN,
    ),
    "straight, noisy force, late": (
        False,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=50e-6,
            force_sigma=6.0,
            force_offset=0.0,
            latency=4,
        ),
        KNOWN,
    ),
    "planar, imu": (
        True,
        Sensors(
            kind="imu",
            sigma=0.0,
            quantisation=0.0,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        SoleModel(calibrated=True),
    ),
    "straight, damped sole": (
        False,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=5e-6,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        SoleModel(calibrated=True, compliance_spread=0.0, least_shape=0.0, masing=0.0),
    ),
    "straight, five shapes": (
        False,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=5e-6,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        SoleModel(
            calibrated=True, shape_scatter=0.22, compliance_spread=0.0, masing=1.0
        ),
    ),
    "straight, unknown shape": (
        False,
        Sensors(
            kind="position",
            sigma=5e-6,
            quantisation=5e-6,
            force_sigma=1.0,
            force_offset=1.0,
            latency=1,
        ),
        SoleModel(),
    ),
}


def path(u0, u1, mu, shape=1.0, segments=1):
    total = np.zeros((2, 1))
    exponents = np.array([1.0 - shape])
    u0 = np.asarray(u0, float)
    u1 = np.asarray(u1, float)
    for k in range(segments):
        a = u0 + (u1 - u0) * k / segments
        du = (u1 - u0) / segments
        add_path(a[0], a[1], du[0], du[1], mu, exponents, 0, total)
    return total[:, 0]


def apart(one, other):
    """Distance of two bounds in ln mu; the ends 0 and infinity are their own."""
    return (
        0.0
        if one == other
        else abs(np.log(one / other))
        if one > 0.0 and other > 0.0
        else np.inf
    )


@pytest.mark.parametrize("name", CASES)
def test_recursion_equals_the_plain_one(name):
    planar, sensors, sole = CASES[name]
    rng = np.random.default_rng(77)
    stances = draw(rng, 3, StanceKind(planar=planar))
    seen = observe(rng, stances, sensors, planar)
    model = build(told(sensors, planar, sole), BODY_WEIGHT)
    prior = sole_prior(sole, BODY_WEIGHT)
    filters = grid.new_filters(model)
    ratio = seen.ratio
    for stance in range(3):
        oracle = Oracle(
            model.mu,
            1.0 - model.exponents,
            model.axes,
            sensors.kind,
            1e3 * sensors.sigma,
            1e3 * sensors.quantisation,
            1e3 * sensors.noise_density,
            1e3 * sensors.bias,
            max(1, sensors.latency) * 1e-3,
            sensors.force_sigma,
            sensors.force_offset,
            prior.compliance_sd,
            model.temper,
            prior.lag_sd,
            np.arange(model.exponents.size) >= model.local,
        )
        for index in range(40):
            block = mean_block(
                ratio[stance],
                seen.force[stance],
                seen.normal[stance],
                seen.displacement[stance],
                60 + 5 * index,
            )
            u = np.array([block.u_x, block.u_y])
            x = np.array([block.x, block.y])
            force = np.array([block.force_x, block.force_y])
            if index == 0:
                forget_load(filters)
                grid.touch_down(filters, model)
                grid.start(filters, model, prior, block)
                oracle.start(u, x, force, 5, 1e-3)
                s_u = ratio_sigma(model, block)
            else:
                update(filters, model, block)
                s_u = oracle.update(u, x, force, block.force_normal)
            answer = read_out(filters, model, s_u)
            low, q05, median, high, released = oracle.read(s_u)
            # the tabulated belief about s_p is good to a fraction of a percent; a node
            # on the edge may flip
            assert answer.q05 == pytest.approx(q05, rel=0.01)
            assert answer.median == pytest.approx(median, rel=0.01)
            assert answer.released == released
            assert apart(answer.low, low) < 1.01 * model.log_step
            assert apart(answer.high, high) < 1.01 * model.log_step
            same = filters.log_weight.reshape(oracle.lw.shape)
            alive = oracle.lw > oracle.lw.max() - 30.0
            difference = (same - oracle.lw)[alive]
            assert np.ptp(difference) < 0.05 + 2e-3 * index
            oracle.q05 = filters.contact[0]["q05"]
            oracle.i_r, oracle.j_r = divmod(
                int(filters.contact[0]["reference"]), model.exponents.size
            )
            oracle.mu_r = filters.contact[0]["median"]
            oracle.s_r = filters.contact[0]["s_p_reference"]


def test_a_straight_path_is_the_logarithm():
    for u0, u1, mu in ((0.0, 0.3, 0.5), (-0.2, 0.4, 0.5), (0.4, -0.3, 0.9)):
        sign = np.sign(u1 - u0)
        exact = -sign * np.log((mu - sign * u1) / (mu - sign * u0))
        assert path((u0, 0), (u1, 0), mu, segments=50)[0] == pytest.approx(
            exact, rel=1e-4
        )


@pytest.mark.parametrize("shape", [0.33, 0.75, 1.5, 2.2])
def test_a_straight_path_of_another_shape_is_the_power_law(shape):
    mu = 0.6
    u = 0.5
    exact = (1.0 - (1.0 - u / mu) ** (1.0 - shape)) / (1.0 - shape)
    assert path((0, 0), (u, 0), mu, shape, segments=200)[0] == pytest.approx(
        exact, rel=1e-3
    )


def test_the_path_turns_with_the_force():
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    start = np.array([0.1, -0.2])
    end = np.array([0.15, 0.3])
    assert path(turn @ start, turn @ end, 0.8, 1.3) == pytest.approx(
        turn @ path(start, end, 0.8, 1.3)
    )


def test_two_sub_steps_converge_to_second_order():
    exact = path((0.05, 0.1), (0.3, 0.2), 0.5, segments=1000)
    coarse = np.abs(path((0.05, 0.1), (0.3, 0.2), 0.5, segments=2) - exact).max()
    fine = np.abs(path((0.05, 0.1), (0.3, 0.2), 0.5, segments=8) - exact).max()
    assert fine < coarse / 10.0


def stances_seen(seed, count, sensors, planar=False, **kind):
    rng = np.random.default_rng(seed)
    stances = draw(rng, count, StanceKind(planar=planar, **kind))
    return stances, observe(rng, stances, sensors, planar)


def test_where_the_displacement_is_counted_from_does_not_matter():
    sensors = Sensors(
        kind="position",
        sigma=5e-6,
        quantisation=0.0,
        force_sigma=1.0,
        force_offset=1.0,
        latency=1,
    )
    stances, seen = stances_seen(1, 5, sensors, planar=True)
    moved = Observed(seen.force, seen.normal, seen.displacement + np.array([3.0, -7.0]))
    config = told(sensors, True, KNOWN)
    here = follow(seen, stances.length, config)
    there = follow(moved, stances.length, config)
    np.testing.assert_allclose(here.median, there.median, rtol=1e-6)


def test_turning_everything_changes_nothing():
    sensors = Sensors(
        kind="position",
        sigma=20e-6,
        quantisation=0.0,
        force_sigma=1.0,
        force_offset=1.0,
        latency=1,
    )
    stances, seen = stances_seen(2, 5, sensors, planar=True)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    turned = Observed(seen.force @ turn.T, seen.normal, seen.displacement @ turn.T)
    config = told(sensors, True, SoleModel(calibrated=True))
    here = follow(seen, stances.length, config)
    there = follow(turned, stances.length, config)
    np.testing.assert_allclose(here.q05, there.q05, rtol=1e-6)
    np.testing.assert_array_equal(here.usable, there.usable)


def first_time(stances, share):
    reached = (
        (stances.share >= share)
        & (np.arange(600) >= 80)
        & (np.arange(600) < stances.length[:, None])
    )
    return np.where(reached.any(1), reached.argmax(1), stances.length - 1)


@pytest.mark.parametrize(
    ("seed", "planar", "sigma"), [(11, False, 10e-6), (12, True, 40e-6)]
)
def test_the_certificate_rarely_fails_at_any_time(seed, planar, sigma):
    sensors = Sensors(
        kind="position",
        sigma=sigma,
        quantisation=0.0,
        force_sigma=1.0,
        force_offset=0.5,
        latency=1,
    )
    stances, seen = stances_seen(seed, 400, sensors, planar)
    course = follow(seen, stances.length, told(sensors, planar, KNOWN))
    time = np.array([course.sample(block) for block in range(course.low.shape[1])])
    before = (time >= 80) & (time <= first_time(stances, 0.9)[:, None])
    wrong = (before & (course.low > stances.mu[:, None])).any(axis=1)
    assert np.mean(wrong) <= 0.05
    usable = (before & (course.usable > 0)).any(axis=1)
    assert np.mean(usable) > 0.7


def test_a_sole_that_damps_its_presliding_breaks_no_certificate():
    sensors = Sensors(
        kind="position",
        sigma=1e-6,
        quantisation=0.0,
        force_sigma=0.2,
        force_offset=0.0,
        latency=0,
    )
    stances, seen = stances_seen(14, 200, sensors, law=Law(damping=15e-3))
    damping = SoleModel(
        calibrated=True, least_shape=0.0, masing=0.0, compliance_spread=0.0
    )
    for sole in (damping, KNOWN):  # with and without the lag as a state
        course = follow(seen, stances.length, told(sensors, False, sole))
        time = np.array([course.sample(block) for block in range(course.low.shape[1])])
        before = (time >= 80) & (time <= first_time(stances, 0.9)[:, None])
        assert (
            np.mean((before & (course.low > stances.mu[:, None])).any(axis=1)) <= 0.05
        )
        assert np.mean((before & (course.usable > 0)).any(axis=1)) > 0.7


def test_a_constant_force_offset_moves_both_ends_of_the_interval():
    sensors = Sensors(
        kind="position",
        sigma=5e-6,
        quantisation=0.0,
        force_sigma=1.0,
        force_offset=5.0,
        latency=1,
    )
    stances, seen = stances_seen(15, 20, sensors)
    config = told(sensors, False, KNOWN)
    course = follow(seen, stances.length, config)
    ends = course.high / course.low
    grid_alone = np.exp(np.log(config.mu_max / config.mu_min) / (config.nodes - 1))
    # however much is seen, an offset of 5 N in 500 N stays unknown
    assert np.nanmin(ends) > grid_alone
    assert np.nanmin(course.high - course.low) >= 2.0 * 5.0 / 600.0


def test_a_foot_that_is_hardly_loaded_is_not_usable():
    sensors = Sensors(
        kind="position",
        sigma=5e-6,
        quantisation=0.0,
        force_sigma=1.0,
        force_offset=0.0,
        latency=0,
    )
    stances, seen = stances_seen(13, 300, sensors, largest_share=0.25)
    course = follow(seen, stances.length, told(sensors, False, KNOWN))
    assert np.mean(np.nanmax(course.usable, axis=1)) <= 0.02
