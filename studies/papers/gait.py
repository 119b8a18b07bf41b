# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Gaits that the papers print or a force plate recorded: motions and force curves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_banded
from scipy.signal import butter, filtfilt

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter, InvalidRecording
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.judge.stances import contact_level, stances, usual_load
from biped_slip.recordings.judge.weight import body_weight
from biped_slip.recordings.registry import read_recording
from studies.papers.robots import ANKLE_HEIGHT, SEGMENTS, Person

# A person's walk in the sagittal plane as functions of time: heel, flat foot, toe,
# swing, a body that rises and sinks.
#
# Bruneau and Ouezdou prescribe "the motions of all the links as functions of time" that
# approximate a recorded walk by polynomials (B.3, section 4.1.2 of the paper), which
# they do not print. Here fifth-degree polynomials join the places that a stride is made
# of, the centre of mass surges and rises, and joint angles follow from the geometry of
# the leg.

ITERATIONS = (
    6  # the hip's share of the body makes each four times as good as the one before
)


@configuration
class HumanGaitConfig(Configuration):
    """One stride; all but the speed are choices near a 1.75 m person at that speed."""

    speed: float = parameter(
        1.35, unit="m/s", above=0.0, high=3.0, source="B.3", doc="of the hip, forward"
    )
    step: float = parameter(
        0.68, unit="m", above=0.0, high=1.2, source="choice", doc="length of a step"
    )
    double_support: float = parameter(
        0.14, unit="s", above=0.0, high=0.4, source="choice", doc="of each step"
    )
    heel_angle: float = parameter(
        0.04, unit="rad", low=0.0, high=0.6, source="choice", doc="toes up at touchdown"
    )
    heel_rocker: float = parameter(
        0.14,
        unit="s",
        above=0.0,
        high=0.4,
        source="choice",
        doc="from heel to flat foot",
    )
    heel_off: float = parameter(
        0.12,
        unit="s",
        low=0.0,
        high=0.4,
        source="choice",
        doc="the heel rises so long before the other touches down",
    )
    toe_angle: float = parameter(
        0.6, unit="rad", low=0.0, high=1.2, source="choice", doc="heel up at lift-off"
    )
    clearance: float = parameter(
        0.02, unit="m", low=0.0, high=0.3, source="choice", doc="added in the swing"
    )
    hip_height: float = parameter(
        0.835,
        unit="m",
        above=0.0,
        high=1.2,
        source="choice",
        doc="mean, over the floor",
    )
    hip_lead: float = parameter(
        0.03,
        unit="m",
        low=-0.3,
        high=0.3,
        source="choice",
        doc="of the hip before the middle between the feet",
    )
    surge: float = parameter(
        0.15,
        unit="m/s",
        low=0.0,
        high=1.0,
        source="choice",
        doc="the body is faster in double support by this",
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
        0.003,
        unit="m",
        low=0.0,
        high=0.02,
        source="B.2",
        doc="of the loaded sole; at most 1 cm in the paper",
    )

    def check(self) -> None:
        """Check that a stance has room for its parts."""
        if max(self.double_support, self.heel_rocker) + self.heel_off > self.half:
            raise InvalidParameter(
                "heel_off", self.heel_off, "so late that the foot has been flat before"
            )

    @property
    def half(self) -> float:
        """Duration of a step [s]."""
        return self.step / self.speed


