# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A free body under any contact law, and the tests that compare laws.

A rigid body with contact points falls, is pushed and pulled: M dv/dt = F + M g, and
Euler's equations for its rotation, by semi-implicit Euler. The tests are a drop of 2 cm
(normal laws), a pull to slip and release, and half of mu F_n held for seconds (friction
laws). Comparisons and the papers' pages use it; no walk does. In time::

    drop   in the air ... touchdown .... depth at rest
    pull   force rises ..... slip | release ....... rest
    hold   force rises | held for 5 s: creep | release: what stays
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
    SoleMovement,
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


class RecordedMotion(NamedTuple):
    """Recorded samples of one run; n samples."""

    time: Array  # (n,) [s]
    position: Array  # (n, 3) of the centre of mass [m]
    velocity: Array  # (n, 3) [m/s]
    rotation: Array  # (n, 3, 3) body to world
    force: Array  # (n, 3) of the ground on the body [N]
    normal: Array  # (n,) sum over the points [N]
    tangential: Array  # (n,) [N]


class BodyState(NamedTuple):
    """Buffers of the body's motion, which a step overwrites."""

    position: Array  # (3,) of the centre of mass [m]
    rotation: Array  # (3, 3) body to world
    velocity: Array  # (3,) [m/s]
    spin: Array  # (3,) angular velocity in the world [rad/s]


class FreeBodyFloor(NamedTuple):
    """Ground and the law of every contact point."""

    terrain: Terrain
    law: PointLaw


class Clock(NamedTuple):
    """Steps of a run."""

    dt: float  # [s]
    steps: int
    every: int  # steps between two records


@kernel
def turn(moment: Array, inertia: Array, state: BodyState, dt: float) -> None:
    """Turn a body under a moment (3,) in the world [N m], by Euler's equations.

    Args: inertia (3,) principal moments [kg m^2].
    """
    rotation = state.rotation
    local = rotation.T @ state.spin
    gyro = np.cross(local, inertia * local)
    local = local + (rotation.T @ moment - gyro) / inertia * dt
    state.spin[:] = rotation @ local
    angle = math.sqrt(np.sum(local * local)) * dt
    if angle > 0.0:
        x, y, z = local * dt / angle
        s = math.sin(angle)
        c = 1.0 - math.cos(angle)
        skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        rotation[:] = rotation @ (np.eye(3) + s * skew + c * (skew @ skew))


@kernel
def move(
    wrench: FootWrench, force: Array, body: Any, state: BodyState, dt: float
) -> None:
    """Move a body under a foot's wrench and a force (3,) at its centre of mass [N].

    The integration is semi-implicit Euler.
    """
    velocity = state.velocity
    lift = wrench.force_z - body.mass * GRAVITY
    velocity[0] += (force[0] + wrench.force_x) / body.mass * dt
    velocity[1] += (force[1] + wrench.force_y) / body.mass * dt
    velocity[2] += (force[2] + lift) / body.mass * dt
    for k in range(3):
        state.position[k] += velocity[k] * dt
    if body.rotates:
        moment = np.array([wrench.moment_x, wrench.moment_y, wrench.moment_z])
        inertia = np.array([body.inertia[0], body.inertia[1], body.inertia[2]])
        turn(moment, inertia, state, dt)


@kernel
def note(row: Array, time: float, state: BodyState, wrench: FootWrench) -> None:
    """Fill a sample (21,) of a run."""
    row[0] = time
    row[1:4] = state.position
    row[4:7] = state.velocity
    row[7:16] = state.rotation.ravel()
    row[16] = wrench.force_x
    row[17] = wrench.force_y
    row[18] = wrench.force_z
    row[19] = wrench.normal
    row[20] = wrench.tangential


@kernel
def pull_at(time: float, segment: int, pull: Array, force: Array) -> int:
    """Fill the force (3,) of a pull at a time, and return the segment it lies in.

    Args: segment of the last call, 0 at first; pull (k, 4) rows of time [s] and force
    [N], linear between them.
    """
    while segment < pull.shape[0] - 2 and time >= pull[segment + 1, 0]:
        segment += 1
    share = (time - pull[segment, 0]) / (pull[segment + 1, 0] - pull[segment, 0])
    share = min(max(share, 0.0), 1.0)
    for k in range(3):
        force[k] = pull[segment, k + 1] + share * (
            pull[segment + 1, k + 1] - pull[segment, k + 1]
        )
    return segment


#: (points, memory, state, body, pull, floor, clock, record)
Run = Callable[[Array, Array, BodyState, Any, Array, FreeBodyFloor, Clock, Array], None]


