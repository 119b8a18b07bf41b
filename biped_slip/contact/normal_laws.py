# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Normal laws: force of the ground along its normal from penetration and its rate.

Every law is one kernel ``force(penetration, rate, impact_rate, law) -> F_n`` [N] of the
penetration d [m], its rate [m/s], the rate at touchdown [m/s] (for laws that remember
it) and the packed configuration. F_n is never negative but for the linear law without
clamp, and 0 when d <= 0 (S.2).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Protocol

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.plugins import named_class, names


class NormalForce(Protocol):
    """Kernel of a normal law."""

    def __call__(
        self, penetration: float, rate: float, impact_rate: float, law: Any, /
    ) -> float:
        """Return the normal force F_n [N]."""


class NormalLaw(Configuration):
    """Base of all normal laws: the force [N] of one point that is pressed in.

    A law has a kernel, which simulations call, and closed forms, which tests hold it
    to.

    Attributes:
        force: kernel, (penetration, rate, impact_rate, law) -> normal force [N].
        continuous_at_touchdown: whether the force starts from 0 whatever the impact.
    """

    force: ClassVar[NormalForce]
    continuous_at_touchdown: ClassVar[bool] = (
        True  # the force starts from 0 whatever the impact rate
    )

    def steady_penetration(self, load: float) -> float:
        """Return the penetration [m] under a constant load.

        Args:
            load: normal force of the point [N].
        """
        raise NotImplementedError

    def normal_stiffness(self, load: float) -> float:
        """Return the slope of the static force [N/m] under a load.

        Args:
            load: normal force of the point [N].
        """
        raise NotImplementedError


class PowerLaw(NormalLaw):
    """Laws whose static force is k d^alpha."""

    stiffness: float  # k [N/m^alpha]
    exponent: float  # alpha

    def steady_penetration(self, load: float) -> float:
        """Return the depth (F/k)^(1/alpha)."""
        return (load / self.stiffness) ** (1.0 / self.exponent)

    def normal_stiffness(self, load: float) -> float:
        """Return the slope alpha F/d at the steady depth."""
        return self.exponent * load / self.steady_penetration(load)


LARGEST_COMPRESSION = 0.999  # of l_0: the tangent ends there (E.3)


@kernel
def bounded_penetration_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = max(0, k (2 l_0/pi) tan(pi d/(2 l_0)) + b d ḋ) (E.3).

    Beyond 0.999 l_0 the tangent continues as a straight line with its slope there, 4e5
    k, so that a hard impact stops next to l_0 (choice; E.3 only cuts the argument).
    """
    if penetration <= 0.0:
        return 0.0
    share = min(penetration / law.depth, LARGEST_COMPRESSION)
    tangent = math.tan(0.5 * math.pi * share)
    elastic = law.stiffness * 2.0 * law.depth / math.pi * tangent
    elastic += (
        law.stiffness * (1.0 + tangent * tangent) * (penetration - share * law.depth)
    )
    return max(0.0, elastic + law.damping * penetration * rate)


@configuration
class BoundedPenetrationConfig(NormalLaw):
    """The tangent law with the corrected damping of E.3 (19).

    Penetration is never deeper than chosen, whatever mass and speed.
    """

    stiffness: float = parameter(
        1.0e5,
        unit="N/m",
        above=0.0,
        high=1e9,
        source="E.3",
        doc="k_z, slope at zero depth",
    )
    depth: float = parameter(
        2.0e-3,
        unit="m",
        above=0.0,
        high=0.5,
        source="E.3",
        doc="l_0, deepest penetration",
    )
    damping: float = parameter(
        3.0e6,
        unit="N s/m^2",
        low=0.0,
        high=1e9,
        source="E.3",
        doc="b_z (printed 3.0e5)",
    )

    force = staticmethod(bounded_penetration_force)

    def steady_penetration(self, load: float) -> float:
        """Return the depth (2 l_0/pi) arctan(pi F/(2 k l_0))."""
        return (
            2.0
            * self.depth
            / math.pi
            * math.atan(math.pi * load / (2.0 * self.stiffness * self.depth))
        )

    def normal_stiffness(self, load: float) -> float:
        """Return the slope k (1 + tan²) at the steady depth."""
        return self.stiffness * (
            1.0 + (math.pi * load / (2.0 * self.stiffness * self.depth)) ** 2
        )


@kernel
def hertz_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """Compute the lossless contact of a sphere: F_n = k d^1.5 (B.1 (13))."""
    return law.stiffness * penetration**1.5 if penetration > 0.0 else 0.0


@configuration
class HertzConfig(NormalLaw):
    """Hertz's elastic law, without dissipation (B.1).

    A dropped body bounces for ever.
    """

    stiffness: float = parameter(1.5e6, unit="N/m^1.5", above=0.0, high=1e12, doc="k")

    force = staticmethod(hertz_force)

    def steady_penetration(self, load: float) -> float:
        """Return the depth (F/k)^(2/3)."""
        return (load / self.stiffness) ** (2.0 / 3.0)

    def normal_stiffness(self, load: float) -> float:
        """Return the slope 1.5 F/d at the steady depth."""
        return 1.5 * load / self.steady_penetration(load)


@kernel(inline="code")
def hunt_crossley_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = max(0, k dⁿ + b dᵖ sgn(ḋ)|ḋ|^q), never attractive (A.7 (6.2))."""
    if penetration <= 0.0:
        return 0.0
    if (
        law.stiffness_exponent == 1.0
        and law.damping_exponent == 1.0
        and law.rate_exponent == 1.0
    ):
        force = penetration * (law.stiffness + law.damping * rate)
    else:
        damping = (
            law.damping
            * penetration**law.damping_exponent
            * math.copysign(abs(rate) ** law.rate_exponent, rate)
        )
        force = law.stiffness * penetration**law.stiffness_exponent + damping
    return max(0.0, force)


