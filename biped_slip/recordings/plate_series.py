# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Series of feet from raw plates: offsets, axes, stances, and whose feet they are.

From channels to one series a plate: the unloaded reading is taken off, the axis that
carries the weight is up, the walk goes forward; a stance is where the plate is loaded,
and its foot the one whose markers are nearest to the centre of pressure, else the one
that its place among the neighbouring stances tells.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.gait import HUMAN_GAIT, Overrides, Recording
from biped_slip.recordings.judge.losses import without_losses
from biped_slip.recordings.judge.stances import NOISE_FACTOR, stances, usual_load
from biped_slip.recordings.markers import (
    MARKER_NOISE,
    NO_MARKERS,
    NOT_A_FOOT,
    Frame,
    Markers,
    feet_from_markers,
    feet_from_pressure,
    find_forward,
    find_up,
    slowest_velocity,
    sole_frame,
    speed_backward,
    two_feet_by_pressure,
)
from biped_slip.recordings.plates import (
    Plate,
    PlateZero,
    centre_of_pressure,
    clipped,
    find_zero,
)
from biped_slip.recordings.series import (
    MARKER,
    FloatArray,
    Motion,
    Stance,
    Standing,
    TimeSeries,
    absent,
)

# [N]; stances of people begin above it, as gait laboratories have it
RAW_CONTACT = 20.0
# [N]; processed force files are low-passed: below it are tails of the filter
FILTERED_CONTACT = 50.0
LARGEST_FORCE = 1e6  # [N]; nothing that walks presses harder
SHORTEST_STANCE = 0.1  # [s]
NO_OVERRIDES = Overrides()
MOST_NAMES = 6  # of markers in a note


def plates_recording(
    path: object,
    plates: Sequence[Plate],
    markers: Markers = NO_MARKERS,
    overrides: Overrides = NO_OVERRIDES,
    notes: tuple[str, ...] = (),
    contact_force: float = RAW_CONTACT,
) -> Recording:
    """Convert raw plates to a recording of a person's walk.

    Offsets, axes, stances and feet are found (:func:`plate_series`), and the markers
    come into the axes of the walk with them.

    Args:
        path: of the file.
        plates: of one recording, in the laboratory's axes.
        markers: of the same, in the same axes; those on feet are known by their names
            (LHEE, L_TOE, RANK ...) and tell whose stance it is.
        overrides: what the user knows better.
        notes: what the reader found, first in the provenance.
        contact_force: normal force that begins a stance [N].

    Raises:
        InvalidRecording: no plate was ever loaded.
        BipedSlipError: the vertical axis cannot be found.
    """
    if markers.names and not markers.any_on_feet:
        shown = ", ".join(markers.names[:MOST_NAMES])
        notes = (
            *notes,
            f"no marker has the name of one on a foot (LHEE, L_TOE, RANK ...): {shown}",
        )
    series = plate_series(path, list(plates), markers, overrides, notes, contact_force)
    return Recording(
        path=str(path),
        series=tuple(series),
        processing=HUMAN_GAIT,
        markers=markers.turned(series[0].rotation),
    )


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
    _check_size(path, plates)
    names = [plate.name for plate in plates]
    up, signs, reasons = find_up(
        path, [plate.force for plate in plates], names, overrides.vertical
    )
    zeros = [
        _zero(plate, up, sign, overrides)
        for plate, sign in zip(plates, signs, strict=True)
    ]
    forces = [
        sign * (plate.force - zero.reading[:, :3])
        for plate, zero, sign in zip(plates, zeros, signs, strict=True)
    ]
    forward, why = find_forward(up, forces, markers, overrides.forward)
    frame = sole_frame(up, 1.0, forward, (*reasons, why))
    provenance = (str(path), *notes, *frame.reasons)
    series = [
        _series(
            plate, zero, frame._replace(sign=sign), markers, provenance, contact_force
        )
        for plate, zero, sign in zip(plates, zeros, signs, strict=True)
    ]
    if not any(one.standings for one in series):
        raise InvalidRecording(
            path, f"no plate is loaded (no stance above {contact_force:g} N)"
        )
    return _name_feet(series)


def _check_size(path: object, plates: Sequence[Plate]) -> None:
    for plate in plates:
        known = np.isfinite(plate.force)
        largest = float(np.max(np.abs(plate.force), where=known, initial=0.0))
        if largest > LARGEST_FORCE:
            raise InvalidRecording(
                path,
                f"{plate.name} reads up to {largest:.3g} N",
                "check its unit and calibration",
            )


