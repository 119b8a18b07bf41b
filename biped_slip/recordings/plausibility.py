# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can't be: forces of the wrong sign or axis, millimetres that are called metres.

A foot presses on its floor far more than it pulls along it, so of the loads along both
directions of the three axes (99th percentiles) that along +z is the largest. What can
be but hardly is, is doubted in words: a force ratio that no floor gives, a weight that
is nothing beside the forces.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.judge.stances import (
    OFF_SHARE,
    contact_level,
    stances,
    usual_load,
)
from biped_slip.recordings.series import FloatArray, TimeSeries

SIGNED_SHARE = 0.1  # of the largest normal force, below which a sign means little
FASTEST_FOOT = 50.0  # [m/s] of a foot
FURTHEST = 10.0  # [m] of a foot that stands
# beyond which numbers are possible, but doubted
DOUBTED_WAY = 1.0  # [m] of a foot that stands
LEAST_USUAL_LOAD = 3.0  # [N] usual load; that of a person in kN is less
MOST_USUAL_LOAD = 20_000.0  # [N]


# of the load along z, beyond which another axis bears it: friction of 1.5 is rare
TURNED_SHARE = 1.5
LEAST_LOAD = 1e-3  # [N]; less is no load
DOUBTED_RATIO = 1.5  # of tangential to normal force; rubber on dry concrete reaches 1.2
LIGHTEST_PERSON = 50.0  # [N]; on plates walk people, a toddler of 80 N among them
WEIGHT_SHARE = 0.25  # of the peak normal forces, below which a weight is doubted
REMEDY_AXES = (
    "z must be the normal of the floor: name that column or axis, or turn the forces "
    "beforehand"
)


def axis_loads(force: FloatArray) -> FloatArray:
    """Compute the load along both directions of each axis, shape (3, 2) [N].

    It is the 99th percentile of the forces (n, 3) along +x and -x, +y and -y, +z and
    -z.
    """
    known = np.nan_to_num(force)
    if not len(known):
        return np.zeros((3, 2))
    return np.maximum(
        np.stack([np.quantile(side * known, 0.99, axis=0) for side in (1, -1)], axis=1),
        0.0,
    )


def check_direction(path: object, name: str, loads: FloatArray) -> None:
    """Refuse a foot whose load does not push along +z.

    Args:
        path: for messages.
        name: of the foot.
        loads: shape (3, 2), see :func:`axis_loads` [N].

    Raises:
        InvalidRecording: with the axis that carries the load.
    """
    up, down = loads[2]
    along = loads[:2].max(axis=1)
    side = int(np.argmax(along))
    if not loads.max() > LEAST_LOAD:
        return
    if along[side] > TURNED_SHARE * max(up, down):
        sign = "+" if loads[side, 0] >= loads[side, 1] else "-"
        words = (
            f"{name} bears its load along {sign}{'xy'[side]} ({along[side]:.3g} N), "
            f"not along z ({max(up, down):.3g} N): its sensor is mounted turned"
        )
        raise InvalidRecording(path, words, REMEDY_AXES)
    if down > up:
        words = (
            f"the normal force of {name} is {-down:.3g} N while loaded, but the ground "
            "pushes"
        )
        raise InvalidRecording(
            path,
            words,
            "turn the sign of all forces (sign: -1): they are those of the ground on "
            "the foot",
        )


class Found(NamedTuple):
    """What was found of one stance."""

    peak: float  # largest normal force [N]
    required: float | None  # [-]
    held: float | None  # [-]


def doubts(stances: Sequence[Found], weight: float, person: bool = False) -> list[str]:
    """Doubt in words what hardly can be: large force ratios, a tiny weight [N].

    Args:
        stances: of the recording.
        weight: of the subject [N]; NaN where unknown.
        person: the subject is one, not a robot.
    """
    words = []
    for what in ("required", "held"):
        values = [getattr(one, what) for one in stances]
        known = [one for one in values if one is not None and math.isfinite(one)]
        largest = max(known, default=0.0)
        if largest > DOUBTED_RATIO:
            words.append(
                f"{what} friction of {largest:.3g} is doubted: hardly a floor gives "
                f"more than {DOUBTED_RATIO:g}; check axes, units and offsets of the "
                "forces"
            )
    peaks = [one.peak for one in stances if math.isfinite(one.peak)]
    usual = float(np.median(peaks)) if peaks else 0.0
    if weight < WEIGHT_SHARE * usual:
        words.append(
            f"a weight of {weight:.3g} N is doubted beside normal forces of "
            f"{usual:.3g} N; check axes, units and offsets of the forces"
        )
    elif person and weight < LIGHTEST_PERSON:
        words.append(
            f"a weight of {weight:.3g} N is doubted: no person is lighter than "
            f"{LIGHTEST_PERSON:g} N; check the unit of the forces"
        )
    return words


def check_plausible(path: object, series: TimeSeries) -> None:
    """Refuse forces and motions whose sign or unit must be wrong.

    Raises:
        InvalidRecording: with the remedy.
    """
    normal = series.force[:, 2]
    size = np.nan_to_num(np.abs(normal))
    loaded = normal[size > SIGNED_SHARE * float(size.max(initial=0.0))]
    loads = axis_loads(series.force)
    if series.normal_unit != "N":
        loads[:2] = 0.0  # an uncalibrated normal force has no ratio
    # a few large readings tell less of the direction than most of the loads
    pushes = not len(loaded) or float(np.median(loaded)) >= 0.0
    load = float(loads[2].max())
    loads[2] = (load, 0.0) if pushes else (0.0, load)
    check_direction(path, series.name, loads)
    speed = np.hypot(series.velocity[:, 0], np.nan_to_num(series.velocity[:, 1]))
    fastest = float(np.nanquantile(speed, 0.999)) if np.isfinite(speed).any() else 0.0
    furthest = _furthest(series)
    if fastest > FASTEST_FOOT or furthest > FURTHEST:
        words = (
            f"{series.name} moves at {fastest:.3g} m/s and by {furthest:.3g} m "
            "while it stands"
        )
        raise InvalidRecording(
            path, words, "are its motions in mm? metres and m/s are expected"
        )


def unit_doubts(series: TimeSeries) -> list[str]:
    """Describe magnitudes that are possible, but more likely of another unit."""
    found = []
    furthest = _furthest(series)
    if furthest > DOUBTED_WAY:
        found.append(
            f"{series.name}: moves by {furthest:.3g} m while it stands: are its "
            "motions in mm or cm? metres are expected"
        )
    load = usual_load(series.force[:, 2])
    if series.normal_unit == "N" and 0.0 < load < LEAST_USUAL_LOAD:
        found.append(
            f"{series.name}: bears {load:.3g} N at most: are its forces in kN or in "
            "body weights? newtons are expected"
        )
    if series.normal_unit == "N" and load > MOST_USUAL_LOAD:
        found.append(
            f"{series.name}: bears {load:.3g} N: are its forces in mN? newtons are "
            "expected"
        )
    return found


def _furthest(series: TimeSeries) -> float:
    """Return how far a foot moves while it stands, at most [m]."""
    normal = series.force[:, 2]
    level = contact_level(usual_load(normal), OFF_SHARE, 0.0)
    moved = [
        np.nan_to_num(np.ptp(series.displacement[a:b], axis=0)).max()
        for a, b in stances(normal, level)
    ]
    return float(max(moved, default=0.0))
