# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Copies between arrays of one shape in kernels; a slice assignment there compiles for seconds, to word its error.

And what NumPy takes microseconds for where arrays are short.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel


@kernel
def copy_vector(source: NDArray[np.float64], into: NDArray[np.float64], first: int) -> None:
    """All of a vector (n,) into another, from its element ``first`` on."""
    for i in range(source.shape[0]):
        into[first + i] = source[i]


@kernel
def copy_matrix(source: NDArray[np.float64], into: NDArray[np.float64]) -> None:
    """All of a matrix (m, n) into another."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            into[i, k] = source[i, k]


@kernel
def all_finite(vector: NDArray[np.float64]) -> bool:
    """Whether every number of a vector (n,) is finite."""
    for value in vector:
        if not math.isfinite(value):
            return False
    return True
