# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rengifo et al.'s biped walks five steps (C.3): false impacts under the standing foot.

They are shown without and with resting depth.

Fourteen joints, eight contact points, k_p = 500, k_v = 250 as printed; the paper's gait
is not, so the pattern is ours. A false impact is a point of the foot that alone carries
the robot coming or going: nothing physical lifts it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.feedback_linearised import (
    ContactSpace,
    FeedbackConfig,
    contact_space,
    linearising_forces,
)
from biped_slip.robots.humanoid import load_humanoid
from studies.papers.gait import FlatGaitConfig
from studies.papers.motion import (
    ContactRule,
    PointForces,
    RigidDemand,
    Stepped,
    WholeMotion,
    landings,
    part_of_points,
    rigid_demand,
    walk_stepped,
    whole_motion,
)
from studies.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "rengifo"
# choice
GAIT = FlatGaitConfig(
    steps=5, step=0.2, swing=0.5, double_support=0.2, rest=0.2, shift=0.5
)
# [s], [-] (choices)
STEP = 1e-3
MU = 0.7
RESTING = (0.0, -1e-6, -1e-4)  # heights [m]: none, as printed but for its sign, deeper
LANDING = 0.05  # [s] after a touchdown
FLIGHT = 0.1  # [s] of a foot in the air that makes a step


@kernel
def ball_force(
    mass: float, gravity: float, height: float, rate: float, k_p: float, k_v: float
) -> float:
    """Compute the normal force of the bouncing ball (3)–(4) [N], clamped (C.1)."""
    if height > 0.0:
        return 0.0
    return max(0.0, mass * gravity + mass * (-k_p * height - k_v * min(0.0, rate)))


@kernel
def brick_friction(
    mass: float, gravity: float, angle: float, rate: float, mu: float, k_v: float
) -> float:
    """Friction up the ramp on a brick that slides down at ``rate`` (8) [N] (C.2)."""
    wanted = mass * gravity * math.sin(angle) + mass * k_v * rate
    return math.copysign(
        min(abs(wanted), mu * mass * gravity * math.cos(angle)), wanted
    )


def restitution(k_p: float, k_v: float) -> float:
    """Return the ratio of rebound to impact speed without gravity (C.1).

    It is exp(−zeta/sqrt(1 − zeta²) arccos zeta).

    For zeta = k_v/(2 sqrt k_p) >= 1 the same expression continues with the hyperbolic
    functions.
    """
    if k_p == 0.0:
        return 0.0
    zeta = 0.5 * k_v / math.sqrt(k_p)
    if zeta < 1.0:
        return math.exp(-zeta / math.sqrt(1.0 - zeta * zeta) * math.acos(zeta))
    if zeta == 1.0:
        return math.exp(-1.0)
    return math.exp(-zeta / math.sqrt(zeta * zeta - 1.0) * math.acosh(zeta))


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
    """Walk on the feedback-linearised contact."""
    humanoid = load_humanoid("two_sole_biped")
    course = reference()
    return walk_stepped(
        humanoid, course.motion, course.demand, linearised(resting_height), sunk=1e-6
    )


def linearised(resting_height: float) -> ContactRule:
    """Compute the forces (16)-(20) on the points at or below the floor."""
    config = FeedbackConfig(resting_height=resting_height)

    def rule(
        space: ContactSpace, height: Array, velocity: Array, dt: float
    ) -> PointForces:
        forces = np.zeros_like(velocity)
        touching = height <= 0.0
        down = np.flatnonzero(touching)
        if len(down):
            forces[down] = linearising_forces(
                part_of_points(space, down),
                height[down],
                velocity[down],
                np.full(len(down), MU),
                config.k_p,
                config.k_v,
                config.resting_height,
                config.rank_tolerance,
            )
        return PointForces(np.zeros_like(forces), forces, touching)

    return rule


def false_impacts(walk: Stepped) -> int:
    """Count how often a point of a foot that alone carries the robot comes or goes.

    Landings are left out.
    """
    share = reference().motion.pattern.share
    count = 0
    settle = round(LANDING / STEP)
    for foot in range(2):
        alone = share[:, foot] == 1.0
        alone[settle:] &= share[:-settle, foot] == 1.0
        changed = (
            np.diff(walk.touching[:, 4 * foot : 4 * foot + 4].astype(int), axis=0) != 0
        )
        count += int(changed[alone[1:]].sum())
    return count


