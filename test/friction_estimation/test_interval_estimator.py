# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.friction_estimation.interval.config import (
    FloorPrior,
    GateConfig,
    IntervalConfig,
    MotionNoise,
    SlipConfig,
    SoleModel,
)
from biped_slip.friction_estimation.interval.estimator import (
    IntervalEstimator,
    copy_state,
)
from biped_slip.friction_estimation.types import NAN, EstimateState, FootMeasurement
from synthetic.stances import (
    BODY_WEIGHT,
    Observed,
    Sensors,
    StanceKind,
    draw,
    follow,
    observe,
    told,
)

KNOWN = SoleModel(calibrated=True, compliance_spread=0.0)
SENSORS = Sensors(
    kind="position",
    sigma=5e-6,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=0.5,
    latency=0,
)
LOAD = 300.0  # [N]
PERIOD = 1e-3


def measurement(
    ratio=0.0, x=0.0, normal=LOAD, velocity=NAN, rate=NAN, centre=NAN, stamp=0
):
    return FootMeasurement(
        stamp_ns=stamp,
        force_x=-ratio * normal,
        force_y=0.0,
        force_normal=normal,
        displacement_x=x,
        displacement_y=0.0,
        velocity_x=velocity,
        velocity_y=0.0,
        moment_normal=0.0,
        centre_of_pressure_x=centre,
        centre_of_pressure_y=0.0,
        angular_rate=rate,
    )


def presliding(ratio, mu, s_p):
    """Displacement of the first order law from rest [m]."""
    return -s_p / 3.0 * math.log(1.0 - ratio / mu)


def ramp(mu=0.5, s_p=1e-3, to=0.95, seconds=0.4, seed=0, sigma=5e-6, normal=LOAD):
    """A foot that rests 0.1 s and is then pulled up to a share of mu."""
    rng = np.random.default_rng(seed)
    for k in range(round((seconds + 0.1) / PERIOD)):
        ratio = to * mu * max(0.0, k * PERIOD - 0.1) / seconds
        x = presliding(ratio, mu, s_p) + sigma * rng.standard_normal()
        yield measurement(ratio + rng.standard_normal() / normal, x, normal, stamp=k)


def estimator(config=None, **kinds):
    return IntervalEstimator(
        config or IntervalConfig(motion=MotionNoise(sigma=5e-6), sole=KNOWN, **kinds),
        body_weight=LOAD,
    )


def run(estimator, samples, state=None):
    state = state or estimator.initial_state()
    answers = []
    for sample in samples:
        state, answer = estimator.step(state, sample, PERIOD)
        answers.append(answer)
    return state, answers


def words(answers):
    return [EstimateState(answer.state_code).name for answer in answers]


def test_a_pull_passes_through_settling_and_ignorance_to_usable_knowledge():
    _, answers = run(estimator(), ramp())
    seen = list(dict.fromkeys(words(answers)))
    assert seen == ["SETTLING", "NOT_IDENTIFIABLE", "USABLE"]
    assert answers[-1].mu_low <= 0.5 <= answers[-1].mu_high
    assert answers[-1].mu == pytest.approx(0.5, rel=0.1)
    assert answers[-1].s_p == pytest.approx(1e-3, rel=0.3)


def test_it_speaks_before_the_limit_is_reached():
    _, answers = run(estimator(), ramp())
    first = words(answers).index("USABLE")
    assert answers[first].force_ratio < 0.8 * 0.5


def test_quantiles_and_interval_are_ordered_and_hold_what_was_held():
    _, answers = run(estimator(), ramp(seed=3))
    for answer in answers:
        if not math.isnan(answer.mu_median):
            assert answer.mu_low <= answer.mu_high
            assert answer.mu_q05 <= answer.mu_median
            assert answer.mu_low >= answer.mu_demonstrated


def test_before_release_there_is_no_point_value():
    _, answers = run(estimator(), ramp(to=0.1))
    assert all(math.isnan(answer.mu) for answer in answers)
    assert not any(answer.usable for answer in answers)


