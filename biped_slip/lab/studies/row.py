# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One measured number beside what is required of it."""

from __future__ import annotations

import math
from typing import NamedTuple

NAN = math.nan


class Row(NamedTuple):
    """One number; ``required`` is an upper bound where ``at_most``, else a lower one; NaN: only reported."""

    what: str
    required: float
    at_most: bool
    study: str
    ours: float

    @property
    def met(self) -> bool:
        """Whether the requirement holds; a number that is only reported always does."""
        if math.isnan(self.required):
            return True
        return self.ours <= self.required if self.at_most else self.ours >= self.required
