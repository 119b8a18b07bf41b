# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A person's walk in the sagittal plane as functions of time: heel, flat foot, toe, swing, a body that rises and sinks.

Bruneau and Ouezdou prescribe "the motions of all the links as functions of time" that approximate a recorded walk by
polynomials (B.3, section 4.1.2 of the paper), which they do not print. Here fifth-degree polynomials join the places
that a stride is made of, the centre of mass surges and rises, and joint angles follow from the geometry of the leg.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.robots.anthropometry import ANKLE_HEIGHT, SEGMENTS, Person

ITERATIONS = 6  # the hip's share of the body makes each four times as good as the one before


@configuration
class HumanGaitConfig(Configuration):
    """One stride; all but the speed are choices near a person of 1.75 m at that speed."""

    speed: float = parameter(1.35, unit="m/s", above=0.0, high=3.0, source="B.3", doc="of the hip, forward")
    step: float = parameter(0.68, unit="m", above=0.0, high=1.2, source="choice", doc="length of a step")
    double_support: float = parameter(0.14, unit="s", above=0.0, high=0.4, source="choice", doc="of each step")
    heel_angle: float = parameter(0.04, unit="rad", low=0.0, high=0.6, source="choice", doc="toes up at touchdown")
    heel_rocker: float = parameter(0.14, unit="s", above=0.0, high=0.4, source="choice", doc="from heel to flat foot")
    heel_off: float = parameter(
        0.12, unit="s", low=0.0, high=0.4, source="choice", doc="the heel rises so long before the other touches down"
    )
    toe_angle: float = parameter(0.6, unit="rad", low=0.0, high=1.2, source="choice", doc="heel up at lift-off")
    clearance: float = parameter(0.02, unit="m", low=0.0, high=0.3, source="choice", doc="added in the swing")
    hip_height: float = parameter(0.835, unit="m", above=0.0, high=1.2, source="choice", doc="mean, over the floor")
    hip_lead: float = parameter(
        0.03, unit="m", low=-0.3, high=0.3, source="choice", doc="of the hip before the middle between the feet"
    )
    surge: float = parameter(
        0.15, unit="m/s", low=0.0, high=1.0, source="choice", doc="the body is faster in double support by this"
    )
    rise: float = parameter(
        0.015,
        unit="m",
        low=0.0,
        high=0.1,
        source="choice",
        doc="half of the body's way up and down; highest on one foot",
    )
    sink: float = parameter(
        0.003, unit="m", low=0.0, high=0.02, source="B.2", doc="of the loaded sole; at most 1 cm in the paper"
    )

    def check(self) -> None:
        """A stance has room for its parts."""
        if max(self.double_support, self.heel_rocker) + self.heel_off > self.half:
            raise InvalidParameter("heel_off", self.heel_off, "so late that the foot has been flat before")

    @property
    def half(self) -> float:
        """Duration of a step [s]."""
        return self.step / self.speed


class Leg:
    """A planar leg: lengths [m] and masses in parts of the body's; see ``robots/tables/hanavan_walker.py``."""

    def __init__(self, person: Person, heel: float, toe: float) -> None:
        self.thigh, self.shank = person.length("thigh"), person.length("shank")
        self.ankle, self.heel, self.toe = ANKLE_HEIGHT * person.height, heel, toe

    def angles(self, hip: Array, ankle: Array, pitch: Array) -> Array:
        """Hip, knee and ankle pitch (n, 3) [rad] of an upright trunk.

        Args:
            hip: (n, 2) x, z [m].
            ankle: (n, 2).
            pitch: (n,) of the foot, toes down positive.
        """
        forward, up = (ankle - hip).T
        reach = np.minimum(np.hypot(forward, up), self.thigh + self.shank - 1e-4)
        a, b = self.thigh, self.shank
        knee = np.arccos((reach**2 - a * a - b * b) / (2.0 * a * b))
        thigh = np.arctan2(-forward, -up) - np.arctan2(b * np.sin(knee), a + b * np.cos(knee))
        return np.column_stack((thigh, knee, pitch - thigh - knee))

    def moment(self, angles: Array, pitch: Array) -> Array:
        """Sum of mass times place from the hip (n, 2), masses in parts of the body's [m]."""
        thigh, shank = (-np.column_stack((np.sin(a), np.cos(a))) for a in (angles[:, 0], angles[:, 0] + angles[:, 1]))
        knee, ankle = self.thigh * thigh, self.thigh * thigh + self.shank * shank
        middle = 0.25 * SEGMENTS["foot"].length / ANKLE_HEIGHT * self.ankle
        c, s = np.cos(pitch), np.sin(pitch)
        foot = ankle + np.column_stack((middle * c - 0.5 * self.ankle * s, -middle * s - 0.5 * self.ankle * c))
        parts = (SEGMENTS["thigh"].centre * knee, knee + SEGMENTS["shank"].centre * self.shank * shank, foot)
        weights = (SEGMENTS[name].mass for name in ("thigh", "shank", "foot"))
        return np.asarray(sum(weight * part for weight, part in zip(weights, parts, strict=True)))


