# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The family of friction laws at a contact point.

The module states their memory, their damper and what each must offer.

Every law is one kernel on the tangent plane of one point,

    step(memory, slip_x, slip_y, normal, mu, law, dt) -> (memory, force_x, force_y)

with the slip velocity [m/s], the normal force [N], the floor's Coulomb coefficient mu
and the packed configuration. The force [N] *resists*: it has the sign of the slip, the
body feels its negative (S.1). The step is exact or implicit in the law's own memory for
a slip constant over dt; dt = 0 evaluates the force alone. What mu is for a law, its
``mu_is`` says (measured by ``coefficient.py`` beside it). The absolute form of a law
(A.1, A.2: levels in newtons) is its form at ``normal = 1`` and ``mu = F_c``.
"""

from __future__ import annotations

import math
from typing import Any, Callable, ClassVar, NamedTuple, Protocol

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, parameter
from biped_slip.constants import GRAVITY

# the phases of laws that know two
STICK = 0.0
SLIDE = 1.0
MOST_ELEMENTS = 12  # springs with sliders that a law may have beside its six numbers

Elements = tuple[
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
    tuple[float, float],
]
NO_ELEMENTS: Elements = (
    (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0),
    (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0),
)  # fmt: skip


class FrictionMemory(NamedTuple):
    """Memory of a contact point's sliding; each law's docstring defines its entries.

    Attributes:
        x: first entry along the foot, mostly a displacement [m].
        y: the same across the foot.
        second_x: second entry along the foot.
        second_y: second entry across the foot.
        phase: whether it sticks or slides, or another entry of the law.
        clock: time since that began [s], or another entry of the law.
        elements: stretches of parallel elements, for laws that remember every reversal.
    """

    x: float
    y: float
    second_x: float
    second_y: float
    phase: float
    clock: float
    elements: Elements


FRESH = FrictionMemory(
    x=0.0,
    y=0.0,
    second_x=0.0,
    second_y=0.0,
    phase=STICK,
    clock=0.0,
    elements=NO_ELEMENTS,
)


@kernel(inline="code")
def deflected(x: float, y: float, phase: float) -> FrictionMemory:
    """Return the memory of a law that remembers one deflection and its phase.

    Args:
        x: deflection [m] or force ratio [-] along x.
        y: the same along y.
        phase: STICK or SLIDE.
    """
    return FrictionMemory(
        x=x,
        y=y,
        second_x=0.0,
        second_y=0.0,
        phase=phase,
        clock=0.0,
        elements=NO_ELEMENTS,
    )


class FrictionStep(Protocol):
    """Kernel of a friction law."""

    def __call__(
        self,
        memory: FrictionMemory,
        slip_x: float,
        slip_y: float,
        normal: float,
        mu: float,
        law: Any,
        dt: float,
        /,
    ) -> tuple[FrictionMemory, float, float]:
        """Return the memory after dt, and the resisting force [N]."""


class FrictionRelease(Protocol):
    """Kernel of a friction law's macroscopic onset."""

    def __call__(
        self, memory: FrictionMemory, foot_share: float, law: Any, /
    ) -> FrictionMemory:
        """Return the memory when the whole foot uses a share of mu F_n."""


@kernel
def keep_memory(memory: FrictionMemory, foot_share: float, law: Any) -> FrictionMemory:
    """Keep the memory at the macroscopic onset of sliding, as almost every law does."""
    return memory


class FrictionLaw(Configuration):
    """Base of all friction laws: the force [N] of one point against its slip [m/s].

    A law has kernels, which simulations call, and closed forms, which tests hold them
    to.

    Attributes:
        step: kernel, (memory, slip_x, slip_y, normal, mu, law, dt) -> memory after dt
            and the resisting force along x and y [N].
        release: kernel of the onset of sliding of a whole foot.
        stored_energy: kernel, (memory, normal, mu, law) -> elastic energy [J].
        mu_is: what the floor's mu is for this law.
        ratio_form: whether the force is F_n times a memory, so that a varying load can
            create energy.
    """

    step: ClassVar[FrictionStep]
    release: ClassVar[FrictionRelease] = staticmethod(keep_memory)
    stored_energy: ClassVar[
        Callable[..., float]
    ]  # (memory, normal, mu, law) -> elastic energy [J]
    mu_is: ClassVar[str] = "held, and slid with at every speed"  # of the floor's mu
    ratio_form: ClassVar[
        bool
    ]  # the force is F_n times a memory: a varying load can then create energy

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Return the force ratio [-] of steady sliding; Coulomb's by default.

        Args:
            speed: of the contact along the floor [m/s].
            mu: friction coefficient of the floor [-].
        """
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the tangential stiffness of a fresh contact [N/m].

        It is 0 for a law without elasticity.

        Args:
            normal: load of the point [N].
            mu: friction coefficient of the floor [-].
        """
        raise NotImplementedError

    def unlimited_damping(self, normal: float) -> float:
        """Return the coefficient of a damper at rest that mu F_n does not limit.

        It limits the time step; laws have none by default.

        Args:
            normal: load of the point [N].

        Returns:
            The coefficient [N s/m].
        """
        return 0.0

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Return the memory of a contact at rest under a tangential load along x.

        Args:
            ratio: of that load to the normal force [-].
            normal: load of the point [N].
            mu: friction coefficient of the floor [-].
        """
        if self.ratio_form:
            return FRESH._replace(x=ratio)
        stiffness = self.presliding_stiffness(normal, mu)
        return (
            FRESH._replace(x=ratio * normal / stiffness) if stiffness > 0.0 else FRESH
        )


@kernel
def spring_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Compute the energy [J] of a tangential spring.

    It has ``law.stiffness`` [N/m] and the deflection (x, y).
    """
    return 0.5 * law.stiffness * (memory.x * memory.x + memory.y * memory.y)


@kernel
def no_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Return zero stored energy [J], for laws without memory."""
    return 0.0


class SpringLaw(FrictionLaw):
    """Laws with a tangential spring, which carries the load at stick."""

    stiffness: float  # [N/m]
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return the spring's stiffness [N/m]."""
        return self.stiffness


class DamperLaw(FrictionLaw):
    """Base of friction laws of the velocity alone.

    Without memory, hence without stick, they creep under any load.
    """

    stored_energy = staticmethod(no_energy)
    ratio_form = False

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Return 0 [N/m]: the law has no spring.

        Args:
            normal: load of the point [N].
            mu: friction coefficient of the floor [-].
        """
        return 0.0


def presliding_damping(default: float = 0.2) -> Any:
    """Declare the parameter all laws share: a damper on the slip's elastic part."""
    doc = (
        "damping of presliding, share of critical; rubber-like; 0 leaves the law as "
        "published"
    )
    return parameter(default, low=0.0, high=2.0, doc=doc)


@kernel(inline="code")
def damped(
    force_x: float,
    force_y: float,
    slip_x: float,
    slip_y: float,
    normal: float,
    mu: float,
    stiffness: float,
    damping_ratio: float,
) -> tuple[float, float]:
    """Add a damper on presliding to a law's force, leaving steady sliding as it is.

    The damper acts on the elastic part of the slip, v − |v| F/F_limit, which vanishes
    in steady sliding. Its coefficient 2·ratio·sqrt(k m) belongs to the presliding
    stiffness k [N/m] and the supported mass F_n/g. The sum never exceeds F_limit =
    max(mu F_n, |F|) (choice; the sources have no damper).
    """
    limit = mu * normal
    square = force_x * force_x + force_y * force_y
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
