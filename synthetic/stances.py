# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances: how a foot is loaded, and what its sensors say of it.

An estimator that follows the stances is here, too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    IntervalConfig,
    MotionNoise,
    SoleModel,
)
from biped_slip.friction_estimation.interval.estimator import LIGHT_SHARE
from biped_slip.friction_estimation.interval.grid import (
    Block,
    Filters,
    Model,
    SolePrior,
    forget_load,
)
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import ratio_sigma, update
from synthetic import contacts
from synthetic.contacts import Contact

# Random stances of a walking foot: load, force ratio and true motion (study 2).

PERIOD = 1e-3  # [s], 1 kHz
SAMPLES = 600


class Stances(NamedTuple):
    """A batch of stances, sampled at 1 kHz.

    Forces have the sign of the sliding motion.
    """

    mu: AnyArray  # true static coefficient, shape (stances,)
    s_p: AnyArray  # [m], shape (stances,)
    length: AnyArray  # samples in contact, shape (stances,), integer
    kind: AnyArray  # loading profile, shape (stances,), integer
    ratio: AnyArray  # true force ratio, shape (stances, samples, 2)
    normal: AnyArray  # true normal force [N], shape (stances, samples)
    displacement: AnyArray  # true [m], shape (stances, samples, 2)

    @property
    def share(self) -> AnyArray:
        """|u|/mu at every sample, shape (stances, samples)."""
        return np.hypot(self.ratio[..., 0], self.ratio[..., 1]) / self.mu[:, None]


class StanceKind(NamedTuple):
    """What is drawn and what is fixed.

    A fixed value overwrites its draw, so that the others stay the same.
    """

    planar: bool = False  # two axes
    largest_share: float = 0.95  # peak of |u|/mu
    law: contacts.Law = contacts.FIRST_ORDER
    mu: float | tuple[float, float] = (0.1, 1.2)
    s_p: float | tuple[float, float] | AnyArray = (0.2e-3, 3e-3)  # [m]
    load: float | tuple[float, float] = (250.0, 500.0)  # [N]
    duration: float | tuple[float, float] = (0.3, 0.6)  # [s]
    profile: int | None = None


def draw(rng: np.random.Generator, count: int, kind: StanceKind) -> Stances:
    """Draw stances in the study's order, so that its seeds give its stances."""
    duration = _uniform(rng, count, kind.duration)
    load = _uniform(rng, count, kind.load)
    mu = _log_uniform(rng, count, kind.mu)
    s_p = _log_uniform(rng, count, kind.s_p)
    profile = rng.integers(0, 3, count)
    if kind.profile is not None:
        profile = np.full(count, kind.profile)
    heading = rng.uniform(0.0, 2.0 * math.pi, count)
    bow = rng.uniform(-0.3, 0.3, count)
    time = np.arange(SAMPLES) * PERIOD
    tau = time / duration[:, None]
    length = np.minimum(np.floor(duration / PERIOD).astype(np.int64), SAMPLES)
    normal = _normal_force(load, time, tau)
    ratio = np.zeros((count, SAMPLES, 2))
    ratio[..., 0] = _profile(profile, time, tau)
    if kind.planar:
        ratio[..., 1] = bow[:, None] * np.sin(math.pi * tau)
        ratio = _turned(ratio[..., 0], ratio[..., 1], heading)
    ratio = _up_to(ratio, kind.largest_share * mu, length)
    displacement = contacts.displacement(kind.law, ratio, normal, mu, s_p, PERIOD)
    return Stances(
        mu=mu,
        s_p=s_p,
        length=length,
        kind=profile,
        ratio=ratio,
        normal=normal,
        displacement=displacement,
    )


def _uniform(
    rng: np.random.Generator, count: int, limits: float | tuple[float, float] | AnyArray
) -> AnyArray:
    if isinstance(limits, tuple):
        return rng.uniform(limits[0], limits[1], count)
    rng.uniform(0.0, 1.0, count)
    return np.broadcast_to(np.asarray(limits, dtype=float), (count,)).copy()


def _log_uniform(
    rng: np.random.Generator, count: int, limits: float | tuple[float, float] | AnyArray
) -> AnyArray:
    if isinstance(limits, tuple):
        return np.exp(_uniform(rng, count, (math.log(limits[0]), math.log(limits[1]))))
    return _uniform(rng, count, limits)


def _turned(along: AnyArray, across: AnyArray, heading: AnyArray) -> AnyArray:
    """Return both components (stances, samples) in turned axes.

    The axes are turned by a heading (stances,) [rad].
    """
    cosine = np.cos(heading)[:, None]
    sine = np.sin(heading)[:, None]
    return np.stack(
        [cosine * along - sine * across, sine * along + cosine * across], -1
    )


