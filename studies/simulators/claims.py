# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the table of simulators must show, and its picture."""

from __future__ import annotations

import math
from itertools import cycle
from typing import Any, Iterable

from biped_slip.reports.figures import ESTIMATE, LEFT, LIMIT, MUTED, RIGHT, SLIP, TRUTH, stacked_axes
from studies.estimator.conditions import NAN, Row
from studies.simulators.bench import Measured
from studies.simulators.creep import Creep

OURS, PEER = "biped_slip", "Euler, 1 ms"
SHARE = 0.1  # of MuJoCo's error that our step may have
FINER = 0.1  # [mm] error of ours that is reported, too
EQUAL = 1.0  # [mm] slip error at which speeds are compared
STEADY = 1e-8  # [m/s] that counts as no creep
MARKERS = "s^vDPX*<>"  # of the others
LOOK = {"biped_slip": (ESTIMATE, "o"), "MuJoCo, Euler": (SLIP, "o"), "MuJoCo, RK4": (LIMIT, "o")}
OTHERS = (LEFT, RIGHT, "#56b4e9", TRUTH, MUTED)


def planar_rows(table: list[Measured]) -> list[Row]:
    """Requirements on the planar biped; errors of its scenes: drop, then slips."""
    rows = _beside_euler("planar", table, 3.0, "3.2")
    peer, finer = _peer(table), _best(table, OURS, FINER)
    if peer is not None and finer is not None:
        what = f"... and over ours, {finer.label}, with an error of {max(finer.errors):.2g} mm"
        rows.append(Row(what, NAN, False, "", peer.physics_us / finer.physics_us))
    fine = _best(table, OURS, EQUAL, slips=True)
    if fine is None:
        return rows
    reached = max(fine.errors[1:])
    for words, error, required in (("no larger slip error", reached, 100.0), (f"<= {EQUAL:g} mm as well", EQUAL, NAN)):
        theirs = _best(table, "MuJoCo", error, slips=True)
        if theirs is not None:
            what = f"planar, ours {fine.label} with {reached:.2g} mm of slip error, MuJoCo {theirs.label} with {words}"
            rows.append(Row(f"{what}, by time", required, False, "> 100", theirs.physics_us / fine.physics_us))
    return rows


def humanoid_rows(table: list[Measured]) -> list[Row]:
    """Requirements on the humanoid."""
    return _beside_euler("talos", table, 1.5, "1.5")


def _beside_euler(robot: str, table: list[Measured], required: float, study: str) -> list[Row]:
    """The fastest of our steps with a tenth of the error that MuJoCo's usual step has."""
    peer = _peer(table)
    ours = None if peer is None else _best(table, OURS, SHARE * max(peer.errors))
    if peer is None or ours is None:
        return []
    what = f"{robot}: MuJoCo {PEER} over ours, {ours.label}, by time"
    return [
        Row(what, required, False, study, peer.physics_us / ours.physics_us),
        Row("... our error over its", SHARE, True, "", max(ours.errors) / max(peer.errors)),
    ]


def creep_rows(found: Iterable[Creep]) -> list[Row]:
    """Requirements on our own laws; the others are reported."""
    rows = []
    for one in found:
        required = 1e6 * STEADY if one.name.startswith("hunt_crossley") else NAN
        rows.append(Row(f"creep at 0.5 mu N [um/s]: {one.name}", required, True, "", 1e6 * one.creep))
        rows.append(Row("... presliding given back [%]", NAN, True, "", 100.0 * one.recovered / one.deflection))
    return rows


def faster_peers(table: list[Measured]) -> list[str]:
    """Peer settings that take less time than one of ours with a larger error, in words."""
    words = []
    for peer in table:
        if peer.simulator == OURS:
            continue
        beaten = [one.label for one in table if one.simulator == OURS
                  and one.physics_us > peer.physics_us and max(one.errors) > max(peer.errors)]  # fmt: skip
        if beaten:
            words.append(f"{peer.simulator} {peer.label} is faster and closer to its own solution than {beaten[0]}")
    return words


def picture(tables: dict[str, list[Measured]]) -> Any:
    """Error over time of a control period, one row of axes per robot."""
    names = list(tables)
    figure, axes = stacked_axes(
        [f"{name}: largest error [mm]" for name in names], abscissa="time of a control period of physics [µs]",
        row_height=3.0,
    )  # fmt: skip
    for axis, name in zip(axes, names, strict=True):
        axis.set_xscale("log")
        axis.set_yscale("log")
        others = cycle(zip(OTHERS, MARKERS, strict=False))
        for family, line in _families(tables[name]).items():
            colour, marker = LOOK.get(family) or next(others)
            axis.plot([one.physics_us for one in line], [max(one.errors) for one in line], "-", marker=marker,
                      color=colour, markersize=4, label=_with_steps(family, line))  # fmt: skip
        axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def _with_steps(family: str, line: list[Measured]) -> str:
    """Name of a curve, and its steps from left to right."""
    first, last = (one.label.rpartition(", ")[2] for one in (line[0], line[-1]))
    return f"{family}: {first}" + (f" to {last}" if len(line) > 1 else "")


def _families(table: list[Measured]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for one in table:
        kind = one.label.rpartition(", ")[0]
        found.setdefault(f"{one.simulator}, {kind}" if kind else one.simulator, []).append(one)
    return found


def _peer(table: list[Measured]) -> Measured | None:
    return next((one for one in table if one.label == PEER), None)


def _best(table: list[Measured], simulator: str, error: float, slips: bool = False) -> Measured | None:
    """The fastest setting of a simulator within an error [mm]; of sliding alone, if asked."""

    def largest(one: Measured) -> float:
        return max(one.errors[1:] if slips else one.errors)

    fitting = [one for one in table if one.simulator == simulator and largest(one) <= error
               and not math.isnan(sum(one.errors))]  # fmt: skip
    return min(fitting, key=lambda one: one.physics_us, default=None)
