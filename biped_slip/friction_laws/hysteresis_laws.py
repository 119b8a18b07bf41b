# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Laws that remember every reversal of the load: springs with sliders in parallel.

Each element is a spring of stiffness k that slides at its own yield y; together they
carry F = mu F_n sum k clip(stretch, −y, y) ([Iwan1966]; three elements are called
Maxwell slip). Pulled from rest the curve is Dahl's, 1 − exp(−s), met at every yield. An
unloading is the pull curve scaled by two, from any reversal, and a small loop closes
where it began ([Masing1926]). In time::

    pull: one slider after the other gives way | all slide: mu F_n
    reversal: all stick again | one after the other, at twice its yield
"""

from __future__ import annotations

import math
from typing import Any, Sequence

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import (
    FRESH,
    MOST_ELEMENTS,
    NO_ELEMENTS,
    STICK,
    Elements,
    FrictionLaw,
    FrictionMemory,
    damped,
    presliding_damping,
)

# Stretches and yields are in s_p/3 and forces in mu F_n.

LARGEST_YIELD = (
    6.0  # yield of the last element where they are spread, in s_p/3 (choice)
)


def spread_yields(count: int, spread: float) -> tuple[float, ...]:
    """Space the yields of ``count`` elements.

    They are the denser towards the start of the curve the larger ``spread`` is.
    """
    return tuple(LARGEST_YIELD * (k / count) ** spread for k in range(1, count + 1))


def stiffnesses(yields: Sequence[float]) -> tuple[float, ...]:
    """Compute each element's stiffness.

    It is the drop of the pull curve's slope at the element's yield; their forces sum to
    1.
    """
    knots = (0.0, *yields)
    curve = [1.0 - math.exp(-knot) for knot in knots]
    slopes = [
        (curve[k + 1] - curve[k]) / (knots[k + 1] - knots[k])
        for k in range(len(yields))
    ]
    return tuple(
        (one - other) / curve[-1]
        for one, other in zip(slopes, [*slopes[1:], 0.0], strict=True)
    )


def stretch_at(share: float, yields: Sequence[float]) -> float:
    """Compute the displacement [s_p/3] of a first load.

    The load carries ``share`` of the limit.
    """
    left = share
    stretch = 0.0
    held = stiffnesses(yields)
    slope = sum(held)
    for limit, stiffness in zip(yields, held, strict=True):
        step = min(left / slope, limit - stretch)
        stretch = stretch + step
        left = left - slope * step
        slope -= stiffness
        if left <= 0.0 or slope <= 0.0:
            break
    return stretch


@kernel(inline="code")
def stretched(
    old: tuple[float, float], by_x: float, by_y: float, limit: float
) -> tuple[float, float]:
    """Return an element's stretch after a displacement: radial return to its yield."""
    x = old[0] + by_x
    y = old[1] + by_y
    far = math.sqrt(x * x + y * y)
    scale = limit / far if far > limit else 1.0
    return x * scale, y * scale


SPREAD = 1.5  # of the yields (choice)
IWAN_YIELDS = spread_yields(MOST_ELEMENTS, SPREAD)
STIFFNESSES = stiffnesses(IWAN_YIELDS)
TOTAL = sum(STIFFNESSES)


@kernel
def presliding_length(normal: float, law: Any) -> float:
    """Compute the presliding length s_p/3 [m] under a load [N]."""
    if law.load_exponent == 0.0:
        return law.s_p / 3.0
    return law.s_p / 3.0 * (normal / law.reference_load) ** law.load_exponent


@kernel(inline="code")
def all_stretched(e: Elements, by_x: float, by_y: float) -> Elements:
    """Return the stretches of all elements after a displacement, in s_p/3."""
    return (
        stretched(e[0], by_x, by_y, IWAN_YIELDS[0]),
        stretched(e[1], by_x, by_y, IWAN_YIELDS[1]),
        stretched(e[2], by_x, by_y, IWAN_YIELDS[2]),
        stretched(e[3], by_x, by_y, IWAN_YIELDS[3]),
        stretched(e[4], by_x, by_y, IWAN_YIELDS[4]),
        stretched(e[5], by_x, by_y, IWAN_YIELDS[5]),
        stretched(e[6], by_x, by_y, IWAN_YIELDS[6]),
        stretched(e[7], by_x, by_y, IWAN_YIELDS[7]),
        stretched(e[8], by_x, by_y, IWAN_YIELDS[8]),
        stretched(e[9], by_x, by_y, IWAN_YIELDS[9]),
        stretched(e[10], by_x, by_y, IWAN_YIELDS[10]),
        stretched(e[11], by_x, by_y, IWAN_YIELDS[11]),
    )


