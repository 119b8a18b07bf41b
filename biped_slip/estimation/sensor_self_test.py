# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor self-test before the first step.

It tests force sensors, IMU and encoders against the model.

While the robot shifts its weight and sways, each sensor is tried in every mounting:
turned by right angles, or with signs flipped. What explains the recorded window clearly
better than the right mounting is named in one sentence; a sensor that no mounting
explains is named, too. What the sensors should say comes from joints and model alone.

A robot without force sensors has wrenches that are NaN throughout: its encoders and IMU
are tried as those of any other, and :data:`UNCHECKED` says what is not. The torques
that take their place are judged by its first steps (``effort_check.py``).
"""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from scipy.interpolate import make_interp_spline
from scipy.ndimage import uniform_filter1d

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import FEET, GRAVITY
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.estimation.readings import RawReadings, SensorReadings

AXES = ("x", "y", "z")


class Mounting(NamedTuple):
    """Linear map from true vectors to the sensor's readings."""

    words: str  # "is turned by 90 degrees about its z axis"; empty: as it should be
    force: Array  # (3, 3) of a force or specific force
    moment: Array  # (3, 3) of a moment or angular velocity

    @property
    def oddity(self) -> int:
        """Rank of how unlikely a mounting is.

        The order is all signs, right angles, half turns, one sign, oblique turns.
        """
        if np.linalg.det(self.force) > 0.0 and np.array_equal(self.force, self.moment):
            return 4 if "oblique" in self.words else 1 if "90" in self.words else 2
        return 0 if abs(np.trace(self.force) * np.trace(self.moment)) == 9.0 else 3


