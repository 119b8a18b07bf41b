# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rengifo et al.'s biped walks five steps (C.3): false impacts under the standing foot, without and with resting depth.

Fourteen joints, eight contact points, k_p = 500, k_v = 250 as printed; the paper's gait is not, so the pattern is ours.
A false impact is a point of the foot that alone carries the robot coming or going: nothing physical lifts it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.contact_space import ContactSpace
from biped_slip.contact.feedback_linearised import FeedbackConfig, linearising_forces
from biped_slip.lab.papers.flat_gait import FlatGaitConfig
from biped_slip.lab.papers.rows import Curve, Figure, Row, row
from biped_slip.lab.papers.stepped_robot import (
    ContactRule,
    PointForces,
    Stepped,
    landings,
    part_of_points,
    walk_stepped,
)
from biped_slip.lab.papers.whole_motion import RigidDemand, WholeMotion, rigid_demand, whole_motion
from biped_slip.robots.humanoid import load_humanoid

PAPER = "rengifo"
GAIT = FlatGaitConfig(steps=5, step=0.2, swing=0.5, double_support=0.2, rest=0.2, shift=0.5)  # choice
STEP, MU = 1e-3, 0.7  # [s], [-] (choices)
RESTING = (0.0, -1e-6, -1e-4)  # heights [m]: none, as printed but for its sign, deeper
LANDING = 0.05  # [s] after a touchdown
FLIGHT = 0.1  # [s] of a foot in the air that makes a step


class Reference(NamedTuple):
    """The walk and what rigid soles would give."""

    motion: WholeMotion
    demand: RigidDemand


@cache
def reference() -> Reference:
    """Motion and rigid wrenches of the five steps."""
    humanoid = load_humanoid("two_sole_biped")
    motion = whole_motion(humanoid, GAIT, STEP)
    return Reference(motion, rigid_demand(humanoid, motion, shared=True))


@cache
def walked(resting_height: float) -> Stepped:
    """The walk on the feedback-linearised contact."""
    humanoid, course = load_humanoid("two_sole_biped"), reference()
    return walk_stepped(humanoid, course.motion, course.demand, linearised(resting_height), sunk=1e-6)


def linearised(resting_height: float) -> ContactRule:
    """Forces (16)-(20) on the points at or below the floor."""
    config = FeedbackConfig(resting_height=resting_height)

    def rule(space: ContactSpace, height: Array, velocity: Array, dt: float) -> PointForces:
        forces, touching = np.zeros_like(velocity), height <= 0.0
        down = np.flatnonzero(touching)
        if len(down):
            forces[down] = linearising_forces(
                part_of_points(space, down), height[down], velocity[down], np.full(len(down), MU), config.k_p,
                config.k_v, config.resting_height, config.rank_tolerance,
            )  # fmt: skip
        return PointForces(np.zeros_like(forces), forces, touching)

    return rule


def false_impacts(walk: Stepped) -> int:
    """How often a point of a foot that alone carries the robot comes or goes, landings apart."""
    share, count = reference().motion.pattern.share, 0
    settle = round(LANDING / STEP)
    for foot in range(2):
        alone = share[:, foot] == 1.0
        alone[settle:] &= share[:-settle, foot] == 1.0
        changed = np.diff(walk.touching[:, 4 * foot : 4 * foot + 4].astype(int), axis=0) != 0
        count += int(changed[alone[1:]].sum())
    return count


def rows() -> list[Row]:
    """Five steps, and what happens under the standing foot."""
    walks = {height: walked(height) for height in RESTING}
    printed, deep = walks[-1e-6], walks[-1e-4]
    counts = {height: false_impacts(walk) for height, walk in walks.items()}
    return [
        row(PAPER, "walk: steps", len(landings(printed.touching, round(FLIGHT / STEP))), printed=5.0),
        row(PAPER, "walk: false impacts without a resting depth", counts[0.0]),
        row(PAPER, "walk: false impacts happen without a resting depth", float(counts[0.0] > 0), printed=1.0),
        row(PAPER, "walk: false impacts, eps = -1e-06 m", counts[-1e-6], printed=0.0),
        row(PAPER, "walk: part of the false impacts that eps = -0.0001 m leaves", counts[-1e-4] / max(counts[0.0], 1),
            expected=0.0, absolute=0.05),
        row(PAPER, "walk: landing force over the rigid soles'", _landing_force(printed)),
        row(PAPER, "walk: normal force on one foot against the rigid soles', rms over weight", _difference(deep),
            expected=0.0, absolute=0.05),
    ]  # fmt: skip


def _landing_force(walk: Stepped) -> float:
    """Mean over the landings of the largest normal force of the foot shortly after, over the constraint's then."""
    rigid, after = reference().demand.wrenches[:, :, 2], round(LANDING / STEP)
    ratios = [
        float(walk.foot_forces[k : k + after, foot, 2].max() / rigid[: k + after, foot][-after:].max())
        for foot, k in landings(walk.touching, round(FLIGHT / STEP))
        if rigid[k : k + after, foot].max() > 1.0
    ]
    return float(np.mean(ratios))


def _difference(walk: Stepped) -> float:
    """Normal force of the foot that alone carries the robot against the constraint's, rms in body weights."""
    rigid, alone = reference().demand.wrenches[:, :, 2], reference().motion.pattern.share == 1.0
    found = walk.foot_forces[:, :, 2]
    return float(np.sqrt(np.mean((found - rigid)[alone] ** 2))) / load_humanoid("two_sole_biped").weight


def figures() -> tuple[Figure, ...]:
    """Normal force of the right foot and the heights of its points, as in figures 12 to 14."""
    time, rigid = reference().motion.pattern.time, reference().demand.wrenches[:, 1, 2]
    names = {height: f"eps = {height:g} m" for height in RESTING}
    forces = [Curve(names[height], time, walked(height).foot_forces[:, 1, 2]) for height in RESTING]
    heights = [Curve(names[height], time, 1e3 * walked(height).place[:, 4, 2].clip(-1e-3, 1e-3)) for height in RESTING]
    return (
        Figure("rengifo-walk-force", "Five steps: right foot", "time [s]", "normal force [N]",
               (*forces, Curve("rigid soles", time, rigid))),
        Figure("rengifo-walk-height", "Five steps: a corner of the right foot, within 1 mm of the floor", "time [s]",
               "height [mm]", tuple(heights)),
    )  # fmt: skip