def _up_to(ratio: AnyArray, largest: AnyArray, length: AnyArray) -> AnyArray:
    """Scale the force ratio's course to another peak (stances,) within the stance."""
    inside = np.arange(SAMPLES) < length[:, None]
    peak = np.max(np.hypot(ratio[..., 0], ratio[..., 1]) * inside, axis=1)
    return ratio * (largest / peak)[:, None, None]


def smooth(y: AnyArray) -> AnyArray:
    """S(y) = 3 y^2 - 2 y^3 on clipped y (study 2)."""
    y = np.clip(y, 0.0, 1.0)
    return 3.0 * y**2 - 2.0 * y**3


def _normal_force(load: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    dip = 1.0 - 0.2 * np.sin(math.pi * np.clip(tau, 0.0, 1.0)) ** 2
    stance = (
        1.15 * np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0) * dip
    )
    ringing = 0.3 * np.exp(-time / 0.015) * np.sin(2.0 * math.pi * 40.0 * time)
    return np.maximum(0.0, load[:, None] * (stance + ringing))


def _profile(kind: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    push = smooth(tau / 0.9)
    brake = -0.5 * np.sin(math.pi * np.clip(tau / 0.35, 0.0, 1.0))
    brake_push = np.where(tau < 0.35, brake, smooth((tau - 0.35) / 0.55))
    shaken = push * (0.92 + 0.08 * np.sin(2.0 * math.pi * 8.0 * time))
    touchdown = 0.15 * np.exp(-time / 0.02) * np.sin(2.0 * math.pi * 35.0 * time)
    return np.choose(kind[:, None], [push, brake_push, shaken]) + touchdown


# The study's sensors: what a foot observes of a true stance (study 2), and what the
# estimator is told of them.


class Sensors(NamedTuple):
    """One observation condition."""

    kind: str = "position"  # position, velocity or imu
    sigma: float = 5e-6  # [m] or [m/s]
    quantisation: float = 0.0  # [m]
    force_sigma: float = 1.0  # [N]
    force_offset: float = 0.0  # [N]
    latency: int = 0  # force behind motion [samples]
    noise_density: float = 1e-3  # [m/s^2/sqrt(Hz)]
    bias: float = 0.02  # [m/s^2]


class Observed(NamedTuple):
    """What the estimator gets, 1 kHz, with the sign of the sliding motion."""

    force: Array  # tangential [N], shape (stances, samples, 2)
    normal: Array  # [N], shape (stances, samples)
    displacement: Array  # [m], shape (stances, samples, 2)

    @property
    def ratio(self) -> Array:
        """Measured force ratio, shape (stances, samples, 2)."""
        return self.force / np.maximum(self.normal, 1.0)[..., None]


def observe(
    rng: np.random.Generator, stances: Stances, sensors: Sensors, planar: bool
) -> Observed:
    """Add the sensors' errors in the study's order; noise comes before the delay."""
    count = stances.mu.size
    noise = rng.standard_normal((count, SAMPLES, 5))
    offset = rng.uniform(-1.0, 1.0, (count, 3)) * sensors.force_offset
    force = (
        stances.ratio * stances.normal[..., None]
        + sensors.force_sigma * noise[..., :2]
        + offset[:, None, :2]
    )
    normal = stances.normal + sensors.force_sigma * noise[..., 2] + offset[:, None, 2]
    moved = _moved(rng, stances.displacement, noise[..., 3:], sensors)
    if not planar:
        force[..., 1] = moved[..., 1] = 0.0
    return Observed(
        _delayed(force, sensors.latency), _delayed(normal, sensors.latency), moved
    )


def _moved(
    rng: np.random.Generator, truth: Array, noise: Array, sensors: Sensors
) -> Array:
    if sensors.kind == "position":
        moved = truth + sensors.sigma * noise
        if sensors.quantisation > 0.0:
            dither = rng.uniform(0.0, 1.0, (truth.shape[0], 1, 2))
            moved = sensors.quantisation * np.round(
                moved / sensors.quantisation + dither
            )
        return moved
    velocity = np.diff(truth, axis=1, prepend=truth[:, :1]) / PERIOD
    if sensors.kind == "velocity":
        return np.cumsum(velocity + sensors.sigma * noise, axis=1) * PERIOD
    bias = rng.standard_normal((truth.shape[0], 1, 2)) * sensors.bias
    acceleration = np.diff(velocity, axis=1, prepend=velocity[:, :1]) / PERIOD
    acceleration = (
        acceleration + bias + sensors.noise_density / np.sqrt(2.0 * PERIOD) * noise
    )
    return np.cumsum(np.cumsum(acceleration, axis=1), axis=1) * PERIOD**2


def _delayed(signal: Array, samples: int) -> Array:
    if samples == 0:
        return signal
    return np.concatenate(
        [np.repeat(signal[:, :1], samples, axis=1), signal[:, :-samples]], axis=1
    )


def told(sensors: Sensors, planar: bool, sole: SoleModel) -> IntervalConfig:
    """Configure an estimator with the errors of the study's sensors."""
    return IntervalConfig(
        motion=MotionNoise(
            kind=sensors.kind,
            sigma=sensors.sigma,
            quantisation=sensors.quantisation,
            noise_density=sensors.noise_density,
            bias=sensors.bias,
            latency=sensors.latency * PERIOD,
        ),
        force=ForceNoise(sigma=sensors.force_sigma, offset=sensors.force_offset),
        sole=sole,
        axes=2 if planar else 1,
    )


# Stances of walking feet for the certificate: braking before pushing, human double
# humps, and contacts with memory.

PUSH, BRAKE, HUMAN, SWAY = range(4)  # how the force ratio runs


class Walk(NamedTuple):
    """What is drawn: ranges are uniform, those of mu and s_p in the logarithm.

    A single value is fixed.
    """

    contact: Contact = Contact()
    planar: bool = False
    mu: tuple[float, float] = (0.1, 1.2)
    s_p: tuple[float, float] = (0.2e-3, 3e-3)  # [m]
    load: tuple[float, float] = (250.0, 500.0)  # [N]
    duration: tuple[float, float] = (0.35, 0.6)  # [s]
    largest_share: tuple[float, float] = (0.7, 0.97)  # of mu
    brake: tuple[float, float] = (0.1, 0.9)  # of the largest share, before the push
    profile: int | None = None


def draw_walk(
    rng: np.random.Generator, count: int, walk: Walk, s_p: AnyArray | None = None
) -> Stances:
    """Draw stances of a light foot under a prescribed force.

    ``s_p`` (count,) [m] replaces what would be drawn.
    """
    mu = np.exp(rng.uniform(math.log(walk.mu[0]), math.log(walk.mu[1]), count))
    drawn = np.exp(rng.uniform(math.log(walk.s_p[0]), math.log(walk.s_p[1]), count))
    s_p = drawn if s_p is None else s_p
    load = rng.uniform(*walk.load, count)
    duration = rng.uniform(*walk.duration, count)
    largest = rng.uniform(*walk.largest_share, count)
    brake = rng.uniform(*walk.brake, count)
    profile = rng.integers(0, 4, count)
    if walk.profile is not None:
        profile[:] = walk.profile
    turn = rng.uniform(0.0, 2.0 * math.pi, count)
    bow = rng.uniform(-0.4, 0.4, count)
    beat = rng.uniform(2.0, 8.0, count)
    time = np.arange(SAMPLES) * PERIOD
    tau = time / duration[:, None]
    normal = _walking_load(load, profile, time, tau)
    ratio = np.zeros((count, SAMPLES, 2))
    ratio[..., 0] = _ratio(profile, brake, beat, time, tau)
    if walk.planar:
        across = (
            bow[:, None]
            * np.sin(math.pi * np.clip(tau, 0.0, 1.0))
            * np.cos(2.0 * math.pi * tau * (bow[:, None] > 0.0))
        )
        ratio = _turned(ratio[..., 0], across, turn)
    length = np.minimum(np.floor(duration / PERIOD).astype(np.int64), SAMPLES)
    ratio = _up_to(ratio, largest * mu, length)
    moved = contacts.contact_motion(walk.contact, ratio, normal, mu, s_p, PERIOD)
    return Stances(
        mu=mu,
        s_p=s_p,
        length=length,
        kind=profile,
        ratio=ratio,
        normal=normal,
        displacement=moved,
    )


def _walking_load(
    load: AnyArray, profile: AnyArray, time: AnyArray, tau: AnyArray
) -> AnyArray:
    inside = np.clip(tau, 0.0, 1.0)
    edge = np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0)
    flat = 1.15 * edge * (1.0 - 0.2 * np.sin(math.pi * inside) ** 2)
    humps = (
        np.minimum(1.0, inside / 0.2)
        * np.minimum(1.0, (1.0 - inside) / 0.2)
        * (1.15 - 0.45 * np.sin(math.pi * inside) ** 6)
    )
    ringing = 0.3 * np.exp(-time / 0.015) * np.sin(2.0 * math.pi * 40.0 * time)
    return np.maximum(
        0.0,
        load[:, None] * (np.where(profile[:, None] == HUMAN, humps, flat) + ringing),
    )