def _walk_rows() -> list[Row]:
    """Five steps, and what happens under the standing foot."""
    walks = {height: walked(height) for height in RESTING}
    printed = walks[-1e-6]
    deep = walks[-1e-4]
    counts = {height: false_impacts(walk) for height, walk in walks.items()}
    return [
        row(
            PAPER,
            "walk: steps",
            len(landings(printed.touching, round(FLIGHT / STEP))),
            printed=5.0,
        ),
        row(PAPER, "walk: false impacts without a resting depth", counts[0.0]),
        row(
            PAPER,
            "walk: false impacts happen without a resting depth",
            float(counts[0.0] > 0),
            printed=1.0,
        ),
        row(PAPER, "walk: false impacts, eps = -1e-06 m", counts[-1e-6], printed=0.0),
        row(
            PAPER,
            "walk: part of the false impacts that eps = -0.0001 m leaves",
            counts[-1e-4] / max(counts[0.0], 1),
            expected=0.0,
            absolute=0.05,
        ),
        row(
            PAPER, "walk: landing force over the rigid soles'", _landing_force(printed)
        ),
        row(
            PAPER,
            "walk: normal force on one foot against the rigid soles', rms over weight",
            _difference(deep),
            expected=0.0,
            absolute=0.05,
        ),
    ]


def _landing_force(walk: Stepped) -> float:
    """Return the largest normal force of a foot shortly after it lands.

    It is over the constraint's then, and the mean over the landings is taken.
    """
    rigid = reference().demand.wrenches[:, :, 2]
    after = round(LANDING / STEP)
    ratios = [
        float(
            walk.foot_forces[k : k + after, foot, 2].max()
            / rigid[: k + after, foot][-after:].max()
        )
        for foot, k in landings(walk.touching, round(FLIGHT / STEP))
        if rigid[k : k + after, foot].max() > 1.0
    ]
    return float(np.mean(ratios))


def _difference(walk: Stepped) -> float:
    """Compare a foot's normal force with the constraint's, rms in body weights.

    The foot is the one that alone carries the robot.
    """
    rigid = reference().demand.wrenches[:, :, 2]
    alone = reference().motion.pattern.share == 1.0
    found = walk.foot_forces[:, :, 2]
    return (
        float(np.sqrt(np.mean((found - rigid)[alone] ** 2)))
        / load_humanoid("two_sole_biped").weight
    )


def figures() -> tuple[Figure, ...]:
    """Draw the normal force of the right foot and the heights of its points.

    They are drawn as in figures 12 to 14.
    """
    time = reference().motion.pattern.time
    rigid = reference().demand.wrenches[:, 1, 2]
    names = {height: f"eps = {height:g} m" for height in RESTING}
    forces = [
        Curve(names[height], time, walked(height).foot_forces[:, 1, 2])
        for height in RESTING
    ]
    heights = [
        Curve(
            names[height], time, 1e3 * walked(height).place[:, 4, 2].clip(-1e-3, 1e-3)
        )
        for height in RESTING
    ]
    return (
        Figure(
            name="rengifo-walk-force",
            title="Five steps: right foot",
            x_label="time [s]",
            y_label="normal force [N]",
            curves=(*forces, Curve("rigid soles", time, rigid)),
        ),
        Figure(
            name="rengifo-walk-height",
            title="Five steps: a corner of the right foot, within 1 mm of the floor",
            x_label="time [s]",
            y_label="height [mm]",
            curves=tuple(heights),
        ),
    )


# Rengifo's contact (C): bouncing ball, brick on a ramp, planar foot at rest, a biped
# that walks five steps.

HEIGHT = 1.0  # [m] of the ball's drop (C.1, choice there)
# the brick on its ramp (C.2)
SLOPE = math.radians(20.0)
RENGIFO_MU = 0.8
BRICK_GAIN = 250.0
K_V = 5000.0  # [1/s] of the ball's figures (C.1)


class RestingFoot(NamedTuple):
    """Normal force (n,) [N] over time, and how often a point came or went."""

    time: Array
    normal: Array
    changes: int