class Leg:
    """A planar leg: lengths [m] and masses in parts of the body's.

    See ``papers/robots.py``.
    """

    def __init__(self, person: Person, heel: float, toe: float) -> None:
        self.thigh = person.length("thigh")
        self.shank = person.length("shank")
        self.ankle = ANKLE_HEIGHT * person.height
        self.heel = heel
        self.toe = toe

    def angles(self, hip: Array, ankle: Array, pitch: Array) -> Array:
        """Hip, knee and ankle pitch (n, 3) [rad] of an upright trunk.

        Args:
            hip: (n, 2) x, z [m].
            ankle: (n, 2).
            pitch: (n,) of the foot, toes down positive.
        """
        forward, up = (ankle - hip).T
        reach = np.minimum(np.hypot(forward, up), self.thigh + self.shank - 1e-4)
        a = self.thigh
        b = self.shank
        knee = np.arccos((reach**2 - a * a - b * b) / (2.0 * a * b))
        thigh = np.arctan2(-forward, -up) - np.arctan2(
            b * np.sin(knee), a + b * np.cos(knee)
        )
        return np.column_stack((thigh, knee, pitch - thigh - knee))

    def moment(self, angles: Array, pitch: Array) -> Array:
        """Sum mass times place from the hip (n, 2) [m].

        Masses are in parts of the body's.
        """
        thigh, shank = (
            -np.column_stack((np.sin(a), np.cos(a)))
            for a in (angles[:, 0], angles[:, 0] + angles[:, 1])
        )
        knee = self.thigh * thigh
        ankle = self.thigh * thigh + self.shank * shank
        middle = 0.25 * SEGMENTS["foot"].length / ANKLE_HEIGHT * self.ankle
        c = np.cos(pitch)
        s = np.sin(pitch)
        foot = ankle + np.column_stack(
            (middle * c - 0.5 * self.ankle * s, -middle * s - 0.5 * self.ankle * c)
        )
        parts = (
            SEGMENTS["thigh"].centre * knee,
            knee + SEGMENTS["shank"].centre * self.shank * shank,
            foot,
        )
        weights = (SEGMENTS[name].mass for name in ("thigh", "shank", "foot"))
        return np.asarray(
            sum(weight * part for weight, part in zip(weights, parts, strict=True))
        )


