# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slip: one slide of a foot, whatever found it.

Two kinds of detector find slides: by motion (of the sole itself, or of markers on the
foot), and by the forces alone, where their ratio stays while the load changes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# what a slide is found by
BY_MOTION = "motion"
BY_MARKERS = "markers"
BY_FORCE = "force-plateau"


class Slip(NamedTuple):
    """One slide of a foot, in the recording's own time."""

    start: float  # [s]
    end: float  # [s]
    mu: float | None  # |tangential| / normal while it slides [-]; None: not known
    source: str  # BY_MOTION: the sole's own | BY_MARKERS | BY_FORCE
    # What only the gait laboratory measures:
    distance: float = math.nan  # from start to end, as the crow flies [m]
    peak_velocity: float = math.nan  # [m/s]
    forward: bool = False  # along the walk, as heels slip; toes slip backward
    dated_by: str = ""  # evidence of the start: force | motion | contact

    @property
    def duration(self) -> float:
        """Return how long it lasts [s]."""
        return self.end - self.start

    def record(self) -> dict[str, Any]:
        """Convert to plain values for JSON."""
        return {name: getattr(self, name) for name in ("start", "end", "mu", "source")}
