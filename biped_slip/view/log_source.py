# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What scenes of any walk take from its log, which may grow in another thread.

A row's truth is written before the log's length counts it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.types import NAN
from biped_slip.view.scene import FootNumbers, Scene


class LogSource:
    """Times and numbers of a walk's log, which may grow in another thread."""

    scene: Scene
    _log: Any  # of any robot

    @property
    def times(self) -> Array:
        """Return the times of all ticks so far [s]."""
        times: Array = self._log.time[: self._log.length]
        return times

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Return friction estimates of ticks, NaN before the first."""
        log = self._log
        ratio = np.where(log.normal[indices] > 1.0, log.ratio[indices], NAN)
        low, high, usable = (
            log.estimate(name)[indices] for name in ("mu_low", "mu_high", "usable")
        )
        return FootNumbers(
            ratio=ratio,
            limit=log.limit[indices],
            low=low,
            high=np.where(usable > 0.0, high, NAN),
            mu=log.mu_true[indices],
        )
