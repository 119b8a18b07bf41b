# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine is worth this minute: a bare compiled call from Python, beside which times are judged."""

from __future__ import annotations

import time

import numpy as np

from biped_slip.compile.kernel import kernel

BARE_CALL = 0.15  # [us] on the machine that requirements in seconds were meant for


@kernel
def _bare(value: float) -> float:
    return value + 1.0


def bare_call(repeats: int = 4000) -> float:
    """Median time of a bare compiled call [us]."""
    _bare(1.0)
    times = []
    for _ in range(repeats):
        before = time.perf_counter_ns()
        _bare(1.0)
        times.append(time.perf_counter_ns() - before)
    return float(np.median(times)) / 1e3
