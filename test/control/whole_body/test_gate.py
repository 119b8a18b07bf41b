# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The gate before a lift: the rear foot stays down until the front foot's floor holds what it will have to."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.controller import WholeBodyController
from biped_slip.control.whole_body.decision import may_lift
from biped_slip.control.whole_body.footsteps import SWING, TRANSFER, Feet, Foothold, Gait, standing, stepping
from biped_slip.friction_estimation.limits import NoLimit
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import chosen_walking, humanoid_body

DURATION, DT, LENGTH = 0.2, 1e-3, 0.3


@pytest.fixture(scope="module")
def setup():
    """TALOS' controller."""
    body, config = humanoid_body(load_humanoid("talos")), chosen_walking("talos").controller
    return WholeBodyController(body, config, NoLimit())._setup


def lifted(setup, limit, away, waited=0.0):
    """Whether the rear foot is lifted at the first tick at which it might be; the centre is ``away`` behind the ZMP."""
    config = setup.config
    feet = Feet((Foothold(0.0, 0.085, 0.0), Foothold(LENGTH, -0.085, 0.0)), (0.0, 0.0))
    gait = Gait(LENGTH, 0.0, 0.0, 0.17, 0.5, DURATION, False)
    front = np.array([LENGTH, -0.085])
    state = standing(feet, setup.middle, config.stepping)._replace(
        phase=TRANSFER,
        time=DURATION - DT + waited,
        duration=DURATION,
        swing=0,
        zmp_from=np.array([0.0, 0.085]),
        zmp_to=front,
    )
    centre = front - np.array([away, 0.0])
    dcm = centre + np.array([0.8 * away, 0.0])
    lifts = may_lift(state, feet, gait, centre, dcm, (0.8, limit), setup)
    after = stepping(state, feet, (0.1, 0.9), gait, lifts, setup.middle, config.steps, config.stepping, DT)
    return after.phase == SWING


def test_on_the_last_tick_of_a_transfer_a_floor_that_does_not_hold_the_step_keeps_both_feet_down(setup):
    needed = 0.1 * setup.omega**2 / GRAVITY
    assert lifted(setup, 1.1 * needed, 0.1)
    assert not lifted(setup, 0.7 * needed, 0.1)
    assert lifted(setup, 0.7 * needed, 0.05)


def test_a_robot_that_has_waited_as_long_as_it_was_to_take_goes_on(setup):
    needed = 0.1 * setup.omega**2 / GRAVITY
    assert not lifted(setup, 0.7 * needed, 0.1, waited=0.9 * DURATION)
    assert lifted(setup, 0.7 * needed, 0.1, waited=1.1 * DURATION)
