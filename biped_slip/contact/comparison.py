# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The same two tests for every law: a drop, and a pull to slip and release; and what a step of each law costs."""

from __future__ import annotations

import time
from functools import cache
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import FootContact, foot_wrench
from biped_slip.contact.free_body import FreeBodyConfig, Motion, simulate
from biped_slip.contact.laws import BRUNEAU_NORMAL
from biped_slip.contact.normal_laws import normal_law
from biped_slip.contact.point_law import ContactLaw, PointLaw, fresh_memory
from biped_slip.contact.sole import sole_grid
from biped_slip.contact.terrain import Terrain, slope
from biped_slip.friction_laws.registry import friction_law

MASS, MU, STEP = 4.0, 0.5, 5.0e-5  # [kg], [-], [s]
LOAD = MASS * GRAVITY / 4.0  # [N] on each of four points
CORNERS = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
DROP_HEIGHT = 0.02  # [m]
PULL_END, PULL_TIME, HOLD_TIME = 1.1, 0.8, 1.0  # [of the weight], [s], [s]
BODY = FreeBodyConfig(MASS, rotates=False)


class Cost(NamedTuple):
    """What one law costs."""

    name: str
    point: float  # [ns] per point of an 18-point foot
    foot: float  # [us] per step of that foot


def drop_test(name: str) -> Motion:
    """A 4 kg body on four points falls 2 cm onto a normal law."""
    law = ContactLaw(normal_law(name)(), friction_law("elasto_plastic")())
    return simulate(
        law, slope(0.0, MU), CORNERS, BODY, position=(0.0, 0.0, DROP_HEIGHT), duration=0.4, dt=STEP, every=4
    )


def pull_test(name: str) -> Motion:
    """The same body at rest, pulled with up to 1.1 times its weight, then released, on a friction law; mu = 0.5."""
    law = ContactLaw(normal_law("hunt_crossley")(), friction_law(name)())
    top = PULL_END * MASS * GRAVITY
    pull = np.array([[0.0, 0, 0, 0], [PULL_TIME, top, 0, 0], [PULL_TIME + 1e-3, 0, 0, 0], [HOLD_TIME, 0, 0, 0]])
    rest = law.normal.steady_penetration(LOAD)
    return simulate(
        law, slope(0.0, MU), CORNERS, BODY, position=(0.0, 0.0, -rest), pull=pull, duration=1.4, dt=STEP, every=4
    )


def hold_test(name: str, ratio: float = 0.5, seconds: float = 6.0) -> tuple[float, float, float]:
    """Pulled with ``ratio`` of mu times the weight: presliding and creep, then released.

    Returns:
        Displacement [m] under the load, its drift [m/s] over the last third, displacement that stays after release.
    """
    law = ContactLaw(normal_law("hunt_crossley")(), friction_law(name)())
    load, end = ratio * MU * MASS * GRAVITY, seconds
    pull = np.array([[0.0, 0, 0, 0], [1.0, load, 0, 0], [end, load, 0, 0], [end + 0.5, 0, 0, 0], [end + 9.0, 0, 0, 0]])
    rest = law.normal.steady_penetration(LOAD)
    motion = simulate(
        law, slope(0.0, MU), CORNERS, BODY, position=(0.0, 0.0, -rest), pull=pull, duration=end + 1.5, dt=1e-4, every=10
    )
    x, held, before = motion.position[:, 0], round(end / 1e-3) - 1, round(2.0 * end / 3.0 / 1e-3)
    return float(x[held]), float((x[held] - x[before]) / (end / 3.0)), float(x[-1])


def repeated(foot: FootContact) -> Callable[..., float]:
    """Many steps of a foot in one call."""

    @kernel
    def repeat(
        count: int, points: Array, memory: Array, pose: Array, height: Array, speed: Array, spin: Array,
        terrain: Terrain, law: PointLaw,
    ) -> float:  # fmt: skip
        total = 0.0
        for k in range(count):
            speed[0] = 0.01 * ((k % 100) - 50)  # back and forth: no law stays in one branch
            total += foot(points, memory, memory, pose, height, speed, spin, terrain, law, 1e-5).force_z
        return total

    return repeat


@cache
def cost(normal: str, friction: str, count: int = 20_000) -> Cost:
    """Processor time of a compiled step of an 18-point foot, best of five."""
    parameters = BRUNEAU_NORMAL if friction == "bruneau" else {}
    law = ContactLaw(normal_law(normal)(**parameters), friction_law(friction)())
    points = sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 6, 3)
    run = repeated(foot_wrench(law))
    height = np.array([0.0, 0.0, -law.normal.steady_penetration(LOAD)])
    arguments = (points, fresh_memory(18), np.eye(3), height, np.zeros(3), np.zeros(3), slope(0.0, MU), law.packed)
    run(10, *arguments)
    best = np.inf
    for _ in range(5):
        begin = time.process_time()
        run(count, *arguments)
        best = min(best, time.process_time() - begin)
    return Cost(f"{normal} + {friction}", 1e9 * best / count / len(points), 1e6 * best / count)
