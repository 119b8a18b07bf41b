# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels inside kernels neither lose the arrays that they are given nor keep those that they make."""

import sys
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
        result += total(pair) + swapped_sum(pair) + sum_of_made(pair) + doubled(second_of(pair))[0]
    return result, second_of(pair)


@pytest.mark.compiled
def test_after_any_number_of_calls_as_much_is_held_as_before(monkeypatch):
    borrowing = []
    decide = numba_parts.only_borrows
    monkeypatch.setattr(
        numba_parts,
        "only_borrows",
        lambda state: borrowing.append((state.func_id.func.__name__, decide(state))) or borrowing[-1][1],
    )
    pair = Pair(np.arange(6.0).reshape(3, 2), np.arange(3.0))
    expected = all_of_them.py_func(pair, 2)
    result, second = all_of_them(pair, 2)
    assert result == expected[0]
    assert second is pair.second or np.shares_memory(second, pair.second)
    del expected, second
    assert set(borrowing) <= {
        ("total", True), ("fill", True), ("swapped_sum", True),
        ("second_of", False), ("doubled", False), ("sum_of_made", False), ("all_of_them", False),
    }  # fmt: skip
    _nrt_python.memsys_enable_stats()
    before, counts = rtsys.get_allocation_stats(), [sys.getrefcount(array) for array in pair]
    for _ in range(3):
        all_of_them(pair, 50)
    after = rtsys.get_allocation_stats()
    assert [sys.getrefcount(array) for array in pair] == counts
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 300