def turned() -> tuple[Mounting, ...]:
    """List the 23 ways to turn a sensor by right angles, the simple ones first."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            rotation = np.zeros((3, 3))
            rotation[range(3), order] = signs
            if np.linalg.det(rotation) > 0.0 and not np.array_equal(
                rotation, np.eye(3)
            ):
                found.append(Mounting(_turn_in_words(rotation), rotation, rotation))
    return tuple(sorted(found, key=lambda one: -np.trace(one.force)))


def _turn_in_words(rotation: Array) -> str:
    angle = round(
        np.degrees(np.arccos(np.clip(0.5 * (np.trace(rotation) - 1.0), -1.0, 1.0)))
    )
    values, vectors = np.linalg.eigh(0.5 * (rotation + rotation.T))
    axis = vectors[:, int(np.argmax(values))]
    along = np.flatnonzero(np.abs(axis) > 0.99)
    if not along.size:
        rows = ", ".join(
            f"{AXES[i]} reads {_axis_in_words(rotation[i])}" for i in range(3)
        )
        return f"is turned by {angle} degrees about an oblique axis ({rows})"
    if angle == 180:
        upside = ", upside down" if along[0] != 2 else ""
        return f"is turned by 180 degrees about its {AXES[along[0]]} axis{upside}"
    return f"is turned by 90 degrees about its {AXES[along[0]]} axis"


def _axis_in_words(row: Array) -> str:
    axis = int(np.argmax(np.abs(row)))
    return ("" if row[axis] > 0.0 else "minus ") + AXES[axis]


def flipped(force: str, moment: str) -> tuple[Mounting, ...]:
    """List flipped signs.

    They are those of everything, of all components of one quantity, or of one
    component.
    """
    unit = np.eye(3)
    whole = [
        Mounting(f"has the opposite sign ({force} and {moment})", -unit, -unit),
        Mounting(f"has the opposite sign ({force} alone)", -unit, unit),
        Mounting(f"has the opposite sign ({moment} alone)", unit, -unit),
    ]
    single = []
    for axis in range(3):
        one = np.diag([-1.0 if k == axis else 1.0 for k in range(3)])
        single.append(
            Mounting(f"has the opposite sign of {force} {AXES[axis]}", one, unit)
        )
        single.append(
            Mounting(f"has the opposite sign of {moment} {AXES[axis]}", unit, one)
        )
    return (*whole, *single)


SOUND_MOUNTING = Mounting("", np.eye(3), np.eye(3))


INDEPENDENT = 20.0  # samples of a window, at most: 2 s, smooth over 0.1 s
FITS = 2  # the second knows from the first how large the noise is
# what nothing explains, at least (choice): forces over the weight (soles tilt
# meanwhile), moments over it [m]
BALANCE_NOISE = np.array([3e-3, 3e-3, 1e-3, 1.2e-3, 1.2e-3, 1e-4])


@configuration
class ToleranceConfig(Configuration):
    """Tolerances of sound sensors and a correct model.

    They are standard deviations (all by choice).
    """

    force_offset: float = parameter(
        0.01, above=0.0, high=1.0, doc="of a sensor, as a share of the weight"
    )
    moment_offset: float = parameter(
        0.002, unit="m", above=0.0, high=1.0, doc="of a sensor, over the weight"
    )
    turn: float = parameter(
        0.026,
        unit="rad",
        above=0.0,
        high=0.3,
        doc="of a sensor on its link: 1.5 degrees",
    )
    gain: float = parameter(0.02, above=0.0, high=0.5, doc="of a sensor, from one")
    mass: float = parameter(
        0.03, above=0.0, high=0.5, doc="of the model, as a share of it"
    )
    centre_of_mass: float = parameter(
        0.01, unit="m", above=0.0, high=0.3, doc="of the model"
    )
    inertia: float = parameter(
        0.15, above=0.0, high=1.0, doc="of the model, as a share of what its sway asks"
    )
    tilt: float = parameter(
        0.05, unit="rad", above=0.0, high=0.3, doc="of the soles: sloping floors"
    )


class CarriedWrench(NamedTuple):
    """Measured and expected wrenches of the feet's sensors, T samples.

    They are in axes at rest.
    """

    # (T, 2, 6) measured by left and right sensor, in its own axes about its origin [N,
    # N m]
    wrench: Array
    rotation: Array  # (T, 2, 3, 3) of the sensors
    # (T, 2, 3) of the sensors, from the centre of mass of what they carry [m]
    position: Array
    force: Array  # (T, 3) their sum as the model has it [N]
    moment: Array  # (T, 3) likewise, about that centre of mass [N m]


class Explanation(NamedTuple):
    """Residuals of the window under one mounting."""

    rms: Array  # (6,) of the residuals, over BALANCE_NOISE
    independent: Array  # (6,) how many samples of them are independent
    strain: Array  # (29,) fitted errors, over their standard deviations

    @property
    def misfit(self) -> float:
        """Larger of rms residual and a third of the largest fitted error.

        It is about one for sound sensors.

        Without the horizontal forces: soles that tilt by two degrees turn 3.5 % of the
        weight there.
        """
        return float(
            max(np.sqrt(np.mean(self.rms[2:] ** 2)), np.abs(self.strain).max() / 3.0)
        )


class Explainer:
    r"""Fit of one window by any mounting of both sensors.

    Newton and Euler for everything above the sensors, about its centre of mass c: what
    the sensors say, brought to rest, adds up to

    .. math::

       \sum_f f = m (\ddot c + g e_z), \qquad
       \sum_f (\tau_f + (p_f - c)\times f_f) = \dot L.

    About the centre of mass a wrong tilt turns forces and moments together and adds no
    moment; about a point on the floor it would be seen twice, in the forces and in the
    moments. The small errors that a right sensor may have (offset, gain, turn) and a
    right model (mass, centre of mass, inertia, sloping soles) are fitted, with their
    sizes as prior, before a mounting is accused: 29 numbers for a window.
    """

    def __init__(
        self,
        window: CarriedWrench,
        mountings: tuple[Mounting, ...],
        config: ToleranceConfig,
    ) -> None:
        self._window = window
        self._mountings = mountings
        self._config = config
        self._weight = float(np.mean(window.force[:, 2]))
        self._known: dict[tuple[int, int, bool], tuple[Array, Array]] = {}
        self._wanted = self._scaled(window.force, window.moment)
        self._of_model = self._model_errors()

    def explain(self, swapped: bool, left: int, right: int) -> Explanation:
        """Fit the window with the mountings of these numbers, feet exchanged or not."""
        seen_left, errors_left = self._part(0, left, swapped)
        seen_right, errors_right = self._part(1, right, swapped)
        apart = seen_left + seen_right - self._wanted
        errors = np.vstack([errors_left, errors_right, self._of_model])
        noise = np.ones(6)
        for _ in range(FITS):
            strain, residual = _fitted(apart, errors, noise)
            rms = np.sqrt(np.mean(residual**2, axis=0))
            noise = np.hypot(1.0, rms)
        return Explanation(rms, independent_samples(residual), strain)

    def _scaled(self, force: Array, moment: Array) -> Array:
        """Scale (T, 6) by BALANCE_NOISE."""
        return np.asarray(np.hstack([force, moment]) / (self._weight * BALANCE_NOISE))

    def _part(self, foot: int, mounting: int, swapped: bool) -> tuple[Array, Array]:
        """Compute a foot's part (T, 6).

        Compute that of its sensor's small errors (10, T, 6) as well.
        """
        key = foot, mounting, swapped
        if key not in self._known:
            measured = self._window.wrench[:, 1 - foot if swapped else foot]
            chosen = self._mountings[mounting]
            # inverse of a mounting
            force = measured[:, :3] @ chosen.force
            moment = measured[:, 3:] @ chosen.moment
            errors = _sensor_errors(force, moment, self._weight, self._config)
            at_rest = np.array([self._at_rest(foot, *error) for error in errors])
            self._known[key] = self._at_rest(foot, force, moment), at_rest
        return self._known[key]

    def _at_rest(self, foot: int, force: Array, moment: Array) -> Array:
        """Rotate the scaled sum's part (T, 6) of force and moment (T, 3).

        Force and moment are in a sensor's axes.
        """
        rotation = self._window.rotation[:, foot]
        position = self._window.position[:, foot]
        force, moment = (
            np.einsum("tij,tj->ti", rotation, one) for one in (force, moment)
        )
        return self._scaled(force, moment + np.cross(position, force))

    def _model_errors(self) -> Array:
        """Compute the effect of the model's errors (9, T, 6)."""
        force = self._window.force
        moment = self._window.moment
        size = self._config
        none = np.zeros_like(force)
        units = np.eye(3)
        errors = [self._scaled(size.mass * force, none)]
        errors += [
            self._scaled(none, size.centre_of_mass * np.cross(unit, force))
            for unit in units
        ]
        errors += [self._scaled(none, size.inertia * moment * unit) for unit in units]
        errors += [
            self._scaled(size.tilt * np.cross(unit, force), none) for unit in units[:2]
        ]
        return np.array(errors)


