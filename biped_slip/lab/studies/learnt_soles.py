# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Soles that were calibrated on their own contact, and soles whose rule and shape their own steps have taught."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.friction_estimation.interval import IntervalEstimator, SoleModel
from biped_slip.friction_estimation.sole_calibration import Pull, SoleCalibration, calibrate
from biped_slip.lab.studies import memory_truths
from biped_slip.lab.studies.certificate_price import SENSORS
from biped_slip.lab.studies.certificate_table import SHIPPED, TRUTHS, Found, answers, judge
from biped_slip.lab.studies.conditions import P2
from biped_slip.lab.studies.following import BODY_WEIGHT
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.lab.studies.sensing import Sensors, observe, told
from biped_slip.lab.studies.stances import PERIOD, Stances
from biped_slip.lab.studies.steps import Answers, follow_feet
from biped_slip.lab.studies.walking_stances import Walk, draw

BEFORE = SoleModel(calibrated=True, least_shape=0.0, masing=0.0)  # as shipped before it knew of memory
S_P, S_P_SCATTER = 1e-3, 0.3  # [m] of the sole that is pulled; sd of ln s_p from floor to floor
SURFACES = (0.3, 0.45, 0.6, 0.8, 1.0)  # mu
PULL_LOAD, RISE, BACK = 300.0, 800, -0.5  # [N], samples each way, share of mu that the force comes back to
REACHED = 0.99  # of the limit
STEPS, STEP_SPREAD = 6, 0.2  # sd of ln s_p from step to step
STRANGERS = ("iwan", "elasto_plastic")


def calibrated_sole(contact: Contact, seed: int) -> SoleCalibration:
    """What ``calibrate-sole`` makes of five pulls to slip and back, seen to 2 um and 0.5 N.

    A LuGre contact can't be pulled to its peak under a prescribed force: the sole's own curve, Dahl's, stands for it.
    """
    rng = np.random.default_rng(seed)
    pulled = contact._replace(name="dahl") if contact.name == "lugre" else contact
    return calibrate([_pull(rng, pulled, mu) for mu in SURFACES])


def _pull(rng: np.random.Generator, contact: Contact, mu: float) -> Pull:
    share: Array = np.concatenate([np.linspace(0.0, REACHED, RISE), np.linspace(REACHED, BACK, RISE)])
    ratio, normal = np.zeros((1, share.size, 2)), np.full((1, share.size), PULL_LOAD)
    ratio[0, :, 0] = mu * share
    s_p = S_P * np.exp(S_P_SCATTER * rng.standard_normal(1))
    moved = memory_truths.displacement(contact, ratio, normal, np.array([mu]), s_p, PERIOD)[0, :, 0]
    noise = rng.standard_normal((3, share.size))
    force, load = mu * share * PULL_LOAD + 0.5 * noise[0], PULL_LOAD + 0.5 * noise[1]
    time = np.linspace(0.0, PERIOD * (share.size - 1), share.size)
    return Pull(f"mu {mu:g}", time, force, load, moved + 2e-6 * noise[2])


def calibrated(count: int, seed: int) -> list[Row]:
    """Every contact with the sole that pulls over the same contact gave; P2, whole stances."""
    rows = []
    for name, walk in TRUTHS:
        found = calibrated_sole(walk.contact, seed)
        rng = np.random.default_rng(seed)
        s_p = S_P * np.exp(S_P_SCATTER * rng.standard_normal(count))
        stances = draw(rng, count, walk, s_p)
        said = answers(observe(rng, stances, P2, walk.planar), told(P2, walk.planar, found.sole))
        scored = judge(stances, said.low, said.high, said.usable)
        label = f"{name}, calibrated (alpha {found.sole.shape:.2f}, memory {found.sole.masing:g}"
        label += f", {len(found.warnings)} warnings)" if found.warnings else ")"
        rows.append(Row(f"{label}: low > mu in the stance", 0.05, True, "", scored.wrong))
        rows.append(Row(f"{label}: largest low/mu", NAN, True, "", scored.worst))
        rows.append(Row(f"{label}: usable at 0.7", NAN, False, "", scored.usable[0]))
        rows.append(Row(f"{label}: usable at 0.9", NAN, False, "", scored.usable[1]))
    return rows


def taught(count: int, seed: int) -> list[Row]:
    """The shipped sole in its sixth step on Dahl floors beside what it knew before it had heard of memory."""
    rows = []
    for name, sensors in SENSORS:
        stances, said = walk_on(sensors, SHIPPED, [Walk()] * STEPS, count, seed)
        _, before = walk_on(sensors, BEFORE, [Walk()] * STEPS, count, seed, fresh=True)
        after, goal = _judge(stances, said), _judge(stances, before)
        rows.append(Row(f"{name}, sixth step: low > mu in the stance", 0.05, True, "", after.wrong))
        for index, share in enumerate((0.7, 0.9)):
            rows.append(
                Row(f"{name}, sixth step: usable at {share}", goal.usable[index], False, "", after.usable[index])
            )
        rows.append(Row(f"{name}, sixth step: lead to 0.9 [ms]", goal.lead, False, "", after.lead))
    for name in ("iwan", "maxwell_slip", "elasto_plastic", "bliman_sorine"):
        walk = Walk(Contact(name, 0.3 if name == "elasto_plastic" else 0.0))
        stances, said = walk_on(P2, SHIPPED, [walk] * STEPS, count, seed)
        found = _judge(stances, said)
        rows.append(Row(f"P2, {name}, sixth step: low > mu in the stance", 0.05, True, "", found.wrong))
        rows.append(Row(f"P2, {name}, sixth step: usable at 0.7", NAN, False, "", found.usable[0]))
    for name in STRANGERS:  # what a sole teaches is taken to be the sole's: a floor that behaves otherwise is the test
        stranger = Walk(Contact(name, 0.3 if name == "elasto_plastic" else 0.0))
        stances, said = walk_on(P2, SHIPPED, [Walk()] * (STEPS - 1) + [stranger], count, seed)
        found = _judge(stances, said)
        rows.append(Row(f"P2, {name} after five Dahl steps: low > mu in the stance", 0.05, True, "", found.wrong))
        rows.append(Row(f"P2, {name} after five Dahl steps: largest low/mu", NAN, True, "", found.worst))
    return rows


def walk_on(
    sensors: Sensors, sole: SoleModel, walks: list[Walk], count: int, seed: int, fresh: bool = False
) -> tuple[Stances, Answers]:
    """Stances and answers of the last of several steps that each foot takes with its own sole.

    Args:
        sensors, sole: of the estimator.
        walks: one a step.
        count, seed: of feet.
        fresh: forget before the last step what the others taught.
    """
    rng = np.random.default_rng(seed)
    one = IntervalEstimator(told(sensors, False, sole), body_weight=BODY_WEIGHT)
    states = [one.initial_state() for _ in range(count)]
    own = np.exp(rng.uniform(math.log(walks[0].s_p[0]), math.log(walks[0].s_p[1]), count))
    for k, walk in enumerate(walks):
        s_p: AnyArray = own * np.exp(STEP_SPREAD * rng.standard_normal(count))
        stances = draw(rng, count, walk, s_p)
        seen = observe(rng, stances, sensors, False)
        if fresh:
            if k < len(walks) - 1:
                continue
            states = [one.initial_state() for _ in range(count)]
        said = follow_feet(states, one.settings, seen)
    return stances, said


def _judge(stances: Stances, said: Answers) -> Found:
    return judge(stances, said.low, said.high, said.usable)