def test_the_class_answers_as_the_core_does():
    rng = np.random.default_rng(31)
    stances = draw(rng, 2, StanceKind(planar=True))
    seen = observe(rng, stances, SENSORS, True)
    normal = np.full(seen.normal.shape, 400.0)  # in contact from the first sample on
    seen = Observed(seen.ratio * 400.0, normal, seen.displacement)
    config = told(SENSORS, True, KNOWN)
    config = IntervalConfig(
        motion=config.motion,
        force=config.force,
        sole=KNOWN,
        gate=GateConfig(settling_time=0.0605, carry_sole=False),
    )
    course = follow(seen, stances.length, config)
    one = IntervalEstimator(config, body_weight=BODY_WEIGHT)
    state = one.initial_state()
    for stance in range(2):
        for k in range(int(stances.length[stance])):
            force = seen.force[stance, k]
            sample = FootMeasurement(
                k,
                -force[0],
                -force[1],
                400.0,
                *seen.displacement[stance, k],
                *[NAN] * 6,
            )
            state, answer = one.step(state, sample, PERIOD)
            if k >= 64 and (k - 64) % 5 == 0:
                block = (k - 64) // 5
                assert answer.mu_median == pytest.approx(
                    course.median[stance, block], rel=1e-6
                )
                assert answer.mu_low == pytest.approx(
                    course.low[stance, block], rel=1e-6
                )
        state, _ = run(one, [measurement(normal=0.0)] * 30, state)


def test_lift_off_forgets_the_floor():
    one = estimator()
    state, answers = run(one, ramp())
    assert answers[-1].usable
    # a single one may be a dropped sample
    state, (_, answer) = run(one, [measurement(normal=1.0)] * 2, state)
    assert EstimateState(answer.state_code) is EstimateState.NO_CONTACT
    assert math.isnan(answer.mu_median)
    _, answers = run(one, ramp(to=0.1), state)
    assert not any(answer.usable for answer in answers)


def test_a_contact_does_not_chatter_at_its_threshold():
    threshold = 0.2 * LOAD
    samples = [
        measurement(normal=threshold * (1.05 if k % 2 else 0.95)) for k in range(40)
    ]
    _, answers = run(estimator(), samples)
    assert words(answers).count("NO_CONTACT") == 1


@pytest.mark.parametrize(
    ("broken", "dt"),
    [
        (measurement(ratio=math.nan), PERIOD),
        (measurement(normal=math.inf), PERIOD),
        (measurement(normal=1e9), PERIOD),
        (measurement(x=math.inf), PERIOD),
        (measurement(x=1e30), PERIOD),
        (measurement(), 0.0),
        (measurement(), -1.0),
        (measurement(), math.nan),
    ],
)
def test_a_broken_sample_is_skipped_and_said_so(broken, dt):
    one = estimator()
    samples = list(ramp(seed=5))
    state, _ = run(one, samples[:400])
    before = copy_state(state)
    state, answer = one.step(state, broken, dt)
    assert EstimateState(answer.state_code) is EstimateState.INVALID_INPUT
    assert one.fault(state)
    for name, old, new in zip(
        before.filters._fields, before.filters, state.filters, strict=True
    ):
        assert np.array_equal(old, new), name
    _, after = run(one, samples[400:], state)
    _, undisturbed = run(one, samples[400:], before)
    np.testing.assert_equal(after, undisturbed)


def test_without_motion_it_says_not_identifiable_and_certifies_nothing():
    samples = [
        sample._replace(displacement_x=NAN, displacement_y=NAN) for sample in ramp()
    ]
    _, answers = run(estimator(), samples)
    assert words(answers)[-1] == "NOT_IDENTIFIABLE"
    assert math.isnan(answers[-1].mu)
    assert math.isnan(answers[-1].mu_demonstrated)


