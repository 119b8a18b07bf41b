# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bruneau and Ouezdou's articulated biped (B.3): the drop and the walk.

The drop is from 30 cm, and the walk at 1.35 m/s stands beside a recorded one.

The planar walker (75 kg, 18 points a foot, parameters of B.2) follows prescribed joint
angles; trunk and plane are held as in the paper, forward and up the base is free. The
paper draws its recorded forces and does not print them: what it says of the shape is
judged, and a recording of the user's takes the place of the paper's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import sole_grid
from biped_slip.contact.free_body import FreeBodyConfig, RecordedMotion, simulate
from biped_slip.contact.ground import slope
from biped_slip.contact.point_contact import contact_law
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from studies.papers.gait import (
    SHARES,
    HumanGait,
    HumanGaitConfig,
    Leg,
    StanceCurves,
    joined,
    recorded_walk,
    stance_curves,
)
from studies.papers.motion import Followed, GuideConfig, ServoConfig, follow, motion_of
from studies.papers.robots import HANAVAN_PERSON
from studies.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "bruneau"
# [m/s], [-] (B.2, B.3)
LANDING = 2.426
LAMBDA_D = 0.4
UPRIGHT = GuideConfig(axes=(1, 3, 4, 5))  # the plane of the motion, and the trunk
# [ns], [ns], [s]
WALK_TICK = 100_000
WALK_STEP = 50_000
WALK = 3.2
# a touchdown is over in a millisecond
LAND_TICK = 20_000
LAND_STEP = 10_000
LAND = 0.1
# body weights, and of a correlation of 1: what "the same shape" may differ by (choice)
ALIKE = 0.2
SETTLED = 1.0  # [s] after which the walk is periodic


def _plant(tick: int, step: int) -> FloatingPlant:
    config = FloatingPlantConfig.from_mapping(
        {"control_period_ns": tick, "step_ns": step, "contact": "bruneau"}
    )
    return FloatingPlant(
        load_humanoid("hanavan_walker"), TerrainConfig(mu=LAMBDA_D), config
    )


@cache
def articulated_landing() -> Followed:
    """Drop the walker in its standing posture at the landing speed of 30 cm.

    Its joints are held by the servos.
    """
    plant = _plant(LAND_TICK, LAND_STEP)
    humanoid = plant.humanoid
    ticks = round(LAND * 1e9 / LAND_TICK)
    start = humanoid.standing()
    speed = np.zeros(humanoid.model.nv)
    speed[2] = -LANDING
    plant.place(start, speed)
    held = np.tile(humanoid.posture, (ticks, 1))
    motion = motion_of(held, 1e-9 * LAND_TICK, np.tile(start[:3], (ticks, 1)))
    return follow(plant, motion, ServoConfig(), UPRIGHT, 1)


def leg_of_the_walker() -> Leg:
    """Winter's segments with the sole of the robot's YAML."""
    corners = np.array(load_humanoid("hanavan_walker").polygon(0))
    return Leg(HANAVAN_PERSON, -corners[:, 0].min(), corners[:, 0].max())


@cache
def walk() -> Followed:
    """Walk from the middle of a stance on; recorded every millisecond."""
    config = HumanGaitConfig()
    plant = _plant(WALK_TICK, WALK_STEP)
    gait = HumanGait(config, leg_of_the_walker())
    time = np.arange(0.0, WALK, 1e-9 * WALK_TICK) + 0.5 * gait.stance
    hip = gait.hip(time)
    motion = motion_of(
        gait.joints(time),
        1e-9 * WALK_TICK,
        np.column_stack((hip[:, 0], 0.0 * time, hip[:, 1])),
    )
    q = plant.humanoid.standing()
    v = np.zeros(plant.humanoid.model.nv)
    depth = plant.law.normal.steady_penetration(
        plant.humanoid.weight / plant.around.points.shape[1]
    )
    q[:3], q[7:] = (
        motion.base[0] - np.array([0.0, 0.0, depth - config.sink]),
        motion.joints[0],
    )
    v[:3], v[6:] = motion.velocity[0], motion.rates[0]
    plant.place(q, v)
    return follow(plant, motion, ServoConfig(), UPRIGHT, round(1e6 / WALK_TICK))


@cache
def walked_stances() -> StanceCurves:
    """Whole stances of the periodic walk, both feet."""
    log = walk().log
    weight = load_humanoid("hanavan_walker").weight
    later = log.time >= SETTLED
    time = log.time[later]
    wrench = log.wrench[later]
    return joined(
        [
            stance_curves(time, wrench[:, foot, 2], wrench[:, foot, 0], weight)
            for foot in range(2)
        ]
    )


