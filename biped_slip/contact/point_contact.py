# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A contact point under any normal and friction law.

It comes with the time step that suits it, and the contact of a scenario.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, cast

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.feedback_linearised import FeedbackConfig
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.contact.normal_laws import (
    HuntCrossleyConfig,
    NormalForce,
    NormalLaw,
    normal_law,
)
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.friction_laws.bristle_laws import BlimanSorineConfig
from biped_slip.friction_laws.law import (
    FRESH,
    MOST_ELEMENTS,
    FrictionLaw,
    FrictionMemory,
    FrictionRelease,
    FrictionStep,
)
from biped_slip.friction_laws.registry import friction_law

if TYPE_CHECKING:
    from typing_extensions import Self

IN_FLIGHT = -1.0  # impact rate of a point that touches nothing


class PointMemory(NamedTuple):
    """Memory of a contact point.

    In the air it is ``FREE_POINT`` (A.7: u = 0 in flight).
    """

    impact_rate: float  # penetration rate at touchdown [m/s], IN_FLIGHT without contact
    friction: FrictionMemory


FREE_POINT = PointMemory(IN_FLIGHT, FRESH)
# numbers that a point remembers: impact rate, then the friction law's
MEMORY_SIZE = 7 + 2 * MOST_ELEMENTS


def fresh_memory(points: int) -> Array:
    """Make the memory (points, MEMORY_SIZE) of points in the air."""
    memory = np.zeros((points, MEMORY_SIZE))
    memory[:, 0] = IN_FLIGHT
    return memory


def begin_anew(memory: Array, points: Array) -> None:
    """Let the friction of some points begin without load, which stay in contact.

    Args:
        memory: (points, MEMORY_SIZE), changed.
        points: whether each of them does (points,).
    """
    memory[points, 1:] = 0.0  # as FRESH has it


@kernel(inline="code")
def load(memory: Array, i: int) -> PointMemory:
    """Load the memory of point i."""
    m = memory
    elements = (
        (m[i, 7], m[i, 8]),
        (m[i, 9], m[i, 10]),
        (m[i, 11], m[i, 12]),
        (m[i, 13], m[i, 14]),
        (m[i, 15], m[i, 16]),
        (m[i, 17], m[i, 18]),
        (m[i, 19], m[i, 20]),
        (m[i, 21], m[i, 22]),
        (m[i, 23], m[i, 24]),
        (m[i, 25], m[i, 26]),
        (m[i, 27], m[i, 28]),
        (m[i, 29], m[i, 30]),
    )
    return PointMemory(
        m[i, 0],
        FrictionMemory(
            x=m[i, 1],
            y=m[i, 2],
            second_x=m[i, 3],
            second_y=m[i, 4],
            phase=m[i, 5],
            clock=m[i, 6],
            elements=elements,
        ),
    )


@kernel(inline="code")
def store(memory: Array, i: int, point: PointMemory) -> None:
    """Store the memory of point i in row i of ``memory``."""
    friction = point.friction
    memory[i, 0] = point.impact_rate
    memory[i, 1] = friction.x
    memory[i, 2] = friction.y
    memory[i, 3] = friction.second_x
    memory[i, 4] = friction.second_y
    memory[i, 5] = friction.phase
    memory[i, 6] = friction.clock
    for k in range(MOST_ELEMENTS):
        memory[i, 7 + 2 * k], memory[i, 8 + 2 * k] = friction.elements[k]


class PointLaw(NamedTuple):
    """Packed configurations of both laws, for kernels."""

    normal: Any
    friction: Any


class PointOutput(NamedTuple):
    """Forces of the ground on the body, in the floor's axes, with the new memory."""

    memory: PointMemory
    normal: float  # [N]
    tangential_x: float  # [N]
    tangential_y: float  # [N]


#: (memory, penetration, rate, slip_x, slip_y, mu, law, dt) -> forces and the new memory
PointForces = Callable[
    [PointMemory, float, float, float, float, float, PointLaw, float], PointOutput
]