def test_a_velocity_alone_is_summed():
    config = IntervalConfig(motion=MotionNoise(kind="velocity", sigma=1e-4), sole=KNOWN)
    samples = []
    previous = None
    for sample in ramp(sigma=0.0):
        velocity = (
            0.0 if previous is None else (sample.displacement_x - previous) / PERIOD
        )
        previous = sample.displacement_x
        samples.append(
            sample._replace(
                displacement_x=NAN,
                displacement_y=NAN,
                velocity_x=velocity,
                velocity_y=0.0,
            )
        )
    _, answers = run(estimator(config), samples)
    assert words(answers)[-1] == "USABLE"
    assert answers[-1].mu_low <= 0.5 <= answers[-1].mu_high


def test_a_source_that_assumes_the_stance_foot_still_is_refused():
    samples = [sample._replace(displacement_x=0.25) for sample in ramp()]
    one = estimator()
    state, answers = run(one, samples)
    assert words(answers)[-1] == "INVALID_INPUT"
    assert "still" in one.fault(state)
    assert not any(answer.usable for answer in answers)


def test_a_foot_that_truly_rests_under_a_constant_load_is_no_fault():
    one = estimator()
    state, answers = run(one, [measurement(0.05, 0.25) for _ in range(400)])
    assert words(answers)[-1] == "NOT_IDENTIFIABLE"
    assert one.fault(state) == ""


def test_rolling_motion_is_not_mistaken_for_presliding():
    one = estimator()
    samples = list(ramp())
    rolled = list(samples)
    # the foot rolls 20 mm forward over its toe, then rests again
    for k in range(300, 340):
        rolled[k] = rolled[k]._replace(
            angular_rate=2.0,
            displacement_x=samples[k].displacement_x + 5e-4 * (k - 300),
        )
    for k in range(340, len(samples)):
        rolled[k] = rolled[k]._replace(displacement_x=samples[k].displacement_x + 0.02)
    _, answers = run(one, rolled)
    assert not any(answer.slipping for answer in answers)
    assert answers[-1].mu_low <= 0.5 <= answers[-1].mu_high


def test_the_centre_of_pressure_at_the_edge_is_rolling_too():
    one = estimator(gate=GateConfig(sole_half_length=0.1))
    samples = [sample._replace(centre_of_pressure_x=0.099) for sample in ramp()]
    _, answers = run(one, samples)
    assert not any(answer.usable for answer in answers)


def slide(samples, seconds=0.1, speed=0.2, ratio=0.4):
    last = samples[-1]
    rng = np.random.default_rng(8)
    for k in range(round(seconds / PERIOD)):
        x = (
            last.displacement_x
            + speed * PERIOD * (k + 1)
            + 5e-6 * rng.standard_normal()
        )
        yield measurement(ratio + 0.3 * rng.standard_normal() / LOAD, x)


def test_a_slip_is_reported_and_caps_the_interval_at_the_kinetic_ratio():
    one = estimator()
    samples = list(ramp(to=0.99))
    state, _ = run(one, samples)
    state, answers = run(one, slide(samples), state)
    assert answers[30].slipping
    assert words(answers)[-1] == "SLIPPING"
    assert answers[-1].mu == pytest.approx(0.4, abs=0.005)
    assert answers[-1].mu_high < 0.45
    event = one.slip(state)
    assert event.going_on
    assert event.distance == pytest.approx(0.02, rel=0.1)
    assert event.heading == pytest.approx(0.0, abs=0.05)
    assert event.onset == pytest.approx(0.5, abs=0.03)


def test_without_a_slip_there_is_no_event():
    one = estimator()
    state, _ = run(one, ramp())
    assert one.slip(state) is None


def test_after_a_slip_the_foot_may_rest_again_and_remembers():
    one = estimator()
    samples = list(ramp(to=0.99))
    samples += list(slide(samples))
    rest = [
        measurement(0.1, samples[-1].displacement_x + 1e-6 * (-1) ** k)
        for k in range(100)
    ]
    _, answers = run(one, samples + rest)
    assert not answers[-1].slipping
    assert words(answers)[-1] == "USABLE"
    assert answers[-1].mu_high < 0.45


