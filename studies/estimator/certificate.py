# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the certified bound keeps its word, and its price.

This is tried contact by contact and fault by fault.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, NamedTuple

import numpy as np
from scipy.signal import lfilter

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.sole_calibration import (
    Pull,
    SoleCalibration,
    calibrate,
)
from studies.estimator import rivals
from studies.estimator.conditions import P1, P2, P3, V2
from studies.estimator.rivals import Ends
from studies.estimator.steps import Answers, follow_feet
from studies.frame import NAN, Row
from synthetic.contacts import Contact, contact_motion
from synthetic.stances import (
    BODY_WEIGHT,
    HUMAN,
    PERIOD,
    SAMPLES,
    START,
    WIDTH,
    Observed,
    Sensors,
    Stances,
    Walk,
    draw_walk,
    observe,
    smooth,
    told,
)

# Errors that last and that nobody told of: drift, correlation, lateness, held samples,
# spikes, a sole that rolls.

CORRELATION_TIME = 0.02  # [s]
# [N], [m]
FORCE_SPIKE = 30.0
MOTION_SPIKE = 200e-6
BURST = 15  # samples
ALONG_X = np.array([1.0, 0.0])

Fault = Callable[[np.random.Generator, Stances, Observed, float], Observed]


class FaultKind(NamedTuple):
    """A fault with the level that broke the certificate before (attack, section 3)."""

    name: str
    level: float
    fault: Fault


def _signs(rng: np.random.Generator, stances: Stances) -> Array:
    return rng.choice([-1.0, 1.0], (stances.mu.size, 1))


def _moved(seen: Observed, extra: Array) -> Observed:
    return seen._replace(displacement=seen.displacement + extra[..., None] * ALONG_X)


def _pushed(seen: Observed, extra: Array) -> Observed:
    return seen._replace(force=seen.force + extra[..., None] * ALONG_X)


def motion_drift(
    rng: np.random.Generator, stances: Stances, seen: Observed, speed: float
) -> Observed:
    """Let the displacement run away at ``speed`` [m/s]."""
    return _moved(seen, _signs(rng, stances) * speed * np.arange(SAMPLES) * PERIOD)


def motion_correlated(
    rng: np.random.Generator, stances: Stances, seen: Observed, sigma: float
) -> Observed:
    """More noise of the displacement [m], correlated over 20 ms."""
    kept = math.exp(-PERIOD / CORRELATION_TIME)
    noise = lfilter(
        [math.sqrt(1.0 - kept**2)],
        [1.0, -kept],
        rng.standard_normal(seen.normal.shape),
        axis=1,
    )
    return _moved(seen, sigma * noise)


def force_offset(
    rng: np.random.Generator, stances: Stances, seen: Observed, bound: float
) -> Observed:
    """Constant errors of both forces [N]."""
    error = rng.uniform(-bound, bound, (2, stances.mu.size, 1))
    return _pushed(seen, error[0] * np.ones(SAMPLES))._replace(
        normal=seen.normal + error[1]
    )


def force_drift(
    rng: np.random.Generator, stances: Stances, seen: Observed, rate: float
) -> Observed:
    """Let the tangential force run away at ``rate`` [N/s]."""
    return _pushed(seen, _signs(rng, stances) * rate * np.arange(SAMPLES) * PERIOD)


def force_late(
    rng: np.random.Generator, stances: Stances, seen: Observed, time: float
) -> Observed:
    """Delay the forces, beyond the stated delay, by ``time`` [s]."""
    index = np.maximum(np.arange(SAMPLES) - round(time / PERIOD), 0)
    return seen._replace(force=seen.force[:, index], normal=seen.normal[:, index])


def force_held(
    rng: np.random.Generator, stances: Stances, seen: Observed, time: float
) -> Observed:
    """Sample the forces once in ``time`` [s] and held."""
    width = max(round(time / PERIOD), 1)
    index = np.arange(SAMPLES) // width * width
    return seen._replace(force=seen.force[:, index], normal=seen.normal[:, index])


