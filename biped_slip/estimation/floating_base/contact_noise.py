# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How much a foot is believed to stay where it is: less when it is lightly loaded, near its limit or known to slip."""

from __future__ import annotations

from biped_slip.compile.kernel import kernel
from biped_slip.estimation.floating_base.config import ContactNoiseConfig
from biped_slip.friction_estimation.types import FrictionEstimate

NEVER = -1.0


@kernel
def contact_step(
    age: float,
    normal: float,
    weight: float,
    slipping: bool,
    share: float,
    config: ContactNoiseConfig,
    dt: float,
) -> tuple[float, float]:
    r"""Age of the contact [s] and random walk of the foot's place [m/sqrt(s)] for one more sample.

    .. math:: \sigma = \max(\text{creep},\ \text{creep}\,(f F_g / F_n)^2)\ \text{up to slide}

    with f = full_share; ``slide`` while the foot slips, settles, or uses more than ``margin`` of its friction.
    A force that is NaN is no contact.

    Args:
        age: before, negative in the air.
        normal: force of the ground along its normal [N].
        weight: of the robot [N].
        slipping: as friction estimation says.
        share: force ratio over what friction allows; NaN or negative where that is not known.
        config: packed ContactNoiseConfig.
    """
    if age < 0.0:
        if not normal > config.on_share * weight:
            return NEVER, config.slide
        age = 0.0
    elif not normal >= config.off_share * weight:
        return NEVER, config.slide
    else:
        age += dt
    if slipping or age < config.settling_time or share > config.margin:
        return age, config.slide
    light = config.full_share * weight / normal
    return age, min(config.creep * max(1.0, light * light), config.slide)


@kernel
def share_of_limit(estimate: FrictionEstimate) -> float:
    """Force ratio over the certified friction, once the estimate is usable; negative where nothing is known."""
    if not estimate.usable or not estimate.mu_low > 0.0:
        return -1.0
    return estimate.force_ratio / estimate.mu_low
