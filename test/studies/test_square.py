# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The driver of the square: what a robot is asked that goes where it is told to."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from biped_slip.control.friction_governor import STILL_TWIST
from biped_slip.walking.steering import TwistLimits
from studies.square import AHEAD, POOL, SIDE, WATER, around, poured_over

LIMITS = TwistLimits(forward=0.2, backward=0.1, aside=0.1, turn=0.3)
TICK = 0.05  # [s]


class Cart:
    """A robot that obeys every command at once, but drifts in its heading."""

    def __init__(self, drift=0.0, falls_after=math.inf):
        self.twist = STILL_TWIST
        self.twist_limits = LIMITS
        self.drift = drift
        self.heading = 0.0
        self.place = np.zeros(2)
        self.way = []
        self.spills = []
        self.asked = []
        self.last = falls_after
        self.sequencer = self

    @property
    def world(self):
        half = 0.5 * self.heading
        q = np.array([*self.place, 0.8, 0.0, 0.0, math.sin(half), math.cos(half)])
        plant = SimpleNamespace(state=SimpleNamespace(q=q))
        return SimpleNamespace(plant=plant, spill=self.spills.append)

    @property
    def ended(self):
        return len(self.way) >= self.last

    def tick(self):
        self.asked.append(self.twist)
        self.heading += TICK * (self.twist.turn + self.drift)
        ahead = np.array([math.cos(self.heading), math.sin(self.heading)])
        self.place = self.place + TICK * self.twist.forward * ahead
        self.way.append(self.place)


@pytest.mark.parametrize("drift", [0.0, 0.02])
def test_a_robot_that_obeys_passes_the_corners_and_comes_back(drift):
    cart = Cart(drift)
    around(cart)
    way = np.array(cart.way)
    for corner in ((SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0)):
        nearest = np.linalg.norm(way - corner, axis=1).min()
        assert nearest < 0.15, corner
    assert math.remainder(cart.heading, 2.0 * math.pi) == pytest.approx(0.0, abs=0.1)
    assert cart.heading > 6.0  # once around, to the left


def test_it_walks_over_all_of_the_water_which_lies_across_its_way():
    cart = Cart()
    around(cart)
    begin = cart.place.copy()
    poured_over(cart)
    (spill,) = cart.spills
    assert spill.mu == WATER
    assert spill.x_from == pytest.approx(begin[0] + AHEAD)
    assert spill.x_to - spill.x_from == pytest.approx(POOL)
    assert spill.y_from < begin[1] - 1.0
    assert spill.y_to > begin[1] + 1.0
    assert cart.place[0] == pytest.approx(spill.x_to, abs=0.05)


def test_no_command_is_beyond_what_the_robot_obeys():
    cart = Cart(drift=0.02)
    around(cart)
    assert all(twist == LIMITS.clipped(twist) for twist in cart.asked)
    assert max(twist.turn for twist in cart.asked) == LIMITS.turn


def test_a_robot_that_falls_is_asked_nothing_more():
    cart = Cart(falls_after=30)
    around(cart)
    assert len(cart.way) == 30
