# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which foot is in the air follows from base, torques and encoders alone."""

import numpy as np
import pytest

from biped_slip.estimation.swing_finder import (
    BEGIN_TIME,
    SoleRectangles,
    SwingEvidence,
    carried_alone,
    grounded,
    may_carry,
    swing_step,
)

PERIOD = 1e-3
WEIGHT = 300.0
SOLES = SoleRectangles(middle=np.zeros((2, 2)), half=np.tile([0.1, 0.04], (2, 1)))


def evidence(load, carried_at=0.0, speed=0.5, settled=False) -> SwingEvidence:
    """The right foot could carry alone with its centre of pressure at x [m]."""
    alone = np.zeros((2, 6))
    alone[:, 2] = WEIGHT
    alone[0, 4] = -WEIGHT * 0.5  # half a metre ahead of the left sole
    alone[1, 4] = -WEIGHT * carried_at
    return SwingEvidence(
        alone=alone,
        load=np.array([load, WEIGHT - load]),
        settled=np.array([settled, False]),
        speed=speed,
    )


def after(one: SwingEvidence, time: float = 0.1, state=None):
    """State after a time with one piece of evidence."""
    state = state or grounded()
    for _ in range(round(time / PERIOD)):
        swing_step(state, one, SOLES, WEIGHT, PERIOD)
    return state


def test_a_wrench_moved_to_a_sole_does_the_same_on_the_base():
    rng = np.random.default_rng(0)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    place = rng.standard_normal(3)
    lever = np.cross(np.eye(3), place)  # rows: e_i x place
    share = np.zeros((6, 6))
    share[:3, :3] = turn
    share[3:, 3:] = turn
    share[:3, 3:] = turn @ lever.T @ np.eye(3) * -1.0
    wrench = rng.standard_normal(6)
    np.testing.assert_allclose(carried_alone(share.T @ wrench, share), wrench)


def test_a_light_foot_that_moves_while_the_other_can_carry_is_in_the_air():
    state = after(evidence(load=10.0), BEGIN_TIME + PERIOD)
    assert state.in_air.tolist() == [True, False]
    assert state.last[0] == 0


@pytest.mark.parametrize(
    "one",
    [
        evidence(load=60.0),  # too heavy
        evidence(load=10.0, speed=0.02),  # it stands
        evidence(load=10.0, carried_at=0.3),  # the other one could not carry alone
    ],
    ids=("heavy", "standing", "between both feet"),
)
def test_a_foot_that_bears_rests_or_is_needed_is_not_in_the_air(one):
    assert not after(one).in_air.any()


def test_a_robot_that_nothing_carries_has_both_feet_in_the_air():
    falls = evidence(load=0.0)
    falls.alone[:] = 0.0
    falls.load[:] = 0.0
    assert after(falls).in_air.all()


def test_a_known_zero_finds_contact_at_a_smaller_load():
    in_air = after(evidence(load=0.0))
    assert after(evidence(load=30.0), 2 * PERIOD, in_air).in_air[0]
    assert not after(evidence(load=30.0, settled=True), PERIOD, in_air).in_air[0]


def test_a_centre_of_pressure_beyond_a_sole_cannot_carry():
    wrench = np.array([0.0, 0.0, WEIGHT, 0.0, -WEIGHT * 0.09, 0.0])
    assert may_carry(wrench, SOLES.middle[0], SOLES.half[0])
    wrench[4] *= 2.0
    assert not may_carry(wrench, SOLES.middle[0], SOLES.half[0])
    assert not may_carry(-wrench, SOLES.middle[0], SOLES.half[0])
