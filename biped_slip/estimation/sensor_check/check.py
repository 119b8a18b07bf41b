# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the sensors say what the model expects while a robot shifts its weight and sways, before the first step.

Each sensor is tried in every mounting of :mod:`.mounting`. What explains the recorded window
clearly better than the right mounting is named in one sentence; a sensor that no mounting explains is named, too.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.sensor_check.mounting import RIGHT, Mounting, flipped, turned
from biped_slip.estimation.sensor_check.mounting_evidence import (
    CarriedWrench,
    Explainer,
    Explanation,
    ToleranceConfig,
    evidence,
)

SIDES = ("left", "right")
SAMPLES = 100  # of a window that are looked at
NO_SUM = "the force sensors do not add up to what the model expects, in no mounting: check offsets and masses"
GIVE = 2.0  # (choice)
IMU_FITS = 1.0  # rms residual of an IMU that no mounting explains, over what may be off (choice)
LEAST_SCALES = 0.3, 0.1  # [m/s^2, rad/s] by which a right IMU may be off: soles give and tilt by 2 degrees (choice)

Hypothesis = tuple[bool, int, int]  # whether the feet are exchanged; mountings of left and right sensor


class CheckWindow(NamedTuple):
    """Some seconds of standing in double support, T samples; what is predicted comes from joints and model alone."""

    carried: CarriedWrench  # measured by the force sensors, and predicted
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
    evidence: float = parameter(
        3.0,
        above=0.0,
        high=1e3,
        doc="log likelihood ratio from which a mounting is named; 318 right windows stayed below 2.2 (choice)",
    )
    tolerance: ToleranceConfig = section(ToleranceConfig)
    imu_better: float = parameter(
        0.8,
        above=0.0,
        below=1.0,
        doc="residual that names a mounting of the IMU, as a share of the right one's (choice)",
    )
    fits: float = parameter(
        5.0, above=0.0, high=100.0, doc="misfit that still explains a window; about one of right sensors (choice)"
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
    carried = window.carried
    for name, values in zip((*CarriedWrench._fields, *CheckWindow._fields[1:]), (*carried, *window[1:]), strict=True):
        if not np.isfinite(values).all():
            raise InvalidParameter(f"CheckWindow.{name}", "NaN or infinite", "finite", "check that sensor's wiring")
    chosen = np.unique(np.linspace(0, len(carried.force) - 1, SAMPLES).astype(int))
    window = CheckWindow(
        CarriedWrench(*(np.asarray(values)[chosen] for values in carried)),
        *(np.asarray(values)[chosen] for values in window[1:]),
    )
    _check_motion(window, settings)
    return (*_force_faults(window, settings), *_imu_faults(window, settings))


def force_faults(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the force sensors."""
    return tuple(fault for fault in faults if not fault.startswith("the IMU"))


def imu_faults(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the IMU."""
    return tuple(fault for fault in faults if fault.startswith("the IMU"))


def _check_motion(window: CheckWindow, config: SensorCheckConfig) -> None:
    carried = window.carried
    apart = np.mean(carried.position[:, 0] - carried.position[:, 1], axis=0)[:2]
    lean = carried.force[:, :2] / carried.force[:, 2:]  # of the force through the centre of mass
    along = (lean * carried.position[:, 0, 2:] - carried.position[:, 0, :2]) @ apart / max(float(apart @ apart), 1e-6)
    shift, sway = float(np.ptp(along)), float(np.ptp(window.predicted_specific_force[:, :2], axis=0).max()) / GRAVITY
    if shift < config.least_shift:
        raise InvalidParameter(
            "weight shift", round(shift, 3), f"at least {config.least_shift:g} of the weight", "shift further sideways"
        )
    if sway < config.least_sway:
        raise InvalidParameter("sway", round(sway, 4), f"at least {config.least_sway:g} rad", "sway by 3 degrees")


def _force_faults(window: CheckWindow, config: SensorCheckConfig) -> tuple[str, ...]:
    weight = float(np.mean(window.carried.force[:, 2]))
    stuck = [
        f"the force sensor of the {side} foot reads a constant while the weight shifts"
        for foot, side in enumerate(SIDES)
        if np.ptp(window.carried.wrench[:, foot, :3], axis=0).max() < config.constant * weight
    ]
    if stuck:
        return tuple(stuck)
    mountings = (RIGHT, *sorted((*flipped("force", "moment"), *turned()), key=lambda one: one.oddity))
    explainer = Explainer(window.carried, mountings, config.tolerance)
    explained = {key: explainer.explain(*key) for key in _hypotheses(len(mountings))}
    oddity = [0, *(one.oddity for one in mountings[1:])]
    found = _likeliest(explained, config.evidence, oddity)
    if explained[found[0]].misfit > config.fits:
        return (NO_SUM,)
    sentences = [_in_words(one, mountings) for one in found]
    if len(found) == 1:
        return sentences[0]
    return (", or ".join(" and ".join(one) for one in sentences) + ": this sway does not tell which",)


def _in_words(hypothesis: Hypothesis, mountings: Sequence[Mounting]) -> tuple[str, ...]:
    """One sentence a fault."""
    swapped, *feet = hypothesis
    wrong = [(side, mountings[one].words) for side, one in zip(SIDES, feet, strict=True) if one]
    return (
        *(["the force sensors of the left and the right foot are exchanged"] if swapped else []),
        *(f"the force sensor of the {side} foot {words}" for side, words in wrong),
    )


def _hypotheses(mountings: int) -> Iterator[Hypothesis]:
    """Right sensors, one fault, or two; two different mountings at once are not told apart."""
    for one in range(mountings):
        yield False, one, one
        for swapped in (False, True):
            if one or swapped:
                yield swapped, one, 0
            if one:
                yield swapped, 0, one


def _likeliest(explained: dict[Hypothesis, Explanation], least: float, oddity: Sequence[int]) -> tuple[Hypothesis, ...]:
    """The fewest faults that none with more are clearly likelier than; of close ones the simplest, likeliest first."""
    chosen: tuple[Hypothesis, ...] = ((False, 0, 0),)
    for faults in (1, 2):
        gain = {key: evidence(explained[chosen[0]], one) for key, one in explained.items() if _count(key) == faults}
        enough = max(least, max(gain.values()) - least)
        odd = {key: oddity[key[1]] + oddity[key[2]] for key, value in gain.items() if value >= enough}
        simplest = (key for key, value in odd.items() if value == min(odd.values()))
        chosen = tuple(sorted(simplest, key=lambda key: -gain[key])) or chosen
    return chosen


def _count(key: Hypothesis) -> int:
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