@kernel(inline="code")
def crept(
    memory: FrictionMemory, mu: float, length: float, law: Any, dt: float
) -> tuple[float, float]:
    """Return the motion of the creeping layer after dt [m].

    Args:
        memory: before.
        mu: of the floor.
        length: s_p/3 under the load [m].
        law: packed.
        dt: [s].
    """
    x = memory.second_x
    y = memory.second_y
    if law.creep_share > 0.0 and mu > 0.0:
        towards = 1.0 - math.exp(-dt / law.creep_time)
        far = law.creep_share * length / mu
        x += towards * (far * memory.x - memory.second_x)
        y += towards * (far * memory.y - memory.second_y)
    return x, y


@kernel
def iwan_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance the elements by the slip that a creeping layer in series leaves them.

    This is exact for straight slip without the layer.

    The layer, a spring beside a dashpot, moves towards ``creep_share`` of the sole's
    first motion under its load, du/dt taken as 0 over a step. Memory: stretches of the
    elements in s_p/3; (x, y) force ratio [-]; (second_x, second_y) motion of the layer
    [m].
    """
    length = presliding_length(normal, law)
    layer_x, layer_y = crept(memory, mu, length, law, dt)
    by_x = (slip_x * dt - layer_x + memory.second_x) / length
    by_y = (slip_y * dt - layer_y + memory.second_y) / length
    e = all_stretched(memory.elements, by_x, by_y)
    u_x = u_y = 0.0
    for k in range(MOST_ELEMENTS):
        u_x += mu * STIFFNESSES[k] * e[k][0]
        u_y += mu * STIFFNESSES[k] * e[k][1]
    stiffness = mu * TOTAL * normal / length
    force_x, force_y = damped(
        u_x * normal,
        u_y * normal,
        slip_x,
        slip_y,
        normal,
        mu,
        stiffness,
        law.damping_ratio,
    )
    return (
        FrictionMemory(
            x=u_x,
            y=u_y,
            second_x=layer_x,
            second_y=layer_y,
            phase=STICK,
            clock=0.0,
            elements=e,
        ),
        force_x,
        force_y,
    )


@kernel
def iwan_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Compute the energy in the springs of the elements and the creeping layer [J]."""
    length = presliding_length(normal, law)
    squares = 0.0
    for k in range(MOST_ELEMENTS):
        x, y = memory.elements[k]
        squares += STIFFNESSES[k] * (x * x + y * y)
    stored = 0.5 * mu * normal * squares * length
    if law.creep_share > 0.0:
        layer = memory.second_x * memory.second_x + memory.second_y * memory.second_y
        stored += 0.5 * mu * normal * layer / (law.creep_share * length)
    return stored


