# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The types of arrays, and copies between arrays of one shape in kernels.

A slice assignment there compiles for seconds, to word its error; and NumPy takes microseconds where arrays are short.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel

Array = NDArray[np.float64]
AnyArray = NDArray[Any]  # numbers, or whether something holds


@kernel
def copy_vector(source: Array, into: Array, first: int) -> None:
    """All of a vector (n,) into another, from its element ``first`` on."""
    for i in range(source.shape[0]):
        into[first + i] = source[i]


@kernel
def copy_matrix(source: Array, into: Array) -> None:
    """All of a matrix (m, n) into another."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            into[i, k] = source[i, k]


@kernel
def all_finite(vector: Array) -> bool:
    """Whether every number of a vector (n,) is finite."""
    for value in vector:
        if not math.isfinite(value):
            return False
    return True
