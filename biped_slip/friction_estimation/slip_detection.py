# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slip events of one foot (study 7.8).

In a slip it moves along its force while the force ratio no longer rises. A load that
has turned round bends the sole the other way, by up to twice what it was bent, at a
ratio that is no larger than before: without ``reversals`` that is no slip.

A sole that also turns slides at a smaller force: of its friction the moment about the
floor's normal uses a part. The ratio that is judged and reported is that of the limit
surface, ``hypot(F, M/r)/N`` [HoweCutkosky1996].
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

COMPARED_BLOCKS = 4  # blocks compared over
# sliding blocks whose median is the kinetic ratio; beyond, the extremes make room
SLIDING_BLOCKS = 64


class SlipBuffers(NamedTuple):
    """Buffers of the detector, which ``detect`` overwrites."""

    # ring of (force ratio x, y, that of the moment, displacement x, y, age), shape
    # (COMPARED_BLOCKS, 6) [-, -, -, mm, mm, s]
    recent: Array
    ratios: Array  # sorted ratios while sliding, shape (SLIDING_BLOCKS,)
    event: NDArray[Any]  # one record of EVENT


EVENT = np.dtype(
    [
        ("blocks", np.int64),  # blocks seen since contact
        ("slipping", np.bool_),
        ("slipped", np.bool_),  # at any time in this contact
        ("onset", np.float64),  # [s] after contact
        ("start_x", np.float64),  # displacement at the onset [mm]
        ("start_y", np.float64),
        ("distance", np.float64),  # since the onset [mm]
        ("heading", np.float64),  # of the motion, from the foot's x axis [rad]
        ("sliding_blocks", np.int64),
        ("kinetic", np.float64),  # median ratio while sliding [-]
    ]
)


class SlipEvent(NamedTuple):
    """The last slip of a contact."""

    going_on: bool
    onset: float  # [s] after contact
    heading: float  # of the motion, from the foot's x axis [rad]
    distance: float  # since the onset [m]
    kinetic: float  # median ratio while sliding [-]


def last_event(slip: SlipBuffers) -> SlipEvent | None:
    """Return the last slip of this contact, if there was one."""
    event = slip.event[0]
    if not event["slipped"]:
        return None
    onset, heading, distance, kinetic = (
        float(event[name]) for name in ("onset", "heading", "distance", "kinetic")
    )
    return SlipEvent(
        going_on=bool(event["slipping"]),
        onset=onset,
        heading=heading,
        distance=1e-3 * distance,
        kinetic=kinetic,
    )


def new_buffers() -> SlipBuffers:
    """Allocate the buffers before the first contact."""
    return SlipBuffers(
        np.zeros((COMPARED_BLOCKS, 6)),
        np.zeros(SLIDING_BLOCKS),
        np.zeros(1, dtype=EVENT),
    )


@kernel
def forget(slip: SlipBuffers) -> None:
    """Reset at a new contact: no motion seen, no slip."""
    event = slip.event[0]
    event["blocks"] = event["sliding_blocks"] = 0
    event["slipping"] = event["slipped"] = False
    event["onset"] = event["heading"] = event["kinetic"] = math.nan
    event["distance"] = 0.0


@kernel
def restart_window(slip: SlipBuffers) -> None:
    """Restart the detector's window at the present block and end an ongoing slip."""
    slip.event[0]["blocks"] = 0
    slip.event[0]["slipping"] = False


@kernel
def _length(u_x: float, u_y: float, turn: float) -> float:
    return math.hypot(math.hypot(u_x, u_y), turn)


@kernel
def _flat(
    before: Array, u_x: float, u_y: float, turn: float, config: Any, sigma_u: float
) -> bool:
    """Return whether a load no longer rises over the window, nor turned round in it."""
    turned_round = before[0] * u_x + before[1] * u_y + before[2] * turn < 0.0
    if turned_round and not config.reversals:
        return False
    ratio = _length(u_x, u_y, turn)
    rise = ratio - _length(before[0], before[1], before[2])
    return rise <= config.flatness * ratio + 3.0 * sigma_u


@kernel
def detect(
    slip: SlipBuffers,
    config: Any,
    age: float,
    u_x: float,
    u_y: float,
    moment: float,
    x: float,
    y: float,
    sigma_u: float,
    sigma_x: float,
    s_p: float,
) -> bool:
    """Judge one block; return whether the foot slips now.

    Args:
        slip: buffers of the window and the event; overwritten.
        config: packed ``SlipConfig``.
        age: time since contact [s].
        u_x: force ratio along x, with the sign of the motion that it drives [-].
        u_y: the same along y [-].
        moment: about the floor's normal over the normal force [m].
        x: displacement along x [mm].
        y: displacement along y [mm].
        sigma_u: standard deviation of the force ratio [-].
        sigma_x: standard deviation of the displacement's change over the window [mm].
        s_p: presliding displacement of the sole [mm].
    """
    event = slip.event[0]
    count = event["blocks"]
    pull = math.hypot(u_x, u_y)
    turn = moment / config.moment_arm if config.moment_arm > 0.0 else 0.0
    ratio = _length(u_x, u_y, turn)
    if count >= COMPARED_BLOCKS:
        before = slip.recent[count % COMPARED_BLOCKS]
        along = 0.0
        if pull > config.smallest_ratio:
            along = ((x - before[3]) * u_x + (y - before[4]) * u_y) / pull
        needed = max(config.sigmas * sigma_x, config.share_of_s_p * s_p)
        if event["slipping"]:
            event["slipping"] = along > config.end_share * needed
        elif along > needed and _flat(before, u_x, u_y, turn, config, sigma_u):
            event["slipping"] = event["slipped"] = True
            event["start_x"], event["start_y"], event["onset"] = (
                before[3],
                before[4],
                before[5],
            )
        if event["slipping"]:
            event["distance"] = math.hypot(x - event["start_x"], y - event["start_y"])
            event["heading"] = math.atan2(y - event["start_y"], x - event["start_x"])
            _note(slip, ratio)
    row = slip.recent[count % COMPARED_BLOCKS]
    row[0] = u_x
    row[1] = u_y
    row[2] = turn
    row[3] = x
    row[4] = y
    row[5] = age
    event["blocks"] = count + 1
    return event["slipping"]


@kernel
def _note(slip: SlipBuffers, ratio: float) -> None:
    """Insert a ratio among the sorted ones and take the median.

    When the list is full, the largest or the smallest goes.
    """
    event = slip.event[0]
    ratios = slip.ratios
    count = min(event["sliding_blocks"], SLIDING_BLOCKS)
    if count == SLIDING_BLOCKS:
        count -= 1
        if event["sliding_blocks"] % 2 == 1:
            for k in range(count):
                ratios[k] = ratios[k + 1]
    place = count
    while place > 0 and ratios[place - 1] > ratio:
        ratios[place] = ratios[place - 1]
        place -= 1
    ratios[place] = ratio
    event["sliding_blocks"] += 1
    event["kinetic"] = 0.5 * (ratios[count // 2] + ratios[(count + 1) // 2])