def evidence(one: Explanation, other: Explanation) -> float:
    """Compute the log-likelihood ratio of the other explanation over the one.

    The noise is Gaussian, of unknown size.

    Of the residuals only independent samples count, as few as the one or the other has,
    and none that are smaller than BALANCE_NOISE: what moves together by chance says
    little.
    """
    samples = np.minimum(one.independent, other.independent)
    ratio = np.log((one.rms**2 + 1.0) / (other.rms**2 + 1.0))
    return float(
        0.5 * (samples @ ratio + one.strain @ one.strain - other.strain @ other.strain)
    )


def _sensor_errors(
    force: Array, moment: Array, weight: float, size: ToleranceConfig
) -> list[tuple[Array, Array]]:
    """Compute force and moment (T, 3) that each small error of a sensor would add.

    They are in the sensor's axes.
    """
    none = np.zeros_like(force)
    errors = [(size.gain * force, size.gain * moment)]
    for unit in np.eye(3):
        ones = np.tile(unit, (len(force), 1))
        errors.append((size.force_offset * weight * ones, none))
        errors.append((none, size.moment_offset * weight * ones))
        errors.append(
            (size.turn * np.cross(unit, force), size.turn * np.cross(unit, moment))
        )
    return errors


def _fitted(apart: Array, errors: Array, noise: Array) -> tuple[Array, Array]:
    """Fit the errors (n, T, 6), of sd 1, that most likely explain a residual.

    Return the fit and the rest; the residual is (T, 6).
    """
    share = np.sqrt(INDEPENDENT / len(apart))
    columns = (share * errors / noise).reshape(len(errors), -1)
    values = (share * apart / noise).ravel()
    strain = np.linalg.solve(
        columns @ columns.T + np.eye(len(errors)), columns @ values
    )
    return strain, apart - np.tensordot(strain, errors, 1)


def independent_samples(residual: Array) -> Array:
    """Compute the effective number (6,) of independent samples.

    They are among correlated ones (T, 6); the number is INDEPENDENT at most.

    T over the sum of the autocorrelation up to its first zero, to both sides.
    """
    count = len(residual)
    apart = residual - residual.mean(axis=0)
    spectrum = np.abs(np.fft.rfft(apart, 2 * count, axis=0)) ** 2
    alike = np.fft.irfft(spectrum, axis=0)[:count] / np.arange(count, 0, -1)[:, None]
    alike /= np.maximum(alike[0], 1e-300)
    before = np.cumprod(alike > 0.0, axis=0)
    return np.minimum(count / (2.0 * (alike * before).sum(axis=0) - 1.0), INDEPENDENT)


WINDOW_SAMPLES = 100  # of a window that are looked at
UNCHECKED = "not checked without ankle sensors: signs, mountings and exchange of forces"
NO_SUM = (
    "the force sensors do not add up to what the model expects, in no mounting: "
    "check offsets and masses"
)
SOLE_GIVE = 2.0  # (choice)
# rms residual of an IMU that no mounting explains, over what may be off (choice)
IMU_FITS = 1.0
# [m/s^2, rad/s] by which a right IMU may be off: soles give and tilt by 2 degrees
# (choice)
LEAST_SCALES = (
    0.3,
    0.1,
)

Hypothesis = tuple[
    bool, int, int
]  # whether the feet are exchanged; mountings of left and right sensor


class CheckWindow(NamedTuple):
    """Window of standing in double support, T samples.

    Its predictions are from joints and model alone.
    """

    # measured by the force sensors, NaN throughout where there are none, and predicted
    carried: CarriedWrench
    specific_force: Array  # (T, 3) measured by the base's IMU
    angular_velocity: Array  # (T, 3)
    predicted_specific_force: (
        Array  # (T, 3) in the base: +g along the floor's normal where it stands
    )
    predicted_angular_velocity: Array  # (T, 3)


@configuration
class SensorCheckConfig(Configuration):
    """Thresholds of the sensor self-test."""

    least_shift: float = parameter(
        0.2,
        above=0.0,
        high=1.0,
        doc="of the weight that must pass from foot to foot, else nothing is judged "
        "(choice)",
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
        doc="log likelihood ratio; right ones below 2.2 (choice)",
    )
    tolerance: ToleranceConfig = section(ToleranceConfig)
    imu_better: float = parameter(
        0.8,
        above=0.0,
        below=1.0,
        doc="share of the residual that names another (choice)",
    )
    fits: float = parameter(
        5.0,
        above=0.0,
        high=100.0,
        doc="misfit that still explains; right ones: one (choice)",
    )
    constant: float = parameter(
        0.02,
        above=0.0,
        high=1.0,
        doc="range of a force over the weight: stuck (choice)",
    )


