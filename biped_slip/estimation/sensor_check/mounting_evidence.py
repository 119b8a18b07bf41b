# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""How well mountings of the feet's force sensors explain a window, small errors of right sensors and models allowed.

Newton and Euler for everything above the sensors, about its centre of mass c: what the sensors say, brought to rest,
adds up to

.. math:: \sum_f f = m (\ddot c + g e_z), \qquad \sum_f (\tau_f + (p_f - c)\times f_f) = \dot L.

About the centre of mass a wrong tilt turns forces and moments together and adds no moment; about a point on the floor
it would be seen twice, in the forces and in the moments. The small errors that a right sensor may have (offset, gain,
turn) and a right model (mass, centre of mass, inertia, sloping soles) are fitted, with their sizes as prior, before
anything is said against a mounting: 29 numbers for a window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.sensor_check.mounting import Mounting

INDEPENDENT = 20.0  # samples of a window, at most: 2 s, smooth over 0.1 s
FITS = 2  # the second knows from the first how large the noise is
# what nothing explains, at least (choice): forces over the weight (soles tilt meanwhile), moments over it [m]
NOISE = np.array([3e-3, 3e-3, 1e-3, 1.2e-3, 1.2e-3, 1e-4])


@configuration
class ToleranceConfig(Configuration):
    """By how much right sensors and a right model may be off, standard deviations (all by choice)."""

    force_offset: float = parameter(0.01, above=0.0, high=1.0, doc="of a sensor, as a share of the weight")
    moment_offset: float = parameter(0.002, unit="m", above=0.0, high=1.0, doc="of a sensor, over the weight")
    turn: float = parameter(0.026, unit="rad", above=0.0, high=0.3, doc="of a sensor on its link: 1.5 degrees")
    gain: float = parameter(0.02, above=0.0, high=0.5, doc="of a sensor, from one")
    mass: float = parameter(0.03, above=0.0, high=0.5, doc="of the model, as a share of it")
    centre_of_mass: float = parameter(0.01, unit="m", above=0.0, high=0.3, doc="of the model")
    inertia: float = parameter(0.15, above=0.0, high=1.0, doc="of the model, as a share of what its sway asks")
    tilt: float = parameter(0.05, unit="rad", above=0.0, high=0.3, doc="of the soles: sloping floors")


class CarriedWrench(NamedTuple):
    """What the feet's sensors say and what they carry, T samples, in axes at rest."""

    wrench: Array  # (T, 2, 6) measured by left and right sensor, in its own axes about its origin [N, N m]
    rotation: Array  # (T, 2, 3, 3) of the sensors
    position: Array  # (T, 2, 3) of the sensors, from the centre of mass of what they carry [m]
    force: Array  # (T, 3) their sum as the model has it [N]
    moment: Array  # (T, 3) likewise, about that centre of mass [N m]


class Explanation(NamedTuple):
    """What a mounting leaves unexplained."""

    rms: Array  # (6,) of the residuals, over NOISE
    independent: Array  # (6,) how many samples of them are independent
    strain: Array  # (29,) fitted errors, over their standard deviations

    @property
    def misfit(self) -> float:
        """The larger of rms residual and a third of the largest fitted error; about one of right sensors.

        Without the horizontal forces: soles that tilt by two degrees turn 3.5 % of the weight there.
        """
        return float(max(np.sqrt(np.mean(self.rms[2:] ** 2)), np.abs(self.strain).max() / 3.0))