def test_an_early_slip_on_a_floor_never_identified_gives_its_kinetic_ratio():
    one = estimator()
    rest = [measurement(0.0, 1e-6 * (-1) ** k) for k in range(150)]
    _, answers = run(one, rest + list(slide(rest, ratio=0.08)))
    assert answers[-1].slipping
    assert answers[-1].mu == pytest.approx(0.08, abs=0.01)


def test_a_sole_that_turns_while_it_slides_is_not_taken_for_a_more_slippery_floor():
    # what the force leaves of the elliptic limit surface goes to the moment
    mu = 0.25
    arm = 0.075
    force = 0.08
    moment = arm * math.sqrt(mu**2 - force**2) * LOAD
    rest = [measurement(0.0, 1e-6 * (-1) ** k) for k in range(150)]
    turning = [
        sample._replace(moment_normal=moment) for sample in slide(rest, ratio=force)
    ]
    _, told = run(estimator(slip=SlipConfig(moment_arm=arm)), rest + turning)
    _, untold = run(estimator(), rest + turning)
    assert told[-1].mu == pytest.approx(mu, abs=0.01)
    assert untold[-1].mu == pytest.approx(force, abs=0.01)


def test_what_a_step_teaches_about_the_sole_is_carried_over_with_doubt():
    one = estimator()
    state, _ = run(one, ramp(s_p=2.5e-3))
    state, _ = run(one, [measurement(normal=0.0)] * 2, state)
    record = state.foot[0]
    assert record["sole_s_p"] == pytest.approx(2.5, rel=0.3)
    assert 0.5 <= record["sole_s_p_spread"] < 1.0
    forgetful = estimator(gate=GateConfig(carry_sole=False))
    state, _ = run(forgetful, ramp(s_p=2.5e-3))
    state, _ = run(forgetful, [measurement(normal=0.0)] * 2, state)
    assert state.foot[0]["sole_s_p"] == pytest.approx(0.8)


def test_a_gap_in_the_samples_takes_the_path_up_anew():
    one = estimator()
    samples = list(ramp())
    state, _ = run(one, samples[:350])
    state, _ = one.step(state, samples[400]._replace(displacement_x=0.5), 0.05)
    later = [
        sample._replace(displacement_x=sample.displacement_x + 0.5)
        for sample in samples[401:]
    ]
    _, answers = run(one, later, state)
    assert answers[-1].mu_low <= 0.5 <= answers[-1].mu_high
    assert not answers[-1].slipping


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_body_weight_that_can_not_be_is_refused(weight):
    with pytest.raises(InvalidParameter, match="body_weight"):
        IntervalEstimator(body_weight=weight)


def test_a_sole_believed_too_well_is_refused():
    with pytest.raises(BipedSlipError, match="s_p_spread"):
        SoleModel(s_p_spread=0.2)


def test_warm_up_leaves_no_trace():
    one = estimator()
    one.warm_up()
    _, first = run(one, ramp())
    _, second = run(estimator(), ramp())
    np.testing.assert_equal(first, second)


def strange_samples(rng, count):
    """Plausible walking mixed with every kind of nonsense."""
    odd = [0.0, -0.0, 1e-300, 1e300, -1e300, math.inf, -math.inf, NAN, 1e5, -1e5]
    for k in range(count):
        values = [
            rng.normal(0.0, 60.0),
            rng.normal(0.0, 20.0),
            rng.normal(300.0, 50.0),
            *rng.normal(0.0, 1e-3, 8),
            0.1,
        ]
        for _ in range(rng.poisson(0.3)):
            values[rng.integers(len(values))] = odd[rng.integers(len(odd))]
        if rng.uniform() < 0.02:
            values[2] = 0.0
        dt = float(rng.choice([1e-3, 5e-3, 0.05, 1e-9], p=[0.9, 0.06, 0.03, 0.01]))
        yield FootMeasurement(k, *map(float, values[:11])), dt


