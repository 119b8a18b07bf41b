# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Double support seen by joint encoders alone: both feet give way, the legs give way, and nobody sees which.

The feet push against each other with one force f. The chain from sole to sole then grows by the motion of both contacts
and by the legs' compliance, and encoders show that sum. Whatever the stronger foot adds bends less than the weaker
one's part, so that it passes for compliance; and the stronger foot, judged by the weaker one's bend, is thought weaker.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.interval import SoleModel
from biped_slip.lab.studies import memory_truths
from biped_slip.lab.studies.cramer_rao import STEP, noise, straight_path
from biped_slip.lab.studies.following import START
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.sensing import Observed, Sensors
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances, smooth

LEG_STIFFNESS, KNOWN_TO = 1e5, 0.2  # [N/m], sd of what is believed of it, as a share
LEVERS = (0.8, 0.4, 0.1)  # [m] from a sole to the joints of its leg
BITS = 18
TICK = 2.0 * math.pi / 2**BITS  # [rad]
SWAY = 2e-3  # [rad] amplitude of what the joints do besides
ENCODERS = Sensors(
    "position", TICK / math.sqrt(12.0) * math.sqrt(2.0 * sum(r * r for r in LEVERS)), 0.0, 1.0, 1.0, 1
)  # white as the joints move
CHAIN = SoleModel(
    calibrated=True,
    compliance=2.0 / LEG_STIFFNESS,
    compliance_spread=math.sqrt(2.0) * KNOWN_TO / LEG_STIFFNESS,
)


class Push(NamedTuple):
    """What is drawn of a double support."""

    contact: Contact = Contact()
    largest_share: tuple[float, float] = (0.85, 0.97)  # of the weaker foot's limit
    other_floor: bool = False  # the feet stand on floors of their own


class Chain(NamedTuple):
    """Both feet of the same double supports: the motion of each is the chain's."""

    feet: tuple[Stances, Stances]
    chain: AnyArray  # how far the soles have moved apart, and the legs given way (stances, samples) [m]


def draw(rng: np.random.Generator, count: int, push: Push, soles: AnyArray | None = None) -> Chain:
    """Double supports in which the load wanders and the feet push against each other once.

    ``soles``, s_p (count,) [m], replaces what would be drawn.
    """
    mu = np.exp(rng.uniform(math.log(0.1), math.log(1.2), (2, count)))
    if not push.other_floor:
        mu[1] = mu[0]
    drawn = np.exp(rng.uniform(math.log(0.2e-3), math.log(3e-3), count))
    s_p = drawn if soles is None else soles
    weight, duration = rng.uniform(400.0, 900.0, count), rng.uniform(0.4, 0.6, count)
    first, last = rng.uniform(0.3, 0.7, (2, count))
    largest = rng.uniform(*push.largest_share, count)
    tau = np.arange(SAMPLES) * PERIOD / duration[:, None]
    share = first[:, None] + (last - first)[:, None] * smooth(tau)
    edge = np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0)
    normal = weight[:, None] * edge * np.array([share, 1.0 - share])
    length = np.floor(duration / PERIOD).astype(np.int64)
    force = smooth((tau - 0.1) / 0.75) * weight[:, None] * edge
    ratio = np.where(normal > 0.0, force / np.maximum(normal, 1.0), 0.0)
    used = np.max(np.where(np.arange(SAMPLES) < length[:, None], ratio / mu[..., None], 0.0), axis=(0, 2))
    ratio *= (largest / used)[None, :, None]
    planar = np.stack([ratio, np.zeros_like(ratio)], axis=-1)
    moved = [memory_truths.displacement(push.contact, planar[k], normal[k], mu[k], s_p, PERIOD) for k in range(2)]
    legs = np.sum(1.0 + KNOWN_TO * rng.standard_normal((2, count)), axis=0) / LEG_STIFFNESS
    chain = moved[0][..., 0] + moved[1][..., 0] + legs[:, None] * ratio[0] * normal[0]
    profile = np.zeros(count, dtype=np.int64)
    one, two = (Stances(mu[k], s_p, length, profile, planar[k], normal[k], moved[k]) for k in range(2))
    return Chain((one, two), chain)


def observe(rng: np.random.Generator, chain: Chain) -> tuple[Observed, Observed]:
    """What encoders and ankle sensors show of both feet: each joint in its own ticks, forces late by a sample."""
    count, time = chain.chain.shape[0], np.arange(SAMPLES) * PERIOD
    levers = np.array(LEVERS + LEVERS)
    sway = SWAY * np.sin(
        2.0 * math.pi * (rng.uniform(0.5, 3.0, (6, count, 1)) * time + rng.uniform(0, 1, (6, count, 1)))
    )
    sway -= (levers[:, None, None] * sway).sum(axis=0) * levers[:, None, None] / float(levers @ levers)
    angles = sway + chain.chain * levers[:, None, None] / float(levers @ levers)
    shown = np.einsum("j,jks->ks", levers, TICK * np.round(angles / TICK))
    moved = np.stack([shown, np.zeros_like(shown)], axis=-1)
    return _seen(rng, chain.feet[0], moved), _seen(rng, chain.feet[1], moved)


def _seen(rng: np.random.Generator, foot: Stances, moved: AnyArray) -> Observed:
    offset = rng.uniform(-1.0, 1.0, (2, foot.mu.size, 1)) * ENCODERS.force_offset
    noise = ENCODERS.force_sigma * rng.standard_normal((2, foot.mu.size, SAMPLES))
    force = np.zeros_like(moved)
    force[..., 0] = foot.ratio[..., 0] * foot.normal + noise[0] + offset[0]
    late = np.maximum(np.arange(SAMPLES) - ENCODERS.latency, 0)
    return Observed(force[:, late], (foot.normal + noise[1] + offset[1])[:, late], moved)


def bound(chain: Chain, stance: int, foot: int) -> float:
    """Cramer-Rao sd of ln mu of a foot when it reaches 0.9 of its limit, or of its largest load before.

    Not known are both mu, s_p, where the chain started, and its compliance but for its belief.
    """
    own = chain.feet[foot].share[stance]
    end = int(np.argmax(own >= 0.9)) if (own >= 0.9).any() else int(np.argmax(own))
    now = slice(START, max(end, START + 1) + 1)
    columns, spread, s_p = [], np.full(now.stop - now.start, ENCODERS.sigma), chain.feet[0].s_p[stance]
    shape = np.zeros(now.stop - now.start)
    for one in (chain.feet[foot], chain.feet[1 - foot]):
        ratio, mu = np.ascontiguousarray(one.ratio[stance, now, 0]), one.mu[stance]
        paths = [np.empty_like(ratio) for _ in range(3)]
        for path, factor in zip(paths, (1.0, math.exp(STEP), math.exp(-STEP)), strict=True):
            straight_path(ratio, mu * factor, path)
        columns.append(s_p / 3.0 * (paths[1] - paths[2]) / (2.0 * STEP))
        shape += paths[0]
        spread = np.hypot(spread, noise(ratio, one.normal[stance, now], mu, s_p, ENCODERS._replace(sigma=0.0)))
    force = chain.feet[0].ratio[stance, now, 0] * chain.feet[0].normal[stance, now]
    columns += [s_p / 3.0 * shape, np.full_like(shape, s_p), CHAIN.compliance_spread * force]
    jacobian = np.column_stack(columns) / spread[:, None]
    belief = np.zeros((1, jacobian.shape[1]))
    belief[0, -1] = 1.0
    information = np.vstack([jacobian, belief])
    return float(np.sqrt(np.linalg.pinv(information.T @ information)[0, 0]))
