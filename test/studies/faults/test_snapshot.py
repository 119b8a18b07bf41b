# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Objects of this package come back as they were, in place; what others hold of them
stays valid."""

from collections import deque

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from studies.faults.snapshot import snapshot


class Thing:
    """Stands for an object of this package."""

    def __init__(self):
        self.number = 1
        self.array = np.arange(3.0)
        self.line = deque([1, 2], maxlen=4)
        self.state = (np.zeros(2), 5)
        self.table = {"a": [1]}
        self.rng = np.random.default_rng(0)
        self.me = self
        self.call = self.work

    def work(self):
        self.number += 1
        self.array += 1.0
        self.line.append(7)
        self.state[0][0] += 2.0
        self.state = (self.state[0], 6)
        self.table["a"].append(2)
        self.table["b"] = 3
        self.new = self.rng.standard_normal()
        return self.new


Thing.__module__ = "biped_slip.thing"


def test_everything_comes_back_in_place_and_as_often_as_wanted():
    thing = Thing()
    array = thing.array
    line = thing.line
    back = snapshot(thing.call)  # found through a bound method
    drawn = thing.work()
    for _ in range(2):
        thing.work()
        back()
        assert thing.number == 1
        assert not hasattr(thing, "new")
        assert thing.array is array
        assert thing.line is line
        np.testing.assert_array_equal(array, np.arange(3.0))
        assert (list(line), thing.table, thing.state[1]) == ([1, 2], {"a": [1]}, 5)
        assert not thing.state[0].any()
        assert thing.work() == drawn


def test_what_is_not_ours_stays_as_it_is():
    class Foreign:
        number = 1

    thing = Thing()
    thing.foreign = Foreign()
    back = snapshot(thing)
    thing.foreign.number = 2
    back()
    assert thing.foreign.number == 2
