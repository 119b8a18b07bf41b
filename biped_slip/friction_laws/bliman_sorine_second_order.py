# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bliman–Sorine friction of second order: a static peak along the path (A.2 (4.11)), and its fitting."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, damped, presliding_damping

VIRGIN, REVERSAL = 1.0, 2.0  # factor c of the peak: from rest without history, or after sliding the other way


@kernel
def second_order_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """dz/dt = |v| diag(−1/(eps eta), −1/eps) z + v [f_1/(eps eta), −f_2/eps], F = z_1 + z_2 (4.11), exact.

    f_1 = f_2 + 1 in units of F_c = mu F_n. Memory: z_1 in (x, y), z_2 in (second_x, second_y), per newton [-].
    """
    x, y, u, w = memory.x, memory.y, memory.second_x, memory.second_y
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed * dt > 0.0:
        along_x, along_y = mu * slip_x / speed, mu * slip_y / speed
        first, second = 1.0 + law.weakening, -law.weakening
        path = speed * dt / law.length
        kept = math.exp(-path / law.length_ratio)
        x, y = first * along_x + (x - first * along_x) * kept, first * along_y + (y - first * along_y) * kept
        kept = math.exp(-path)
        u, w = second * along_x + (u - second * along_x) * kept, second * along_y + (w - second * along_y) * kept
    stiffness = mu * ((1.0 + law.weakening) / law.length_ratio - law.weakening) / law.length * normal
    force_x, force_y = damped(
        (x + u) * normal, (y + w) * normal, slip_x, slip_y, normal, mu, stiffness, law.damping_ratio
    )
    return FrictionMemory(x, y, u, w, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@kernel
def second_order_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """A quadratic storage zᵀPz/2 [J] with PB = Cᵀ and PA + AᵀP ≤ 0 (Kalman–Yakubovich–Popov).

    It exists because Re[f_1/(1 + i eta w) − f_2/(1 + i w)] > 0 for f_1 > f_2. PB = Cᵀ leaves the coupling q free;
    PA + AᵀP ≤ 0 is a quadratic condition on q, satisfied with the largest margin at its vertex.
    """
    if mu <= 0.0:
        return 0.0
    f_1, f_2, eta = 1.0 + law.weakening, law.weakening, law.length_ratio
    square_1 = memory.x * memory.x + memory.y * memory.y
    if f_2 == 0.0:
        return 0.5 * normal * law.length / mu * eta * square_1
    q = 2.0 * eta * (1.0 / f_2 - eta / f_1) / (1.0 - eta) ** 2
    p, r = eta * (1.0 + q * f_2) / f_1, (q * f_1 / eta - 1.0) / f_2
    square_2 = memory.second_x * memory.second_x + memory.second_y * memory.second_y
    product = memory.x * memory.second_x + memory.y * memory.second_y
    return 0.5 * normal * law.length / mu * (p * square_1 + 2.0 * q * product + r * square_2)


@configuration
class BlimanSorineSecondOrderConfig(FrictionLaw):
    """A first-order rise minus a slower one, so that the force peaks before it settles (A.2)."""

    weakening: float = parameter(1.0, low=0.0, high=100.0, source="A.2", doc="f_2/F_c; f_1/F_c is one more")
    length_ratio: float = parameter(0.2, above=0.0, below=1.0, source="A.2", doc="eta of the two lengths")
    length: float = parameter(1.0e-3, unit="m", above=0.0, high=0.1, source="A.2", doc="eps_f, the longer length")
    damping_ratio: float = presliding_damping()

    step = staticmethod(second_order_step)
    stored_energy = staticmethod(second_order_energy)
    ratio_form = True

    @classmethod
    def fit(
        cls, coulomb: float, static: float, s_e: float, s_p: float, factor: float = VIRGIN, damping_ratio: float = 0.2
    ) -> BlimanSorineSecondOrderConfig:
        """The law with a given peak ``static`` at displacement ``s_e`` [m] and level ``coulomb`` after ``s_p`` [m].

        ``factor`` is c of A.2: 1 for a pull from rest, 2 for a peak at a reversal. For every eta, s_e gives f_2;
        the peak then rises as eta falls, so that one root remains.
        """
        length, excess = s_p / 3.0, static / coulomb - 1.0
        if excess <= 0.0:
            raise InvalidParameter(
                "static", static, f"above coulomb = {coulomb:g}", "without a peak take the first order"
            )

        def weakening(eta: float) -> float:  # s_e = eps eta/(1 − eta) ln((1 + f_2)/(eta f_2)) solved for f_2
            return 1.0 / (eta * math.exp(s_e * (1.0 - eta) / (length * eta)) - 1.0)

        def missing(eta: float) -> float:
            f_2 = weakening(eta)
            power = eta / (1.0 - eta)
            return factor * f_2 * (1.0 - eta) * (eta * f_2 / (1.0 + f_2)) ** power - excess

        from scipy.optimize import brentq  # takes a while to load

        low, high = _bracket(missing, weakening, s_e, length)
        eta = brentq(missing, low, high, xtol=1e-14)
        return cls(weakening(eta), eta, length, damping_ratio)

    def peak(self, factor: float = VIRGIN) -> float:
        """F_s/F_c = 1 + c f_2 (1 − eta)(eta f_2/f_1)^(eta/(1 − eta)) with c = 1 or 2 (A.2, corrected)."""
        eta, f_2 = self.length_ratio, self.weakening
        return 1.0 + factor * f_2 * (1.0 - eta) * (eta * f_2 / (1.0 + f_2)) ** (eta / (1.0 - eta))

    def peak_displacement(self) -> float:
        """s_e [m] (A.2)."""
        eta, f_2 = self.length_ratio, self.weakening
        return self.length * eta / (1.0 - eta) * math.log((1.0 + f_2) / (eta * f_2))

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Initial slope (f_1/eta − f_2)/eps per newton, times the load."""
        slope = ((1.0 + self.weakening) / self.length_ratio - self.weakening) / self.length
        return mu * slope * normal


def _bracket(missing: Any, weakening: Any, s_e: float, length: float) -> tuple[float, float]:
    """Two values of eta between which the wanted peak lies."""
    grid = [0.001 * k for k in range(1, 1000)]
    previous = None
    for eta in grid:
        exponent = s_e * (1.0 - eta) / (length * eta)
        if exponent > 600.0 or eta * math.exp(exponent) <= 1.0 or weakening(eta) > 1e6:
            previous = None
            continue
        if previous is not None and missing(previous) * missing(eta) <= 0.0:
            return previous, eta
        previous = eta
    raise InvalidParameter("s_e", s_e, f"a displacement that allows this peak with s_p = {3.0 * length:g} m")