@configuration
class IwanConfig(FrictionLaw):
    """Iwan's law: sliders with Dahl's pull curve and Masing's rule.

    It may creep and stiffen with the load.
    """

    s_p: float = parameter(
        1.0e-3,
        unit="m",
        above=0.0,
        high=0.1,
        source="A.7",
        doc="displacement at 95 % of the limit",
    )
    load_exponent: float = parameter(
        0.0,
        low=0.0,
        high=1.0,
        doc="s_p grows with this power of the load; 1: stiffness of the bulk",
    )
    reference_load: float = parameter(
        100.0,
        unit="N",
        above=0.0,
        high=1e5,
        doc="of a contact point, at which s_p holds",
    )
    creep_share: float = parameter(
        0.0,
        low=0.0,
        high=3.0,
        doc="late motion over the first of a small load; 0: no creep",
    )
    creep_time: float = parameter(
        0.05, unit="s", above=0.0, high=10.0, doc="of the late motion"
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(iwan_step)
    stored_energy = staticmethod(iwan_energy)
    ratio_form = True

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the stiffness [N/m] of all springs together, before any creep."""
        return mu * TOTAL * normal / float(presliding_length(normal, self.packed))

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Stretch the elements by a first load carrying ``ratio``, its creep over."""
        stretch = stretch_at(abs(ratio) / mu, IWAN_YIELDS)
        x = tuple(
            (math.copysign(min(stretch, limit), ratio), 0.0) for limit in IWAN_YIELDS
        )
        crept = (
            self.creep_share
            * float(presliding_length(normal, self.packed))
            * ratio
            / mu
        )
        elements = (
            x[0],
            x[1],
            x[2],
            x[3],
            x[4],
            x[5],
            x[6],
            x[7],
            x[8],
            x[9],
            x[10],
            x[11],
        )
        return FRESH._replace(x=ratio, second_x=crept, elements=elements)


YIELDS = (0.6, 1.6, 3.6)  # displacements at which the elements slide, in s_p/3 (choice)
# of mu; the pull curve is Dahl's at the yields
MAXWELL_STIFFNESSES = stiffnesses(YIELDS)
MAXWELL_TOTAL = sum(MAXWELL_STIFFNESSES)


@kernel(inline="code")
def maxwell_slip_step(
    memory: FrictionMemory,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    law: Any,
    dt: float,
) -> tuple[FrictionMemory, float, float]:
    """Advance each element with the slip until it slides at its own limit.

    This is exact for straight slip.

    Memory: stretches of the three elements in s_p/3, (x, y), (second_x, second_y) and
    (phase, clock).
    """
    per = 3.0 / law.s_p * dt
    by_x = per * slip_x
    by_y = per * slip_y
    a_x, a_y = stretched((memory.x, memory.y), by_x, by_y, YIELDS[0])
    b_x, b_y = stretched((memory.second_x, memory.second_y), by_x, by_y, YIELDS[1])
    c_x, c_y = stretched((memory.phase, memory.clock), by_x, by_y, YIELDS[2])
    u_x = mu * (
        MAXWELL_STIFFNESSES[0] * a_x
        + MAXWELL_STIFFNESSES[1] * b_x
        + MAXWELL_STIFFNESSES[2] * c_x
    )
    u_y = mu * (
        MAXWELL_STIFFNESSES[0] * a_y
        + MAXWELL_STIFFNESSES[1] * b_y
        + MAXWELL_STIFFNESSES[2] * c_y
    )
    stiffness = 3.0 * mu / law.s_p * MAXWELL_TOTAL * normal
    force_x, force_y = damped(
        u_x * normal,
        u_y * normal,
        slip_x,
        slip_y,
        normal,
        mu,
        stiffness,
        law.damping_ratio,
    )
    return (
        FrictionMemory(
            x=a_x,
            y=a_y,
            second_x=b_x,
            second_y=b_y,
            phase=c_x,
            clock=c_y,
            elements=NO_ELEMENTS,
        ),
        force_x,
        force_y,
    )


@kernel
def maxwell_slip_energy(
    memory: FrictionMemory, normal: float, mu: float, law: Any
) -> float:
    """Compute the energy in the three springs [J]."""
    squares = MAXWELL_STIFFNESSES[0] * (memory.x * memory.x + memory.y * memory.y)
    squares += MAXWELL_STIFFNESSES[1] * (
        memory.second_x * memory.second_x + memory.second_y * memory.second_y
    )
    squares += MAXWELL_STIFFNESSES[2] * (
        memory.phase * memory.phase + memory.clock * memory.clock
    )
    return 0.5 * mu * normal * squares * law.s_p / 3.0


@configuration
class MaxwellSlipConfig(FrictionLaw):
    """Three sliders in parallel whose pull curve meets Dahl's where they yield.

    They have a nonlocal memory (Masing's rule).
    """

    s_p: float = parameter(
        1.0e-3,
        unit="m",
        above=0.0,
        high=0.1,
        source="A.7",
        doc="displacement at 95 % of the limit",
    )
    damping_ratio: float = presliding_damping()

    step = staticmethod(maxwell_slip_step)
    stored_energy = staticmethod(maxwell_slip_energy)
    ratio_form = True

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the stiffness [N/m] of all springs together."""
        return 3.0 * mu / self.s_p * MAXWELL_TOTAL * normal

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Stretch the elements by a first load that carries ``ratio``."""
        stretch = stretch_at(abs(ratio) / mu, YIELDS)
        a, b, c = (math.copysign(min(stretch, limit), ratio) for limit in YIELDS)
        return FRESH._replace(x=a, second_x=b, phase=c)