def point_forces(normal_force: NormalForce, friction_step: FrictionStep) -> PointForces:
    """Compute the forces and the memory of a contact point at the end of dt."""

    @kernel(inline="code")
    def forces(
        memory: PointMemory,
        penetration: float,
        rate: float,
        slip_x: float,
        slip_y: float,
        mu: float,
        law: PointLaw,
        dt: float,
    ) -> PointOutput:
        if penetration <= 0.0:
            return PointOutput(FREE_POINT, 0.0, 0.0, 0.0)
        impact_rate = (
            max(rate, 0.0) if memory.impact_rate == IN_FLIGHT else memory.impact_rate
        )
        normal = normal_force(penetration, rate, impact_rate, law.normal)
        if normal <= 0.0:
            return PointOutput(PointMemory(impact_rate, FRESH), normal, 0.0, 0.0)
        friction, x, y = friction_step(
            memory.friction, slip_x, slip_y, normal, mu, law.friction, dt
        )
        return PointOutput(PointMemory(impact_rate, friction), normal, -x, -y)

    return forces


def point_forces_midway(
    forces: PointForces, friction_step: FrictionStep
) -> PointForces:
    """Compute the forces of a contact point at half of dt, for constant slip.

    Its memory is that at the end of dt.
    """

    @kernel(inline="code")
    def forces_midway(
        memory: PointMemory,
        penetration: float,
        rate: float,
        slip_x: float,
        slip_y: float,
        mu: float,
        law: PointLaw,
        dt: float,
    ) -> PointOutput:
        half = forces(memory, penetration, rate, slip_x, slip_y, mu, law, 0.5 * dt)
        if half.normal <= 0.0:
            return half
        friction, _, _ = friction_step(
            half.memory.friction,
            slip_x,
            slip_y,
            half.normal,
            mu,
            law.friction,
            0.5 * dt,
        )
        after = PointMemory(half.memory.impact_rate, friction)
        return PointOutput(after, half.normal, half.tangential_x, half.tangential_y)

    return forces_midway


class ContactLaw(NamedTuple):
    """A normal and a friction law chosen together.

    Attributes:
        normal: law of the force along the floor's normal, parameters in SI units.
        friction: law of the force along the floor.
    """

    normal: NormalLaw
    friction: FrictionLaw

    @property
    def packed(self) -> PointLaw:
        """Pack both configurations' numbers for kernels."""
        return PointLaw(self.normal.packed, self.friction.packed)

    @property
    def forces(self) -> PointForces:
        """Return the kernel that computes normal force and friction of a point [N]."""
        return point_forces(type(self.normal).force, type(self.friction).step)

    @property
    def forces_midway(self) -> PointForces:
        """Return the kernel that computes these forces at half of dt [N]."""
        return point_forces_midway(self.forces, type(self.friction).step)

    def to_mapping(self) -> dict[str, dict[str, Any]]:
        """Convert both configurations to mappings, as a scenario's YAML has them."""
        return {
            "normal": self.normal.to_mapping(),
            "friction": cast(Configuration, self.friction).to_mapping(),
        }


class PointForce(NamedTuple):
    """Force of the ground on a point foot."""

    x: float  # world [N]
    z: float  # world [N]
    normal: float  # along the floor's normal [N]
    mu: float  # of the patch under the foot
    slip_velocity: float  # along the floor [m/s]


class PointMotion(NamedTuple):
    """Position and velocity of a point foot in the world."""

    x: float  # [m]
    z: float  # [m]
    vx: float  # [m/s]
    vz: float  # [m/s]


#: (now, before, motion, ground, law, dt) -> force, and the memory after the step
FootForce = Callable[
    [PointMemory, PointMemory, PointMotion, Ground, PointLaw, float],
    tuple[PointForce, PointMemory],
]


