# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From weights to an answer, against the study's formulas written with arrays, for any
weights of the filters."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.grid import (
    BELIEF_SIZE,
    BELIEF_STEP,
    Block,
    overcounting,
)
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.readout import (
    HOPELESS,
    LEAST_NODES,
    NEGLIGIBLE,
    RULED_OUT,
    S_P_RANGE,
    cautious_quantile,
    quantile,
    read_out,
)

WEIGHT = 400.0
S_U = 1e-3
SOLES = {
    "stiff and prompt, one rule": SoleModel(
        calibrated=True, compliance_spread=0.0, lag_spread=0.0, masing=0.0
    ),
    "compliant, both rules": SoleModel(
        calibrated=True, lag_spread=0.0, shape_scatter=0.2
    ),
    "late, both rules": SoleModel(
        calibrated=True, compliance_spread=0.0, lag_spread=0.02
    ),
    "one variant of each rule": SoleModel(
        calibrated=True,
        compliance_spread=0.0,
        lag_spread=0.0,
        masing=0.5,
        least_shape=0.0,
    ),
    "compliant and late, the other rule": SoleModel(
        calibrated=True, lag_spread=0.02, masing=1.0
    ),
}


def drawn(seed, name, axes, width=0.1):
    """Filters of a contact with weights, states and history drawn at random; ``width``:
    of the belief in ln mu."""
    rng = np.random.default_rng(seed)
    sole = SOLES[name]
    model = build(IntervalConfig(nodes=20, axes=axes, sole=sole), WEIGHT)
    filters = grid.new_filters(model)
    grid.start(
        filters,
        model,
        sole_prior(sole, WEIGHT),
        Block(
            u_x=0.0,
            u_y=0.0,
            x=0.0,
            y=0.0,
            force_x=0.0,
            force_y=0.0,
            force_normal=WEIGHT,
            samples=5,
            duration=0.005,
            merged=1,
        ),
    )
    nodes = model.mu.size
    shapes = model.exponents.size
    centre = rng.uniform(np.log(model.mu[4]), np.log(model.mu[-5]))
    fit = -0.5 * ((np.log(model.mu) - centre) / width) ** 2
    filters.log_weight[:] = (
        fit[:, None] + rng.normal(0.0, 1.0, (nodes, shapes))
    ).ravel()
    filters.shape_weight[:] = rng.dirichlet(np.full(shapes, 2.0))
    states = len(filters.mean)
    for n in range(nodes * shapes):
        root = 0.3 * rng.normal(size=(states, states))
        filters.covariance[:, :, n] = np.tril(root @ root.T)
        filters.mean[:, n] = 0.3 * rng.normal(size=states)
        filters.mean[axes, n] = rng.uniform(0.1, 2.0)
    contact = filters.contact[0]
    contact["load"], contact["shift"] = rng.uniform(0.05, 0.6), rng.uniform(0.0, 0.03)
    contact["mu_demonstrated"], contact["median"] = rng.uniform(0.0, 0.3), model.mu[7]
    return filters, model, rng


def belief(filters, s_p):
    """Density from the table, linear in the root."""
    roots = np.sqrt(np.maximum(s_p, 0.0))
    return np.where(
        s_p > 0.0,
        np.interp(roots, BELIEF_STEP * np.arange(BELIEF_SIZE), filters.belief),
        0.0,
    )


def weighed(filters, model, alive):
    """Probability of every filter, mean and sd of s_p [mm]; the study's 7.5."""
    nodes = model.mu.size
    shapes = model.exponents.size
    sole = model.axes
    best = filters.log_weight[alive].max()
    evidence = (filters.log_weight - best) / overcounting(filters)
    believed = np.repeat(model.prior, shapes) * np.tile(filters.shape_weight, nodes)
    weight = np.where(
        alive & (evidence >= NEGLIGIBLE), believed * np.exp(evidence), 0.0
    )
    abscissae, shares = np.polynomial.hermite_e.hermegauss(7)
    shares = shares / math.sqrt(2.0 * math.pi)
    own = filters.covariance[sole, sole]
    s_p = filters.mean[sole] + np.sqrt(own) * abscissae[:, None]
    density = shares[:, None] * belief(filters, s_p)
    here = density.sum(0)
    moment = (density * s_p).sum(0)
    square = (density * s_p**2).sum(0)
    for index, margin in signs(model):
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = moment / here
            spread = square / here - (moment / here) ** 2
            slope = filters.covariance[index, sole] / own
            sd = np.sqrt(filters.covariance[index, index] - slope**2 * (own - spread))
            chance = norm.cdf(
                (
                    filters.mean[index]
                    + slope * (mean - filters.mean[sole])
                    + margin * mean
                )
                / sd
            )
        weight = weight * np.where(here > 0.0, chance, 1.0)
    total = (weight * here).sum()
    once = (weight * moment).sum() / total
    twice = (weight * square).sum() / total
    return weight * here / total, once, math.sqrt(twice - once**2)


