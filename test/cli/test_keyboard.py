# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Keys steer a walk; without a terminal that is said in one sentence."""

import os
import pty
import sys

import numpy as np
import pytest

from biped_slip.cli.keyboard import (
    HELP,
    after_key,
    command_words,
    drive,
    split_keys,
    steerable,
    terminal_keys,
)
from biped_slip.control.friction_governor import STILL_TWIST, Twist
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.steering import TwistLimits

LIMITS = TwistLimits(forward=0.5, backward=0.2, aside=0.1, turn=0.4)
PLANAR = TwistLimits(forward=0.5, backward=0.0, aside=0.0, turn=0.0)


def typed(keys, limits=LIMITS):
    twist = STILL_TWIST
    for key in split_keys(keys):
        twist = after_key(twist, key, limits)
    return twist


def test_each_key_adds_a_fifth_of_its_limit_and_arrows_are_keys():
    assert typed("w") == typed("\x1b[A") == Twist(0.1, 0.0, 0.0)
    assert typed("waq") == Twist(0.1, 0.02, 0.08)
    assert typed("d") == typed("\x1b[C") == Twist(0.0, 0.0, -0.08)


def test_as_many_keys_back_stand_again_and_so_does_space():
    assert typed("wwwsss") == STILL_TWIST
    assert typed("wwaq ") == STILL_TWIST
    assert command_words(STILL_TWIST) == "stand"


@pytest.mark.parametrize("keys", ["w" * 9, "s" * 9, "a" * 9, "q" * 9])
def test_no_number_of_keys_leads_beyond_the_limits(keys):
    assert typed(keys) == LIMITS.clipped(typed(keys))
    assert max(map(abs, typed(keys))) > 0.0


def test_other_keys_change_nothing_and_a_biped_in_a_plane_goes_forward_alone():
    assert typed("zZ1\x1b") == STILL_TWIST
    assert typed("adqes", PLANAR) == STILL_TWIST


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 7.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def driven(presses, duration=0.2):
    """A planar walk under keys by the look at which they are pressed."""
    scenario = changed(chosen_scenario("thesis"), {"duration": duration})
    walk = Walk(scenario, planar_policy("touchdown", scenario), seed=1)
    looks = iter(range(1000))
    lines = []
    clock = Clock()
    drive(
        walk,
        walk.controller,
        lambda: presses.get(next(looks), []),
        lines.append,
        clock,
        clock.sleep,
    )
    return walk, lines, clock.now - 7.0


def test_it_stands_until_a_key_walks_by_it_and_ends_by_its_key():
    walk, lines, spent = driven({2: ["w"], 5: ["x"]})
    assert lines[0] == HELP
    assert lines[1].startswith("forward +0.")
    assert walk.controller.twist.forward == walk.controller.twist_limits.forward / 5.0
    assert walk.plant.ticks == 100
    assert spent == pytest.approx(0.1)  # no faster than the clock


def test_it_goes_on_beyond_the_walks_time_and_the_log_keeps_that():
    walk, _, _ = driven({30: ["x"]}, duration=0.2)
    assert walk.plant.ticks == 600
    assert walk.log.length == 200
    assert np.all(np.diff(walk.log.time) > 0.0)


def test_water_is_spilled_under_the_robot():
    walk, lines, _ = driven({1: ["p"], 3: ["x"]})
    assert lines[1].startswith("mu 0.1 on x ")
    (timed,) = walk.spilled
    assert timed.spill.x_from < walk.plant.state.q[0] < timed.spill.x_to


def test_a_controller_that_obeys_no_command_is_refused():
    with pytest.raises(InvalidParameter, match="obeys velocity commands"):
        steerable(object(), "mine")


def test_without_a_terminal_it_is_one_sentence(monkeypatch):
    read, write = os.pipe()
    with os.fdopen(read) as file:
        monkeypatch.setattr(sys, "stdin", file)
        with pytest.raises(InvalidParameter, match="cmd_vel"), terminal_keys():
            pass
    os.close(write)


def test_keys_come_from_a_terminal_one_by_one_and_it_is_as_before_at_the_end(
    monkeypatch,
):
    termios = pytest.importorskip("termios", reason="no terminals here")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as file:
        monkeypatch.setattr(sys, "stdin", file)
        before = termios.tcgetattr(theirs)
        with terminal_keys() as keys:
            assert termios.tcgetattr(theirs)[3] != before[3]
            assert keys() == []
            os.write(ours, b"w\x1b[A")
            found = []
            while len(found) < 2:
                found += keys()
            assert found == ["w", "\x1b[A"]
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
