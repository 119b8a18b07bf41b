# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The one interface of all walking controllers: readings in, torques out.

The robot's node, the simulator over ROS, a replay and plain Python drive it the same way::

    controller.reset()
    while walking:
        output = controller.step(read())
        write(output.torques)
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.plugins import complete

PERIOD = 1e-3  # [s] of control, unless somebody says otherwise

FootEstimates = tuple[FrictionEstimate, FrictionEstimate]  # left, right; a NamedTuple of two is one as well


class Timed(Protocol):
    """What readings of every robot have."""

    @property
    def stamp_ns(self) -> int:
        """Of the sensors [ns]; time steps are differences of stamps, so they are exact."""
        ...

    @property
    def joint_position(self) -> Array:
        """(n,) [rad]."""
        ...

    @property
    def joint_velocity(self) -> Array:
        """(n,) [rad/s]."""
        ...


class ControlOutput(Protocol):
    """What a controller made of one instant; pairs are left, right."""

    @property
    def torques(self) -> Array:
        """(n,) in the robot's joint order [N m]."""
        ...

    @property
    def estimates(self) -> FootEstimates:
        """Of friction, as they were used."""
        ...


Readings = TypeVar("Readings", bound=Timed, contravariant=True)


class Controller(Protocol[Readings]):
    """From readings to torques; whoever implements it walks on the robot, in every simulator and in a replay."""

    speed_scale: float  # of the commanded speed; may change at any time

    @property
    def moving(self) -> bool:
        """Commanded to move, or in a step."""
        ...

    @property
    def reserve(self) -> Problem | None:
        """Why it stands and does not walk, if that is so."""
        ...

    def reset(self) -> None:
        """As before the first reading."""
        ...

    def step(self, readings: Readings, estimates: FootEstimates | None = None) -> ControlOutput:
        """Torques for one reading, with estimates from elsewhere or, without them, its own."""
        ...


@runtime_checkable
class WaitsForJoints(Protocol):
    """A controller that can be told, before each tick, that somebody else still holds the joints."""

    def wait_for_joints(self) -> None:
        """Its time has not begun."""
        ...


def checked_controller(name: str, controller: Controller[Readings]) -> Controller[Readings]:
    """What a factory of a registry has made.

    Raises:
        InvalidParameter: it is no controller.
    """
    return complete(
        "controller", name, controller, "a Controller", ("speed_scale", "moving", "reserve", "reset", "step")
    )
