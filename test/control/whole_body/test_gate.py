# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The gate before a lift: the rear foot stays down until the front foot's floor holds
what it will have to."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.controller import WholeBodyController
from biped_slip.control.whole_body.dcm import PendulumState, dcm_error
from biped_slip.control.whole_body.footsteps import (
    SWING,
    TRANSFER,
    Foothold,
    Gait,
    SolePoses,
    standing,
    stepping,
)
from biped_slip.control.whole_body.step_program import may_lift
from biped_slip.friction_estimation.limits import NoLimit
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import chosen_walking, humanoid_body

DURATION = 0.2
DT = 1e-3
LENGTH = 0.3


@pytest.fixture(scope="module")
def setup():
    """TALOS' controller."""
    body = humanoid_body(load_humanoid("talos"))
    config = chosen_walking("talos").controller
    return WholeBodyController(body, config, NoLimit())._setup


HOLDS = (Foothold(0.0, 0.085, 0.0), Foothold(LENGTH, -0.085, 0.0))
GAIT = Gait(
    forward=LENGTH,
    left=0.0,
    turn=0.0,
    width=0.17,
    single_support=0.5,
    double_support=DURATION,
    still=False,
)
FRONT = np.array([LENGTH, -0.085])
UP = np.array([0.0, 0.0, 1.0])


def feet(setup):
    """The left foot a step behind the right one."""
    return SolePoses(holds=HOLDS, height=(0.0, 0.0), middle=setup.middle)


def transfer(setup, time):
    """The rear foot's load goes to the front one since a time [s]."""
    return standing(feet(setup), setup.config.stepping)._replace(
        phase=TRANSFER,
        time=time,
        duration=DURATION,
        swing=0,
        zmp_from=np.array([0.0, 0.085]),
        zmp_to=FRONT,
    )


def lifts(state, centre, dcm, limit, setup):
    """Whether the rear foot is lifted in the next tick."""
    pendulum = PendulumState(
        centre=centre, balanced=centre, dcm=dcm, lasting=dcm, up=UP
    )
    may = may_lift(
        state, feet(setup), GAIT, pendulum, (0.8, limit), np.zeros(2), setup, DT
    )
    after = stepping(
        state,
        feet(setup),
        (0.1, 0.9),
        GAIT,
        may,
        setup.config.steps,
        setup.config.stepping,
        DT,
    )
    return after.phase == SWING


def lifted(setup, limit, away, waited=0.0):
    """Whether the rear foot is lifted at the first tick at which it might be; the
    centre is ``away`` behind the ZMP."""
    centre = FRONT - np.array([away, 0.0])
    return lifts(
        transfer(setup, DURATION - DT + waited),
        centre,
        centre + np.array([0.8 * away, 0.0]),
        limit,
        setup,
    )


def test_on_the_last_tick_of_a_transfer_a_floor_that_does_not_hold_the_step_keeps_both_feet_down(
    setup,
):
    needed = 0.1 * setup.omega**2 / GRAVITY
    assert lifted(setup, 1.1 * needed, 0.1)
    assert not lifted(setup, 0.7 * needed, 0.1)
    assert lifted(setup, 0.7 * needed, 0.05)


def test_a_robot_that_has_waited_as_long_as_it_was_to_take_goes_on(setup):
    needed = 0.1 * setup.omega**2 / GRAVITY
    assert not lifted(setup, 0.7 * needed, 0.1, waited=0.9 * DURATION)
    assert lifted(setup, 0.7 * needed, 0.1, waited=1.1 * DURATION)


def test_a_step_begins_before_its_time_only_if_a_push_leaves_a_dcm_that_gets_worse_by_waiting(
    setup,
):
    state = transfer(setup, 0.5 * DURATION)
    limit = 0.8
    error, _ = dcm_error(state, feet(setup), GAIT, FRONT, setup)
    planned = FRONT - error
    assert not lifts(state, planned, planned, limit, setup)
    assert not lifts(state, planned, planned + np.array([0.0, 0.01]), limit, setup)
    # outside of the rear foot: the front one has no way to bring it back
    beyond = planned + np.array([0.0, 0.3])
    over_rear = planned + np.array([0.0, 0.15])
    assert lifts(state, over_rear, beyond, limit, setup)
    # the front foot's floor would not hold the load
    assert not lifts(state, over_rear, beyond, 0.1, setup)
