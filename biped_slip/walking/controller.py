# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of all walking controllers.

The robot's node, the simulator over ROS, a replay and plain Python drive a controller
the same way::

    controller.reset()
    while walking:
        output = controller.step(read())
        write(output.torques)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from biped_slip.plugins import complete

if TYPE_CHECKING:
    from biped_slip.compile.arrays import Array
    from biped_slip.estimation.readings import Problem
    from biped_slip.friction_estimation.types import FrictionEstimate

PERIOD = 1e-3  # [s] of control, unless stated otherwise
PERIOD_LIMITS: dict[str, Any] = {
    "unit": "s",
    "low": 5e-4,
    "high": 0.01,
    "doc": "of control: between two commands",
}

#: Left, right; a NamedTuple of two is one as well.
FootEstimates: TypeAlias = "tuple[FrictionEstimate, FrictionEstimate]"


class Timed(Protocol):
    """Readings with a stamp and joints, of every robot."""

    @property
    def stamp_ns(self) -> int:
        """Return the stamp of the sensors [ns].

        Time steps are differences of stamps, so they are exact.
        """

    @property
    def joint_position(self) -> Array:
        """Return the joint positions (n,) [rad]."""

    @property
    def joint_velocity(self) -> Array:
        """Return the joint velocities (n,) [rad/s]."""


class ControlOutput(Protocol):
    """Output of a controller at one instant; pairs are left, right."""

    @property
    def torques(self) -> Array:
        """Return the joint torques (n,) in the robot's joint order [N m]."""

    @property
    def estimates(self) -> FootEstimates:
        """Return the friction estimates of left and right foot that are in use [-]."""


Readings = TypeVar("Readings", bound=Timed, contravariant=True)


class Controller(Protocol[Readings]):
    """Interface of walking controllers, readings to torques.

    It holds on the robot, in every simulator and in a replay.
    """

    speed_scale: float  # of the commanded speed; may change at any time

    @property
    def moving(self) -> bool:
        """Return whether the robot is commanded to move, or in a step."""

    @property
    def reserve(self) -> Problem | None:
        """Return the reason for standing instead of walking, if there is one."""

    def reset(self) -> None:
        """Reset to the state before the first reading."""

    def step(
        self, readings: Readings, estimates: FootEstimates | None = None
    ) -> ControlOutput:
        """Compute joint torques for one reading.

        Args:
            readings: of the sensors at one instant.
            estimates: friction of left and right foot; None: the controller's own.

        Returns:
            Torques (n,) [N m] and the estimates in use.
        """


@runtime_checkable
class WaitsForJoints(Protocol):
    """Controller that can wait while another one still holds the joints."""

    def wait_for_joints(self) -> None:
        """Wait for the joints, with time standing still."""


def checked_controller(
    name: str, controller: Controller[Readings]
) -> Controller[Readings]:
    """Check the controller that a registry's factory has made.

    Raises:
        InvalidParameter: it is no controller.
    """
    parts = ("speed_scale", "moving", "reserve", "reset", "step")
    return complete("controller", name, controller, "a Controller", parts)
