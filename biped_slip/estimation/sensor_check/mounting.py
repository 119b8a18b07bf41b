# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How a sensor can be mounted or wired wrongly: turned by right angles, or with signs flipped."""

from __future__ import annotations

from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array

AXES = ("x", "y", "z")


class Mounting(NamedTuple):
    """What a sensor says of the truth: vectors that it should give are multiplied by these."""

    words: str  # "is turned by 90 degrees about its z axis"; empty: as it should be
    force: Array  # (3, 3) of a force or specific force
    moment: Array  # (3, 3) of a moment or angular velocity

    @property
    def oddity(self) -> int:
        """How unlikely somebody mounts or wires it so: all signs, right angles, half turns, one sign, oblique turns."""
        if np.linalg.det(self.force) > 0.0 and np.array_equal(self.force, self.moment):
            return 4 if "oblique" in self.words else 1 if "90" in self.words else 2
        return 0 if abs(np.trace(self.force) * np.trace(self.moment)) == 9.0 else 3


def turned() -> tuple[Mounting, ...]:
    """The 23 ways to turn a sensor by right angles, the simple ones first."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            rotation = np.zeros((3, 3))
            rotation[range(3), order] = signs
            if np.linalg.det(rotation) > 0.0 and not np.array_equal(rotation, np.eye(3)):
                found.append(Mounting(_turn_in_words(rotation), rotation, rotation))
    return tuple(sorted(found, key=lambda one: -np.trace(one.force)))


def _turn_in_words(rotation: Array) -> str:
    angle = round(np.degrees(np.arccos(np.clip(0.5 * (np.trace(rotation) - 1.0), -1.0, 1.0))))
    values, vectors = np.linalg.eigh(0.5 * (rotation + rotation.T))
    axis = vectors[:, int(np.argmax(values))]
    along = np.flatnonzero(np.abs(axis) > 0.99)
    if not along.size:
        rows = ", ".join(f"{AXES[i]} reads {_axis_in_words(rotation[i])}" for i in range(3))
        return f"is turned by {angle} degrees about an oblique axis ({rows})"
    if angle == 180:
        upside = ", upside down" if along[0] != 2 else ""
        return f"is turned by 180 degrees about its {AXES[along[0]]} axis{upside}"
    return f"is turned by 90 degrees about its {AXES[along[0]]} axis"


def _axis_in_words(row: Array) -> str:
    axis = int(np.argmax(np.abs(row)))
    return ("" if row[axis] > 0.0 else "minus ") + AXES[axis]


def flipped(force: str, moment: str) -> tuple[Mounting, ...]:
    """Signs flipped: of everything, of all components of one quantity, or of one component."""
    unit = np.eye(3)
    whole = [
        Mounting(f"has the opposite sign ({force} and {moment})", -unit, -unit),
        Mounting(f"has the opposite sign ({force} alone)", -unit, unit),
        Mounting(f"has the opposite sign ({moment} alone)", unit, -unit),
    ]
    single = []
    for axis in range(3):
        one = np.diag([-1.0 if k == axis else 1.0 for k in range(3)])
        single.append(Mounting(f"has the opposite sign of {force} {AXES[axis]}", one, unit))
        single.append(Mounting(f"has the opposite sign of {moment} {AXES[axis]}", unit, one))
    return (*whole, *single)


RIGHT = Mounting("", np.eye(3), np.eye(3))