def signs(model):
    """States that must be positive: index, and the share of s_p by which they may not
    be."""
    index = model.axes + 1
    if model.has_compliance:
        yield index, 0.0
        index += 1
    if model.has_lag:
        yield index, model.latency


def quantile_of(model, by_node, share):
    """Linear in ln mu inside the cells."""
    edges = np.log(model.mu[0]) + model.log_step * (np.arange(model.mu.size + 1) - 0.5)
    return math.exp(np.interp(share, np.append(0.0, np.cumsum(by_node)), edges))


def expected(filters, model, s_u):
    """Everything that is read out."""
    nodes = model.mu.size
    shapes = model.exponents.size
    contact = filters.contact[0]
    probability, s_p, s_p_sd = weighed(filters, model, np.ones(nodes * shapes, bool))
    table = probability.reshape(nodes, shapes)
    least = model.level * np.outer(
        model.prior, np.maximum(filters.shape_weight, 1.0 / shapes)
    )
    kept = np.flatnonzero((table >= least).any(axis=1))
    lowest = kept[0]
    highest = kept[-1]
    half = math.exp(0.5 * model.log_step)
    q05, median, q95 = (
        quantile_of(model, table.sum(1), share) for share in (0.05, 0.5, 0.95)
    )
    inside = 0 < np.argmin(np.abs(np.log(model.mu / median))) < nodes - 1
    released = inside and contact["load"] >= max(
        model.release_share * median, model.release_sigmas * s_u
    )
    low = model.mu[lowest] / half if released and lowest > 0 else 0.0
    high = model.mu[highest] * half if highest < nodes - 1 else math.inf
    mu_demonstrated = contact["mu_demonstrated"]
    shift = contact["shift"]
    usable = released and high < model.usable_ratio * max(low, mu_demonstrated)
    refuted = mu_demonstrated > high + shift
    low = max(low / half - shift, mu_demonstrated)
    lower = [q05, median]
    for part in (slice(0, model.local), slice(model.local, shapes)):
        likely = table[:, part].sum()
        believed = np.maximum(filters.shape_weight[part], 1.0 / shapes).sum()
        if table[:, part].size and likely >= RULED_OUT * believed:
            own = [
                quantile_of(model, table[:, part].sum(1) / likely, share)
                for share in (0.05, 0.5)
            ]
            lower = np.minimum(lower, own)
    answer = [
        low,
        lower[0],
        max(lower[1], low),
        q95,
        max(high + shift, low),
        released,
        usable,
        refuted,
        mu_demonstrated,
    ]
    return [*answer, s_p, s_p_sd], probability, (q05, median, model.mu[lowest])


@pytest.mark.parametrize("name", SOLES)
@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_an_answer_is_what_the_studys_formulas_say(name, axes, seed):
    filters, model, _ = drawn(10 * seed + axes, name, axes, (0.03, 0.1, 0.3, 1.0)[seed])
    told, probability, (q05, median, lowest) = expected(filters, model, S_U)
    found = read_out(filters, model, S_U)
    np.testing.assert_allclose(filters.probability, probability, atol=2e-4)
    np.testing.assert_allclose(
        np.array(found, float), np.array(told, float), rtol=2e-3, atol=1e-4
    )
    contact = filters.contact[0]
    assert (contact["q05"], contact["low"], contact["released"]) == (
        pytest.approx(q05, rel=1e-3),
        lowest,
        told[5],
    )
    node = np.argmin(np.abs(np.log(model.mu / median)))
    shapes = model.exponents.size
    best = node * shapes + np.argmax(probability.reshape(-1, shapes)[node])
    assert (contact["median"], contact["reference"]) == (model.mu[node], best)
    assert contact["s_p_reference"] == np.clip(filters.mean[axes, best], *S_P_RANGE)


