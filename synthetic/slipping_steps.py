# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up steps on floors of known mu: a foot sticks and slides by Coulomb's law.

The ground truth for everything that finds slips. The leg pushes the foot with a
person's shear profile; where that exceeds mu times the normal force, the foot slides
as a mass with the leg's resistance behind it. The foot lands heel first, rolls flat,
and leaves over a forefoot that stays flat while the heel rises. A force plate and
markers on heel and toe record it, with noise, an offset and skin that gives way under
load.
"""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from biped_slip.recordings.markers import Markers
from biped_slip.recordings.plates import Plate
from biped_slip.recordings.series import FloatArray, regular_stamps

FORCE_RATE = 1000.0  # [Hz]
AIR = 0.35  # [s] recorded before touchdown and after lift-off
SUBSTEPS = 4  # of the foot's motion per force sample
# of sin(pi s) and sin(3 pi s): 0.75 of the weight in mid-stance, 1.1 on the humps
TWO_HUMPS = (
    1.153,
    0.403,
)
# shares of the stance where the ratio is largest
ACCEPTANCE_AT = 0.12
PUSH_OFF_AT = 0.92
# shares of the stance
FLAT_BY = 0.16
HEEL_RISES_AT = 0.55
LANDING_PITCH = math.radians(20.0)
LEAVING_PITCH = math.radians(-60.0)
# behind/ahead of the heel's point of contact and height [m]
HEEL_MARKER = (-0.01, 0.045)
TOE_MARKER = (0.17, 0.035)
# corners [m]
PLATE = np.array(
    [[0.5, 0.3, 0.0], [-0.3, 0.3, 0.0], [-0.3, -0.3, 0.0], [0.5, -0.3, 0.0]]
)


@dataclasses.dataclass(frozen=True)
class Walker:
    """Who walks, on what, recorded how."""

    mu: float  # of the floor [-]
    weight: float = 700.0  # [N]
    stance: float = 0.68  # [s]
    acceptance: float = 0.20  # largest force ratio that weight acceptance asks for [-]
    push_off: float = 0.22
    foot_mass: float = 5.0  # that slides [kg]
    leg_resistance: float = 70.0  # of the leg against a sliding foot [N s/m]
    landing_speed: float = 0.15  # of the heel over the floor at touchdown [m/s]
    marker_rate: float = 200.0  # [Hz]
    marker_noise: float = 3e-4  # standard deviation of a coordinate [m]
    skin: float = 1e-3  # how far markers shift under load [m]
    force_noise: float = 1.5  # standard deviation of a force axis [N]
    side: str = "left"


class TrueSlip(NamedTuple):
    """One slide of the foot; times since touchdown."""

    onset: float  # [s]
    end: float  # [s]
    distance: float  # [m]
    peak_speed: float  # [m/s]
    forward: bool


class SlippingStep(NamedTuple):
    """What was recorded, and the truth."""

    plate: Plate
    markers: Markers
    touchdown: float  # [s] of the recording
    slides: tuple[
        TrueSlip, ...
    ]  # the skid from the landing speed first, if the floor doesn't stop it at once
    force: FloatArray  # without noise, shape (stance samples, 3) [N]
    velocity: FloatArray  # of the sole along the walk, shape (stance samples,) [m/s]


def normal_force(share: FloatArray, weight: float) -> FloatArray:
    """Two humps over the stance, shape of ``share`` (0 … 1) [N]."""
    first, third = TWO_HUMPS
    return weight * np.maximum(
        first * np.sin(np.pi * share) + third * np.sin(3.0 * np.pi * share), 0.0
    )


def shear_ratio(share: FloatArray, acceptance: float, push_off: float) -> FloatArray:
    """Return the fore-aft over the normal force of the ground on a foot that sticks.

    It is braking, then pushing.
    """
    brake = (share / ACCEPTANCE_AT * np.exp(1.0 - share / ACCEPTANCE_AT)) ** 1.5
    rise = np.clip((share - 0.45) / (PUSH_OFF_AT - 0.45), 0.0, 1.0)
    fall = np.clip((1.0 - share) / (1.0 - PUSH_OFF_AT), 0.0, 1.0)
    push = np.where(
        share < PUSH_OFF_AT,
        rise * rise * (3.0 - 2.0 * rise),
        fall * fall * (3.0 - 2.0 * fall),
    )
    return push_off * push - acceptance * brake


def slide(walker: Walker) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the motion of the sole over the floor and the force on it.

    Both are at ``FORCE_RATE`` over the stance.

    Returns:
        (position along the walk (n,) [m], velocity (n,) [m/s], force (n, 3) [N]).
    """
    count = round(walker.stance * FORCE_RATE)
    dt = 1.0 / (FORCE_RATE * SUBSTEPS)
    share = np.arange(count * SUBSTEPS) / (count * SUBSTEPS)
    normal = normal_force(share, walker.weight)
    lateral = 0.02 * np.sin(np.pi * share) * normal
    demand = shear_ratio(share, walker.acceptance, walker.push_off) * normal
    limit = np.sqrt(np.maximum((walker.mu * normal) ** 2 - lateral**2, 0.0))
    position = np.zeros(len(share))
    velocity = np.zeros(len(share))
    friction = np.zeros(len(share))
    x = 0.0
    v = walker.landing_speed
    for i in range(len(share)):
        push = -demand[i] - walker.leg_resistance * v  # of the leg on the foot
        if v == 0.0 and abs(push) <= limit[i]:
            friction[i] = -push
        else:
            direction = math.copysign(1.0, v if v != 0.0 else push)
            friction[i] = -direction * limit[i]
            after = v + dt * (push + friction[i]) / walker.foot_mass
            v = 0.0 if after * direction <= 0.0 else after
        x += dt * v
        position[i] = x
        velocity[i] = v
    force = np.column_stack([friction, lateral, normal])
    return position[::SUBSTEPS], velocity[::SUBSTEPS], force[::SUBSTEPS]


