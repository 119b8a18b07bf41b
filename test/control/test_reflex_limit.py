# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The limit of a slip reflex: careless until a foot slips, careful for a while after
it."""

from biped_slip.friction_estimation.limits import ReflexLimit, ReflexLimitConfig
from biped_slip.friction_estimation.types import NO_ESTIMATE, NO_MEASUREMENT
from biped_slip.walking.humanoid import HumanoidWalkingConfig
from biped_slip.walking.slip_policies import slip_policy

SLIPPING = NO_ESTIMATE._replace(slipping=True)


def test_a_slip_lowers_the_limit_for_a_while_and_a_second_one_for_longer():
    reflex = ReflexLimit(ReflexLimitConfig(0.7, 0.08, 0.95))
    state = reflex.initial_state()
    limits = []
    for k in range(30):  # slips at 0.5 s and at 1.0 s
        state, limit = reflex.step(
            state, SLIPPING if k in (5, 10) else NO_ESTIMATE, NO_MEASUREMENT, 0.1
        )
        limits.append(limit)
    assert limits == [0.7] * 5 + [0.08] * 15 + [0.7] * 10


def test_it_is_a_policy_by_name():
    policy = slip_policy("reflex", HumanoidWalkingConfig().policy_settings(500.0))
    assert isinstance(policy.limit, ReflexLimit)