@configuration
class HuntCrossleyConfig(NormalLaw):
    """F_n = max(0, k dⁿ + b dᵖ sgn(ḋ)|ḋ|^q) with penetration d and its rate ḋ (A.7)."""

    stiffness: float = parameter(
        5.0e4, unit="N/m^n", above=0.0, high=1e9, source="A.7", doc="stiffness k"
    )
    damping: float = parameter(
        3.5e4, unit="N s/m^(p+1)", low=0.0, high=1e9, source="A.7", doc="damping b"
    )
    stiffness_exponent: float = parameter(
        1.0, low=0.5, high=4.0, source="A.7", doc="exponent n of the depth"
    )
    damping_exponent: float = parameter(
        1.0, low=0.0, high=4.0, source="A.7", doc="exponent p of the depth"
    )
    rate_exponent: float = parameter(
        1.0, low=0.1, high=4.0, source="A.7", doc="exponent q of the rate"
    )

    force = staticmethod(hunt_crossley_force)

    def steady_penetration(self, load: float) -> float:
        """Return the depth (F/k)^(1/n)."""
        return (load / self.stiffness) ** (1.0 / self.stiffness_exponent)

    def normal_stiffness(self, load: float) -> float:
        """Return the slope n F/d at the steady depth."""
        return self.stiffness_exponent * load / self.steady_penetration(load)


@kernel
def kelvin_voigt_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = max(0, k d^alpha + c ḋ) (B.1 (14))."""
    if penetration <= 0.0:
        return 0.0
    return max(0.0, law.stiffness * penetration**law.exponent + law.damping * rate)


@configuration
class KelvinVoigtConfig(PowerLaw):
    """Power-law spring beside a linear damper (B.1).

    The force jumps by c·v at touchdown.
    """

    stiffness: float = parameter(1.5e6, unit="N/m^alpha", above=0.0, high=1e12, doc="k")
    exponent: float = parameter(1.5, low=1.0, high=4.0, source="B.1", doc="alpha")
    damping: float = parameter(100.0, unit="N s/m", low=0.0, high=1e6, doc="c")

    force = staticmethod(kelvin_voigt_force)
    continuous_at_touchdown = False


@kernel
def linear_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = k d + c ḋ while d > 0 (E.2 (16), B.1 (5)).

    Without the clamp it pulls on fast separation.
    """
    if penetration <= 0.0:
        return 0.0
    force = law.stiffness * penetration + law.damping * rate
    return max(0.0, force) if law.clamp else force