def _zero(plate: Plate, up: int, sign: float, overrides: Overrides) -> PlateZero:
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
    zero: PlateZero,
    frame: Frame,
    markers: Markers,
    provenance: tuple[str, ...],
    contact_force: float,
) -> TimeSeries:
    """Turn one plate into the walk's axes, and find the stances and feet on it."""
    turned = _turned(plate, zero, frame)
    level = max(contact_force, NOISE_FACTOR * zero.noise)
    shortest = max(2, round(SHORTEST_STANCE / float(np.median(np.diff(turned.time)))))
    standings = [
        _standing(stance, turned, plate, frame, markers)
        for stance in without_losses(
            stances(turned.force[:, 2], level, shortest),
            turned.time,
            turned.force[:, 2],
            usual_load(turned.force[:, 2]),
        )
    ]
    velocity, motion = _marker_motion(standings, turned.time, frame, markers)
    at_limit = tuple(
        index + 1
        for index in clipped(
            plate.channels, zero.unloaded, plate.converter, plate.sensing
        )
    )
    limits = [f"channel {number} is clipped" for number in at_limit]
    return TimeSeries(
        name=plate.name,
        stamp_ns=plate.stamp_ns,
        force=turned.force,
        moment=turned.moment,
        displacement=absent(len(turned.time), 2),
        velocity=velocity,
        angular_rate=absent(len(turned.time), 3),
        motion=motion,
        force_noise=zero.noise,
        provenance=(*provenance, f"{plate.name}: {zero.note}", *limits),
        pressure=(turned.pressure_lab @ frame.rotation.T)[:, :2],
        outline=np.empty((0, 3))
        if plate.corners is None
        else plate.corners @ frame.rotation.T,
        rotation=frame.rotation,
        clipped=at_limit,
        standings=tuple(standings),
    )


class _Turned(NamedTuple):
    """What a plate measured, offset removed."""

    time: FloatArray  # shape (n,) [s]
    force: FloatArray  # in the walk's axes, shape (n, 3) [N]
    moment: FloatArray  # in the walk's axes, shape (n, 3) [N m]
    pressure_lab: FloatArray  # centre of pressure in the laboratory, shape (n, 3) [m]


def _turned(plate: Plate, zero: PlateZero, frame: Frame) -> _Turned:
    """Take off the unloaded reading, and turn forces and moments into the walk's axes.

    The centre of pressure stays in the laboratory, where plate and markers are.
    """
    force = frame.sign * (plate.force - zero.reading[:, :3])
    moment = frame.sign * (plate.moment - zero.reading[:, 3:])
    return _Turned(
        time=plate.stamp_ns.astype(float) * 1e-9,
        force=force @ frame.rotation.T,
        moment=moment @ frame.rotation.T,
        pressure_lab=plate.point
        if plate.point is not None
        else centre_of_pressure(plate, force, moment, frame.up),
    )


def _standing(
    stance: Stance, turned: _Turned, plate: Plate, frame: Frame, markers: Markers
) -> Standing:
    """Find the foot of one stance, or why there is more than one."""
    foot, refusal = feet_from_markers(
        stance, turned.time, turned.pressure_lab, plate.corners, markers, frame.up
    )
    both_seen = all(
        np.isfinite(markers.of_foot(side)).any() for side in ("left", "right")
    )
    # a belt carries a foot far, and so does a slide: without corners no plate is known
    if plate.corners is not None and not both_seen:
        loaded = slice(stance.first, stance.last)
        level = (turned.pressure_lab[loaded] @ frame.rotation.T)[:, :2]
        load = turned.force[loaded, 2]
        if not refusal and not speed_backward(turned.time[loaded], level, load):
            refusal = two_feet_by_pressure(level, load)
    named = "both" if refusal and foot != NOT_A_FOOT else foot
    return Standing(stance=stance, foot=named, refusal=refusal)


def _marker_motion(
    standings: Sequence[Standing], time: FloatArray, frame: Frame, markers: Markers
) -> tuple[FloatArray, Motion]:
    """Compute the velocity of each foot while it stands, shape (n, 2) [m/s]."""
    velocity = absent(len(time), 2)
    for standing in standings:
        if standing.foot != "unknown" and not standing.refusal:
            loaded = slice(standing.stance.first, standing.stance.last)
            speed = slowest_velocity(markers, standing.foot, time[loaded], frame.up)
            velocity[loaded] = (speed @ frame.rotation.T)[:, :2]
    if not np.isfinite(velocity).any():
        return velocity, Motion(note="no markers on a foot")
    return velocity, Motion(MARKER, MARKER_NOISE, "slowest marker of the foot")


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