def check_sensors(
    window: CheckWindow, config: SensorCheckConfig | None = None
) -> tuple[str, ...]:
    """List sensor faults, one sentence each; empty for sound sensors.

    Raises:
        InvalidParameter: the window does not move enough to judge, or holds a number
            that is not finite.
    """
    settings = config or SensorCheckConfig()
    carried = window.carried
    sensed = _has_forces(carried.wrench)
    for name, values in zip(
        (*CarriedWrench._fields, *CheckWindow._fields[1:]),
        (*carried, *window[1:]),
        strict=True,
    ):
        if name == "wrench" and not sensed:
            continue
        if not np.isfinite(values).all():
            raise InvalidParameter(
                f"CheckWindow.{name}",
                "NaN or infinite",
                "finite",
                "check that sensor's wiring",
            )
    chosen = np.unique(
        np.linspace(0, len(carried.force) - 1, WINDOW_SAMPLES).astype(int)
    )
    carried = CarriedWrench._make(np.asarray(values)[chosen] for values in carried)
    rest = (np.asarray(values)[chosen] for values in window[1:])
    window = CheckWindow._make((carried, *rest))
    _check_motion(window, settings)
    of_forces = _force_faults(window, settings) if sensed else ()
    return (*of_forces, *_imu_faults(window, settings))


def _has_forces(wrench: Array) -> bool:
    """Return whether there are force sensors: without them all is NaN."""
    return not bool(np.isnan(wrench).all())


def _check_motion(window: CheckWindow, config: SensorCheckConfig) -> None:
    carried = window.carried
    apart = np.mean(carried.position[:, 0] - carried.position[:, 1], axis=0)[:2]
    # of the force through the centre of mass
    lean = carried.force[:, :2] / carried.force[:, 2:]
    along = (
        (lean * carried.position[:, 0, 2:] - carried.position[:, 0, :2])
        @ apart
        / max(float(apart @ apart), 1e-6)
    )
    shift = float(np.ptp(along))
    sway = float(np.ptp(window.predicted_specific_force[:, :2], axis=0).max()) / GRAVITY
    if shift < config.least_shift:
        raise InvalidParameter(
            "weight shift",
            round(shift, 3),
            f"at least {config.least_shift:g} of the weight",
            "shift further sideways",
        )
    if sway < config.least_sway:
        raise InvalidParameter(
            "sway",
            round(sway, 4),
            f"at least {config.least_sway:g} rad",
            "sway by 3 degrees",
        )


def _force_faults(window: CheckWindow, config: SensorCheckConfig) -> tuple[str, ...]:
    weight = float(np.mean(window.carried.force[:, 2]))
    stuck = [
        f"the force sensor of the {side} foot reads a constant while the weight shifts"
        for foot, side in enumerate(FEET)
        if np.ptp(window.carried.wrench[:, foot, :3], axis=0).max()
        < config.constant * weight
    ]
    if stuck:
        return tuple(stuck)
    mountings = (
        SOUND_MOUNTING,
        *sorted((*flipped("force", "moment"), *turned()), key=lambda one: one.oddity),
    )
    explainer = Explainer(window.carried, mountings, config.tolerance)
    explained = {key: explainer.explain(*key) for key in _hypotheses(len(mountings))}
    oddity = [0, *(one.oddity for one in mountings[1:])]
    found = _likeliest(explained, config.evidence, oddity)
    if explained[found[0]].misfit > config.fits:
        return (NO_SUM,)
    sentences = [_in_words(one, mountings) for one in found]
    if len(found) == 1:
        return sentences[0]
    return (
        ", or ".join(" and ".join(one) for one in sentences)
        + ": this sway does not tell which",
    )


def _in_words(hypothesis: Hypothesis, mountings: Sequence[Mounting]) -> tuple[str, ...]:
    """Describe each fault in a sentence."""
    swapped, *feet = hypothesis
    wrong = [
        (side, mountings[one].words)
        for side, one in zip(FEET, feet, strict=True)
        if one
    ]
    return (
        *(
            ["the force sensors of the left and the right foot are exchanged"]
            if swapped
            else []
        ),
        *(f"the force sensor of the {side} foot {words}" for side, words in wrong),
    )


def _hypotheses(mountings: int) -> Iterator[Hypothesis]:
    """List hypotheses: right sensors, one fault, or two.

    Two different mountings at once are not distinguished.
    """
    for one in range(mountings):
        yield False, one, one
        for swapped in (False, True):
            if one or swapped:
                yield swapped, one, 0
            if one:
                yield swapped, 0, one


def _likeliest(
    explained: dict[Hypothesis, Explanation], least: float, oddity: Sequence[int]
) -> tuple[Hypothesis, ...]:
    """Choose the fewest faults that none with more are clearly likelier than.

    Of close ones take the simplest first.

    The two themselves decide which are close: a residual that neither leaves counts few
    samples.
    """
    chosen: tuple[Hypothesis, ...] = ((False, 0, 0),)
    for faults in (1, 2):
        those = [key for key in explained if sum(map(bool, key)) == faults]
        gain = {key: evidence(explained[chosen[0]], explained[key]) for key in those}
        best = explained[max(gain, key=lambda key: gain[key])]
        close = (
            key for key in gain if gain[key] >= least >= evidence(explained[key], best)
        )
        odd = {key: oddity[key[1]] + oddity[key[2]] for key in close}
        simplest = (key for key, value in odd.items() if value == min(odd.values()))
        chosen = tuple(sorted(simplest, key=lambda key: -gain[key])) or chosen
    return chosen