@configuration
class LinearConfig(NormalLaw):
    """Spring and damper in parallel; the force jumps by c·v at touchdown (E.2)."""

    stiffness: float = parameter(
        5.0e4, unit="N/m", above=0.0, high=1e9, source="A.7", doc="k_z"
    )
    damping: float = parameter(100.0, unit="N s/m", low=0.0, high=1e6, doc="c_z")
    clamp: bool = parameter(
        True, doc="no attraction at separation (S.2); false shows the published law"
    )

    force = staticmethod(linear_force)
    continuous_at_touchdown = False

    def steady_penetration(self, load: float) -> float:
        """Return the depth F/k."""
        return load / self.stiffness

    def normal_stiffness(self, load: float) -> float:
        """Return the slope k, at any load."""
        return self.stiffness


# [m/s]: a gentler touchdown counts as this one, or the damping would grow without bound
SLOWEST_IMPACT = 1e-3


@kernel
def restitution_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = max(0, k d^alpha [1 + 3(1 − e²)/4 · ḋ/ḋ_0]) (E.2, unnumbered).

    ḋ_0 is the rate at touchdown.
    """
    if penetration <= 0.0:
        return 0.0
    relative = rate / max(impact_rate, SLOWEST_IMPACT)
    loss = 0.75 * (1.0 - law.restitution * law.restitution)
    return max(0.0, law.stiffness * penetration**law.exponent * (1.0 + loss * relative))


@configuration
class RestitutionConfig(PowerLaw):
    """Lankarani–Nikravesh form: good for restitutions near 1 (E.2)."""

    stiffness: float = parameter(
        1.5e6, unit="N/m^alpha", above=0.0, high=1e12, doc="k_z"
    )
    exponent: float = parameter(1.5, low=1.0, high=4.0, doc="alpha")
    restitution: float = parameter(
        0.5, low=0.0, high=1.0, doc="coefficient of restitution eps"
    )

    force = staticmethod(restitution_force)


@kernel
def step_damper_force(
    penetration: float, rate: float, impact_rate: float, law: Any
) -> float:
    """Compute F_n = max(0, k d^alpha + c_max h(d) ḋ) (E.2, first unnumbered law).

    Here h = 3s² − 2s³ of s = d/d_max.
    """
    if penetration <= 0.0:
        return 0.0
    s = min(penetration / law.damping_depth, 1.0)
    return max(
        0.0,
        law.stiffness * penetration**law.exponent
        + law.damping * s * s * (3.0 - 2.0 * s) * rate,
    )


@configuration
class StepDamperConfig(PowerLaw):
    """Power-law spring, full damping only below a depth (E.2)."""

    stiffness: float = parameter(
        1.5e6, unit="N/m^alpha", above=0.0, high=1e12, doc="k_z"
    )
    exponent: float = parameter(1.5, low=1.0, high=4.0, doc="alpha")
    damping: float = parameter(1.0e3, unit="N s/m", low=0.0, high=1e6, doc="c_max")
    damping_depth: float = parameter(
        1.0e-3, unit="m", above=0.0, high=0.5, doc="d_max of the step"
    )

    force = staticmethod(step_damper_force)


# A new law is its class and a line here, an entry point of the group, or
# ``FILE.py:NAME``.

GROUP = "biped_slip.normal_laws"

NORMAL_LAWS: dict[str, type[NormalLaw]] = {
    "linear": LinearConfig,
    "kelvin_voigt": KelvinVoigtConfig,
    "hertz": HertzConfig,
    "hunt_crossley": HuntCrossleyConfig,
    "bounded_penetration": BoundedPenetrationConfig,
    "step_damper": StepDamperConfig,
    "restitution": RestitutionConfig,
}


def normal_law_names() -> list[str]:
    """List the names of all normal laws, those of installed packages included."""
    return names(GROUP, NORMAL_LAWS)


def normal_law(name: str) -> type[NormalLaw]:
    """Look up a normal law.

    It is a configuration class that holds its kernel and closed forms.

    Args:
        name: of a shipped or installed law, or ``FILE.py:NAME``.

    Raises:
        UnknownName: no such law.
        InvalidParameter: what the name points to is no normal law.
    """
    return named_class("normal law", GROUP, NORMAL_LAWS, name, NormalLaw)