def landing_rows() -> list[Row]:
    """Compare the drop of the articulated biped with the paper."""
    landing = articulated_landing()
    weight = load_humanoid("hanavan_walker").weight
    force = landing.log.normal.sum(axis=1)
    top = int(force.argmax())
    below = top + int(np.argmax(force[top:] < 1.1 * weight))
    after = float(landing.log.time[below] - landing.log.time[top])
    return [
        row(
            PAPER,
            "articulated drop: 110 % of the weight after the peak",
            after,
            printed=0.012,
            unit="s",
            absolute=0.0005,
        ),
    ]


def walk_rows() -> list[Row]:
    """Compare the walk and its forces with the paper."""
    followed = walk()
    curves = walked_stances()
    log = followed.log
    later = followed.log.time >= SETTLED
    speed = float(np.polyfit(log.time[later], log.q[later, 0], 1)[0])
    depth, creep = interference(followed)
    shaped = float(np.mean([hump.m_shaped for hump in curves.humps]))
    return [
        row(PAPER, "walk: mean speed", speed, printed=1.35, unit="m/s"),
        row(
            PAPER,
            "walk: share of stances with an M-shaped normal force",
            shaped,
            printed=1.0,
        ),
        row(
            PAPER,
            "walk: normal interference beyond 1 cm",
            1e3 * max(depth - 0.01, 0.0),
            printed=0.0,
            unit="mm",
        ),
        row(
            PAPER,
            "walk: tangential interference beyond 1 mm",
            1e3 * max(creep - 0.001, 0.0),
            printed=0.0,
            unit="mm",
            relative=0.1,
        ),
    ]


def interference(followed: Followed) -> tuple[float, float]:
    """Find how deep any point sinks, and how far any creeps in one contact [m].

    The creep is along the floor, and the walk is the periodic one.
    """
    log = followed.log
    later = log.time >= SETTLED
    points = _plant(WALK_TICK, WALK_STEP).around.points
    place = log.sole_position[later][:, :, None] + np.einsum(
        "tfij,fpj->tfpi", log.sole_rotation[later], points
    )
    touching = place[..., 2] < 0.0
    creep = 0.0
    for foot, point in np.ndindex(touching.shape[1:]):
        edges = np.flatnonzero(np.diff(touching[:, foot, point]))
        for piece in np.split(np.arange(len(touching)), edges + 1):
            if touching[piece[0], foot, point]:
                creep = max(creep, float(np.ptp(place[piece, foot, point, 0])))
    return -float(place[..., 2].min()), creep


def comparison_rows(recorded: StanceCurves) -> list[Row]:
    """Compare the walk with a recorded one.

    Humps and the whole curve are compared, both in body weights.
    """
    curves = walked_stances()
    rows = []
    shaped = float(np.mean([hump.m_shaped for hump in recorded.humps]))
    rows.append(
        row(
            PAPER,
            "recorded walk: share of stances with an M-shaped normal force",
            shaped,
            printed=1.0,
        )
    )
    for place, name in enumerate(
        ("first maximum", "minimum between", "second maximum")
    ):
        ours, theirs = (
            float(np.mean([h[place] for h in side.humps]))
            for side in (curves, recorded)
        )
        rows.append(
            row(
                PAPER,
                f"walk beside the recorded: {name} over weight",
                ours,
                expected=theirs,
                absolute=ALIKE,
            )
        )
    same = np.corrcoef(curves.normal.mean(axis=0), recorded.normal.mean(axis=0))[0, 1]
    rows.append(
        row(
            PAPER,
            "walk beside the recorded: correlation of normal force",
            float(same),
            expected=1.0,
            absolute=ALIKE,
        )
    )
    return rows


def figures(recorded: StanceCurves | None) -> tuple[Figure, ...]:
    """Draw the drop, and the two forces over a stance as in figures 14 and 15."""
    landing = articulated_landing()
    curves = walked_stances()
    force = Curve(
        "articulated, 36 points", landing.log.time, landing.log.normal.sum(axis=1)
    )
    drop = (
        force,
        Curve("weight", landing.log.time, np.full(len(landing.log.time), _weight())),
    )
    sides = [("walker", curves), *([("recorded", recorded)] if recorded else [])]
    flat = Curve("weight", SHARES, np.ones_like(SHARES))
    return (
        Figure(
            name="bruneau-articulated-drop",
            title="The articulated biped lands from 30 cm",
            x_label="time [s]",
            y_label="normal force [N]",
            curves=drop,
        ),
        Figure(
            name="bruneau-normal",
            title="Normal force over a stance at 1.35 m/s",
            x_label="share of the stance",
            y_label="body weights",
            curves=(
                *(
                    Curve(name, SHARES, side.normal.mean(axis=0))
                    for name, side in sides
                ),
                flat,
            ),
        ),
        Figure(
            name="bruneau-forward",
            title="Forward force over a stance at 1.35 m/s",
            x_label="share of the stance",
            y_label="body weights",
            curves=(
                *(
                    Curve(name, SHARES, side.forward.mean(axis=0))
                    for name, side in sides
                ),
                Curve("zero", SHARES, 0.0 * SHARES),
            ),
        ),
    )


