# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet from raw plates: offsets, axes, stances and sides; the formats of such files."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.sliding import PlateauConfig, SlidingConfig
from biped_slip.recordings.judge.stances import NOISE_FACTOR, ContactLevels, stances
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.markers import (
    NO_MARKERS,
    NOISE,
    Frame,
    Markers,
    feet_from_markers,
    feet_from_pressure,
    find_forward,
    find_up,
    slowest_velocity,
    sole_frame,
    two_feet_by_pressure,
)
from biped_slip.recordings.plates import (
    Plate,
    Zero,
    centre_of_pressure,
    clipped,
    find_zero,
)
from biped_slip.recordings.series import (
    FloatArray,
    Motion,
    Progress,
    Standing,
    TimeSeries,
)

# Touchdowns and lift-offs that a recording names itself, under the names in use.

TOUCHDOWN = re.compile(
    r"(foot|heel|initial)[ _-]*(strike|contact|down|on)|^[lr]?(hs|ic|fs)$", re.I
)
LIFT_OFF = re.compile(r"(foot|toe)[ _-]*off|^[lr]?to$", re.I)
SIDE = re.compile(r"^(?P<side>l(eft)?|r(ight)?)(?=[ _-]|hs$|ic$|fs$|to$|$)", re.I)


class GaitEvent(NamedTuple):
    """Event of gait in a recording."""

    kind: str  # touchdown | lift-off
    foot: str  # left | right
    time: float  # since the first frame [s]


def gait_events(
    labels: Sequence[str], contexts: Sequence[str], times: Sequence[float]
) -> tuple[GaitEvent, ...]:
    """List touchdowns and lift-offs among the events of a file, in the order of time.

    Others are left out.
    """
    found = []
    for label, context, time in zip(labels, contexts, times, strict=False):
        kind = (
            "touchdown"
            if TOUCHDOWN.search(label)
            else "lift-off"
            if LIFT_OFF.search(label)
            else ""
        )
        side = SIDE.match(str(context).strip()) or SIDE.match(str(label).strip())
        if kind and side:
            foot = "left" if side["side"].lower().startswith("l") else "right"
            found.append(GaitEvent(kind, foot, float(time)))
    return tuple(sorted(found, key=lambda event: event.time))


RAW_CONTACT = (
    20.0  # [N]; stances of people begin above it, as gait laboratories have it
)
FILTERED_CONTACT = (
    50.0  # [N]; processed force files are low-passed: below it are tails of the filter
)
LARGEST_FORCE = 1e6  # [N]; nothing that walks presses harder
SHORTEST_STANCE = 0.1  # [s]

# A person's foot rolls for about a tenth of a second after touchdown and again before
# lift-off, its markers sit on skin, and forces low-passed at 6 to 15 Hz have flat spots
# of up to 50 ms.
HUMAN_GAIT = Processing(
    settle_time=0.1,
    slip_load_share=0.2,
    motion=SlidingConfig(speed_threshold=0.15, minimum_travel=5e-3),
    force=PlateauConfig(minimum_time=0.08),
)


@dataclasses.dataclass(frozen=True)
class Overrides:
    """User's settings in place of detection; an empty text leaves it to the data."""

    vertical: str = ""  # +x … -z
    forward: str = ""
    keep_offsets: bool = False


def plate_series(
    path: object,
    plates: list[Plate],
    markers: Markers,
    overrides: Overrides,
    notes: tuple[str, ...] = (),
    contact_force: float = RAW_CONTACT,
) -> list[TimeSeries]:
    """Convert plates to one series each, stances labelled with feet.

    Args:
        path: for messages.
        plates: of one recording.
        markers: of the same; may be empty.
        overrides: what the user knows better.
        notes: what the reader found, first in the provenance.
        contact_force: normal force that begins a stance [N].

    Raises:
        InvalidRecording: no plate was ever loaded.
        BipedSlipError: the vertical axis cannot be found.
    """
    for plate in plates:
        largest = float(
            np.max(np.abs(plate.force), where=np.isfinite(plate.force), initial=0.0)
        )
        if largest > LARGEST_FORCE:
            raise InvalidRecording(
                path,
                f"{plate.name} reads up to {largest:.3g} N",
                "check its unit and calibration",
            )
    up, sign, reason = find_up(
        path, [plate.force for plate in plates], overrides.vertical
    )
    zeros = [_zero(plate, up, sign, overrides) for plate in plates]
    forces = [
        sign * (plate.force - zero.reading[:, :3])
        for plate, zero in zip(plates, zeros, strict=True)
    ]
    forward, why = find_forward(up, forces, markers, overrides.forward)
    frame = sole_frame(up, sign, forward, (reason, why))
    provenance = (str(path), *notes, *frame.reasons)
    series = [
        _series(plate, zero, frame, markers, provenance, contact_force)
        for plate, zero in zip(plates, zeros, strict=True)
    ]
    if not any(one.standings for one in series):
        raise InvalidRecording(
            path, f"no plate is loaded (no stance above {contact_force:g} N)"
        )
    return _name_feet(series)


def _zero(plate: Plate, up: int, sign: float, overrides: Overrides) -> Zero:
    channels = np.column_stack([plate.force, plate.moment])
    time = (plate.stamp_ns - plate.stamp_ns[0]) * 1e-9
    zero = find_zero(time, channels, sign * plate.force[:, up])
    if overrides.keep_offsets:
        return dataclasses.replace(
            zero, reading=np.zeros_like(channels), note="offsets left in, as requested"
        )
    return zero


