# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A plain sole of 16 points on an elasto-plastic floor, pushed and turned about the
vertical as a leg would."""

from typing import NamedTuple

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.friction_laws.bristle_laws import ElastoPlasticConfig
from biped_slip.friction_laws.law import NO_ELEMENTS, FrictionMemory

LAW = ElastoPlasticConfig()
POINTS = np.array(
    [
        [x, y]
        for x in np.linspace(-0.105, 0.105, 4)
        for y in np.linspace(-0.065, 0.065, 4)
    ]
)  # [m]
ARM = float(np.hypot(*POINTS.T).mean())  # [m] largest moment over mu times normal force
# [N], of a stance, [s], of the plant a sample
WEIGHT = 900.0
SAMPLES = 800
PERIOD = 1e-3
STEPS = 5
# [kg], [kg m^2]: a leg turns with its foot
MASS = 2.0
INERTIA = 0.3
# [N], [N m], [m] (study 2)
FORCE_NOISE = 3e-3 * WEIGHT
MOMENT_NOISE = 3e-4 * WEIGHT
POSITION_NOISE = 20e-6
step = ElastoPlasticConfig.step


class TurningStance(NamedTuple):
    """What happened, and what the foot measured of it."""

    mu: float
    yaw: np.ndarray  # (SAMPLES,) [rad]
    # (SAMPLES,) ratio of the ground's force and moment on the limit surface, over mu
    combined: np.ndarray
    measurements: list


@kernel
def pushed(force, moment, mu, law, points, motion):
    """Under force (T, 2) and moment (T,): fills motion (T, 6), place and heading, then
    force and moment of the sole."""
    count = points.shape[0]
    h = PERIOD / STEPS
    memory = np.zeros((count, 2))
    share = WEIGHT / count
    x = y = yaw = speed_x = speed_y = rate = 0.0
    for t in range(force.shape[0]):
        for _ in range(STEPS):
            held_x = held_y = held = 0.0
            cosine = np.cos(yaw)
            sine = np.sin(yaw)
            for i in range(count):
                place_x = cosine * points[i, 0] - sine * points[i, 1]
                place_y = sine * points[i, 0] + cosine * points[i, 1]
                before = FrictionMemory(
                    x=memory[i, 0],
                    y=memory[i, 1],
                    second_x=0.0,
                    second_y=0.0,
                    phase=0.0,
                    clock=0.0,
                    elements=NO_ELEMENTS,
                )
                slip_x = speed_x - rate * place_y
                slip_y = speed_y + rate * place_x
                after, force_x, force_y = step(
                    before, slip_x, slip_y, share, mu, law, h
                )
                memory[i, 0] = after.x
                memory[i, 1] = after.y
                held_x = held_x + force_x
                held_y = held_y + force_y
                held += place_x * force_y - place_y * force_x
            speed_x += h * (force[t, 0] - held_x) / MASS
            speed_y += h * (force[t, 1] - held_y) / MASS
            rate += h * (moment[t] - held) / INERTIA
            x = x + h * speed_x
            y = y + h * speed_y
            yaw = yaw + h * rate
        motion[t, 0] = x
        motion[t, 1] = y
        motion[t, 2] = yaw
        motion[t, 3] = held_x
        motion[t, 4] = held_y
        motion[t, 5] = held


def turning_stance(seed, turning=1.0, spun=False):
    """A stance on a floor of mu 0.2 to 0.8, 30 to 95 % of it used by a wandering force
    and a wandering moment.

    Args:
        seed: of floor, load and noise.
        turning: factor on the moment.
        spun: a pulse of moment beyond the limit turns the sole meanwhile.
    """
    rng = np.random.default_rng(seed)
    mu = rng.uniform(0.2, 0.8)
    ramp = np.clip(np.arange(SAMPLES) / 60.0, 0.0, 1.0)
    force = _wandering(rng, 2) * rng.uniform(0.3, 0.95) * ramp[:, None]
    moment = _wandering(rng, 1)[:, 0] * rng.uniform(0.3, 1.0) * turning * ramp
    scale = mu * WEIGHT * min(1.0, 0.97 / np.hypot(np.hypot(*force.T), moment).max())
    force = scale * force
    moment = scale * moment * ARM
    if spun:
        start = rng.integers(150, 500)
        length = rng.integers(50, 200)
        pulse = (
            np.sin(np.pi * np.arange(length) / length)
            * rng.uniform(1.0, 1.3)
            * mu
            * WEIGHT
            * ARM
        )
        moment[start : start + length] += rng.choice([-1.0, 1.0]) * pulse
    motion = np.zeros((SAMPLES, 6))
    pushed(force, moment, mu, LAW.packed, POINTS, motion)
    combined = np.hypot(np.hypot(*motion[:, 3:5].T), motion[:, 5] / ARM) / (mu * WEIGHT)
    return TurningStance(mu, motion[:, 2], combined, _measured(rng, motion))


def _wandering(rng, columns):
    """Three half waves (SAMPLES, columns), largest size 1."""
    time = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    waves = np.zeros((SAMPLES, columns))
    for k in (1, 2, 3):
        phase = rng.uniform(0.0, 2.0 * np.pi, columns)
        size = rng.standard_normal(columns) / k
        waves += size * np.sin(np.pi * k * time + phase)
    return waves / np.linalg.norm(waves, axis=1).max()


def _measured(rng, motion):
    noise = rng.standard_normal((SAMPLES, 6))
    offset = rng.uniform(-1.0, 1.0, 3) * FORCE_NOISE
    force = -motion[:, 3:5] + FORCE_NOISE * noise[:, :2] + offset[:2]
    normal = WEIGHT + FORCE_NOISE * noise[:, 2] + offset[2]
    moment = -motion[:, 5] + MOMENT_NOISE * noise[:, 3]
    seen = motion[:, :2] + POSITION_NOISE * noise[:, 4:]
    return [
        FootMeasurement(
            1_000_000 * k,
            *force[k],
            normal[k],
            *seen[k],
            0.0,
            0.0,
            moment[k],
            0.0,
            0.0,
            0.0,
        )
        for k in range(SAMPLES)
    ]