def eased(share: Array) -> Array:
    """0 to 1 with rest at both ends: 10 s³ − 15 s⁴ + 6 s⁵; constant outside."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def thrown(share: Array) -> Array:
    """Return a curve that begins at 0 with slope 1 and ends at 0 with rest.

    It is s − 6 s³ + 8 s⁴ − 3 s⁵, and 0 outside.
    """
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s - s**3 * (6.0 - 8.0 * s + 3.0 * s * s))


class HumanGait:
    """Joint angles over time.

    The left foot touches down at time 0, the right half a stride later.
    """

    def __init__(self, config: HumanGaitConfig, leg: Leg) -> None:
        self.config = config
        self.leg = leg

    @property
    def stance(self) -> float:
        """From a foot's touchdown to its lift-off [s]."""
        return self.config.half + self.config.double_support

    def hip(self, time: Array) -> Array:
        """Return the place of the hip (n, 2), x and z [m].

        It lets the centre of mass surge and rise as configured.

        The swinging leg would otherwise throw the body back and forth; a person's trunk
        gives way to it.
        """
        config = self.config
        phase = 2.0 * math.pi * (time - 0.5 * config.double_support) / config.half
        surge = config.surge * config.half / (2.0 * math.pi) * np.sin(phase)
        wanted = np.column_stack(
            (config.speed * time + surge, -config.rise * np.cos(phase))
        )
        mean = np.array([config.hip_lead - 0.5 * config.step, config.hip_height])
        hip = wanted + mean
        for _ in range(ITERATIONS):
            legs = self._legs_moment(time, hip)
            hip = wanted + mean - (legs - legs.mean(axis=0))
        return hip

    def foot(self, time: Array) -> tuple[Array, Array]:
        """Return the left ankle (n, 2) [m] and the foot's pitch (n,) [rad].

        The right one is half a stride later, a step ahead.
        """
        config = self.config
        leg = self.leg
        stride = 2.0 * config.half
        rising = config.heel_off + config.double_support
        off = self.stance
        count = np.floor(time / stride)
        t = time - stride * count
        raised = np.clip((t - off + rising) / rising, 0.0, 1.0) ** 3
        pitch = config.toe_angle * raised - config.heel_angle * (
            1.0 - eased(t / config.heel_rocker)
        )
        unloaded = eased((t - config.half) / config.double_support)
        sink = config.sink * (eased(t / config.double_support) - unloaded)
        on_heel = self._rolling(-leg.heel, np.minimum(pitch, 0.0))
        on_toe = self._rolling(leg.toe, np.maximum(pitch, 0))
        standing = np.where(
            (t < 0.5 * off)[:, None], on_heel, on_toe
        ) - np.column_stack((0.0 * t, sink))
        swing = (t - off) / (stride - off)
        flight = stride - off
        start = self._rolling(leg.toe, np.array([config.toe_angle]))[0]
        rate = 3.0 * config.toe_angle / rising
        end = self._rolling(-leg.heel, np.array([-config.heel_angle]))[0] + np.array(
            [2.0 * config.step, 0.0]
        )
        s = math.sin(config.toe_angle)
        c = math.cos(config.toe_angle)
        speed = rate * np.array(
            [leg.toe * s + leg.ankle * c, leg.toe * c - leg.ankle * s]
        )
        flying = (
            start
            + np.outer(eased(swing), end - start)
            + np.outer(flight * thrown(swing), speed)
        )
        lift = 64.0 * config.clearance * np.clip(swing * (1.0 - swing), 0.0, 1.0) ** 3
        turned = (
            config.toe_angle
            - (config.toe_angle + config.heel_angle) * eased(swing)
            + rate * flight * thrown(swing)
        )
        ankle = np.where(
            (t < off)[:, None], standing, flying + np.column_stack((0.0 * t, lift))
        )
        return ankle + np.column_stack((2.0 * config.step * count, 0.0 * t)), np.where(
            t < off, pitch, turned
        )

    def joints(self, time: Array) -> Array:
        """Left hip, knee, ankle, then right (n, 6) [rad]."""
        return np.hstack([angles for angles, _ in self._legs(time, self.hip(time))])

    def _legs(self, time: Array, hip: Array) -> list[tuple[Array, Array]]:
        """Find joint angles (n, 3) and foot pitch (n,) of the left and right leg."""
        found = []
        for later, ahead in ((0.0, 0.0), (self.config.half, self.config.step)):
            ankle, pitch = self.foot(time - later)
            found.append(
                (self.leg.angles(hip, ankle + np.array([ahead, 0.0]), pitch), pitch)
            )
        return found

    def _legs_moment(self, time: Array, hip: Array) -> Array:
        return np.asarray(sum(self.leg.moment(*leg) for leg in self._legs(time, hip)))

    def _rolling(self, along: float, pitch: Array) -> Array:
        """Return the ankle (n, 2) of a foot that turns about the end of its sole.

        That end is ``along`` ahead of the ankle [m].
        """
        c = np.cos(pitch)
        s = np.sin(pitch)
        return np.column_stack(
            (along * (1.0 - c) + s * self.leg.ankle, along * s + c * self.leg.ankle)
        )


# A walk on flat feet as functions of time: steps, the zero-moment point they ask for,
# and the centre of mass.
#
# The papers walk patterns that they do not print (C.3, D.3, E.5); this is the usual
# one: the zero-moment point rests in the middle of the standing sole and moves to the
# other in double support, the centre of mass follows from the cart-table equation x − z
# ẍ/(g + z̈) = p over the whole walk, feet swing along fifth-degree polynomials.


@configuration
class FlatGaitConfig(Configuration):
    """Steps between two rests; the right foot steps first."""

    steps: int = parameter(
        5, low=1, high=100, doc="how many; the last brings the feet together"
    )
    step: float = parameter(0.3, unit="m", above=0.0, high=1.0, doc="length of a step")
    first: float = parameter(
        1.0, above=0.0, high=1.0, doc="length of the first step over that of the others"
    )
    swing: float = parameter(
        0.6, unit="s", above=0.0, high=5.0, doc="one foot in the air"
    )
    double_support: float = parameter(
        0.2, unit="s", above=0.0, high=5.0, doc="between two swings"
    )
    rest: float = parameter(
        0.3, unit="s", low=0.0, high=10.0, doc="stands before and after"
    )
    shift: float = parameter(
        0.6, unit="s", above=0.0, high=5.0, doc="to the first standing foot, and back"
    )
    clearance: float = parameter(
        0.04, unit="m", low=0.0, high=0.3, doc="of the swinging sole"
    )
    width: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
        doc="between the soles; 0: as the robot stands",
    )
    lower: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.5,
        doc="of the centre of mass than as the robot stands",
    )
    rise: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.1,
        doc="of the centre of mass from two feet to one",
    )