def planar_point(law: ContactLaw) -> FootForce:
    """Return the compiled kernel of a point foot under a contact law."""
    friction = type(law.friction)
    return foot_force(type(law.normal).force, friction.step, friction.release)


def foot_force(
    normal_force: NormalForce, friction_step: FrictionStep, release: FrictionRelease
) -> FootForce:
    """Compute the force on a point foot.

    It is a whole foot whose own ratio decides a macroscopic onset (``release``).
    """

    @kernel(inline="code")
    def force_on_foot(
        now: PointMemory,
        before: PointMemory,
        motion: PointMotion,
        ground: Ground,
        law: PointLaw,
        dt: float,
    ) -> tuple[PointForce, PointMemory]:
        """Compute the force with the memory ``now``, and the memory that follows.

        The new memory follows ``before`` after dt [s].
        """
        c = ground.cos
        s = ground.sin
        slip = motion.vx * c + motion.vz * s
        mu = friction_at(ground, motion.x)
        penetration = -height_along_normal(ground, motion.x, motion.z)
        if penetration <= 0.0:
            return PointForce(
                x=0.0, z=0.0, normal=0.0, mu=mu, slip_velocity=slip
            ), FREE_POINT
        rate = motion.vx * s - motion.vz * c
        impact_rate = (
            max(rate, 0.0) if now.impact_rate == IN_FLIGHT else now.impact_rate
        )
        normal = normal_force(penetration, rate, impact_rate, law.normal)
        if normal <= 0.0:
            return PointForce(
                x=-normal * s, z=normal * c, normal=normal, mu=mu, slip_velocity=slip
            ), PointMemory(impact_rate, FRESH)
        _, resisting, _ = friction_step(
            now.friction, slip, 0.0, normal, mu, law.friction, 0.0
        )
        friction, _, _ = friction_step(
            before.friction, slip, 0.0, normal, mu, law.friction, dt
        )
        if mu > 0.0:
            friction = release(friction, abs(resisting) / (mu * normal), law.friction)
        force = PointForce(
            x=-resisting * c - normal * s,
            z=-resisting * s + normal * c,
            normal=normal,
            mu=mu,
            slip_velocity=slip,
        )
        return force, PointMemory(impact_rate, friction)

    return force_on_foot


BRUNEAU_NORMAL = {
    "stiffness": 9950.0,
    "damping": 450.0,
    "stiffness_exponent": 1.2,
    "damping_exponent": 0.02,
}  # B.2


def contact_law(name: str, parameters: Mapping[str, Any] | None = None) -> ContactLaw:
    """Build the contact law that a scenario names.

    Args:
        name: ``<normal law> + <friction law>``, or a paper's pair: ``bruneau`` (B.2,
            per point), ``khadiv`` (E.3, E.4). A law from outside the package is an
            entry point's name, or its place: ``FILE.py:NAME``.
        parameters: ``{"normal": {...}, "friction": {...}}``; what is left out keeps its
            default.

    Raises:
        UnknownName: no such law or parameter.
        InvalidParameter: a value out of range, or no pair of laws.
    """
    parameters = parameters or {}
    unknown = sorted(set(parameters) - {"normal", "friction"})
    if unknown:
        raise UnknownName(
            "parameter", f"contact.{unknown[0]}", ["contact.normal", "contact.friction"]
        )
    normal = parameters.get("normal") or {}
    friction = parameters.get("friction") or {}
    if name == "bruneau":
        name = "hunt_crossley + bruneau"
        normal = {**BRUNEAU_NORMAL, **normal}
    elif name == "khadiv":
        name = "bounded_penetration + regularised"
    first, plus, second = (part.strip() for part in name.partition("+"))
    if not plus:
        raise InvalidParameter(
            "contact", name, "'<normal law> + <friction law>', 'bruneau' or 'khadiv'"
        )
    return ContactLaw(
        normal_law(first).from_mapping(normal, "contact.normal"),
        friction_law(second).from_mapping(friction, "contact.friction"),
    )


