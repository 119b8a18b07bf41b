# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws with a spring while the contact sticks.

- **Featherstone** (A.1 (4.4)): F = k x + b v, cut at mu F_n;
- **Armstrong** (A.1 (4.3)): F = k x up to a level that rises with the time at rest,
  then Stribeck's curve with a remembered speed: seven parameters;
- **Bruneau** (B.1): adherence k_t x + mu_t v, which creeps, and sliding lambda_d F_n +
  mu_t^s |V|; a foot lets go as a whole, each point catches by itself;
- **Park and Kwon** (E.2 (17)): F = k x + c |x| v from the place of touchdown, without a
  limit: it never slides.

Bruneau's values are those of a robot of 75 kg on 36 points and serve its paper; the
law of Park and Kwon is known from a review alone. In time, under a rising force::

    stick: spring stretches ... level reached | slide | at rest again: stick

Sources: [Featherstone2008], [Armstrong1994], [Bruneau1999], [ParkKwon2001].
"""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import (
    NO_ELEMENTS,
    SLIDE,
    STICK,
    FrictionMemory,
    SpringLaw,
    damped,
    deflected,
    presliding_damping,
)


@kernel
def featherstone_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance F = k x + b v, cut at mu F_n.

    While it is cut, x relaxes to the cut force: dx/dt = (F − k x)/b (4.4, choice).

    Memory: (x, y) deflection of the spring [m].
    """
    x = memory.x + slip_x * dt
    y = memory.y + slip_y * dt
    force_x = law.stiffness * x + law.damping * slip_x
    force_y = law.stiffness * y + law.damping * slip_y
    size = math.sqrt(force_x * force_x + force_y * force_y)
    limit = mu * normal
    if size > limit:
        force_x = force_x * limit / size
        force_y = force_y * limit / size
        kept = math.exp(-law.stiffness * dt / law.damping)
        rest_x = force_x / law.stiffness
        rest_y = force_y / law.stiffness
        x = rest_x + (memory.x - rest_x) * kept
        y = rest_y + (memory.y - rest_y) * kept
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@configuration
class FeatherstoneConfig(SpringLaw):
    """Spring and damper below the Coulomb limit (A.1)."""

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, doc="k")
    damping: float = parameter(
        50.0, unit="N s/m", above=0.0, doc="b, the damper of this law"
    )

    step = staticmethod(featherstone_step)


@kernel
def park_kwon_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Compute F = k x + c |x| v from the place of touchdown (E.2 (17)).

    Without mu, it never slides.

    Memory: (x, y) displacement since touchdown [m].
    """
    x = memory.x + slip_x * dt
    y = memory.y + slip_y * dt
    damping = law.damping * math.sqrt(x * x + y * y)
    force_x = law.stiffness * x + damping * slip_x
    force_y = law.stiffness * y + damping * slip_y
    return (
        deflected(x, y, STICK),
        force_x,
        force_y,
    )


@configuration
class ParkKwonConfig(SpringLaw):
    """Tangential spring and displacement-proportional damper (E.2).

    There is no friction limit.
    """

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, doc="k_x")
    damping: float = parameter(1.0e5, unit="N s/m^2", low=0.0, doc="c_x")

    step = staticmethod(park_kwon_step)
    mu_is = "not used: the spring holds whatever the load, and never slides"

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return no steady ratio: this law never slides."""
        return math.inf


@kernel
def dwell_excess(dwell: float, law: Any) -> float:
    """Compute the static excess after a dwell time t2 [s] (A.1).

    The excess is F_s(t2)/F_c = a + (b − a) t2/(t2 + gamma).
    """
    return law.excess_initial + (law.excess_final - law.excess_initial) * dwell / (
        dwell + law.dwell_constant
    )


@kernel
def armstrong_ratio(
    speed: float, remembered_speed: float, excess: float, mu: float, law: Any
) -> float:
    """Compute the sliding ratio (A.1).

    It is mu [1 + excess/(1 + (v(t − tau)/v_s)²)] + F_v |v|.
    """
    lagged = remembered_speed / law.stribeck_velocity
    return mu * (1.0 + excess / (1.0 + lagged * lagged)) + law.viscosity * speed