def _unexplained(values: Array, wanted: Array) -> Array:
    """Compute the unexplained part (T, 3).

    Sway may be SOLE_GIVE times less or more: soles that give add to it.
    """
    sway = wanted - wanted.mean(axis=0)
    apart = values - wanted.mean(axis=0)
    share = (apart * sway).sum(axis=0) / np.maximum((sway * sway).sum(axis=0), 1e-12)
    return np.asarray(apart - np.clip(share, 1.0 / SOLE_GIVE, SOLE_GIVE) * sway)


def _imu_faults(window: CheckWindow, config: SensorCheckConfig) -> tuple[str, ...]:
    measured = window.specific_force, window.angular_velocity
    expected = window.predicted_specific_force, window.predicted_angular_velocity
    spreads = [float(np.std(one - one.mean(axis=0))) for one in expected]
    scales = np.maximum(spreads, LEAST_SCALES)

    def residual(one: Mounting) -> float:
        errors = [
            _unexplained(values @ turn, wanted) / scale
            for values, turn, wanted, scale in zip(
                measured, (one.force, one.moment), expected, scales, strict=True
            )
        ]
        return float(np.sqrt(np.mean(np.hstack(errors) ** 2)))

    right = residual(SOUND_MOUNTING)
    others = (*turned(), *flipped("acceleration", "angular velocity"))
    best = min(others, key=residual)
    if residual(best) < config.imu_better * right:
        return (f"the IMU {best.words}",)
    if right > IMU_FITS:
        return (
            "the IMU does not say what the joints expect, in no mounting: check its "
            "frame and its bias",
        )
    return ()


UP = np.array([0.0, 0.0, 1.0])
# [rad] of a sole against the other or the base: they give, floors slope (choice)
LEVEL_ANGLE = 0.2
# of the reach: rms of a sole seen from the other: soles creep and give (choice)
DRIFT = 0.005
TURN = 0.015  # [rad] rms of the same (choice)
SOLE_HEIGHT_STEP = (
    0.05  # of the reach, between the soles' heights: uneven floors (choice)
)
# residual from which the encoders contradict each other; right ones stay below 1
# (choice)
BROKEN = 2.0
DISTINCT_RESIDUAL = 1.5  # times the smallest residual: not distinguished (choice)
UNCLEAR = (
    "an encoder of the legs is wrong, in sign or offset: the soles move against "
    "each other though both stand"
)
# [rad] or [m]; the joints of TALOS and G1 that are held stay within 0.04 (choice)
WANDER = 0.15
COUNTERED = 0.6  # [rad] a waist counters moments: 0.21 seen (choice)
TRUNK_MASS_SHARE = (
    0.2  # share of the mass over a joint from which it is a waist (choice)
)
# of the legs' length, and [m] that it sways: how far the middle of the mass is from
# where it stood when a robot falls (choice)
FALLEN = 0.12
SWAYS = 0.04
FALLS = (
    "the robot falls over as it stands, its sensors may be right: see that the centre "
    "of mass of its posture is over the soles, and what its ankles hold"
)
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])
POSES = 40  # of those added in which each joint's sign is tried, about


