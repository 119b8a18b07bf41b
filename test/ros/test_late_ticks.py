# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Late ticks have a cause."""

import pytest

from biped_slip.ros.diagnostics import (
    COMPUTING,
    INPUT,
    OTHER_WORK,
    PREEMPTED,
    LateTicks,
)

MS = 1e-3


class Loop:
    """A loop of a millisecond on a clock of its own."""

    def __init__(self):
        self.now = 0.0
        self.given_way = 0
        self.late = LateTicks(MS, lambda: self.given_way)
        self.late.wakes(0.0)
        self.late.answers(0.0)

    def tick(self, waiting=0.8, computing=0.1, beside=0.1, looks=1):
        for look in range(looks):
            self.now += beside * MS / looks
            self.late.waits(self.now)
            self.now += waiting * MS / looks
            self.late.wakes(self.now)
            if look < looks - 1:
                continue
            self.now += computing * MS
            self.late.answers(self.now)


def test_ticks_in_time_are_not_counted():
    loop = Loop()
    for _ in range(100):
        loop.tick()
    assert not loop.late.causes


@pytest.mark.parametrize(
    ("tick", "cause"),
    [
        ({"waiting": 1.9}, INPUT),
        ({"waiting": 3.0, "looks": 3}, INPUT),
        ({"computing": 0.8}, COMPUTING),
        ({"beside": 0.9}, OTHER_WORK),
        ({"beside": 1.2, "looks": 4}, OTHER_WORK),
    ],
)
def test_a_late_tick_is_counted_once_under_what_took_longest_of_it(tick, cause):
    loop = Loop()
    loop.tick()
    loop.tick(**tick)
    loop.tick()
    assert loop.late.causes == {cause: 1}


def test_a_thread_that_had_to_give_way_is_told_from_one_that_was_slow():
    loop = Loop()
    loop.given_way += 1
    loop.tick()  # in time all the same
    loop.tick(computing=2.0)
    loop.given_way += 1
    loop.tick(computing=2.0)
    loop.tick(computing=2.0)
    assert loop.late.causes == {COMPUTING: 2, COMPUTING + PREEMPTED: 1}


def test_nothing_is_late_before_the_first_answer_nor_across_a_restart():
    loop = Loop()
    loop.late.reset()
    loop.tick(waiting=500.0)
    assert not loop.late.causes