class Stand(NamedTuple):
    """How the robot stands before the walk."""

    soles: Array  # (2, 3) left, right [m]
    # (2,) middle of the sole's polygon in its frame, x and outwards-positive y of the
    # left one [m]
    centre: Array
    height: float  # of the centre of mass [m]


class Pattern(NamedTuple):
    """The walk, every ``period``; n samples."""

    time: Array  # (n,) [s]
    zmp: Array  # (n, 2) [m]
    com: Array  # (n, 3) [m]
    soles: Array  # (n, 2, 3) [m]
    share: Array  # (n, 2) of the load that each foot carries


def pattern(
    config: FlatGaitConfig, stand: Stand, period: float, correction: Array | None = None
) -> Pattern:
    """Plan the whole walk.

    Args:
        config: lengths and times of the steps.
        stand: posture from which it begins.
        period: time between samples [s].
        correction: (n, 2) added to the zero-moment point that the cart follows [m], for
            what the cart leaves out.
    """
    begin = config.rest + config.shift
    cycle = config.swing + config.double_support
    end = (
        begin
        + config.steps * cycle
        - config.double_support
        + config.shift
        + config.rest
    )
    time = np.arange(0.0, end + 0.5 * period, period)
    places = stand.soles.copy()
    if config.width > 0.0:
        places[:, 1] = 0.5 * config.width, -0.5 * config.width
    soles = np.tile(places, (len(time), 1, 1))
    knots = [0.0, config.rest]
    shares = [[0.5, 0.5]] * 2
    height = np.full(len(time), stand.height - config.lower)
    for count in range(config.steps):
        swinging = 1 - count % 2
        start = begin + count * cycle
        target = config.step * (config.first + min(count, max(config.steps - 2, 0)))
        share = np.clip((time - start) / config.swing, 0.0, 1.0)
        soles[:, swinging, 0] += eased(share) * (target - places[swinging, 0])
        soles[:, swinging, 2] += config.clearance * 64.0 * (share * (1.0 - share)) ** 3
        places[swinging, 0] = target
        knots += [start, start + config.swing]
        shares += [[1.0 - swinging, float(swinging)][::-1]] * 2
        whole = np.clip((time - start + 0.5 * config.double_support) / cycle, 0.0, 1.0)
        height = height + 0.5 * config.rise * (1.0 - np.cos(2.0 * np.pi * whole))
    knots += [end - config.rest, end]
    shares += [[0.5, 0.5]] * 2
    share = np.column_stack(
        [np.interp(time, knots, column) for column in np.array(shares).T]
    )
    middles = soles[:, :, :2] + np.stack(
        (stand.centre, stand.centre * np.array([1.0, -1.0]))
    )
    zmp = np.einsum("nf,nfk->nk", share, middles)
    followed = zmp if correction is None else zmp + correction
    com = np.column_stack((cart_table(followed, height, period), height))
    return Pattern(time=time, zmp=zmp, com=com, soles=soles, share=share)


def cart_table(zmp: Array, height: Array, period: float) -> Array:
    """Find the centre of mass (n, 2) over a zero-moment point (n, 2) [m].

    At both ends it is at rest over that point.
    """
    lift = np.gradient(np.gradient(height, period), period)
    stiff = height / (GRAVITY + lift) / period**2
    bands = np.zeros((3, len(zmp)))
    bands[0, 1:], bands[1], bands[2, :-1] = -stiff[:-1], 1.0 + 2.0 * stiff, -stiff[1:]
    bands[0, 1] = bands[2, -2] = 0.0
    bands[1, 0] = bands[1, -1] = 1.0
    return np.asarray(solve_banded((1, 1), bands, zmp))


# The force under one foot over one stance: its shape, with the same low-pass for
# simulated and recorded feet.