@kernel
def _resting_foot(resting_height: float, dt: float, steps: int) -> tuple[Array, int]:
    """Model a planar foot as a body with (x, z, pitch).

    It has 5 kg, points at ±0.12 m, and its centre of mass 0.05 m up.
    """
    half = 0.12
    up = 0.05
    mass = 5.0
    inertia = 5.0 * (0.24 * 0.24 + 0.1 * 0.1) / 12.0
    q = np.array([0.0, up, 0.0])
    v = np.zeros(3)
    masses = np.diag(np.array([mass, mass, inertia]))
    normals = np.empty(steps)
    changes = 0
    before = 3
    for k in range(steps):
        load = 20.0 * math.sin(2.0 * math.pi * 2.0 * k * dt)
        c = math.cos(q[2])
        s = math.sin(q[2])
        touching = np.zeros(2, dtype=np.int64)
        state = 0
        count = 0
        for i in range(2):
            x = half if i == 0 else -half
            if q[1] + s * x - c * up <= 0.0:
                touching[count] = i
                count += 1
                state += 1 + i
        changes += state != before
        before = state
        force = np.array([0.0, -mass * GRAVITY - load, 0.0])
        total = 0.0
        if count > 0:
            jacobian = np.zeros((3 * count, 3))
            drift = np.zeros(3 * count)
            height = np.empty(count)
            velocity = np.zeros((count, 3))
            for j in range(count):
                x = half if touching[j] == 0 else -half
                rx = c * x + s * up
                rz = s * x - c * up
                jacobian[3 * j] = np.array([1.0, 0.0, -rz])
                jacobian[3 * j + 2] = np.array([0.0, 1.0, rx])
                drift[3 * j], drift[3 * j + 2] = -rx * v[2] * v[2], -rz * v[2] * v[2]
                height[j] = q[1] + rz
                velocity[j] = jacobian[3 * j : 3 * j + 3] @ v
            space = contact_space(masses, force, np.zeros(3), jacobian, drift)
            forces = linearising_forces(
                space,
                height,
                velocity,
                np.full(count, 0.7),
                500.0,
                250.0,
                resting_height,
                1e-10,
            )
            force = force + jacobian.T @ forces.copy().reshape(-1)
            total = np.sum(forces[:, 2])
        normals[k] = total
        v = v + force / np.array([mass, mass, inertia]) * dt
        q = q + v * dt
    return normals, changes


def planar_foot_at_rest(
    resting_height: float, dt: float, seconds: float = 3.0
) -> RestingFoot:
    """Measure the table of C.3: a foot at rest under a load 20 sin(2 pi 2 t) N.

    The steps are semi-implicit Euler.
    """
    steps = round(seconds / dt)
    normal, changes = _resting_foot(resting_height, dt, steps)
    return RestingFoot(dt * np.arange(steps, dtype=float), normal, int(changes))


@kernel
def _bounce(
    k_p: float,
    k_v: float,
    gravity: float,
    speed: float,
    dt: float,
    steps: int,
    trace: Array,
) -> tuple[float, float]:
    """Return rebound speed [m/s] and contact time [s] of a 1 kg ball.

    The trace (n, 2) takes height and force.
    """
    z = 0.0
    v = -speed
    k = 0
    while z <= 0.0 and k < steps:
        force = ball_force(1.0, gravity, z, v, k_p, k_v)
        if k < trace.shape[0]:
            trace[k, 0] = z
            trace[k, 1] = force
        v += (force - gravity) * dt
        z += v * dt
        k += 1
    return v, k * dt


@kernel
def _slide(speed: float, dt: float, steps: int, trace: Array) -> None:
    """Simulate the brick's speed, place and friction over time, trace (n, 3)."""
    v = speed
    x = 0.0
    for k in range(steps):
        friction = brick_friction(1.0, GRAVITY, SLOPE, v, RENGIFO_MU, BRICK_GAIN)
        trace[k, 0] = v
        trace[k, 1] = x
        trace[k, 2] = friction
        v += (GRAVITY * math.sin(SLOPE) - friction) * dt
        x += v * dt


def _ball_rows() -> list[Row]:
    rows = []
    none = np.empty((0, 2))
    for k_p, k_v, e in (
        (1.0, 5000.0, 2.00e-4),
        (5.0, 5000.0, 4.47e-4),
        (500.0, 250.0, 0.0867),
        (1e4, 100.0, 0.5463),
        (1e6, 0.0, 1.0),
    ):
        rebound, _ = _bounce(k_p, k_v, 0.0, 1.0, 1e-6, 4_000_000, none)
        case = f"ball, k_p = {k_p:g}, k_v = {k_v:g}"
        rows.append(row(PAPER, f"{case}: restitution", rebound, expected=e))
        rows.append(
            row(
                PAPER,
                f"{case}: restitution by formula",
                restitution(k_p, k_v),
                expected=e,
            )
        )
    for k_p, seconds in ((1.0, 1.574), (5.0, 0.706)):
        _, contact = _bounce(k_p, K_V, 0.0, 1.0, 1e-6, 4_000_000, none)
        rows.append(
            row(
                PAPER,
                f"ball, k_p = {k_p:g}, k_v = 5000: contact time",
                contact,
                expected=seconds,
                unit="s",
            )
        )
    speed = math.sqrt(2.0 * GRAVITY * HEIGHT)
    for k_p in (0.0, 1.0, 5.0):
        trace = np.zeros((20_000, 2))
        _bounce(k_p, K_V, GRAVITY, speed, 1e-7, len(trace), trace)
        case = f"ball from 1 m, k_p = {k_p:g}"
        rows.append(
            row(
                PAPER,
                f"{case}: peak force",
                trace[:, 1].max(),
                expected=22157.0,
                unit="N",
            )
        )
        rows.append(
            row(
                PAPER,
                f"{case}: deepest sink",
                -1e3 * trace[:, 0].min(),
                expected=0.886,
                unit="mm",
            )
        )
    return rows