@pytest.mark.parametrize("variant", [0, 1])
def test_a_variant_that_earlier_steps_made_likely_does_not_count_against_the_others(
    variant,
):
    """Believed less than its even share it must be that much likelier to stay in the
    interval."""
    filters, model, _ = drawn(3, "late, both rules", 1, 0.1)
    shapes = model.exponents.size
    for least in (0.9, 1e-3):
        filters.shape_weight[:] = (1.0 - least) / (shapes - 1)
        filters.shape_weight[variant] = least
        told, _, _ = expected(filters, model, S_U)
        np.testing.assert_allclose(
            np.array(read_out(filters, model, S_U), float),
            np.array(told, float),
            rtol=2e-3,
        )


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_belief_at_an_end_of_the_grid_has_no_bound_there_and_is_not_released(end):
    filters, model, _ = drawn(1, "stiff and prompt, one rule", 1, 0.1)
    shapes = model.exponents.size
    contact = filters.contact[0]
    edge = 0 if end == "low" else model.mu.size - 1
    distance = np.abs(np.arange(model.mu.size) - edge)
    filters.log_weight[:] = np.repeat(-3.0 * distance.astype(float), shapes)
    contact["load"] = 10.0
    contact["mu_demonstrated"] = 0.0
    contact["shift"] = 0.0
    found = read_out(filters, model, S_U)
    assert contact["median"] == model.mu[edge]
    assert not found.released
    assert not found.usable
    assert found.low == 0.0
    assert math.isinf(found.high) == (end == "high")
    assert (
        model.mu[0] * 0.9 < found.q05 <= found.median <= found.q95 <= model.mu[-1] * 1.1
    )


@pytest.mark.parametrize("by", ["share of the median", "noise"])
def test_an_answer_is_released_once_the_load_is_large_enough_for_both_reasons(by):
    filters, model, _ = drawn(2, "stiff and prompt, one rule", 1, 0.1)
    contact = filters.contact[0]
    median = read_out(filters, model, S_U).median
    s_u = S_U
    if by == "noise":
        s_u = 2.0 * model.release_share * median / model.release_sigmas
    least = (
        model.release_share * quantile(filters, model, 0.5)
        if by != "noise"
        else model.release_sigmas * s_u
    )
    for load, released in ((least, True), (math.nextafter(least, 0.0), False)):
        contact["load"] = load
        assert read_out(filters, model, s_u).released == released


def test_what_the_foot_has_held_may_refute_the_upper_end_and_never_lies_above_the_answer():
    filters, model, _ = drawn(2, "stiff and prompt, one rule", 1, 0.05)
    contact = filters.contact[0]
    contact["load"] = 1.0
    contact["shift"] = 0.0
    contact["mu_demonstrated"] = 0.0
    high = read_out(filters, model, S_U).high
    contact["shift"] = 0.25
    for mu_demonstrated, refuted in (
        (high + 0.25, False),
        (math.nextafter(high + 0.25, 9.0), True),
    ):
        contact["mu_demonstrated"] = mu_demonstrated
        found = read_out(filters, model, S_U)
        assert found.refuted == refuted
        assert found.low == mu_demonstrated <= found.median <= found.high


def test_data_that_no_filter_explains_leave_what_was_believed_before():
    filters, model, _ = drawn(5, "compliant, both rules", 1)
    filters.belief[:] = 0.0
    found = read_out(filters, model, S_U)
    believed = np.repeat(model.prior, model.exponents.size) * np.tile(
        filters.shape_weight, model.mu.size
    )
    np.testing.assert_allclose(filters.probability, believed)
    assert math.isnan(found.s_p)
    assert math.isnan(found.s_p_sd)


@pytest.mark.parametrize(
    ("below", "rests"),
    [(-HOPELESS + 1e-9, True), (-HOPELESS, True), (-HOPELESS - 1e-9, False)],
)
def test_nodes_at_the_ends_that_no_evidence_brings_back_rest_and_some_always_live(
    below, rests
):
    filters, model, _ = drawn(6, "late, both rules", 1)
    shapes = model.exponents.size
    contact = filters.contact[0]
    filters.log_weight[:] = -below
    filters.log_weight[9 * shapes + 1] = 0.0
    read_out(filters, model, S_U)
    assert contact["last"] - contact["first"] == (
        LEAST_NODES if rests else model.mu.size
    )
    assert contact["first"] <= 9 < contact["last"]
    filters, model, _ = drawn(6, "late, both rules", 1)
    filters.log_weight[:] = -below
    for node, variant in ((5, 0), (12, shapes - 1)):
        filters.log_weight[node * shapes + variant] = 0.0
    read_out(filters, model, S_U)
    living = filters.contact[0]["first"], filters.contact[0]["last"]
    assert living == ((5, 13) if rests else (0, model.mu.size))
    assert read_out(filters, model, S_U).high < math.inf, (
        "what rests is not asked again"
    )


@pytest.mark.parametrize(
    ("node", "living"), [(1, (1, 5)), (10, (10, 14)), (18, (16, 20)), (19, (16, 20))]
)
def test_some_nodes_live_on_wherever_the_best_one_is(node, living):
    filters, model, _ = drawn(6, "late, both rules", 1)
    filters.log_weight[:] = 2.0 * HOPELESS
    filters.log_weight[node * model.exponents.size] = 0.0
    read_out(filters, model, S_U)
    assert (filters.contact[0]["first"], filters.contact[0]["last"]) == living


