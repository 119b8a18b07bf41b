# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot's contact: its words, and when it touched down."""

import math

import pytest

from biped_slip.friction_estimation.contact_state import (
    NO_FOOT_CONTACT,
    NO_TOUCHDOWN,
    ContactState,
    contact_state,
    contact_step,
)
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    ForceSource,
)

MS = 1_000_000
SOURCE = int(ForceSource.JOINT_TORQUES)
AIR = EstimateState.NO_CONTACT
FLOOR = EstimateState.SETTLING
BAD = EstimateState.INVALID_INPUT


def after(*phases):
    """A contact after phases (state, milliseconds), sampled each 5 ms."""
    contact = NO_FOOT_CONTACT
    stamp = 10**18
    for state, time in phases:
        for _ in range(time // 5):
            stamp += 5 * MS
            estimate = NO_ESTIMATE._replace(state_code=int(state))
            contact = contact_step(contact, stamp, estimate, 50.0, SOURCE)
    return contact


def since_start(contact):
    return (contact.touchdown_ns - 10**18) / MS


@pytest.mark.parametrize(
    ("code", "slipping", "state"),
    [
        (EstimateState.NO_CONTACT, False, ContactState.OPEN),
        (EstimateState.SETTLING, False, ContactState.CLOSED),
        (EstimateState.NOT_IDENTIFIABLE, False, ContactState.CLOSED),
        (EstimateState.USABLE, False, ContactState.CLOSED),
        (EstimateState.USABLE, True, ContactState.SLIPPING),
        (EstimateState.SLIPPING, False, ContactState.SLIPPING),
        (EstimateState.INVALID_INPUT, False, ContactState.UNKNOWN),
        (99, False, ContactState.UNKNOWN),
    ],
)
def test_every_state_of_an_estimate_is_a_state_of_a_contact(code, slipping, state):
    estimate = NO_ESTIMATE._replace(state_code=int(code), slipping=slipping)
    assert contact_state(estimate) == state


def test_a_touchdown_is_the_first_sample_on_the_floor_after_a_swing():
    contact = after((FLOOR, 100), (AIR, 400), (FLOOR, 300))
    assert since_start(contact) == 505
    assert contact.state is ContactState.CLOSED
    assert contact.normal_force == 50.0
    assert contact.force_source == SOURCE


def test_a_foot_that_bears_nothing_for_a_moment_has_not_landed_again():
    contact = after((FLOOR, 100), (AIR, 400), (FLOOR, 50), (AIR, 150), (FLOOR, 50))
    assert since_start(contact) == 505


def test_the_touchdown_of_the_last_stance_is_kept_in_the_air():
    contact = after((FLOOR, 100), (AIR, 400), (FLOOR, 50), (AIR, 900))
    assert contact.state is ContactState.OPEN
    assert since_start(contact) == 505


@pytest.mark.parametrize(
    "phases",
    [
        ((FLOOR, 500),),  # it stood before
        ((BAD, 500), (FLOOR, 500)),  # nothing was known meanwhile
        ((FLOOR, 100), (AIR, 100), (BAD, 500), (FLOOR, 100)),
        ((AIR, 500),),
    ],
)
def test_what_was_not_seen_to_land_has_no_touchdown(phases):
    assert after(*phases).touchdown_ns == NO_TOUCHDOWN


def test_a_sample_that_cannot_be_used_says_no_force():
    contact = after((FLOOR, 100), (BAD, 5))
    assert contact.state is ContactState.UNKNOWN
    assert contact.force_source == ForceSource.UNKNOWN
    assert math.isnan(contact.normal_force)
