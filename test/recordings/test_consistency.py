# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""No answer about a contact contradicts another of the same contact, whatever is
recorded and whatever is claimed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_files import CONFIGS, FILES

from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse
from biped_slip.recordings.contact import contact_record
from biped_slip.recordings.foot_arrays import estimate_friction
from biped_slip.recordings.gait import HUMAN_GAIT
from biped_slip.recordings.judge.slip import BY_FORCE, BY_MARKERS, BY_MOTION, Slip
from biped_slip.recordings.judge.verdict import Borne, Claim
from biped_slip.recordings.judge.verdict import consistent as judged
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import replay, replay_file

RATE = 500.0


def contradictions(mu, low, high, held, slips):
    """Which of the answers about one contact can't be true together."""
    known = sorted(
        (slip, lasting)
        for slip, lasting in slips
        if slip is not None and math.isfinite(slip)
    )
    values = {
        "mu": mu,
        "high": high,
        **{f"slide {k}": slip for k, (slip, _) in enumerate(known)},
    }
    found = [
        f"{name} {x:.4g} < held {held:.4g}" for name, x in values.items() if x < held
    ]
    found += (
        [f"mu {mu:.4g} outside {low:.4g} to {high:.4g}"]
        if mu < low or mu > high
        else []
    )
    if known and math.isfinite(low):
        lasting = np.cumsum([seconds for _, seconds in known])
        middle = known[int(np.argmax(lasting >= 0.5 * lasting[-1]))][
            0
        ]  # of the time in which it slid
        found += (
            []
            if low / 1.2 <= middle <= 1.2 * high
            else [f"slides at {middle:.4g}, interval {low:.4g} to {high:.4g}"]
        )
    return found


def nan(value):
    return math.nan if value is None else value


def of_record(record):
    numbers = [nan(record[name]) for name in ("mu_median", "mu_low", "mu_high", "held")]
    return contradictions(
        *numbers,
        [(slip["mu"], slip["end"] - slip["start"]) for slip in record["slips"]],
    )


@pytest.mark.parametrize("estimator", ["interval", "slip"])
@pytest.mark.parametrize("one", FILES, ids=lambda one: f"{one.name}-{one.layout}")
def test_no_row_of_a_recording_contradicts_itself(recordings, one, estimator):
    answer = replay_file(recordings / one.name, one.config(recordings), estimator)
    assert answer.contacts
    for contact in answer.contacts:
        assert of_record(contact_record(contact)) == []


@pytest.mark.parametrize("one", FILES, ids=lambda one: f"{one.name}-{one.layout}")
def test_no_step_of_a_recording_contradicts_itself(recordings, one):
    found = analyse(
        read_recording(recordings / one.name, one.config(recordings)),
        TrialInfo(one.name, subject=one.subject),
        GaitSettings(),
    )
    for step in found.steps:
        assert (
            contradictions(step.slip_friction, math.nan, math.nan, step.held, []) == []
        )


ratios = st.floats(0.0, 1.2)
claims = st.builds(
    lambda mu, low, high, slides: Claim(mu, *sorted((low, high)), of_slides=slides),
    st.one_of(st.just(math.nan), ratios),
    ratios,
    ratios,
    st.booleans(),
)
slides = st.lists(
    st.builds(
        lambda start, length, mu, source: Slip(start, start + length, mu, source),
        st.floats(0.0, 1.0),
        st.floats(0.0, 0.5),
        st.one_of(st.none(), ratios),
        st.sampled_from([BY_MOTION, BY_MARKERS, BY_FORCE]),
    ),
    max_size=5,
)


@st.composite
def contacts(draw):
    count = draw(st.integers(2, 400))
    duration = draw(st.floats(0.01, 6.0))
    share = np.linspace(0.0, 1.0, count)
    knots = draw(st.lists(ratios, min_size=2, max_size=8))
    ratio = np.interp(share, np.linspace(0.0, 1.0, len(knots)), knots)
    normal = 700.0 * np.sin(np.pi * share) ** draw(st.sampled_from([0.0, 0.5, 1.0]))
    heading = draw(st.floats(0.0, 6.3)) * share
    force = np.column_stack(
        [ratio * normal * np.cos(heading), ratio * normal * np.sin(heading), normal]
    )
    noise = draw(st.sampled_from([0.0, 2.0, 20.0]))
    settle = draw(st.sampled_from([0.0, 0.1]))
    return Borne(
        time=duration * share,
        force=force,
        load=700.0,
        noise=noise,
        settle=settle,
        cut_off=draw(st.booleans()),
    )


