# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The certified bound in closed form: lowered by what an offset may add to the force
ratio, below that of a slip."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.estimator import (
    IntervalEstimator,
    estimate,
)
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import (
    ratio_offset,
    ratio_sigma,
    update,
)
from biped_slip.friction_estimation.types import EstimateState
from synthetic.stances import (
    BODY_WEIGHT,
    Sensors,
    StanceKind,
    draw,
    mean_block,
    observe,
    told,
)

SOLE = SoleModel(calibrated=True, compliance_spread=0.0, lag_spread=0.0)


def followed(blocks, force_offset):
    """Grid, model and last force ratio's sd after some blocks of a pulled foot."""
    rng = np.random.default_rng(5)
    sensors = Sensors(
        kind="position",
        sigma=5e-6,
        quantisation=5e-6,
        force_sigma=1.0,
        force_offset=force_offset,
        latency=1,
    )
    seen = observe(rng, draw(rng, 1, StanceKind(planar=False)), sensors, False)
    model = build(told(sensors, False, SOLE), BODY_WEIGHT)
    filters = grid.new_filters(model)
    for index in range(blocks):
        block = mean_block(
            seen.ratio[0],
            seen.force[0],
            seen.normal[0],
            seen.displacement[0],
            60 + 5 * index,
        )
        if index == 0:
            grid.start(filters, model, sole_prior(SOLE, BODY_WEIGHT), block)
        else:
            update(filters, model, block)
    return filters, model, block, ratio_sigma(model, block)


@pytest.mark.parametrize("shift", [0.01, 0.03])
def test_the_interval_widens_by_what_an_offset_of_the_force_sensor_may_add(shift):
    filters, model, _, s_u = followed(80, 0.0)
    contact = filters.contact[0]
    contact["mu_demonstrated"] = 0.0
    contact["shift"] = 0.0
    narrow = read_out(filters, model, s_u)
    contact["shift"] = shift
    wide = read_out(filters, model, s_u)
    assert narrow.low > shift
    assert wide.low == pytest.approx(narrow.low - shift, abs=1e-12)
    assert wide.high == pytest.approx(narrow.high + shift, abs=1e-12)
    assert (wide.q05, wide.median, wide.usable) == (
        narrow.q05,
        narrow.median,
        narrow.usable,
    )


def test_what_the_foot_has_held_stays_whatever_the_offset():
    filters, model, _, s_u = followed(80, 0.0)
    contact = filters.contact[0]
    contact["mu_demonstrated"] = 0.2
    contact["shift"] = 10.0
    assert read_out(filters, model, s_u).low == 0.2


def test_a_pull_with_an_offset_shifts_by_the_bound_at_its_largest_load():
    filters, model, block, _ = followed(30, 3.0)
    bound = 3.0 * math.sqrt(1.0 + block.u_x**2 + block.u_y**2) / block.force_normal
    assert ratio_offset(model, block) == pytest.approx(bound)
    assert filters.contact[0]["shift"] == pytest.approx(bound, rel=0.1)


@pytest.mark.parametrize(
    ("kinetic", "sigma", "low"), [(0.3, 0.01, 0.27), (0.02, 0.01, 0.0)]
)
def test_after_a_slip_the_certified_bound_is_three_deviations_below_the_kinetic_ratio(
    kinetic, sigma, low
):
    state = IntervalEstimator(
        IntervalConfig(sole=SOLE), body_weight=BODY_WEIGHT
    ).initial_state()
    foot = state.foot[0]
    event = state.slip.event[0]
    foot["in_contact"] = True
    foot["sigma_u"] = sigma
    foot["mu_demonstrated"] = 0.9
    foot["low"] = 0.9
    event["slipped"] = True
    event["kinetic"] = kinetic
    answer = estimate(state, 0.1, int(EstimateState.USABLE))
    assert answer.mu == kinetic
    assert answer.mu_low == pytest.approx(low, abs=1e-12)
    assert (
        answer.mu_demonstrated
        <= answer.mu_low
        <= answer.mu_q05
        <= answer.mu
        <= answer.mu_high
    )
    assert answer.mu_high == pytest.approx(kinetic + 3.0 * sigma)