class StandingJoints:
    """Encoder check of a robot that stands on both soles.

    Its legs close a chain, its other joints rest.

    Seen from one planted sole the other neither moves nor tilts, both are at one
    height, and parallel. The base may lean; which encoder is wrong is asked of an
    upright one. Nothing else is asked: with a wrong encoder in a leg a robot soon
    falls, and its IMU then feels anything. Under a wrong sign the position control of a
    joint that is held is unstable.

    Joints that the controller turns to counter the legs are not held: they go as far as
    a waist, and further in a fall.

    Args:
        model: Pinocchio model with a free-flyer root, joints in the readings' order.
        soles: names of the sole frames, left and right.
        counterweights: velocity indices of joints that counter the legs.

    Attributes:
        apart: the soles from each other as the robot began to stand [m]; 0 before.
    """

    def __init__(
        self, model: Any, soles: tuple[str, str], counterweights: Sequence[int] = ()
    ) -> None:
        self._model = model
        self._data = model.createData()
        self._q = pin.neutral(model)
        self._soles = [model.getFrameId(sole) for sole in soles]
        self._legs = leg_joints(model, soles)
        masses = [inertia.mass for inertia in model.inertias]
        trunk = [
            sum(masses[over] for over in tree) > TRUNK_MASS_SHARE * sum(masses)
            for tree in model.subtrees
        ]
        held = set(range(2, model.njoints)) - set(self._legs)
        self._turned = {
            joint for joint in held if model.idx_vs[joint] in counterweights
        }
        self._held = {
            joint: COUNTERED if trunk[joint] or joint in self._turned else WANDER
            for joint in sorted(held)
        }
        self.apart = 0.0
        self._stood = np.full(2, np.nan)  # of the centre of mass [m]
        self._away = 0.0  # since then [m]
        self._joints: list[Array] = []
        self._moved = np.zeros(model.nq - 7)
        self._sums = np.zeros(13)

    def add(self, joints: Array, base: Array = LEVEL) -> None:
        """Add positions (n,), the first before anything moves [rad].

        ``base`` is the quaternion (4,) x, y, z, w of the base's tilt.
        """
        self._joints.append(joints)
        if len(self._joints) == 1:
            across = self._across(joints)[0]
            self._start = across.rotation
            self.apart = float(np.linalg.norm(across.translation))
        lean = self._lean(joints, base)
        if np.isnan(self._stood).any():
            self._stood = lean
        self._away = float(np.linalg.norm(lean - self._stood))
        self._moved = np.maximum(self._moved, np.abs(joints - self._joints[0]))
        self._sums += self._parts(joints, self._start)

    def faults(self) -> tuple[str, ...]:
        """List faults: of the joints that should rest, else of the legs' encoders.

        Of the encoders there is at most one sentence.
        """
        away = [
            joint
            for joint, most in self._held.items()
            if self._moved[self._model.idx_qs[joint] - 7] > most
        ]
        if away and self._turned.issuperset(away) and self._falls:
            return (FALLS,)
        restless = tuple(
            f"joint {self._model.names[joint]} runs away though it is held: its "
            "encoder or its motor has the opposite "
            "sign"
            for joint in away
        )
        count = len(self._joints)
        if restless or _opened(self._sums / count, upright=False) < BROKEN:
            return restless
        some = np.array(self._joints[:: max(count // POSES, 1)])
        tried = {joint: self._residual(some, joint) for joint in self._legs}
        least = min(tried.values())
        if least > 0.5 * _opened(self._sums / count, upright=True) or least > BROKEN:
            return (UNCLEAR,)
        names = [
            self._model.names[joint]
            for joint, one in tried.items()
            if one <= DISTINCT_RESIDUAL * max(least, 0.5)
        ]
        return (
            f"the encoder of joint {' or '.join(names)} has the opposite sign: the "
            "soles move against each other",
        )

    @property
    def _falls(self) -> bool:
        """Return whether the centre of mass has left the place where it stood."""
        reach = float(self._sums[5]) / len(self._joints)
        return self._away > SWAYS + FALLEN * reach

    def _lean(self, joints: Array, base: Array) -> Array:
        """Compute where (2,) the centre of mass is from the middle of the soles [m].

        In axes of which z is vertical, x as the base's.
        """
        self._q[7:] = joints
        self._q[3:7] = base
        centre = pin.centerOfMass(self._model, self._data, self._q)[:2].copy()
        for sole in self._soles:
            place = pin.updateFramePlacement(self._model, self._data, sole)
            centre -= 0.5 * place.translation[:2]
        self._q[3:7] = LEVEL
        return np.asarray(centre)

    def _residual(self, joints: Array, flipped: int) -> float:
        signs = np.ones(joints.shape[1])
        signs[self._model.idx_qs[flipped] - 7] = -1.0
        start = self._across(signs * joints[0])[0].rotation
        return _opened(
            np.mean([self._parts(one, start) for one in signs * joints], axis=0),
            upright=True,
        )

    def _parts(self, joints: Array, start: Array) -> Array:
        """Compute what the means over all poses are taken of, (13,).

        Turns are those since a start (3, 3).
        """
        across, left, right = self._across(joints)
        tilts = (
            left.rotation[:, 2] - right.rotation[:, 2],
            left.rotation[:, 2] - UP,
            right.rotation[:, 2] - UP,
        )
        turn = pin.log3(start.T @ across.rotation)
        rise = left.translation[2] - right.translation[2]
        place = across.translation
        squares = (one @ one for one in (*tilts, place, turn))
        return np.array([*squares, -left.translation[2], abs(rise), *place, *turn])

    def _across(self, joints: Array) -> tuple[Any, Any, Any]:
        self._q[7:] = joints
        pin.forwardKinematics(self._model, self._data, self._q)
        left, right = (
            pin.SE3(pin.updateFramePlacement(self._model, self._data, sole))
            for sole in self._soles
        )
        return left.inverse() * right, left, right


def _opened(means: Array, upright: bool) -> float:
    """Compute how far poses are from a chain closed by level soles.

    The result is in units of the tolerance.

    Level is along each other, or along the base as well, if that stands upright.
    """
    (apart, left, right, place, turn, reach, rise) = means[:7]
    middle = means[7:].reshape(2, 3)
    drift, turning = np.maximum(
        np.array([place, turn]) - np.sum(middle * middle, axis=1), 0.0
    )
    parts = (
        *np.sqrt([left, right] if upright else [apart]) / LEVEL_ANGLE,
        rise / (SOLE_HEIGHT_STEP * reach),
        np.sqrt(drift) / (DRIFT * reach),
        np.sqrt(turning) / TURN,
    )
    return float(np.linalg.norm(parts))


def leg_joints(model: Any, soles: tuple[str, str]) -> list[int]:
    """List the joints of both legs: what both hang on is none of them."""
    left, right = (
        {
            joint
            for joint in model.supports[
                model.frames[model.getFrameId(sole)].parentJoint
            ]
            if joint > 1
        }
        for sole in soles
    )
    return sorted(left ^ right)


SMOOTHING = (
    0.1  # [s] of joint angles, which are differenced twice, and of all sensors (choice)
)
SHORTEST_WINDOW = 0.5  # [s]
WINDOW_POSES = 400  # of a window that are looked at, about


class FootNames(NamedTuple):
    """Names of frames on the feet, each left and right."""

    soles: tuple[str, str]
    force_sensors: tuple[str, str]


class Pose(NamedTuple):
    """Pose of a robot at one instant, relative to its left sole."""

    base: Any  # pinocchio.SE3
    com: Array  # (3,) [m]
    sensors: tuple[Any, Any]  # pinocchio.SE3 of the force sensors


class SwayRecord(NamedTuple):
    """Record of a robot that shifted its weight and swayed on both feet.

    It has T samples; some may be missing.
    """

    time: Array  # (T,) [s]
    joint_position: Array  # (T, n)
    joint_velocity: Array  # (T, n)
    force_torque: Array  # (T, 2, 6) of the sensors; NaN throughout without them
    specific_force: Array  # (T, 3) in the base
    angular_velocity: Array  # (T, 3) in the base
    torques: Array  # (T, n) that answered each sample


def sway_sample(
    time: float, raw: RawReadings, readings: SensorReadings, torques: Array
) -> Array:
    """Pack one sample.

    It has raw readings at a time [s], what an observer made of them, and the torques
    (n,) for them.
    """
    return np.concatenate(
        (
            [time],
            readings.joint_position,
            raw.joint_velocity,
            torques,
            raw.force_torque.ravel(),
            readings.specific_force_in_base,
            readings.angular_velocity_in_base,
        )
    )


def sway_record(samples: Array) -> SwayRecord:
    """Unpack samples (T, 3 n + 19)."""
    n = (samples.shape[1] - 19) // 3
    time, position, velocity, torques, wrenches, force, turn = np.split(
        samples, np.cumsum([1, n, n, n, 12, 3]), axis=1
    )
    return SwayRecord(
        time=time[:, 0],
        joint_position=position,
        joint_velocity=velocity,
        force_torque=wrenches.reshape(-1, 2, 6),
        specific_force=force,
        angular_velocity=turn,
        torques=torques,
    )


def judge_sway(
    model: Any,
    feet: FootNames,
    samples: Array,
    counterweights: Sequence[int] = (),
) -> tuple[tuple[str, ...], float | None]:
    """List the sensor faults that samples show, and compute the torques' delay.

    That is the time [s] from a torque to its effect; None: unknown.
    """
    record = sway_record(samples)
    try:
        found = check_standing(model, feet, record, counterweights=counterweights)
        return found, answer_delay(record)
    except (
        BipedSlipError
    ) as error:  # a sway that shows nothing is no reason to trust the sensors
        return (str(error),), None


def check_standing(
    model: Any,
    feet: FootNames,
    record: SwayRecord,
    config: SensorCheckConfig | None = None,
    counterweights: Sequence[int] = (),
) -> tuple[str, ...]:
    """List sensor faults of a robot that shifted its weight and swayed.

    The list is empty for sound sensors. ``counterweights`` are velocity indices of
    joints that counter the legs.

    Beside an IMU that is wrong, on which the robot swayed, only those force sensors are
    named that a mounting explains. Args and errors as of ``planted_window`` and
    ``check_sensors``.
    """
    standing = StandingJoints(model, feet.soles, counterweights)
    for joints in record.joint_position[:: max(len(record.time) // WINDOW_POSES, 1)]:
        standing.add(joints)
    if wrong := standing.faults():
        return wrong
    found = check_sensors(planted_window(model, feet, record), config)
    of_imu = any(fault.startswith("the IMU") for fault in found)
    return tuple(fault for fault in found if not (of_imu and fault == NO_SUM))


def planted_window(model: Any, feet: FootNames, record: SwayRecord) -> CheckWindow:
    """Build the window ``check_sensors`` judges; the left sole lies flat and rests.

    Args:
        model: Pinocchio model with a free-flyer at its root, joints in the record's
            order.
        feet: names of frames on the feet.
        record: of a robot that stood on both feet.

    Raises:
        InvalidParameter: less than half a second of it.
    """
    time = record.time
    if len(time) < 10 or time[-1] - time[0] < SHORTEST_WINDOW:
        raise InvalidParameter(
            "readings", len(time), f"at least {SHORTEST_WINDOW:g} s of standing"
        )
    record = _evenly_sampled(record)
    time = record.time
    upper = _without_feet(model, feet)
    poses = [_pose(upper, feet, q) for q in record.joint_position]
    rotation = np.array([pose.base.rotation for pose in poses])
    position = np.array([pose.base.translation for pose in poses])
    turning = np.array([pin.log3(a.T @ b) for a, b in pairwise(rotation)])
    turning = np.vstack([turning, turning[-1:]]) / np.gradient(time)[:, None]
    base = _felt_at(position, time)
    return CheckWindow(
        carried=_carried(upper, poses, record),
        specific_force=record.specific_force,
        angular_velocity=record.angular_velocity,
        predicted_specific_force=np.einsum("tji,tj->ti", rotation, base),
        predicted_angular_velocity=turning,
    )


def _evenly_sampled(record: SwayRecord) -> SwayRecord:
    """Return some smooth samples at even times: a loop with a clock misses samples.

    Joint velocities and torques stay as they are.
    """
    time = record.time
    even = np.linspace(time[0], time[-1], len(time))
    keep = slice(None, None, max(len(time) // WINDOW_POSES, 1))

    def smooth(values: Array) -> Array:
        return _smooth(make_interp_spline(time, values, k=1)(even), even)[keep]

    return record._replace(
        time=even[keep],
        joint_position=smooth(record.joint_position),
        force_torque=smooth(record.force_torque)
        if _has_forces(record.force_torque)
        else record.force_torque[keep],
        specific_force=smooth(record.specific_force),
        angular_velocity=smooth(record.angular_velocity),
    )


def _felt_at(place: Array, time: Array) -> Array:
    """Compute the specific force (T, 3) at a place (T, 3) [m] that moves over time."""
    speed = np.gradient(place, time, axis=0)
    felt: Array = np.gradient(speed, time, axis=0) + np.array([0.0, 0.0, GRAVITY])
    return felt


def _carried(upper: Any, poses: Sequence[Pose], record: SwayRecord) -> CarriedWrench:
    """Predict what the force sensors carry of a model without feet, beside it."""
    time = record.time
    com = np.array([pose.com for pose in poses])
    momentum = _angular_momentum(upper, poses, record.joint_position, time)
    mass = float(sum(inertia.mass for inertia in upper.inertias))
    return CarriedWrench(
        wrench=record.force_torque,
        rotation=np.array(
            [[sensor.rotation for sensor in pose.sensors] for pose in poses]
        ),
        position=np.array(
            [
                [sensor.translation - pose.com for sensor in pose.sensors]
                for pose in poses
            ]
        ),
        force=mass * _felt_at(com, time),
        moment=np.gradient(momentum, time, axis=0),
    )


LAGS = 20  # samples
CLEAR = 6.0  # standard deviations of chance (choice)
RHYTHM = 0.7  # of the peak, below zero: joints buzz, and no lag stands out (choice)


def answer_delay(record: SwayRecord) -> float | None:
    """Compute the time [s] from torques to their effect in the readings.

    None: nothing stands out.

    Noise of the sensors shakes the torques, and these the joints. The correlation of
    torques with later changes of velocity, over all joints, rises to half of its peak
    there; up to a lag of one sample it is the noise itself. Where it swings as far to
    the other side, joints and torques buzz in one rhythm, as gears that stick do.
    """
    time = record.time
    velocity = record.joint_velocity
    shaken = [
        one - _smooth(one, time)
        for one in (record.torques, np.diff(velocity, axis=0, prepend=velocity[:1]))
    ]
    pushed, moved = (one / np.maximum(np.std(one, axis=0), 1e-9) for one in shaken)
    alike = np.array(
        [(pushed[:-lag] * moved[lag:]).sum() for lag in range(2, LAGS)]
    ) / np.sqrt(pushed.size)
    half = 0.5 * alike.max()
    if not half > 0.5 * CLEAR or alike.min() < -RHYTHM * alike.max():
        return None
    first = int(np.argmax(alike > half))
    before = alike[first - 1] if first else 0.0
    return float(
        np.median(np.diff(time)) * (first + (half - before) / (alike[first] - before))
    )


def _without_feet(model: Any, feet: FootNames) -> Any:
    """Build the model of the load on the force sensors.

    Below a sensor hangs its whole link.
    """
    upper = model.copy()
    for sole in feet.soles:
        upper.inertias[model.frames[model.getFrameId(sole)].parentJoint] = (
            pin.Inertia.Zero()
        )
    return upper


def _smooth(values: Array, time: Array) -> Array:
    """Average along the first axis, centred, the ends held.

    It is done twice, so that the average's second slope is finite.
    """
    width = round(SMOOTHING / float(np.median(np.diff(time)))) | 1
    for _ in range(2):
        values = uniform_filter1d(values, width, axis=0, mode="nearest")
    return values


def _angular_momentum(
    model: Any, poses: Sequence[Pose], joints: Array, time: Array
) -> Array:
    """Compute the angular momentum about the centre of mass (T, 3) [kg m^2/s].

    It is in the axes of the poses.
    """
    data = model.createData()
    states = [
        np.concatenate([pin.SE3ToXYZQUAT(pose.base), q])
        for pose, q in zip(poses, joints, strict=True)
    ]
    turning = [
        pin.computeCentroidalMomentum(
            model, data, a, pin.difference(model, a, b) / dt
        ).angular.copy()
        for (a, b), dt in zip(pairwise(states), np.diff(time), strict=True)
    ]
    return np.array([*turning, turning[-1]])


def _pose(model: Any, feet: FootNames, joints: Array) -> Pose:
    """Compute the pose from the left sole."""
    data = model.createData()
    q = np.concatenate([pin.neutral(model)[:7], joints])
    pin.framesForwardKinematics(model, data, q)
    base = data.oMf[model.getFrameId(feet.soles[0])].inverse()
    left, right = (
        base * data.oMf[model.getFrameId(sensor)] for sensor in feet.force_sensors
    )
    return Pose(base, base.act(pin.centerOfMass(model, data, q, False)), (left, right))
