# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Friction laws of the sliding velocity: the ratio F/F_n is a curve of |v|.

- **Stribeck** (A.1 (4.1)): mu [1 + (F_s/F_c − 1) exp(−|v/v_s|^p)] + F_v |v|; with the
  default F_s = F_c and F_v = 0 it is Coulomb's law. At rest a stiff spring stands for
  the force that is applied.
- **Karnopp** (A.1 (4.2)): the same curve outside a window of velocity, stick inside.
- **Peasgood** (E.2 (18)) and **Khadiv** (regularised, E.4): curves through 0 at rest.
  They have no memory, hence no stick: under any load they creep. E.2 is known from a
  review alone; walks of our own don't use it.

The ratio over the speed, with a static peak::

    F_s |\                     Stribeck, Karnopp (held up to F_s at v = 0)
    F_c |  `-----------------
        | .·´                  Peasgood, Khadiv (0 at v = 0)
        +---------------------> |v|

Sources: [Karnopp1985], [Peasgood2007], [Khadiv2019].
"""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import (
    SLIDE,
    STICK,
    DamperLaw,
    FrictionMemory,
    SpringLaw,
    damped,
    deflected,
    presliding_damping,
)


@kernel
def stribeck_ratio(speed: float, mu: float, law: Any) -> float:
    """Compute the sliding ratio (A.1 (4.1)).

    It is mu [1 + (F_s/F_c − 1) exp(−|v/v_s|^p)] + F_v |v|.
    """
    excess = (law.static_ratio - 1.0) * math.exp(
        -((speed / law.stribeck_velocity) ** law.stribeck_exponent)
    )
    return mu * (1.0 + excess) + law.viscosity * speed


@kernel
def stribeck_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance (4.1) at a contact point.

    A stiff spring stands for the unknown applied force (choice).

    Memory: (x, y) deflection of that spring [m], which stays stretched along the slide
    and catches it; phase.
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    static = law.static_ratio * mu * normal
    x = memory.x
    y = memory.y
    if memory.phase == SLIDE and slip_x * x + slip_y * y > 0.0:
        force = stribeck_ratio(speed, mu, law) * normal / speed
        held = static / law.stiffness / speed
        slide = deflected(held * slip_x, held * slip_y, SLIDE)
        return slide, force * slip_x, force * slip_y
    x = x + slip_x * dt
    y = y + slip_y * dt
    stretched = law.stiffness * math.sqrt(x * x + y * y)
    if stretched > static:
        x = x * static / stretched
        y = y * static / stretched
        return (
            deflected(x, y, SLIDE),
            law.stiffness * x,
            law.stiffness * y,
        )
    k = law.stiffness
    force_x, force_y = damped(
        k * x, k * y, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@configuration
class StribeckConfig(SpringLaw):
    """Coulomb friction (A.1).

    With a static ratio above 1 it is stiction or Stribeck, with viscosity also viscous.
    """

    static_ratio: float = parameter(
        1.0, low=1.0, high=10.0, source="A.1", doc="F_s/F_c"
    )
    stribeck_velocity: float = parameter(
        1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s"
    )
    stribeck_exponent: float = parameter(
        1.0, low=0.5, high=4.0, source="A.1", doc="p of the Stribeck curve"
    )
    viscosity: float = parameter(
        0.0, unit="s/m", low=0.0, source="A.1", doc="F_v per newton of load"
    )
    stiffness: float = parameter(
        5.0e4, unit="N/m", above=0.0, doc="spring of the stick state"
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(stribeck_step)

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio of (4.1)."""
        return stribeck_ratio(speed, mu, self.packed)


@kernel
def karnopp_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Compute friction that sticks while |v| < window, else follows (4.1).

    The condition is printed without the modulus.

    A stiff spring carries the applied force at stick, as in the Stribeck law (choice).
    Outside the window, too, it is stretched to the curve before the point slides:
    vibration at rest is no slide. Memory: (x, y) its deflection.
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    x = memory.x + slip_x * dt
    y = memory.y + slip_y * dt
    fast = speed >= law.window
    limit = (stribeck_ratio(speed, mu, law) if fast else law.static_ratio * mu) * normal
    stretched = law.stiffness * math.sqrt(x * x + y * y)
    if stretched > limit:
        x = x * limit / stretched
        y = y * limit / stretched
        if fast:
            slide = deflected(x, y, SLIDE)
            return slide, limit * slip_x / speed, limit * slip_y / speed
    k = law.stiffness
    force_x, force_y = damped(
        k * x, k * y, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@configuration
class KarnoppConfig(StribeckConfig):
    """The Stribeck curve outside a velocity window, stick inside (A.1)."""

    window: float = parameter(
        1.0e-3,
        unit="m/s",
        above=0.0,
        source="A.1",
        doc="half width eps of the stick window",
    )

    step = staticmethod(karnopp_step)

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio.

        It is (4.1) outside the window, the static level inside.
        """
        return (
            stribeck_ratio(speed, mu, self.packed)
            if speed >= self.window
            else self.static_ratio * mu
        )


@kernel
def peasgood_ratio(speed: float, mu: float, law: Any) -> float:
    """Compute the ratio that rises to mu_stat at v_st (E.2, choice).

    It then decays to mu_dyn = mu.
    """
    static = law.static_ratio * mu
    s = speed / law.stiction_velocity
    if s <= 1.0:
        return static * s * s * (3.0 - 2.0 * s)
    return mu + (static - mu) * math.exp(1.0 - s)


@kernel
def peasgood_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Compute F = mu(|v|) F_n v/|v| (E.2 (18))."""
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed == 0.0:
        return memory, 0.0, 0.0
    force = peasgood_ratio(speed, mu, law) * normal / speed
    k = mu * normal / law.damping_length
    force_x, force_y = damped(
        force * slip_x, force * slip_y, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return memory, force_x, force_y


@configuration
class PeasgoodConfig(DamperLaw):
    """Friction coefficient that rises to a static peak (E.2).

    It then falls to the dynamic level.
    """

    static_ratio: float = parameter(1.2, low=1.0, high=10.0, doc="mu_stat/mu_dyn")
    stiction_velocity: float = parameter(
        1.0e-2, unit="m/s", above=0.0, doc="v_st of the peak"
    )
    damping_length: float = parameter(
        1.0e-3, unit="m", above=0.0, doc="scale of the optional damper"
    )
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(peasgood_step)
    mu_is = "slid with from 0.1 m/s on; the peak is 1.2 mu at 1 cm/s, at rest it creeps"

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio mu(|v|)."""
        return peasgood_ratio(speed, mu, self.packed)


@kernel
def saturation(speed: float, law: Any) -> float:
    """Saturate by (2/pi) arctan(pi lambda v/2) or tanh(lambda v) (E.4).

    The slope is lambda at rest, the value 1 at high speed.
    """
    if law.hyperbolic:
        return math.tanh(law.slope * speed)
    return 2.0 / math.pi * math.atan(0.5 * math.pi * law.slope * speed)


@kernel
def regularised_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Compute F = mu F_n phi(|v|) v/|v| (E.4)."""
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed == 0.0:
        return memory, 0.0, 0.0
    force = mu * normal * saturation(speed, law) / speed
    k = mu * normal / law.damping_length
    force_x, force_y = damped(
        force * slip_x, force * slip_y, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    return memory, force_x, force_y


@configuration
class RegularisedConfig(DamperLaw):
    """Khadiv's friction: proportional to the load and continuous (E.4).

    It saturates at mu F_n.
    """

    slope: float = parameter(
        100.0, unit="s/m", above=0.0, doc="lambda, slope at zero velocity"
    )
    hyperbolic: bool = parameter(False, doc="tanh in the place of arctan")
    damping_length: float = parameter(
        1.0e-3, unit="m", above=0.0, doc="scale of the optional damper"
    )
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(regularised_step)
    mu_is = (
        "the limit of fast slides: 0.64 mu at 1 cm/s, 0.96 mu at 0.1 m/s; at rest it "
        "creeps"
    )

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio mu phi(|v|)."""
        return mu * saturation(speed, self.packed)
