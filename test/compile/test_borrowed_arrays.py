# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels inside kernels neither lose the arrays that they are given nor keep those
that they make."""

import gc
import pickle
import sys
import weakref
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from biped_slip.compile import numba_parts
from biped_slip.compile.kernel import kernel


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@kernel
def total(pair):  # looks
    result = 0.0
    for row in range(pair.first.shape[0]):
        view = pair.first[row]
        result += view[0] + pair.second[row]
    return result


@kernel
def fill(pair, value):  # writes
    for row in range(pair.first.shape[0]):
        part = pair.first[row, :]
        part[1] = value


@kernel
def swapped_sum(pair):  # packs what it was given anew
    return total(Pair(pair.first, pair.first[:, 1]))


@kernel
def second_of(pair):  # returns what it was given
    return pair.second


@kernel
def doubled(values):  # makes
    return 2.0 * values


@kernel
def sum_of_made(pair):  # makes, and returns no array
    return doubled(second_of(pair)).sum()


@kernel
def all_of_them(pair, turns):
    result = 0.0
    for turn in range(turns):
        fill(pair, float(turn))
        result += (
            total(pair)
            + swapped_sum(pair)
            + sum_of_made(pair)
            + doubled(second_of(pair))[0]
        )
    return result, second_of(pair)


@pytest.mark.compiled
def test_after_any_number_of_calls_as_much_is_held_as_before(monkeypatch):
    borrowing = []
    decide = numba_parts.only_borrows
    monkeypatch.setattr(
        numba_parts,
        "only_borrows",
        lambda state: (
            borrowing.append((state.func_id.func.__name__, decide(state)))
            or borrowing[-1][1]
        ),
    )
    pair = Pair(np.arange(6.0).reshape(3, 2), np.arange(3.0))
    expected = all_of_them.py_func(pair, 2)
    result, second = all_of_them(pair, 2)
    assert result == expected[0]
    assert second is pair.second or np.shares_memory(second, pair.second)
    del expected, second
    assert set(borrowing) <= {
        ("total", True),
        ("fill", True),
        ("swapped_sum", True),
        ("second_of", False),
        ("doubled", False),
        ("sum_of_made", False),
        ("all_of_them", False),
    }
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    counts = [sys.getrefcount(array) for array in pair]
    for _ in range(3):
        all_of_them(pair, 50)
    after = rtsys.get_allocation_stats()
    assert [sys.getrefcount(array) for array in pair] == counts
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 300


class Inner(NamedTuple):
    number: float
    count: int


class Outer(NamedTuple):
    one: Inner
    other: Inner
    array: np.ndarray
    flag: bool


class Nothing(NamedTuple):
    pass


@kernel
def exchanged(pair: Outer, nothing: Nothing) -> tuple[Outer, Nothing]:
    return Outer(
        pair.other,
        Inner(2.0 * pair.one.number, pair.one.count),
        pair.array + 1.0,
        not pair.flag,
    ), nothing


def test_named_tuples_and_arrays_come_back_as_python_makes_them():
    given = Outer(Inner(1.5, 3), Inner(-2.0, 7), np.arange(4.0), True)
    (pair, nothing) = exchanged(given, Nothing())
    (expected, _) = exchanged.py_func(given, Nothing())
    assert (type(pair), type(pair.one), type(pair.array), type(nothing)) == (
        Outer,
        Inner,
        np.ndarray,
        Nothing,
    )
    assert (pair.one, pair.other, pair.flag) == (
        expected.one,
        expected.other,
        expected.flag,
    )
    assert np.array_equal(pair.array, expected.array)
    assert hash(pair.one) == hash(tuple(expected.one)), (
        "they are keys of the same dictionaries"
    )
    assert pickle.loads(pickle.dumps(pair)).other == expected.other


def test_what_comes_back_is_let_go_again():
    given = Outer(Inner(1.5, 3), Inner(-2.0, 7), np.arange(4.0), True)
    pair, _ = exchanged(given, Nothing())
    array = weakref.ref(pair.array)
    gc.collect()  # what tests before this one left
    before = [sys.getrefcount(Outer), sys.getrefcount(Inner), sys.getrefcount(Nothing)]
    many = [exchanged(given, Nothing()) for _ in range(1000)]
    assert sys.getrefcount(Inner) == before[1] + 2000
    del many, pair
    gc.collect()
    assert array() is None
    after = [sys.getrefcount(Outer), sys.getrefcount(Inner), sys.getrefcount(Nothing)]
    assert after == [before[0] - 1, before[1] - 2, before[2]]