@kernel(inline="code")
def armstrong_slide(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance a slide that goes on: the Stribeck branch with its remembered speed.

    The spring stays stretched along the slide, and catches it.
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    remembered = memory.second_x
    excess = memory.second_y
    kept = math.exp(-dt / law.memory_time) if law.memory_time > 0.0 else 0.0
    remembered = speed + (remembered - speed) * kept
    force = armstrong_ratio(speed, remembered, excess, mu, law) * normal / speed
    held = mu * (1.0 + excess) * normal / law.stiffness / speed
    slide = FrictionMemory(
        x=held * slip_x,
        y=held * slip_y,
        second_x=remembered,
        second_y=excess,
        phase=SLIDE,
        clock=0.0,
        elements=NO_ELEMENTS,
    )
    return slide, force * slip_x, force * slip_y


@kernel
def armstrong_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance (4.3) with the usual completion of A.1.

    The delay tau_L is a first-order lag of the speed (choice).

    Memory: (x, y) deflection of the spring [m], in a slide stretched along it; second_x
    the remembered speed [m/s], second_y the excess at break-away, phase, clock the
    dwell time [s].
    """
    x = memory.x
    y = memory.y
    dwell = memory.clock
    if memory.phase == SLIDE:
        if slip_x * x + slip_y * y > 0.0:
            return armstrong_slide(memory, slip_x, slip_y, normal, mu, law, dt)
        dwell = 0.0
    x = x + slip_x * dt
    y = y + slip_y * dt
    dwell = dwell + dt
    excess = dwell_excess(dwell, law)
    static = mu * (1.0 + excess) * normal
    k = law.stiffness
    stretched = k * math.sqrt(x * x + y * y)
    if stretched > static:
        x = x * static / stretched
        y = y * static / stretched
        slide = FrictionMemory(
            x=x,
            y=y,
            second_x=0.0,
            second_y=excess,
            phase=SLIDE,
            clock=0.0,
            elements=NO_ELEMENTS,
        )
        return slide, k * x, k * y
    force_x, force_y = damped(
        k * x, k * y, slip_x, slip_y, normal, mu, k, law.damping_ratio
    )
    stick = FrictionMemory(
        x=x,
        y=y,
        second_x=0.0,
        second_y=0.0,
        phase=STICK,
        clock=dwell,
        elements=NO_ELEMENTS,
    )
    return stick, force_x, force_y


@configuration
class ArmstrongConfig(SpringLaw):
    """Armstrong's law of seven parameters (A.1).

    Its parts are spring, Coulomb, viscous, Stribeck, rising static level and memory.
    """

    stiffness: float = parameter(
        5.0e4, unit="N/m", above=0.0, doc="sigma_0 of the stick state"
    )
    excess_initial: float = parameter(
        0.0, low=0.0, high=10.0, doc="(F_s - F_c)/F_c without dwell"
    )
    excess_final: float = parameter(
        0.3, low=0.0, high=10.0, doc="(F_s - F_c)/F_c after long dwell"
    )
    dwell_constant: float = parameter(0.1, unit="s", above=0.0, doc="gamma")
    stribeck_velocity: float = parameter(
        1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s"
    )
    memory_time: float = parameter(1.0e-3, unit="s", low=0.0, doc="tau_L")
    viscosity: float = parameter(
        0.0, unit="s/m", low=0.0, source="A.1", doc="F_v per newton of load"
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(armstrong_step)
    mu_is = (
        "slid with; after a dwell t it holds mu (1 + 0.3 t/(t + 0.1 s)), and slides "
        "with that below some mm/s"
    )

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the steady friction ratio, after a break-away without dwell."""
        return armstrong_ratio(speed, speed, self.excess_initial, mu, self.packed)


@kernel
def bruneau_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Blend adherence with sliding along a frozen direction (B.1).

    Adherence is k_t x + mu_t v, sliding is lambda_d F_n + mu_t^s |V_t|.

    Onset is macroscopic (:func:`bruneau_release`), arrest local: a point adheres again
    when it no longer moves along the direction it began to slide in. lambda_d is the
    floor's mu. The anchor is reset on re-adherence and the phase is a latch [corrected
    there]. Memory: (x, y) displacement from the anchor [m], (second_x, second_y) frozen
    direction of sliding, phase, clock time since the phase began [s].
    """
    x = memory.x + slip_x * dt
    y = memory.y + slip_y * dt
    clock = memory.clock + dt
    phase = memory.phase
    along_x = memory.second_x
    along_y = memory.second_y
    speed = slip_x * along_x + slip_y * along_y
    if phase == SLIDE and clock >= law.blend_to_slide and speed <= 0.0:
        phase = STICK
        clock = 0.0
        x = 0.0
        y = 0.0
    stick_x = law.stiffness * x + law.damping * slip_x
    stick_y = law.stiffness * y + law.damping * slip_y
    size = math.sqrt(stick_x * stick_x + stick_y * stick_y)
    # the first step of a slide
    if phase == SLIDE and along_x == 0.0 and along_y == 0.0 and size > 0.0:
        along_x = stick_x / size
        along_y = stick_y / size
        speed = slip_x * along_x + slip_y * along_y
    if phase == SLIDE:
        slid = min(clock / law.blend_to_slide, 1.0)
    else:
        slid = (
            max(1.0 - clock / law.blend_to_stick, 0.0)
            if along_x != 0.0 or along_y != 0.0
            else 0.0
        )
    sliding = mu * normal + law.sliding_damping * speed
    force_x = stick_x + (sliding * along_x - stick_x) * slid
    force_y = stick_y + (sliding * along_y - stick_y) * slid
    if slid == 0.0 and phase == STICK:
        along_x = 0.0
        along_y = 0.0
    return (
        FrictionMemory(
            x=x,
            y=y,
            second_x=along_x,
            second_y=along_y,
            phase=phase,
            clock=clock,
            elements=NO_ELEMENTS,
        ),
        force_x,
        force_y,
    )


@kernel
def bruneau_release(
    memory: FrictionMemory, foot_share: float, law: Any
) -> FrictionMemory:
    """Release all points of a foot when its F_t reaches lambda_s F_n (39) (B.1).

    They are not released inside a blend.
    """
    blending = memory.second_x != 0.0 or memory.second_y != 0.0
    if memory.phase == SLIDE or blending or foot_share < law.static_ratio:
        return memory
    return deflected(memory.x, memory.y, SLIDE)


@configuration
class BruneauFrictionConfig(SpringLaw):
    """Bruneau's friction, tangential values per point of table B.2.

    The floor's mu is lambda_d = 0.4 there.

    In steady sliding the viscous part mu_t^s |v| comes on top of Coulomb's, whatever
    the load.
    """

    stiffness: float = parameter(90.0, unit="N/m", above=0.0, source="B.2", doc="k_t")
    damping: float = parameter(950.0, unit="N s/m", low=0.0, source="B.2", doc="mu_t")
    sliding_damping: float = parameter(
        1.0, unit="N s/m", low=0.0, source="B.2", doc="mu_t^s"
    )
    blend_to_slide: float = parameter(
        0.01, unit="s", above=0.0, source="B.2", doc="T_*s"
    )
    blend_to_stick: float = parameter(
        0.01, unit="s", above=0.0, source="B.2", doc="T_s*"
    )
    static_ratio: float = parameter(
        1.75, low=1.0, high=10.0, source="B.2", doc="lambda_s/lambda_d"
    )

    step = staticmethod(bruneau_step)
    release = staticmethod(bruneau_release)
    mu_is = (
        "lambda_d, slid with plus 1 N s/m times the speed; up to 1.75 mu a foot "
        "adheres, creeping"
    )

    def unlimited_damping(self, normal: float) -> float:
        """Return the damping of adherence [N s/m], which knows no load."""
        return self.damping