@pytest.mark.parametrize("kind", ["position", "velocity", "imu"])
@pytest.mark.parametrize("axes", [1, 2])
def test_nonsense_never_makes_it_fail_or_contradict_itself(kind, axes):
    config = IntervalConfig(
        motion=MotionNoise(kind=kind, sigma=1e-5), axes=axes, nodes=20
    )
    one = estimator(config)
    state = one.initial_state()
    for sample, dt in strange_samples(np.random.default_rng(17), 3000):
        state, answer = one.step(state, sample, dt)
        assert answer.state_code in list(EstimateState)
        if answer.usable:
            assert 0.0 <= answer.mu_low <= answer.mu_high < math.inf
            assert math.isfinite(answer.mu)
        if not math.isnan(answer.mu_q05):
            assert 0.0 <= answer.mu_q05 <= answer.mu_median


def test_a_slower_stream_says_the_same_later():
    one = estimator()
    samples = list(ramp(seconds=1.0))
    _, fast = run(one, samples)
    state = one.initial_state()
    for sample in samples[::5]:
        state, slow = one.step(state, sample, 5.0 * PERIOD)
    assert EstimateState(slow.state_code) is EstimateState.USABLE
    assert slow.mu_median == pytest.approx(fast[-1].mu_median, rel=0.05)


def test_a_stated_belief_about_the_floor_moves_the_median_until_the_data_speak():
    believer = estimator(floor=FloorPrior(mu=0.3, spread=0.2))
    (_, believed) = run(believer, ramp(to=0.2))
    (_, free) = run(estimator(), ramp(to=0.2))
    assert abs(math.log(believed[-1].mu_median / 0.3)) < 0.7 * abs(
        math.log(free[-1].mu_median / 0.3)
    )
    _, convinced = run(believer, ramp())
    assert convinced[-1].mu_low <= 0.5 <= convinced[-1].mu_high


def lifted(one, state):
    """In the air for a moment."""
    for _ in range(20):
        state, _ = one.step(state, measurement(normal=0.0), PERIOD)
    return state


def test_what_a_step_teaches_about_the_shape_of_the_curve_is_carried_over_with_forgetting():
    one = IntervalEstimator(
        IntervalConfig(motion=MotionNoise(sigma=1e-6)), body_weight=LOAD
    )
    state = one.initial_state()
    count = one.settings.model.exponents.size
    uniform = np.full(count, 1.0 / count)
    np.testing.assert_allclose(state.filters.shape_weight, uniform)
    state, _ = run(one, ramp(sigma=1e-6), state)
    # what the contact made of it
    shapes = state.filters.probability.reshape(-1, count).sum(axis=0)
    weights = lifted(one, state).filters.shape_weight
    np.testing.assert_allclose(weights, 0.8 * shapes + 0.2 * uniform, rtol=1e-9)
    fresh = IntervalEstimator(
        IntervalConfig(gate=GateConfig(carry_sole=False)), body_weight=LOAD
    )
    state, _ = run(fresh, ramp(sigma=1e-6))
    np.testing.assert_allclose(lifted(fresh, state).filters.shape_weight, uniform)


def test_a_motion_that_is_lost_for_a_while_may_come_back_with_another_origin():
    one = estimator()
    samples = list(ramp(seconds=1.0))
    moved = [
        s._replace(displacement_x=s.displacement_x + (0.3 if k > 420 else 0.0))
        for k, s in enumerate(samples)
    ]
    gone = [
        s._replace(displacement_x=NAN) if 400 <= k <= 420 else s
        for k, s in enumerate(moved)
    ]
    _, answers = run(one, gone)
    assert EstimateState(answers[-1].state_code) is EstimateState.USABLE
    assert answers[-1].mu_low <= 0.5 <= answers[-1].mu_high


def test_an_inertial_source_teaches_nothing_about_the_sole():
    config = IntervalConfig(
        motion=MotionNoise(kind="imu", sigma=0.0, bias=1e-3, noise_density=1e-4),
        sole=KNOWN,
    )
    one = IntervalEstimator(config, body_weight=LOAD)
    before = one.initial_state().foot[0]["sole_s_p"]
    state, _ = run(one, ramp())
    assert lifted(one, state).foot[0]["sole_s_p"] == before