# of k dt²/m; semi-implicit Euler is unstable from 4, its frequency is 5 % off at 1
LARGEST_STIFFNESS = 1.0


def stiffest(law: ContactLaw, load: float, mu: float) -> float:
    """Return the larger of normal and tangential stiffness of one point [N/m].

    It is the one at its share of the load [N].
    """
    return max(
        law.normal.normal_stiffness(load), law.friction.presliding_stiffness(load, mu)
    )


# of c dt/m; an explicit step is unstable from 2, and a landing foot bears up to four
# times its share of the weight (choice)
LARGEST_DAMPED = 0.5
# of the mass that a robot's foot bears, what a force along the floor accelerates:
# 1/(J M⁻¹ Jᵀ) is 0.33 of 1.7 kg in the planar biped
MOVING_SHARE = 0.2


def longest_damped_step(law: ContactLaw, mass: float, load: float) -> float:
    """Return the longest step under a damper of friction that mu F_n does not limit.

    Args:
        law: of the point.
        mass: that moves with the point [kg].
        load: of the point at rest [N].

    Returns:
        The step [s]; infinity for a law without such a damper.
    """
    damping = law.friction.unlimited_damping(load)
    return LARGEST_DAMPED * mass / damping if damping > 0.0 else math.inf


def check_time_step(
    law: ContactLaw,
    mass: float,
    load: float,
    mu: float,
    dt: float,
    moving: float = 1.0,
) -> None:
    """Refuse a step that is too long for the stiffness or the damper of a point.

    Args:
        law: of the point.
        mass: that the point carries [kg].
        load: of the point at rest [N].
        mu: largest friction coefficient of the floor.
        dt: the step [s].
        moving: share of the mass that moves with the point when it slides.

    Raises:
        InvalidParameter: k dt²/m is above 1 or c dt/m above 0.5.
    """
    limit = longest_damped_step(law, moving * mass, load)
    if dt > limit:
        what = (
            f"the step at which c dt/m = {LARGEST_DAMPED:g} for {moving * mass:.3g} kg "
            f"under a damper of {law.friction.unlimited_damping(load):.3g} N s/m that "
            "mu F_n does not limit"
        )
        raise InvalidParameter(
            "dt",
            dt,
            f"> 0 and <= {limit:.3g} s, {what}",
            "take a smaller step or less damping",
        )
    stiffness = stiffest(law, load, mu)
    limit = math.sqrt(LARGEST_STIFFNESS * mass / stiffness)
    if not 0.0 < dt <= limit:
        what = (
            f"the step at which k dt²/m = {LARGEST_STIFFNESS:g} for {mass:g} kg on "
            f"{stiffness:.3g} N/m"
        )
        raise InvalidParameter(
            "dt",
            dt,
            f"> 0 and <= {limit:.3g} s, {what}",
            "take a smaller step or a softer contact",
        )


# Contact physics of a scenario, with its parameters.


@configuration
class ComplementarityConfig(Configuration):
    """Tolerances of the contact sets (D.2), and our additions to the paper.

    They stand apart from the solver, which is slow to import.
    """

    restitution: float = parameter(
        0.0, low=0.0, high=1.0, doc="Newton's coefficient; 0 in the paper"
    )
    circular: bool = parameter(
        False, doc="friction in a circular cone in the place of the paper's box"
    )
    gap_tolerance: float = parameter(
        1.0e-6, unit="m", low=0.0, doc="a smaller gap is closed"
    )
    rate_tolerance: float = parameter(
        1.0e-3, unit="m/s", above=0.0, doc="a slower approach rests"
    )


# whose friction is under the feet
FLOOR_OF_WALK = "walk"
FLOOR_OF_FILE = "file"