def _weight() -> float:
    return load_humanoid("hanavan_walker").weight


def results(human: str | Path | None) -> tuple[list[Row], tuple[Figure, ...]]:
    """All rows and figures; those that need a recorded walk only with one."""
    recorded = recorded_walk(human) if human is not None else None
    rows = [
        *landing_rows(),
        *walk_rows(),
        *(comparison_rows(recorded) if recorded else []),
    ]
    return rows, figures(recorded)


# Bruneau and Ouezdou's distributed foot (B): the drop from 30 cm, the pull test, and
# the articulated biped.

# [kg], [m/s], [-]
MASS = 75.0
BRUNEAU_LANDING = 2.426
BRUNEAU_LAMBDA_D = 0.4
WEIGHT = MASS * GRAVITY
FOOT = ((-0.12, -0.05), (0.12, -0.05), (0.12, 0.05), (-0.12, 0.05))  # [m]
# [s, N], reconstructed (B.3)
PULL = np.array([[0.05, 0, 0, 0], [0.2, WEIGHT, 0, 0], [0.41, 0, 0, 0], [0.7, 0, 0, 0]])


def sole(points: int) -> Array:
    """18 points per foot; 36 stand for two feet that do the same."""
    return np.tile(sole_grid(FOOT, 6, 3), (points // 18, 1))


@cache
def landing(points: int, mass: float = MASS, damping: float = 450.0) -> RecordedMotion:
    """Land a rigid block flat."""
    law = contact_law("bruneau", {"normal": {"damping": damping}})
    return simulate(
        law,
        slope(0.0, BRUNEAU_LAMBDA_D),
        sole(points),
        FreeBodyConfig(mass, rotates=False),
        position=(0.0, 0.0, 0.0),
        velocity=(0.0, 0.0, -BRUNEAU_LANDING),
        duration=0.15,
        dt=2e-6,
    )


@cache
def pulled(points: int) -> RecordedMotion:
    """Pull the standing block at the ankles."""
    law = contact_law("bruneau")
    rest = law.normal.steady_penetration(WEIGHT / points)
    return simulate(
        law,
        slope(0.0, BRUNEAU_LAMBDA_D),
        sole(points),
        FreeBodyConfig(MASS, rotates=False),
        position=(0.0, 0.0, -rest),
        pull=PULL,
        duration=0.7,
        dt=1e-5,
    )


def settled(motion: RecordedMotion, weight: float) -> float:
    """Time after the maximum at which the force first is at 110 % of the weight [s]."""
    top = int(motion.normal.argmax())
    below = int(np.argmax(motion.normal[top:] < 1.1 * weight))
    return float(motion.time[top + below] - motion.time[top])


def _landing_rows() -> list[Row]:
    expected = {
        36: (32.7, 44.5, 0.11, 0.030, 0.94, 11.8),
        18: (16.6, 22.6, 0.24, 0.050, 0.87, 22.2),
    }
    rows = []
    for points, (peak, times, at, after, undershoot, sink) in expected.items():
        motion = landing(points)
        case = f"drop, {points} points"
        top = int(motion.normal.argmax())
        printed = 0.012 if points == 36 else None
        rows += [
            row(
                PAPER,
                f"{case}: peak force",
                1e-3 * motion.normal[top],
                expected=peak,
                unit="kN",
            ),
            row(
                PAPER,
                f"{case}: peak over weight",
                motion.normal[top] / WEIGHT,
                expected=times,
            ),
            row(
                PAPER,
                f"{case}: time of the peak",
                1e3 * motion.time[top],
                expected=at,
                unit="ms",
                absolute=0.005,
            ),
            row(
                PAPER,
                f"{case}: 110 % of the weight after the peak",
                settled(motion, WEIGHT),
                expected=after,
                printed=printed,
                unit="s",
                absolute=0.0005,
            ),
            row(
                PAPER,
                f"{case}: lowest force after the peak over weight",
                motion.normal[top:].min() / WEIGHT,
                expected=undershoot,
                absolute=0.005,
            ),
            row(
                PAPER,
                f"{case}: deepest sink",
                -1e3 * motion.position[:, 2].min(),
                expected=sink,
                unit="mm",
            ),
        ]
    light = landing(36, 25.0)
    rows += [
        row(
            PAPER,
            "drop, 36 points, 25 kg: peak force",
            1e-3 * light.normal.max(),
            expected=32.0,
            unit="kN",
        ),
        row(
            PAPER,
            "drop, 36 points, 25 kg: 110 % of the weight after the peak",
            settled(light, 25.0 * GRAVITY),
            expected=0.0124,
            unit="s",
        ),
        row(
            PAPER,
            "drop, 36 points, 25 kg: deepest sink",
            -1e3 * light.position[:, 2].min(),
            expected=4.2,
            unit="mm",
        ),
    ]
    for damping, peak, after in ((1300.0, 92.0, 0.013), (1900.0, 134.0, 0.009)):
        motion = landing(36, MASS, damping)
        case = f"drop, 36 points, mu_n = {damping:g}"
        rows.append(
            row(
                PAPER,
                f"{case}: peak force",
                1e-3 * motion.normal.max(),
                expected=peak,
                unit="kN",
            )
        )
        rows.append(
            row(
                PAPER,
                f"{case}: 110 % of the weight after the peak",
                settled(motion, WEIGHT),
                expected=after,
                unit="s",
                absolute=0.0005,
            )
        )
    return rows


def _pull_rows() -> list[Row]:
    rows = []
    law = contact_law("bruneau")
    for points, sink in ((18, 10.3), (36, 5.8)):
        depth = 1e3 * law.normal.steady_penetration(WEIGHT / points)
        rows.append(
            row(
                PAPER,
                f"standing, {points} points: static sink",
                depth,
                expected=sink,
                unit="mm",
            )
        )
    for points, start, stop, creep in (
        (36, 0.157, 0.497, 0.79),
        (18, 0.159, 0.505, 1.58),
    ):
        motion = pulled(points)
        case = f"pull, {points} points"
        ratio = motion.tangential / motion.normal
        first = int(np.argmax(ratio >= 0.7))
        last = first + int(np.argmax(motion.velocity[first:, 0] <= 0.0))
        both = points == 36
        rows += [
            row(
                PAPER,
                f"{case}: slip begins",
                motion.time[first],
                expected=start,
                printed=0.156 if both else None,
                unit="s",
                absolute=0.0016,
            ),
            row(
                PAPER,
                f"{case}: slip ends",
                motion.time[last],
                expected=stop,
                printed=0.496 if both else None,
                unit="s",
                absolute=0.0016,
            ),
            row(
                PAPER,
                f"{case}: creep before the slip",
                1e3 * motion.position[first, 0],
                expected=creep,
                unit="mm",
            ),
        ]
        if both:
            slide = ratio[first + 1100 : last - 200]  # between the two blends
            rows += [
                row(
                    PAPER,
                    f"{case}: lowest ratio of the slide",
                    slide.min(),
                    expected=0.400,
                    printed=0.4,
                ),
                row(
                    PAPER,
                    f"{case}: highest ratio of the slide",
                    slide.max(),
                    expected=0.426,
                ),
                row(
                    PAPER,
                    f"{case}: distance slid",
                    motion.position[-1, 0],
                    expected=0.11,
                    unit="m",
                ),
                row(
                    PAPER,
                    f"{case}: highest speed",
                    motion.velocity[:, 0].max(),
                    expected=0.53,
                    unit="m/s",
                ),
                row(
                    PAPER,
                    f"{case}: final force ratio",
                    ratio[-1],
                    expected=0.0,
                    printed=0.0,
                    absolute=0.001,
                ),
            ]
    return rows


def reproduce(human: str | Path | None = None) -> Reproduction:
    """All rows and figures.

    Args:
        human: a recorded walk over force plates, beside which the biped's is put.
    """
    drop = landing(36)
    pull = pulled(36)
    shown = drop.time < 0.06
    figures = (
        Figure(
            name="bruneau-drop",
            title="Drop from 30 cm, 75 kg",
            x_label="time [s]",
            y_label="normal force [N]",
            curves=tuple(
                Curve(
                    f"{points} points",
                    landing(points).time[shown],
                    landing(points).normal[shown],
                )
                for points in (36, 18)
            ),
        ),
        Figure(
            name="bruneau-pull",
            title="Pull test, 36 points",
            x_label="time [s]",
            y_label="force ratio, displacement [0.1 m], pull [weight]",
            curves=(
                Curve("lambda_g", pull.time, pull.tangential / pull.normal),
                Curve("displacement", pull.time, 10.0 * pull.position[:, 0]),
                Curve(
                    "pull",
                    pull.time,
                    np.interp(pull.time, PULL[:, 0], PULL[:, 1]) / WEIGHT,
                ),
            ),
        ),
    )
    walk_rows, walk_figures = results(human)
    rows = (*_landing_rows(), *_pull_rows(), *walk_rows)
    return Reproduction(
        PAPER,
        "Bruneau and Ouezdou, Distributed ground/walking robot interaction (B)",
        rows,
        figures + walk_figures,
    )
