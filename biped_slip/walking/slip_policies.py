# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip by name: an estimator of friction, and the limit that follows it.

A new policy is a line in ``POLICIES`` or an entry point of the group
``biped_slip.slip_policies``. What knows the truth (``oracle``) belongs to a simulation,
which hands it in. Estimator and limit are loaded with the policy that asks for them;
the names alone load nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from biped_slip.errors import InvalidParameter, UnknownName, did_you_mean
from biped_slip.friction_estimation.registry import (
    ESTIMATORS,
    LANDING_ESTIMATOR,
    make_estimator,
)
from biped_slip.plugins import named, names

if TYPE_CHECKING:
    from biped_slip.friction_estimation.limits import (
        ConstantLimit,
        LimitRuleConfig,
        RatioLimit,
    )
    from biped_slip.friction_estimation.settings import EstimatorSettings
    from biped_slip.friction_estimation.types import FrictionEstimator

DEFAULT_POLICY = "touchdown"
LIMIT_KINDS = (
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
    """Slip policy: a friction estimator and the limit that follows it.

    Example:
        >>> import biped_slip as bs
        >>> settings = bs.PolicySettings(bs.EstimatorSettings(), bs.LimitRuleConfig())
        >>> bs.slip_policy("touchdown", settings).name
        'touchdown'

    Attributes:
        name: as it is chosen, e.g. on the command line.
        estimator: of the friction under each foot, from that foot's measurements.
        limit: on |tangential|/normal force of each foot [-], from its estimate.
    """

    name: str
    estimator: FrictionEstimator[Any]
    limit: RatioLimit[Any]


class PolicySettings(NamedTuple):
    """Settings of every slip policy: of whichever estimator and limit it chooses.

    Attributes:
        estimator: noise of the sensors, thresholds of contacts and slides, priors of
            friction; units and ranges in each of its parts.
        limit_rule: how a limit follows an estimate: floors not tried yet [-], rates of
            rise [1/s], times [s].
    """

    estimator: EstimatorSettings
    limit_rule: LimitRuleConfig


PolicyFactory = Callable[[str, PolicySettings], SlipPolicy]
"""(what follows the colon of the name, settings) -> policy."""


def _none(argument: str, settings: PolicySettings) -> SlipPolicy:
    from biped_slip.friction_estimation.limits import NoLimit

    return SlipPolicy("none", _landing(settings), NoLimit())


def _constant(argument: str, settings: PolicySettings) -> SlipPolicy:
    return SlipPolicy("constant", _landing(settings), constant_limit(argument))


def _reflex(argument: str, settings: PolicySettings) -> SlipPolicy:
    from biped_slip.friction_estimation.limits import ReflexLimit

    return SlipPolicy("reflex", _landing(settings), ReflexLimit())


def _thesis(argument: str, settings: PolicySettings) -> SlipPolicy:
    from biped_slip.friction_estimation.limits import EstimateLimit

    estimator = make_estimator("thesis", settings.estimator)
    return SlipPolicy("thesis", estimator, EstimateLimit())


def _interval(argument: str, settings: PolicySettings) -> SlipPolicy:
    from biped_slip.friction_estimation.limits import LimitRule

    estimator = make_estimator("interval", settings.estimator)
    return SlipPolicy("interval", estimator, LimitRule(settings.limit_rule))


def _touchdown(argument: str, settings: PolicySettings) -> SlipPolicy:
    from biped_slip.friction_estimation.limits import FloorLimit

    estimator = make_estimator("touchdown", settings.estimator)
    return SlipPolicy("touchdown", estimator, FloorLimit(settings.limit_rule))


def _landing(settings: PolicySettings) -> FrictionEstimator[Any]:
    """Make the estimator that watches where the limit asks for none."""
    return make_estimator(LANDING_ESTIMATOR, settings.estimator)


def constant_limit(ratio: str) -> ConstantLimit:
    """Make the limit of ``constant:RATIO``.

    Raises:
        InvalidParameter: the ratio is no number, or none that a limit can have.
    """
    from biped_slip.friction_estimation.limits import ConstantLimit, ConstantLimitConfig

    try:
        return ConstantLimit(ConstantLimitConfig(float(ratio)))
    except ValueError:
        raise InvalidParameter(
            "limit", f"constant:{ratio}", "constant:RATIO with a ratio above 0"
        ) from None


POLICIES: dict[str, PolicyFactory] = {
    "none": _none,
    "constant": _constant,
    "reflex": _reflex,
    "thesis": _thesis,
    "interval": _interval,
    "touchdown": _touchdown,
}


def slip_policy_names() -> list[str]:
    """List the names of all slip policies, those of installed packages included."""
    return [
        *LIMIT_KINDS,
        *(name for name in names(GROUP, POLICIES) if name not in (*POLICIES, "oracle")),
    ]


def slip_policy(name: str, settings: PolicySettings) -> SlipPolicy:
    """Look up a slip policy as on the command line.

    Args:
        name: one of ``LIMIT_KINDS``, an entry point's, or FILE.py:NAME.
        settings: of estimator and limit.

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
        known = slip_policy_names()
        nearest = did_you_mean(name, known)
        raise InvalidParameter(
            "limit",
            name,
            f"one of {', '.join(known)}, MODULE:NAME or FILE.py:NAME{nearest}",
        ) from None
    policy = factory(given, settings)
    if not isinstance(policy, SlipPolicy):
        raise InvalidParameter("limit", name, "a factory of a SlipPolicy")
    from biped_slip.friction_estimation.former import taking_context

    return policy._replace(name=name, estimator=taking_context(policy.estimator))


def estimator_of(policy: str) -> str | None:
    """Return the estimator's name of a policy of this package.

    It is None for any other, which brings its own.
    """
    if policy.partition(":")[0] not in POLICIES:
        return None
    return policy if policy in ESTIMATORS else LANDING_ESTIMATOR
