# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Khadiv et al.'s SURENA III at 0.5 km/h (E.5): one walking pattern, rigid contact against the proposed compliant one.

The same joint trajectories go to both, as in the paper: inverse dynamics with rigid soles (8)-(15), and a simulation
with the laws (19) and 3.2 at sixteen points a sole whose joints follow by stiff servos. The pattern, the robot's
inertias and the experiment are not printed: what the paper says in words is judged, and what it only draws is listed.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.lab.papers.flat_gait import FlatGaitConfig
from biped_slip.lab.papers.prescribed import Followed, GuideConfig, ServoConfig, follow, motion_of
from biped_slip.lab.papers.rows import Curve, Figure, Row, row
from biped_slip.lab.papers.support_polygon import Support, support
from biped_slip.lab.papers.whole_motion import RigidDemand, WholeMotion, rigid_demand, whole_motion
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain_config import TerrainConfig

PAPER = "khadiv"
SPEED = 0.5 / 3.6  # [m/s] (E.5)
GAIT = FlatGaitConfig(steps=4, step=SPEED, swing=0.8, double_support=0.2, rest=0.5)  # a step a second (choice)
MU = 0.8  # of the laboratory's floor (choice)
TICK, STEP, EVERY = 200_000, 50_000, 10  # [ns], [ns], ticks between two recorded
PERIOD = 1e-9 * TICK


class Walked(NamedTuple):
    """The two models on one pattern, every EVERY ticks."""

    motion: WholeMotion
    rigid: RigidDemand
    compliant: Followed
    rigid_support: Support
    compliant_support: Support


@cache
def walked() -> Walked:
    """Both models."""
    humanoid = load_humanoid("surena3")
    fine = whole_motion(humanoid, GAIT, PERIOD)
    motion = fine.every(EVERY)
    rigid = rigid_demand(humanoid, motion, shared=False)
    compliant = _simulated(humanoid, fine, rigid_demand(humanoid, motion, shared=True).torques)
    count, log = len(compliant.log.time), compliant.log
    return Walked(
        motion,
        rigid,
        compliant,
        support(humanoid, motion.pattern.soles[:count], rigid.wrenches[:count]),
        support(humanoid, log.sole_position, log.wrench),
    )


def _simulated(humanoid: Humanoid, motion: WholeMotion, torques: Array) -> Followed:
    """The compliant model, its servos helped by torques (n, joints) of the pattern, every EVERY ticks."""
    config = FloatingPlantConfig.from_mapping({"control_period_ns": TICK, "step_ns": STEP, "contact": "khadiv"})
    plant = FloatingPlant(humanoid, TerrainConfig(mu=MU), config)
    start = motion.q[0].copy()
    start[2] -= plant.law.normal.steady_penetration(0.5 * humanoid.weight / plant.around.points.shape[1])
    plant.place(start, motion.v[0])
    coarse = motion.pattern.time[::EVERY]
    forward = np.column_stack([np.interp(motion.pattern.time, coarse, column) for column in torques.T])
    course = motion_of(motion.q[:, 7:], PERIOD, motion.q[:, :3], forward)
    return follow(plant, course, ServoConfig(), GuideConfig(), EVERY)


def results(drive: Array) -> tuple[list[Row], tuple[Figure, ...]]:
    """All rows and figures.

    Args:
        drive: (3,) inertia, viscous and Coulomb friction of the knee's drive [kg m^2, N m s/rad, N m] (E.6).
    """
    return [*_force_rows(), *_zmp_rows(), *_torque_rows(drive)], _figures(drive)


def _force_rows() -> list[Row]:
    both = walked()
    log, loaded = both.compliant.log, both.motion.pattern.share[: len(both.compliant.log.time)] > 0.0
    cycle = GAIT.swing + GAIT.double_support
    landed = GAIT.rest + GAIT.shift + GAIT.swing + cycle * np.array([0.0, GAIT.steps - 2.0])
    x = np.interp(landed, log.time, log.sole_position[:, :, 0].mean(axis=1))
    speed = 3.6 * float(x[1] - x[0]) / ((GAIT.steps - 2) * cycle)
    lowest = float(both.rigid.wrenches[: len(loaded), :, 2][loaded].min())
    rows = [
        row(PAPER, "walk: speed in the compliant model", speed, printed=0.5, unit="km/h"),
        row(PAPER, "walk: rigid normal forces push only", float(lowest >= 0.0), printed=1.0),
        row(PAPER, "walk: compliant normal forces push only", float(log.normal.min() >= 0.0), printed=1.0),
    ]
    for axis, name in enumerate(("forward", "lateral")):
        peaks = [float(np.abs(w[:, :, axis]).max()) for w in (log.wrench, both.rigid.wrenches)]
        quantity = f"walk: largest {name} force, compliant over rigid"
        rows.append(row(PAPER, quantity, peaks[0] / peaks[1]))
    return rows


