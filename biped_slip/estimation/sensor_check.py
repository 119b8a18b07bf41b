# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the sensors say what the model expects while a robot shifts its weight and sways, before the first step.

Each sensor is tried in every mounting of :mod:`biped_slip.estimation.mounting`. What explains the recorded window
clearly better than the right mounting is named in one sentence; a sensor that no mounting explains is named, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.mounting import RIGHT, Mounting, flipped, turned
from biped_slip.estimation.readings import Array

SIDES = ("left", "right")
SAMPLES = 200  # of a window that are looked at
NO_SUM = "the force sensors do not add up to what the model expects, in no mounting: check offsets and masses"
GIVE = 2.0  # (choice)
CLOSE = 1.4  # times the smallest misfit: not clearly worse, so the simpler mounting is named (choice)
BLUR = 0.3  # of what an axis may be off: smaller differences say nothing about a mounting (choice)
IMU_FITS = 1.0  # rms residual of an IMU that no mounting explains, likewise (choice)
LEAST_SCALES = 0.3, 0.1  # [m/s^2, rad/s] by which a right IMU may be off: soles give and tilt by 2 degrees (choice)


class CheckWindow(NamedTuple):
    """Some seconds of standing in double support, T samples; what is predicted comes from joints and model alone."""

    wrench_in_sole: Array  # (T, 2, 6) measured: ground on foot, about the sole's origin
    sole_rotation: Array  # (T, 2, 3, 3) sole to a frame at rest
    sole_position: Array  # (T, 2, 3) in that frame [m]
    total_wrench: Array  # (T, 6) predicted sum of the ground's wrenches in that frame, about its origin
    specific_force: Array  # (T, 3) measured by the base's IMU
    angular_velocity: Array  # (T, 3)
    predicted_specific_force: Array  # (T, 3) in the base: +g along the floor's normal where it stands
    predicted_angular_velocity: Array  # (T, 3)


@configuration
class SensorCheckConfig(Configuration):
    """When a sensor is said to be wrong."""

    least_shift: float = parameter(
        0.2,
        above=0.0,
        high=1.0,
        doc="of the weight that must pass from foot to foot, else nothing is judged (choice)",
    )
    least_sway: float = parameter(
        0.03,
        unit="rad",
        above=0.0,
        high=0.5,
        doc="that the base must sway to and fro (choice: 2 of 6 degrees)",
    )
    better: float = parameter(
        0.72,
        above=0.0,
        below=1.0,
        doc="misfit that names a mounting, as a share of the right one's (choice)",
    )
    imu_better: float = parameter(
        0.8, above=0.0, below=1.0, doc="the same of the IMU, whose sway giving soles distort (choice)"
    )
    force_off: float = parameter(
        0.01, above=0.0, high=1.0, doc="by which right forces may be off, as a share of the weight (choice)"
    )
    pressure_off: float = parameter(
        0.01,
        unit="m",
        above=0.0,
        high=1.0,
        doc="by which the centre of pressure may be off the prediction: soles give, tilts are estimated (choice)",
    )
    fits: float = parameter(
        1.0, above=0.0, high=10.0, doc="rms of what is not explained over what may be off, that still fits (choice)"
    )
    constant: float = parameter(
        0.02,
        above=0.0,
        high=1.0,
        doc="range of a force, as a share of the weight: the sensor is stuck (choice)",
    )


def check_sensors(window: CheckWindow, config: SensorCheckConfig | None = None) -> tuple[str, ...]:
    """What is wrong, one sentence a fault; empty when all is well.

    Raises:
        InvalidParameter: the window does not move enough to judge, or holds a number that is not finite.
    """
    settings = config or SensorCheckConfig()
    for name, values in window._asdict().items():
        if not np.isfinite(values).all():
            raise InvalidParameter(f"CheckWindow.{name}", "NaN or infinite", "finite", "check that sensor's wiring")
    chosen = np.unique(np.linspace(0, len(window.total_wrench) - 1, SAMPLES).astype(int))
    window = CheckWindow(*(np.asarray(values)[chosen] for values in window))
    _check_motion(window, settings)
    return (*_force_faults(window, settings), *_imu_faults(window, settings))


