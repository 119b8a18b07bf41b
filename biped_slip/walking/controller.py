# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of all walking controllers, and policies for slip by name.

The robot's node, the simulator over ROS, a replay and plain Python drive a controller
the same way::

    controller.reset()
    while walking:
        output = controller.step(read())
        write(output.torques)

A new policy, an estimator of friction and the limit that stands behind it, is a line in
``POLICIES`` or an entry point of the group ``biped_slip.slip_policies``. What knows the
truth (``oracle``) belongs to a simulation, which hands it in.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Protocol, TypeVar, runtime_checkable

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.estimation.readings import Problem
from biped_slip.friction_estimation.limits import (
    ConstantLimit,
    ConstantLimitConfig,
    EstimateLimit,
    FloorLimit,
    LimitRule,
    LimitRuleConfig,
    NoLimit,
    RatioLimit,
    ReflexLimit,
)
from biped_slip.friction_estimation.registry import (
    ESTIMATORS,
    LANDING,
    EstimatorSettings,
    make_estimator,
)
from biped_slip.friction_estimation.types import FrictionEstimate, FrictionEstimator
from biped_slip.plugins import complete, named, names

PERIOD = 1e-3  # [s] of control, unless stated otherwise
PERIOD_LIMITS: dict[str, Any] = {
    "unit": "s",
    "low": 5e-4,
    "high": 0.01,
    "doc": "of control: between two commands",
}

FootEstimates = tuple[
    FrictionEstimate, FrictionEstimate
]  # left, right; a NamedTuple of two is one as well


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
        """Return the friction estimates in use."""


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
        """Compute torques for one reading, with given estimates or its own."""


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


DEFAULT_POLICY = "touchdown"
KINDS = (
    "none",
    "constant:RATIO",
    "reflex",
    "oracle",
    "thesis",
    "interval",
    "touchdown",
)
GROUP = "biped_slip.slip_policies"


class SlipPolicy(NamedTuple):
    """Slip policy: a friction estimator and the limit that follows it."""

    name: str
    estimator: FrictionEstimator[Any]
    limit: RatioLimit[Any]


class PolicySettings(NamedTuple):
    """Settings of every slip policy."""

    estimator: EstimatorSettings
    limit_rule: LimitRuleConfig


PolicyFactory = Callable[[str, PolicySettings], SlipPolicy]
"""(what follows the colon of the name, settings) -> policy."""


def _with_limit(
    estimator: str, limit: Callable[[str, PolicySettings], RatioLimit[Any]]
) -> PolicyFactory:
    def make(argument: str, settings: PolicySettings) -> SlipPolicy:
        return SlipPolicy(
            estimator,
            make_estimator(estimator, settings.estimator),
            limit(argument, settings),
        )

    return make


def constant_limit(ratio: str) -> ConstantLimit:
    """Make the limit of ``constant:RATIO``.

    Raises:
        InvalidParameter: the ratio is no number, or none that a limit can have.
    """
    try:
        return ConstantLimit(ConstantLimitConfig(float(ratio)))
    except ValueError:
        raise InvalidParameter(
            "limit", f"constant:{ratio}", "constant:RATIO with a ratio above 0"
        ) from None


POLICIES: dict[str, PolicyFactory] = {
    "none": _with_limit(LANDING, lambda _, settings: NoLimit()),
    "constant": _with_limit(LANDING, lambda argument, _: constant_limit(argument)),
    "reflex": _with_limit(LANDING, lambda _, settings: ReflexLimit()),
    "interval": _with_limit(
        "interval", lambda _, settings: LimitRule(settings.limit_rule)
    ),
    "touchdown": _with_limit(
        "touchdown", lambda _, settings: FloorLimit(settings.limit_rule)
    ),
    "thesis": _with_limit("thesis", lambda _, settings: EstimateLimit()),
}


def slip_policy_names() -> list[str]:
    """List the names of all slip policies, those of installed packages included."""
    return [
        *KINDS,
        *(name for name in names(GROUP, POLICIES) if name not in (*POLICIES, "oracle")),
    ]


def slip_policy(name: str, settings: PolicySettings) -> SlipPolicy:
    """Look up a slip policy as on the command line.

    It is one of ``KINDS``, an entry point's, or FILE.py:NAME.

    Raises:
        InvalidParameter: no such policy, or an argument that it can't have.
    """
    kind, _, argument = name.partition(":")
    try:
        try:
            factory = named("slip policy", GROUP, POLICIES, kind)
            given = argument
        except UnknownName:
            factory = named("slip policy", GROUP, POLICIES, name)
            given = ""
    except UnknownName:
        known = ", ".join(slip_policy_names())
        raise InvalidParameter(
            "limit", name, f"one of {known}, MODULE:NAME or FILE.py:NAME"
        ) from None
    policy = factory(given, settings)
    if not isinstance(policy, SlipPolicy):
        raise InvalidParameter("limit", name, "a factory of a SlipPolicy")
    return policy._replace(name=name)


def estimator_of(policy: str) -> str | None:
    """Return the estimator's name of a policy of this package.

    It is None for any other, which brings its own.
    """
    if policy.partition(":")[0] not in POLICIES:
        return None
    return policy if policy in ESTIMATORS else LANDING