def cross_talk(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Read a share of the normal force as tangential."""
    return _pushed(seen, _signs(rng, stances) * share * seen.normal)


def force_spikes(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Offset a share of the force samples by 30 N."""
    shape = seen.normal.shape
    return _pushed(
        seen,
        FORCE_SPIKE
        * (rng.uniform(size=shape) < share)
        * rng.choice([-1.0, 1.0], shape),
    )


def motion_spikes(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Offset a share of the displacement samples by 0.2 mm."""
    shape = seen.normal.shape
    return _moved(
        seen,
        MOTION_SPIKE
        * (rng.uniform(size=shape) < share)
        * rng.choice([-1.0, 1.0], shape),
    )


def light_samples(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Drop the force of a share of the samples.

    It is as when a physics engine's contact drops out.
    """
    kept = rng.uniform(size=seen.normal.shape) >= share
    return seen._replace(force=seen.force * kept[..., None], normal=seen.normal * kept)


def motion_lost(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Drop the motion for a share of the time, 15 ms at once."""
    lost = _bursts(rng, seen, share)
    return seen._replace(
        displacement=np.where(lost[..., None], np.nan, seen.displacement)
    )


def force_lost(
    rng: np.random.Generator, stances: Stances, seen: Observed, share: float
) -> Observed:
    """Replace the forces by NaN for a share of the time, 15 ms at once."""
    return seen._replace(
        normal=np.where(_bursts(rng, seen, share), np.nan, seen.normal)
    )


def _bursts(rng: np.random.Generator, seen: Observed, share: float) -> AnyArray:
    starts = rng.uniform(size=seen.normal.shape) < share / BURST
    lost: AnyArray = lfilter(np.ones(BURST), [1.0], starts, axis=1) > 0.5
    return lost


def motion_jump(
    rng: np.random.Generator, stances: Stances, seen: Observed, way: float
) -> Observed:
    """Let the displacement jump once by ``way`` [m].

    A marker or an odometry that is set anew does that.
    """
    when = rng.integers(100, 250, (stances.mu.size, 1))
    return _moved(seen, _signs(rng, stances) * way * (np.arange(SAMPLES) >= when))


def rolling(
    rng: np.random.Generator, stances: Stances, seen: Observed, way: float
) -> Observed:
    """Roll the sole by ``way`` [m] over the stance."""
    tau = np.arange(SAMPLES) * PERIOD / (stances.length[:, None] * PERIOD)
    return _moved(seen, _signs(rng, stances) * way * smooth(tau))


CROSS_TALK = FaultKind("cross-talk 2 %", 0.02, cross_talk)
FAULTS = (
    FaultKind("displacement drifts 0.2 mm/s", 2e-4, motion_drift),
    FaultKind("displacement noise 5 um over 20 ms", 5e-6, motion_correlated),
    FaultKind("force offset 5 N, told 1", 5.0, force_offset),
    FaultKind("force drifts 10 N/s", 10.0, force_drift),
    FaultKind("force 4 ms later than told", 4e-3, force_late),
    FaultKind("force held for 10 ms", 10e-3, force_held),
    CROSS_TALK,
    FaultKind("force spikes 0.5 %", 0.005, force_spikes),
    FaultKind("displacement spikes 0.5 %", 0.005, motion_spikes),
    FaultKind("sole rolls 0.3 mm", 3e-4, rolling),
    FaultKind("samples without load 0.5 %", 0.005, light_samples),
    FaultKind("motion lost 10 % of the time", 0.1, motion_lost),
    FaultKind("forces lost 10 % of the time", 0.1, force_lost),
    FaultKind("displacement jumps by 0.1 mm", 1e-4, motion_jump),
)


# Floors that change under a planted foot: mu falls in mid-stance, at once or slowly,
# and the foot may slide.

SLIDING_SPEED = 0.1  # [m/s] of a foot whose load exceeds the limit
SUB_STEPS = 4
NEAR = 0.995  # of the limit, beyond which the foot slides


def dropped(
    rng: np.random.Generator, stances: Stances, factor: float, slow: bool = False
) -> tuple[Stances, Array]:
    """Lay loads over a floor whose mu falls to a share; also return mu over time.

    Mu over time has the shape (stances, samples). It falls in one of two ways:

    At once, somewhere between 0.15 and 0.35 s, or evenly over the stance (``slow``).
    Force beyond the limit slides.
    """
    count = stances.mu.size
    time = np.arange(SAMPLES) * PERIOD
    start = rng.uniform(0.15, 0.35, count)[:, None]
    share = np.where(time < start, 1.0, factor)
    if slow:
        share = 1.0 - (1.0 - factor) * np.clip(
            time / (stances.length[:, None] * PERIOD), 0.0, 1.0
        )
    mu = stances.mu[:, None] * share
    ratio = np.zeros_like(stances.ratio)
    moved = np.zeros_like(stances.displacement)
    for k in range(count):
        follow_floor(
            stances.ratio[k, :, 0],
            mu[k],
            stances.s_p[k],
            ratio[k, :, 0],
            moved[k, :, 0],
        )
    return stances._replace(ratio=ratio, displacement=moved), mu


@kernel
def follow_floor(
    wanted: Array, mu: Array, s_p: float, ratio: Array, moved: Array
) -> None:
    """First order contact under a wanted force ratio.

    It fills what it carries and its motion, shape (samples,).
    """
    for k in range(1, wanted.size):
        limit = NEAR * mu[k]
        ratio[k] = min(max(wanted[k], -limit), limit)
        moved[k] = moved[k - 1]
        du = (ratio[k] - ratio[k - 1]) / SUB_STEPS
        for step in range(SUB_STEPS):
            u = ratio[k - 1] + (step + 0.5) * du
            room = mu[k] - math.copysign(1.0, du) * u
            moved[k] += s_p / 3.0 * du / max(room, (1.0 - NEAR) * mu[k])
        if abs(wanted[k]) > limit:
            moved[k] += math.copysign(SLIDING_SPEED * PERIOD, wanted[k])


# Whether the certificate keeps its word over whole stances, and what that costs, row by
# row.

SEED = 91000
# samples after touchdown, and before lift-off, that are not judged: ringing and
# unloading
FIRST = 80
LAST = 40
SHIPPED = SoleModel(calibrated=True)
UNKNOWN = SoleModel()
CREEP = 0.05  # [s]
DAHL = Contact()
TRUTHS = (
    ("Dahl", Walk()),
    ("Bliman-Sorine 2", Walk(Contact("bliman_sorine"))),
    ("elasto-plastic 0.3", Walk(Contact("elasto_plastic", 0.3))),
    ("LuGre below break-away", Walk(Contact("lugre"), largest_share=(0.5, 0.8))),
    ("Iwan", Walk(Contact("iwan"))),
    ("Maxwell slip", Walk(Contact("maxwell_slip"))),
    ("Dahl 2-D", Walk(planar=True)),
    ("elasto-plastic 0.3 2-D", Walk(Contact("elasto_plastic", 0.3), planar=True)),
    ("Iwan 2-D", Walk(Contact("iwan"), planar=True)),
    ("Maxwell slip 2-D", Walk(Contact("maxwell_slip"), planar=True)),
    ("Iwan, human double hump", Walk(Contact("iwan"), profile=HUMAN)),
    ("Iwan, braking to 0.8 first", Walk(Contact("iwan"), profile=1, brake=(0.7, 0.9))),
    ("Dahl, bulk stiffness", Walk(Contact(bulk=True))),
    ("Iwan, bulk stiffness", Walk(Contact("iwan", bulk=True))),
    ("Dahl, creep 50 ms", Walk(Contact(creep=CREEP))),
    ("Iwan, creep 50 ms", Walk(Contact("iwan", creep=CREEP))),
    ("Iwan, legs 2e5 N/m", Walk(Contact("iwan", stiffness=2e5))),
    ("Dahl, mu 0.02 to 0.06", Walk(mu=(0.02, 0.06))),
    ("Dahl, mu 1.2 to 2.5", Walk(mu=(1.2, 2.5))),
)


class Found(NamedTuple):
    """Shares of stances; times in ms."""

    wrong: float  # low above mu at any time of the whole stance
    far: float  # by more than a tenth
    worst: float  # largest low over mu
    high_below: float  # high below mu while usable
    usable: tuple[
        float, float
    ]  # when the load first reaches 0.7 and 0.9 of the limit, of those that do
    bounded: float  # a finite high at any time
    width: float  # median of the narrowest high over low, of those
    # median time from the first usable answer to 0.9 of the limit or the stance's end
    # [ms]
    lead: float
    # the control rule's limit, once it follows an estimate, above mu at any time
    over_limit: float = NAN


def judged(stances: Stances) -> AnyArray:
    """Mark the samples at which answers are judged, shape (stances, samples)."""
    sample = np.arange(SAMPLES)
    return (sample >= FIRST) & (sample < stances.length[:, None] - LAST)


def judge(
    stances: Stances,
    low: AnyArray,
    high: AnyArray,
    usable: AnyArray,
    mu: AnyArray | None = None,
) -> Found:
    """Score answers given sample by sample, shape (stances, samples).

    They are NaN where there is none.
    """
    inside = judged(stances)
    rows = np.arange(stances.mu.size)
    mu = np.broadcast_to(stances.mu[:, None], inside.shape) if mu is None else mu
    over = np.nan_to_num(np.where(inside, low / mu, 0.0))
    said = inside & (usable > 0.0)
    at = []
    for share in (0.7, 0.9):
        reached = inside & (stances.share >= share)
        some = reached.any(axis=1)
        at.append(
            float(np.mean(said[rows, reached.argmax(axis=1)][some]))
            if some.any()
            else NAN
        )
    late = inside & (stances.share >= 0.9)
    end = np.where(late.any(axis=1), late.argmax(axis=1), stances.length - LAST)
    early = said & (np.arange(SAMPLES) < end[:, None])
    spoke = early.any(axis=1)
    finite = inside & np.isfinite(high) & (low > 0.0)
    ratio = np.where(finite, high, 1.0) / np.where(finite, low, 1.0)
    narrowest = np.min(np.where(finite, ratio, np.inf), axis=1)[finite.any(axis=1)]
    return Found(
        wrong=float(np.mean(over.max(axis=1) > 1.0)),
        far=float(np.mean(over.max(axis=1) > 1.1)),
        worst=float(over.max()),
        high_below=float(np.mean((said & (high < mu)).any(axis=1))),
        usable=(at[0], at[1]),
        bounded=float(np.mean(finite.any(axis=1))),
        width=float(np.median(narrowest)) if narrowest.size else NAN,
        lead=float(np.median((end - early.argmax(axis=1))[spoke]))
        if spoke.any()
        else NAN,
    )


def realise(
    walk: Walk, sensors: Sensors, count: int, seed: int
) -> tuple[Stances, Observed]:
    """Stances of a walk and what their sensors show."""
    rng = np.random.default_rng(seed)
    stances = draw_walk(rng, count, walk)
    return stances, observe(rng, stances, sensors, walk.planar)


def answers(seen: Observed, config: IntervalConfig) -> Answers:
    """Run the whole estimator, every stance a fresh foot."""
    one = IntervalEstimator(config, body_weight=BODY_WEIGHT)
    return follow_feet(
        [one.initial_state() for _ in range(seen.normal.shape[0])], one.settings, seen
    )


def measure(
    walk: Walk, sensors: Sensors, sole: SoleModel, count: int, seed: int = SEED
) -> Found:
    """Scores of the interval estimator over whole stances."""
    stances, seen = realise(walk, sensors, count, seed)
    said = answers(seen, told(sensors, walk.planar, sole))
    in_force = judged(stances) & (said.released > 0.0) & ~(said.slipping > 0.0)
    over = (in_force & (said.limit > stances.mu[:, None])).any(axis=1)
    return judge(stances, said.low, said.high, said.usable)._replace(
        over_limit=float(np.mean(over))
    )


def contacts(count: int, seed: int = SEED) -> list[Row]:
    """Every contact with the shipped sole, P2, and a sole of which nothing is known."""
    rows = []
    for name, walk in TRUTHS:
        for label, sole in (("shipped", SHIPPED), ("unknown", UNKNOWN)):
            found = measure(walk, P2, sole, count, seed)
            rows.append(
                Row(
                    what=f"{name}, {label}: low > mu in the stance",
                    required=0.05,
                    at_most=True,
                    study="",
                    ours=found.wrong,
                )
            )
            rows.append(
                Row(
                    what=f"{name}, {label}: largest low/mu",
                    required=NAN,
                    at_most=True,
                    study="",
                    ours=found.worst,
                )
            )
            rows.append(
                Row(
                    what=f"{name}, {label}: control rule's limit > mu",
                    required=NAN,
                    at_most=True,
                    study="",
                    ours=found.over_limit,
                )
            )
            if sole is SHIPPED:
                rows.append(
                    Row(
                        what=f"{name}, {label}: high < mu while usable",
                        required=NAN,
                        at_most=True,
                        study="",
                        ours=found.high_below,
                    )
                )
                rows.append(
                    Row(
                        what=f"{name}, {label}: usable at 0.7",
                        required=NAN,
                        at_most=False,
                        study="",
                        ours=found.usable[0],
                    )
                )
                rows.append(
                    Row(
                        what=f"{name}, {label}: usable at 0.9",
                        required=NAN,
                        at_most=False,
                        study="",
                        ours=found.usable[1],
                    )
                )
                rows.append(
                    Row(
                        what=f"{name}, {label}: lead to 0.9 [ms]",
                        required=NAN,
                        at_most=False,
                        study="",
                        ours=found.lead,
                    )
                )
    return rows


class Faulty(NamedTuple):
    """Shares of stances with a fault that nobody told of."""

    wrong: float  # low above mu at any time
    withdrawn: float  # withdrawn at the end, or never usable
    handled: float  # withdrawn, or right throughout


def faulty(
    kind: FaultKind,
    level: float,
    count: int,
    seed: int = SEED,
    contact: Contact = DAHL,
    cross_talk: float = 0.0,
) -> Faulty:
    """Scores with a fault at a share of its level.

    ``cross_talk`` is what the estimator is told of it.
    """
    rng = np.random.default_rng(seed)
    stances = draw_walk(rng, count, Walk(contact))
    seen = kind.fault(
        rng, stances, observe(rng, stances, P2, False), level * kind.level
    )
    config = told(P2, False, SHIPPED)
    said = answers(
        seen, replace(config, force=replace(config.force, cross_talk=cross_talk))
    )
    inside = judged(stances)
    last = stances.length - LAST - 1
    silent = np.isinf(said.high[np.arange(count), last]) | ~(
        inside & (said.usable > 0.0)
    ).any(axis=1)
    wrong = (inside & (said.low > stances.mu[:, None])).any(axis=1)
    return Faulty(
        float(np.mean(wrong)), float(np.mean(silent)), float(np.mean(silent | ~wrong))
    )


def faults(count: int, seed: int = SEED) -> list[Row]:
    """Undeclared errors at half, once and twice their level.

    The contact is Dahl, at once the level also Iwan; with P2 and the shipped sole.
    """
    rows = []
    for kind in FAULTS:
        for level in (0.5, 1.0, 2.0):
            found = faulty(kind, level, count, seed)
            label = f"{kind.name}, x {level:g}"
            least = 0.8 if level >= 1.0 else NAN
            rows.append(
                Row(
                    what=f"{label}: low > mu in the stance",
                    required=0.1,
                    at_most=True,
                    study="",
                    ours=found.wrong,
                )
            )
            rows.append(
                Row(
                    what=f"{label}: withdrawn or silent",
                    required=NAN,
                    at_most=False,
                    study="",
                    ours=found.withdrawn,
                )
            )
            rows.append(
                Row(
                    what=f"{label}: withdrawn, silent or right throughout",
                    required=least,
                    at_most=False,
                    study="",
                    ours=found.handled,
                )
            )
        found = faulty(kind, 1.0, count, seed, Contact("iwan"))
        rows.append(
            Row(
                what=f"{kind.name}, on Iwan: low > mu in the stance",
                required=0.1,
                at_most=True,
                study="",
                ours=found.wrong,
            )
        )
    for level in (1.0, 2.0):
        share = level * CROSS_TALK.level
        found = faulty(CROSS_TALK, level, count, seed, cross_talk=share)
        rows.append(
            Row(
                what=f"cross-talk {share:.0%}, told: low > mu in the stance",
                required=0.05,
                at_most=True,
                study="",
                ours=found.wrong,
            )
        )
    return rows


def changes(count: int, seed: int = SEED) -> list[Row]:
    """Floors that get slippery under a planted foot.

    The numbers are shares of stances wrong for longer than 50 ms.
    """
    rows = []
    for name, factor, slow in (
        ("to a half", 0.5, False),
        ("to a quarter", 0.25, False),
        ("by 20 %, slowly", 0.8, True),
    ):
        rng = np.random.default_rng(seed)
        stances, mu = dropped(
            rng, draw_walk(rng, count, Walk(largest_share=(0.2, 0.97))), factor, slow
        )
        said = answers(observe(rng, stances, P2, False), told(P2, False, SHIPPED))
        wrong = (judged(stances) & (said.low > mu)).sum(axis=1)
        rows.append(
            Row(
                what=f"mu falls {name}: wrong for more than 50 ms",
                required=0.05,
                at_most=True,
                study="",
                ours=float(np.mean(wrong > 50)),
            )
        )
        rows.append(
            Row(
                what=f"mu falls {name}: wrong for a moment",
                required=NAN,
                at_most=True,
                study="",
                ours=float(np.mean(wrong > 0)),
            )
        )
    return rows


# What a certificate that keeps its word costs: what is known when, beside the union of
# two profile least squares.
#
# The union is told that alpha is 1, that legs are stiff and that the sole does not
# damp. The interval estimator is shown as shipped, which is told none of this, and told
# the same.

OTHER_SEED = 92000
SENSORS = (("P1", P1), ("P2", P2), ("P3", P3), ("V2", V2))
SHARE_OF_UNION = 0.85
# either rule, too
TOLD_ALIKE = SoleModel(
    calibrated=True, least_shape=0.0, compliance_spread=0.0, lag_spread=0.0
)
THRESHOLDS = (2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0, 22.0, 32.0, 45.0, 64.0)


def prices(count: int, seed: int) -> list[Row]:
    """Usable answers, lead and width of the estimator and of the union.

    The estimator is taken as shipped, and told what the union is told.
    """
    rows = []
    for name, sensors in SENSORS:
        threshold = (
            calibrated_threshold(sensors, count, OTHER_SEED)
            if sensors.kind == "position"
            else NAN
        )
        for truth in ("dahl", "iwan"):
            stances, seen = realise(Walk(Contact(truth)), sensors, count, seed)
            union = NAN, NAN
            if sensors.kind == "position":
                theirs = union_of_fits(stances, seen, sensors, threshold)
                union = theirs.usable
                rows += _rows(f"{name}, {truth}, union", theirs, (NAN, NAN))
            least = SHARE_OF_UNION * union[0], SHARE_OF_UNION * union[1]
            for label, sole in (
                ("shipped", SHIPPED),
                ("told what the union is told", TOLD_ALIKE),
            ):
                said = answers(seen, told(sensors, False, sole))
                found = judge(stances, said.low, said.high, said.usable)
                rows += _rows(f"{name}, {truth}, {label}", found, least, 0.05)
                rows.append(
                    Row(
                        what=f"{name}, {truth}, {label}: finite high",
                        required=NAN,
                        at_most=False,
                        study="",
                        ours=found.bounded,
                    )
                )
                rows.append(
                    Row(
                        what=f"{name}, {truth}, {label}: narrowest high/low, median",
                        required=NAN,
                        at_most=True,
                        study="",
                        ours=found.width,
                    )
                )
    return rows


def _rows(
    label: str, found: Found, least: tuple[float, float], most: float = NAN
) -> list[Row]:
    return [
        Row(
            what=f"{label}: low > mu in the stance",
            required=most,
            at_most=True,
            study="",
            ours=found.wrong,
        ),
        Row(
            what=f"{label}: usable at 0.7",
            required=least[0],
            at_most=False,
            study="",
            ours=found.usable[0],
        ),
        Row(
            what=f"{label}: usable at 0.9",
            required=least[1],
            at_most=False,
            study="",
            ours=found.usable[1],
        ),
        Row(
            what=f"{label}: lead to 0.9 [ms]",
            required=NAN,
            at_most=False,
            study="",
            ours=found.lead,
        ),
    ]


def ends_of_fits(
    stances: Stances,
    seen: Observed,
    sensors: Sensors,
    threshold: float,
    rules: str = "both",
) -> Ends:
    """Smallest and largest mu left at every sample.

    They are by Dahl's rule, Masing's or both.
    """
    dahl, masing = (
        rivals.follow(stances, seen, sensors, rule, threshold) for rule in (False, True)
    )
    ends = {"dahl": dahl, "masing": masing}.get(rules) or rivals.union(dahl, masing)
    return Ends(*(_by_sample(values) for values in ends))


def union_of_fits(
    stances: Stances,
    seen: Observed,
    sensors: Sensors,
    threshold: float,
    rules: str = "both",
) -> Found:
    """Scores of profile least squares by Dahl's rule, Masing's or both."""
    low, high = ends_of_fits(stances, seen, sensors, threshold, rules)
    return judge(stances, low, high, high < rivals.USABLE_RATIO * low)


def calibrated_threshold(sensors: Sensors, count: int, seed: int) -> float:
    """Least threshold at which the union is wrong seldom enough.

    It is wrong in at most 5 % of Dahl and of Iwan stances.
    """
    sets = [
        realise(Walk(Contact(truth)), sensors, count, seed + k)
        for k, truth in enumerate(("dahl", "iwan"))
    ]
    for threshold in THRESHOLDS:
        if all(union_of_fits(*one, sensors, threshold).wrong <= 0.05 for one in sets):
            return threshold
    return THRESHOLDS[-1]


def _by_sample(blocks: AnyArray) -> AnyArray:
    """Values after every block as they stand at every sample."""
    values = np.full((blocks.shape[0], SAMPLES), np.nan)
    for block in range(blocks.shape[1]):
        first = START + WIDTH * (block + 1) - 1
        values[:, first : first + WIDTH] = blocks[:, block, None]
    return values


# Soles that were calibrated on their own contact, and soles whose rule and shape their
# own steps have taught.

# as shipped before it knew of memory
BEFORE = SoleModel(calibrated=True, least_shape=0.0, masing=0.0)
# [m] of the sole that is pulled; sd of ln s_p from floor to floor
S_P = 1e-3
S_P_SCATTER = 0.3
SURFACES = (0.3, 0.45, 0.6, 0.8, 1.0)  # mu
# [N], samples each way, share of mu that the force comes back to
PULL_LOAD = 300.0
RISE = 800
BACK = -0.5
REACHED = 0.99  # of the limit
# sd of ln s_p from step to step
STEPS = 6
STEP_SPREAD = 0.2
STRANGERS = ("iwan", "elasto_plastic")


def calibrated_sole(contact: Contact, seed: int) -> SoleCalibration:
    """Calibrate a sole by ``calibrate-sole`` from five pulls to slip and back.

    They are seen to 2 um and 0.5 N.

    A LuGre contact can't be pulled to its peak under a prescribed force: the sole's own
    curve, Dahl's, stands for it.
    """
    rng = np.random.default_rng(seed)
    pulled = contact._replace(name="dahl") if contact.name == "lugre" else contact
    return calibrate([_pull(rng, pulled, mu) for mu in SURFACES])


def _pull(rng: np.random.Generator, contact: Contact, mu: float) -> Pull:
    share: Array = np.concatenate(
        [np.linspace(0.0, REACHED, RISE), np.linspace(REACHED, BACK, RISE)]
    )
    ratio = np.zeros((1, share.size, 2))
    normal = np.full((1, share.size), PULL_LOAD)
    ratio[0, :, 0] = mu * share
    s_p = S_P * np.exp(S_P_SCATTER * rng.standard_normal(1))
    moved = contact_motion(contact, ratio, normal, np.array([mu]), s_p, PERIOD)[0, :, 0]
    noise = rng.standard_normal((3, share.size))
    force = mu * share * PULL_LOAD + 0.5 * noise[0]
    load = PULL_LOAD + 0.5 * noise[1]
    time = np.linspace(0.0, PERIOD * (share.size - 1), share.size)
    return Pull(
        name=f"mu {mu:g}",
        time=time,
        force=force,
        normal=load,
        displacement=moved + 2e-6 * noise[2],
    )


def calibrated(count: int, seed: int) -> list[Row]:
    """Every contact with the sole that pulls over the same contact gave.

    The sensors are P2, and stances are whole.
    """
    rows = []
    for name, walk in TRUTHS:
        found = calibrated_sole(walk.contact, seed)
        rng = np.random.default_rng(seed)
        s_p = S_P * np.exp(S_P_SCATTER * rng.standard_normal(count))
        stances = draw_walk(rng, count, walk, s_p)
        said = answers(
            observe(rng, stances, P2, walk.planar), told(P2, walk.planar, found.sole)
        )
        scored = judge(stances, said.low, said.high, said.usable)
        label = (
            f"{name}, calibrated (alpha {found.sole.shape:.2f}, memory "
            f"{found.sole.masing:g}"
        )
        label += f", {len(found.warnings)} warnings)" if found.warnings else ")"
        rows.append(
            Row(
                what=f"{label}: low > mu in the stance",
                required=0.05,
                at_most=True,
                study="",
                ours=scored.wrong,
            )
        )
        rows.append(
            Row(
                what=f"{label}: largest low/mu",
                required=NAN,
                at_most=True,
                study="",
                ours=scored.worst,
            )
        )
        rows.append(
            Row(
                what=f"{label}: usable at 0.7",
                required=NAN,
                at_most=False,
                study="",
                ours=scored.usable[0],
            )
        )
        rows.append(
            Row(
                what=f"{label}: usable at 0.9",
                required=NAN,
                at_most=False,
                study="",
                ours=scored.usable[1],
            )
        )
    return rows


def taught(count: int, seed: int) -> list[Row]:
    """Compare the shipped sole in its sixth step on Dahl floors.

    It is compared with memory of its steps and without.
    """
    rows = []
    for name, sensors in SENSORS:
        stances, said = walk_on(sensors, SHIPPED, [Walk()] * STEPS, count, seed)
        _, before = walk_on(sensors, BEFORE, [Walk()] * STEPS, count, seed, fresh=True)
        after = _judge(stances, said)
        goal = _judge(stances, before)
        rows.append(
            Row(
                what=f"{name}, sixth step: low > mu in the stance",
                required=0.05,
                at_most=True,
                study="",
                ours=after.wrong,
            )
        )
        for index, share in enumerate((0.7, 0.9)):
            rows.append(
                Row(
                    what=f"{name}, sixth step: usable at {share}",
                    required=goal.usable[index],
                    at_most=False,
                    study="",
                    ours=after.usable[index],
                )
            )
        rows.append(
            Row(
                what=f"{name}, sixth step: lead to 0.9 [ms]",
                required=goal.lead,
                at_most=False,
                study="",
                ours=after.lead,
            )
        )
    for name in ("iwan", "maxwell_slip", "elasto_plastic", "bliman_sorine"):
        walk = Walk(Contact(name, 0.3 if name == "elasto_plastic" else 0.0))
        stances, said = walk_on(P2, SHIPPED, [walk] * STEPS, count, seed)
        found = _judge(stances, said)
        rows.append(
            Row(
                what=f"P2, {name}, sixth step: low > mu in the stance",
                required=0.05,
                at_most=True,
                study="",
                ours=found.wrong,
            )
        )
        rows.append(
            Row(
                what=f"P2, {name}, sixth step: usable at 0.7",
                required=NAN,
                at_most=False,
                study="",
                ours=found.usable[0],
            )
        )
    # what a sole teaches is taken to be the sole's: a floor that behaves otherwise is
    # the test
    for name in STRANGERS:
        stranger = Walk(Contact(name, 0.3 if name == "elasto_plastic" else 0.0))
        stances, said = walk_on(
            P2, SHIPPED, [Walk()] * (STEPS - 1) + [stranger], count, seed
        )
        found = _judge(stances, said)
        rows.append(
            Row(
                what=f"P2, {name} after five Dahl steps: low > mu in the stance",
                required=0.05,
                at_most=True,
                study="",
                ours=found.wrong,
            )
        )
        rows.append(
            Row(
                what=f"P2, {name} after five Dahl steps: largest low/mu",
                required=NAN,
                at_most=True,
                study="",
                ours=found.worst,
            )
        )
    return rows


def walk_on(
    sensors: Sensors,
    sole: SoleModel,
    walks: list[Walk],
    count: int,
    seed: int,
    fresh: bool = False,
) -> tuple[Stances, Answers]:
    """Walk several steps on one sole a foot and return stances and answers of the last.

    Args:
        sensors: errors of the sensors.
        sole: presliding model that the estimator has.
        walks: one a step.
        count: number of feet.
        seed: of the feet and their noise.
        fresh: forget before the last step what the others taught.
    """
    rng = np.random.default_rng(seed)
    one = IntervalEstimator(told(sensors, False, sole), body_weight=BODY_WEIGHT)
    states = [one.initial_state() for _ in range(count)]
    own = np.exp(
        rng.uniform(math.log(walks[0].s_p[0]), math.log(walks[0].s_p[1]), count)
    )
    for k, walk in enumerate(walks):
        s_p: AnyArray = own * np.exp(STEP_SPREAD * rng.standard_normal(count))
        stances = draw_walk(rng, count, walk, s_p)
        seen = observe(rng, stances, sensors, False)
        if fresh:
            if k < len(walks) - 1:
                continue
            states = [one.initial_state() for _ in range(count)]
        said = follow_feet(states, one.settings, seen)
    return stances, said


def _judge(stances: Stances, said: Answers) -> Found:
    return judge(stances, said.low, said.high, said.usable)


# Slides over floors whose mu varies, and what only looks like one: a foot on a slope, a
# ratio that a controller holds.
#
# Motion decides where it is measured: the force ratio of a slide need not be constant,
# and a constant one is no slide.

VARIES = 0.05  # amplitude of mu along a slide, as a share
SPEEDS = (0.02, 0.05, 0.2)  # [m/s]
BREAKS_AWAY = 0.9  # share of mu
HELD = 0.85  # of mu, that a controller holds
TIME = np.arange(SAMPLES) * PERIOD


def slides(count: int, seed: int) -> list[Row]:
    """Slides found, and false ones, for soles seen to 5 and to 20 um."""
    found = []
    for name, sensors in (("P2", P2), ("P3", P3)):
        for speed in SPEEDS:
            slid, false = sliding(sensors, speed, count, seed)
            found.append(
                Row(
                    what=f"{name}: slides at {speed:g} m/s, mu varies by 5 %, found",
                    required=0.8,
                    at_most=False,
                    study="",
                    ours=slid,
                )
            )
            found.append(
                Row(
                    what=f"{name}: the same, reported before they begin",
                    required=NAN,
                    at_most=True,
                    study="",
                    ours=false,
                )
            )
        for label, share in (
            ("on a slope", (0.2, 0.8)),
            ("whose ratio is held", (HELD, HELD)),
        ):
            false = standing(sensors, share, count, seed)
            found.append(
                Row(
                    what=f"{name}: feet {label}, reported as sliding",
                    required=0.01,
                    at_most=True,
                    study="",
                    ours=false,
                )
            )
    return found


def sliding(
    sensors: Sensors, speed: float, count: int, seed: int
) -> tuple[float, float]:
    """Shares of feet reported while they slide, and before.

    Each is pushed to 0.9 mu and breaks away.
    """
    rng = np.random.default_rng(seed)
    mu, normal = _floors(rng, count)
    onset = rng.uniform(0.25, 0.35, (count, 1))
    varies = 1.0 + VARIES * np.sin(
        rng.uniform(10.0, 80.0, (count, 1)) * TIME + rng.uniform(0.0, 6.0, (count, 1))
    )
    slides = onset <= TIME
    share = BREAKS_AWAY * np.minimum(TIME / onset, 1.0)
    moved = -S_P / 3.0 * np.log(1.0 - share) + np.cumsum(
        speed * PERIOD * slides, axis=1
    )
    said = _reported(
        rng, sensors, np.where(slides, mu * varies, mu * share), normal, moved
    )
    return float(np.mean((said & slides).any(axis=1))), float(
        np.mean((said & ~slides).any(axis=1))
    )


def standing(
    sensors: Sensors, share: tuple[float, float], count: int, seed: int
) -> float:
    """Share of feet reported that hold a constant share of mu.

    Their load changes meanwhile.
    """
    rng = np.random.default_rng(seed)
    mu, normal = _floors(rng, count)
    held = rng.uniform(*share, (count, 1)) * np.minimum(TIME / 0.2, 1.0)
    return float(
        np.mean(
            _reported(
                rng, sensors, mu * held, normal, -S_P / 3.0 * np.log(1.0 - held)
            ).any(axis=1)
        )
    )


def _floors(rng: np.random.Generator, count: int) -> tuple[AnyArray, AnyArray]:
    """Mu (count, 1) and a load that shifts (count, samples) [N]."""
    mu = np.exp(rng.uniform(math.log(0.1), 0.0, (count, 1)))
    shift = np.sin(
        rng.uniform(4.0, 15.0, (count, 1)) * TIME + rng.uniform(0.0, 6.0, (count, 1))
    )
    return mu, rng.uniform(250.0, 500.0, (count, 1)) * (1.0 + 0.3 * shift)


def _reported(
    rng: np.random.Generator,
    sensors: Sensors,
    ratio: AnyArray,
    normal: AnyArray,
    moved: AnyArray,
) -> AnyArray:
    """Whether a slide is reported, by sample."""
    noise = rng.standard_normal((3, *ratio.shape))
    force = np.zeros((*ratio.shape, 2))
    shown = np.zeros((*ratio.shape, 2))
    force[..., 0] = ratio * normal + sensors.force_sigma * noise[0]
    shown[..., 0] = moved + sensors.sigma * noise[1]
    seen = Observed(force, normal + sensors.force_sigma * noise[2], shown)
    slipping: AnyArray = answers(seen, told(sensors, False, SHIPPED)).slipping > 0.0
    return slipping