def _ratio(
    profile: AnyArray, brake: AnyArray, beat: AnyArray, time: AnyArray, tau: AnyArray
) -> AnyArray:
    brake = brake[:, None]
    beat = beat[:, None]
    push = smooth(tau / 0.85)
    late = smooth((tau - 0.35) / 0.5)
    braked = np.where(
        tau < 0.35, -brake * np.sin(math.pi * np.clip(tau / 0.35, 0.0, 1.0)), late
    )
    human = np.where(
        tau < 0.5,
        -brake * np.sin(2.0 * math.pi * np.clip(tau, 0.0, 0.5)),
        np.sin(2.0 * math.pi * (np.clip(tau, 0.5, 1.0) - 0.5)),
    )
    sway = push * (1.0 - 0.3 * brake * (1.0 - np.cos(2.0 * math.pi * beat * time)))
    touchdown = 0.15 * np.exp(-time / 0.02) * np.sin(2.0 * math.pi * 35.0 * time)
    return np.choose(profile[:, None], [push, braked, human, sway]) + touchdown


# Run the interval estimator's core over a batch of observed stances, block by block,
# from 60 ms on.

START = 60  # samples after contact (study 2)
WIDTH = 5  # samples a block (study 7)
BODY_WEIGHT = 1000.0 / 3.0  # [N]: the study's compliance prior is 1 mm per 100 N
LIGHT = 0.2 * LIGHT_SHARE * BODY_WEIGHT  # [N] from which load is remembered
BLOCKS = (SAMPLES - START) // WIDTH