def true_slides(position: FloatArray, velocity: FloatArray) -> tuple[TrueSlip, ...]:
    """Stretches of one direction without a standstill between, in the order of time."""
    way_of = np.sign(velocity)
    edges = [0, *(np.flatnonzero(np.diff(way_of)) + 1), len(velocity)]
    found = []
    for first, last in pairwise(edges):
        if not way_of[first]:
            continue
        way = float(
            position[min(last, len(position) - 1)]
            - (position[first - 1] if first else 0.0)
        )
        peak = float(np.abs(velocity[first:last]).max())
        found.append(
            TrueSlip(
                onset=first / FORCE_RATE,
                end=last / FORCE_RATE,
                distance=abs(way),
                peak_speed=peak,
                forward=way > 0.0,
            )
        )
    return tuple(found)


def slipping_step(walker: Walker, rng: np.random.Generator) -> SlippingStep:
    """One recorded step, the person walking towards +x with z up."""
    position, velocity, force = slide(walker)
    count = len(position)
    before = round(AIR * FORCE_RATE)
    total = count + 2 * before
    loaded = np.zeros((total, 3))
    loaded[before : before + count] = force
    share = np.arange(count) / count
    centre = np.zeros((total, 3))
    centre[before : before + count, 0] = position + 0.16 * share
    moment = np.cross(centre - PLATE.mean(axis=0), loaded)
    offset = rng.normal(0.0, 5.0, 3)
    measured = loaded + offset + rng.normal(0.0, walker.force_noise, loaded.shape)
    stamps = regular_stamps(total, FORCE_RATE)
    plate = Plate(
        name="plate 1",
        stamp_ns=stamps,
        force=measured,
        moment=moment,
        centre=PLATE.mean(axis=0),
        corners=PLATE,
    )
    time: FloatArray = np.asarray(stamps * 1e-9, dtype=float)
    markers = _markers(walker, time, before, position, force[:, 2], rng)
    return SlippingStep(
        plate=plate,
        markers=markers,
        touchdown=float(time[before]),
        slides=true_slides(position, velocity),
        force=force,
        velocity=velocity,
    )


