# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The family of normal laws: force of the ground along its normal from penetration and its rate.

Every law is one kernel ``force(penetration, rate, impact_rate, law) -> F_n`` [N] of the penetration d [m], its rate
[m/s], the rate at touchdown [m/s] (for laws that remember it) and the packed configuration. F_n is never
negative but for the linear law without clamp, and 0 when d <= 0 (S.2).
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from biped_slip.config import Configuration


class NormalForce(Protocol):
    """Kernel of a normal law."""

    def __call__(self, penetration: float, rate: float, impact_rate: float, law: Any, /) -> float:
        """F_n [N]."""


class NormalLaw(Configuration):
    """Base of all normal laws: the kernel, and what theory says about it in closed form."""

    force: ClassVar[NormalForce]
    continuous_at_touchdown: ClassVar[bool]  # the force starts from 0 whatever the impact rate

    def steady_penetration(self, load: float) -> float:
        """Penetration [m] under a constant load [N]."""
        raise NotImplementedError

    def normal_stiffness(self, load: float) -> float:
        """Slope of the static force [N/m] under a load [N]."""
        raise NotImplementedError