def force_faults(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the force sensors."""
    return tuple(fault for fault in faults if not fault.startswith("the IMU"))


def imu_faults(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the IMU."""
    return tuple(fault for fault in faults if fault.startswith("the IMU"))


def _check_motion(window: CheckWindow, config: SensorCheckConfig) -> None:
    weight = float(np.mean(window.total_wrench[:, 2]))
    apart = np.ptp(np.mean(window.sole_position, axis=0), axis=0)[:2]
    levers = -window.total_wrench[:, 4] / weight, window.total_wrench[:, 3] / weight  # centre of pressure x, y
    along = (levers[0] * apart[0] + levers[1] * apart[1]) / max(float(apart @ apart), 1e-6)
    shift, sway = float(np.ptp(along)), float(np.ptp(window.predicted_specific_force[:, :2], axis=0).max()) / 9.81
    if shift < config.least_shift:
        raise InvalidParameter(
            "weight shift", round(shift, 3), f"at least {config.least_shift:g} of the weight", "shift further sideways"
        )
    if sway < config.least_sway:
        raise InvalidParameter("sway", round(sway, 4), f"at least {config.least_sway:g} rad", "sway by 3 degrees")


def _force_faults(window: CheckWindow, config: SensorCheckConfig) -> tuple[str, ...]:
    weight = float(np.mean(window.total_wrench[:, 2]))
    stuck = [
        f"the force sensor of the {side} foot reads a constant while the weight shifts"
        for foot, side in enumerate(SIDES)
        if np.ptp(window.wrench_in_sole[:, foot, :3], axis=0).max() < config.constant * weight
    ]
    if stuck:
        return tuple(stuck)
    scale = weight * np.repeat([config.force_off, config.pressure_off], 3)
    mountings = (RIGHT, *sorted((*flipped("force", "moment"), *turned()), key=lambda one: one.oddity))
    misfit: dict[tuple[bool, int, int], float] = {}
    right_errors = np.zeros(0)
    for swapped in (False, True):
        parts = [[_at_rest(window, foot, swapped, one) for one in mountings] for foot in (0, 1)]
        for left in range(len(mountings)):
            for right in range(len(mountings)):
                if left and right and (left != right or swapped):
                    continue  # two different faults at once are not told apart
                error = (parts[0][left] + parts[1][right] - window.total_wrench) / scale
                misfit[swapped, left, right] = _misfit(error)
                if not (swapped or left or right):
                    right_errors = error
    swapped, left, right = _best(misfit, config.better)
    found = ["the force sensors of the left and the right foot are exchanged"] if swapped else []
    found += [
        f"the force sensor of the {side} foot {mountings[one].words}"
        for side, one in zip(SIDES, (left, right), strict=True)
        if one
    ]
    if not found and np.sqrt(np.mean(right_errors**2)) > config.fits:
        found = [NO_SUM]
    return tuple(found)


def _at_rest(window: CheckWindow, foot: int, swapped: bool, mounting: Mounting) -> Array:
    """Wrenches (T, 6) of a foot in the frame at rest, if its sensor were mounted like this."""
    measured = window.wrench_in_sole[:, 1 - foot if swapped else foot]
    rotation = window.sole_rotation[:, foot]
    force = np.einsum("tij,tj->ti", rotation, measured[:, :3] @ mounting.force)  # the inverse of a mounting: transposed
    moment = np.einsum("tij,tj->ti", rotation, measured[:, 3:] @ mounting.moment)
    return np.hstack([force, moment + np.cross(window.sole_position[:, foot], force)])


def _misfit(error: Array) -> float:
    """What errors (T, 6) over what they may be say against a mounting.

    The product over the axes of their rms, as of Gaussian noise whose size on each axis is not known: an axis that
    the model predicts badly doesn't drown the others. A constant part as small as offsets may be says nothing.
    """
    constant = np.maximum(np.abs(error.mean(axis=0)) - 1.0, 0.0)
    return float(np.prod(np.sqrt(constant**2 + error.var(axis=0) + BLUR**2)))


def _best(misfit: dict[tuple[bool, int, int], float], better: float) -> tuple[bool, int, int]:
    """The hypothesis with the fewest faults that none with more explains clearly better; of close ones the simplest."""
    chosen = (False, 0, 0)
    for faults in (1, 2):
        rivals = {key: value for key, value in misfit.items() if _count(key) == faults}
        least = CLOSE * min(rivals.values())
        best = min((key for key, value in rivals.items() if value <= least), key=lambda key: sum(key[1:]))
        if rivals[best] < better * misfit[chosen]:
            chosen = best
    return chosen


def _count(key: tuple[bool, int, int]) -> int:
    swapped, left, right = key
    return int(swapped) + int(left > 0) + int(right > 0)


def _unexplained(values: Array, wanted: Array) -> Array:
    """What (T, 3) is not what is wanted; it may sway GIVE times less or more: soles that give add to the sway."""
    sway = wanted - wanted.mean(axis=0)
    apart = values - wanted.mean(axis=0)
    share = (apart * sway).sum(axis=0) / np.maximum((sway * sway).sum(axis=0), 1e-12)
    return np.asarray(apart - np.clip(share, 1.0 / GIVE, GIVE) * sway)


def _imu_faults(window: CheckWindow, config: SensorCheckConfig) -> tuple[str, ...]:
    measured = window.specific_force, window.angular_velocity
    expected = window.predicted_specific_force, window.predicted_angular_velocity
    spreads = [float(np.std(one - one.mean(axis=0))) for one in expected]
    scales = np.maximum(spreads, LEAST_SCALES)

    def residual(one: Mounting) -> float:
        errors = [
            _unexplained(values @ turn, wanted) / scale
            for values, turn, wanted, scale in zip(measured, (one.force, one.moment), expected, scales, strict=True)
        ]
        return float(np.sqrt(np.mean(np.hstack(errors) ** 2)))

    right, others = residual(RIGHT), (*turned(), *flipped("acceleration", "angular velocity"))
    best = min(others, key=residual)
    if residual(best) < config.imu_better * right:
        return (f"the IMU {best.words}",)
    if right > IMU_FITS:
        return ("the IMU does not say what the joints expect, in no mounting: check its frame and its bias",)
    return ()
