# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How friction cones are coloured in side views: by how near the force ratio is to the true mu."""

from typing import Any

from matplotlib.patches import Patch as Swatch

NEAR, AT = 0.7, 0.95  # share of the true mu from which on a force ratio counts as near and as at the cone
COLOURS = ("#009e73", "#e69f00", "#d55e00")  # inside, near and at the cone: told apart by the colour-blind
MEANINGS = (f"force ratio below {NEAR:g} mu", f"{NEAR:g} to {AT:g} mu", f"above {AT:g} mu, or the foot slides")


def cone_legend() -> list[Any]:
    """What the colours of the cones mean."""
    return [Swatch(color=c, alpha=0.5, label=m) for c, m in zip(COLOURS, MEANINGS, strict=True)]
