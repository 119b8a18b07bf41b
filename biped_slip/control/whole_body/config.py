# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that the whole-body walking controller can be told."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.control.whole_body.footsteps import FootstepConfig, SteppingConfig
from biped_slip.control.whole_body.friction_adaptation import AdaptationConfig, PatternConfig
from biped_slip.control.whole_body.program import WeightConfig
from biped_slip.control.whole_body.tasks import GainConfig


@configuration
class WholeBodyConfig(Configuration):
    """Steps, gains, weights and slip prevention."""

    steps: FootstepConfig = section(FootstepConfig)
    stepping: SteppingConfig = section(SteppingConfig)
    gains: GainConfig = section(GainConfig)
    weights: WeightConfig = section(WeightConfig)
    adaptation: AdaptationConfig = section(AdaptationConfig)
    pattern: PatternConfig = section(PatternConfig)
    height_share: float = parameter(
        0.935, above=0.3, high=1.0, doc="of the standing centre of mass' height: bent knees reach further"
    )
    sole_share: float = parameter(
        0.8, above=0.0, high=1.0, doc="of the sole's length that the centre of pressure may use: a foot that rolls "
        "over its toe holds next to no moment about the vertical"
    )  # fmt: skip
    sole_share_across: float = parameter(0.8, above=0.0, high=1.0, doc="of its width: at its edge the foot tips")
    height_rate: float = parameter(0.15, unit="m/s", above=0.0, high=2.0, doc="at which that height is taken up")
    acceleration: float = parameter(0.3, unit="m/s^2", above=0.0, high=10.0, doc="at which a new command is taken up")
    turn_acceleration: float = parameter(0.5, unit="rad/s^2", above=0.0, high=10.0, doc="likewise for turning")

    @property
    def sole_shares(self) -> tuple[float, float]:
        """Along and across."""
        return self.sole_share, self.sole_share_across
