# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A contact point: any normal law with any friction law, bound into one kernel.

    forces(memory, penetration, penetration_rate, slip_x, slip_y, mu, law, dt) -> PointAnswer

The memory ends with the contact: a point in the air is ``FREE_POINT`` (A.7: u = 0 in flight).
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any, Callable, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import short_kernel, specialise
from biped_slip.config import Configuration
from biped_slip.contact.normal_law import NormalLaw
from biped_slip.friction_laws.law import FRESH, FrictionLaw, FrictionMemory

IN_FLIGHT = -1.0  # impact rate of a point that touches nothing


class PointMemory(NamedTuple):
    """What a contact point remembers."""

    impact_rate: float  # penetration rate at touchdown [m/s], IN_FLIGHT without contact
    friction: FrictionMemory


FREE_POINT = PointMemory(IN_FLIGHT, FRESH)
MEMORY = 7  # numbers that a point remembers: impact rate, then the friction law's


def fresh_memory(points: int) -> NDArray[np.float64]:
    """Memory (points, MEMORY) of points in the air."""
    memory = np.zeros((points, MEMORY))
    memory[:, 0] = IN_FLIGHT
    return memory


@short_kernel
def load(memory: NDArray[np.float64], i: int) -> PointMemory:
    """What point i remembers."""
    return PointMemory(
        memory[i, 0],
        FrictionMemory(memory[i, 1], memory[i, 2], memory[i, 3], memory[i, 4], memory[i, 5], memory[i, 6]),
    )


@short_kernel
def store(memory: NDArray[np.float64], i: int, point: PointMemory) -> None:
    """Write what point i remembers into row i of ``memory``."""
    friction = point.friction
    memory[i, 0] = point.impact_rate
    memory[i, 1], memory[i, 2], memory[i, 3] = friction.x, friction.y, friction.second_x
    memory[i, 4], memory[i, 5], memory[i, 6] = friction.second_y, friction.phase, friction.clock


class PointLaw(NamedTuple):
    """Packed configurations of both laws, for kernels."""

    normal: Any
    friction: Any


class PointAnswer(NamedTuple):
    """Forces of the ground on the body, in the floor's axes, with the new memory."""

    memory: PointMemory
    normal: float  # [N]
    tangential_x: float  # [N]
    tangential_y: float  # [N]


def normal_force(*_: Any) -> float:
    """Bound to the kernel of a normal law."""
    raise NotImplementedError


def friction_step(*_: Any) -> tuple[FrictionMemory, float, float]:
    """Bound to the kernel of a friction law."""
    raise NotImplementedError


def forces(*_: Any) -> PointAnswer:
    """Bound to the kernel of a pair of laws."""
    raise NotImplementedError


def _forces(
    memory: PointMemory,
    penetration: float,
    rate: float,
    slip_x: float,
    slip_y: float,
    mu: float,
    law: PointLaw,
    dt: float,
) -> PointAnswer:
    if penetration <= 0.0:
        return PointAnswer(FREE_POINT, 0.0, 0.0, 0.0)
    impact_rate = max(rate, 0.0) if memory.impact_rate == IN_FLIGHT else memory.impact_rate
    normal = normal_force(penetration, rate, impact_rate, law.normal)
    if normal <= 0.0:
        return PointAnswer(PointMemory(impact_rate, FRESH), normal, 0.0, 0.0)
    friction, x, y = friction_step(memory.friction, slip_x, slip_y, normal, mu, law.friction, dt)
    return PointAnswer(PointMemory(impact_rate, friction), normal, -x, -y)


def _forces_midway(
    memory: PointMemory,
    penetration: float,
    rate: float,
    slip_x: float,
    slip_y: float,
    mu: float,
    law: PointLaw,
    dt: float,
) -> PointAnswer:
    """Forces after half of dt, memory after all of it, at a constant slip."""
    half = forces(memory, penetration, rate, slip_x, slip_y, mu, law, 0.5 * dt)
    if half.normal <= 0.0:
        return half
    friction, _, _ = friction_step(half.memory.friction, slip_x, slip_y, half.normal, mu, law.friction, 0.5 * dt)
    return PointAnswer(
        PointMemory(half.memory.impact_rate, friction), half.normal, half.tangential_x, half.tangential_y
    )


class ContactLaw(NamedTuple):
    """A normal and a friction law chosen together."""

    normal: NormalLaw
    friction: FrictionLaw

    @property
    def packed(self) -> PointLaw:
        """The numbers of both, for kernels."""
        return PointLaw(self.normal.packed, self.friction.packed)

    @property
    def key(self) -> str:
        """Names the pair of kernels; parameters don't matter to it."""
        return f"{type(self.normal).__name__}-{type(self.friction).__name__}"

    @property
    def forces(self) -> Callable[..., PointAnswer]:
        """The compiled kernel of the pair."""
        pair: tuple[Any, Any] = type(self.normal), type(self.friction)
        return _bind(*pair)

    @property
    def forces_midway(self) -> Callable[..., PointAnswer]:
        """The same with the forces that are there when half of dt is over."""
        pair: tuple[Any, Any] = type(self.normal), type(self.friction)
        return _bind_midway(*pair)

    def to_mapping(self) -> dict[str, dict[str, Any]]:
        """Both configurations, ready for YAML."""
        return {"normal": self.normal.to_mapping(), "friction": cast(Configuration, self.friction).to_mapping()}


@cache
def _bind(normal: Any, friction: Any) -> Callable[..., PointAnswer]:
    bindings = {"normal_force": normal.force, "friction_step": friction.step}
    return specialise(
        cast(FunctionType, _forces), bindings, f"point-{normal.__name__}-{friction.__name__}", inside="code"
    )


@cache
def _bind_midway(normal: Any, friction: Any) -> Callable[..., PointAnswer]:
    bindings = {"forces": _bind(normal, friction), "friction_step": friction.step}
    return specialise(
        cast(FunctionType, _forces_midway), bindings, f"point-{normal.__name__}-{friction.__name__}", inside="code"
    )