class Explainer:
    """Explains one window by any mounting of both sensors."""

    def __init__(self, window: CarriedWrench, mountings: tuple[Mounting, ...], config: ToleranceConfig) -> None:
        self._window, self._mountings, self._config = window, mountings, config
        self._weight = float(np.mean(window.force[:, 2]))
        self._known: dict[tuple[int, int, bool], tuple[Array, Array]] = {}
        self._wanted = self._scaled(window.force, window.moment)
        self._of_model = self._model_errors()

    def explain(self, swapped: bool, left: int, right: int) -> Explanation:
        """By the mountings of these numbers, with exchanged feet or not."""
        (seen_left, errors_left), (seen_right, errors_right) = (
            self._part(0, left, swapped),
            self._part(1, right, swapped),
        )
        apart = seen_left + seen_right - self._wanted
        errors = np.vstack([errors_left, errors_right, self._of_model])
        noise = np.ones(6)
        for _ in range(FITS):
            strain, residual = _fitted(apart, errors, noise)
            rms = np.sqrt(np.mean(residual**2, axis=0))
            noise = np.hypot(1.0, rms)
        return Explanation(rms, independent_samples(residual), strain)

    def _scaled(self, force: Array, moment: Array) -> Array:
        """(T, 6) over NOISE."""
        return np.asarray(np.hstack([force, moment]) / (self._weight * NOISE))

    def _part(self, foot: int, mounting: int, swapped: bool) -> tuple[Array, Array]:
        """What a foot adds (T, 6), and what its sensor's small errors would (10, T, 6)."""
        key = foot, mounting, swapped
        if key not in self._known:
            measured, chosen = self._window.wrench[:, 1 - foot if swapped else foot], self._mountings[mounting]
            force, moment = measured[:, :3] @ chosen.force, measured[:, 3:] @ chosen.moment  # inverse of a mounting
            errors = [
                self._at_rest(foot, *error) for error in _sensor_errors(force, moment, self._weight, self._config)
            ]
            self._known[key] = self._at_rest(foot, force, moment), np.array(errors)
        return self._known[key]

    def _at_rest(self, foot: int, force: Array, moment: Array) -> Array:
        """Scaled sum's part (T, 6) of force and moment (T, 3) in a sensor's axes."""
        rotation, position = self._window.rotation[:, foot], self._window.position[:, foot]
        force, moment = (np.einsum("tij,tj->ti", rotation, one) for one in (force, moment))
        return self._scaled(force, moment + np.cross(position, force))

    def _model_errors(self) -> Array:
        """What the model's errors would change (9, T, 6)."""
        force, moment, size = self._window.force, self._window.moment, self._config
        none, units = np.zeros_like(force), np.eye(3)
        errors = [self._scaled(size.mass * force, none)]
        errors += [self._scaled(none, size.centre_of_mass * np.cross(unit, force)) for unit in units]
        errors += [self._scaled(none, size.inertia * moment * unit) for unit in units]
        errors += [self._scaled(size.tilt * np.cross(unit, force), none) for unit in units[:2]]
        return np.array(errors)


def evidence(one: Explanation, other: Explanation) -> float:
    """Logarithm of how much likelier the second makes the window than the first: Gaussian noise of unknown size.

    Of the residuals only independent samples count, as few as the one or the other has, and none that are smaller
    than NOISE: what moves together by chance says little.
    """
    samples = np.minimum(one.independent, other.independent)
    ratio = np.log((one.rms**2 + 1.0) / (other.rms**2 + 1.0))
    return float(0.5 * (samples @ ratio + one.strain @ one.strain - other.strain @ other.strain))


def _sensor_errors(force: Array, moment: Array, weight: float, size: ToleranceConfig) -> list[tuple[Array, Array]]:
    """Force and moment (T, 3) that each small error of a sensor would add, in its axes."""
    none, errors = np.zeros_like(force), [(size.gain * force, size.gain * moment)]
    for unit in np.eye(3):
        ones = np.tile(unit, (len(force), 1))
        errors.append((size.force_offset * weight * ones, none))
        errors.append((none, size.moment_offset * weight * ones))
        errors.append((size.turn * np.cross(unit, force), size.turn * np.cross(unit, moment)))
    return errors


def _fitted(apart: Array, errors: Array, noise: Array) -> tuple[Array, Array]:
    """How many of some errors (n, T, 6), of sd 1, most likely explain what is apart (T, 6), and what they leave."""
    share = np.sqrt(INDEPENDENT / len(apart))
    columns, values = (share * errors / noise).reshape(len(errors), -1), (share * apart / noise).ravel()
    strain = np.linalg.solve(columns @ columns.T + np.eye(len(errors)), columns @ values)
    return strain, apart - np.tensordot(strain, errors, 1)


def independent_samples(residual: Array) -> Array:
    """How many independent samples (6,) the correlated ones (T, 6) are worth, INDEPENDENT at most.

    T over the sum of the autocorrelation up to its first zero, to both sides.
    """
    count = len(residual)
    apart = residual - residual.mean(axis=0)
    spectrum = np.abs(np.fft.rfft(apart, 2 * count, axis=0)) ** 2
    alike = np.fft.irfft(spectrum, axis=0)[:count] / np.arange(count, 0, -1)[:, None]
    alike /= np.maximum(alike[0], 1e-300)
    before = np.cumprod(alike > 0.0, axis=0)
    return np.minimum(count / (2.0 * (alike * before).sum(axis=0) - 1.0), INDEPENDENT)