def _markers(
    walker: Walker,
    time: FloatArray,
    before: int,
    position: FloatArray,
    normal: FloatArray,
    rng: np.random.Generator,
) -> Markers:
    """Heel and toe marker of one foot at their own rate."""
    frames = np.arange(0.0, time[-1], 1.0 / walker.marker_rate)
    stance = (frames - time[before]) / walker.stance
    inside = np.clip(stance, 0.0, 1.0)
    sole = np.interp(inside * (len(position) - 1), np.arange(len(position)), position)
    load = (
        np.interp(inside * (len(position) - 1), np.arange(len(position)), normal)
        / walker.weight
    )
    early = np.minimum(stance, 0.0) * walker.stance
    late = np.maximum(stance - 1.0, 0.0) * walker.stance
    # the foot slows down until it lands [m]
    swing_in = walker.landing_speed * early - 12.0 * early**2
    swing_out = 12.0 * late**2
    landing = LANDING_PITCH * (1.0 - _smooth(inside / FLAT_BY))
    leaving = LEAVING_PITCH * _smooth((inside - HEEL_RISES_AT) / (1.0 - HEEL_RISES_AT))
    heel = _turned(HEEL_MARKER, landing)
    toe = _turned(TOE_MARKER, landing)
    # the heel turns about the ball of the foot, the forefoot stays flat
    ball = np.array([TOE_MARKER[0], 0.0])
    raised = _turned((HEEL_MARKER[0] - ball[0], HEEL_MARKER[1]), leaving) + ball
    heel = np.where((leaving < 0.0)[:, None], raised, heel)
    way = sole + swing_in + swing_out
    lateral = 0.1 if walker.side == "left" else -0.1
    position_3d = np.zeros((len(frames), 4, 3))
    position_3d[:, 2:] = [
        [-0.75, -lateral, 0.045],
        [-0.57, -lateral, 0.035],
    ]  # the other foot stands beside the plate
    for k, point in enumerate((heel, toe)):
        position_3d[:, k, 0] = way + point[:, 0] + walker.skin * load
        position_3d[:, k, 1] = lateral
        position_3d[:, k, 2] = point[:, 1] + 0.5 * (early**2 + late**2)
    position_3d += rng.normal(0.0, walker.marker_noise, position_3d.shape)
    sides = "LR" if walker.side == "left" else "RL"
    return Markers(
        tuple(f"{side}{name}" for side in sides for name in ("HEE", "TOE")),
        walker.marker_rate,
        position_3d,
    )


def _smooth(share: FloatArray) -> FloatArray:
    inside = np.clip(share, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


def _turned(point: tuple[float, float], pitch: FloatArray) -> FloatArray:
    """Rotate a point of the foot, the toe raised by ``pitch``.

    The point is (ahead of the heel's contact, above the floor).
    """
    ahead, high = point
    sine = np.sin(pitch)
    cosine = np.cos(pitch)
    return np.column_stack([ahead * cosine - high * sine, ahead * sine + high * cosine])


def drawn_walker(rng: np.random.Generator, mu: float | None = None) -> Walker:
    """Draw a person at random.

    The floor is between hopelessly slippery and dry unless ``mu`` is given.
    """
    return Walker(
        mu=float(rng.uniform(0.03, 0.5)) if mu is None else mu,
        weight=float(rng.uniform(500.0, 1000.0)),
        stance=float(rng.uniform(0.58, 0.8)),
        acceptance=float(rng.uniform(0.15, 0.26)),
        push_off=float(rng.uniform(0.18, 0.28)),
        foot_mass=float(rng.uniform(3.0, 8.0)),
        leg_resistance=float(rng.uniform(50.0, 150.0)),
        landing_speed=float(rng.uniform(0.0, 0.3)),
        marker_rate=float(rng.choice([100.0, 200.0, 250.0])),
        side=str(rng.choice(["left", "right"])),
    )
