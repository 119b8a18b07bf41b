# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Copies between arrays of one shape, and checks of all their numbers, for kernels.

NumPy takes microseconds where arrays are short.
"""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel


@kernel
def copy_vector(source: Array, into: Array, first: int) -> None:
    """Copy a vector (n,) into another from its element ``first`` on."""
    for i in range(source.shape[0]):
        into[first + i] = source[i]


@kernel
def copy_matrix(source: Array, into: Array) -> None:
    """Copy a matrix (m, n) into another."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            into[i, k] = source[i, k]


@kernel
def all_finite(vector: Array) -> bool:
    """Return whether every number of a vector (n,) is finite."""
    for value in vector:
        if not math.isfinite(value):
            return False
    return True