def _series(
    plate: Plate,
    zero: Zero,
    frame: Frame,
    markers: Markers,
    provenance: tuple[str, ...],
    contact_force: float,
) -> TimeSeries:
    force_lab = frame.sign * (plate.force - zero.reading[:, :3])
    moment_lab = frame.sign * (plate.moment - zero.reading[:, 3:])
    pressure = (
        plate.point
        if plate.point is not None
        else centre_of_pressure(plate, force_lab, moment_lab, frame.up)
    )
    force = force_lab @ frame.rotation.T
    time: FloatArray = plate.stamp_ns.astype(float) * 1e-9
    level = max(contact_force, NOISE_FACTOR * zero.noise)
    shortest = max(2, round(SHORTEST_STANCE / float(np.median(np.diff(time)))))
    found = stances(force[:, 2], level, shortest)
    standings = []
    velocity = np.full((len(time), 2), np.nan)
    both_seen = all(
        np.isfinite(markers.of_foot(side)).any() for side in ("left", "right")
    )
    for stance in found:
        foot, refusal = feet_from_markers(
            stance, time, pressure, plate.corners, markers, frame.up
        )
        loaded = slice(stance.first, stance.last)
        if (
            plate.corners is not None and not both_seen
        ):  # a belt carries a foot far, and so does a slide
            refusal = refusal or two_feet_by_pressure(
                (pressure[loaded] @ frame.rotation.T)[:, :2], force[loaded, 2]
            )
        standings.append(Standing(stance, "both" if refusal else foot, refusal))
        if foot != "unknown" and not refusal:
            speed = slowest_velocity(markers, foot, time[loaded], frame.up)
            velocity[loaded] = (speed @ frame.rotation.T)[:, :2]
    moving = bool(np.isfinite(velocity).any())
    motion = (
        Motion("marker", NOISE, "slowest marker of the foot")
        if moving
        else Motion(note="no markers on a foot")
    )
    at_limit = tuple(index + 1 for index in clipped(plate.channels, zero.unloaded))
    limits = [f"channel {number} is clipped" for number in at_limit]
    return TimeSeries(
        name=plate.name,
        stamp_ns=plate.stamp_ns,
        force=force,
        moment=moment_lab @ frame.rotation.T,
        displacement=np.full((len(time), 2), np.nan),
        velocity=velocity,
        angular_rate=np.full((len(time), 3), np.nan),
        motion=motion,
        force_noise=zero.noise,
        provenance=(*provenance, f"{plate.name}: {zero.note}", *limits),
        pressure=(pressure @ frame.rotation.T)[:, :2],
        outline=np.empty((0, 3))
        if plate.corners is None
        else plate.corners @ frame.rotation.T,
        rotation=frame.rotation,
        clipped=at_limit,
        standings=tuple(standings),
    )


def _name_feet(series: list[TimeSeries]) -> list[TimeSeries]:
    """Name sides from the columns, else from where consecutive stances press.

    The latter serves where markers show none.
    """
    sides: dict[tuple[int, int], str] = {}
    unknown = []
    for number, one in enumerate(series):
        named = next((side for side in ("left", "right") if side in one.name), "")
        for place, standing in enumerate(one.standings or ()):
            sides[number, place] = named or standing.foot
            if not named and standing.foot == "unknown" and not standing.refusal:
                unknown.append((one.stamp_ns[standing.stance.first], number, place))
    rest = [(number, place) for _, number, place in sorted(unknown)]
    points = []
    for number, place in rest:
        middle = series[number].pressure[
            (series[number].standings or ())[place].stance.middle
        ]
        points.append(
            np.nanmedian(middle, axis=0)
            if np.isfinite(middle).any()
            else np.full(2, np.nan)
        )
    sides.update(
        zip(rest, feet_from_pressure(points, np.array([1.0, 0.0])), strict=True)
    )
    return [
        dataclasses.replace(
            one,
            standings=tuple(
                standing._replace(foot=sides[number, place])
                for place, standing in enumerate(one.standings or ())
            ),
        )
        for number, one in enumerate(series)
    ]


@dataclasses.dataclass(frozen=True)
class Recording:
    """Recording of one file: its feet and the rules for slips."""

    path: str
    series: tuple[TimeSeries, ...]
    processing: Processing
    markers: Markers = NO_MARKERS  # x forward, y left, z up
    events: tuple[
        GaitEvent, ...
    ] = ()  # touchdowns and lift-offs that the file itself names
    mass: float = math.nan  # of the subject as the file has it [kg]
    # of contact, one a series, where they are known beforehand; empty: they follow from
    # each series
    levels: tuple[ContactLevels, ...] = ()


Reader = Callable[[Path, "str | Path | None", Overrides, "Progress | None"], Recording]
"""(file, YAML beside it, axes set by the user, progress) -> recording."""


class RecordingFormat(NamedTuple):
    """One kind of file."""

    fits: Callable[
        [Path, bytes], bool
    ]  # (file or folder, its first bytes) -> whether it is of this kind
    read: Reader


def ending(*endings: str) -> Callable[[Path, bytes], bool]:
    """Accept files with this ending, in small or capital letters."""
    return lambda path, head: path.suffix.lower() in endings
