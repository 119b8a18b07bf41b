# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of contact as complementarity problems (D.2); apart from the solver, which takes long to import."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter


@configuration
class ComplementarityConfig(Configuration):
    """Tolerances of the contact sets, and our additions to the paper."""

    restitution: float = parameter(0.0, low=0.0, high=1.0, source="choice", doc="Newton's coefficient; 0 in the paper")
    circular: bool = parameter(False, doc="friction in a circular cone in the place of the paper's box")
    gap_tolerance: float = parameter(1.0e-6, unit="m", low=0.0, source="choice", doc="a smaller gap is closed")
    rate_tolerance: float = parameter(1.0e-3, unit="m/s", above=0.0, source="choice", doc="a slower approach rests")