def _brick_rows() -> list[Row]:
    trace = np.empty((400_000, 3))
    _slide(1.0, 1e-5, len(trace), trace)
    threshold = GRAVITY / BRICK_GAIN * (RENGIFO_MU * math.cos(SLOPE) - math.sin(SLOPE))
    return [
        row(
            PAPER, "brick: velocity threshold", threshold, expected=0.01608, unit="m/s"
        ),
        row(PAPER, "brick: stops after", trace[-1, 1], expected=0.1244, unit="m"),
        row(PAPER, "brick: friction at rest", trace[-1, 2], expected=3.355, unit="N"),
    ]


# resting height [m], step [s], contact changes, min and max F_n [N]; C.3
RENGIFO_RESTING = (
    (1e-6, 1e-4, 78, 0.00, 70.5),
    (0.0, 1e-4, None, 10.6, 71.0),
    (-1e-6, 1e-4, 0, 29.05, 69.05),
    (-1e-5, 1e-4, 0, 29.05, 69.05),
    (-1e-4, 1e-4, 0, 29.05, 69.05),
    (1e-6, 1e-3, 70, 0.00, 85.1),
    (0.0, 1e-3, None, 10.5, 87.7),
    (-1e-6, 1e-3, 0, 29.05, 69.05),
)


def _foot_rows() -> list[Row]:
    rows = []
    for height, dt, changes, low, high in RENGIFO_RESTING:
        foot = planar_foot_at_rest(height, dt)
        case = f"foot at rest, eps = {height:g} m, step {dt:g} s"
        # for eps = 0 round-off decides how often the foot rolls on its two points
        if changes is not None:
            rows.append(
                row(PAPER, f"{case}: contact changes", foot.changes, expected=changes)
            )
        rows.append(
            row(
                PAPER,
                f"{case}: lowest F_n",
                foot.normal.min(),
                expected=low,
                unit="N",
                absolute=0.1,
            )
        )
        rows.append(
            row(
                PAPER,
                f"{case}: highest F_n",
                foot.normal.max(),
                expected=high,
                unit="N",
            )
        )
    keeping = [
        height
        for height in (1e-6, -1e-6)
        if planar_foot_at_rest(height, 1e-4).changes == 0
    ]
    rows.append(
        row(
            PAPER,
            "resting height eps that keeps contact",
            keeping[0],
            printed=1e-6,
            unit="m",
        )
    )
    return rows


def _figures() -> tuple[Figure, ...]:
    speed = math.sqrt(2.0 * GRAVITY * HEIGHT)
    curves = []
    dt = 1e-5
    for k_p in (0.0, 1.0, 5.0):
        trace = np.zeros((150_000, 2))
        _bounce(k_p, K_V, GRAVITY, speed, dt, len(trace), trace)
        curves.append(
            Curve(
                f"k_p = {k_p:g}", dt * np.arange(len(trace))[::50], 1e3 * trace[::50, 0]
            )
        )
    slide = np.empty((30_000, 3))
    _slide(1.0, 1e-5, len(slide), slide)
    time = 1e-5 * np.arange(len(slide))
    feet = [(h, planar_foot_at_rest(h, 1e-4)) for h in (1e-6, 0.0, -1e-6)]
    resting = tuple(
        Curve(f"eps = {h:g} m", foot.time[:10_000], foot.normal[:10_000])
        for h, foot in feet
    )
    return (
        Figure(
            name="rengifo-ball",
            title="Ball dropped from 1 m, k_v = 5000 1/s",
            x_label="time [s]",
            y_label="height [mm]",
            curves=tuple(curves),
        ),
        Figure(
            name="rengifo-brick",
            title="Brick on a 20 degree ramp",
            x_label="time [s]",
            y_label="speed [m/s], friction [10 N]",
            curves=(
                Curve("speed", time, slide[:, 0]),
                Curve("friction", time, 0.1 * slide[:, 2]),
            ),
        ),
        Figure(
            name="rengifo-foot",
            title="Planar foot at rest under a known load",
            x_label="time [s]",
            y_label="normal force [N]",
            curves=resting,
        ),
    )


def reproduce() -> Reproduction:
    """All rows and figures of ball, brick, foot and biped."""
    rows = (*_ball_rows(), *_brick_rows(), *_foot_rows(), *_walk_rows())
    source = "Rengifo et al., A penalty-based approach for contact forces, 2009 (C)"
    return Reproduction(PAPER, source, rows, (*_figures(), *figures()))