@pytest.mark.parametrize("name", SOLES)
def test_soles_softer_than_the_table_and_soles_that_cannot_be_count_as_it_says(name):
    filters, model, rng = drawn(11, name, 1, 0.5)
    filters.belief[:] = rng.uniform(0.1, 1.0, BELIEF_SIZE)
    filters.mean[1] = rng.uniform(10.0, 60.0, filters.log_weight.size)
    filters.mean[1, ::3] = -9.0  # [mm] of reference displacement: a sole that can't be
    told, probability, _ = expected(filters, model, S_U)
    found = read_out(filters, model, S_U)
    assert not filters.probability[::3].any()
    np.testing.assert_allclose(filters.probability, probability, atol=1e-3)
    np.testing.assert_allclose(
        np.array(found, float), np.array(told, float), rtol=5e-3, atol=1e-4
    )


@pytest.mark.parametrize(
    ("node", "released"), [(0, False), (1, True), (18, True), (19, False)]
)
def test_an_answer_is_released_inside_the_grid_and_its_ends_are_the_only_node_that_is_likely(
    node, released
):
    filters, model, _ = drawn(4, "stiff and prompt, one rule", 1)
    contact = filters.contact[0]
    shapes = model.exponents.size
    half = math.exp(0.5 * model.log_step)
    filters.log_weight[:] = np.repeat(
        -20.0 * np.abs(np.arange(model.mu.size) - node), shapes
    )
    contact["load"] = 10.0
    contact["mu_demonstrated"] = 0.0
    contact["shift"] = 0.0
    found = read_out(filters, model, S_U)
    assert found.released == released
    assert contact["low"] == contact["median"] == model.mu[node]
    assert found.high == pytest.approx(model.mu[node] * half if node < 19 else math.inf)
    assert found.low == pytest.approx(model.mu[node] / half**2 if released else 0.0)


def test_a_share_that_is_never_reached_is_at_the_end_of_the_grid():
    filters, model, _ = drawn(7, "late, both rules", 1, 0.1)
    read_out(filters, model, S_U)
    assert quantile(filters, model, 1.5) == model.mu[-1]


def test_nodes_that_rest_take_no_part_in_any_answer():
    filters, model, _ = drawn(7, "late, both rules", 1, 0.1)
    contact = filters.contact[0]
    shapes = model.exponents.size
    contact["first"] = 8
    contact["last"] = 14
    filters.log_weight[: 8 * shapes] = filters.log_weight[14 * shapes :] = 50.0
    found = read_out(filters, model, S_U)
    assert not filters.probability[: 8 * shapes].any()
    assert not filters.probability[14 * shapes :].any()
    assert model.mu[7] < found.q05 < found.q95 < model.mu[14]
    filters.probability[:] = 1.0 / (6 * shapes)  # also where the nodes rest
    assert quantile(filters, model, 0.5) == pytest.approx(
        math.sqrt(model.mu[10] * model.mu[11])
    )
    assert cautious_quantile(filters, model, 0.5) == pytest.approx(
        math.sqrt(model.mu[10] * model.mu[11])
    )


def test_evidence_that_counts_too_much_is_taken_for_less():
    filters, model, _ = drawn(8, "stiff and prompt, one rule", 1, 0.05)
    contact = filters.contact[0]
    sharp = read_out(filters, model, S_U)
    contact["watched"] = 100.0
    contact["energy"] = 1600.0
    contact["product"] = 0.0
    told, probability, _ = expected(filters, model, S_U)
    wide = read_out(filters, model, S_U)
    np.testing.assert_allclose(filters.probability, probability, atol=2e-4)
    assert wide.q95 / wide.q05 > 1.1 * sharp.q95 / sharp.q05
    assert wide.median == pytest.approx(told[2], rel=1e-3)


@pytest.mark.parametrize(
    ("share", "counts"), [(0.9 * RULED_OUT, False), (1.1 * RULED_OUT, True)]
)
def test_a_rule_of_reversal_that_is_ruled_out_does_not_lower_the_quantiles(
    share, counts
):
    filters, model, _ = drawn(9, "one variant of each rule", 1)
    shapes = model.exponents.size
    filters.shape_weight[:] = 0.5
    table = filters.probability.reshape(-1, shapes)
    table[:] = 0.0
    table[12, 0] = 1.0 - 0.5 * share
    table[4, 1] = 0.5 * share
    assert quantile(filters, model, 0.5) > model.mu[11]
    lowered = cautious_quantile(filters, model, 0.5)
    assert lowered == pytest.approx(
        model.mu[4] if counts else quantile(filters, model, 0.5)
    )