def _zmp_rows() -> list[Row]:
    both = walked()
    single = both.motion.pattern.share[: len(both.rigid_support.zmp)].max(axis=1) == 1.0
    speeds = []
    for found in (both.rigid_support, both.compliant_support):
        moved = np.gradient(found.zmp, EVERY * PERIOD, axis=0)[single]
        speeds.append(float(np.sqrt(np.mean(np.sum(moved**2, axis=1)))))
    inside = [float(found.inside.mean()) for found in (both.rigid_support, both.compliant_support)]
    return [
        row(PAPER, "walk: share of time with the rigid ZMP inside the soles", inside[0], printed=1.0, relative=0.0),
        row(PAPER, "walk: share of time with the compliant ZMP inside the soles", inside[1], printed=1.0, relative=0.0),
        row(PAPER, "walk: the compliant ZMP oscillates more", float(speeds[1] > speeds[0]), printed=1.0),
        row(PAPER, "walk: speed of the ZMP on one foot, rms, compliant over rigid", speeds[1] / speeds[0]),
    ]


def _knee(drive: Array) -> tuple[Array, Array, Array]:
    """Torque of the left knee: rigid, compliant (n,) of the bodies, and of the drive (21), (26) [N m]."""
    both = walked()
    count = len(both.compliant.log.time)
    joint = list(load_humanoid("surena3").robot.joints).index("l_knee")
    rate, gain = both.motion.v[:count, 6 + joint], both.motion.acceleration[:count, 6 + joint]
    own = drive[0] * gain + drive[1] * rate + drive[2] * np.sign(np.where(np.abs(rate) > 1e-3, rate, 0.0))
    return both.rigid.torques[:count, joint], both.compliant.log.torques[:, joint], own


def _torque_rows(drive: Array) -> list[Row]:
    rigid, compliant, own = _knee(drive)
    bodies = float(np.corrcoef(rigid, compliant)[0, 1])
    total = float(np.corrcoef(rigid + own, compliant + own)[0, 1])
    dominant = float(np.sqrt(np.mean(own**2) / np.mean(rigid**2)))
    return [
        row(PAPER, "walk: knee torque with drive, correlation of the models", total, expected=1.0, absolute=0.05),
        row(PAPER, "walk: knee torque of the bodies, correlation of the models", bodies, expected=1.0, absolute=0.1),
        row(PAPER, "walk: the drive has the larger part of the knee's torque", float(dominant > 1.0), printed=1.0),
        row(PAPER, "walk: torque of the knee's drive over that of the bodies, rms", dominant),
    ]


def _figures(drive: Array) -> tuple[Figure, ...]:
    both = walked()
    log, time = both.compliant.log, both.motion.pattern.time
    rigid, compliant, own = _knee(drive)
    later = log.time >= GAIT.rest

    def left(axis: int) -> tuple[Curve, ...]:
        return (
            Curve("compliant", log.time, log.wrench[:, 0, axis]),
            Curve("rigid", time, both.rigid.wrenches[:, 0, axis]),
        )

    return (
        Figure("khadiv-walk-torque", "SURENA III at 0.5 km/h: left knee with its drive", "time [s]", "torque [N m]",
               (Curve("compliant", log.time, compliant + own), Curve("rigid", log.time, rigid + own))),
        Figure("khadiv-walk-normal", "SURENA III at 0.5 km/h: left foot", "time [s]", "normal force [N]", left(2)),
        Figure("khadiv-walk-forward", "SURENA III at 0.5 km/h: left foot", "time [s]", "forward force [N]", left(0)),
        Figure("khadiv-walk-zmp", "SURENA III at 0.5 km/h: zero-moment point", "time [s]", "place across the way [m]",
               (Curve("compliant", log.time[later], both.compliant_support.zmp[later, 1]),
                Curve("rigid", log.time[later], both.rigid_support.zmp[later, 1]))),
    )  # fmt: skip