class Course(NamedTuple):
    """Answers after every block, shape (stances, blocks).

    They are NaN after the stance has ended.
    """

    low: Array
    q05: Array
    median: Array
    q95: Array
    high: Array
    released: Array
    usable: Array
    mu_demonstrated: Array
    s_p: Array  # mean [mm]
    s_p_sd: Array  # [mm]

    @staticmethod
    def sample(block: int) -> int:
        """Sample at whose end a block's answer exists."""
        return START + WIDTH * (block + 1) - 1


def follow(observed: Observed, length: Array, config: IntervalConfig) -> Course:
    """Run the core over every stance."""
    model = build(config, BODY_WEIGHT)
    sole = sole_prior(config.sole, BODY_WEIGHT)
    filters = grid.new_filters(model)
    answers = np.full((length.size, BLOCKS, len(Course._fields)), np.nan)
    ratio = observed.ratio
    for stance in range(length.size):
        follow_stance(
            filters,
            model,
            sole,
            ratio[stance],
            observed.force[stance],
            observed.normal[stance],
            observed.displacement[stance],
            length[stance],
            answers[stance],
        )
    return Course(*np.moveaxis(answers, -1, 0))


@kernel
def follow_stance(
    filters: Filters,
    model: Model,
    sole: SolePrior,
    ratio: Array,
    force: Array,
    normal: Array,
    displacement: Array,
    length: int,
    answers: Array,
) -> None:
    """One stance; fills ``answers`` (blocks, fields of an Interval)."""
    for index in range((length - START) // WIDTH):
        first = START + WIDTH * index
        block = mean_block(ratio, force, normal, displacement, first)
        forgotten = index > 0 and update(filters, model, block)
        if forgotten:
            forget_load(filters)
            grid.start(filters, model, sole, block)
        if index == 0:
            forget_load(filters)
            grid.touch_down(filters, model)
            for k in range(START):
                if normal[k] > LIGHT:
                    grid.settle(filters, model, ratio[k, 0], ratio[k, 1], normal[k])
            grid.start(filters, model, sole, block)
        answer = read_out(filters, model, ratio_sigma(model, block))
        row = answers[index]
        row[0] = answer.low
        row[1] = answer.q05
        row[2] = answer.median
        row[3] = answer.q95
        row[4] = answer.high
        row[5] = answer.released
        row[6] = answer.usable
        row[7] = answer.mu_demonstrated
        row[8] = answer.s_p
        row[9] = answer.s_p_sd


@kernel
def mean_block(
    ratio: Array, force: Array, normal: Array, displacement: Array, first: int
) -> Block:
    """Means of one block; lengths become mm."""
    u_x = u_y = x = y = force_x = force_y = force_normal = 0.0
    for k in range(first, first + WIDTH):
        u_x += ratio[k, 0] / WIDTH
        u_y += ratio[k, 1] / WIDTH
        x += 1e3 * displacement[k, 0] / WIDTH
        y += 1e3 * displacement[k, 1] / WIDTH
        force_x += force[k, 0] / WIDTH
        force_y += force[k, 1] / WIDTH
        force_normal += normal[k] / WIDTH
    return Block(
        u_x=u_x,
        u_y=u_y,
        x=x,
        y=y,
        force_x=force_x,
        force_y=force_y,
        force_normal=force_normal,
        samples=WIDTH,
        duration=WIDTH * PERIOD,
        merged=1,
    )