def eased(share: Array) -> Array:
    """0 to 1 with rest at both ends: 10 s³ − 15 s⁴ + 6 s⁵; constant outside."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def thrown(share: Array) -> Array:
    """Begins at 0 with slope 1, ends at 0 with rest: s − 6 s³ + 8 s⁴ − 3 s⁵; 0 outside."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s - s**3 * (6.0 - 8.0 * s + 3.0 * s * s))


class HumanGait:
    """Joint angles over time; the left foot touches down at time 0, the right half a stride later."""

    def __init__(self, config: HumanGaitConfig, leg: Leg) -> None:
        self.config, self.leg = config, leg

    @property
    def stance(self) -> float:
        """From a foot's touchdown to its lift-off [s]."""
        return self.config.half + self.config.double_support

    def hip(self, time: Array) -> Array:
        """Place of the hip (n, 2), x and z [m], that lets the centre of mass surge and rise as configured.

        The swinging leg would otherwise throw the body back and forth; a person's trunk gives way to it.
        """
        config = self.config
        phase = 2.0 * math.pi * (time - 0.5 * config.double_support) / config.half
        surge = config.surge * config.half / (2.0 * math.pi) * np.sin(phase)
        wanted = np.column_stack((config.speed * time + surge, -config.rise * np.cos(phase)))
        mean = np.array([config.hip_lead - 0.5 * config.step, config.hip_height])
        hip = wanted + mean
        for _ in range(ITERATIONS):
            legs = self._legs_moment(time, hip)
            hip = wanted + mean - (legs - legs.mean(axis=0))
        return hip

    def foot(self, time: Array) -> tuple[Array, Array]:
        """Left ankle (n, 2) [m] and the foot's pitch (n,) [rad]; the right one is half a stride later, a step ahead."""
        config, leg = self.config, self.leg
        stride, rising, off = 2.0 * config.half, config.heel_off + config.double_support, self.stance
        count = np.floor(time / stride)
        t = time - stride * count
        raised = np.clip((t - off + rising) / rising, 0.0, 1.0) ** 3
        pitch = config.toe_angle * raised - config.heel_angle * (1.0 - eased(t / config.heel_rocker))
        unloaded = eased((t - config.half) / config.double_support)
        sink = config.sink * (eased(t / config.double_support) - unloaded)
        on_heel, on_toe = self._rolling(-leg.heel, np.minimum(pitch, 0.0)), self._rolling(leg.toe, np.maximum(pitch, 0))
        standing = np.where((t < 0.5 * off)[:, None], on_heel, on_toe) - np.column_stack((0.0 * t, sink))
        swing, flight = (t - off) / (stride - off), stride - off
        start, rate = self._rolling(leg.toe, np.array([config.toe_angle]))[0], 3.0 * config.toe_angle / rising
        end = self._rolling(-leg.heel, np.array([-config.heel_angle]))[0] + np.array([2.0 * config.step, 0.0])
        s, c = math.sin(config.toe_angle), math.cos(config.toe_angle)
        speed = rate * np.array([leg.toe * s + leg.ankle * c, leg.toe * c - leg.ankle * s])
        flying = start + np.outer(eased(swing), end - start) + np.outer(flight * thrown(swing), speed)
        lift = 64.0 * config.clearance * np.clip(swing * (1.0 - swing), 0.0, 1.0) ** 3
        turned = (
            config.toe_angle - (config.toe_angle + config.heel_angle) * eased(swing) + rate * flight * thrown(swing)
        )
        ankle = np.where((t < off)[:, None], standing, flying + np.column_stack((0.0 * t, lift)))
        return ankle + np.column_stack((2.0 * config.step * count, 0.0 * t)), np.where(t < off, pitch, turned)

    def joints(self, time: Array) -> Array:
        """Left hip, knee, ankle, then right (n, 6) [rad]."""
        return np.hstack([angles for angles, _ in self._legs(time, self.hip(time))])

    def _legs(self, time: Array, hip: Array) -> list[tuple[Array, Array]]:
        """Joint angles (n, 3) and the foot's pitch (n,) of the left and the right leg."""
        found = []
        for later, ahead in ((0.0, 0.0), (self.config.half, self.config.step)):
            ankle, pitch = self.foot(time - later)
            found.append((self.leg.angles(hip, ankle + np.array([ahead, 0.0]), pitch), pitch))
        return found

    def _legs_moment(self, time: Array, hip: Array) -> Array:
        return np.asarray(sum(self.leg.moment(*leg) for leg in self._legs(time, hip)))

    def _rolling(self, along: float, pitch: Array) -> Array:
        """Ankle (n, 2) of a foot that turns about the end of its sole, ``along`` ahead of the ankle [m]."""
        c, s = np.cos(pitch), np.sin(pitch)
        return np.column_stack((along * (1.0 - c) + s * self.leg.ankle, along * s + c * self.leg.ankle))