def body_on(foot: FootContact) -> Run:
    """Compile the run of a body on a foot.

    What does not depend on the law is compiled once for all of them.
    """

    @kernel
    def run(
        points: Array,
        memory: Array,
        state: BodyState,
        body: Any,
        pull: Array,
        floor: FreeBodyFloor,
        clock: Clock,
        record: Array,
    ) -> None:
        segment = 0
        force = np.zeros(3)
        motion = SoleMovement(
            rotation=state.rotation,
            position=state.position,
            velocity=state.velocity,
            angular_velocity=state.spin,
        )
        for step in range(clock.steps):
            time = step * clock.dt
            wrench = foot(
                points, memory, memory, motion, floor.terrain, floor.law, clock.dt
            )
            if step % clock.every == 0:
                note(record[step // clock.every], time, state, wrench)
            segment = pull_at(time, segment, pull, force)
            move(wrench, force, body, state, clock.dt)

    return run


NO_PULL = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])


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
) -> RecordedMotion:
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

    Raises:
        InvalidParameter: points of another shape, or a step too long for the law.
        SimulationDiverged: the body has gone to infinity.
    """
    if points.ndim != 2 or points.shape[0] < 1 or points.shape[1] != 3:
        raise InvalidParameter("points", points.shape, "an array (n, 3) with n >= 1")
    mass = body.mass / len(points)
    check_time_step(law, mass, mass * GRAVITY, float(terrain.mu.max()), dt)
    clock = Clock(dt=dt, steps=round(duration / dt), every=every)
    record = np.empty((-(-clock.steps // every), 21))
    state = BodyState(
        position=np.array(position, dtype=float),
        rotation=np.eye(3) if rotation is None else np.array(rotation, dtype=float),
        velocity=np.array(velocity, dtype=float),
        spin=np.zeros(3),
    )
    body_on(foot_wrench(law))(
        np.ascontiguousarray(points, dtype=float),
        fresh_memory(len(points)),
        state,
        body.packed,
        NO_PULL if pull is None else np.asarray(pull, dtype=float),
        FreeBodyFloor(terrain, law.packed),
        clock,
        record,
    )
    check_place(state.position, np.array(position), duration)
    return motion_of(record)


def motion_of(record: Array) -> RecordedMotion:
    """Read the samples (n, 21) of a run."""
    return RecordedMotion(
        time=record[:, 0],
        position=record[:, 1:4],
        velocity=record[:, 4:7],
        rotation=record[:, 7:16].reshape(-1, 3, 3),
        force=record[:, 16:19],
        normal=record[:, 19],
        tangential=record[:, 20],
    )


def check_place(end: Array, start: Array, duration: float) -> None:
    """Refuse a body that has gone to infinity.

    Raises:
        SimulationDiverged: its place (3,) is not finite, or 1 km from the start (3,).
    """
    if not np.all(np.isfinite(end)) or np.abs(end - start).max() > FARTHEST:
        raise SimulationDiverged(
            "distance from the start [m]", float(np.abs(end).max()), FARTHEST, duration
        )


# The same two tests for every law: a drop, and a pull to slip and release; and what a
# step of each law costs.

MASS = 4.0  # [kg]
MU = 0.5  # [-]
TIME_STEP = 5.0e-5  # [s]
LOAD = MASS * GRAVITY / 4.0  # [N] on each of four points
CORNERS = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
DROP_HEIGHT = 0.02  # [m]
PULL_END = 1.1  # of the weight
PULL_TIME = 0.8  # [s] until the pull is that large
HOLD_TIME = 1.0  # [s] that it is held
BODY = FreeBodyConfig(MASS, rotates=False)
STEPS_TIMED = 20_000


class Cost(NamedTuple):
    """Processor time of one contact law."""

    name: str
    point: float  # [ns] per point of an 18-point foot
    foot: float  # [us] per step of that foot


def drop_test(name: str) -> RecordedMotion:
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
        dt=TIME_STEP,
        every=4,
    )


def pull_test(name: str) -> RecordedMotion:
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
        dt=TIME_STEP,
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
        motion: SoleMovement,
        floor: FreeBodyFloor,
    ) -> float:
        total = 0.0
        for k in range(count):
            # back and forth: no law stays in one branch
            motion.velocity[0] = 0.01 * ((k % 100) - 50)
            wrench = foot(
                points, memory, memory, motion, floor.terrain, floor.law, 1e-5
            )
            total += wrench.force_z
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
    motion = SoleMovement(
        rotation=np.eye(3),
        position=np.array([0.0, 0.0, -law.normal.steady_penetration(LOAD)]),
        velocity=np.zeros(3),
        angular_velocity=np.zeros(3),
    )
    floor = FreeBodyFloor(slope(0.0, MU), law.packed)
    arguments = (points, fresh_memory(18), motion, floor)
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
