# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Gears between motors and joints: what their friction takes of the motors' torques.

A joint that slides at the rate w under the torque tau of its motor loses

.. math:: f = \mathrm{sign}(w)\,(F_c + \eta\,|\tau|) + F_v\,w

with Coulomb friction F_c, a share eta of the load, viscous friction F_v
[Duclusaud2024]. A robot's YAML gives them by joint, or by a pattern such as
``*_knee_joint``; what it leaves out is derived from the torque limit of the joint.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter, UnknownName

# of the torque limit: 1.6 to 2.4 N m of 88 to 139 N m in the legs of a G1
# [Unitree2025]
COULOMB_SHARE = 0.0175
# [s/rad] of the Coulomb friction: 0.16 of 1.6, 0.24 of 2.4 N m [Unitree2025]
VISCOUS_PER_COULOMB = 0.1
# of the motor's torque: 0.063 behind a harmonic drive, less behind planets
# [Duclusaud2024]
LOAD_SHARE = 0.05
KEYS = ("coulomb", "viscous", "load")

#: (joint or pattern, ((key, number), ...)) as a frozen configuration holds them
NamedGears = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]


class Gears(NamedTuple):
    """Friction of the gears of n joints."""

    coulomb: Array  # (n,) [N m]
    viscous: Array  # (n,) [N m s/rad]
    load: Array  # (n,) share of the motor's torque


def named_gears(mapping: Mapping[str, Any]) -> NamedGears:
    """Convert ``gears`` of a robot's YAML into pairs.

    Raises:
        InvalidParameter: a joint has no mapping of keys to numbers.
        UnknownName: an unknown key.
    """
    found = []
    for joint, gear in mapping.items():
        if not isinstance(gear, Mapping):
            raise InvalidParameter(
                f"gears.{joint}", gear, "a mapping", "such as {coulomb: 1.6}"
            )
        for key in gear:
            if key not in KEYS:
                raise UnknownName(f"key of gears.{joint}", str(key), list(KEYS))
        numbers = tuple((str(key), number) for key, number in gear.items())
        found.append((str(joint), numbers))
    return tuple(found)


def gears_of(named: NamedGears, joints: Sequence[str], efforts: Array) -> Gears:
    """Find the gears of all joints; a later pattern prevails over those before it.

    Args:
        named: by joint or pattern.
        joints: names (n,).
        efforts: largest torques (n,) [N m].

    Raises:
        UnknownName: a pattern that no joint has.
    """
    given: list[dict[str, float]] = [{} for _ in joints]
    for pattern, numbers in named:
        places = [k for k, joint in enumerate(joints) if fnmatchcase(joint, pattern)]
        if not places:
            raise UnknownName("joint of gears", pattern, list(joints))
        for k in places:
            given[k] |= dict(numbers)
    coulomb = np.array(
        [
            one.get("coulomb", COULOMB_SHARE * effort)
            for one, effort in zip(given, efforts, strict=True)
        ]
    )
    viscous = np.array(
        [
            one.get("viscous", VISCOUS_PER_COULOMB * level)
            for one, level in zip(given, coulomb, strict=True)
        ]
    )
    load = np.array([one.get("load", LOAD_SHARE) for one in given])
    return Gears(coulomb=coulomb, viscous=viscous, load=load)
