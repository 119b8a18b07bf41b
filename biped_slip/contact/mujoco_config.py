# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of MuJoCo's contact, where a robot is tried on somebody else's floor; apart from MuJoCo itself."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter


@configuration
class MujocoConfig(Configuration):
    """Options of MuJoCo by its own names; the defaults are MuJoCo's but for the cone."""

    elliptic: bool = parameter(True, source="choice", doc="elliptic friction cone; false: pyramid, MuJoCo's default")
    impratio: float = parameter(1.0, low=0.1, high=1000.0, source="[MuJoCo]", doc="stiffness of friction over normal")
    noslip_iterations: int = parameter(0, low=0, high=100, source="[MuJoCo]", doc="passes that take creep out")
    time_constant: float = parameter(0.02, unit="s", above=0.0, high=1.0, source="[MuJoCo]: solref", doc="of a contact")
    damping_ratio: float = parameter(1.0, above=0.0, high=10.0, source="[MuJoCo]: solref", doc="of a contact")