# [Hz] of the zero-phase low-pass: touchdown transients are no maxima of the M (choice)
CUTOFF = 8.0
# body weights above or below the weight: more than a low-pass overshoots by (choice)
CLEARLY = 0.02
LEVEL = 0.03  # body weights; with more a foot stands
SHORTEST = 0.25  # [s] of a stance
SHARES = np.linspace(0.0, 1.0, 101)


class Humps(NamedTuple):
    """First maximum, minimum between, second maximum, in body weights."""

    first: float
    between: float
    second: float

    @property
    def m_shaped(self) -> bool:
        """Two maxima above the weight and a minimum below it (B.3)."""
        return (
            min(self.first, self.second) > 1.0 + CLEARLY
            and self.between < 1.0 - CLEARLY
        )


class StanceCurves(NamedTuple):
    """Whole stances on one scale: shares of their duration, 101 points each."""

    normal: Array  # (stances, 101) [body weights], as measured
    forward: Array  # (stances, 101) [body weights]
    humps: tuple[Humps, ...]


def smoothed(values: Array, step: float) -> Array:
    """Zero-phase second-order low-pass of a series with samples every ``step`` [s]."""
    numerator, denominator = butter(2, CUTOFF * 2.0 * step)
    return np.asarray(filtfilt(numerator, denominator, values))


def humps(normal: Array) -> Humps:
    """Find maxima of the first and last 45 % of a stance and the minimum between."""
    count = len(normal)
    first = int(np.argmax(normal[: int(0.45 * count)]))
    second = int(0.55 * count) + int(np.argmax(normal[int(0.55 * count) :]))
    return Humps(
        float(normal[first]), float(normal[first:second].min()), float(normal[second])
    )


def stance_curves(
    time: Array, normal: Array, forward: Array, weight: float
) -> StanceCurves:
    """Find every whole stance in a series of one foot's forces (n,) [N].

    Each begins and ends inside the series.
    """
    step = float(np.median(np.diff(time)))
    smooth = smoothed(normal, step) / weight
    found = []
    for stance in stances(normal, LEVEL * weight, max(round(SHORTEST / step), 2)):
        if stance.first > 0 and stance.last < len(normal):
            found.append(stance)
    if not found:
        return StanceCurves(np.empty((0, 101)), np.empty((0, 101)), ())
    return StanceCurves(
        np.array([_resampled(normal[s.first : s.last]) for s in found]) / weight,
        np.array([_resampled(forward[s.first : s.last]) for s in found]) / weight,
        tuple(humps(smooth[s.first : s.last]) for s in found),
    )


def joined(parts: list[StanceCurves]) -> StanceCurves:
    """Join the stances of several feet."""
    return StanceCurves(
        np.vstack([part.normal for part in parts]),
        np.vstack([part.forward for part in parts]),
        tuple(hump for part in parts for hump in part.humps),
    )


def _resampled(values: Array) -> Array:
    return np.interp(SHARES, np.linspace(0.0, 1.0, len(values)), values)


# A person's walk over force plates, as the curves that Bruneau's figures 14 and 15
# compare with (B.3).

CONTACT = 0.1  # of the usual load: a contact for weighing the person


def recorded_walk(path: str | Path) -> StanceCurves:
    """All whole stances of a recording, in its body weights.

    Raises:
        InvalidRecording: the weight can't be found, or there is no whole stance.
    """
    series = read_recording(path, None, Overrides()).series
    feet = [
        (
            foot,
            stances(
                foot.force[:, 2],
                contact_level(usual_load(foot.force[:, 2]), CONTACT, foot.force_noise),
            ),
        )
        for foot in series
    ]
    weight, words = body_weight(feet)
    if not math.isfinite(weight):
        raise InvalidRecording(path, f"has no body weight ({words})")
    found = joined(
        [
            stance_curves(foot.time, foot.force[:, 2], foot.force[:, 0], weight)
            for foot in series
        ]
    )
    if not found.humps:
        raise InvalidRecording(path, "has no whole stance")
    return found