@configuration
class MujocoConfig(Configuration):
    """Options of MuJoCo by its own names.

    The defaults are MuJoCo's but for the cone.
    """

    elliptic: bool = parameter(
        True, doc="elliptic friction cone; false: pyramid, MuJoCo's default"
    )
    impratio: float = parameter(
        1.0,
        low=0.1,
        high=1000.0,
        source="[MuJoCo]",
        doc="stiffness of friction over normal",
    )
    noslip_iterations: int = parameter(
        0, low=0, high=100, source="[MuJoCo]", doc="passes that take creep out"
    )
    time_constant: float = parameter(
        0.02,
        unit="s",
        above=0.0,
        high=1.0,
        source="[MuJoCo]: solref",
        doc="of a contact",
    )
    damping_ratio: float = parameter(
        1.0, above=0.0, high=10.0, source="[MuJoCo]: solref", doc="of a contact"
    )
    friction_time_constant: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        source="[MuJoCo]: solreffriction",
        doc="of friction alone, such as 0.002, which lifts sliding feet; 0: as soft as "
        "the contact, whose loaded feet creep but for impratio",
    )
    step: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.01,
        source="[MuJoCo]: timestep",
        doc="integration step of a humanoid; 0: the plant's, or that of the file",
    )
    file: str = parameter(
        "",
        doc="humanoids: an MJCF that is the world, with its bodies, contacts and "
        "integrator; empty: the robot's own description on a level floor",
    )
    floor: str = parameter(
        FLOOR_OF_WALK,
        choices=(FLOOR_OF_WALK, FLOOR_OF_FILE),
        doc="friction under the feet: the walk's by place, or as the file has it",
    )


DEFAULT = "hunt_crossley + bliman_sorine"
# laws that solve for all contact points at once
WHOLE_ROBOT = (
    "rengifo",
    "rodic",
    "mujoco",
)


@configuration
class ContactConfig(Configuration):
    """Contact in a file: ``contact: khadiv`` or a mapping.

    The mapping has ``law`` and the parameters of that law.

    ``normal`` and ``friction`` belong to a law of points (``hunt_crossley + dahl``,
    ``bruneau``, ``khadiv``), ``rengifo``, ``rodic`` and ``mujoco`` to the physics of
    that name.
    """

    law: str = parameter(
        DEFAULT,
        source="A.7",
        doc="<normal> + <friction>, bruneau, khadiv, rengifo, rodic or mujoco",
    )
    normal: NormalLaw = section(HuntCrossleyConfig)
    friction: FrictionLaw = section(BlimanSorineConfig)
    rengifo: FeedbackConfig = section(FeedbackConfig)
    rodic: ComplementarityConfig = section(ComplementarityConfig)
    mujoco: MujocoConfig = section(MujocoConfig)

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, Any] | str | None, name: str = "contact"
    ) -> Self:
        """Build from a law's name alone or from a mapping.

        The law decides what ``normal`` and ``friction`` are.
        """
        values: dict[str, Any] = (
            {"law": mapping} if isinstance(mapping, str) else dict(mapping or {})
        )
        law = values.get("law", DEFAULT)
        if law not in WHOLE_ROBOT:
            pair = contact_law(
                law, {part: values.get(part) for part in ("normal", "friction")}
            )
            values.update(normal=pair.normal, friction=pair.friction)
        else:
            values = {
                key: value
                for key, value in values.items()
                if key not in ("normal", "friction")
            }
        return super().from_mapping(values, name)

    def check(self) -> None:
        """Check that the parameters are those of the named law."""
        if self.law in WHOLE_ROBOT:
            return
        named = contact_law(self.law)
        if type(self.normal) is not type(named.normal) or type(
            self.friction
        ) is not type(named.friction):
            found = f"{type(self.normal).__name__} and {type(self.friction).__name__}"
            raise InvalidParameter(
                "contact.law",
                self.law,
                f"the law of {found}",
                "use ContactConfig.from_mapping",
            )

    @property
    def pair(self) -> ContactLaw:
        """Pair the normal and the friction law of each point."""
        return ContactLaw(self.normal, self.friction)
