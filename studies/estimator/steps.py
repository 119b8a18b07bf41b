# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Several steps with one sole, and steps that end in a slip.

They tell what memory and slip detection are worth.

The foot's whole step function runs here, sample by sample, contact detection and slip
detection included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.config import GateConfig, IntervalConfig
from biped_slip.friction_estimation.interval.estimator import (
    IntervalEstimator,
    IntervalState,
    step,
)
from biped_slip.friction_estimation.interval.model import Settings
from biped_slip.friction_estimation.limits import LimitRuleConfig, limit_step
from biped_slip.friction_estimation.types import FootMeasurement
from studies.estimator.conditions import KNOWN_SOLE, P2, P3, check_points
from studies.frame import NAN, Row
from synthetic.stances import (
    BODY_WEIGHT,
    PERIOD,
    SAMPLES,
    Observed,
    Sensors,
    StanceKind,
    Stances,
    draw,
    observe,
    told,
)

STEPS = 5
STEP_SPREAD = 0.2  # sd of ln s_p from step to step: other spot, other floor
SLIDE = 120  # samples of sliding after the stance
SLIDING_SPEED = 0.2  # [m/s]
KINETIC = 0.8  # of mu
SWING = 0.3  # [s]
# columns of a walk's answers
LOW, USABLE, SLIPPING, POINT, HIGH, LIMIT, RELEASED = range(7)
RULE = LimitRuleConfig().packed


class Answers(NamedTuple):
    """Per sample, shape (stances, samples)."""

    low: AnyArray
    usable: AnyArray
    slipping: AnyArray
    point: AnyArray
    high: AnyArray
    limit: AnyArray  # that the control rule makes of it, in force one sample later
    released: AnyArray  # whether that limit follows an estimate


@kernel
def walk_through(
    state: IntervalState,
    settings: Settings,
    force: AnyArray,
    normal: AnyArray,
    displacement: AnyArray,
    answers: AnyArray,
) -> None:
    """Run one stance and a lift-off through the foot's step function.

    It fills ``answers`` (samples, 7).
    """
    nan = np.nan
    limit = RULE.mu_default
    for k in range(normal.size):
        x = displacement[k, 0]
        y = displacement[k, 1]
        measurement = FootMeasurement(
            stamp_ns=k,
            force_x=-force[k, 0],
            force_y=-force[k, 1],
            force_normal=normal[k],
            displacement_x=x,
            displacement_y=y,
            velocity_x=nan,
            velocity_y=nan,
            moment_normal=nan,
            centre_of_pressure_x=nan,
            centre_of_pressure_y=nan,
            angular_rate=nan,
        )
        estimate = step(state, settings, measurement, PERIOD)
        answers[k, LOW] = estimate.mu_low
        answers[k, USABLE] = estimate.usable
        answers[k, SLIPPING] = estimate.slipping
        answers[k, POINT] = estimate.mu
        answers[k, HIGH] = estimate.mu_high
        limit = limit_step(limit, estimate, RULE, PERIOD)
        answers[k, LIMIT] = limit
        answers[k, RELEASED] = not np.isnan(estimate.mu)
    step(
        state,
        settings,
        FootMeasurement(
            stamp_ns=0,
            force_x=0.0,
            force_y=0.0,
            force_normal=0.0,
            displacement_x=0.0,
            displacement_y=0.0,
            velocity_x=nan,
            velocity_y=nan,
            moment_normal=nan,
            centre_of_pressure_x=nan,
            centre_of_pressure_y=nan,
            angular_rate=nan,
        ),
        SWING,
    )


def follow_feet(
    states: list[IntervalState], settings: Settings, seen: Observed
) -> Answers:
    """Run one stance and a lift-off of every foot.

    They go through the step function of the whole estimator.
    """
    answers = np.full((len(states), seen.normal.shape[1], len(Answers._fields)), np.nan)
    for k, state in enumerate(states):
        walk_through(
            state,
            settings,
            seen.force[k],
            seen.normal[k],
            seen.displacement[k],
            answers[k],
        )
    return Answers(*np.moveaxis(answers, -1, 0))


def _settings(sensors: Sensors, carry: bool) -> IntervalEstimator:
    config = told(sensors, False, KNOWN_SOLE)
    gate = GateConfig(carry_sole=carry)
    config = IntervalConfig(
        motion=config.motion, force=config.force, sole=KNOWN_SOLE, gate=gate, axes=1
    )
    return IntervalEstimator(config, body_weight=BODY_WEIGHT)