def slides_of(verdict):
    return [(slip.mu, slip.end - slip.start) for slip in verdict.slips]


@settings(max_examples=300, deadline=None)
@given(contacts(), slides, claims)
def test_whatever_is_claimed_of_a_generated_contact_its_answers_agree(
    borne, claimed, claim
):
    verdict = judged(borne, claimed, claim)
    found = verdict.claim
    assert (
        contradictions(
            found.mu, found.low, found.high, verdict.held, slides_of(verdict)
        )
        == []
    )
    assert len(verdict.kept) == len(claimed)
    assert list(verdict.slips) == [
        slip for slip, kept in zip(claimed, verdict.kept, strict=True) if kept
    ]
    if len(verdict.slips) < len(claimed) or (
        math.isfinite(claim.mu) and math.isnan(found.mu)
    ):
        assert verdict.withheld, "nothing is withheld without its reason"


def contact(ratio, rate=RATE, weight=700.0, **known):
    """A foot that bears these ratios under a load that varies by a third."""
    time = np.arange(len(ratio)) / rate
    normal = weight * (1.0 + 0.3 * np.sin(9.0 * time))
    return Borne(
        time,
        np.column_stack([ratio * normal, 0.0 * normal, normal]),
        weight,
        0.0,
        **known,
    )


@pytest.mark.parametrize("source", [BY_MARKERS, BY_FORCE])
def test_a_slide_below_what_the_same_contact_held_is_withheld_with_both_numbers(source):
    ratio = np.where(np.arange(300) < 150, 0.41, 0.1075)
    verdict = judged(contact(ratio), [Slip(0.35, 0.5, 0.1075, source)])
    assert verdict.slips == ()
    assert math.isnan(verdict.claim.mu)
    assert verdict.held == pytest.approx(0.41)
    assert (
        "its ratio is 0.107, but the same contact held 0.41 without slip"
        in verdict.withheld[0]
    )


def test_a_foot_whose_own_motion_slid_holds_no_more_than_it_slid_at():
    """A block breaks away above its sliding friction: the slide is sure, the bound is
    that of the slide."""
    ratio = np.where(np.arange(300) < 150, 0.51, 0.46)
    verdict = judged(
        contact(ratio), [Slip(0.3, 0.598, 0.46, BY_MOTION)], Claim(of_slides=True)
    )
    assert verdict.claim.mu == verdict.held == 0.46


def test_a_burst_of_an_impact_is_not_held():
    ratio = np.full(1000, 0.03)
    ratio[500:520] = 0.09  # 40 ms of 2 s
    assert judged(
        contact(ratio), [Slip(0.1, 0.9, 0.03, BY_FORCE)]
    ).held == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("start", "end", "known", "reason"),
    [
        (0.30, 0.3055, {}, "lasts 6 ms"),
        (0.02, 0.09, {"settle": 0.1}, "lands or leaves"),
        (0.52, 0.59, {"settle": 0.1}, "lands or leaves"),
        (0.30, 0.40, {"cut_off": True}, "cuts the contact off"),
    ],
)
def test_short_landing_leaving_and_cut_off_slides_certify_nothing(
    start, end, known, reason
):
    verdict = judged(
        contact(np.full(300, 0.2), **known), [Slip(start, end, 0.3, BY_MARKERS)]
    )
    assert verdict.slips == ()
    assert reason in verdict.withheld[0]


