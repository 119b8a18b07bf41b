# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bristle laws: before it slides, a contact gives way by a fraction of a millimetre.

One memory u, the force ratio (or z, the bend of a bristle), follows the path s, not
the time; at a slip v, with sgn the direction of the slip:

- **Dahl** (A.2 (4.5)): du/ds = sigma |1 − (u/mu) sgn|^alpha;
- **Bliman and Sorine** (A.2 (4.12)), the default of walks: du/ds = (3/s_p)(mu sgn − u),
  95 % of mu at the displacement s_p; their second order (4.11) peaks first;
- **elasto-plastic** (simulation study 3): the same, with no flow below 0.7 mu and
  none in unloading, so that a load at rest does not creep;
- **surface**: elasto-plastic under a limit that depends on load, speed, film, travel
  and direction;
- **LuGre** (A.2 (4.7)): dz/dt = v − sigma_0 |v| z/g(v), F/F_n = sigma_0 z + sigma_1
  dz/dt + F_v v.

The ratio over the displacement, pulled from rest and back::

    mu  |      .--------      slides
        |    /     /
        |  /      /           back: steep again
        |/_______/________> s

Sources: [Dahl1968], [BlimanSorine1995], [Dupont2002], [CanudasDeWit1995].
"""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.law import (
    FRESH,
    NO_ELEMENTS,
    STICK,
    FrictionLaw,
    FrictionMemory,
    damped,
    deflected,
    presliding_damping,
)


@kernel
def dahl_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance Dahl's ratio exactly at constant slip.

    It follows du/dt = sigma |1 − (u/mu) sgn v|^alpha sgn(·) v.

    In the plane the gap e = v/|v| − u/mu keeps its direction and shrinks by d|e|/ds =
    −(sigma/mu)|e|^alpha along the path s, which is (4.5) in one dimension. Memory: (x,
    y) force ratio u [-].
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    x = memory.x
    y = memory.y
    if mu <= 0.0:
        x = 0.0
        y = 0.0
    elif speed * dt > 0.0:
        along_x = slip_x / speed
        along_y = slip_y / speed
        gap_x = along_x - x / mu
        gap_y = along_y - y / mu
        gap = math.sqrt(gap_x * gap_x + gap_y * gap_y)
        path = law.stiffness / mu * speed * dt
        if law.exponent == 1.0:
            left = math.exp(-path)
        else:
            power = 1.0 - law.exponent
            rest = max(gap, 1e-300) ** power - power * path
            left = rest ** (1.0 / power) / max(gap, 1e-300) if rest > 0.0 else 0.0
        x = mu * (along_x - left * gap_x)
        y = mu * (along_y - left * gap_y)
    k = law.stiffness * normal
    force_x, force_y = damped(
        x * normal, y * normal, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@kernel
def dahl_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Compute Dahl's stored energy F_n u²/(2 sigma) [J].

    It is a storage function while alpha is about 1.
    """
    return 0.5 * normal * (memory.x * memory.x + memory.y * memory.y) / law.stiffness


