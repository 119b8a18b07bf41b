# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The family of friction laws at a contact point: their memory, their damper and what each must offer.

Every law is one kernel on the tangent plane of one point,

    step(memory, slip_x, slip_y, normal, mu, law, dt) -> (memory, force_x, force_y)

with the slip velocity [m/s], the normal force [N], the floor's Coulomb coefficient mu and the packed
configuration. The force [N] *resists*: it has the sign of the slip, the body feels its negative (S.1). The step
is exact or implicit in the law's own memory for a slip constant over dt; dt = 0 evaluates the force alone.
The absolute form of a law (A.1, A.2: levels in newtons) is its form at ``normal = 1`` and ``mu = F_c``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, ClassVar, NamedTuple, Protocol

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, parameter
from biped_slip.constants import GRAVITY

STICK, SLIDE = 0.0, 1.0  # the phases of laws that know two
ELEMENTS = 12  # springs with sliders that a law may have beside its six numbers

Elements = tuple[
    tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float],
    tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float],
    tuple[float, float], tuple[float, float],
]  # fmt: skip
NO_ELEMENTS: Elements = (
    (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0),
    (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0),
)  # fmt: skip


class FrictionMemory(NamedTuple):
    """What one contact point remembers of its sliding; each law's docstring says what it keeps where."""

    x: float
    y: float
    second_x: float
    second_y: float
    phase: float
    clock: float
    elements: Elements  # stretches of parallel elements, for laws that remember every reversal


FRESH = FrictionMemory(0.0, 0.0, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS)


class FrictionStep(Protocol):
    """Kernel of a friction law."""

    def __call__(
        self, memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float, /
    ) -> tuple[FrictionMemory, float, float]:
        """Memory after dt, and the force that resists [N]."""


class FrictionRelease(Protocol):
    """Kernel of a friction law's macroscopic onset."""

    def __call__(self, memory: FrictionMemory, foot_share: float, law: Any, /) -> FrictionMemory:
        """Memory when the whole foot uses a share of mu F_n."""


@kernel
def keep_memory(memory: FrictionMemory, foot_share: float, law: Any) -> FrictionMemory:
    """What almost every law does when it learns which share of mu F_n the whole foot uses: nothing."""
    return memory


class FrictionLaw(Configuration):
    """Base of all friction laws: their kernels, and what theory says about them in closed form."""

    step: ClassVar[FrictionStep]
    release: ClassVar[FrictionRelease] = staticmethod(keep_memory)
    stored_energy: ClassVar[Callable[..., float]]  # (memory, normal, mu, law) -> elastic energy [J]
    ratio_form: ClassVar[bool]  # the force is F_n times a memory: a varying load can then create energy

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Force per newton of load in steady sliding at a speed [m/s]; Coulomb's, where a law has no other."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Tangential stiffness of a fresh contact [N/m]; 0 for a law without elasticity."""
        raise NotImplementedError

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Memory of a contact at rest that already carries ``ratio`` newtons per newton of load along x."""
        if self.ratio_form:
            return FRESH._replace(x=ratio)
        stiffness = self.presliding_stiffness(normal, mu)
        return FRESH._replace(x=ratio * normal / stiffness) if stiffness > 0.0 else FRESH

    def creep_velocity(self, ratio: float, mu: float) -> float:
        """Velocity [m/s] at which a constant load of ``ratio`` newtons per newton drifts for ever."""
        return 0.0


@kernel
def spring_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Energy [J] of a tangential spring with ``law.stiffness`` [N/m] and the deflection (x, y)."""
    return 0.5 * law.stiffness * (memory.x * memory.x + memory.y * memory.y)


@kernel
def no_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """A law without memory stores nothing [J]."""
    return 0.0


class SpringLaw(FrictionLaw):
    """Laws with a tangential spring, which carries the load at stick."""

    stiffness: float  # [N/m]
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness


class DamperLaw(FrictionLaw):
    """Laws of the velocity alone: without memory, hence without stick, they creep under any load."""

    stored_energy = staticmethod(no_energy)
    ratio_form = False

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """None."""
        return 0.0


def presliding_damping(default: float = 0.2) -> Any:
    """The parameter that all laws share: a damper on the elastic part of the slip."""
    doc = "damping of presliding, share of critical; rubber-like; 0 leaves the law as published"
    return parameter(default, low=0.0, high=2.0, doc=doc)


@kernel(inline="code")
def damped(
    force_x: float, force_y: float, slip_x: float, slip_y: float, normal: float, mu: float, stiffness: float,
    damping_ratio: float,
) -> tuple[float, float]:  # fmt: skip
    """Add a damper on presliding to a law's force, leaving steady sliding as it is.

    The damper acts on the elastic part of the slip, v − |v| F/F_limit, which vanishes in steady sliding. Its
    coefficient 2·ratio·sqrt(k m) belongs to the presliding stiffness k [N/m] and the supported mass F_n/g. The
    sum never exceeds F_limit = max(mu F_n, |F|) (choice; the sources have no damper).
    """
    limit, square = mu * normal, force_x * force_x + force_y * force_y
    if square > limit * limit:
        limit = math.sqrt(square)
    if damping_ratio == 0.0 or limit <= 0.0:
        return force_x, force_y
    coefficient = 2.0 * damping_ratio * math.sqrt(stiffness * normal * (1.0 / GRAVITY))
    share = math.sqrt(slip_x * slip_x + slip_y * slip_y) / limit
    x = force_x + coefficient * (slip_x - share * force_x)
    y = force_y + coefficient * (slip_y - share * force_y)
    square = x * x + y * y
    scale = limit / math.sqrt(square) if square > limit * limit else 1.0
    return x * scale, y * scale