def memory(count: int, seed: int = 8000) -> list[Row]:
    """Take five steps with one sole on five floors.

    The rows are of the first and last step, without and with memory.
    """
    found = []
    for name, sensors in (("P2", P2), ("P3", P3)):
        for carry in (False, True):
            rng = np.random.default_rng(seed)
            one = _settings(sensors, carry)
            states = [one.initial_state() for _ in range(count)]
            sole = np.exp(rng.uniform(np.log(0.2e-3), np.log(3e-3), count))
            wrong = 0.0
            for _ in range(STEPS):
                s_p = sole * np.exp(STEP_SPREAD * rng.standard_normal(count))
                stances = draw(rng, count, StanceKind(s_p=s_p))
                answers = follow_feet(
                    states, one.settings, observe(rng, stances, sensors, False)
                )
                wrong = max(wrong, _ever_wrong(stances, answers))
            at = check_points(stances, 0.7)
            usable = float(np.mean(answers.usable[np.arange(count), at]))
            words = "with memory" if carry else "without memory"
            found.append(
                Row(
                    what=f"{name}, {words}: usable at 0.7 in step {STEPS}",
                    required=NAN,
                    at_most=False,
                    study="",
                    ours=usable,
                )
            )
            found.append(
                Row(
                    what=f"{name}, {words}: low > mu at any time, worst step",
                    required=0.05,
                    at_most=True,
                    study="",
                    ours=wrong,
                )
            )
    return found


def _ever_wrong(stances: Stances, answers: Answers) -> float:
    before = np.arange(SAMPLES) <= check_points(stances, 0.9)[:, None]
    return float(np.mean((before & (answers.low > stances.mu[:, None])).any(axis=1)))


def slips(count: int, seed: int = 8100) -> list[Row]:
    """Count false alarms up to 0.95 of the limit.

    The rows also give detection, delay and kinetic value in stances that slide.
    """
    found = []
    for name, sensors in (("P2", P2), ("P3", P3)):
        rng = np.random.default_rng(seed)
        one = _settings(sensors, True)
        stances = draw(rng, count, StanceKind(profile=0))
        seen = observe(rng, stances, sensors, False)
        calm = follow_feet(
            [one.initial_state() for _ in range(count)], one.settings, seen
        )
        alarmed = (np.arange(SAMPLES) < stances.length[:, None]) & (calm.slipping > 0.0)
        found.append(
            Row(
                what=f"{name}: slip reported where none is",
                required=0.01,
                at_most=True,
                study="",
                ours=float(np.mean(alarmed.any(axis=1))),
            )
        )
        onset = check_points(stances, 0.94)
        sliding = _sliding(rng, stances, seen, onset, sensors)
        answers = follow_feet(
            [one.initial_state() for _ in range(count)], one.settings, sliding
        )
        found += _detection(name, stances, answers, onset)
    return found


def _detection(
    name: str, stances: Stances, answers: Answers, onset: AnyArray
) -> list[Row]:
    sample = np.arange(SAMPLES + SLIDE)
    during = (
        (sample > onset[:, None])
        & (sample < onset[:, None] + SLIDE)
        & (answers.slipping > 0.0)
    )
    detected = during.any(axis=1)
    delay = (during.argmax(axis=1) - onset)[detected]
    end = answers.point[np.arange(onset.size), onset + SLIDE - 1]
    error = np.abs(end / (KINETIC * stances.mu) - 1.0)[detected]
    return [
        Row(
            what=f"{name}: slides at 0.2 m/s reported",
            required=0.95,
            at_most=False,
            study="",
            ours=float(np.mean(detected)),
        ),
        Row(
            what=f"{name}: median delay [ms]",
            required=NAN,
            at_most=True,
            study="",
            ours=float(np.median(delay)),
        ),
        Row(
            what=f"{name}: 95 % error of the kinetic value",
            required=NAN,
            at_most=True,
            study="",
            ours=float(np.percentile(error, 95.0)),
        ),
    ]


def _sliding(
    rng: np.random.Generator,
    stances: Stances,
    seen: Observed,
    onset: AnyArray,
    sensors: Sensors,
) -> Observed:
    """Let the foot slide from the onset on, under full load at the kinetic ratio."""
    force = np.concatenate([seen.force, np.zeros((onset.size, SLIDE, 2))], axis=1)
    normal = np.concatenate([seen.normal, np.zeros((onset.size, SLIDE))], axis=1)
    moved = np.concatenate(
        [seen.displacement, np.zeros((onset.size, SLIDE, 2))], axis=1
    )
    for stance, first in enumerate(onset):
        slide = slice(first, first + SLIDE)
        load = seen.normal[stance, first]
        normal[stance, slide] = load + sensors.force_sigma * rng.standard_normal(SLIDE)
        force[stance, slide, 0] = KINETIC * stances.mu[
            stance
        ] * load + sensors.force_sigma * rng.standard_normal(SLIDE)
        travel = SLIDING_SPEED * PERIOD * np.arange(
            SLIDE
        ) + sensors.sigma * rng.standard_normal(SLIDE)
        moved[stance, slide, 0] = stances.displacement[stance, first, 0] + travel
        normal[stance, first + SLIDE :] = 0.0
    return Observed(force, normal, moved)
