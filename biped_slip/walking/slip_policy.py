# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip by name: an estimator of friction and the limit that stands behind it, the same for every robot.

A new policy is a line here, or an entry point of the group ``biped_slip.slip_policies``. What knows the truth
(``oracle``) belongs to a simulation, which hands it in.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.control.ratio_limit import (
    ConstantLimit,
    ConstantLimitConfig,
    EstimateLimit,
    NoLimit,
    RatioLimit,
    ReflexLimit,
)
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.friction_estimation.limit_rule import LimitRule, LimitRuleConfig
from biped_slip.friction_estimation.registry import DEFAULT, ESTIMATORS, EstimatorSettings, make_estimator
from biped_slip.friction_estimation.types import FrictionEstimator
from biped_slip.plugins import named, names

DEFAULT_POLICY = "interval"
KINDS = ("none", "constant:RATIO", "reflex", "oracle", "thesis", "interval")
GROUP = "biped_slip.slip_policies"


class SlipPolicy(NamedTuple):
    """An estimator and the limit that stands behind it."""

    name: str
    estimator: FrictionEstimator[Any]
    limit: RatioLimit[Any]


class PolicySettings(NamedTuple):
    """What every policy is told."""

    estimator: EstimatorSettings
    limit_rule: LimitRuleConfig


PolicyFactory = Callable[[str, PolicySettings], SlipPolicy]
"""(what follows the colon of the name, settings) -> policy."""


def _with_limit(estimator: str, limit: Callable[[str, PolicySettings], RatioLimit[Any]]) -> PolicyFactory:
    def make(argument: str, settings: PolicySettings) -> SlipPolicy:
        return SlipPolicy(estimator, make_estimator(estimator, settings.estimator), limit(argument, settings))

    return make


POLICIES: dict[str, PolicyFactory] = {
    "none": _with_limit(DEFAULT, lambda _, settings: NoLimit()),
    "constant": _with_limit(DEFAULT, lambda argument, settings: constant_limit(argument)),
    "reflex": _with_limit(DEFAULT, lambda _, settings: ReflexLimit()),
    "interval": _with_limit("interval", lambda _, settings: LimitRule(settings.limit_rule)),
    "thesis": _with_limit("thesis", lambda _, settings: EstimateLimit()),
}


def slip_policy_names() -> list[str]:
    """Names of all policies as on the command line, those of installed packages included."""
    return [*KINDS, *(name for name in names(GROUP, POLICIES) if name not in (*POLICIES, "oracle"))]


def slip_policy(name: str, settings: PolicySettings) -> SlipPolicy:
    """The policy of a name as on the command line: one of ``KINDS``, an entry point's, or FILE.py:NAME.

    Raises:
        InvalidParameter: no such policy, or an argument that it can't have.
    """
    kind, _, argument = name.partition(":")
    try:
        try:
            factory, said = named("slip policy", GROUP, POLICIES, kind), argument
        except UnknownName:
            factory, said = named("slip policy", GROUP, POLICIES, name), ""
    except UnknownName:
        known = ", ".join(slip_policy_names())
        raise InvalidParameter("limit", name, f"one of {known}, MODULE:NAME or FILE.py:NAME") from None
    policy = factory(said, settings)
    if not isinstance(policy, SlipPolicy):
        raise InvalidParameter("limit", name, "a factory of a SlipPolicy")
    return policy._replace(name=name)


def estimator_of(policy: str) -> str | None:
    """Name of the estimator that a policy of this room runs; None for any other, which brings its own."""
    if policy.partition(":")[0] not in POLICIES:
        return None
    return policy if policy in ESTIMATORS else DEFAULT


def constant_limit(ratio: str) -> ConstantLimit:
    """The limit of ``constant:RATIO``.

    Raises:
        InvalidParameter: the ratio is no number, or none that a limit can have.
    """
    try:
        return ConstantLimit(ConstantLimitConfig(float(ratio)))
    except ValueError:
        raise InvalidParameter("limit", f"constant:{ratio}", "constant:RATIO with a number") from None