@pytest.mark.parametrize(
    ("start", "end", "slides"), [(0.0, 0.02, 0), (0.58, 0.598, 0), (0.02, 0.06, 1)]
)
def test_a_velocity_that_is_differenced_into_the_swing_is_no_slide(start, end, slides):
    verdict = judged(
        contact(np.full(300, 0.2), blurred=0.025),
        [Slip(start, end, 0.04, BY_MOTION)],
    )
    assert len(verdict.slips) == slides
    assert verdict.held == pytest.approx(0.04 if slides else 0.2)


def test_twelve_samples_certify_nothing():
    verdict = judged(contact(np.full(12, 0.2)), [], Claim(0.228, 0.126, 0.330))
    assert math.isnan(verdict.claim.mu)
    assert math.isnan(verdict.held)
    assert "12 samples" in verdict.withheld[0]


def test_an_interval_that_excludes_the_friction_of_the_slide_gives_way_to_it():
    verdict = judged(
        contact(np.full(300, 0.3)),
        [Slip(0.2, 0.4, 0.3, BY_MOTION)],
        Claim(0.2, 0.15, 0.25),
    )
    assert verdict.claim == Claim(0.3, of_slides=True)
    assert "the foot slid at 0.3" in verdict.withheld[0]


@pytest.mark.parametrize(("mu", "kept"), [(0.31, 0.31), (0.36, 0.3)])
def test_a_value_without_interval_gives_way_to_slides_that_it_contradicts(mu, kept):
    verdict = judged(
        contact(np.full(300, 0.3)), [Slip(0.2, 0.4, 0.3, BY_MOTION)], Claim(mu)
    )
    assert verdict.claim.mu == kept
    assert verdict.withheld == (
        () if mu == kept else ("an estimate of 0.36 is withheld: the foot slid at 0.3",)
    )


# ---- a person who stands and sways, on firm and on soft ground
# ---------------------------------------------------


def sway(seed, seconds, size, mounts):
    """Forces of quiet standing: shear that wanders and dwells, load nearly still;
    ``mounts``: steps on and off."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, seconds, 1.0 / 200.0)
    wander = np.zeros((len(time), 3))
    for frequency in (0.15, 0.3, 0.45, 0.8, 1.3):
        phase, heading = rng.uniform(0.0, 2.0 * np.pi, 2)
        # it dwells at its ends
        wave = np.tanh(
            rng.uniform(1.0, 4.0) * np.sin(2.0 * np.pi * frequency * time + phase)
        )
        wander += (
            wave[:, None]
            * [np.cos(heading), np.sin(heading), rng.uniform(-1.0, 1.0)]
            / (1.0 + frequency)
        )
    normal = 690.0 * (1.0 + 0.4 * size * wander[:, 2])
    force = np.column_stack([690.0 * size * wander[:, :2], normal])
    force += rng.normal(0.0, 0.3, force.shape)
    if mounts:
        edge = np.clip(np.minimum(time - 1.0, seconds - 1.0 - time) / 0.3, 0.0, 1.0)
        force = force * edge[:, None]
        # the ratio grows while the load leaves the foot
        force[:, 0] += 0.2 * normal * edge * (1.0 - edge)
    return time, force


@pytest.mark.parametrize("size", [0.01, 0.06], ids=["firm", "foam"])
@pytest.mark.parametrize(
    "mounts", [False, True], ids=["throughout", "steps on and off"]
)
def test_quiet_standing_never_slides(size, mounts):
    for seed in range(12):
        time, force = sway(seed, 30.0, size, mounts)
        columns = {
            "time": time,
            "force_x": force[:, 0],
            "force_y": force[:, 1],
            "force_normal": force[:, 2],
        }
        for processing in (None, HUMAN_GAIT):
            for found in estimate_friction(
                columns, "slip", processing=processing
            ).contacts:
                assert found.slips == ()
                assert found.mu_median is None


def test_a_cut_contact_keeps_what_the_sole_itself_slid(recordings):
    file = recordings / "friction_models" / "test_data_2_t0-107.5.txt"
    recording = read_recording(file, CONFIGS / "friction_models.yaml")
    (found,) = replay(recording.series[0], recording.processing, "slip").contacts
    assert found.cut_off
    assert found.mu_median == pytest.approx(0.464, abs=0.02)
    assert found.held <= min(slip.mu for slip in found.slips)