@configuration
class DahlConfig(FrictionLaw):
    """Dahl's law: path-dependent force with a sharpness (A.2)."""

    stiffness: float = parameter(
        3.0e3, unit="1/m", above=0.0, source="A.2", doc="sigma per newton of load"
    )
    exponent: float = parameter(
        1.0, above=0.0, high=4.0, source="A.2", doc="alpha; 1 is Bliman and Sorine's"
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(dahl_step)
    stored_energy = staticmethod(dahl_energy)
    ratio_form = True

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the presliding stiffness [N/m]: sigma per newton, times the load."""
        return self.stiffness * normal


@kernel(inline="code")
def bliman_sorine_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance the ratio on the tangent plane, exact at constant slip.

    It follows du/dt = (3/s_p)(mu v − |v| u) (A.2 (4.12)).

    Pulled from rest u = mu (1 − exp(−3x/s_p)): 95 % of mu at the displacement s_p.
    Memory: (x, y) force ratio u [-], with the sign of the sliding velocity.
    """
    x = memory.x
    y = memory.y
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed * dt > 0.0:
        limit_x = mu * slip_x / speed
        limit_y = mu * slip_y / speed
        kept = math.exp(-3.0 * speed * dt / law.s_p)
        x = limit_x + (x - limit_x) * kept
        y = limit_y + (y - limit_y) * kept
    k = 3.0 * mu / law.s_p * normal
    force_x, force_y = damped(
        x * normal, y * normal, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@kernel
def bliman_sorine_energy(
    memory: FrictionMemory, normal: float, mu: float, law: Any
) -> float:
    """Compute the stored energy F_n u² s_p/(6 mu) [J]."""
    return (
        normal * (memory.x * memory.x + memory.y * memory.y) * law.s_p / (6.0 * mu)
        if mu > 0.0
        else 0.0
    )


@configuration
class BlimanSorineConfig(FrictionLaw):
    """Bliman and Sorine's first-order law (A.2, A.7).

    Without damping it ratchets when shaken.
    """

    s_p: float = parameter(
        1.0e-3,
        unit="m",
        above=0.0,
        high=0.1,
        source="A.7",
        doc="displacement at 95 % of mu",
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(bliman_sorine_step)
    stored_energy = staticmethod(bliman_sorine_energy)
    ratio_form = True

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the presliding stiffness [N/m]: 3 mu/s_p per newton times the load."""
        return 3.0 * mu / self.s_p * normal


VIRGIN = 1.0  # factor c of the peak: from rest without history
REVERSAL_FACTOR = 2.0  # factor c of the peak: after sliding the other way


@kernel
def second_order_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance the two states z exactly, with the force F = z_1 + z_2 (4.11).

    They follow dz/dt = |v| diag(−1/(eps eta), −1/eps) z + v [f_1/(eps eta), −f_2/eps].

    f_1 = f_2 + 1 in units of F_c = mu F_n. Memory: z_1 in (x, y), z_2 in (second_x,
    second_y), per newton [-].
    """
    x = memory.x
    y = memory.y
    u = memory.second_x
    w = memory.second_y
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed * dt > 0.0:
        along_x = mu * slip_x / speed
        along_y = mu * slip_y / speed
        first = 1.0 + law.weakening
        second = -law.weakening
        path = speed * dt / law.length
        kept = math.exp(-path / law.length_ratio)
        x = first * along_x + (x - first * along_x) * kept
        y = first * along_y + (y - first * along_y) * kept
        kept = math.exp(-path)
        u = second * along_x + (u - second * along_x) * kept
        w = second * along_y + (w - second * along_y) * kept
    stiffness = (
        mu
        * ((1.0 + law.weakening) / law.length_ratio - law.weakening)
        / law.length
        * normal
    )
    force_x, force_y = damped(
        (x + u) * normal,
        (y + w) * normal,
        slip_x,
        slip_y,
        normal,
        mu,
        stiffness,
        law.damping_ratio,
    )
    return (
        FrictionMemory(
            x=x,
            y=y,
            second_x=u,
            second_y=w,
            phase=STICK,
            clock=0.0,
            elements=NO_ELEMENTS,
        ),
        force_x,
        force_y,
    )


@kernel
def second_order_energy(
    memory: FrictionMemory, normal: float, mu: float, law: Any
) -> float:
    """Compute the stored energy zᵀPz/2 [J].

    P has PB = Cᵀ and PA + AᵀP ≤ 0 (Kalman–Yakubovich–Popov).

    It exists because Re[f_1/(1 + i eta w) − f_2/(1 + i w)] > 0 for f_1 > f_2. PB = Cᵀ
    leaves the coupling q free; PA + AᵀP ≤ 0 is a quadratic condition on q, satisfied
    with the largest margin at its vertex.
    """
    if mu <= 0.0:
        return 0.0
    f_1 = 1.0 + law.weakening
    f_2 = law.weakening
    eta = law.length_ratio
    square_1 = memory.x * memory.x + memory.y * memory.y
    if f_2 == 0.0:
        return 0.5 * normal * law.length / mu * eta * square_1
    q = 2.0 * eta * (1.0 / f_2 - eta / f_1) / (1.0 - eta) ** 2
    p = eta * (1.0 + q * f_2) / f_1
    r = (q * f_1 / eta - 1.0) / f_2
    square_2 = memory.second_x * memory.second_x + memory.second_y * memory.second_y
    product = memory.x * memory.second_x + memory.y * memory.second_y
    return (
        0.5
        * normal
        * law.length
        / mu
        * (p * square_1 + 2.0 * q * product + r * square_2)
    )


@configuration
class BlimanSorineSecondOrderConfig(FrictionLaw):
    """Bliman and Sorine's second-order law: the force peaks before it settles (A.2)."""

    weakening: float = parameter(
        1.0, low=0.0, high=100.0, source="A.2", doc="f_2/F_c; f_1/F_c is one more"
    )
    length_ratio: float = parameter(
        0.2, above=0.0, below=1.0, source="A.2", doc="eta of the two lengths"
    )
    length: float = parameter(
        1.0e-3,
        unit="m",
        above=0.0,
        high=0.1,
        source="A.2",
        doc="eps_f, the longer length",
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(second_order_step)
    stored_energy = staticmethod(second_order_energy)
    mu_is = "slid with at every speed; the peak of a pull from rest is 1.45 mu"
    ratio_form = True

    @classmethod
    def fit(
        cls,
        coulomb: float,
        static: float,
        s_e: float,
        s_p: float,
        factor: float = VIRGIN,
        damping_ratio: float = 0.2,
    ) -> BlimanSorineSecondOrderConfig:
        """Fit the law to a peak and the level after it.

        The peak is ``static`` at displacement ``s_e`` [m], the level ``coulomb`` after
        ``s_p`` [m].

        ``factor`` is c of A.2: 1 for a pull from rest, 2 for a peak at a reversal. For
        every eta, s_e gives f_2; the peak then rises as eta falls, so that one root
        remains.
        """
        length = s_p / 3.0
        excess = static / coulomb - 1.0
        if excess <= 0.0:
            remedy = "without a peak take the first order"
            raise InvalidParameter(
                "static", static, f"above coulomb = {coulomb:g}", remedy
            )

        def weakening(
            eta: float,
        ) -> float:  # s_e = eps eta/(1 − eta) ln((1 + f_2)/(eta f_2)) solved for f_2
            return 1.0 / (eta * math.exp(s_e * (1.0 - eta) / (length * eta)) - 1.0)

        def missing(eta: float) -> float:
            f_2 = weakening(eta)
            power = eta / (1.0 - eta)
            return (
                factor * f_2 * (1.0 - eta) * (eta * f_2 / (1.0 + f_2)) ** power - excess
            )

        from scipy.optimize import brentq  # takes a while to load

        low, high = _bracket(missing, weakening, s_e, length)
        eta = brentq(missing, low, high, xtol=1e-14)
        return cls(weakening(eta), eta, length, damping_ratio)

    def peak(self, factor: float = VIRGIN) -> float:
        """Return the peak F_s/F_c (A.2, corrected).

        It is 1 + c f_2 (1 − eta)(eta f_2/f_1)^(eta/(1 − eta)), c = 1 or 2.
        """
        eta = self.length_ratio
        f_2 = self.weakening
        return 1.0 + factor * f_2 * (1.0 - eta) * (eta * f_2 / (1.0 + f_2)) ** (
            eta / (1.0 - eta)
        )

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the initial stiffness [N/m].

        It is (f_1/eta − f_2)/eps per newton, times the load.
        """
        slope = (
            (1.0 + self.weakening) / self.length_ratio - self.weakening
        ) / self.length
        return mu * slope * normal


def _bracket(
    missing: Any, weakening: Any, s_e: float, length: float
) -> tuple[float, float]:
    """Bracket the wanted peak between two values of eta."""
    previous = None
    for eta in (0.001 * k for k in range(1, 1000)):
        exponent = s_e * (1.0 - eta) / (length * eta)
        if exponent > 600.0 or eta * math.exp(exponent) <= 1.0 or weakening(eta) > 1e6:
            previous = None
            continue
        if previous is not None and missing(previous) * missing(eta) <= 0.0:
            return previous, eta
        previous = eta
    raise InvalidParameter(
        "s_e",
        s_e,
        f"a displacement that allows this peak with s_p = {3.0 * length:g} m",
    )


@kernel
def plastic_share(ratio: float, law: Any) -> float:
    """Compute the plastic share of the slip.

    It is 0 below break-away, 1 at mu, and a half sine between (choice).
    """
    if ratio <= law.breakaway:
        return 0.0
    if ratio >= 1.0:
        return 1.0
    return 0.5 + 0.5 * math.sin(
        math.pi * ((ratio - law.breakaway) / (1.0 - law.breakaway) - 0.5)
    )


LEAST_SHARE = 1e-6  # of the slip: what flows less is elastic to within that (choice)


@kernel(inline="code")
def elasto_plastic_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance du/dt = (3 mu/s_p)(v − a |v| u/mu).

    Here a = 0 below a fraction of mu and when u unloads.

    Exact for a constant share a, which is taken in the middle of the step. Memory: (x,
    y) force ratio u [-].
    """
    x = memory.x
    y = memory.y
    stiffness = 3.0 * mu / law.s_p
    if mu <= 0.0:
        x = 0.0
        y = 0.0
    elif dt > 0.0 and (slip_x != 0.0 or slip_y != 0.0):
        half = 0.5 * stiffness * dt
        middle_x = x + half * slip_x
        middle_y = y + half * slip_y
        square = middle_x * middle_x + middle_y * middle_y
        share = 0.0
        if middle_x * slip_x + middle_y * slip_y > 0.0:
            share = plastic_share(min(math.sqrt(square) / mu, 1.0), law)
        if (
            share > LEAST_SHARE
            # a half sine begins with a share that rounds to 0, and the end of that flow
            # is far
        ):
            speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
            rest = mu / (share * speed)
            rest_x = rest * slip_x
            rest_y = rest * slip_y
            kept = math.exp(-stiffness * share / mu * speed * dt)
            x = rest_x + (x - rest_x) * kept
            y = rest_y + (y - rest_y) * kept
        else:
            x = x + 2.0 * half * slip_x
            y = y + 2.0 * half * slip_y
        square = x * x + y * y
        if square > mu * mu:
            scale = mu / math.sqrt(square)
            x = x * scale
            y = y * scale
    force_x, force_y = damped(
        x * normal,
        y * normal,
        slip_x,
        slip_y,
        normal,
        mu,
        stiffness * normal,
        law.damping_ratio,
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@configuration
class ElastoPlasticConfig(FrictionLaw):
    """Elasto-plastic law: true stick with recoverable presliding.

    See simulation study 3, "friction at rest".
    """

    s_p: float = parameter(
        1.0e-3,
        unit="m",
        above=0.0,
        high=0.1,
        source="A.7",
        doc="3 mu over the initial stiffness",
    )
    breakaway: float = parameter(
        0.7,
        low=0.0,
        below=1.0,
        source="simulation study 3",
        doc="part of mu without flow",
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(elasto_plastic_step)
    stored_energy = staticmethod(bliman_sorine_energy)
    ratio_form = True

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the presliding stiffness [N/m]: 3 mu/s_p per newton times the load."""
        return 3.0 * mu / self.s_p * normal


# of the reference load, below which friction no longer depends on the load (choice)
LEAST_LOAD_SHARE = 0.01


@kernel
def surface_level(
    mu: float, speed: float, normal: float, squeezed: float, travel: float, law: Any
) -> float:
    """Compute the friction limit per newton of load on a real surface.

    ``mu (N/N_0)^-k [1 + (F_s/F_c - 1) exp(-(v/v_s)^2)] [c + (1 - c)/(1 + (h/h_r)^2)] +
    p s``: pressure, static peak, what a film of thickness h leaves, ploughing over the
    travel s. Under a load F on n pads of radius R a film obeys Stefan's ``1/h^2 =
    1/h_0^2 + 4 int F dt/(3 pi eta n R^4)``.

    Args:
        mu: of the dry surface at the reference load, at speed.
        speed: of the slip [m/s].
        normal: load [N].
        squeezed: load over time since the contact began [N s].
        travel: slid since then [m].
        law: packed.
    """
    level = mu
    if law.load_exponent > 0.0:
        level *= (
            max(normal / law.reference_load, LEAST_LOAD_SHARE) ** -law.load_exponent
        )
    if law.static_ratio > 1.0:
        level *= 1.0 + (law.static_ratio - 1.0) * math.exp(
            -((speed / law.stribeck_velocity) ** 2)
        )
    if law.film > 0.0:
        thinned = (
            4.0
            * squeezed
            / (3.0 * math.pi * law.film_viscosity * law.pads * law.pad_radius**4)
        )
        contact = 1.0 / (1.0 + 1.0 / (law.roughness**2 * (1.0 / law.film**2 + thinned)))
        level *= law.film_share + (1.0 - law.film_share) * contact
    return level + law.ploughing * min(travel, law.plough_length)


@kernel
def surface_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance the elasto-plastic law under :func:`surface_level`.

    The axes are along and across the surface's grain.

    Across the grain slip counts and force holds ``across`` times as much, so that the
    limit is an ellipse and sliding is normal to it. Memory: (x, y) force ratio u along
    and across [-]; load over time [N s]; travel [m].
    """
    c = math.cos(law.grain)
    s = math.sin(law.grain)
    along = c * slip_x + s * slip_y
    across = law.across * (c * slip_y - s * slip_x)
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    squeezed = memory.second_x + normal * dt
    travel = memory.second_y + speed * dt
    level = surface_level(mu, speed, normal, squeezed, travel, law)
    after, force, side = elasto_plastic_step(
        memory, along, across, normal, level, law, dt
    )
    side *= law.across
    kept = FrictionMemory(
        x=after.x,
        y=after.y,
        second_x=squeezed,
        second_y=travel,
        phase=STICK,
        clock=0.0,
        elements=NO_ELEMENTS,
    )
    return kept, c * force - s * side, s * force + c * side


@configuration
class SurfaceConfig(ElastoPlasticConfig):
    """Rubber, wet, rough and grained floors: elasto-plastic friction.

    Its limit depends on more than the load.
    """

    load_exponent: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="k of mu ~ load^-k; rubber 0.04 to 0.11, one elastic asperity 1/3; 0: "
        "Coulomb's",
    )
    reference_load: float = parameter(
        50.0,
        unit="N",
        above=0.0,
        doc="N_0 of a contact point, at which mu is as stated",
    )
    static_ratio: float = parameter(
        1.0, low=1.0, high=10.0, source="A.1", doc="F_s/F_c"
    )
    stribeck_velocity: float = parameter(
        0.01, unit="m/s", above=0.0, doc="v_s at which the static peak has gone"
    )
    film: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.01,
        doc="h_0 of a liquid film at touchdown; 0: dry",
    )
    film_viscosity: float = parameter(
        1.0e-3, unit="Pa s", above=0.0, high=100.0, doc="eta; water"
    )
    film_share: float = parameter(
        0.1, low=0.0, high=1.0, doc="c: mu on a whole film over mu without one"
    )
    pads: float = parameter(
        20.0, above=0.0, doc="n, treads that share the load of a contact point"
    )
    pad_radius: float = parameter(
        5.0e-3, unit="m", above=0.0, high=1.0, doc="R of a tread"
    )
    roughness: float = parameter(
        5.0e-6,
        unit="m",
        above=0.0,
        high=0.01,
        doc="h_r, film at which half of the contact is dry",
    )
    ploughing: float = parameter(
        0.0,
        unit="1/m",
        low=0.0,
        high=1e3,
        doc="p: rise of the force ratio with the travel",
    )
    plough_length: float = parameter(
        0.05, unit="m", low=0.0, high=1.0, doc="travel after which it rises no more"
    )
    across: float = parameter(
        1.0, above=0.0, high=10.0, doc="friction across the grain over that along it"
    )
    grain: float = parameter(
        0.0, unit="rad", low=-10.0, high=10.0, doc="direction of the grain from x"
    )

    step = staticmethod(surface_step)

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the friction coefficient along the grain, at the reference load.

        Film and ploughing are left out.
        """
        return mu * (
            1.0
            + (self.static_ratio - 1.0)
            * math.exp(-((speed / self.stribeck_velocity) ** 2))
        )

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the presliding stiffness [N/m] at the largest limit along the way."""
        light = (
            max(normal / self.reference_load, LEAST_LOAD_SHARE) ** -self.load_exponent
        )
        largest = mu * light * self.static_ratio + self.ploughing * self.plough_length
        return 3.0 * largest / self.s_p * normal * max(1.0, self.across**2)


@kernel
def lugre_level(speed: float, mu: float, law: Any) -> float:
    """Compute the friction level g(v) per newton of load (A.2, choice).

    It is g(v) = mu [1 + (F_s/F_c − 1) exp(−(v/v_s)²)].
    """
    return mu * (
        1.0
        + (law.static_ratio - 1.0) * math.exp(-((speed / law.stribeck_velocity) ** 2))
    )


@kernel
def lugre_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance dz/dt = v − sigma_0 |v| z/g(v) exactly at constant slip.

    The force is F/F_n = sigma_0 z + sigma_1 dz/dt + F_v v (4.7).

    [corrected] with |v| in the bristle's decay. Memory: (x, y) bristle deflection z
    [m].
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    level = lugre_level(speed, mu, law)
    if level <= 0.0:
        viscous = law.viscosity * normal
        return (
            deflected(0.0, 0.0, STICK),
            viscous * slip_x,
            viscous * slip_y,
        )
    x = memory.x
    y = memory.y
    decay = law.stiffness * speed / level
    if speed > 0.0:
        rest_x = slip_x / decay
        rest_y = slip_y / decay
        kept = math.exp(-decay * dt)
        x = rest_x + (x - rest_x) * kept
        y = rest_y + (y - rest_y) * kept
    force_x = normal * (
        law.stiffness * x
        + law.bristle_damping * (slip_x - decay * x)
        + law.viscosity * slip_x
    )
    force_y = normal * (
        law.stiffness * y
        + law.bristle_damping * (slip_y - decay * y)
        + law.viscosity * slip_y
    )
    force_x, force_y = damped(
        force_x,
        force_y,
        slip_x,
        slip_y,
        normal,
        mu,
        law.stiffness * normal,
        law.damping_ratio,
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@kernel
def lugre_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Compute the bristles' energy F_n sigma_0 z²/2 [J]."""
    return 0.5 * normal * law.stiffness * (memory.x * memory.x + memory.y * memory.y)


@configuration
class LuGreConfig(FrictionLaw):
    """LuGre's law of bristles: a spring and a damper up to the level g(v).

    Bristles have the demonstration values of A.2, per newton of load. By default the
    level is mu at every speed; A.2's has static_ratio 1.5 and viscosity 0.4 s/m.
    """

    stiffness: float = parameter(
        1.0e5, unit="1/m", above=0.0, source="A.2", doc="sigma_0 per newton of load"
    )
    bristle_damping: float = parameter(
        316.0, unit="s/m", low=0.0, source="A.2", doc="sigma_1 per newton of load"
    )
    static_ratio: float = parameter(1.0, low=1.0, high=10.0, doc="F_s/F_c; 1.5 in A.2")
    stribeck_velocity: float = parameter(
        1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s"
    )
    viscosity: float = parameter(
        0.0, unit="s/m", low=0.0, doc="F_v per newton of load; 0.4 in A.2"
    )
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(lugre_step)
    stored_energy = staticmethod(lugre_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio g(v) + F_v |v|."""
        return lugre_level(speed, mu, self.packed) + self.viscosity * speed

    def unlimited_damping(self, normal: float) -> float:
        """Return the damping of the bristles at rest [N s/m], which knows no mu."""
        return (self.bristle_damping + self.viscosity) * normal

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Bend the bristles to ratio/sigma_0."""
        return FRESH._replace(x=ratio / self.stiffness)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the presliding stiffness [N/m]: sigma_0 per newton, times the load."""
        return self.stiffness * normal
