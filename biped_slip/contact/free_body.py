# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A free body under any contact law, and the two tests that compare laws.

The tests are a drop and a pull.
"""

from __future__ import annotations

import math
import time
from functools import cache
from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import (
    FootContact,
    FootWrench,
    foot_wrench,
    sole_grid,
)
from biped_slip.contact.ground import Terrain, slope
from biped_slip.contact.normal_laws import normal_law
from biped_slip.contact.point_contact import (
    BRUNEAU_NORMAL,
    ContactLaw,
    PointLaw,
    check_time_step,
    fresh_memory,
)
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.friction_laws.registry import friction_law

FARTHEST = 1.0e3  # [m] from the start: beyond it the simulation has diverged


@configuration
class FreeBodyConfig(Configuration):
    """Mass and inertia of the body; with ``rotates`` false it only translates."""

    mass: float = parameter(5.0, unit="kg", above=0.0, doc="mass")
    inertia: tuple[float, ...] = parameter(
        (0.01, 0.03, 0.03), unit="kg m^2", above=0.0, doc="principal moments"
    )
    rotates: bool = parameter(True, doc="false locks the orientation")

    def check(self) -> None:
        """Check for three principal moments."""
        if len(self.inertia) != 3:
            raise InvalidParameter(
                "FreeBodyConfig.inertia", self.inertia, "three principal moments"
            )


class Motion(NamedTuple):
    """Recorded samples of one run; n samples."""

    time: Array  # (n,) [s]
    position: Array  # (n, 3) of the centre of mass [m]
    velocity: Array  # (n, 3) [m/s]
    rotation: Array  # (n, 3, 3) body to world
    force: Array  # (n, 3) of the ground on the body [N]
    normal: Array  # (n,) sum over the points [N]
    tangential: Array  # (n,) [N]


@kernel
def move(
    wrench: FootWrench,
    force: Array,
    body: Any,
    gravity: float,
    position: Array,
    rotation: Array,
    velocity: Array,
    spin: Array,
    dt: float,
) -> None:
    """Move a body under a foot's wrench and a force (3,) at its centre of mass [N].

    The integration is semi-implicit Euler.
    """
    for k in range(3):
        pushed = force[k]
        if k == 0:
            pushed += wrench.force_x
        elif k == 1:
            pushed += wrench.force_y
        else:
            pushed += wrench.force_z - body.mass * gravity
        velocity[k] += pushed / body.mass * dt
    position += velocity * dt
    if body.rotates:
        moment = np.array([wrench.moment_x, wrench.moment_y, wrench.moment_z])
        inertia = np.array([body.inertia[0], body.inertia[1], body.inertia[2]])
        local = rotation.T @ spin
        gyro = np.cross(local, inertia * local)
        local = local + (rotation.T @ moment - gyro) / inertia * dt
        spin[:] = rotation @ local
        angle = math.sqrt(np.sum(local * local)) * dt
        if angle > 0.0:
            x, y, z = local * dt / angle
            s = math.sin(angle)
            c = 1.0 - math.cos(angle)
            skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            rotation[:] = rotation @ (np.eye(3) + s * skew + c * (skew @ skew))


@kernel
def note(
    row: Array,
    time: float,
    position: Array,
    velocity: Array,
    rotation: Array,
    wrench: FootWrench,
) -> None:
    """Fill a sample (21,) of a run."""
    row[0] = time
    row[1:4] = position
    row[4:7] = velocity
    row[7:16] = rotation.ravel()
    row[16] = wrench.force_x
    row[17] = wrench.force_y
    row[18] = wrench.force_z
    row[19] = wrench.normal
    row[20] = wrench.tangential


def body_on(foot: FootContact) -> Callable[..., None]:
    """Compile the run of a body on a foot.

    What does not depend on the law is compiled once for all of them.
    """

    @kernel
    def run(
        points: Array,
        memory: Array,
        position: Array,
        rotation: Array,
        velocity: Array,
        spin: Array,
        body: Any,
        pull: Array,
        gravity: float,
        terrain: Terrain,
        law: PointLaw,
        dt: float,
        steps: int,
        every: int,
        record: Array,
    ) -> None:
        # pull (k, 4): time, force x, y, z at the centre of mass, linear between its
        # rows
        segment = 0
        force = np.zeros(3)
        for step in range(steps):
            time = step * dt
            wrench = foot(
                points,
                memory,
                memory,
                rotation,
                position,
                velocity,
                spin,
                terrain,
                law,
                dt,
            )
            if step % every == 0:
                note(record[step // every], time, position, velocity, rotation, wrench)
            while segment < pull.shape[0] - 2 and time >= pull[segment + 1, 0]:
                segment += 1
            share = (time - pull[segment, 0]) / (
                pull[segment + 1, 0] - pull[segment, 0]
            )
            share = min(max(share, 0.0), 1.0)
            for k in range(3):
                force[k] = pull[segment, k + 1] + share * (
                    pull[segment + 1, k + 1] - pull[segment, k + 1]
                )
            move(wrench, force, body, gravity, position, rotation, velocity, spin, dt)

    return run


def simulate(
    law: ContactLaw,
    terrain: Terrain,
    points: Array,
    body: FreeBodyConfig,
    *,
    position: tuple[float, float, float],
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
    pull: Array | None = None,
    duration: float,
    dt: float = 1.0e-4,
    every: int = 1,
) -> Motion:
    """Drop, push and pull a rigid body.

    Args:
        law: of every point.
        terrain: height and mu of the ground.
        points: (n, 3) contact points from the centre of mass, in the body [m].
        body: mass and inertia.
        position: (3,) of the centre of mass [m].
        velocity: (3,) of the centre of mass [m/s].
        rotation: (3, 3) from body to world; None: the identity.
        pull: (k, 4) rows of time [s] and force [N] at the centre of mass, linear
            between, constant outside.
        duration: [s].
        dt: integration step [s].
        every: samples between two records.
    """
    if points.ndim != 2 or points.shape[0] < 1 or points.shape[1] != 3:
        raise InvalidParameter("points", points.shape, "an array (n, 3) with n >= 1")
    mass = body.mass / len(points)
    check_time_step(law, mass, mass * GRAVITY, float(terrain.mu.max()), dt)
    steps = round(duration / dt)
    record = np.empty((-(-steps // every), 21))
    state = np.array(position, dtype=float)
    force = (
        np.array([[0.0] * 4, [1.0, 0.0, 0.0, 0.0]])
        if pull is None
        else np.asarray(pull, dtype=float)
    )
    turned = np.eye(3) if rotation is None else np.array(rotation, dtype=float)
    body_on(foot_wrench(law))(
        np.ascontiguousarray(points, dtype=float),
        fresh_memory(len(points)),
        state,
        turned,
        np.array(velocity, dtype=float),
        np.zeros(3),
        body.packed,
        force,
        GRAVITY,
        terrain,
        law.packed,
        dt,
        steps,
        every,
        record,
    )
    if not np.all(np.isfinite(state)) or np.abs(state - position).max() > FARTHEST:
        raise SimulationDiverged(
            "distance from the start [m]",
            float(np.abs(state).max()),
            FARTHEST,
            duration,
        )
    return Motion(
        time=record[:, 0],
        position=record[:, 1:4],
        velocity=record[:, 4:7],
        rotation=record[:, 7:16].reshape(-1, 3, 3),
        force=record[:, 16:19],
        normal=record[:, 19],
        tangential=record[:, 20],
    )


# The same two tests for every law: a drop, and a pull to slip and release; and what a
# step of each law costs.

# [kg], [-], [s]
MASS = 4.0
MU = 0.5
STEP = 5.0e-5
LOAD = MASS * GRAVITY / 4.0  # [N] on each of four points
CORNERS = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
DROP_HEIGHT = 0.02  # [m]
# [of the weight], [s], [s]
PULL_END = 1.1
PULL_TIME = 0.8
HOLD_TIME = 1.0
BODY = FreeBodyConfig(MASS, rotates=False)
STEPS_TIMED = 20_000


class Cost(NamedTuple):
    """Processor time of one contact law."""

    name: str
    point: float  # [ns] per point of an 18-point foot
    foot: float  # [us] per step of that foot


def drop_test(name: str) -> Motion:
    """Drop a 4 kg body on four points by 2 cm onto a normal law."""
    law = ContactLaw(normal_law(name)(), friction_law("elasto_plastic")())
    start = (0.0, 0.0, DROP_HEIGHT)
    return simulate(
        law,
        slope(0.0, MU),
        CORNERS,
        BODY,
        position=start,
        duration=0.4,
        dt=STEP,
        every=4,
    )


def pull_test(name: str) -> Motion:
    """Pull the same body at rest, then release it, on a friction law; mu = 0.5.

    The pull rises up to 1.1 times its weight.
    """
    law = ContactLaw(normal_law("hunt_crossley")(), friction_law(name)())
    top = PULL_END * MASS * GRAVITY
    pull = np.array(
        [
            [0.0, 0, 0, 0],
            [PULL_TIME, top, 0, 0],
            [PULL_TIME + 1e-3, 0, 0, 0],
            [HOLD_TIME, 0, 0, 0],
        ]
    )
    rest = law.normal.steady_penetration(LOAD)
    return simulate(
        law,
        slope(0.0, MU),
        CORNERS,
        BODY,
        position=(0.0, 0.0, -rest),
        pull=pull,
        duration=1.4,
        dt=STEP,
        every=4,
    )


def hold_test(name: str) -> tuple[float, float, float]:
    """Hold a body with half of mu times the weight for 5 s, then release it.

    The test is of presliding and creep.

    Returns:
        Displacement [m] under the load, its drift [m/s] over the last third,
        displacement that stays after release.
    """
    law = ContactLaw(normal_law("hunt_crossley")(), friction_law(name)())
    load = 0.5 * MU * MASS * GRAVITY
    end = 6.0
    pull = np.array(
        [
            [0.0, 0, 0, 0],
            [1.0, load, 0, 0],
            [end, load, 0, 0],
            [end + 0.5, 0, 0, 0],
            [end + 9.0, 0, 0, 0],
        ]
    )
    rest = law.normal.steady_penetration(LOAD)
    motion = simulate(
        law,
        slope(0.0, MU),
        CORNERS,
        BODY,
        position=(0.0, 0.0, -rest),
        pull=pull,
        duration=end + 1.5,
        dt=1e-4,
        every=10,
    )
    x = motion.position[:, 0]
    held = round(end / 1e-3) - 1
    before = round(2.0 * end / 3.0 / 1e-3)
    return float(x[held]), float((x[held] - x[before]) / (end / 3.0)), float(x[-1])


def repeated(foot: FootContact) -> Callable[..., float]:
    """Compute the wrench of a foot many times in one call."""

    @kernel
    def repeat(
        count: int,
        points: Array,
        memory: Array,
        pose: Array,
        height: Array,
        speed: Array,
        spin: Array,
        terrain: Terrain,
        law: PointLaw,
    ) -> float:
        total = 0.0
        for k in range(count):
            speed[0] = 0.01 * (
                (k % 100) - 50
            )  # back and forth: no law stays in one branch
            total += foot(
                points, memory, memory, pose, height, speed, spin, terrain, law, 1e-5
            ).force_z
        return total

    return repeat


@cache
def cost(normal: str, friction: str) -> Cost:
    """Measure the processor time of a compiled step of an 18-point foot.

    It is the best of five.
    """
    parameters = BRUNEAU_NORMAL if friction == "bruneau" else {}
    law = ContactLaw(normal_law(normal)(**parameters), friction_law(friction)())
    points = sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 6, 3)
    run = repeated(foot_wrench(law))
    height = np.array([0.0, 0.0, -law.normal.steady_penetration(LOAD)])
    arguments = (
        points,
        fresh_memory(18),
        np.eye(3),
        height,
        np.zeros(3),
        np.zeros(3),
        slope(0.0, MU),
        law.packed,
    )
    run(10, *arguments)
    best = np.inf
    for _ in range(5):
        begin = time.process_time()
        run(STEPS_TIMED, *arguments)
        best = min(best, time.process_time() - begin)
    return Cost(
        f"{normal} + {friction}",
        1e9 * best / STEPS_TIMED / len(points),
        1e6 * best / STEPS_TIMED,
    )
