# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Counters of problems say exactly how often each occurred, and stay small whatever
comes."""

from biped_slip.estimation.readings import (
    LONGEST_SENTENCE,
    MOST_IN_ALL,
    MOST_OF_A_NAME,
    NamedCounter,
)


def test_a_few_sentences_are_counted_each():
    counter = NamedCounter()
    for sentence in ["stale input: imu/data", "stale input: odom", "stale input: odom"]:
        counter[sentence] += 1
    assert counter == {"stale input: imu/data": 1, "stale input: odom": 2}
    assert counter["never seen: x"] == 0
    assert len(counter) == 2


def test_many_details_of_one_name_are_counted_together_and_none_is_lost():
    counter = NamedCounter()
    for k in range(1000):
        counter[f"undecodable message: {k}"] += 1
    assert len(counter) == MOST_OF_A_NAME + 1
    assert counter["undecodable message: others"] == 1000 - MOST_OF_A_NAME
    counter["stale input: odom"] += 1
    assert counter["stale input: odom"] == 1


def test_many_names_and_long_ones_are_bounded_too():
    counter = NamedCounter()
    for k in range(10_000):
        counter[f"{k}: {'x' * 10_000}"] += 1
    assert len(counter) <= MOST_IN_ALL + 1
    assert sum(counter.values()) == 10_000
    assert max(map(len, counter)) <= LONGEST_SENTENCE
